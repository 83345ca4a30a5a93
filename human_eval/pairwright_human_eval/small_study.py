"""A study of a few people: the rule that they can carry out, and what it verifies.

Whoever gives a preference on a subject sees neither its other half nor its aspects. So as many as
possible vote on each half of a twin, and who is left is asked about aspects. Nobody is left for a
second round: a vote that is not for the chosen response refuses. What such a rule verifies is known
from simulated studies with planted faults; `benchmarks/verified.py` writes the counts.
"""

import tomllib
from functools import cache

from pydantic import TypeAdapter
from scipy.stats import binom

from pairwright import assets
from pairwright.errors import InputError
from pairwright.estimate import Estimate, share
from pairwright.modes import MODES, Mode, has_no_preference
from pairwright.records import Record
from pairwright.settings.rules import HumanRules

FILE = assets.HUMAN_EVAL / "small_studies.toml"
SIMULATED = 2000
"""Twins or pairs in each count of the file."""
LEVEL = 0.05
KEYS_OF_FEW = (
    "votes", "rule", "further", "quality_votes", "rubric_votes", "wrong_profile", "narrative",
)  # fmt: skip
"""The keys of [human] that follow from how many people there are."""


class SmallStudy(Record):
    """What a study of so few people asks, and what simulated readers verify by it."""

    votes: int
    """On each half of a twin, or on each pair."""
    rubric_votes: int
    """People who are asked about aspects; 0: nobody."""
    sound: tuple[int, int]
    """Sound ones that are verified, of `SIMULATED`: by readers who are right in 95 % of their
    answers, and in 85 %."""
    no_signal: int
    """Of as many of which one half's posts say nothing, what readers of 95 % verify."""

    def rule(self, rules: HumanRules) -> HumanRules:
        """`rules` as so few people can carry them out: without a second round and controls."""
        values = (self.votes, "unanimity", 0, 2, self.rubric_votes, 0.0, 0.0)
        return rules.model_copy(update=dict(zip(KEYS_OF_FEW, values, strict=True)))

    @property
    def sound_share(self) -> Estimate:
        """Of sound ones, those that readers of 95 % verify."""
        return share(self.sound[0], SIMULATED)

    @property
    def sound_share_at_worst(self) -> Estimate:
        """The same of readers of 85 %."""
        return share(self.sound[1], SIMULATED)

    @property
    def silent_share(self) -> Estimate:
        """Of those of which one half's posts say nothing, those that readers of 95 % verify."""
        return share(self.no_signal, SIMULATED)

    def verified(self, units: int) -> Estimate:
        """How many of so many sound ones are verified: halfway between readers of 95 % and of 85 %,
        from the low end of a 95 % interval for the latter to the high end for the former."""
        best, worst = (k / SIMULATED for k in self.sound)
        return Estimate(
            value=round(units * (best + worst) / 2, 6),
            low=float(binom.ppf(LEVEL / 2, units, worst)),
            high=float(binom.ppf(1 - LEVEL / 2, units, best)),
            n=units,
            clusters=units,
        )


@cache
def _studies() -> dict[str, dict[int, SmallStudy]]:
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return TypeAdapter(dict[str, dict[int, SmallStudy]]).validate_python(found)


def small_study(people: int, mode: Mode) -> SmallStudy:
    """The study of so few people on twins or on single pairs.

    Raises InputError where there are enough for a whole study, and for placebos.
    """
    if has_no_preference(mode):
        raise InputError(
            "a few people verify no placebos",
            where="--people",
            fix="Give --annotators, or build twins.",
        )
    studies = _studies()["twins" if MODES[mode].halves == 2 else "pairs"]
    if people not in studies:
        raise InputError(
            f"{people} people can do a whole study, by the rule of [human]",
            where="--people",
            fix=f"Give --annotators {people}, or --people {max(studies)} at most.",
        )
    return studies[people]

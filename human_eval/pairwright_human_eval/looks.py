"""Looks at a study before its end: a rule that is fixed at export, and what each look saw.

One claim is followed: the share of preference votes for the chosen response, of all first-round
votes with a pair's own posts, without those on placebos. Its interval at a look is a repeated
confidence interval by dyad (`pairwright_human_eval.looks`): looking early, and stopping because of
it, makes a false finding no likelier than 5 % over all looks. Every report of votes that no report
had before is a look, and is kept.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import model_validator
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from pairwright.dataset import write_lines
from pairwright.intervals import LEVEL, Floats, accuracy, cluster_numbers
from pairwright.records import Record, content_id
from pairwright_human_eval.folder import HumanFolder, records_in
from pairwright_human_eval.records import PreferenceAnswer, StoppingRule, Verdict
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline

LookOutcome = Literal["above", "below", "open"]


class Look(Record):
    """What one look saw: a line of looks.jsonl."""

    votes: int
    """Votes that were in, those of excluded annotators too."""
    information: float
    """They as a share of all that the study asks for."""
    share: float
    """For the chosen response, of the votes that count."""
    n: int
    """Votes that count."""
    dyads: int
    bound: float
    """Standard errors to each side: those of the repeated confidence interval at 95 % over all
    looks, which is not kept, so that a share has one interval everywhere."""
    votes_hash: str = ""
    """Which votes were in, and whose do not count; empty in lines of older versions."""
    outcome: LookOutcome
    """Where that interval lies to the floor of the rule: `open` where it holds the floor."""

    @model_validator(mode="before")
    @classmethod
    def _without_interval(cls, fields: object) -> object:
        """Drop the interval that lines of older versions have."""
        if isinstance(fields, dict):
            return {name: value for name, value in fields.items() if name not in ("low", "high")}
        return fields


class Looks(Record):
    """All looks at a study, and the rule."""

    rule: StoppingRule | None
    """None for a study of an older version, which fixed none."""
    looks: tuple[Look, ...]

    @property
    def too_many(self) -> bool:
        """Whether there were more looks than were fixed."""
        return self.rule is not None and len(self.looks) > self.rule.looks


def take_look(
    folder: HumanFolder,
    fixed: FixedStudy,
    outlines: Sequence[Outline],
    verdicts: Sequence[Verdict],
    excluded: frozenset[str],
) -> Looks:
    """Look at the votes that are in, and keep what was seen. The same votes are the same look; as
    many other votes are another one, with the bound of the look before it. Where answers were taken
    back, the last look stays as it was.

    Raises InputError where looks.jsonl was damaged.
    """
    rule, before = fixed.study.stopping, records_in(folder.looks, Look)
    placebos = {outline.id for outline in outlines if outline.no_preference}
    asked = {
        name
        for name, task in fixed.key.items()
        if (task.kind, task.purpose, task.round) == ("preference", "vote", 1)
        and task.subject not in placebos
    }
    votes = [verdict for verdict in verdicts if verdict.task in asked]
    counted = [vote for vote in votes if vote.annotator not in excluded]
    if not counted or (before and before[-1].votes > len(votes)):
        return Looks(rule=rule, looks=before)
    lines = sorted(f"{vote.task} {_choice(vote)} {vote.annotator in excluded}" for vote in votes)
    votes_hash = content_id("votes", *lines)
    same = before and before[-1].votes == len(votes) and before[-1].votes_hash in ("", votes_hash)
    earlier = before[:-1] if same else before
    # A newcomer in place of somebody who was excluded adds tasks, so more is due than before.
    shares = sorted({*(look.votes / len(asked) for look in earlier), len(votes) / len(asked)})
    bound = look_bounds(shares, LEVEL)[-1]
    pairs = {pair.id: (pair, outline) for outline in outlines for pair in outline.pairs}
    abouts = [pairs[vote.pair or ""] for vote in counted]
    chosen = [
        float(_choice(vote) == pair.chosen) for vote, (pair, _) in zip(counted, abouts, strict=True)
    ]
    found = accuracy(np.array(chosen), cluster_numbers([outline.dyad for _, outline in abouts]))
    assert found
    low, high = found.interval(bound)
    floor = 0.5 if rule is None else rule.floor
    now = Look(
        votes=len(votes), information=round(shares[-1], 6), share=round(found.value, 6),
        n=found.n, dyads=found.clusters, bound=round(bound, 6), votes_hash=votes_hash,
        outcome="above" if low > floor else "below" if high < floor else "open",
    )  # fmt: skip
    looks = (*earlier, now)
    if looks != before:
        write_lines(folder.looks, looks)
    return Looks(rule=rule, looks=looks)


def _choice(vote: Verdict) -> str | None:
    return vote.answers.choice if isinstance(vote.answers, PreferenceAnswer) else None


NODES = 201
MOST = 12.0
"""Standard errors beyond which a bound is not looked for: no data cross it."""


def error_spent(information: float, level: float) -> float:
    """The error that the looks up to this share of the information may have together, two-sided."""
    return float(4 * ndtr(ndtri(level / 4) / math.sqrt(information)))


def look_bounds(information: Sequence[float], level: float) -> list[float]:
    """For each look the standard errors of its two-sided bound. `information` are the shares of all
    information at the looks, above 0 to 1, each greater than the one before it."""
    points, weights = np.polynomial.legendre.leggauss(NODES)
    bounds: list[float] = []
    # Paths that crossed no bound: where they are, on the scale of the score, and how likely.
    places: Floats = np.zeros(1)
    likely: Floats = np.ones(1)
    before, spent = 0.0, 0.0
    for share in information:
        step, may_spend = math.sqrt(share - before), error_spent(share, level) - spent
        path = share, step, places, likely, may_spend
        open_end = _overspent(MOST, *path) >= 0
        found = MOST if open_end else brentq(_overspent, 0, MOST, args=path)
        bounds.append(float(found))
        edge = found * math.sqrt(share)
        after = edge * points
        density = np.exp(-(((after[:, None] - places) / step) ** 2) / 2) @ likely
        places, likely = after, density * weights * edge / (step * math.sqrt(2 * math.pi))
        before, spent = share, error_spent(share, level)
    return bounds


def _overspent(
    bound: float, share: float, step: float, places: Floats, likely: Floats, may_spend: float
) -> float:
    """How much likelier it is to cross the bound at a look than the look may spend."""
    edge = bound * math.sqrt(share)
    outside = ndtr((-edge - places) / step) + ndtr((places - edge) / step)
    return float(likely @ outside) - may_spend

"""The same scorers on generated twins and on natural ones.

Generated twins have answers to questions that a user asked, which natural twins lack. Natural twins
have people's own choices. A scorer's rank on one is compared with its rank on the other.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import ndtri

from pairwright.errors import InputError
from pairwright.evaluate.board import Leaderboard
from pairwright.evaluate.board.entry import BoardEntry
from pairwright.evaluate.board.power import POWER
from pairwright.evaluate.board.ranking import Ranking
from pairwright.evaluate.conditions import ConditionName
from pairwright.evaluate.correlation import (
    Correlations,
    DownstreamFacts,
    ModelTable,
    correlate,
)
from pairwright.evaluate.correlation.table import LEAST_MODELS
from pairwright.evaluate.measure import ScorerFigure
from pairwright.evaluate.release import ReleaseRef
from pairwright.intervals import LEVEL
from pairwright.records import Mode, Record

RHOS = (0.5, 0.7, 0.9)
"""True rank correlations for which the page gives the number of scorers needed."""


class CertificateScorer(Record):
    """One scorer on both releases. Accuracies are shares from 0 to 1, with 95 % intervals."""

    scorer: str
    family: str
    generated: ScorerFigure
    natural: ScorerFigure
    difference: float
    """The accuracy on natural twins less that on generated ones."""
    low: float | None
    high: float | None
    """The 95 % interval of the difference: the two releases have different users (Newcombe 1998,
    Statist. Med. 17, 873-890, method 10, from the interval of each)."""


class Certificate(Record):
    """How scorers on generated twins go with the same scorers on natural ones."""

    generated: ReleaseRef
    natural: ReleaseRef
    condition: ConditionName
    scorers: tuple[CertificateScorer, ...]
    """Best on the generated twins first."""
    left_out: dict[str, str]
    """Why a scorer does not count, by name."""
    correlations: Correlations | None
    """None with fewer than three scorers, or if all scorers have the same accuracy."""
    seed: int

    @property
    def families(self) -> int:
        """The number of families of scorers, which count as independent."""
        return len({one.family for one in self.scorers})

    @property
    def has_families(self) -> bool:
        """Whether some scorers share a family."""
        return self.families < len(self.scorers)


def compare_scorers(
    generated: Leaderboard,
    natural: Leaderboard,
    condition: ConditionName = "profile",
    families: Mapping[str, str] | None = None,
    *,
    seed: int = 0,
    done: Callable[[], None] = lambda: None,
) -> Certificate:
    """Compare the scorers that are ranked on both leaderboards in one condition.

    `families` maps a scorer to its family; a scorer that it does not name is a family of its own.
    Baselines do not count: one that cannot see the user is at one half on both by arithmetic.
    Raises InputError where a leaderboard has no such ranking.
    """
    matched, left_out = _match_scorers(generated, natural, condition)
    scorers = []
    for own, other in matched:
        name = own.about.scorer.name
        scorers.append(_scorer_entry(own, other, (families or {}).get(name, name)))
    scorers.sort(key=lambda one: (-_value(one.generated), one.scorer))
    return Certificate(
        generated=generated.release,
        natural=natural.release,
        condition=condition,
        scorers=tuple(scorers),
        left_out=dict(sorted(left_out.items())),
        correlations=_correlations(scorers, seed, done),
        seed=seed,
    )


def scorers_needed(rho: float) -> int:
    """The number of independent scorers with which a true Spearman correlation is found with a
    probability of `POWER`, two-sided at 5 % (Fisher's z, with variance 1 / (n - 3) where there is
    none, and that of Bonett and Wright 2000, Psychometrika 65, 23-28, eq. 4, where there is)."""
    z_deviation = math.sqrt(1 + rho**2 / 2)
    together = float(ndtri(1 - LEVEL / 2) + z_deviation * ndtri(POWER)) / math.atanh(rho)
    return math.ceil(3 + together**2)


def _ranking(board: Leaderboard, mode: Mode, condition: ConditionName) -> Ranking:
    for ranking in board.rankings:
        if (ranking.mode, ranking.condition) == (mode, condition):
            return ranking
    there = ", ".join(f"{one.mode} in {one.condition}" for one in board.rankings)
    raise InputError(
        f"there is no result on pairs of mode {mode} in condition {condition}; the results are:"
        f" {there}",
        where=f"{board.release.name} {board.release.version}",
        fix="GENERATED is of a release with twins, NATURAL of one with natural twins; evaluate both"
        " in the same condition.",
    )


def _match_scorers(
    generated: Leaderboard, natural: Leaderboard, condition: ConditionName
) -> tuple[list[tuple[BoardEntry, BoardEntry]], dict[str, str]]:
    """The scorers that are ranked on both, and why the others are left out, by name."""
    boards: tuple[tuple[Leaderboard, Mode, str], ...] = (
        (generated, "twin", "generated"),
        (natural, "natural", "natural"),
    )
    sides, left_out = [], {}
    for board, mode, name in boards:
        ranking = _ranking(board, mode, condition)
        names = (*ranking.ranked, *ranking.unranked)
        sides.append({board.entries[one].about.scorer.name: board.entries[one] for one in names})
        for one, why in ranking.unranked.items():
            left_out[board.entries[one].about.scorer.name] = f"not ranked on {name} twins: {why}"
    own, others = sides
    matched = []
    for scorer in own.keys() ^ others.keys():
        left_out[scorer] = (
            f"has a result on {'generated' if scorer in own else 'natural'} twins alone"
        )
    for scorer in own.keys() & others.keys():
        if own[scorer].baseline:
            left_out[scorer] = "a baseline"
        elif own[scorer].about.scorer != others[scorer].about.scorer:
            left_out[scorer] = "another model, revision or settings on the other release"
        elif scorer not in left_out:
            matched.append((own[scorer], others[scorer]))
    return matched, left_out


def _scorer_entry(own: BoardEntry, other: BoardEntry, family: str) -> CertificateScorer:
    generated, natural = own.figure("accuracy", "twin"), other.figure("accuracy", "natural")
    assert generated, "a ranked row has an accuracy"
    assert natural, "a ranked row has an accuracy"
    difference = _value(natural) - _value(generated)
    low = high = None
    if None not in (generated.low, generated.high, natural.low, natural.high):
        low = difference - math.hypot(
            _value(natural) - (natural.low or 0.0), (generated.high or 0.0) - _value(generated)
        )
        high = difference + math.hypot(
            (natural.high or 0.0) - _value(natural), _value(generated) - (generated.low or 0.0)
        )
    return CertificateScorer(
        scorer=own.about.scorer.name,
        family=family,
        generated=generated,
        natural=natural,
        difference=round(difference, 6),
        low=None if low is None else round(max(-1.0, low), 6),
        high=None if high is None else round(min(1.0, high), 6),
    )


def _correlations(
    scorers: list[CertificateScorer], seed: int, done: Callable[[], None]
) -> Correlations | None:
    x = np.array([_value(one.generated) for one in scorers])
    y = np.array([_value(one.natural) for one in scorers])
    if len(scorers) < LEAST_MODELS or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    table = ModelTable(
        names=tuple(one.scorer for one in scorers),
        benchmarks={"Accuracy on generated twins": x},
        downstream=y,
        lineages=tuple(one.family for one in scorers),
    )
    facts = DownstreamFacts(
        judge="none: people's own choices", overlap="none", lineage="--families"
    )
    return correlate(
        table, "accuracy on natural twins", facts, gain="rank", p=0.9, seed=seed, done=done
    )


def _value(figure: ScorerFigure) -> float:
    assert figure.value is not None, "a ranked row has an accuracy"
    return figure.value

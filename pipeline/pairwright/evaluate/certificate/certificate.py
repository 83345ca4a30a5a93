"""The same scorers on generated twins and on natural ones.

Generated twins have what natural ones lack, answers to questions that somebody asked; natural twins
have people's own choices. A scorer's place on the one is held against its place on the other.
"""

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from scipy.special import ndtri

from pairwright.errors import InputError
from pairwright.evaluate.board import Leaderboard
from pairwright.evaluate.board.entry import BoardEntry
from pairwright.evaluate.board.ranking import Ranking
from pairwright.evaluate.conditions import ConditionName
from pairwright.evaluate.correlation import (
    Correlations,
    DownstreamFacts,
    ModelTable,
    correlate,
)
from pairwright.evaluate.correlation.table import FEWEST
from pairwright.evaluate.measure import ScorerFigure
from pairwright.evaluate.release import ReleaseRef
from pairwright.intervals import LEVEL
from pairwright.records import Mode, Record

POWER = 0.8
RHOS = (0.5, 0.7, 0.9)
"""True rank correlations for which the number of scorers that finds them is told."""


class CertifiedScorer(Record):
    """One scorer on both releases. Accuracies are shares from 0 to 1, with 95 % intervals."""

    scorer: str
    family: str
    generated: ScorerFigure
    natural: ScorerFigure
    difference: float
    """Natural less generated."""
    low: float | None
    high: float | None
    """The 95 % interval of the difference: the two releases are of other people (Newcombe 1998,
    Statist. Med. 17, 873-890, method 10, from the interval of each)."""


class Certificate(Record):
    """How scorers on generated twins go with the same scorers on natural ones."""

    generated: ReleaseRef
    natural: ReleaseRef
    condition: ConditionName
    scorers: tuple[CertifiedScorer, ...]
    """Best on the generated twins first."""
    left_out: dict[str, str]
    """Why a scorer does not count, by name."""
    correlations: Correlations | None
    """None of fewer than three scorers, or where all have one accuracy."""
    seed: int

    @property
    def families(self) -> int:
        """Families of scorers: what is independent."""
        return len({one.family for one in self.scorers})


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

    `families` says which scorers descend from one another; each is its own where it does not.
    Baselines do not count: one that cannot see the user is at one half on both by arithmetic.
    Raises InputError where a leaderboard has no such ranking, or a family is of no scorer.
    """
    first = _ranking(generated, "twin", condition)
    second = _ranking(natural, "natural", condition)
    left_out: dict[str, str] = {}
    scorers = []
    for own, other in _both(generated, natural, first, second, left_out):
        name = own.about.scorer.name
        scorers.append(_certified(own, other, (families or {}).get(name, name)))
    known = {
        one.about.scorer.name for board in (generated, natural) for one in board.entries.values()
    }
    if unknown := sorted(set(families or {}) - known):
        raise InputError(
            f"{unknown[0]!r} is not a scorer of these results",
            where="--families",
            fix=f"The scorers are: {', '.join(sorted(known))}.",
        )
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
    spread = math.sqrt(1 + rho**2 / 2)
    together = float(ndtri(1 - LEVEL / 2) + spread * ndtri(POWER)) / math.atanh(rho)
    return math.ceil(3 + together**2)


def _ranking(board: Leaderboard, mode: Mode, condition: ConditionName) -> Ranking:
    for ranking in board.rankings:
        if (ranking.mode, ranking.condition) == (mode, condition):
            return ranking
    there = ", ".join(f"{one.mode} in {one.condition}" for one in board.rankings)
    raise InputError(
        f"no result on pairs of mode {mode} in condition {condition}; there are: {there}",
        where=f"{board.release.name} {board.release.version}",
        fix="GENERATED is of a release with twins, NATURAL of one with natural twins; evaluate both"
        " in the same condition.",
    )


def _both(
    generated: Leaderboard,
    natural: Leaderboard,
    first: Ranking,
    second: Ranking,
    left_out: dict[str, str],
) -> Iterator[tuple[BoardEntry, BoardEntry]]:
    """The scorers that are ranked on both; why not, for the others."""
    sides = []
    for board, ranking, name in ((generated, first, "generated"), (natural, second, "natural")):
        names = (*ranking.ranked, *ranking.unranked)
        sides.append({board.entries[one].about.scorer.name: board.entries[one] for one in names})
        for one, why in ranking.unranked.items():
            left_out[board.entries[one].about.scorer.name] = f"not ranked on {name} twins: {why}"
    own, others = sides
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
            yield own[scorer], others[scorer]


def _certified(own: BoardEntry, other: BoardEntry, family: str) -> CertifiedScorer:
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
    return CertifiedScorer(
        scorer=own.about.scorer.name,
        family=family,
        generated=generated,
        natural=natural,
        difference=round(difference, 6),
        low=None if low is None else round(max(-1.0, low), 6),
        high=None if high is None else round(min(1.0, high), 6),
    )


def _correlations(
    scorers: list[CertifiedScorer], seed: int, done: Callable[[], None]
) -> Correlations | None:
    x = np.array([_value(one.generated) for one in scorers])
    y = np.array([_value(one.natural) for one in scorers])
    if len(scorers) < FEWEST or len(set(x)) == 1 or len(set(y)) == 1:
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

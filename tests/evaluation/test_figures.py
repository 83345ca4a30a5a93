"""Figures of decisions: identities that hold by construction, and cases computed by hand."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest

from decided import (
    AHEAD,
    BEHIND,
    TIED,
    Half,
    Line,
    ends,
    frame_of,
    judged,
    placebo,
    right_on,
    twin,
    twins,
    violate,
    without_score,
)
from pairwright.evaluation import scores as product
from pairwright.evaluation.benchmark import hardest
from pairwright.evaluation.scores import FIGURES, FOLLOWS, ScorerFigure

EDGES = [0.0, 1.0, -1.0, 0.1, 0.2, 0.1 + 0.2, 1e-300, 1.7e308, -1.7e308, 3.3, 1e16, 1e16 + 2]
Outcome = tuple[Half, Half]
RIGHT: Outcome = (AHEAD, AHEAD)
SAME: Outcome = (AHEAD, BEHIND)
TURNED: Outcome = (BEHIND, BEHIND)
HALF_TIED: Outcome = (AHEAD, TIED)
TIES: Outcome = (TIED, TIED)
SHORT: Outcome = (AHEAD, (None, 0.0))
FLIPS = {"net_right_flips", "placebo_flips"}


def figures_of(lines: Sequence[Line], *, blind: bool = False) -> tuple[ScorerFigure, ...]:
    return product.figures_of(frame_of(lines), blind=blind)


def found(decisions: Sequence[Line], name: str, group: str = "twin") -> ScorerFigure:
    (one,) = [of for of in figures_of(decisions) if (of.name, of.group) == (name, group)]
    return one


def values(decisions: Sequence[Line], group: str, *names: str) -> list[float | None]:
    return [found(decisions, name, group).value for name in names]


def blind(a: float, b: float) -> Outcome:
    """What a scorer that cannot see the user gives a twin: each response its one score."""
    return (a, b), (b, a)


def flips_of(of_twins: Sequence[Outcome], of_placebos: Sequence[Outcome]) -> dict[str, Any]:
    placebos = [placebo(100 + n, *outcome) for n, outcome in enumerate(of_placebos)]
    figures = figures_of([*twins(of_twins), *chain(*placebos)])
    return {one.name: one for one in figures if one.name in FLIPS}


# Twins


def test_a_scorer_that_cannot_see_the_user_is_right_on_one_half_of_whole_twins() -> None:
    chance = np.random.default_rng(0)
    drawn = [blind(*chance.normal(size=2)) for _ in range(150)]
    edges = [blind(*chance.choice(EDGES, 2)) for _ in range(150)]
    every = twins([*drawn, *edges])
    assert values(every, "twin", "accuracy", "both_right") == [0.5, 0]
    fixed = {one.name: (one.low, one.text()) for one in figures_of(every, blind=True)}
    assert fixed["accuracy"] == (None, "0.500 (exact)")
    # It gains nothing by leaving out.
    for _ in range(20):
        halves = twins(blind(*chance.normal(size=2)) for _ in range(20))
        kept = [half if chance.random() < 0.7 else without_score(half) for half in halves]
        accuracy, both = values(kept, "twin", "accuracy", "both_right")
        assert (accuracy or 0) <= 0.5
        assert both == 0


# Accuracy


def question(*pairs: Line, chance: float = 1 / 3) -> list[Line]:
    """A question with options, of these pairs."""
    return [
        one._replace(mode="questions", unit="q", halves=len(pairs), cluster="u", chance=chance)
        for one in pairs
    ]


@pytest.mark.parametrize(
    ("halves", "chance", "value", "coverage"),
    [
        ((AHEAD, AHEAD), 1 / 3, 1, 1),
        ((TIED, TIED), 1 / 3, 1 / 3, 1),
        ((TIED, BEHIND), 1 / 3, 0, 1),
        ((AHEAD, (None, 0.0)), 1 / 3, 0, 0),
        ((AHEAD, BEHIND), 0.5, 0.5, 1),
    ],
)
def test_a_question_is_right_if_the_right_option_is_ahead_of_all_others_and_ties_share(
    halves: tuple[Half, ...], chance: float, value: float, coverage: float
) -> None:
    """Of several right ones, whose chance is one half, the share of pairs counts."""
    lines = question(*(violate(n, *half) for n, half in enumerate(halves)), chance=chance)
    accuracy = found(lines, "accuracy", "questions")
    assert (accuracy.value, accuracy.chance) == pytest.approx((value, chance), abs=1e-6)
    assert accuracy.n == 1
    assert found(lines, "coverage", "questions").value == coverage
    assert not figures_of(lines[:1]), "a question that is not whole"


def test_every_pair_counts_the_same_and_modes_are_never_averaged() -> None:
    decisions = [
        *(violate(n, 1.0, domain="Garden") for n in range(90)),
        *(violate(n, -1.0) for n in range(100, 110)),
        *twin(500, *blind(1.0, 0.0)),
        violate(600, 1.0, mode="pairs", domain=""),
    ]
    accuracies = {
        f"{of.mode} {of.group}": of.value for of in figures_of(decisions) if of.name == "accuracy"
    }
    expected = {
        "violate violate": 0.9, "violate Garden": 1, "violate Home": 0, "twin twin": 0.5,
        "pairs pairs": 1,
    }  # fmt: skip
    assert accuracies.items() >= expected.items()
    assert {of.name for of in figures_of(decisions)} <= set(FIGURES)


def test_a_judge_that_changes_its_verdict_with_the_order_is_inconsistent() -> None:
    decisions = [judged(n, "chosen", "chosen" if n % 4 else "rejected") for n in range(40)]
    assert values(decisions, "violate", "swap_consistency", "accuracy") == [0.75, 0.875]
    assert "swap_consistency" not in {one.name for one in figures_of(right_on(3))}


# How the aspects follow from the posts


def test_a_unit_says_how_its_hardest_aspect_follows() -> None:
    assert hardest(("stated", "pattern", "inferred")) == "pattern"
    assert hardest(("stated", "")) == hardest(()) == ""


def test_accuracies_are_by_how_the_aspects_follow() -> None:
    kinds = ("stated", "pattern", "")
    decisions = [
        half
        for n, kind in enumerate(kinds)
        for half in twin(n, *(RIGHT if n else SAME), follows=kind)
    ]
    accuracies = {one.group: one for one in figures_of(decisions) if one.name == "accuracy"}
    known = {group: (accuracies[group].value, accuracies[group].n)
             for group in FOLLOWS.values() if group in accuracies}  # fmt: skip
    assert known == {FOLLOWS["stated"]: (0.5, 2), FOLLOWS["pattern"]: (1.0, 2)}


# Gains


def gains(first: Sequence[Line], second: Sequence[Line], *, of_twins: bool = False) -> Any:
    return list(product.gains(frame_of(first), frame_of(second), "none", of_twins=of_twins))


def test_a_gain_is_paired_and_over_pairs_with_a_score_in_both() -> None:
    (gain,) = gains(right_on(15, 20), right_on(10, 20)[::-1])
    assert (gain.name, gain.group) == ("gain over none", "violate")
    assert (gain.value, gain.n, gain.clusters) == (0.25, 20, 20)
    low, high = ends(gain)
    assert 0 < low < 0.1
    assert 0.4 < high < 0.5
    profile = [violate(1, 1.0), violate(2, 1.0), violate(3, None), violate(4, 1.0)]
    (gain,) = gains(profile, [violate(1, -1.0), violate(2, None), violate(3, 1.0)])
    assert (gain.value, gain.n) == (1, 1)
    # Nothing in common has no gain; twins gain over what shows the user alone.
    assert not gains([violate(1, 1.0)], [violate(2, 1.0)])
    both = twins([RIGHT, RIGHT]), twins([SAME, RIGHT])
    assert not gains(*both)
    assert [one.value for one in gains(*both, of_twins=True)] == [0.25]


# Flips


@pytest.mark.parametrize(
    ("scorer", "twins", "placebos", "flips", "net"),
    [
        ("reads its users", [RIGHT] * 4, [SAME] * 4, 0.0, 1.0),
        ("cannot see them", [SAME] * 4, [SAME] * 4, 0.0, 0.0),
        ("answers by chance", [RIGHT, TURNED, SAME, SAME], [RIGHT, TURNED, SAME, SAME], 0.5, 0.0),
        ("always flips", [RIGHT, TURNED] * 2, [RIGHT, TURNED] * 2, 1.0, 0.0),
        ("flips and is right", [RIGHT] * 4, [RIGHT, TURNED] * 2, 1.0, 0.5),
        ("turns its sign and flips", [TURNED] * 4, [TURNED] * 4, 1.0, -0.5),
        ("ties", [TIES] * 4, [TIES, HALF_TIED] * 2, 0.0, 0.0),
        ("leaves out", [RIGHT, RIGHT, SAME, SHORT], [RIGHT, SAME, SHORT], 0.5, 2 / 3 - 1 / 4),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_scorer_has(
    scorer: str, twins: list[Outcome], placebos: list[Outcome], flips: float, net: float
) -> None:
    figures = flips_of(twins, placebos)
    flipped, known = figures["placebo_flips"], figures["net_right_flips"]
    assert (flipped.value, known.value) == pytest.approx((flips, net), abs=1e-6), scorer
    whole = len(placebos) - (SHORT in placebos)
    assert (known.n, flipped.n) == (len(twins) - (SHORT in twins) + whole, whole)
    if known.low is not None:
        assert -0.5 <= known.low <= net <= known.high <= 1

"""Flips: what a scorer's preferences on twins and on placebos make of it, how rows are ranked by
them, and that placebos are in nothing else."""

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decided import (
    AHEAD,
    BEHIND,
    TIED,
    Half,
    board_of,
    board_with,
    ends,
    placebo,
    result,
    twin,
    twins,
    violate,
)
from pairwright.blind_preference import preference_case
from pairwright.dataset import Row
from pairwright.dataset.row import RowAspect
from pairwright.estimate import Estimate, share
from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.page import board_notes, board_page
from pairwright.evaluation.board.tables import ranking_table
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.decision import PairDecision, blank_decision
from pairwright.evaluation.measure.accuracy import figures_of, without_error
from pairwright.evaluation.measure.figure import ScorerFigure
from pairwright.evaluation.measure.flips import net_right_flips
from pairwright.evaluation.measure.slices import FOLLOWS_SLICES, slice_figures
from pairwright.evaluation.outputs import ReleaseQuestions
from pairwright.evaluation.results import Result, summary_lines
from pairwright.intervals import mean_points, newcombe
from pairwright.modes import MODES, Mode, has_no_preference
from pairwright.records import Follows

Outcome = tuple[Half, Half]
RIGHT: Outcome = (AHEAD, AHEAD)
SAME: Outcome = (AHEAD, BEHIND)
TURNED: Outcome = (BEHIND, BEHIND)
HALF_TIED: Outcome = (AHEAD, TIED)
TIES: Outcome = (TIED, TIED)
SHORT: Outcome = (AHEAD, (None, 0.0))
FLIPS = {"net_right_flips", "placebo_flips"}


def decided(
    of_twins: Sequence[Outcome], of_placebos: Sequence[Outcome], first: int = 100
) -> list[PairDecision]:
    """Twins of couples 0, 1, ... and placebos of others, or of the same with `first` = 0."""
    placebos = [placebo(first + n, *outcome) for n, outcome in enumerate(of_placebos)]
    return [*twins(of_twins), *chain(*placebos)]


def flips_of(decisions: Sequence[PairDecision]) -> dict[str, ScorerFigure]:
    return {one.name: one for one in figures_of(decisions) if one.name in FLIPS}


# What flips are


@pytest.mark.parametrize(
    ("scorer", "twins", "placebos", "flips", "net"),
    [
        ("reads its users", [RIGHT] * 4, [SAME] * 4, 0.0, 1.0),
        ("cannot see them", [SAME] * 4, [SAME] * 4, 0.0, 0.0),
        ("answers by chance", [RIGHT, TURNED, SAME, SAME], [RIGHT, TURNED, SAME, SAME], 0.5, 0.0),
        ("always flips", [RIGHT, TURNED] * 2, [RIGHT, TURNED] * 2, 1.0, 0.0),
        ("flips and is right", [RIGHT] * 4, [RIGHT, TURNED] * 2, 1.0, 0.5),
        ("turns its sign", [TURNED] * 4, [SAME] * 4, 0.0, 0.0),
        ("turns its sign and flips", [TURNED] * 4, [TURNED] * 4, 1.0, -0.5),
        ("ties", [TIES] * 4, [TIES, HALF_TIED] * 2, 0.0, 0.0),
        ("ties a half", [RIGHT, HALF_TIED] * 2, [SAME] * 4, 0.0, 0.5),
        ("leaves out", [RIGHT, RIGHT, SAME, SHORT], [RIGHT, SAME, SHORT], 0.5, 2 / 3 - 1 / 4),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_scorer_has(
    scorer: str, twins: list[Outcome], placebos: list[Outcome], flips: float, net: float
) -> None:
    figures = flips_of(decided(twins, placebos))
    flipped, found = figures["placebo_flips"], figures["net_right_flips"]
    assert (flipped.value, found.value) == pytest.approx((flips, net), abs=1e-6), scorer
    low, high = ends(found)
    assert -0.5 <= low <= net <= high <= 1
    short = SHORT in twins
    whole = len(placebos) - short
    assert (found.n, flipped.n) == (len(twins) - short + whole, whole)
    assert bool(found.note) == short
    said = "3 of 4 twins have both scores; 2 of 3 placebos have both scores"
    assert (said in found.note) == short


def test_they_are_where_their_units_are() -> None:
    assert flips_of(decided([RIGHT], [])).keys() == set()
    assert flips_of(decided([], [SAME])).keys() == {"placebo_flips"}
    assert flips_of(decided([RIGHT], [SAME])).keys() == FLIPS
    assert flips_of(decided([SHORT], [SAME])).keys() == FLIPS
    # Of a scorer that cannot see the user they are 0 by identity.
    decisions = decided([SAME] * 4, [SAME] * 3)
    found = without_error("profile", "longer", decisions, figures_of(decisions))
    flips = [(one.value, one.low, one.by_identity) for one in found if one.name in FLIPS]
    assert flips == [(0, None, True)] * 2


# Their intervals


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Newcombe 1998, Table II, method 10.
        ((56, 70), (48, 80), (0.2, 0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.6, 0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.5714, 0.0582, 0.8062)),
        ((5, 56), (0, 29), (0.0893, -0.0381, 0.1926)),
    ],
)
def test_the_difference_of_two_shares_is_newcombes(first: Any, second: Any, expected: Any) -> None:
    found = newcombe(share(*first), share(*second))
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=5e-5)


def test_it_has_the_variance_of_the_difference_by_couple() -> None:
    """Where normal approximation holds, its length is that of the errors summed by couple."""
    chance = np.random.default_rng(1)
    placebo_of = np.repeat([False, True], 2000)
    clusters = np.tile(np.arange(2000), 2)
    shared = chance.random(2000) < 0.5
    for same in (False, True):
        flips = shared if same else chance.random(2000) < 0.5
        points = np.concatenate([shared, flips]).astype(np.float64)
        found = net_right_flips(points, placebo_of, clusters, mean_points)
        errors = shared - shared.mean() - (flips - flips.mean()) / 2
        low, high = ends(found)
        assert high - low == pytest.approx(2 * 1.96 * errors.std() / 2000**0.5, rel=0.01)
        assert (found.n, found.clusters) == (4000, 2000)


def test_without_a_value_there_is_none() -> None:
    none = Estimate(value=None, low=None, high=None, n=0, clusters=0)
    found = newcombe(share(1, 2), none)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert newcombe(share(1, 2), none.model_copy(update={"value": 0.5})).low is None


# How they rank


@pytest.fixture
def board(tmp_path: Path) -> Leaderboard:
    """A reader, word overlap that is right as often and flips, a blind scorer, one that left out
    too many placebos, and one that is missing a twin."""
    scorers: dict[str, tuple[list[Outcome], list[Outcome]]] = {
        "reader": ([RIGHT] * 36 + [SAME] * 4, [SAME] * 29 + [RIGHT]),
        "overlap": ([RIGHT] * 36 + [SAME] * 4, [RIGHT, TURNED, SAME] * 10),
        "longer": ([SAME] * 40, [SAME] * 30),
        "partial": ([RIGHT] * 40, [SAME] * 27 + [SHORT] * 3),
        "missing": ([RIGHT] * 30 + [SAME] * 9 + [SHORT], [SAME] * 30),
    }
    decoys = [violate(200 + n, 1.0 if n % 2 else -1.0, mode="decoy") for n in range(12)]
    given = {name: [*decided(*both, first=20), *decoys] for name, both in scorers.items()}
    return board_with(tmp_path, **given)


def test_rows_are_ranked_by_net_right_flips(board: Leaderboard) -> None:
    twins, decoys = board.rankings
    assert (twins.mode, twins.ranked_by) == ("twin", "net_right_flips")
    assert decoys.ranked_by == "accuracy"
    rows = ("reader.profile", "missing.profile", "overlap.profile", "longer.profile")
    assert twins.ranked == rows
    assert twins.unranked == {"partial.profile": "only 90.0% of the placebos have both scores"}
    # By accuracy word overlap is as good as the reader.
    accuracies = [board.entries[name].value("accuracy", "twin") for name in rows]
    assert accuracies == [0.95, 0.875, 0.95, 0.5]
    first = twins.comparisons[1]
    assert (first.first, first.second) == ("reader.profile", "overlap.profile")
    # On the 39 twins that all ranked rows have whole, and all placebos of 50 couples.
    assert first.difference == pytest.approx((20 - 1) / 30 / 2, abs=1e-6)
    assert 0 < ends(first)[0] < first.difference
    assert (first.n, first.clusters) == (69, 50)
    assert first.adjusted < 0.05
    assert not set(twins.groups["reader.profile"]) & set(twins.groups["overlap.profile"])


def test_all_forms_have_them(board: Leaderboard, composed: None) -> None:
    page = board_page(board)
    assert "net right flips, points | right flips | flips on placebos |\n" in page.markdown
    assert "| scorer | accuracy | both right |" in board_page(board, brief=True).markdown
    assert max(len(table.head) for table in page.tables) == 5
    assert page.html.count("<svg") >= 3
    assert "Word overlap prefers each user's own response on 90.0 %" in page.markdown
    missing = "missing: 39 of 40 twins have both scores, and the others are in no flips."
    assert missing in page.markdown
    assert "reader has the most net right flips, 88.3 points" in page.opening[0]
    assert "Rows are ranked by net right flips." in " ".join(board_notes(board))
    assert "flips on placebos" in ranking_table(board, board.rankings[0]).main
    assert Leaderboard.model_validate_json(board.model_dump_json()) == board


def test_a_result_says_them_on_a_terminal(tmp_path: Path) -> None:
    path = result(tmp_path, "a", decided([RIGHT] * 3 + [SAME], [RIGHT, SAME, SHORT]), ties=1)
    heading, *further = summary_lines(Result(path).about, list(Result(path).decisions()))
    assert "placebo flips 50.0 % (" in heading
    assert "twin net right flips, points, +50.0 (" in heading
    assert "on placebos a tie is no flip" in further[1]


def test_alike_rows_and_rows_with_as_many_net_flips_are_not_distinguished(tmp_path: Path) -> None:
    turning, same = decided([RIGHT, TURNED] * 20, [RIGHT, TURNED] * 15), [SAME] * 30
    (ranking,) = board_with(tmp_path, a=turning, b=decided([SAME] * 40, same), c=turning).rankings
    assert [(one.difference, one.p, one.adjusted) for one in ranking.comparisons] == [(0, 1, 1)] * 3


# Placebos are in nothing else


def test_nothing_else_changes_with_placebos(tmp_path: Path) -> None:
    twins = [RIGHT] * 20 + [SAME] * 6 + [TURNED] * 2
    decoys = [violate(200 + n, 1.0 if n % 3 else -1.0, mode="decoy") for n in range(12)]
    boards = []
    for name, placebos in (("without", []), ("with", [RIGHT, TURNED] * 20)):
        for scorer in ("a", "overlap"):
            for condition in ("none", "profile"):
                result(tmp_path / name, scorer, [*decided(twins, placebos), *decoys], condition)
        boards.append(board_of(tmp_path / name))
    without, with_placebos = boards
    assert with_placebos.modes == without.modes == ("twin", "decoy")
    assert with_placebos.findings == without.findings
    for name, entry in without.entries.items():
        other = with_placebos.entries[name]
        figures = [one for one in other.figures if one.name not in FLIPS and one.mode != "placebo"]
        assert tuple(figures) == entry.figures
        assert (other.gains, other.calibrations) == (entry.gains, entry.calibrations)
        of_placebos = {one.name for one in other.figures if one.mode == "placebo"}
        assert of_placebos == {"coverage", "placebo_flips"}
    text = json.dumps(without.model_dump(mode="json"))
    assert not [word for word in (*FLIPS, "ranked_by", "placebo") if f'"{word}"' in text]


@pytest.mark.parametrize("placebos", [[SHORT] * 3, [TIES] * 3])
def test_a_row_without_a_score_on_placebos_is_not_ranked(
    tmp_path: Path, placebos: list[Outcome], composed: None
) -> None:
    without, whole = decided([RIGHT] * 3, placebos), decided([RIGHT] * 3, [SAME] * 3)
    board = board_with(tmp_path, a=without, b=whole)
    (ranking,) = board.rankings
    assert ranking.ranked == (("a.profile",) if TIES in placebos else ()) + ("b.profile",)
    assert board_page(board).markdown.count("(no pair has a score)") == (SHORT in placebos)
    # A result without them may be the first.
    result(tmp_path, "a", decided([RIGHT] * 3, []), "profile-without-evidence")
    assert [one.ranked_by for one in board_of(tmp_path).rankings] == ["net_right_flips", "accuracy"]


@pytest.mark.parametrize("twins", [[], [RIGHT] * 3])
@pytest.mark.parametrize("decoys", [0, 3])
def test_every_mixture_has_a_page(tmp_path: Path, twins: list[Outcome], decoys: int) -> None:
    others = [violate(200 + n, 1.0, mode="decoy") for n in range(decoys)]
    board = board_with(tmp_path, a=[*decided(twins, [RIGHT, SAME]), *others])
    page = board_page(board).markdown
    assert "50.0 % (9.5 to 90.5)" in page
    assert ("## Placebos" in page) == (not twins)
    assert [one.mode for one in board.rankings] == ["twin"] * bool(twins) + ["decoy"] * bool(decoys)


def test_they_are_part_of_conditions_that_show_no_rubric_and_nobody_else() -> None:
    (name,) = (name for name in MODES if has_no_preference(name))
    shown = {one for one, record in CONDITIONS.items() if record.applies(name)}
    assert shown == {"none", "profile", "planner"}
    rows = [row("placebo", judge="j", blind_preference=2), row("decoy", "stated", judge="j")]
    assert [one.pair for one in ReleaseQuestions(rows).own] == ["decoy-1"]
    assert [one and one.mode for one in map(preference_case, rows)] == [None, "decoy"]


def row(mode: Mode, *follows: Follows | None, **changes: object) -> Row:
    aspects = tuple(RowAspect(aspect=f"aspect {n}", follows=one) for n, one in enumerate(follows))
    fields = {
        "id": f"{mode}-1", "question": "Why?", "chosen": "Because.", "rejected": "So.",
        "domain": "Home", "mode": mode, "item_id": "item-1", "user": "u", "rubric_aspects": aspects,
    }  # fmt: skip
    return Row.model_validate(fields | changes)


# Accuracy by how the aspects follow from the posts


@pytest.mark.parametrize(
    ("follows", "kind"),
    [
        (("stated", "stated"), "stated"),
        (("inferred",), "inferred"),
        (("pattern",), "pattern"),
        (("stated", "pattern", "inferred"), "pattern"),
        (("inferred", "stated"), "inferred"),
        (("stated", None), None),
        ((), None),
    ],
)
def test_a_pair_says_how_its_hardest_aspect_follows(
    follows: tuple[Follows | None, ...], kind: str | None
) -> None:
    decision = blank_decision(row("twin", *follows))
    assert decision.follows == kind
    assert ("follows" in decision.model_dump_json()) == (kind is not None)


def test_a_twin_is_in_the_slice_of_both_its_users() -> None:
    kinds = (("stated", "stated"), ("stated", "pattern"), ("inferred", None))
    decisions = [
        half.model_copy(update={"follows": kind})
        for n, both in enumerate(kinds)
        for half, kind in zip(twin(n, *(RIGHT if n else SAME)), both, strict=True)
    ]
    found = {one.group: (one.value, one.n) for one in slice_figures(decisions, {}, None)}
    assert found == {FOLLOWS_SLICES["stated"]: (0.5, 2), FOLLOWS_SLICES["pattern"]: (1.0, 2)}

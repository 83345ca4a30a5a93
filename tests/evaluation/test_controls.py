"""What the leaderboard says beside ranks: slices, the tests of the controls, and the choices of
others.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from test_leaderboard import printed, run

from decided import (
    AHEAD,
    BEHIND,
    RELEASE,
    board_of,
    board_with,
    judged,
    result,
    twin,
    violate,
    without_score,
)
from decided import twins as scored_twins
from pairwright.estimate import Estimate
from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.findings import ScorerFinding, adjust_findings
from pairwright.evaluation.board.page import board_notes, board_page
from pairwright.evaluation.board.tables import label
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.figure import ScorerFigure
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.settings import EmbeddingScorer

WHOLE, ASKED, OTHER, WRONG = (True, True), (True, False), (False, True), (False, False)
"""The halves of a twin that are right."""
OVERLAP = [WHOLE] * 42 + [WRONG] * 18
Right = tuple[bool, bool]


def twins(right: Sequence[Right], **changes: Any) -> list[PairDecision]:
    """Twins with each half right or wrong."""
    scores = {True: AHEAD, False: BEHIND}
    return scored_twins([(scores[asked], scores[other]) for asked, other in right], **changes)


def on_slice(board: Leaderboard, row: str, group: str) -> ScorerFigure:
    figures = board.entries[row].figures
    (found,) = (one for one in figures if one.name == "slice_accuracy" and one.group == group)
    return found


def finding(board: Leaderboard, scorer: str, question: str) -> ScorerFinding:
    (found,) = (one for one in board.findings if (one.scorer, one.question) == (scorer, question))
    return found


def findings(board: Leaderboard) -> list[str]:
    """What is said to be found of scorers, as the terminal has it."""
    begins = ("These ", "Shown the question alone, these")
    return [one for one in board_notes(board) if one.startswith(begins)]


# Slices


def test_twins_are_in_one_slice_with_both_halves(tmp_path: Path) -> None:
    """By what word overlap says of the whole twin."""
    overlap = [WHOLE] * 30 + [ASKED] * 20 + [WRONG] * 10
    board = board_with(tmp_path, overlap=twins(overlap), model=twins([ASKED] * 60))
    for group, n, own in (
        ("word overlap right", 60, 1.0), ("word overlap tied", 40, 0.5),
        ("word overlap wrong", 20, 0.0),
    ):  # fmt: skip
        assert on_slice(board, "overlap.profile", group).value == own
        # A scorer that sees no user is at one half of each slice, not of all together alone.
        other = on_slice(board, "model.profile", group)
        assert (other.value, other.n, other.clusters) == (0.5, n, n // 2)
    page = board_page(board).markdown
    assert "| model.profile | word overlap wrong | 50.0 % (" in page


def test_a_scorer_that_follows_words_is_exposed_and_a_reader_is_not(tmp_path: Path) -> None:
    """Both are right on 70 % of halves: one where overlap is, the other wherever."""
    overlap, reader = twins(OVERLAP), twins([(n % 10 < 7, n % 10 < 7) for n in range(60)])
    board = board_with(tmp_path, overlap=overlap, follower=overlap, reader=reader)
    assert board.rankings[0].ranked == ("follower.profile", "overlap.profile", "reader.profile")
    found = finding(board, "follower", "overlap")
    assert (found.value.value, found.found, found.above) == (0, True, False)
    assert not finding(board, "reader", "overlap").found
    for page in (board_page(board), board_page(board, brief=True)):
        html = " ".join(page.html.split())
        assert "follower 0.0 % (0.0 to " in html
        assert "), n = 36 in 18 clusters, where it is right 100.0 % (" in html
        assert "), n = 84 in 42 clusters. They follow the words" in html
        assert "reader 0" not in html
        assert "They read more" not in html


def test_posts_are_before_or_after_a_cutoff_only_where_one_is_given(tmp_path: Path) -> None:
    days = [("2019-01-01", "2023-12-31"), ("2023-01-01", "2024-06-30"),
            ("2024-06-02", "2024-07-01"), ("2024-07-01", "2025-01-01"), (None, None)]  # fmt: skip
    decisions = [
        violate(n, 1.0 if n % 2 else -1.0, first_post=first, last_post=last)
        for n, (first, last) in enumerate(days)
    ]
    known = ScorerRef(name="known", kind="classifier", cutoff="2024-06")
    result(tmp_path, "known", decisions, scorer=known)
    # A result from before the cutoff was known is of the same scorer.
    result(tmp_path, "known", decisions, "none")
    result(tmp_path, "other", decisions)
    board = board_of(tmp_path)
    # The month of the cutoff is before it, to its last day.
    for group, n in (("posts before the cutoff", 2), ("posts before and after", 1),
                     ("posts after the cutoff", 1), ("posts without dates", 1)):  # fmt: skip
        assert on_slice(board, "known.profile", group).n == n
    sliced = {row for row, entry in board.entries.items()
              if any(one.name == "slice_accuracy" for one in entry.figures)}  # fmt: skip
    assert sliced == {"known.profile"}
    assert "Posts before and after a model&#39;s cutoff" in board_page(board).html
    # A twin has the dates of both users.
    halves = list(twin(1, (1.0, 0.0), (1.0, 0.0)))
    for place, day in enumerate(("2023-05-05", "2025-05-05")):
        own = {"first_post": day, "last_post": day}
        halves[place] = halves[place].model_copy(update=own)
    scorer = ScorerRef(name="model", kind="classifier", cutoff="2024")
    board = board_of(result(tmp_path, "model", halves, scorer=scorer))
    assert on_slice(board, "model.profile", "posts before and after").n == 2


def test_domains_have_all_modes_side_by_side(tmp_path: Path) -> None:
    decisions = [
        *twins([(True, True)] * 8, domain="Home", config="Home-twin"),
        *(violate(n, 1.0, domain="Home") for n in range(8)),
        *(violate(n, -1.0, domain="Art") for n in range(10, 14)),
    ]
    page = board_page(board_of(result(tmp_path, "model", decisions))).markdown
    assert "| domain | row | pairs | accuracy | n | clusters |" in page
    assert "| Home | model.profile | twins | 100.0 % (" in page
    assert "| Home | model.profile | pairs of mode violate | 100.0 % (" in page
    assert "| Art | model.profile | pairs of mode violate | 0.0 % (" in page
    assert "| Art | model.profile | twins" not in page


# What the controls find


def test_a_scorer_that_recalls_the_asker_is_found_by_the_question_alone(tmp_path: Path) -> None:
    result(tmp_path, "recalls", twins([ASKED] * 32 + [OTHER] * 8), "none")
    result(tmp_path, "blind", twins([ASKED] * 21 + [OTHER] * 19), "none")
    board = board_of(tmp_path)
    found = finding(board, "recalls", "recall")
    assert (found.value.value, found.value.n, found.found, found.above) == (0.8, 40, True, True)
    assert not finding(board, "blind", "recall").found
    result(tmp_path, "longer", twins([ASKED] * 30 + [OTHER] * 10), "none")
    board = board_of(tmp_path)
    (said,) = findings(board)
    assert "differ from the others in length or manner" in said
    assert "The longer response is right on 75.0 % (59.8 to 85.8), n = 40 in 40 clusters of" in said
    page = " ".join(board_page(board).html.split())
    assert "one half: recalls 80.0 % (65.2 to 89.5), n = 40 in 40 clusters. They recall" in page
    assert "They recall the person" in printed(tmp_path)
    # The other halves are the mirror image, so they say nothing new.
    accuracies = {one.group: one.value for one in board.entries["recalls.none"].figures
                  if one.name == "accuracy"}  # fmt: skip
    assert accuracies["twin, asked"] == 0.8
    assert accuracies["twin, counterfactual"] == pytest.approx(0.2)


def test_who_reads_no_more_than_words_is_not_said_to_read_the_cited_posts(tmp_path: Path) -> None:
    """A follower of words loses them with the cited posts, too, and so does word overlap itself."""
    for name in ("overlap", "words", "reader"):
        result(tmp_path, name, twins([ASKED] * 60), "profile-without-evidence")
    result(tmp_path, "other", twins([WHOLE, ASKED] * 30), "profile-without-evidence")
    overlap, reader, other = twins(OVERLAP), twins([WHOLE] * 60), twins([ASKED, WHOLE] * 30)
    board = board_with(tmp_path, overlap=overlap, words=overlap, reader=reader, other=other)
    found = finding(board, "reader", "evidence")
    assert (found.value.value, found.found, found.condition) == (0.5, True, "profile")
    assert not finding(board, "other", "evidence").found
    said = findings(board)
    (read,) = (one for one in said if "They read these posts" in one)
    (used,) = (one for one in said if "may be no more than shared words" in one)
    assert ": reader 50.0 points" in read
    assert "words 20.0" not in read
    assert ": words 20.0 points" in used
    for one in (read, used):
        assert "Word overlap itself loses 20.0 points (" in one
        assert one.endswith("), n = 120 in 60 clusters.")


@pytest.mark.parametrize(
    ("right", "wrong", "unscored", "meaning"),
    [
        (1.0, 1.0, 0, "They read more than shared words"),
        (1.0, 0.0, 0, "They follow the words"),
        (0.0, 1.0, 0, "They go against the words"),
        # The same reader with its sign turned, and one without half of its scores.
        (0.1, 0.1, 0, "They may be wrong everywhere: see whether the sign of the score is right"),
        (0.9, 0.9, 30, "They read more than shared words"),
        (0.4, 0.8, 0, "they read more than shared words, or go against them, is open"),
        (0.5, 0.0, 0, "see whether the sign of the score is right"),
    ],
)
def test_what_a_test_of_word_overlap_means_depends_on_where_it_is_right(
    tmp_path: Path, right: float, wrong: float, unscored: int, meaning: str
) -> None:
    """30 twins where word overlap is right and 30 where it is wrong."""
    overlap = [WHOLE] * 30 + [WRONG] * 30
    halves = twins([((n % 10) < 10 * (right if n < 30 else wrong),) * 2 for n in range(60)])
    for n in [n for n in range(len(halves)) if n // 2 % 2][: 2 * unscored]:
        halves[n] = without_score(halves[n])
    board = board_with(tmp_path, overlap=twins(overlap), model=halves)
    (said,) = [one for one in findings(board) if "model" in one]
    assert meaning in said
    if (right, wrong) == (0.0, 1.0):
        assert "model 100.0 % (" in said
        assert "where it is right 0.0 % (" in said


def test_every_test_of_the_board_shares_one_level(tmp_path: Path) -> None:
    """Each p alone is .027, and of ten such tests none is found."""
    for n in range(10):
        result(tmp_path, f"model-{n}", twins([ASKED] * 16 + [OTHER] * 5), "none")
    board = board_of(tmp_path)
    assert len(board.findings) == 10
    for one in board.findings:
        assert one.p == pytest.approx(0.0266, abs=1e-3)
        assert one.adjusted == pytest.approx(10 * one.p, rel=1e-4)
        assert not one.found


def test_baselines_have_no_findings(tmp_path: Path) -> None:
    right = twins([ASKED] * 30)
    result(tmp_path, "overlap", right, "none")
    assert board_of(tmp_path).findings == ()


def test_the_p_of_a_board_are_holms() -> None:
    """The least of four p counts four times, the next three times; none is below an earlier one."""
    value = Estimate(value=0.6, low=0.5, high=0.7, n=100, clusters=50)
    findings = [
        ScorerFinding(
            question="recall", scorer=f"model-{p}", condition="none", mode="twin", value=value, p=p
        )
        for p in (0.04, 0.01, 0.02, 0.03)
    ]
    adjusted = [one.adjusted for one in adjust_findings(findings)]
    assert adjusted == pytest.approx([0.06, 0.04, 0.06, 0.06])


# Beside scorers


OTHERS = Estimate(value=0.9, low=0.86, high=0.94, n=300, clusters=60)
NATURAL = {"mode": "natural", "config": "Home-natural"}


def test_an_embedding_is_a_baseline_and_a_missing_one_is_named(tmp_path: Path) -> None:
    right = twins([WHOLE] * 30 + [ASKED] * 60 + [WRONG] * 10)
    board = board_with(tmp_path, overlap=right, model=right)
    (missing,) = [one for one in board_notes(board) if "embedding" in one]
    assert "the extra '.[dense]'" in missing
    assert "--scorers FILE.toml --condition profile --scorer near" in missing
    result(tmp_path, "near", right, scorer=ScorerRef(name="near", kind="embedding"))
    board = board_of(tmp_path)
    assert label(board.entries["near.profile"]) == "near (baseline)"
    assert {one.scorer for one in board.findings} == {"model"}
    assert not any("embedding" in one for one in board_notes(board))


def test_a_judge_is_tested_for_order_with_all_others(tmp_path: Path) -> None:
    leaning = [judged(n, "chosen", "rejected" if n < 13 else "chosen") for n in range(40)]
    board = board_with(tmp_path, **{f"judge-{n}": leaning for n in range(8)})
    assert all(one.p < 0.001 for one in board.findings)
    assert {one.question for one in board.findings} == {"order"}
    assert all(one.adjusted == pytest.approx(8 * one.p, rel=1e-3) for one in board.findings)


def test_a_cutoff_is_a_year_a_month_or_a_day() -> None:
    for cutoff in ("2024", "2024-06", "2024-06-30"):
        assert EmbeddingScorer(kind="embedding", model="m", cutoff=cutoff).cutoff == cutoff
    for cutoff in ("June 2024", "2024-13", "2024-6", "24-06", "2024-06-31", ""):
        with pytest.raises(ValidationError, match="is not a year, a month or a day"):
            EmbeddingScorer(kind="embedding", model="m", cutoff=cutoff)


def test_of_natural_twins_the_choices_of_others_are_a_row_without_a_rank(tmp_path: Path) -> None:
    known = RELEASE.model_copy(update={"neighbours": OTHERS})
    halves = twins([(True, n < 25) for n in range(50)], **NATURAL)
    for condition in ("profile", "none"):
        result(tmp_path, "model", halves, condition, release=known)
    out = run(tmp_path).said
    # Once, below those that read the posts.
    (row,) = (line for line in out.splitlines() if "the choices of others (not ranked)" in line)
    assert "90.0 % (86.0 to 94.0)" in row
    assert "Here that is 90.0 % (86.0 to 94.0), n = 300 in 60 clusters." in " ".join(out.split())
    assert "can be defended and give other figures" in " ".join(out.split())
    page = board_page(board_of(tmp_path)).markdown
    assert "| the choices of others (not ranked) |" in page
    assert "of the way" not in page
    # Both users chose, and neither asked: there is no asked half to recall.
    assert {one.question for one in board_of(tmp_path).findings} <= {"overlap", "order"}


@pytest.mark.parametrize(
    ("release", "changes", "about"),
    [
        ({}, NATURAL, {}),
        ({"neighbours": OTHERS}, {}, {}),
        ({"neighbours": OTHERS}, NATURAL, {"limit": 20}),
    ],
    ids=["no such data", "generated twins", "a part of the release's pairs"],
)
def test_otherwise_no_row_is_of_others(
    tmp_path: Path, release: dict[str, Any], changes: dict[str, Any], about: dict[str, Any]
) -> None:
    halves = twins([(True, n < 10) for n in range(20)], **changes)
    result(tmp_path, "model", halves, release=RELEASE.model_copy(update=release), **about)
    assert "choices of others" not in run(tmp_path).said

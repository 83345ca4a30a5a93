"""The leaderboard: what is ranked, what it is compared with, and what is refused."""

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import ttest_1samp

from decided import (
    AHEAD,
    BEHIND,
    Half,
    Line,
    board_of,
    board_with,
    ends,
    judged,
    placebo,
    result,
    right_on,
    twins,
    violate,
)
from hostile import HOSTILE
from pairwright.cli.evaluation import print_leaderboard
from pairwright.errors import InputError
from pairwright.evaluation.benchmark import BenchmarkRef
from pairwright.evaluation.conditions import ConditionName, ScorerHistory
from pairwright.evaluation.evaluate import evaluate, leaderboard
from pairwright.evaluation.leaderboard import Leaderboard
from pairwright.evaluation.leaderboard_page import board_page, readings
from pairwright.evaluation.scorers.scorer import Choice, ScorerRef
from study import pairwright

Outcome = tuple[Half, Half]
RIGHT: Outcome = (AHEAD, AHEAD)
SAME: Outcome = (AHEAD, BEHIND)
TURNED: Outcome = (BEHIND, BEHIND)
SHORT: Outcome = (AHEAD, (None, 0.0))


def markdown(board: Leaderboard) -> str:
    return board_page(board).markdown


# The ranking


def test_rows_are_ranked_by_accuracy_and_compared_with_the_row_above(tmp_path: Path) -> None:
    board = board_with(tmp_path, best=right_on(38), good=right_on(36), poor=right_on(12))
    (ranking,) = board.rankings
    assert ranking.ranked == ("best.profile", "good.profile", "poor.profile")
    assert list(ranking.with_above) == ["good.profile", "poor.profile"]
    step = ranking.with_above["poor.profile"]
    differences = [0.0] * 12 + [1.0] * 24 + [0.0] * 4
    known = ttest_1samp(differences, 0)
    interval = known.confidence_interval()
    assert step.value == 0.6
    assert ends(step) == pytest.approx((interval.low, interval.high), abs=1e-6)
    # Holm: the smaller of two p counts twice.
    assert step.p == pytest.approx(2 * known.pvalue, rel=1e-5)
    even = ranking.with_above["good.profile"]
    assert even.p == pytest.approx(ttest_1samp([0.0] * 38 + [1.0] * 2, 0).pvalue, rel=1e-5)
    low, high = (100 * end for end in ends(step))
    row = f"| poor.profile | good.profile | +60.0 ({low:+.1f} to {high:+.1f}) | 40 |"
    assert row in markdown(board)


@pytest.mark.parametrize(
    ("wins", "n", "said"),
    [
        ((30, 30), 40, "It cannot be distinguished from the next row, b."),
        ((40, 0), 40, "+100.0 points ahead of the next row in every cluster."),
        ((4, 1), 4, "100.0 % (no interval: fewer than 5 clusters)"),
    ],
    ids=["the same", "a constant lead", "few clusters"],
)
def test_rows_whose_clusters_do_not_differ_have_no_interval_and_no_p(
    tmp_path: Path, wins: tuple[int, int], n: int, said: str
) -> None:
    board = board_with(tmp_path, a=right_on(wins[0], n), b=right_on(wins[1], n))
    step = board.rankings[0].with_above["b.profile"]
    assert (step.low, step.p) == (None, None)
    assert said in board_page(board).opening[0]


def test_scores_by_two_rules_of_history_or_two_versions_are_not_compared(tmp_path: Path) -> None:
    for name, posts in (("a", 1), ("b", 3)):
        result(tmp_path / "rules", name, right_on(20), history=ScorerHistory(posts=posts))
    result(tmp_path / "rules", "file", right_on(20))  # Without rules: a file has its scores.
    with pytest.raises(InputError, match="by another \\[history\\]"):
        board_of(tmp_path / "rules")
    versions: dict[ConditionName, str] = {"none": "b2:1", "profile": "b2:2"}
    for condition, settings in versions.items():
        version = ScorerRef(name="a", kind="python", settings=settings)
        result(tmp_path / "versions", "a", right_on(20), condition, scorer=version)
    with pytest.raises(InputError, match="the scorer a has changed since"):
        board_of(tmp_path / "versions")


def test_judges_are_a_panel_with_a_majority(tmp_path: Path) -> None:
    """Ten are decided by one judge, ten by both, and on twenty they contradict each other."""
    silent = [violate(n, None) for n in range(10)] + right_on(40)[10:]
    for name, lines in {"a": right_on(20), "b": silent}.items():
        result(tmp_path, name, lines, scorer=ScorerRef(name=name, kind="pointwise"))
    result(tmp_path, "model", right_on(40))
    board = board_of(tmp_path)
    told = {one.judge: (one.value, one.n) for one in board.panel}
    assert told == {"": (0.75, 40), "a": (0.5, 40), "b": (pytest.approx(1 / 3, abs=1e-6), 30)}
    assert "| violate pairs | profile | majority | 75.0 % (" in markdown(board)


SHORT_OF = [*right_on(37, 37), *(violate(n, None) for n in range(37, 40))]


@pytest.mark.parametrize(
    ("condition", "decisions", "why"),
    [
        pytest.param("rubric", right_on(30), "answer key", id="oracle"),
        pytest.param("wrong-profile", right_on(30), "control", id="wrong-profile"),
        pytest.param("profile", SHORT_OF, "92.5%", id="short"),
        pytest.param("profile", [violate(n, None) for n in range(40)], "no pair has a score",
                     id="unscored"),
    ],
)  # fmt: skip
def test_what_is_no_competitor_is_shown_and_not_ranked(
    tmp_path: Path, condition: ConditionName, decisions: Any, why: str
) -> None:
    result(tmp_path, "other", decisions, condition)
    result(tmp_path, "plain", right_on(20), condition)
    board = board_of(tmp_path)
    (ranking,) = board.rankings
    assert why in ranking.unranked[f"other.{condition}"]
    assert "| other, not ranked |" in markdown(board)


def test_a_profile_has_its_gains_where_the_controls_were_evaluated(tmp_path: Path) -> None:
    shown: tuple[ConditionName, ...] = ("none", "wrong-profile", "profile")
    for condition, wins in zip(shown, (20, 25, 30), strict=True):
        result(tmp_path, "a", right_on(wins), condition)
    board = board_of(tmp_path)
    gained = {one.name: one.value for one in board.entries["a.profile"].figures}
    assert (gained["gain over none"], gained["gain over wrong-profile"]) == (0.25, 0.125)
    rows = [one for one in markdown(board).splitlines() if one.startswith("| a | violate pairs |")]
    assert rows[0].startswith("| a | violate pairs | none | +25.0 (")
    assert [row.endswith("| differs |") for row in rows] == [True, True]


# Flips


def decided(of_twins: list[Outcome], of_placebos: list[Outcome]) -> list[Line]:
    placebos = [placebo(20 + n, *outcome) for n, outcome in enumerate(of_placebos)]
    return [*twins(of_twins), *itertools.chain(*placebos)]


def test_twins_with_placebos_are_ranked_by_net_right_flips(tmp_path: Path, composed: None) -> None:
    """A reader, word overlap that is right as often and flips, a blind scorer, one that left out
    too many placebos, and one that is missing a twin."""
    board = board_with(
        tmp_path,
        reader=decided([RIGHT] * 36 + [SAME] * 4, [SAME] * 29 + [RIGHT]),
        overlap=decided([RIGHT] * 36 + [SAME] * 4, [RIGHT, TURNED, SAME] * 10),
        longer=decided([SAME] * 40, [SAME] * 30),
        partial=decided([RIGHT] * 40, [SAME] * 27 + [SHORT] * 3),
        missing=decided([RIGHT] * 30 + [SAME] * 9 + [SHORT], [SAME] * 30),
    )
    (ranking,) = board.rankings
    assert (ranking.mode, ranking.ranked_by) == ("twin", "net_right_flips")
    rows = ("reader.profile", "missing.profile", "overlap.profile", "longer.profile")
    assert ranking.ranked == rows
    assert ranking.unranked == {"partial.profile": "only 90.0% of the placebos are scored"}
    # By accuracy word overlap is as good as the reader.
    assert [board.entries[name].value("accuracy", "twin") for name in rows] == [
        0.95, 0.875, 0.95, 0.5
    ]  # fmt: skip
    assert "partial" not in {scorer for scorer, *_ in readings(board)}
    # On the 39 twins that both have whole, and all placebos.
    assert ranking.with_above["missing.profile"].n == 69
    page = board_page(board)
    heads = "| scorer | corrected twin accuracy | twin accuracy | flips on placebos |"
    assert heads in page.markdown
    assert "reader has the highest corrected twin accuracy, +88.3" in page.opening[0]
    assert Leaderboard.model_validate_json(board.model_dump_json()) == board


UNSCORED: Outcome = ((None, 0.0), (None, 0.0))


def test_a_row_without_a_corrected_accuracy_is_shown_and_not_ranked(tmp_path: Path) -> None:
    short, bare = [SAME] * 27 + [SHORT] * 3, [UNSCORED] * 30
    result(tmp_path, "zeta", decided([RIGHT] * 40, short), "none")
    board = board_with(
        tmp_path,
        reader=decided([RIGHT] * 40, [SAME] * 30),
        zeta=decided([RIGHT] * 40, short),
        bare=decided([RIGHT] * 40, bare),
    )
    assert board.rankings[0].ranked == ("reader.profile",)
    assert {scorer for scorer, *_ in readings(board)} == {"reader"}
    # By condition and best first; rows with one reason are in one line.
    told = [row for row in markdown(board).splitlines() if row.startswith("Not ranked")]
    assert told == [
        "Not ranked: zeta.profile, zeta.none (only 90.0% of the placebos are scored).",
        "Not ranked: bare.profile (no placebo or no twin is scored in full).",
    ]


@pytest.mark.parametrize(("placebos", "told"), [(19, True), (20, False)])
def test_with_fewer_than_20_placebos_nothing_is_concluded(
    tmp_path: Path, placebos: int, *, told: bool
) -> None:
    board = board_with(tmp_path, reader=decided([RIGHT] * 20, [SAME] * placebos))
    said = board_page(board).opening[0]
    assert ("needs 20 placebos. Here are only 19" in said) is told


# Who built the release

BUILDERS = {
    "generator": ("meta-llama/Llama-3.1-70B-Instruct", "Qwen/Qwen2.5-72B-Instruct"),
    "judge": ("maker/judge-x",),
}


@pytest.mark.parametrize(
    ("model", "mark"),
    [
        ("Skywork/Skywork-Reward-Llama-3.1-8B-v0.2", ""),
        ("/models/qwen2.5-72b-instruct/", "the build's generator"),
    ],
)
def test_a_scorer_of_a_builders_model_is_marked_and_ranked(
    tmp_path: Path, model: str, mark: str
) -> None:
    scorer = ScorerRef(name="rm", kind="classifier", model=model)
    board = board_of(result(tmp_path, "rm", right_on(25), scorer=scorer), builders=BUILDERS)
    assert (board.entries["rm.profile"].mark, board.rankings[0].ranked) == (mark, ("rm.profile",))
    assert (f"| rm ({mark}) |" if mark else "| rm |") in markdown(board)


# What is refused


def changed(name: str, value: object) -> Callable[[Path], None]:
    """The second result with one value of its summary changed."""
    first, _, rest = name.partition(".")

    def write(folder: Path) -> None:
        path = folder / "b.profile.json"
        about = json.loads(path.read_text())
        about[first] = about[first] | {rest: value} if rest else value
        path.write_text(json.dumps(about))

    return write


def line(number: int, **changes: object) -> Callable[[Path], None]:
    """The second result with one line changed."""

    def write(folder: Path) -> None:
        path = folder / "b.profile.jsonl"
        lines = path.read_text().splitlines()
        lines[number] = json.dumps(json.loads(lines[number]) | changes)
        path.write_text("\n".join(lines) + "\n")

    return write


def other(*lines: Line) -> Callable[[Path], object]:
    """The second result with other lines."""
    return lambda folder: result(folder, "b", lines)


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "digest": (changed("benchmark.digest", "b2:11"), "b2:11"),
    "twice": (changed("scorer.name", "a"), "in condition profile is in"),
    "fewer pairs": (other(*right_on(20, 39)), "the pair pair-39 counts"),
    "not shown": (
        other(*right_on(30, 39), violate(39, None, unscored="no_profile")),
        "the pair pair-39 counts",
    ),
    "unknown key": (changed("benchmark.people", []), "benchmark.people"),
    "not of these pairs": (line(3, pair="pair-99"), "pair-99 is there twice, or is not one of"),
    "no lines": (
        lambda of: (of / "b.profile.jsonl").unlink(),
        "b.profile.jsonl: No such file",
    ),
    "a pair twice": (line(3, pair="pair-4"), "b.profile.jsonl: the pair pair-4 is there twice"),
    "NaN": (line(3, chosen=float("nan")), ".jsonl:4 [chosen]"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_results_that_cannot_stand_together_are_refused_by_name(tmp_path: Path, case: str) -> None:
    result(tmp_path, "a", right_on(30))
    result(tmp_path, "b", right_on(20))
    spoil, what = REFUSED[case]
    spoil(tmp_path)
    with pytest.raises(InputError) as error:
        board_of(tmp_path)
    assert what in str(error.value)
    assert "b.profile.json" in error.value.where
    assert error.value.fix


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no scores"):
        board_of(tmp_path)
    with pytest.raises(InputError, match="no such file or folder"):
        board_of(tmp_path / "absent")
    with pytest.raises(InputError, match="no pair is in any"):
        board_with(tmp_path, a=[])


# What is shown


@pytest.mark.usefixtures("composed")
def test_the_command_prints_the_table_and_writes_all_reports(
    small_release: Path, tmp_path: Path
) -> None:
    folder, out, pairs = tmp_path / "results", tmp_path / "board", tmp_path / "pairs"
    shutil.copytree(small_release, pairs)
    evaluate(pairs, None, folder, names=["longer", "overlap"], conditions=["profile"], limit=6)
    done = pairwright("leaderboard", folder, "--out", out)
    assert done.code == 0, done.said
    board = leaderboard([folder])
    assert Leaderboard.model_validate_json((out / "leaderboard.json").read_text()) == board
    told, html = (out / "leaderboard.md").read_text(), (out / "leaderboard.html").read_text()
    accuracy = board.entries["overlap.profile"].figure("accuracy", "twin")
    assert accuracy
    assert f"| overlap (baseline) | {accuracy.percent(1)} |" in told
    assert accuracy.percent(1) in done.said
    assert f"n = {accuracy.n} pairs" in told
    assert (html.count("<svg"), "<script" in html) == (1, False)
    # The pairs are found from the results, or named where they are now.
    moved = pairs.rename(tmp_path / "moved")
    done = pairwright("leaderboard", folder)
    assert (done.code, "--pairs PATH" in done.said) == (2, True)
    assert leaderboard([folder], pairs=moved) == board


def test_the_same_results_give_the_same_record_in_any_order_and_number(tmp_path: Path) -> None:
    paths = [result(tmp_path, name, right_on(n)) for name, n in (("a", 30), ("b", 30), ("c", 9))]
    one, other = board_of(*paths), board_of(*reversed(paths))
    assert one.model_dump_json() == other.model_dump_json()
    # A file that is named twice counts once.
    assert board_of(tmp_path, paths[0], tmp_path / "." / paths[0].name) == one


def test_hostile_names_are_shown_as_they_are_and_do_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Files hold no halves of surrogate pairs.
    nasty = [text.encode("utf-8", "replace").decode() for text in HOSTILE] + ["\x1b[2JKEPT"]
    decisions = [violate(n, 1.0, domain=text) for n, text in enumerate(nasty)]
    release = BenchmarkRef(name="\x1b[2J<script>KEPT", digest="b2:00")
    for name in ("a", "b"):
        kind, model, revision, settings = (" ".join(nasty[n::4]) for n in range(4))
        scorer = ScorerRef(name=name, kind=kind, model=model, revision=revision, settings=settings)
        result(tmp_path, name, decisions, scorer=scorer, benchmark=release)
    board = board_of(tmp_path, ref=release)
    page = board_page(board)
    print_leaderboard(board)
    said = capsys.readouterr().out
    assert page.html.count("KEPT") > 2 * len(nasty)
    for text in nasty:
        assert "<" not in text or text not in page.html
    assert "<script" not in page.html
    assert "<h2>Does a scorer read the user?</h2>" in page.html
    for told in (page.html, page.markdown, said):
        assert "\x1b" not in told


def test_pairs_with_one_verdict_are_counted_by_it(tmp_path: Path) -> None:
    lines = [judged(n, "chosen", "chosen" if n else "rejected") for n in range(36)]
    alone: list[Choice] = ["tie", "tie", "rejected"]
    lines += [judged(n, one, None, unscored="cut_short") for n, one in enumerate(alone, 36)]
    lines.append(judged(39, None, None, unscored="unparseable"))
    board = board_with(tmp_path, judge=lines, model=right_on(30))
    (entry, other) = board.entries.values()
    assert entry.verdicts == {"chosen": (0, 71), "rejected": (1, 1), "tie": (2, 0)}
    assert entry.unscored == {"cut_short": 3, "unparseable": 1}
    assert entry.value("swap_consistency", "violate") == pytest.approx(35 / 36, abs=1e-6)
    assert not other.verdicts
    page = markdown(board)
    assert "judge.profile: one order of some pairs has no verdict." in page
    assert (
        "other order: chosen 0, rejected 1, tie 2. Verdicts of pairs with both: chosen 71," in page
    )

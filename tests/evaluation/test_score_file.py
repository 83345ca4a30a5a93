"""A file of scores that were computed elsewhere: what is taken in, counted and refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from pairwright.errors import InputError
from pairwright.evaluation.benchmark import Benchmark
from pairwright.evaluation.scorers.score_file import ScoreFile
from pairwright.evaluation.scorers.scorer import ResponseScore, Unscored
from pairwright.evaluation.scores import read_scores
from study import Done, pairwright

HEAD = "pair,condition,chosen,rejected"
GOOD = "p1,none,0.5,-2\n"
IDS = Path("ids.jsonl")


def csv(folder: Path, text: str, head: str = HEAD) -> Path:
    path = folder / "scores.csv"
    path.write_text(f"{head}\n{text}", encoding="utf-8")
    return path


def jsonl(folder: Path, *lines: object) -> Path:
    path = folder / "scores.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def line(chosen: object, **changes: object) -> dict[str, object]:
    return {"pair": "p1", "condition": "none", "chosen": chosen, "rejected": -2} | changes


def test_what_is_missing_is_named_and_never_a_zero(tmp_path: Path) -> None:
    file = ScoreFile(csv(tmp_path, f"{GOOD}p2,none,1,\np3,none,,1\n"))
    assert file.scores("p2", "none") == Unscored("no_score", "empty in line 3")
    assert file.scores("p3", "none") == Unscored("no_score", "empty in line 4")
    assert file.scores("p1", "rubric") == file.scores("p4", "none") == Unscored("not_in_file")
    of_json = ScoreFile(jsonl(tmp_path, line(None)))
    assert of_json.scores("p1", "none") == Unscored("no_score", "empty in line 1")
    # Both forms give the same.
    expected = (ResponseScore(0.5), ResponseScore(-2.0))
    assert ScoreFile(csv(tmp_path, GOOD)).scores("p1", "none") == expected
    assert ScoreFile(jsonl(tmp_path, line(0.5, note="x"))).scores("p1", "none") == expected


WRONG: list[tuple[object, str, str]] = [
    ("p1,none,NaN,1", "2 [chosen]", "'NaN' is not a finite number"),
    ("p1,none,1,inf", "2 [rejected]", "'inf' is not a finite number"),
    ("p1,none,high,1", "2 [chosen]", "'high' is not a finite number"),
    ("p1,none,1_0,1", "2 [chosen]", "'1_0' is not a finite number"),
    ("p1,blind,1,1", "2 [condition]", "'blind' is not one of profile, none"),
    ("p1,wrong-profile,1,1", "2 [condition]", "'wrong-profile' is not one of"),
    (",none,1,1", "2 [pair]", "is not an id"),
    ("p1,none,1", "2", "3 cells in 4 columns"),
    (f"{GOOD}p1,none,0.5,1", "3", "already, in line 2"),
    (line("0.5"), "1 [chosen]", "'0.5' is not a finite number"),
    (line(True), "1 [chosen]", "'True' is not a finite number"),
    (line(float("nan")), "1 [chosen]", "'nan' is not a finite number"),
    (line([1]), "1 [chosen]", "is not a finite number"),
    (line(10**400), "1 [chosen]", "is not a finite number"),
    (line(1, pair=7), "1 [pair]", "'7' is not an id"),
    (line(1, condition=["none"]), "1 [condition]", "is not one of profile"),
    ({"pair": "p1", "condition": "none", "chosen": 1}, "1", "has no rejected"),
    ([1], "1", "not an object"),
]
"""Lines of CSV, and of JSON Lines."""


@pytest.mark.parametrize(("given", "at", "message"), WRONG, ids=str)
def test_a_wrong_line_is_refused_with_its_place(
    tmp_path: Path, given: Any, at: str, message: str
) -> None:
    path = csv(tmp_path, given) if isinstance(given, str) else jsonl(tmp_path, given)
    with pytest.raises(InputError) as caught:
        ScoreFile(path)
    assert caught.value.where == f"{path}:{at}"
    assert message in caught.value.what


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    for name, told in (("not.csv", "No such file"), ("scores.xlsx", "neither .csv nor .jsonl")):
        with pytest.raises(InputError, match=told):
            ScoreFile(tmp_path / name)
    other = "pair,condition,chosen,value"
    for text, head, told in (("", HEAD, "holds no scores"), (GOOD, other, "has no rejected")):
        with pytest.raises(InputError, match=told):
            ScoreFile(csv(tmp_path, text, head))


def test_pairs_that_are_not_there_and_conditions_without_a_score_are_refused(
    tmp_path: Path,
) -> None:
    file = ScoreFile(csv(tmp_path, GOOD))
    file.check({"p1"}, ("none",), IDS)
    assert file.check({"p1"}, ("none", "profile"), IDS) == ["none"]
    with pytest.raises(InputError, match="no scores of condition profile") as caught:
        file.check({"p1"}, ("profile",), IDS)
    assert "--condition none" in caught.value.fix
    with pytest.raises(InputError) as caught:
        file.check({"p1"}, ("wrong-profile",), IDS)
    assert "'python'" in caught.value.fix
    path = csv(tmp_path, f"{GOOD}px,none,1,1\npy,none,1,1\n")
    with pytest.raises(InputError, match="no pair 'px', nor 1 other") as caught:
        ScoreFile(path).check({"p1"}, ("none",), IDS)
    assert caught.value.where == f"{path}:3"


# --- through the whole command ---


def evaluated(folder: Path, release: Path, lines: list[str], *more: str) -> Done:
    scorers = folder / "scorers.toml"
    scorers.write_text('[scorers.theirs]\nkind = "scores"\npath = "scores.csv"\n', "utf-8")
    csv(folder, "\n".join(lines))
    return pairwright(
        "evaluate", release, "--out", folder / "results", "--scorers", scorers,
        "--scorer", "theirs", "--condition", "profile", *more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def lines(small_release: Path) -> list[str]:
    """The chosen response is ahead in every pair but each third, which is a tie."""
    rows = enumerate(Benchmark(small_release).rows())
    return [f"{row.id},profile,{1 if n % 3 else 0},0" for n, row in rows]


def test_results_of_a_file_are_results_as_any_others(
    small_release: Path, lines: list[str], tmp_path: Path
) -> None:
    done = evaluated(tmp_path, small_release, lines)
    assert done.code == 0, done.said
    (table,) = read_scores([tmp_path / "results"])
    assert table.about.scorer.kind == "scores"
    assert [one.chosen for one in table.scores] == [1.0 if n % 3 else 0.0 for n in range(24)]
    assert pairwright("leaderboard", tmp_path / "results").code == 0
    # A table of ours is such a file.
    again = f"scores:{tmp_path / 'results' / 'theirs.profile.jsonl'}"
    done = pairwright(
        "evaluate", small_release, "--out", tmp_path / "again", "--scorer", again,
        "--condition", "profile",
    )  # fmt: skip
    assert done.code == 0, done.said
    (ours,) = read_scores([tmp_path / "again"])
    assert [one.chosen for one in ours.scores] == [one.chosen for one in table.scores]


@pytest.mark.parametrize("more", [[], ["--split", "test"], ["--limit", "2"]], ids=str)
def test_a_strange_pair_ends_the_command_before_anything_is_scored(
    small_release: Path, lines: list[str], tmp_path: Path, more: list[str]
) -> None:
    done = evaluated(tmp_path, small_release, [*lines, "px,profile,1,0"], *more)
    assert done.code == 2
    assert "no pair 'px'" in done.err
    assert not list((tmp_path / "results").glob("*.*.json"))

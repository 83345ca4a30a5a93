"""A file of scores that were computed elsewhere: what is taken in, counted and refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from pairwright.assets import DOCS
from pairwright.errors import ConfigError, InputError
from pairwright.evaluation.release import Release
from pairwright.evaluation.scorers.score_file import ScoreFile
from pairwright.evaluation.scorers.scorer import ResponseScore, Unscored
from pairwright.workflows.scorers import pointwise
from study import Done, pairwright

HEAD = "pair,condition,response,score"
GOOD = "p1,none,chosen,0.5\np1,none,rejected,-2\n"


def csv(folder: Path, text: str, head: str = HEAD) -> Path:
    path = folder / "scores.csv"
    path.write_text(f"{head}\n{text}", encoding="utf-8")
    return path


def jsonl(folder: Path, *lines: object) -> Path:
    path = folder / "scores.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def line(score: object, side: str = "chosen", **changes: object) -> dict[str, object]:
    return {"pair": "p1", "condition": "none", "response": side, "score": score} | changes


def test_what_is_missing_is_named_and_never_a_zero(tmp_path: Path) -> None:
    text = f"{GOOD}p2,none,chosen,1\np3,none,chosen,\np3,none,rejected,1\n"
    file = ScoreFile(csv(tmp_path, text))
    assert file.scores("p2", "none") == Unscored("not_in_file", "no line for rejected")
    assert file.scores("p1", "rubric") == Unscored("not_in_file", "no line for chosen and rejected")
    assert file.scores("p3", "none") == Unscored("no_score", "empty in line 5")
    assert ScoreFile(jsonl(tmp_path, line(None), line(1, "rejected"))).scores(
        "p1", "none"
    ) == Unscored("no_score", "empty in line 1")
    # Both forms give the same.
    expected = (ResponseScore(0.5), ResponseScore(-2.0))
    assert ScoreFile(csv(tmp_path, GOOD)).scores("p1", "none") == expected
    path = jsonl(tmp_path, line(0.5, note="x"), line(-2, "rejected"))
    assert ScoreFile(path).scores("p1", "none") == expected


WRONG: list[tuple[object, str, str]] = [
    ("p1,none,chosen,NaN", "2 [score]", "'NaN' is not a finite number"),
    ("p1,none,chosen,inf", "2 [score]", "'inf' is not a finite number"),
    ("p1,none,chosen,high", "2 [score]", "'high' is not a number"),
    ("p1,none,chosen,1_0", "2 [score]", "'1_0' is not a number"),
    ("p1,none,first,1", "2 [response]", "'first' is not one of chosen, rejected"),
    ("p1,blind,chosen,1", "2 [condition]", "'blind' is not one of none, profile,"),
    ("p1,wrong-profile,chosen,1", "2 [condition]", "'wrong-profile' is not one of"),
    (",none,chosen,1", "2 [pair]", "is not an id"),
    ("p1,none,chosen", "2", "3 cells in 4 columns"),
    (f"{GOOD}p1,none,chosen,0.5", "4", "already, in line 2"),
    (line("0.5"), "1 [score]", "'0.5' is not a number"),
    (line(True), "1 [score]", "'True' is not a number"),
    (line(float("nan")), "1 [score]", "'nan' is not a finite number"),
    (line([1]), "1 [score]", "is not a number"),
    (line(10**400), "1 [score]", "is not a number"),
    (line(1, pair=7), "1 [pair]", "'7' is not an id"),
    (line(1, condition=["none"]), "1 [condition]", "is not one of none"),
    ({"pair": "p1", "condition": "none", "score": 1}, "1", "has no response"),
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
    without_score = "pair,condition,response,value"
    for text, head, told in (("", HEAD, "holds no scores"), (GOOD, without_score, "has no score")):
        with pytest.raises(InputError, match=told):
            ScoreFile(csv(tmp_path, text, head))


def test_pairs_that_are_not_there_and_conditions_without_a_score_are_refused(
    tmp_path: Path,
) -> None:
    file = ScoreFile(csv(tmp_path, GOOD))
    file.check({"p1"}, ("none",))
    with pytest.raises(InputError, match="no scores of condition profile") as caught:
        file.check({"p1"}, ("none", "profile"))
    assert "--condition none" in caught.value.fix
    with pytest.raises(InputError) as caught:
        file.check({"p1"}, ("wrong-profile",))
    assert "'python'" in caught.value.fix
    path = csv(tmp_path, f"{GOOD}px,none,chosen,1\npy,none,chosen,1\n")
    with pytest.raises(InputError, match="no pair 'px', nor 1 other") as caught:
        ScoreFile(path).check({"p1"}, ("none",))
    assert caught.value.where == f"{path}:4"


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
    rows = enumerate(Release(small_release).rows())
    pairs = [(row.id, 1 if n % 3 else 0) for n, row in rows]
    return [
        f"{pair},profile,{side},{score if side == 'chosen' else 0}"
        for pair, score in pairs
        for side in ("chosen", "rejected")
    ]


def test_results_of_a_file_are_results_as_any_others(
    small_release: Path, lines: list[str], tmp_path: Path
) -> None:
    done = evaluated(tmp_path, small_release, lines)
    assert done.code == 0, done.said
    about = json.loads((tmp_path / "results" / "theirs.profile.json").read_bytes())
    assert (about["pairs"], about["scored"], about["ties"]) == (24, 24, 8)
    assert about["scorer"]["kind"] == "scores"
    assert pairwright("leaderboard", tmp_path / "results").code == 0


def test_pairs_that_the_file_leaves_out_count_against_the_coverage(
    small_release: Path, lines: list[str], tmp_path: Path
) -> None:
    done = evaluated(tmp_path, small_release, lines[4:])
    assert done.code == 1
    assert "(2 not_in_file)" in done.said
    assert f"What each reason means: {DOCS / 'evaluate.md'}" in done.said
    about = json.loads((tmp_path / "results" / "theirs.profile.json").read_bytes())
    assert about["unscored"] == {"not_in_file": 2}


@pytest.mark.parametrize("more", [[], ["--split", "test"], ["--limit", "2"]], ids=str)
def test_a_strange_pair_ends_the_command_before_anything_is_scored(
    small_release: Path, lines: list[str], tmp_path: Path, more: list[str]
) -> None:
    done = evaluated(tmp_path, small_release, [*lines, "px,profile,chosen,1"], *more)
    assert done.code == 2
    assert "no pair 'px'" in done.err
    assert not list((tmp_path / "results").glob("*.*.json"))


def test_other_commands_say_that_a_file_has_no_scores_of_their_responses(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a file of scores of a release's pairs"):
        pointwise("theirs", ScoreFile(csv(tmp_path, GOOD)))

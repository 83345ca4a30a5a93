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
from study import pairwright

HEAD = "pair,condition,chosen,rejected"
GOOD = "p1,none,0.5,-2\n"
IDS = Path("ids.jsonl")


def written(folder: Path, given: object, head: str = HEAD) -> Path:
    """Lines of CSV, or one of JSON Lines."""
    if isinstance(given, str):
        path, text = folder / "scores.csv", f"{head}\n{given}"
    else:
        path, text = folder / "scores.jsonl", f"{json.dumps(given)}\n"
    path.write_text(text, encoding="utf-8")
    return path


def line(chosen: object, **changes: object) -> dict[str, object]:
    return {"pair": "p1", "condition": "none", "chosen": chosen, "rejected": -2} | changes


def test_what_is_missing_is_named_and_never_a_zero(tmp_path: Path) -> None:
    file = ScoreFile(written(tmp_path, f"{GOOD}p2,none,1,\np3,none,,1\n"))
    assert file.scores("p2", "none")[1] == Unscored("no_score", "empty in line 3")
    assert file.scores("p3", "none")[0] == Unscored("no_score", "empty in line 4")
    assert file.scores("p1", "rubric") == file.scores("p4", "none") == [Unscored("not_in_file")]
    of_json = ScoreFile(written(tmp_path, line(None)))
    assert of_json.scores("p1", "none")[0] == Unscored("no_score", "empty in line 1")
    # Both forms give the same.
    for given in (GOOD, line(0.5, note="x")):
        found = ScoreFile(written(tmp_path, given)).scores("p1", "none")
        assert found == [ResponseScore(0.5), ResponseScore(-2.0)]


@pytest.mark.parametrize(
    ("given", "at", "message"),
    [
        ("p1,none,NaN,1", "2 [chosen]", "'NaN' is not a finite number"),
        ("p1,none,1,inf", "2 [rejected]", "'inf' is not a finite number"),
        ("p1,none,1,high", "2 [rejected]", "'high' is not a finite number"),
        ("p1,none,1_0,1", "2 [chosen]", "'1_0' is not a finite number"),
        ("p1,blind,1,1", "2 [condition]", "'blind' is not one of profile, none"),
        ("p1,wrong-profile,1,1", "2 [condition]", "'wrong-profile' is not one of"),
        (",none,1,1", "2 [pair]", "is not an id"),
        ("p1,none,1", "2", "3 cells in 4 columns"),
        (f"{GOOD}p1,none,0.5,1", "3", "already, in line 2"),
        (line("0.5"), "1 [chosen]", "'0.5' is not a finite number"),
        (line(True), "1 [chosen]", "'True' is not a finite number"),
        (line([1]), "1 [chosen]", "is not a finite number"),
        (line(10**400), "1 [chosen]", "is not a finite number"),
        (line(1, pair=7), "1 [pair]", "'7' is not an id"),
        ({"pair": "p1", "condition": "none", "chosen": 1}, "1", "has no rejected"),
        ([1], "1", "not an object"),
    ],
    ids=str,
)
def test_a_wrong_line_is_refused_with_its_place(
    tmp_path: Path, given: Any, at: str, message: str
) -> None:
    path = written(tmp_path, given)
    with pytest.raises(InputError) as caught:
        ScoreFile(path)
    assert caught.value.where == f"{path}:{at}"
    assert message in caught.value.what


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    for name, told in (("not.csv", "No such file"), ("scores.xlsx", "neither .csv nor .jsonl")):
        with pytest.raises(InputError, match=told):
            ScoreFile(tmp_path / name)
    other = "pair,condition,chosen,value"
    none = "the header has no rejected; it has pair, condition, chosen, value"
    for text, head, told in (("", HEAD, "holds no scores"), (GOOD, other, none)):
        with pytest.raises(InputError, match=told):
            ScoreFile(written(tmp_path, text, head))


@pytest.mark.parametrize(
    ("more", "condition", "what", "fix"),
    [
        ("", "profile", "no scores of condition profile", "--condition none"),
        ("", "wrong-profile", "no scores of condition wrong-profile", "'python'"),
        ("px,none,1,1\npy,none,1,1\n", "none", "no pair 'px', nor 1 other", "ids.jsonl"),
    ],
)
def test_pairs_that_are_not_there_and_conditions_without_a_score_are_refused(
    tmp_path: Path, more: str, condition: str, what: str, fix: str
) -> None:
    file = ScoreFile(written(tmp_path, GOOD + more))
    with pytest.raises(InputError, match=what) as caught:
        file.check({"p1"}, (condition,), IDS)
    assert fix in caught.value.fix
    if not more:
        assert file.check({"p1"}, ("none", condition), IDS) == ["none"]


def test_results_of_a_file_are_results_as_any_others(small_release: Path, tmp_path: Path) -> None:
    """The chosen response is ahead in every pair but each third, which is a tie."""
    rows = enumerate(Benchmark(small_release).rows())
    lines = [f"{row.id},profile,{1 if n % 3 else 0},0" for n, row in rows]
    (tmp_path / "scorers.toml").write_text(
        '[scorers.theirs]\nkind = "scores"\npath = "scores.csv"\n', "utf-8"
    )
    asked = ("--scorers", tmp_path / "scorers.toml", "--scorer", "theirs")

    def evaluated(out: str, *scorer: object) -> Any:
        shown = ("--condition", "profile")
        return pairwright("evaluate", small_release, "--out", tmp_path / out, *scorer, *shown)

    written(tmp_path, "\n".join([*lines, "px,profile,1,0"]))
    done = evaluated("results", *asked, "--limit", 2)
    assert (done.code, "no pair 'px'" in done.err) == (2, True)
    assert not list((tmp_path / "results").glob("*.*.json")), "before anything is scored"
    written(tmp_path, "\n".join(lines))
    done = evaluated("results", *asked)
    assert done.code == 0, done.said
    (table,) = read_scores([tmp_path / "results"])
    assert [one.chosen for one in table.scores] == [1.0 if n % 3 else 0.0 for n in range(24)]
    # A table of ours is such a file.
    done = evaluated("again", "--scorer", f"scores:{tmp_path / 'results' / 'theirs.profile.jsonl'}")
    assert done.code == 0, done.said
    (ours,) = read_scores([tmp_path / "again"])
    assert [one.chosen for one in ours.scores] == [one.chosen for one in table.scores]

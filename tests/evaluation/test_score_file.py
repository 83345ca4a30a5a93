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

GOOD = "p1,none,0.5,-2\n"


def written(folder: Path, given: object, head: str = "pair,condition,chosen,rejected") -> Path:
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
    assert file.scores("p1", "rubric") == file.scores("p4", "none") == [Unscored("not_in_file")] * 2
    of_json = ScoreFile(written(tmp_path, line(None)))
    assert of_json.scores("p1", "none")[0] == Unscored("no_score", "empty in line 1")
    # Both forms give the same.
    for given in (GOOD, line(0.5, note="x")):
        found = ScoreFile(written(tmp_path, given)).scores("p1", "none")
        assert found == [ResponseScore(0.5), ResponseScore(-2.0)]


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ("p1,none,NaN,1", "2 [chosen]"),
        ("p1,none,1,inf", "2 [rejected]"),
        ("p1,none,1,high", "2 [rejected]"),
        ("p1,none,1_0,1", "2 [chosen]"),
        ("p1,blind,1,1", "2 [condition]"),
        ("p1,wrong-profile,1,1", "2 [condition]"),
        (",none,1,1", "2 [pair]"),
        ("p1,none,1", "2"),
        (f"{GOOD}p1,none,0.5,1", "3"),
        (line(True), "1 [chosen]"),
        (line([1]), "1 [chosen]"),
        (line(10**400), "1 [chosen]"),
        (line(1, pair=7), "1 [pair]"),
        ({"pair": "p1", "condition": "none", "chosen": 1}, "1 [rejected]"),
        ([1], "1"),
    ],
    ids=lambda given: str(given)[:60],
)
def test_a_wrong_line_is_refused_with_its_place(tmp_path: Path, given: Any, at: str) -> None:
    path = written(tmp_path, given)
    with pytest.raises(InputError) as caught:
        ScoreFile(path)
    assert caught.value.where == f"{path}:{at}"
    assert "A line has pair (its id)" in caught.value.fix or at == "3"


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    for name, told in (("not.csv", "No such file"), ("scores.xlsx", "neither .csv nor .jsonl")):
        with pytest.raises(InputError, match=told):
            ScoreFile(tmp_path / name)
    with pytest.raises(InputError, match="holds no scores"):
        ScoreFile(written(tmp_path, ""))
    with pytest.raises(InputError, match=r"2 \[rejected\]"):
        ScoreFile(written(tmp_path, GOOD, "pair,condition,chosen,value"))


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
        file.check({"p1"}, (condition,), Path("ids.jsonl"))
    assert fix in caught.value.fix


def test_results_of_a_file_are_results_as_any_others(small_release: Path, tmp_path: Path) -> None:
    """The chosen response is ahead in every pair but each third, which is a tie."""
    rows = enumerate(Benchmark(small_release).rows())
    lines = [f"{row.id},profile,{1 if n % 3 else 0},0" for n, row in rows]

    def evaluated(out: str, file: Path) -> Any:
        given = ("--scorer", f"scores:{file}", "--condition", "profile")
        return pairwright("evaluate", small_release, "--out", tmp_path / out, *given)

    done = evaluated("results", written(tmp_path, "\n".join([*lines, "px,profile,1,0"])))
    assert (done.code, "no pair 'px'" in done.err) == (2, True)
    assert not list((tmp_path / "results").glob("*.*.json")), "before anything is scored"
    done = evaluated("results", written(tmp_path, "\n".join(lines)))
    assert done.code == 0, done.said
    (table,) = read_scores([tmp_path / "results"])
    assert [one.chosen for one in table.scores] == [1.0 if n % 3 else 0.0 for n in range(24)]
    # A table of ours is such a file.
    done = evaluated("again", tmp_path / "results" / "scores.profile.jsonl")
    assert done.code == 0, done.said
    (ours,) = read_scores([tmp_path / "again"])
    assert [one.chosen for one in ours.scores] == [one.chosen for one in table.scores]

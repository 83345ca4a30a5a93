"""A file of scores that were computed elsewhere: what is taken in, counted and refused."""

import json
from pathlib import Path

import pytest

from pairwright.errors import InputError
from pairwright.evaluation.release import Release
from pairwright.evaluation.scorers.score_file import ScoreFile
from pairwright.evaluation.scorers.scorer import ResponseScore, Unscored
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


def test_both_forms_give_the_same(tmp_path: Path) -> None:
    expected = (ResponseScore(0.5), ResponseScore(-2.0))
    assert ScoreFile(csv(tmp_path, GOOD)).scores("p1", "none") == expected
    path = jsonl(tmp_path, line(0.5, note="x"), line(-2, "rejected"))
    assert ScoreFile(path).scores("p1", "none") == expected


def test_what_is_missing_is_named_and_never_a_zero(tmp_path: Path) -> None:
    text = f"{GOOD}p2,none,chosen,1\np3,none,chosen,\np3,none,rejected,1\n"
    file = ScoreFile(csv(tmp_path, text))
    assert file.scores("p2", "none") == Unscored("not_in_file", "no line for rejected")
    assert file.scores("p1", "rubric") == Unscored("not_in_file", "no line for chosen and rejected")
    assert file.scores("p3", "none") == Unscored("no_score", "empty in line 5")
    assert ScoreFile(jsonl(tmp_path, line(None), line(1, "rejected"))).scores(
        "p1", "none"
    ) == Unscored("no_score", "empty in line 1")


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
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
    ],
)
def test_a_wrong_line_of_csv_is_refused_with_its_place(
    tmp_path: Path, text: str, at: str, message: str
) -> None:
    path = csv(tmp_path, text)
    with pytest.raises(InputError) as caught:
        ScoreFile(path)
    assert caught.value.where == f"{path}:{at}"
    assert message in caught.value.what


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (line("0.5"), "'0.5' is not a number"),
        (line(True), "'True' is not a number"),
        (line(float("nan")), "'nan' is not a finite number"),
        (line([1]), "is not a number"),
        (line(10**400), "is not a number"),
        (line(1, pair=7), "'7' is not an id"),
        (line(1, condition=["none"]), "is not one of none"),
        ({"pair": "p1", "condition": "none", "score": 1}, "has no response"),
        ([1], "not an object"),
    ],
    ids=str,
)
def test_a_wrong_line_of_jsonl_is_refused_with_its_place(
    tmp_path: Path, given: object, message: str
) -> None:
    path = jsonl(tmp_path, line(1, pair="p0"), given)
    with pytest.raises(InputError) as caught:
        ScoreFile(path)
    assert caught.value.where.startswith(f"{path}:2")
    assert message in caught.value.what


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    for path, told in [
        (tmp_path / "not.csv", "No such file"),
        (tmp_path / "scores.xlsx", "neither .csv nor .jsonl"),
        (csv(tmp_path, ""), "holds no scores"),
    ]:
        with pytest.raises(InputError, match=told):
            ScoreFile(path)
    with pytest.raises(InputError, match="has no score"):
        ScoreFile(csv(tmp_path, GOOD, "pair,condition,response,value"))


def test_a_pair_that_the_release_does_not_have_is_refused_with_its_line(tmp_path: Path) -> None:
    path = csv(tmp_path, f"{GOOD}px,none,chosen,1\npy,none,chosen,1\n")
    with pytest.raises(InputError, match="no pair 'px', nor 1 other") as caught:
        ScoreFile(path).check({"p1"}, ("none",))
    assert caught.value.where == f"{path}:4"


def test_a_condition_without_any_score_is_refused_with_what_there_is(tmp_path: Path) -> None:
    file = ScoreFile(csv(tmp_path, GOOD))
    file.check({"p1"}, ("none",))
    with pytest.raises(InputError, match="no scores of condition profile") as caught:
        file.check({"p1"}, ("none", "profile"))
    assert "--condition none" in caught.value.fix
    with pytest.raises(InputError) as caught:
        file.check({"p1"}, ("wrong-profile",))
    assert "'python'" in caught.value.fix


# --- through the whole command ---


@pytest.fixture(scope="module")
def release(small_release: Path) -> Path:
    return small_release


def evaluated(folder: Path, release: Path, lines: list[str], *more: str) -> Done:
    folder.joinpath("scorers.toml").write_text(
        '[scorers.theirs]\nkind = "scores"\npath = "scores.csv"\n', encoding="utf-8"
    )
    csv(folder, "\n".join(lines))
    out = folder / "results"
    return pairwright(
        "evaluate", release, "--out", out, "--scorers", folder / "scorers.toml",
        "--scorer", "theirs", "--condition", "profile", *more,
    )  # fmt: skip


def lines_of(release: Path) -> list[str]:
    """The chosen response is ahead in every pair but each third, which is a tie."""
    lines = []
    for n, row in enumerate(Release(release).rows()):
        lines.append(f"{row.id},profile,chosen,{1 if n % 3 else 0}")
        lines.append(f"{row.id},profile,rejected,0")
    return lines


@pytest.mark.real
def test_results_of_a_file_are_results_as_any_others(release: Path, tmp_path: Path) -> None:
    done = evaluated(tmp_path, release, lines_of(release))
    assert done.code == 0, done.said
    about = json.loads((tmp_path / "results" / "theirs.profile.json").read_bytes())
    assert (about["pairs"], about["scored"], about["ties"]) == (24, 24, 8)
    assert about["scorer"]["kind"] == "scores"
    pairwright("evaluate", release, "--out", tmp_path / "results")
    board = pairwright("leaderboard", tmp_path / "results", "--out", tmp_path / "board")
    assert board.code == 0, board.said
    page = (tmp_path / "board" / "leaderboard.md").read_text("utf-8")
    assert "Nothing says which posts the scores of theirs are based on." in page
    assert "Scorers were shown of each history the posts that people saw in the study." in page


def test_pairs_that_the_file_leaves_out_count_against_the_coverage(
    release: Path, tmp_path: Path
) -> None:
    done = evaluated(tmp_path, release, lines_of(release)[4:])
    assert done.code == 1
    assert "2 not_in_file" in done.said


@pytest.mark.parametrize("more", [[], ["--split", "test"], ["--limit", "2"]], ids=str)
def test_a_strange_pair_ends_the_command_before_anything_is_scored(
    release: Path, tmp_path: Path, more: list[str]
) -> None:
    done = evaluated(tmp_path, release, [*lines_of(release), "px,profile,chosen,1"], *more)
    assert done.code == 2
    assert "no pair 'px'" in done.err
    assert not list((tmp_path / "results").glob("*.*.json"))


def test_a_changed_file_is_another_scorer(release: Path, tmp_path: Path) -> None:
    def settings(lines: list[str]) -> str:
        evaluated(tmp_path, release, lines)
        about = json.loads((tmp_path / "results" / "theirs.profile.json").read_bytes())
        return str(about["scorer"]["settings"])

    whole = lines_of(release)
    assert settings(whole) != settings(whole[:-1]) == settings(whole[:-1])


def test_other_commands_say_that_a_file_has_no_scores_of_their_responses(tmp_path: Path) -> None:
    from pairwright.errors import ConfigError
    from pairwright.workflows.scorers import pointwise

    with pytest.raises(ConfigError, match="a file of scores of a release's pairs"):
        pointwise("theirs", ScoreFile(csv(tmp_path, GOOD)))

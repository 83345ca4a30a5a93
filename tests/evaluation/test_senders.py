"""A leaderboard of results that several people sent: what one of them says cannot change what is
said of the others."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from decided import RELEASE, board_of, result, right_on
from pairwright import evaluate, leaderboard
from pairwright.errors import InputError
from pairwright.estimate import Estimate
from pairwright.evaluation.board.tables import label
from pairwright.evaluation.release import BuildModel
from pairwright.evaluation.results import Result, ScorerRef, check_release
from pairwright.workflows.ranking import check_results

JUDGE = (BuildModel(role="judge", model="Qwen/Qwen3-32B"),)
SURE = Estimate(value=0.99, low=0.98, high=1.0, n=300, clusters=60)


def sent(folder: Path, **wins: dict[str, int]) -> list[Path]:
    """The folders of senders, each with results of these scorers."""
    for sender, scorers in wins.items():
        for name, right in scorers.items():
            result(folder / sender, name, right_on(right), tokens=right)
    return [folder / sender for sender in wins]


@pytest.mark.parametrize(
    ("key", "value", "other"),
    [
        ("builders", JUDGE, (BuildModel(role="judge", model="none-of-these"),)),
        ("builders", JUDGE, ()),
        ("neighbours", SURE, SURE.model_copy(update={"value": 0.985})),
        ("trial", True, False),
    ],
)
def test_two_results_that_say_different_things_of_a_release_are_refused(
    tmp_path: Path, key: str, value: object, other: object
) -> None:
    """A stranger's result, first by name, removed the mark of the judge's family."""
    first, second = (RELEASE.model_copy(update={key: one}) for one in (value, other))
    own = result(tmp_path / "own", "qwen-rm", right_on(30), release=first)
    theirs = result(tmp_path / "theirs", "aaa", right_on(20), release=second)
    with pytest.raises(InputError, match="says something else of the release") as error:
        board_of(own, theirs)
    assert str(own) in str(error.value)
    assert str(theirs) in str(error.value)


def test_what_a_result_says_of_its_release_is_held_to_the_release(tmp_path: Path) -> None:
    release = RELEASE.model_copy(update={"builders": JUDGE})
    forged = RELEASE.model_copy(update={"neighbours": SURE, "builders": JUDGE})
    check_release(Result(result(tmp_path, "whole", right_on(30), release=release)), release)
    for key, other in (("neighbours", forged), ("builders", RELEASE)):
        with pytest.raises(InputError, match=f"is of another release: {key}"):
            check_release(Result(result(tmp_path, "forged", right_on(30), release=other)), release)


@pytest.mark.parametrize(("name", "kind"), [("overlap", "python"), ("mine", "baseline")])
def test_a_baseline_has_a_baselines_name_and_kind(tmp_path: Path, name: str, kind: str) -> None:
    path = result(tmp_path, name, right_on(30), scorer=ScorerRef(name=name, kind=kind))
    with pytest.raises(InputError, match="a baseline, and its kind is") as error:
        board_of(tmp_path)
    assert str(path) in error.value.where


def test_the_same_results_in_two_folders_count_once(tmp_path: Path) -> None:
    theirs, ours = sent(
        tmp_path, theirs={"overlap": 25, "theirs-rm": 20}, ours={"overlap": 25, "ours-rm": 30}
    )
    board = leaderboard([ours, theirs, ours, theirs])
    assert set(board.entries) == {"overlap.profile", "ours-rm.profile", "theirs-rm.profile"}


def test_an_alias_sets_two_scorers_of_one_name_apart_and_leaves_baselines(tmp_path: Path) -> None:
    of_ours = {"overlap": 25, "judge": 30}
    theirs, ours = sent(tmp_path, theirs={"overlap": 25, "judge": 20}, ours=of_ours)
    with pytest.raises(InputError) as error:
        leaderboard([ours, theirs])
    assert str(theirs / "judge.profile.json") in error.value.where
    assert str(ours / "judge.profile.json") in error.value.what
    assert "team=theirs" in error.value.fix
    board = leaderboard([ours, f"team={theirs}"])
    (ranking,) = board.rankings
    assert ranking.ranked == ("judge.profile", "overlap.profile", "team: judge.profile")
    assert board.missing["profile"] == ("longer", "constant", "similarity")
    assert label(board.entries["team: judge.profile"]) == "team: judge"
    # A baseline that differs is refused, and its folder named.
    theirs, ours = sent(tmp_path, theirs={"overlap": 39}, ours={"overlap": 25})
    with pytest.raises(InputError, match="A baseline gives everybody the same") as error:
        leaderboard([ours, f"team={theirs}"])
    assert str(theirs / "overlap.profile.json") in str(error.value)


def test_an_alias_is_a_name_and_an_archive_is_unpacked_first(tmp_path: Path) -> None:
    (ours,) = sent(tmp_path, ours={"judge": 30})
    archive = ours.with_suffix(".zip")
    archive.touch()
    with pytest.raises(InputError, match="is not an alias"):
        leaderboard([f"A B={ours}"])
    with pytest.raises(InputError, match="is an archive") as error:
        leaderboard([f"team={archive}"])
    assert "Unpack it" in error.value.fix


def view(database: sqlite3.Connection) -> None:
    """A table of replies that computes for ever."""
    database.executescript(
        "DROP TABLE calls; CREATE VIEW calls AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL"
        " SELECT x + 1 FROM n) SELECT x AS key, x AS reply, x AS request FROM n;"
    )


def computed(database: sqlite3.Connection) -> None:
    """A reply that is computed when it is read."""
    database.executescript(
        "ALTER TABLE calls RENAME TO real; CREATE TABLE calls (key TEXT, request TEXT, reply BLOB"
        " GENERATED ALWAYS AS (zeroblob(1000000000)) VIRTUAL);"
    )


@pytest.mark.parametrize("change", [view, computed])
def test_stored_replies_that_would_run_something_are_not_opened(
    tmp_path: Path, small_release: Path, change: Callable[[sqlite3.Connection], None]
) -> None:
    theirs = tmp_path / "theirs"
    evaluate(small_release, None, theirs, names=["overlap"])
    assert not any(check_results([theirs], small_release).values())
    with closing(sqlite3.connect(theirs / "calls.sqlite")) as database:
        change(database)
        database.commit()
    with pytest.raises(InputError, match="does not hold replies in the table"):
        check_results([theirs], small_release)

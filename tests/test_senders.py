"""A leaderboard of results that several people sent: what one of them says cannot change what is
said of the others."""

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from decided import RELEASE, board_of, result, violate
from pairwright import leaderboard
from pairwright.errors import InputError
from pairwright.evaluate.board.cells import label
from pairwright.evaluate.builders import BuildModel
from pairwright.evaluate.derivation import check_release
from pairwright.evaluate.results import Result, ScorerRef, read_results
from pairwright.evaluate.settings import Scorers
from pairwright.intervals import Interval
from pairwright.models.store.file import create
from pairwright.workflows.submission import pack_results

JUDGE = (BuildModel(role="judge", model="Qwen/Qwen3-32B"),)
SURE = Interval(value=0.99, low=0.98, high=1.0, n=300, clusters=60)
Parts = dict[str, bytes]


def pairs(wins: int) -> list[Any]:
    return [violate(n, 1.0 if n < wins else -1.0) for n in range(40)]


def send(folder: Path) -> Path:
    """The archive of a folder of results."""
    archive = folder.with_suffix(".zip")
    pack_results(read_results(folder), Scorers(), archive)
    return archive


@pytest.mark.parametrize(
    ("key", "value", "other"),
    [
        ("builders", JUDGE, (BuildModel(role="judge", model="none-of-these"),)),
        ("neighbours", SURE, SURE.model_copy(update={"value": 0.985})),
        ("trial", True, False),
    ],
)
def test_two_results_that_say_different_things_of_a_release_are_refused(
    tmp_path: Path, key: str, value: object, other: object
) -> None:
    """A stranger's result, first by name, removed the mark of the judge's family."""
    first, second = (RELEASE.model_copy(update={key: one}) for one in (value, other))
    own = result(tmp_path / "own", "qwen-rm", pairs(30), release=first)
    theirs = result(tmp_path / "theirs", "aaa", pairs(20), release=second)
    with pytest.raises(InputError, match="says something else of the release") as error:
        board_of(own, theirs)
    assert str(own) in str(error.value)
    assert str(theirs) in str(error.value)


def test_a_result_of_an_older_version_says_less_and_passes(tmp_path: Path) -> None:
    model = ScorerRef(name="qwen-rm", kind="classifier", model="Qwen/Qwen3-8B")
    known = RELEASE.model_copy(update={"builders": JUDGE, "neighbours": SURE})
    result(tmp_path, "qwen-rm", pairs(30), scorer=model)
    result(tmp_path, "aaa", pairs(20), release=known)
    board = board_of(tmp_path)
    assert label(board.entries["qwen-rm.profile"]) == "qwen-rm (family of the build's judge)"
    assert board.release.neighbours == SURE


def test_what_a_result_says_of_its_release_is_held_to_the_release(tmp_path: Path) -> None:
    release = RELEASE.model_copy(update={"builders": JUDGE})
    forged = RELEASE.model_copy(update={"neighbours": SURE, "builders": JUDGE})
    check_release(Result(result(tmp_path, "older", pairs(30))), release)
    with pytest.raises(InputError, match="is of another release: neighbours"):
        check_release(Result(result(tmp_path, "forged", pairs(30), release=forged)), release)


@pytest.mark.parametrize(("name", "kind"), [("overlap", "python"), ("mine", "baseline")])
def test_a_baseline_has_a_baselines_name_and_kind(tmp_path: Path, name: str, kind: str) -> None:
    path = result(tmp_path, name, pairs(30), scorer=ScorerRef(name=name, kind=kind))
    with pytest.raises(InputError, match="a baseline, and its kind is") as error:
        board_of(tmp_path)
    assert str(path) in error.value.where


def test_a_result_of_another_wording_is_refused_by_name(tmp_path: Path) -> None:
    other = ScorerRef(name="a", kind="pairwise", presentation="short, dated")
    path = result(tmp_path, "a", pairs(30), scorer=other)
    with pytest.raises(InputError, match="is of another wording or layout") as error:
        board_of(tmp_path)
    assert str(path) in error.value.where


def test_the_same_results_in_two_archives_and_a_folder_count_once(tmp_path: Path) -> None:
    """The page's own command names an archive beside the folder that it was made of."""
    for sender, wins in (("theirs", 20), ("ours", 30)):
        result(tmp_path / sender, "overlap", pairs(25))
        result(tmp_path / sender, f"{sender}-rm", pairs(wins), tokens=wins)
    theirs, ours = send(tmp_path / "theirs"), send(tmp_path / "ours")
    board = leaderboard([tmp_path / "ours", theirs, ours, theirs])
    assert set(board.entries) == {"overlap.profile", "ours-rm.profile", "theirs-rm.profile"}


def test_an_alias_sets_two_scorers_of_one_name_apart_and_leaves_baselines(tmp_path: Path) -> None:
    for sender, wins in (("theirs", 20), ("ours", 30)):
        result(tmp_path / sender, "overlap", pairs(25))
        result(tmp_path / sender, "judge", pairs(wins))
    theirs, ours = send(tmp_path / "theirs"), send(tmp_path / "ours")
    with pytest.raises(InputError) as error:
        leaderboard([ours, theirs])
    assert f"{theirs}!judge.profile.json" in error.value.where
    assert f"{ours}!judge.profile.json" in error.value.what
    assert "team=theirs.zip" in error.value.fix
    board = leaderboard([ours, f"team={theirs}"])
    (ranking,) = board.rankings
    assert ranking.ranked == ("judge.profile", "overlap.profile", "team: judge.profile")
    assert board.missing["profile"] == ("longer", "constant", "similarity")
    assert label(board.entries["team: judge.profile"]) == "team: judge"


@pytest.mark.parametrize(
    ("given", "what"), [("team=none.zip", "is not an archive"), ("A B=ours.zip", "is not an alias")]
)
def test_an_alias_is_a_name_of_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, what: str
) -> None:
    result(tmp_path / "ours", "judge", pairs(30))
    send(tmp_path / "ours")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=what):
        leaderboard([given])


def test_a_baseline_that_differs_is_refused_and_its_archive_named(tmp_path: Path) -> None:
    for sender, wins in (("theirs", 39), ("ours", 25)):
        result(tmp_path / sender, "overlap", pairs(wins))
    archive = send(tmp_path / "theirs")
    with pytest.raises(InputError, match="A baseline gives everybody the same") as error:
        leaderboard([tmp_path / "ours", f"team={archive}"])
    assert f"{archive}!overlap.profile.json" in str(error.value)


# Archives that do not hold what they say


def rename(held: Parts, about: dict[str, Any]) -> None:
    for end in ("json", "jsonl"):
        held[f"other.profile.{end}"] = held.pop(f"rm.profile.{end}")
    about["results"] = ["other.profile"]


def view(held: Parts, folder: Path) -> None:
    """A table of replies that computes for ever."""
    path = folder / "calls.sqlite"
    create(path)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "DROP TABLE calls; CREATE VIEW calls AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL"
            " SELECT x + 1 FROM n) SELECT x AS key, x AS reply, x AS request FROM n;"
        )
    held["calls.sqlite"] = path.read_bytes()


def trigger(held: Parts, folder: Path) -> None:
    path = folder / "calls.sqlite"
    create(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TRIGGER t AFTER INSERT ON run BEGIN SELECT 1; END")
        database.commit()
    held["calls.sqlite"] = path.read_bytes()


def stored(held: Parts, folder: Path) -> None:
    create(folder / "calls.sqlite")
    held["calls.sqlite"] = (folder / "calls.sqlite").read_bytes()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda held, about, folder: stored(held, folder), ""),
        (lambda held, about, folder: view(held, folder), "does not have exactly the tables"),
        (lambda held, about, folder: trigger(held, folder), "does not have exactly the tables"),
        (lambda held, about, folder: about["release"].update(digest="b2:1"), "of another release"),
        (lambda held, about, folder: about.update(results=["ghost.none"]), "its files are not"),
        (lambda held, about, folder: rename(held, about), "is the result rm.profile"),
        (lambda held, about, folder: held.update({"rm.profile.json": b"[" * 200_000}), "recursion"),
    ],
    ids=["as it should be", "view", "trigger", "release", "ghost", "renamed", "deep"],
)
def test_an_archive_holds_exactly_what_its_manifest_says(
    tmp_path: Path, change: Callable[[Parts, dict[str, Any], Path], None], what: str
) -> None:
    result(tmp_path / "ours", "rm", pairs(30))
    archive = send(tmp_path / "ours")
    with zipfile.ZipFile(archive) as opened:
        held = {name: opened.read(name) for name in opened.namelist()}
    about = json.loads(held.pop("submission.json"))
    change(held, about, tmp_path)
    about["files"] = [
        {"name": name, "digest": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in held.items()
    ]
    with zipfile.ZipFile(archive, "w") as written:
        for name, content in held.items():
            written.writestr(name, content)
        written.writestr("submission.json", json.dumps(about))
    if not what:
        assert leaderboard([archive]).entries
        return
    with pytest.raises(InputError, match=what) as error:
        leaderboard([archive])
    assert error.value.where in (str(archive), f"{archive}!rm.profile.json")

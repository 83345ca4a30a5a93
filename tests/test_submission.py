"""Submissions: an archive without keys, addresses and posts, and how a damaged or hostile one is
refused."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from endpoint import in_thread, simulated
from pairwright import leaderboard, load_release
from pairwright.errors import InputError
from pairwright.evaluate.results import read_results
from pairwright.evaluate.settings import load_scorers
from pairwright.workflows.ranking import check_results
from pairwright.workflows.submission import pack_results
from study import pairwright

KEY = "SUBMISSION_TEST_KEY"
FILE = """
[endpoints.toy]
base_url = "{url}"
model = "toy-judge"
api_key_env = "SUBMISSION_TEST_KEY"
[scorers.rater]
kind = "pointwise"
endpoint = "toy"
"""
Parts = dict[str, bytes]


class Submission(NamedTuple):
    release: Path
    scorers: Path
    archive: Path
    url: str


@pytest.fixture(scope="module")
def submission(small_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Submission:
    """A submission of a judge whose endpoint is gone."""
    folder = tmp_path_factory.mktemp("sent")
    scorers, archive = folder / "scorers.toml", folder / "theirs.zip"
    with in_thread(simulated()) as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY, "sk-nobody-may-see-this")
        scorers.write_text(FILE.format(url=endpoint.url), encoding="utf-8")
        done = pairwright(
            "evaluate", small_release, "--out", folder / "results", "--scorers", scorers,
            "--scorer", "rater", "--condition", "profile", "--submission", archive,
        )  # fmt: skip
        url = endpoint.url
    assert done.code == 0, done.said
    return Submission(small_release, scorers, archive, url)


def parts(archive: Path) -> Parts:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_it_holds_results_and_replies_and_no_key_address_or_post(submission: Submission) -> None:
    held = parts(submission.archive)
    assert sorted(held) == [
        "calls.sqlite", "rater.profile.json", "rater.profile.jsonl", "submission.json",
    ]  # fmt: skip
    posts = {post.text for row in load_release(submission.release) for post in row.profile}
    assert posts
    for name, content in held.items():
        for secret in (KEY, "sk-nobody-may-see-this", submission.url.removeprefix("http://")):
            assert secret.encode() not in content, (name, secret)
        assert not any(post.encode() in content for post in posts), name
    about = json.loads(held["submission.json"])
    assert about["results"] == ["rater.profile"]
    assert about["scorers"]["endpoints"]["toy"]["model"] == "toy-judge"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("theirs.tar", "is not the name of an archive"),
        ("release/ours.zip", "is inside the release"),
    ],
)
def test_a_place_where_no_archive_may_be_is_refused_before_anything_is_scored(
    submission: Submission, tmp_path: Path, name: str, message: str
) -> None:
    place = submission.release / "ours.zip" if name.startswith("release/") else tmp_path / name
    done = pairwright(
        "evaluate", submission.release, "--out", tmp_path / "out", "--scorer", "longer",
        "--submission", place,
    )  # fmt: skip
    assert done.code != 0
    assert message in " ".join(done.said.split())
    assert not (tmp_path / "out").exists()


def test_the_same_results_give_the_same_archive(submission: Submission, tmp_path: Path) -> None:
    results = read_results(submission.archive.parent / "results")
    pack_results(results, load_scorers(submission.scorers), tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == submission.archive.read_bytes()


def test_a_leaderboard_takes_it_beside_ones_own_results(
    submission: Submission, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    done = pairwright(
        "evaluate",
        submission.release,
        "--out",
        own,
        "--scorer",
        "overlap",
        "--condition",
        "profile",
    )
    assert done.code == 0, done.said
    board = leaderboard([submission.archive, own])
    assert set(board.entries) == {"overlap.profile", "rater.profile"}
    assert board.release.name


def test_its_decisions_are_derived_again_from_its_own_replies(submission: Submission) -> None:
    both: list[str | Path] = [submission.archive, f"team={submission.archive}"]
    check = check_results(both, submission.release, submission.scorers)
    assert (check.results, check.differences) == (2, ())


def test_without_the_file_of_scorers_it_says_which_one_is_needed(submission: Submission) -> None:
    done = pairwright("leaderboard", submission.archive, "--verify", submission.release)
    assert done.code == 2
    said = " ".join(done.err.split())
    assert f"{submission.archive}!rater.profile.json: its scorer rater is of a file" in said
    assert "--scorers FILE.toml" in said


def test_changed_decisions_that_are_hashed_again_are_found(
    submission: Submission, tmp_path: Path
) -> None:
    """A sender who turns a decision about and mends every hash is caught by the replies."""
    held = parts(submission.archive)
    lines = held["rater.profile.jsonl"].decode().splitlines(keepends=True)
    first = json.loads(lines[0])
    first["chosen"], first["rejected"] = 10.0, 1.0
    lines[0] = json.dumps(first) + "\n"
    held["rater.profile.jsonl"] = "".join(lines).encode()
    summary = json.loads(held["rater.profile.json"])
    summary["lines"] = hashlib.sha256(held["rater.profile.jsonl"]).hexdigest()
    held["rater.profile.json"] = json.dumps(summary).encode()
    about = json.loads(held["submission.json"])
    for one in about["files"]:
        content = held[one["name"]]
        one.update(digest=hashlib.sha256(content).hexdigest(), bytes=len(content))
    held["submission.json"] = json.dumps(about).encode()
    changed = write(tmp_path / "changed.zip", held)
    check = check_results([changed], submission.release, submission.scorers)
    assert any("and the stored replies give" in line for line in check.differences)


def write(path: Path, held: Parts) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in held.items():
            archive.writestr(name, content)
    return path


def renamed(held: Parts, name: str) -> None:
    """Another name for the lines, in the archive and in its manifest."""
    held[name] = held.pop("rater.profile.jsonl")
    manifest(held, lambda about: [
        one.update(name=name) for one in about["files"] if one["name"].endswith("jsonl")
    ])  # fmt: skip


def manifest(held: Parts, change: Callable[[Any], object]) -> None:
    about = json.loads(held["submission.json"])
    change(about)
    held["submission.json"] = json.dumps(about).encode()


def shrunk(about: Any) -> None:
    """The manifest says that each file has few bytes: a bomb's own word."""
    for one in about["files"]:
        one["bytes"] = 10


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(lambda held: held.pop("submission.json"), "has no submission.json", id="none"),
        pytest.param(
            lambda held: held.update({"submission.json": b"{"}), "is not JSON", id="no-json"
        ),
        pytest.param(
            lambda held: held.update({"submission.json": b"[" * 100_000}), "is not JSON", id="deep"
        ),
        pytest.param(
            lambda held: held.update({"more.txt": b"x"}), "holds other files", id="another-file"
        ),
        pytest.param(
            lambda held: renamed(held, "../../etc/rater.profile.jsonl"),
            "is not the name of a result", id="path",
        ),
        pytest.param(
            lambda held: held.update({"rater.profile.jsonl": b"{}"}),
            "rater.profile.jsonl is not the file", id="changed",
        ),
        pytest.param(lambda held: manifest(held, shrunk), "is not the file", id="bomb"),
        pytest.param(
            lambda held: manifest(held, lambda about: about["files"][0].update(bytes=10**13)),
            "is larger than", id="size",
        ),
        pytest.param(
            lambda held: manifest(held, lambda about: about.update(format=2)),
            "submission.json [format]", id="format",
        ),
    ],
)  # fmt: skip
def test_what_is_not_a_submission_is_refused_by_name(
    submission: Submission, tmp_path: Path, damage: Callable[[Parts], object], said: str
) -> None:
    held = parts(submission.archive)
    damage(held)
    broken = write(tmp_path / "broken.zip", held)
    with pytest.raises(InputError) as caught:
        leaderboard([broken])
    assert said in str(caught.value)
    assert str(broken) in str(caught.value)


@pytest.mark.parametrize("name", ["submission.json", "rater.profile.jsonl"])
def test_a_damaged_stream_is_refused(submission: Submission, tmp_path: Path, name: str) -> None:
    damaged = bytearray(submission.archive.read_bytes())
    with zipfile.ZipFile(submission.archive) as archive:
        entry = archive.getinfo(name)
    start = entry.header_offset + 30 + len(name) + len(entry.extra)
    damaged[start : start + 40] = b"\xff" * 40
    (tmp_path / "damaged.zip").write_bytes(damaged)
    with pytest.raises(InputError, match="cannot be read as a ZIP archive"):
        leaderboard([tmp_path / "damaged.zip"])


def test_another_compression_is_refused(submission: Submission, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "lzma.zip", "w", zipfile.ZIP_LZMA) as archive:
        for name, content in parts(submission.archive).items():
            archive.writestr(name, content)
    with pytest.raises(InputError, match="compressed by another method"):
        leaderboard([tmp_path / "lzma.zip"])


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(InputError, match="cannot be read as a ZIP archive"):
        leaderboard([tmp_path / "no.zip"])

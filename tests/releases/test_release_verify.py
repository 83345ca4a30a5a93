"""Releases as they were published verify, and `pairwright verify` says what that means."""

import json
import shutil
from pathlib import Path

import pytest

from pairwright.cli.releases import print_verified
from pairwright.dataset.layout import root_digest
from pairwright.errors import Difference
from pairwright.releases.verify import VerifiedRelease, verify_release
from pairwright.releases.verify.comparison import compare
from released import PAIRS, released, run_of
from study import pairwright
from tampering import bytes_of, copy_of


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a control, a failed unit, and pairs that people refused."""
    folder = tmp_path_factory.mktemp("verify") / "run"
    return run_of(folder, PAIRS[:12], against=[2], failed=1, wrong_profile=0.1)


@pytest.fixture(scope="module")
def release(run: Path) -> Path:
    return released(run, run.with_name("first"), "1.0.0", "--validation", "50%").root


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without a study, so that nothing is estimated and verifying it is quick."""
    base = tmp_path_factory.mktemp("trial")
    run = run_of(base / "run", PAIRS[:6], study=False)
    return released(run, base / "release", "0.1.0", "--trial").root


# What verifies


def test_an_untouched_release_verifies(release: Path) -> None:
    steps: list[str] = []
    ends: dict[str, tuple[int, int]] = {}
    before = bytes_of(release)

    def note(step: str, done: int, of: int | None) -> None:
        steps.append(step)
        if of is not None:
            ends[step] = (done, of)

    found = verify_release(release, progress=note)
    assert (found.name, found.version, found.kind) == ("small-pairs", "1.0.0", "release")
    assert found.digest == root_digest(release)
    assert found.files == len(before)
    lines = (release / "human" / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    assert found.verdicts == len(lines) > 0
    assert found.rows > found.subjects > 0
    assert steps[0] == "hashes"
    assert [done for done, _ in ends.values()] == [of for _, of in ends.values()]
    assert "README.md" in steps
    assert bytes_of(release) == before, "to verify changes nothing"


def test_the_version_after_it_verifies_with_somebody_forgotten(release: Path, run: Path) -> None:
    assert pairwright("forget", run, "--user", "secret_user_1").code == 0
    second = released(run, run.with_name("second"), "1.1.0", "--previous", release).root
    assert verify_release(second).rows < verify_release(release).rows


def test_a_trial_that_simulated_annotators_answered_verifies_as_one(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", PAIRS[:6], simulated_answers=True)
    found = verify_release(released(run, tmp_path / "trial", "0.1.0", "--trial").root)
    assert (found.kind, found.version) == ("trial", "0.1.0-trial")
    assert found.trial_because
    assert found.rows == 6


def test_what_downloads_leave_beside_a_release_is_no_part(trial: Path, tmp_path: Path) -> None:
    packed = shutil.make_archive(str(tmp_path / "release"), "zip", trial)
    root = tmp_path / "there"
    shutil.unpack_archive(packed, root)
    assert verify_release(root, root_digest(trial)) == verify_release(trial)
    (root / ".git" / "refs").mkdir(parents=True)
    (root / ".gitattributes").write_bytes(b"*.parquet filter=lfs\n")
    assert verify_release(root).beside == (".git", ".gitattributes")
    assert "Not part of the release: .gitattributes" in pairwright("verify", root).out


# The command


def test_the_root_digest_pins_a_release(trial: Path) -> None:
    """Whoever rewrites everything is caught by the digest alone."""
    own, other = root_digest(trial), "sha256:" + "0" * 64
    assert verify_release(trial, own)
    done = pairwright("verify", trial, "--digest", other)
    assert done.code == 1
    assert all(said in done.err for said in (other, own, "checksums.sha256"))
    for part in (own[:20], own[7:], ""):
        done = pairwright("verify", trial, "--digest", part)
        assert done.code == 2
        assert "64 hex digits" in done.err


def test_the_command_prints_the_digest_and_what_it_cannot_show(trial: Path) -> None:
    done = pairwright("verify", trial)
    assert done.code == 0
    assert f"Root digest: {root_digest(trial)}\n" in done.out
    assert "small-pairs-trial 0.1.0-trial is what it says" in done.out
    assert "What this cannot show" in done.out
    assert "compare the root digest" in done.out
    assert not done.err.strip()
    whole = json.loads(pairwright("verify", trial, "--json").out)
    assert whole["difference"] is None
    assert whole["verified"]["digest"] == root_digest(trial)


def test_a_difference_is_one_message_or_json_and_exit_code_1(trial: Path, tmp_path: Path) -> None:
    root = copy_of(trial, tmp_path / "copy")
    (root / "LICENSE.md").write_bytes(b"MIT\n")
    done = pairwright("verify", root)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("LICENSE.md: sha256 is ")
    assert "Take the release again" in done.err
    done = pairwright("verify", root, "--json")
    assert done.code == 1
    found = json.loads(done.out)
    assert found["verified"] is None
    assert found["difference"]["where"] == "LICENSE.md"
    assert set(found["difference"]) == {"where", "what", "fix"}
    # The name of a file cannot write to the terminal.
    (root / "\x1b[2Jgone").write_bytes(b"")
    done = pairwright("verify", root)
    assert done.code == 1
    assert "\x1b" not in done.err
    assert "\\x1b[2Jgone" in done.err


def test_where_there_is_no_release_the_exit_code_is_2(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(b"# Data\n")
    run = tmp_path / "run"
    run.mkdir()
    for name in ("calls.sqlite", "pairs.jsonl", "manifest.json"):
        (run / name).touch()
    for given, said in (
        (tmp_path, "is not a release"),
        (tmp_path / "x", "no such folder"),
        (run, f"{run}: is a run folder, not a release"),
        (run, f"`pairwright release {run}`"),
    ):
        done = pairwright("verify", given)
        assert done.code == 2
        assert said in done.err


# Comparing a file with its text


TEXT = "first line\nsecond line\nthird line\n"


@pytest.mark.parametrize(
    ("there", "place", "found", "must"),
    [
        (TEXT.replace("second", "2nd"), 2, "'2nd line", "'second line"),
        (TEXT.removesuffix("\n"), 3, "'third line' and then its end", "'third line"),
        (TEXT.replace("line\n", "line\r\n", 1), 1, "'first line\\r", "'first line\\n"),
        (TEXT + "more\n", 4, "'more", "at its end"),
        (TEXT.removesuffix("third line\n"), 3, "at its end", "'third line"),
        ("\ufeff" + TEXT, 1, "'\\ufefffirst line", "'first line"),
        ("", 1, "at its end", "'first line"),
    ],
)
def test_the_first_line_that_differs_is_shown_with_what_it_must_be(
    there: str, place: int, found: str, must: str, tmp_path: Path
) -> None:
    (tmp_path / "page").write_bytes(there.encode())
    for size in (1, 2, 7, 100):
        pieces = [TEXT[n : n + size] for n in range(0, len(TEXT), size)]
        with pytest.raises(Difference) as caught:
            compare(tmp_path, "page", pieces)
        assert caught.value.where == f"page:{place}"
        is_, _, must_be = caught.value.what.partition(", and must be ")
        assert found in is_
        assert must in must_be


def test_long_lines_are_cut_around_the_place(tmp_path: Path) -> None:
    line = "word " * 10_000
    (tmp_path / "page").write_bytes(f"{line}here{line}\n".encode())
    with pytest.raises(Difference) as caught:
        compare(tmp_path, "page", [line, "there", line, "\n"])
    assert "here" in caught.value.what
    assert len(caught.value.what) < 300


def test_equal_files_have_no_difference(tmp_path: Path) -> None:
    for text in (TEXT, "", "no end", "ünïcode\n"):
        (tmp_path / "page").write_bytes(text.encode())
        compare(tmp_path, "page", [text, ""])


def test_one_of_each_is_told_in_the_singular(capsys: pytest.CaptureFixture[str]) -> None:
    one = VerifiedRelease(
        digest="b2:0", name="small", version="1.0.0", kind="release", trial_because=(), rows=1,
        subjects=1, units=1, verdicts=1, files=1, beside=(),
    )  # fmt: skip
    print_verified(one)
    told = "1 row of 1 subject, 1 verdict, 1 unit of the build, 1 file."
    assert told in capsys.readouterr().out

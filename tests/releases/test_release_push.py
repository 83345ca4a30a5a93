"""Publishing: what arrives at the stand-in of the Hub is the release, byte for byte, or nothing."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from hub_stand_in import LARGE, TOKEN, Hub, hub
from pairwright.errors import Difference, InputError
from pairwright.pairs.layout import root_digest
from pairwright.releases.check import CheckedRelease
from pairwright.releases.hub import publish
from pairwright.releases.write import write_checksums
from released import PAIRS, run_of
from study import pairwright
from tampering import bytes_of

# huggingface_hub's own call of its HTTP client.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=<...>' to upload:DeprecationWarning")
NAME = "lab/small-pairs"
FILES = {
    "README.md": b"---\npretty_name: Small\n---\n\nPairs.\n",
    "data/Home-twin/test-00000-of-00001.parquet": b"PAR1" + bytes(range(256)) * (LARGE // 200),
    "human/answers.jsonl": b"x" * (LARGE - 1),
}


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """The stand-in, with a login for it and none for anything else."""
    with hub() as running:
        monkeypatch.setattr(constants, "ENDPOINT", running.url)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-login"))
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return folder(tmp_path / "release")


def folder(root: Path, files: dict[str, bytes] = FILES) -> Path:
    """A folder with checksums; what `check` says of it is given."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    write_checksums(root)
    return root


def checked(root: Path, version: str = "1.0.0") -> CheckedRelease:
    write_checksums(root)
    return CheckedRelease(root_digest(root), "small-pairs", version, (), 1, {"violate": 1}, 0, 1)


def push(root: Path, name: str, found: CheckedRelease) -> tuple[CheckedRelease, str, bool]:
    """Publish a folder that `check` said this of."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pairwright.releases.hub.check", lambda *_, **__: found)
        return publish(root, name)


def without_the_hubs_own(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: content for path, content in files.items() if path != ".gitattributes"}


def refused(root: Path, name: str = NAME) -> InputError:
    with pytest.raises(InputError) as caught:
        push(root, name, checked(root))
    return caught.value


# What arrives


def test_every_byte_arrives_in_one_commit_under_a_tag(there: Hub, root: Path) -> None:
    found, release = checked(root), bytes_of(root)
    # What git puts into a folder is not pushed.
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"secret\n")
    _, url, _ = push(root, NAME, found)
    repo = there.repos[NAME]
    assert without_the_hubs_own(repo.files) == release
    assert repo.tags == {"1.0.0": repo.files}
    assert [commit["summary"] for commit in repo.commits] == ["Version 1.0.0"]
    assert found.digest in repo.commits[0]["description"]
    assert url == f"{there.url}/datasets/{NAME}"
    assert len(there.large) == 1, "one file of the four is a large one"


def test_the_next_version_takes_away_what_it_has_not(there: Hub, tmp_path: Path) -> None:
    first, second = folder(tmp_path / "1"), folder(tmp_path / "2", {"README.md": b"Second.\n"})
    push(first, NAME, checked(first))
    push(second, NAME, checked(second, "1.1.0"))
    repo = there.repos[NAME]
    assert without_the_hubs_own(repo.files) == bytes_of(second)
    assert ".gitattributes" in repo.files
    assert without_the_hubs_own(repo.tags["1.0.0"]) == bytes_of(first)
    assert repo.private


# What is refused


def test_a_published_version_is_never_changed(there: Hub, root: Path) -> None:
    push(root, NAME, checked(root))
    before = dict(there.repos[NAME].files)
    (root / "README.md").write_bytes(b"Another.\n")
    error = refused(root)
    assert "version 1.0.0 is published" in error.what
    assert "--previous" in error.fix
    assert there.repos[NAME].files == before


def test_a_name_that_is_none_is_refused_before_anything_is_sent(there: Hub, root: Path) -> None:
    for name in ("small-pairs", "a/b/c", "../x", "lab/", "lab/a b", "лаб/x"):
        assert "ORG/NAME" in refused(root, name).fix
    assert not there.asked


def test_without_a_login_nothing_is_sent_and_no_login_is_quoted(
    there: Hub, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    error = refused(root)
    assert ("not logged in" in error.what, "hf auth login" in error.fix) == (True, True)
    assert not there.asked
    for token in ("hf_another", "hf_\x01secret"):  # The second cannot be sent.
        monkeypatch.setenv("HF_TOKEN", token)
        assert token[-6:] not in str(refused(root))
    monkeypatch.setenv("HF_TOKEN", "hf_another")
    error = refused(root)
    assert ("401" in error.what, "HF_TOKEN" in error.fix) == (True, True)


@pytest.mark.parametrize("end", ["/create", "/refs", "/preupload/main", "/batch", "/commit/main"])
def test_what_the_hub_refuses_is_told_with_what_to_do(
    end: str, there: Hub, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    there.refuse[end] = 403
    error = refused(root)
    assert "403" in error.what
    assert "refused by the stand-in" in error.what
    assert "may write" in error.fix
    assert not any(repo.tags for repo in there.repos.values())


def test_what_others_push_meanwhile_is_not_overwritten(there: Hub, root: Path) -> None:
    there.meanwhile = True
    assert "somebody else changed" in refused(root).fix
    assert [commit["summary"] for commit in there.repos[NAME].commits] == ["somebody else's"]


@pytest.mark.parametrize("end", ["/batch", "/commit/main", "/tag"])
def test_an_interrupted_push_is_taken_up(end: str, there: Hub, root: Path) -> None:
    there.refuse[end] = 403
    refused(root)
    there.refuse.clear()
    push(root, NAME, checked(root))
    assert without_the_hubs_own(there.repos[NAME].tags["1.0.0"]) == bytes_of(root)


@pytest.mark.parametrize("name", ["checksums.sha256", "README.md"])
def test_what_was_changed_since_is_not_pushed(name: str, there: Hub, root: Path) -> None:
    found, path = checked(root), root / name
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(Difference, match="changed since it was checked") as caught:
        push(root, NAME, found)
    assert caught.value.where == name
    assert not any(repo.commits for repo in there.repos.values())
    assert not there.large


# The command


@pytest.mark.real
def test_the_command_checks_and_publishes(there: Hub, tmp_path: Path) -> None:
    """In processes of its own, with the whole page of its audit."""
    environment = {
        **os.environ, "HF_ENDPOINT": there.url, "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(tmp_path / "home"),
    }  # fmt: skip

    def command(*arguments: object) -> str:
        program = [sys.executable, "-c", "from pairwright.cli import main; main()"]
        done = subprocess.run(
            [*program, *map(str, arguments)], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    run, release = run_of(tmp_path / "run", PAIRS[:3], study=False), tmp_path / "release"
    command("release", run, "--out", release, "--version", "0.1.0", "--trial")
    said = command("check", release, "--push", NAME)
    assert without_the_hubs_own(there.repos[NAME].files) == bytes_of(release)
    assert f"{there.url}/datasets/{NAME}" in said
    assert "private" in said
    assert "A trial, not a benchmark" in said
    assert TOKEN not in said
    assert not any(TOKEN.encode() in text for text in bytes_of(tmp_path).values())


def test_what_is_not_what_it_says_is_not_published(root: Path, there: Hub) -> None:
    (root / "README.md").write_bytes(b"Better.\n")
    done = pairwright("check", root, "--push", NAME)
    assert (done.code, "README.md" in done.err) == (1, True)
    assert not there.asked

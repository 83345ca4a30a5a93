"""The command that an error names for an extra works with what a user has: no package index."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from pairwright import extras
from pairwright.extras import install


def noted(monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None) -> None:
    class Distribution:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return json.dumps(origin) if origin else None

    monkeypatch.setattr(extras, "distribution", lambda name: Distribution())


def test_the_extra_comes_from_this_very_checkout_and_pip_finds_it_there() -> None:
    python, *command = shlex.split(install("hub"))
    assert python == sys.executable
    assert command[:3] == ["-m", "pip", "install"]
    folder, _, extra = command[-1].partition("[")
    assert (Path(folder) / "pyproject.toml").is_file()
    assert f"\n{extra.rstrip(']')} = [" in (Path(folder) / "pyproject.toml").read_text("utf-8")


@pytest.mark.parametrize("editable", [False, True])
def test_a_checkout_is_named_and_stays_editable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, editable: bool
) -> None:
    folder = tmp_path / "my checkout"
    folder.mkdir()
    noted(monkeypatch, {"url": folder.as_uri(), "dir_info": {"editable": editable}})
    command = shlex.split(install("vllm"))
    assert command[4:] == ["--editable"] * editable + [f"{folder}[vllm]"]


def test_a_wheel_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "pairwright-0.1.0-py3-none-any.whl"
    wheel.touch()
    noted(monkeypatch, {"url": wheel.as_uri(), "archive_info": {}})
    assert shlex.split(install("dense"))[4:] == [f"{wheel}[dense]"]


def test_a_repository_is_named_with_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    vcs = {"vcs": "git", "commit_id": "abc123"}
    noted(monkeypatch, {"url": "https://git.test/pairwright", "vcs_info": vcs})
    wanted = "pairwright[ray] @ git+https://git.test/pairwright@abc123"
    assert shlex.split(install("ray"))[4:] == [wanted]


@pytest.mark.parametrize("origin", [None, {"url": "file:///gone/pairwright", "dir_info": {}}])
def test_where_the_origin_is_not_known_or_gone_both_ways_are_told(
    monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None
) -> None:
    noted(monkeypatch, origin)
    assert "'.[hub]' in the checkout" in install("hub")
    assert "none-any.whl[hub]'" in install("hub")


def test_no_message_names_an_extra_by_the_name_alone() -> None:
    root = Path(__file__).resolve().parents[2]
    found = [
        path.name
        for folder in ("pipeline", "human_eval", "docs")
        for path in (root / folder).rglob("*.*")
        if path.suffix in (".py", ".md") and "install 'pairwright[" in path.read_text("utf-8")
    ]
    assert found == ["extras.py"]

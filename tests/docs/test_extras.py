"""The command that an error names for an extra works with what a user has: no package index."""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from pairwright import assets
from pairwright.assets import install


def noted(monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None) -> None:
    class Distribution:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return json.dumps(origin) if origin else None

    monkeypatch.setattr(assets, "distribution", lambda name: Distribution())


def test_the_extra_comes_from_this_very_checkout_and_pip_finds_it_there() -> None:
    python, *command = shlex.split(install("hub"))
    assert python == sys.executable
    assert command[:3] == ["-m", "pip", "install"]
    folder, _, extra = command[-1].partition("[")
    assert (Path(folder) / "pyproject.toml").is_file()
    assert f"\n{extra.rstrip(']')} = [" in (Path(folder) / "pyproject.toml").read_text("utf-8")


VCS = {"vcs": "git", "commit_id": "abc123"}
ORIGINS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a checkout": ({"url": "file://FOLDER", "dir_info": {}}, ["FOLDER[vllm]"]),
    "an editable one": (
        {"url": "file://FOLDER", "dir_info": {"editable": True}}, ["--editable", "FOLDER[vllm]"],
    ),
    "a wheel": (
        {"url": "file://FOLDER/p-0.1.0-py3-none-any.whl", "archive_info": {}},
        ["FOLDER/p-0.1.0-py3-none-any.whl[vllm]"],
    ),
    "a repository with its commit": (
        {"url": "https://git.test/pairwright", "vcs_info": VCS},
        ["pairwright[vllm] @ git+https://git.test/pairwright@abc123"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "named"), ORIGINS.values(), ids=ORIGINS)
def test_where_pairwright_comes_from_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any], named: list[str]
) -> None:
    folder = tmp_path / "my checkout"
    folder.mkdir()
    (folder / "p-0.1.0-py3-none-any.whl").touch()
    noted(monkeypatch, {**origin, "url": origin["url"].replace("file://FOLDER", folder.as_uri())})
    wanted = [word.replace("FOLDER", str(folder)) for word in named]
    assert shlex.split(install("vllm"))[4:] == wanted


@pytest.mark.parametrize(
    "name", ["vllm", "openai", "pandas", "jsonlines", "tenacity", "label_studio_sdk"]
)
def test_a_named_dependency_is_declared_and_imported(name: str) -> None:
    root = Path(__file__).resolve().parents[2]
    assert f'"{name.replace("_", "-")}' in (root / "pyproject.toml").read_text("utf-8")
    code = [path.read_text("utf-8") for path in root.glob("[ph][iu]*/*/**/*.py")]
    assert any(re.search(rf"^ *(import|from) {name}\b", one, re.MULTILINE) for one in code)

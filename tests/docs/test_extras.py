"""The command that an error names for an extra works with what a user has: no package index."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from pairwright.assets import install


def test_the_extra_comes_from_this_very_checkout_and_pip_finds_it_there() -> None:
    python, *command = shlex.split(install("hub"))
    assert python == sys.executable
    assert command[:4] == ["-m", "pip", "install", "--editable"]
    folder, _, extra = command[-1].partition("[")
    assert (Path(folder) / "pyproject.toml").is_file()
    assert f"\n{extra.rstrip(']')} = [" in (Path(folder) / "pyproject.toml").read_text("utf-8")


@pytest.mark.parametrize(
    "name", ["vllm", "openai", "pandas", "jsonlines", "tenacity", "label_studio_sdk"]
)
def test_a_named_dependency_is_declared_and_imported(name: str) -> None:
    root = Path(__file__).resolve().parents[2]
    assert f'"{name.replace("_", "-")}' in (root / "pyproject.toml").read_text("utf-8")
    code = [path.read_text("utf-8") for path in root.glob("[ph][iu]*/*/**/*.py")]
    assert any(re.search(rf"^ *(import|from) {name}\b", one, re.MULTILINE) for one in code)

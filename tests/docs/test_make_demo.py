"""`make demo` and `make clean` delete nothing that a person changed or put beside it."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).resolve().parents[2] / "Makefile"
PAIRWRIGHT = """#!/bin/sh
case "$1" in
init) mkdir -p "$2/prompts"; echo a >"$2/pairwright.toml"; echo b >"$2/prompts/plan.md" ;;
build) mkdir -p "$4"; echo built >>"$4/pairs.jsonl" ;;
release) mkdir -p "$4" ;;
esac
"""
"""Writes what the commands of the demo write, as far as make looks at it."""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the Makefile, and an environment that is ready."""
    shutil.copy(MAKEFILE, tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text(name)
    stamp = hashlib.sha256(b"pyproject.tomlconstraints.txt").hexdigest()[:16]
    environment = tmp_path / ".venv" / "bin"
    environment.mkdir(parents=True)
    (tmp_path / ".venv" / f"base-{stamp}").touch()
    (environment / "pairwright").write_text(PAIRWRIGHT)
    (environment / "pairwright").chmod(0o755)
    return tmp_path


def make(checkout: Path, *words: str) -> tuple[int, str]:
    outer = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--no-print-directory", *words],
        cwd=checkout, env=outer, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_an_edited_demo_is_kept_until_a_person_says_otherwise(checkout: Path) -> None:
    assert make(checkout, "demo")[0] == 0
    demo = checkout / "demo"
    for name, target in (("pairwright.toml", "demo"), ("prompts/own.md", "clean")):
        before = (demo / name).read_bytes() if (demo / name).exists() else None
        (demo / name).write_text("mine")
        code, said = make(checkout, target)
        assert code == 2
        assert Path(name).name in said
        assert f"make {target} FORCE=1" in said
        assert (demo / name).read_text() == "mine"
        if before:
            (demo / name).write_bytes(before)
    assert make(checkout, "demo", "FORCE=1")[0] == 0
    assert not (demo / "prompts" / "own.md").exists()

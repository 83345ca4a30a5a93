"""The real tier of installing: the wheel in a clean environment. Run by `make test-real`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pairwright.settings.domains import load_scales
from pairwright_human_eval.forms import render_guidelines

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]


def command(*words: str | Path, cwd: Path, python: Path | None = None) -> str:
    """Run a command to its end; its output, or a failure that shows it."""
    program = Path(python or sys.executable).parent
    first, *rest = map(str, words)
    done = subprocess.run(
        [str(program / first), *rest], cwd=cwd, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_wheel_builds_and_verifies_pairs_in_a_clean_environment(tmp_path: Path) -> None:
    command("python", "-m", "build", "--wheel", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    environment = tmp_path / "clean"
    command("python", "-m", "venv", "--without-pip", environment, cwd=tmp_path)
    python = environment / "bin" / "python"
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    command(
        "python", "-m", "pip", "--python", python, "install", "--quiet", *constraints, wheel,
        cwd=tmp_path,
    )  # fmt: skip
    # Not from the checkout: neither its folder nor its environment is in sight.
    assert "PYTHONPATH" not in os.environ
    command("pairwright", "init", "study", cwd=tmp_path, python=python)
    command(
        "pairwright", "build", "study/pairwright.toml", "--run", "run", cwd=tmp_path, python=python
    )
    pairs = (tmp_path / "run" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(pairs) >= 20
    (tmp_path / "wrong.toml").write_text("word = 100", encoding="utf-8")
    wrong = subprocess.run(
        [python.parent / "pairwright", "build", "wrong.toml", "--run", "never"],
        cwd=tmp_path, env={**os.environ, "COLUMNS": "400"}, capture_output=True, text=True,
    )  # fmt: skip
    (page,) = re.findall(r"(/\S+/docs/config\.md) lists every key", wrong.stderr)
    assert Path(page).is_relative_to(environment)
    assert Path(page).read_bytes() == (ROOT / "docs" / "config.md").read_bytes()
    for name in ("export", "simulate", "report", "adjudicate"):
        command("pairwright", "human", name, "run", cwd=tmp_path, python=python)
    assert (tmp_path / "run" / "human" / "report.html").stat().st_size > 10_000
    shipped = render_guidelines(load_scales(ROOT / "rubrics"))
    assert (tmp_path / "run" / "human" / "guidelines.md").read_text(encoding="utf-8") == shipped

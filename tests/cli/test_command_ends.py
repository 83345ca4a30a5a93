"""What commands print at their end that no test of their work looks at."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from pairwright.assets import __version__
from pairwright.cli.printing import phrase
from pairwright.settings.rules import JudgedGate, TextGate
from released import PAIRS, run_of
from stand_in import KEY, StandIn
from study import pairwright


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that nobody has answered. Not to be changed."""
    folder = run_of(tmp_path_factory.mktemp("exported") / "run", PAIRS[:3], study=False)
    assert pairwright("human", "export", folder, "--seed", 1).code == 0
    return folder


@pytest.fixture
def run(exported: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(exported, tmp_path / "run"))


def ended(*arguments: object) -> str:
    done = pairwright("human", *arguments)
    assert done.code == 0, done.said
    return done.out


def test_tasks_go_to_a_server_and_answers_return(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", KEY)
    with StandIn() as server:
        said = ended("push", run, "--url", server.url)
        assert re.search(r"annotator-11 .*/projects/\d+/data\?labeling=1\n$", said)
        assert re.search(r"annotator-11 +0 / \d+ +0 / \d+ +0 / \d+\s*$", ended("status", run))
        assert "stands now:\n  pairwright human report" in ended("pull", run)


def test_a_terminal_says_in_words_what_files_name_by_codes() -> None:
    """The reasons and gates that came of the example, and all gates."""
    frozen = json.loads((Path(__file__).parents[1] / "frozen/outcomes.json").read_text("utf-8"))
    codes = {name.split()[1] for name in frozen} | {*get_args(TextGate), *get_args(JudgedGate)}
    assert len(codes) > 20
    assert [code for code in sorted(codes) if phrase(code) == code.replace("_", " ")] == []


def test_python_runs_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pairwright", "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip()) == (0, __version__)

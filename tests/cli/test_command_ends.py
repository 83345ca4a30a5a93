"""What commands print at their end that no test of their work looks at."""

import json
import subprocess
import sys
from pathlib import Path
from typing import get_args

from pairwright.assets import __version__
from pairwright.cli.printing import phrase
from pairwright.settings.rules import JudgedGate, TextGate


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

"""Commands that only read a run do not import what sends calls, which takes longer than reading;
and a build does not import statistics and figures, two seconds and 120 MB of each process."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("imports", "slow"),
    [
        (
            "pairwright.cli.runs",
            {"aiohttp", "bm25s", "scipy.special", "openai", "torch"},
        ),
        (
            "pairwright.workflows.run_build, pairwright.workflows.workers.worker",
            {"scipy.stats", "statsmodels", "matplotlib", "pandas", "openai", "torch"},
        ),
    ],
)
def test_a_command_imports_no_more_than_it_needs(imports: str, slow: set[str]) -> None:
    program = (
        "import sys, pairwright.cli as cli; cli.command_tree()\n"
        f"import {imports}\n"
        f"print(*sorted({slow} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []

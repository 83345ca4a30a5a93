"""Commands that only read a run do not import what sends calls, which takes longer than reading."""

import subprocess
import sys


def test_status_and_show_import_no_connections() -> None:
    program = (
        "import sys, pairwright.cli as cli; cli.command_tree()\n"
        "import pairwright.cli.runs\n"
        "slow = {'aiohttp', 'bm25s', 'scipy.special', 'openai', 'torch'}\n"
        "print(*sorted(slow & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []

"""Every benchmark runs at its smallest size; what it measures is for a quiet machine."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SMALLEST: dict[str, list[object]] = {
    "agreement.py": [2], "audit.py": [60, 120], "coverage.py": [20], "faults.py": [20, 300],
    "fill.py": [50], "funnel.py": [],
    "gates.py": [20, 5], "label_studio.py": [10], "memory.py": [10, 20], "natural.py": [],
    "placebo.py": [2], "resume.py": [10], "throughput.py": [1],
    "verified.py": [1],
    "reward_server.py": ["--texts", 8, "--runs", 1], "scoring.py": ["--pairs", 4, "--runs", 1],
}  # fmt: skip
"""Its arguments; prefix_cache.py has a test of its own."""


@pytest.mark.parametrize("name", SMALLEST)
def test_a_benchmark_ends_well(name: str) -> None:
    command = [sys.executable, str(BENCHMARKS / name), *map(str, SMALLEST[name])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr

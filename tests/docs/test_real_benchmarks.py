"""Every benchmark runs at its smallest size; what it measures is for a quiet machine."""

import json
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
    "placebo.py": [2], "prefix_cache.py": [20], "resume.py": [10], "throughput.py": [1],
    "verified.py": [1],
    "reward_server.py": ["--texts", 8, "--runs", 1], "scoring.py": ["--pairs", 4, "--runs", 1],
}  # fmt: skip
"""Its arguments."""


@pytest.mark.parametrize("name", SMALLEST)
def test_a_benchmark_ends_well(name: str) -> None:
    command = [sys.executable, str(BENCHMARKS / name), *map(str, SMALLEST[name])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stdout + done.stderr
    if name == "coverage.py":
        found = json.loads(done.stdout.splitlines()[-1])
        assert {"share_lowest", "jackknife_lowest"} <= found.keys()
    if name == "prefix_cache.py":
        found = json.loads(done.stdout.splitlines()[-1])
        # Of other users the posts that are nearest to the question are read, not the same for each.
        assert found["calls_per_history"] > 2
        assert found["computed_ratio"] <= 0.75
        # All calls of an item, against the published order and against the simplest one.
        assert found["computed_ratio_item"] <= 0.85
        assert found["computed_ratio_question_last"] <= 1.0

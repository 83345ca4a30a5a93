"""The real tier of prompt order: what a prefix cache saves, on real vLLM."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "prefix_cache.py"
USERS = "20"


def test_a_history_is_computed_once_for_all_questions_it_is_read_for() -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARK, USERS], capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    # Of other users the posts that are nearest to the question are read, not the same for each.
    assert found["calls_per_history"] > 2
    assert found["computed_ratio"] <= 0.75
    # All calls of an item, against the published order and against the simplest one.
    assert found["computed_ratio_item"] <= 0.85
    assert found["computed_ratio_question_last"] <= 1.0

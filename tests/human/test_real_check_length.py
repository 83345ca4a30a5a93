"""How far the length of responses tells attention checks from the tasks of the recorded demo."""

from collections.abc import Callable
from pathlib import Path

import pytest
from test_check_layout import CHECKS, MEASURES, area, read

from pairwright.records import Pair
from pairwright_human_eval.tasks import Task
from small_studies import study_of
from study import pairwright

pytestmark = pytest.mark.real

SEEDS = 4
RESPONSES: dict[str, Callable[[Task], float]] = {
    "words of both responses": MEASURES["words of both responses"],
    "words a sentence of the responses": MEASURES["words a sentence of the responses"],
    "characters of both responses": lambda task: sum(map(len, read(task))),
}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Task], list[Task]]:
    """Checks and all other preference tasks."""
    folder = tmp_path_factory.mktemp("demo")
    pairwright("init", str(folder))
    pairwright("build", str(folder / "pairwright.toml"), "--run", str(folder / "run"))
    lines = Path(folder / "run" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [Pair.model_validate_json(line) for line in lines]
    made = [study_of(pairs, attention=0.2, checks=CHECKS, seed=seed) for seed in range(SEEDS)]
    every = [task for one in made for task in one.all() if task.keyed.kind == "preference"]
    checks = [task for task in every if task.keyed.purpose == "attention"]
    return checks, [task for task in every if task.keyed.purpose != "attention"]


@pytest.mark.parametrize("measure", RESPONSES)
def test_the_length_of_responses_does_not_tell_a_check(
    tasks: tuple[list[Task], list[Task]], measure: str
) -> None:
    checks, others = tasks
    assert len(checks) >= 200
    size = RESPONSES[measure]
    assert 0.35 <= area([size(task) for task in checks], [size(task) for task in others]) <= 0.65

"""The work is cut where nothing is shared, and the limits are divided and not multiplied."""

from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.corpus import BuildUnit, chunks
from pairwright.settings.config import Config, differences, essential, validate
from pairwright.workflows.workers.worker import most_workers, part_of


def work(items: int, modes: int = 2) -> list[BuildUnit]:
    return [
        BuildUnit(f"{mode}:{item}", "violate", item, item * modes + mode)
        for item in range(items)
        for mode in range(modes)
    ]


def config(processes: int = 1, **endpoint: Any) -> Config:
    data = {
        "processes": processes,
        "source": {"path": "x.jsonl"},
        "endpoints": {"e": {"base_url": "http://127.0.0.1:1/v1", "model": "m", **endpoint}},
        "roles": {"planner": "e", "generator": "e", "judge": "e"},
    }
    return validate(data, Path("run.toml"))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_every_unit_is_in_one_chunk_in_order_and_no_item_is_cut(size: int) -> None:
    units = work(20)
    made = list(chunks(iter(units), size))
    assert [unit for chunk in made for unit in chunk.units] == units
    assert [chunk.number for chunk in made] == list(range(len(made)))
    items = [{unit.item for unit in chunk.units} for chunk in made]
    assert sum(map(len, items)) == len(set().union(*items))
    assert all(size <= len(chunk.units) <= size + 1 for chunk in made[:-1])


def test_a_limit_is_never_passed() -> None:
    part = part_of(config(concurrency=7), 3).endpoints["e"]
    assert part.concurrency == 2
    # No more workers than calls in flight.
    for processes, concurrency, most in ((8, 3, 3), (2, 64, 2)):
        assert most_workers(config(processes, concurrency=concurrency)) == most


def test_another_number_of_processes_is_the_same_run() -> None:
    one, four = (config(n).model_dump(mode="json") for n in (1, 4))
    assert differences(essential(one), essential(four)) == []

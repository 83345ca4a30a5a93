"""The work is cut where nothing is shared, and the limits are divided and not multiplied."""

from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.corpus import BuildUnit, chunks, size_of
from pairwright.errors import BudgetSpent, ConfigError
from pairwright.models.client import Meter
from pairwright.settings.config import Config, differences, essential, validate
from pairwright.workflows.workers.worker import Allowance, SharedMeter, most_workers, part_of


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


def test_chunks_are_small_enough_to_even_out_and_large_enough_to_be_few() -> None:
    assert list(chunks(iter([]), 5)) == []
    assert size_of(2, 8) == 1
    assert size_of(100_000, 4) == 256
    assert 1000 / size_of(1000, 2) / 2 >= 10


@pytest.mark.parametrize("workers", [1, 2, 3, 5])
def test_the_parts_of_an_endpoints_limits_add_up(workers: int) -> None:
    whole = config(concurrency=7)
    parts = [part_of(whole, workers, rank).endpoints["e"] for rank in range(workers)]
    assert sum(int(part.concurrency) for part in parts) == 7


def test_without_ranks_a_limit_is_never_passed() -> None:
    part = part_of(config(concurrency=7), 3, None).endpoints["e"]
    assert part.concurrency == 2
    # No more workers than calls in flight.
    for processes, concurrency, most in ((8, 3, 3), (2, 64, 2)):
        assert most_workers(config(processes, concurrency=concurrency)) == most


@pytest.mark.parametrize("processes", [0, -1, 1.5, "2", True])
def test_a_number_of_processes_that_is_none_is_refused_by_its_key(processes: Any) -> None:
    with pytest.raises(ConfigError, match=r"\[processes\]"):
        config(processes)


def test_another_number_of_processes_is_the_same_run() -> None:
    one, four = (config(n).model_dump(mode="json") for n in (1, 4))
    assert differences(essential(one), essential(four)) == []


def sharing(meter: Meter) -> list[SharedMeter]:
    allowance = Allowance(get_context("forkserver"), meter)
    return [SharedMeter(allowance=allowance) for _ in range(2)]


def send(meter: SharedMeter, cost: float = 0.0) -> None:
    meter.admit()
    meter.answered(1, 1, cost)


def test_a_budget_of_calls_holds_over_all_processes_and_earlier_runs() -> None:
    one, other = sharing(Meter(max_calls=10, calls=4))
    for meter in (one, other, one, one, other, one):
        send(meter)
    for meter in (one, other):
        with pytest.raises(BudgetSpent, match="max_calls = 10"):
            meter.admit()


def test_calls_in_flight_count_and_the_place_of_a_failed_one_is_used_again() -> None:
    one, other = sharing(Meter(max_calls=2))
    one.admit()
    one.in_flight += 1
    send(other)
    with pytest.raises(BudgetSpent):
        other.admit()
    one.in_flight -= 1  # It failed.
    send(one)
    with pytest.raises(BudgetSpent):
        one.admit()


def test_a_budget_of_cost_counts_what_others_paid_and_without_one_nothing_is_spent() -> None:
    free, _ = sharing(Meter(calls=100, cost=5.0))
    for _ in range(50):
        send(free, 1.0)
    one, other = sharing(Meter(max_cost=1.0, cost=0.25))
    send(one, 0.5)
    send(other, 0.25)
    for meter in (one, other):
        with pytest.raises(BudgetSpent, match=r"max_cost = 1\.0"):
            meter.admit()

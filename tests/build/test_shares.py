"""Ray's shares: no question is cut, and the limits are divided and not multiplied."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Unit
from pairwright.construct.shards import most_workers, part_of, shares_of
from pairwright.settings.config import Config, differences, essential, validate
from scripted import item


def config(processes: int = 1, **endpoint: Any) -> Config:
    data = {
        "processes": processes,
        "source": {"path": "x.jsonl"},
        "endpoints": {"e": {"base_url": "http://127.0.0.1:1/v1", "model": "m", **endpoint}},
        "roles": {"planner": "e", "generator": "e", "judge": "e"},
    }
    return validate(data, Path("run.toml"))


@pytest.mark.parametrize("workers", [1, 2, 3, 7, 100])
def test_every_unit_is_in_one_share_in_order_and_no_question_is_cut(
    workers: int, tmp_path: Path
) -> None:
    items = [item((), id=f"q{n}", question=f"Question {n % 15}?") for n in range(20)]
    units = [Unit(f"{mode}:{n}", "violate", n, 2 * n + mode) for n in range(20) for mode in (0, 1)]
    with closing(Corpus.write(items, tmp_path / "items.jsonl", 0)) as corpus:
        shares = shares_of(units, corpus, workers)
    built = [unit for share in shares for unit in share]
    assert sorted(built, key=lambda unit: unit.position) == units
    assert all(share == [unit for unit in units if unit in share] for share in shares)
    asked = [{unit.item % 15 for unit in share} for share in shares]
    assert sum(map(len, asked)) == 15
    assert len(shares) == min(workers, len(shares))


def test_a_limit_is_never_passed() -> None:
    assert part_of(config(concurrency=7).endpoints["e"], 3).concurrency == 2
    # No more workers than calls in flight.
    for processes, concurrency, most in ((8, 3, 3), (2, 64, 2)):
        assert most_workers(config(processes, concurrency=concurrency)) == most


def test_another_number_of_processes_is_the_same_run() -> None:
    one, four = (config(n).model_dump(mode="json") for n in (1, 4))
    assert differences(essential(one), essential(four)) == []

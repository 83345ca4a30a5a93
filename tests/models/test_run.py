"""Bounded workers: every unit once, never more alive than workers, and one error ends the run."""

import asyncio
from collections.abc import Iterator

import pytest

from pairwright.errors import CallFailed, EndpointRefused, Unanswered
from pairwright.models import together
from pairwright.models.model import work_through


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_every_unit_is_worked_on_once_and_never_more_are_alive_than_workers(workers: int) -> None:
    alive = set[int]()
    most = list[int]()

    def units() -> Iterator[int]:
        for unit in range(20):
            alive.add(unit)
            most.append(len(alive))
            yield unit

    async def work(unit: int) -> int:
        await asyncio.sleep(0.001 * (unit % 4))
        alive.remove(unit)
        return -unit

    done = asyncio.run(work_through(units(), work, workers=workers, stop=lambda: None))
    assert done == [-unit for unit in range(20)]
    assert max(most) == min(workers, 20)


def test_the_first_error_stops_the_others_which_finish_what_they_have_begun() -> None:
    begun, ended, stops = list[int](), list[int](), list[str]()

    async def work(unit: int) -> None:
        begun.append(unit)
        await asyncio.sleep(0.001)
        if unit == 2:
            raise EndpointRefused("401")
        await asyncio.sleep(0.02)
        ended.append(unit)

    with pytest.raises(EndpointRefused, match="401"):
        asyncio.run(work_through(range(100), work, workers=4, stop=lambda: stops.append("stop")))
    assert (begun, ended, stops) == ([0, 1, 2, 3], [0, 1, 3], ["stop"])


@pytest.mark.parametrize("error", [CallFailed("http_500", "no"), Unanswered("plan")])
def test_siblings_are_awaited_and_a_bug_is_raised_before_a_call_that_failed(
    error: BaseException,
) -> None:
    ended = list[str]()

    async def call(error: BaseException | None) -> str:
        await asyncio.sleep(0 if error else 0.01)
        if error:
            raise error
        ended.append("whole")
        return "whole"

    with pytest.raises(AssertionError, match="a bug"):
        asyncio.run(together(*map(call, (error, AssertionError("a bug"), None))))
    assert ended == ["whole"]

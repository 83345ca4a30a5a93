"""Bounded workers: every unit once, never more alive than workers, and one error ends the run."""

import asyncio
from collections.abc import Iterator

import pytest

from pairwright.errors import CallFailed, EndpointRefused, Unanswered
from pairwright.models import together
from pairwright.models.model import work_through


def never() -> None:
    raise AssertionError("stop was called")


class Units:
    """An iterator of numbers that knows how many were taken."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.taken = 0

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if self.taken == self.n:
            raise StopIteration
        self.taken += 1
        return self.taken - 1


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_every_unit_is_worked_on_once_and_never_more_are_alive_than_workers(workers: int) -> None:
    units, done = Units(20), list[int]()
    alive = most = 0

    async def work(unit: int) -> None:
        nonlocal alive, most
        alive += 1
        most = max(most, alive)
        assert units.taken - len(done) <= workers
        await asyncio.sleep(0.001 * (unit % 4))
        alive -= 1
        done.append(unit)

    asyncio.run(work_through(units, work, workers=workers, stop=never))
    assert sorted(done) == list(range(20))
    assert most == min(workers, 20)


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
        asyncio.run(work_through(Units(100), work, workers=4, stop=lambda: stops.append("stop")))
    assert begun == [0, 1, 2, 3]
    assert ended == [0, 1, 3]
    assert stops == ["stop"]


@pytest.mark.parametrize(
    "errors",
    [
        (CallFailed("http_500", "no"), AssertionError("a bug")),
        (Unanswered("plan"), AssertionError("a bug")),
    ],
)
def test_siblings_are_awaited_and_a_bug_is_raised_before_a_call_that_failed(
    errors: tuple[BaseException, ...],
) -> None:
    ended = list[str]()

    async def call(error: BaseException | None) -> str:
        await asyncio.sleep(0 if error else 0.01)
        if error:
            raise error
        ended.append("whole")
        return "whole"

    with pytest.raises(AssertionError, match="a bug"):
        asyncio.run(together(*map(call, (*errors, None))))
    assert ended == ["whole"]

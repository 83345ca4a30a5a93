"""Bounded workers: every unit once, never more alive than workers, and one error ends the run."""

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest

from pairwright.errors import CallFailed, EndpointRefused, Interrupted, Unanswered
from pairwright.models import CallLog, Completion, Model, Request, Usage, together
from pairwright.models.work import work_through
from pairwright.records import Dropped
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import Ask, Message


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


def test_one_worker_keeps_the_order_and_a_slow_unit_holds_nobody_up() -> None:
    def order(units: int, workers: int) -> list[int]:
        done, others = list[int](), asyncio.Event()

        async def work(unit: int) -> None:
            if (unit, workers) == (0, 2):
                await others.wait()
            done.append(unit)
            if len(done) == units - 1:
                others.set()

        asyncio.run(work_through(iter(range(units)), work, workers=workers, stop=never))
        return done

    assert order(9, 1) == list(range(9))
    assert order(30, 2) == [*range(1, 30), 0]
    assert order(0, 4) == []


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


@pytest.mark.parametrize("first", [AssertionError("a bug"), CallFailed("cause", "of all")])
def test_of_several_errors_the_first_is_raised_and_stop_called_once(first: Exception) -> None:
    """As in a build: after the stop, the others end in Interrupted."""
    stopping, stops = asyncio.Event(), list[str]()

    def stop() -> None:
        stops.append("stop")
        stopping.set()

    async def work(unit: int) -> None:
        if unit == 1:
            await asyncio.sleep(0.01)
            raise first
        await stopping.wait()
        raise Interrupted("stopping")

    with pytest.raises(type(first), match=str(first.args[0])):
        asyncio.run(work_through(iter(range(9)), work, workers=3, stop=stop))
    assert stops == ["stop"]


def test_cancelled_from_outside_no_unit_is_left_running() -> None:
    ended = list[int]()

    async def work(unit: int) -> None:
        try:
            await asyncio.sleep(10)
        finally:
            ended.append(unit)

    async def scenario() -> None:
        run = asyncio.create_task(work_through(iter(range(9)), work, workers=3, stop=lambda: None))
        await asyncio.sleep(0.01)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert sorted(ended) == [0, 1, 2]
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(scenario())


def test_a_source_that_breaks_half_way_ends_the_run_like_any_error() -> None:
    ended, stops = list[int](), list[str]()

    def units() -> Iterator[int]:
        yield from range(4)
        raise EndpointRefused("no more")

    async def work(unit: int) -> None:
        await asyncio.sleep(0.01 * (unit + 1))
        ended.append(unit)

    with pytest.raises(EndpointRefused, match="no more"):
        asyncio.run(work_through(units(), work, workers=2, stop=lambda: stops.append("s")))
    assert ended == [0, 1, 2, 3]
    assert stops == ["s"]


class Echo:
    """Answers with the prompt; a prompt that begins with `late` comes last."""

    async def complete(self, request: Request) -> Completion:
        text = request.messages[0].content
        await asyncio.sleep(0.01 if text.startswith("late") else 0)
        if text == "fail":
            raise CallFailed("http_500", "no")
        return Completion(
            key=request.key,
            text=text,
            finish="stop",
            prompt_tokens=10,
            completion_tokens=1,
        )


def test_calls_are_noted_in_the_order_of_their_answers_and_equal_ones_once() -> None:
    log = CallLog()
    model = Model(Echo(), Endpoint(base_url="http://x/v1", model="m"), Sampling()).with_log(log)

    def write(name: str, text: str) -> Coroutine[Any, Any, str | Dropped]:
        return model.write(Ask(name, (Message("user", text),)))

    async def scenario() -> None:
        wanted = await together(*(write(*one) for one in asked))
        assert wanted == ("late", "early", "early")
        await write("plan", "late")

    asked = [("plan", "late"), ("write", "early"), ("write", "early")]
    asyncio.run(scenario())
    assert [*log.made.values()] == ["write", "plan"]
    assert log.used == Usage(calls=2, prompt_tokens=20, completion_tokens=2)
    with pytest.raises(CallFailed):
        asyncio.run(write("plan", "fail"))
    assert len(log.made) == 2, "a call that failed is not noted"


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

"""Work that goes together: several calls at once (`together`), and results that several pieces of
work have in common, made once (`SharedWork`).

What the store can answer is answered without a task or a turn of the event loop: `together` runs
each coroutine up to its first wait, and only what is left of it becomes a task (Python 3.12 has
eager tasks for this). A run over stored calls then costs about what calling the functions costs.

The first step runs inside the caller's task. Code that asks which task it is in, such as an HTTP
client's timeouts, must come after a wait: `store.Durable` yields once before it sends.
"""

import asyncio
import types
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Generator, Hashable
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, TypeVar, overload

from pairwright.errors import PairwrightError, Unanswered
from pairwright.models.completion import Completion
from pairwright.models.model import LLM, Models
from pairwright.models.request import Request

T1 = TypeVar("T1")
T2 = TypeVar("T2")
T3 = TypeVar("T3")
T4 = TypeVar("T4")

Call = Coroutine[Any, Any, T1]


@overload
async def together(a: Call[T1], b: Call[T2], /) -> tuple[T1, T2]: ...
@overload
async def together(a: Call[T1], b: Call[T2], c: Call[T3], /) -> tuple[T1, T2, T3]: ...
@overload
async def together(
    a: Call[T1], b: Call[T2], c: Call[T3], d: Call[T4], /
) -> tuple[T1, T2, T3, T4]: ...
@overload
async def together(*calls: Call[T1]) -> tuple[T1, ...]: ...
async def together(*calls: Call[Any]) -> tuple[Any, ...]:
    """Await all calls of one piece of work at once, in order.

    Every sibling is awaited before the first exception is let through, so that no call
    is abandoned half way and its reply lost.
    """
    begun = [_begin(call) for call in calls]
    waiting = [call for call in begun if not call.done()]
    if waiting:
        await asyncio.gather(*waiting, return_exceptions=True)
    # All are done. Every error is looked at, so that none is reported as forgotten.
    errors = [_error(call) for call in begun]
    if failed := [error for error in errors if error]:
        # A bug must not hide behind a call that merely failed or has no reply yet.
        raise min(failed, key=lambda error: isinstance(error, PairwrightError | Unanswered))
    return tuple([call.result() for call in begun])


def _error(call: asyncio.Future[Any]) -> BaseException | None:
    return asyncio.CancelledError() if call.cancelled() else call.exception()


def _begin(call: Call[T1]) -> asyncio.Future[T1]:
    """Run a coroutine up to its first wait: a future that is done, or the task of the rest."""
    done: asyncio.Future[T1] = asyncio.get_running_loop().create_future()
    try:
        first = call.send(None)
    except StopIteration as end:
        done.set_result(end.value)
    except BaseException as error:  # Let through below, once the siblings are done.
        done.set_exception(error)
    else:
        return asyncio.create_task(_finish(call, first))
    return done


async def _finish(call: Call[T1], first: object) -> T1:
    return await _rest(call, first)


@types.coroutine
def _rest(call: Call[T1], waits_for: object) -> Generator[object, Any, T1]:
    """Go on with a coroutine that waits for what it yielded."""
    while True:
        try:
            try:
                sent = yield waits_for
            except BaseException as error:  # Cancellation: the coroutine decides about it.
                waits_for = call.throw(error)
            else:
                waits_for = call.send(sent)
        except StopIteration as end:
            result: T1 = end.value
            return result


T = TypeVar("T")


class _RoleRequest(NamedTuple):
    role: int
    request: Request


@dataclass
class _RecordingLLM:
    """An LLM that notes what is asked of it."""

    llm: LLM
    role: int
    asked: list[_RoleRequest]

    async def complete(self, request: Request) -> Completion:
        self.asked.append(_RoleRequest(self.role, request))
        return await self.llm.complete(request)


class SharedWork:
    """Results by key, with the calls behind them; the `kept` latest ones."""

    def __init__(self, kept: int = 0) -> None:
        self._kept = kept
        self._done: OrderedDict[Hashable, tuple[Any, list[_RoleRequest]]] = OrderedDict()

    async def __call__(
        self, key: Hashable, models: Models, work: Callable[[Models], Awaitable[T]]
    ) -> T:
        """What `work` gives. An equal key must mean equal work and equal replies.

        Only finished work is kept: pieces under way at the same time each do it, and equal
        calls in flight are sent once anyway.
        """
        if stored := self._done.get(key):
            result: T = stored[0]
            for role, request in stored[1]:
                await models[role].llm.complete(request)
            return result
        requests: list[_RoleRequest] = []
        roles = count()
        result = await work(models.bound_to(lambda llm: _RecordingLLM(llm, next(roles), requests)))
        self._done[key] = result, requests
        if len(self._done) > self._kept:
            self._done.popitem(last=False)
        return result

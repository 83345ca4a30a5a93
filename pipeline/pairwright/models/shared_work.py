"""Work that goes together: several calls at once (`together`), and which calls each piece makes
(`CallLog`).

What the store can answer is answered without a task or a turn of the event loop: `together` runs
each coroutine up to its first wait, and only what is left of it becomes a task (Python 3.12 has
eager tasks for this). A run over stored calls then costs about what calling the functions costs.

The first step runs inside the caller's task. Code that asks which task it is in, such as an HTTP
client's timeouts, must come after a wait: `store.Durable` yields once before it sends.
"""

import asyncio
import types
from collections.abc import Coroutine, Generator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, overload

from pairwright.errors import PairwrightError, Unanswered
from pairwright.models.completion import Completion
from pairwright.models.model import LLM, Models, Request

T1 = TypeVar("T1")
T2 = TypeVar("T2")
T3 = TypeVar("T3")
T4 = TypeVar("T4")

Work = Coroutine[Any, Any, T1]


@overload
async def together(a: Work[T1], b: Work[T2], /) -> tuple[T1, T2]: ...
@overload
async def together(a: Work[T1], b: Work[T2], c: Work[T3], /) -> tuple[T1, T2, T3]: ...
@overload
async def together(
    a: Work[T1], b: Work[T2], c: Work[T3], d: Work[T4], /
) -> tuple[T1, T2, T3, T4]: ...
@overload
async def together(*calls: Work[T1]) -> tuple[T1, ...]: ...
async def together(*calls: Work[Any]) -> tuple[Any, ...]:
    """Await all calls of one piece of work at once, in order.

    Every sibling is awaited before the first exception is let through, so that no call
    is abandoned half way and its reply lost.
    """
    begun = [_begin(call) for call in calls]
    waiting = [call for call in begun if not call.done()]
    if waiting:
        await asyncio.gather(*waiting, return_exceptions=True)
    # All are done. Every error is looked at, so that none is reported as forgotten.
    errors = [asyncio.CancelledError() if call.cancelled() else call.exception() for call in begun]
    if failed := [error for error in errors if error]:
        # A bug must not hide behind a call that merely failed or has no reply yet.
        raise min(failed, key=lambda error: isinstance(error, PairwrightError | Unanswered))
    return tuple([call.result() for call in begun])


def _begin(call: Work[T1]) -> asyncio.Future[T1]:
    """Run a coroutine up to its first wait: a future that is done, or the task of the rest."""
    done: asyncio.Future[T1] = asyncio.get_running_loop().create_future()
    try:
        first = call.send(None)
    except StopIteration as end:
        done.set_result(end.value)
    except BaseException as error:  # Let through below, once the siblings are done.
        done.set_exception(error)
    else:
        return asyncio.ensure_future(_rest(call, first))
    return done


@types.coroutine
def _rest(call: Work[T1], waits_for: object) -> Generator[object, Any, T1]:
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


class Call(NamedTuple):
    """One call as a piece of work made it."""

    purpose: str
    key: str


@dataclass
class CallLog:
    """The calls of one piece of work, in the order of their answers; equal calls are noted once."""

    made: dict[Call, None] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    recorded: set[str] = field(default_factory=set)
    """Models whose replies came from a recording."""

    def add(self, request: Request, completion: Completion) -> None:
        """Note an answered call."""
        call = Call(request.purpose, completion.key)
        if call not in self.made:
            self.made[call] = None
            self.prompt_tokens += completion.prompt_tokens
            self.completion_tokens += completion.completion_tokens
            self.recorded |= {request.model} if completion.recorded else set()


@dataclass
class Traced:
    """An LLM that notes which calls one piece of work makes, in the order of their answers."""

    llm: LLM
    calls: CallLog

    async def complete(self, request: Request) -> Completion:
        completion = await self.llm.complete(request)
        self.calls.add(request, completion)
        return completion


def traced(models: Models) -> tuple[Models, CallLog]:
    """The models with one log of all calls that are made through them."""
    log = CallLog()
    return models.bound_to(lambda llm: Traced(llm, log)), log

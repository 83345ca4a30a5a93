"""Between stages and machinery: what answers a request, and what puts it on the wire."""

from dataclasses import dataclass
from typing import Protocol

from pairwright.llm.completion import Completion, completion_of
from pairwright.llm.request import Request


class Sender(Protocol):
    """The wire below the store: sends a request and returns the raw body of its reply."""

    async def send(self, request: Request) -> bytes:
        """The body of a usable reply, or `errors.CallFailed`."""
        ...


class LLM(Protocol):
    """Whatever answers requests: the durable client, or a test's canned replies."""

    async def complete(self, request: Request) -> Completion:
        """Answer one request, or raise `errors.CallFailed`."""
        ...


@dataclass(frozen=True)
class Unstored:
    """An LLM straight to a sender, for a probe that nobody needs again."""

    sender: Sender

    async def complete(self, request: Request) -> Completion:
        return completion_of(request.key, await self.sender.send(request))

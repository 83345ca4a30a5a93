"""Between stages and machinery: what answers a request, and what puts it on the wire."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pairwright.models.completion import Completion
from pairwright.models.request import Request


class Answer(NamedTuple):
    """A usable reply as it came, and what is read from it."""

    body: bytes
    completion: Completion


class Sender(Protocol):
    """The wire below the store: sends a request and reads its reply."""

    async def send(self, request: Request) -> Answer:
        """A usable reply, or `errors.CallFailed`."""
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
        return (await self.sender.send(request)).completion

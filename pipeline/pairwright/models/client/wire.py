"""`Wire`: what sends a body and brings a response back, and what is worth asking again."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from pairwright.models import Request


class Response(NamedTuple):
    """What came back for a body, whatever its status."""

    status: int
    body: bytes
    headers: Mapping[str, str] = MappingProxyType({})
    """Names in any case; empty of an engine in this process."""


class Wire(Protocol):
    """What answers chat completions: a server, or an engine in this process."""

    where: str
    """For messages: its address."""

    async def post(self, body: bytes, request: Request) -> Response:
        """Answer a body, which is that of `request`; a server reads the body alone.

        Raises Transient where nothing whole came back."""
        ...

    async def close(self) -> None: ...


class Transient(Exception):
    """Worth asking again: a rate limit, a server error, a lost connection, a broken body."""

    def __init__(self, reason: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.retry_after = retry_after

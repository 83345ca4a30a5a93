"""Real prompts that are put to one server, and what is found out by them."""

import json
from typing import Literal, NamedTuple

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models import CONTEXT_LENGTH, Completion, Request
from pairwright.models.client import Client
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import Ask

QUESTION = "How do I keep bread fresh?"


class RequestRefused(Exception):
    """The server refuses this one request, in its own words; it may take others."""


class ServerAnswer(NamedTuple):
    """A reply with what its usage says."""

    completion: Completion
    cached_tokens: int | None
    """Prompt tokens that came from the server's prefix cache, where it says so."""


class ServerQuestions(NamedTuple):
    """A server that can be asked, and the prompts to ask it with."""

    client: Client
    endpoint: Endpoint
    sampling: Sampling
    prompts: Prompts

    async def put(
        self, ask: Ask, *, room: int, seed: int | None, schema: str | None = None
    ) -> ServerAnswer:
        """One request at temperature 1, so that seeds show.

        Raises RequestRefused, and errors.CallFailed where the server fails.
        """
        request = Request(
            model=self.endpoint.model,
            messages=ask.messages,
            temperature=None if self.sampling.temperature is None else 1.0,
            max_tokens=room,
            seed=seed,
            schema_name=schema and ask.name,
            schema_json=schema,
            extra=self.sampling.extra_json,
        )
        try:
            body, completion = await self.client.send(request)
        except EndpointRefused as error:
            raise RequestRefused(str(error)) from None
        except CallFailed as error:
            if error.reason.startswith("http_4"):
                raise RequestRefused(str(error)) from None
            raise
        if completion.finish in (CONTEXT_LENGTH, "content_filter"):
            raise RequestRefused(completion.text[:500])
        return ServerAnswer(completion, _cached(body))


def _cached(body: bytes) -> int | None:
    """`usage.prompt_tokens_details.cached_tokens`, where it is a count."""
    node = json.loads(body)
    for name in ("usage", "prompt_tokens_details", "cached_tokens"):
        node = node.get(name) if isinstance(node, dict) else None
    return node if isinstance(node, int) and node >= 0 else None


State = Literal["ok", "note", "stop"]


class ServerFinding(NamedTuple):
    """One thing that a build depends on; `stop` means that a build cannot use the server."""

    state: State
    about: str
    found: str
    advice: str = ""
    """What it means for a build, and what to do."""

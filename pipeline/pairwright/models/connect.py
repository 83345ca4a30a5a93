"""The clients of a config's endpoints, with their keys."""

import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from pairwright.assets import install
from pairwright.errors import ConfigError
from pairwright.models.client import Client, Meter, Server
from pairwright.models.engine import Engine
from pairwright.models.recording import Recorded
from pairwright.models.store import Store
from pairwright.settings.endpoints import Endpoint

Say: TypeAlias = Callable[[str], None]
say: Say = logging.getLogger("pairwright").warning
"""Notices on an endpoint that are shown at once if no progress is reported."""


def api_key(name: str, endpoint: Endpoint) -> str | None:
    """The key from the environment variable that the endpoint names. Raises ConfigError."""
    if endpoint.api_key_env is None:
        return None
    key = os.environ.get(endpoint.api_key_env, "")
    if not key or not key.isascii() or not key.isprintable():
        raise ConfigError(
            f"the environment variable {endpoint.api_key_env} is not set, or not to a key",
            where=f"[endpoints.{name}.api_key_env]",
            fix=f"export {endpoint.api_key_env}=..., or name another variable.",
        )
    return key


def client_of(
    name: str, endpoint: Endpoint, meter: Meter, store: Store | None = None, say: Say = say
) -> Client:
    """The client of an endpoint of a config. Raises ConfigError for a key that is not set and an
    engine that is not installed, InputError for a recording that cannot be read."""
    if endpoint.recording is not None:
        return Recorded(Path(endpoint.recording), meter, store)
    if endpoint.engine == "http":
        return Server(name, endpoint, meter, store, api_key=api_key(name, endpoint), say=say)
    if find_spec("vllm") is None:
        raise ConfigError(
            "vLLM is not installed",
            where=f"[endpoints.{name}] engine = 'vllm'",
            fix=f"Run {install('vllm')}; or name the base_url of a server.",
        )
    return Engine(name, endpoint, meter, store, say=say)


@asynccontextmanager
async def open_clients(
    endpoints: Mapping[str, Endpoint], meter: Meter, store: Store | None = None, say: Say = say
) -> AsyncIterator[dict[str, Client]]:
    """Connect endpoints by their names. Raises as `client_of`."""
    async with AsyncExitStack() as stack:
        clients = {name: client_of(name, of, meter, store, say) for name, of in endpoints.items()}
        for client in clients.values():
            await stack.enter_async_context(client)
        yield clients

"""vLLM in this process instead of a server, with a table of flags that vLLM's own parser reads. It
starts at the first call, so that a run over stored calls needs neither the engine nor a GPU."""

import asyncio
import gc
import json
import os
import time
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn

from pydantic import JsonValue

from pairwright.assets import install
from pairwright.errors import ConfigError, PairwrightError
from pairwright.models.client import EndpointClient
from pairwright.models.reply import Response, Transient
from pairwright.models.request import Request
from pairwright.settings.endpoints import Endpoint

if TYPE_CHECKING:
    from pairwright.models.vllm import EngineChat


# Defaults of vLLM's environment variables here. Standard output is for results; no usage is
# reported; and a process that has threads must not be forked.
_ENVIRONMENT = {
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
}
SHUTDOWN_S = 10
"""The time in which its processes may end. Killed, they can leave shared memory behind."""


def require_vllm(name: str) -> None:
    """Raise ConfigError where vLLM is not installed, which the endpoint of this name asks for."""
    if find_spec("vllm") is None:
        raise ConfigError(
            "vLLM is not installed",
            where=f"[endpoints.{name}] engine = 'vllm'",
            fix=f"Run {install('vllm')}; or name the base_url of a server.",
        )


class Engine(EndpointClient):
    """A client of vLLM in this process."""

    _starting: "asyncio.Task[EngineChat] | None" = None

    @property
    def where(self) -> str:
        return "vLLM in this process"

    async def post(self, request: Request) -> Response:
        """Raises EndpointRefused once the engine is dead, ConfigError where it cannot start."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        # All calls wait for it: one that is cancelled must not end it.
        served = await asyncio.shield(self._starting)
        body = request.body(self._endpoint.token_parameter)
        try:
            async with asyncio.timeout(self._endpoint.timeout_s):
                return await served.reply(body, f"{self.place} {self.where}")
        except TimeoutError:
            detail = f"no whole reply in {self._endpoint.timeout_s} s"
            raise Transient("timeout_or_dropped", detail) from None

    async def __aexit__(self, *_: object) -> None:
        if self._starting is None:
            return
        with suppress(PairwrightError):
            served = await self._starting
            served.client.shutdown(timeout=SHUTDOWN_S)
        self._starting = None
        # vLLM complains of an engine that is collected after its modules.
        gc.collect()

    async def _start(self) -> "EngineChat":
        model, began = self._endpoint.model, time.monotonic()
        self._say(f"vLLM starts with {model}: half a minute or more")
        for variable, value in _ENVIRONMENT.items():
            os.environ.setdefault(variable, value)
        try:
            # It takes seconds, and does so beside the loop.
            vllm = await asyncio.to_thread(import_module, "pairwright.models.vllm")
            served: EngineChat = await vllm.start(self.name, self._endpoint)
        except PairwrightError:
            raise
        except Exception as error:  # What vLLM, its model and the machine raise.
            raise ConfigError(
                f"vLLM cannot start with {model!r}: {str(error) or type(error).__name__}",
                where=self.place,
                fix="Check `model` and the table `vllm`; vLLM's own words are above.",
            ) from None
        self._say(f"vLLM is ready after {time.monotonic() - began:.0f} s")
        return served


def parsed(parser: ArgumentParser, name: str, endpoint: Endpoint, required: list[str]) -> Namespace:
    """All flags as the parser's namespace; `required` is what it insists on. Raises ConfigError
    with what it says."""

    def refuse(message: str) -> NoReturn:
        raise wrong(name, message)

    parser.error, parser.allow_abbrev = refuse, False  # type: ignore[method-assign]
    # What is stored and sent is the endpoint's `model`; a flag may say where its files lie.
    named = {"model": endpoint.model, "revision": endpoint.revision}
    words = list(required)
    for key, value in {**named, **endpoint.vllm, "served_model_name": endpoint.model}.items():
        flag = key.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        elif isinstance(value, list):
            words += [f"--{flag}", *map(_word, value)]
        elif value is not None:
            words.append(f"--{flag}={_word(value)}")
    return parser.parse_args(words)


def _word(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def wrong(name: str, message: str) -> ConfigError:
    """An error of the table of flags."""
    fix = "Its keys are flags of `vllm serve --help=all`, with underscores."
    return ConfigError(message, where=f"[endpoints.{name}.vllm]", fix=fix)

"""vLLM in this process instead of a server: its async engine under its own chat completions, put
together as `vllm run-batch` does, without a socket. Chat template, sampling, schemas and errors are
those of `vllm serve`, so that a server can go on with what was begun here.

It is imported and started at the first call: a run over stored calls needs neither engine nor GPU.
"""

import asyncio
import gc
import json
import os
import signal
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pydantic import JsonValue, ValidationError

from pairwright.errors import ConfigError, EndpointRefused, PairwrightError, first_invalid
from pairwright.models.call import Request, Response, Transient
from pairwright.models.client import EndpointClient
from pairwright.settings.endpoints import Endpoint

if TYPE_CHECKING:
    from vllm.entrypoints.openai.chat_completion.serving import OpenAIServingChat
    from vllm.v1.engine.async_llm import AsyncLLM

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
            (await self._starting).client.shutdown(timeout=SHUTDOWN_S)
        self._starting = None
        # vLLM complains of an engine that is collected after its modules.
        gc.collect()

    async def _start(self) -> "EngineChat":
        model = self._endpoint.model
        self._say(f"vLLM starts with {model}: half a minute or more")
        for variable, value in _ENVIRONMENT.items():
            os.environ.setdefault(variable, value)
        try:
            served = await start_chat(self.name, self._endpoint)
        except PairwrightError:
            raise
        except Exception as error:  # What vLLM, its model and the machine raise.
            raise ConfigError(
                f"vLLM cannot start with {model!r}: {str(error) or type(error).__name__}",
                where=self.place,
                fix="Check `model` and the table `vllm`; vLLM's own words are above.",
            ) from None
        self._say("vLLM is ready")
        return served


class EngineChat(NamedTuple):
    """A running engine that answers chat completions."""

    client: "AsyncLLM"
    chat: "OpenAIServingChat"

    async def reply(self, body: dict[str, Any], where: str) -> Response:
        """Raises EndpointRefused once the engine is dead."""
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
        from vllm.entrypoints.serve import create_error_response
        from vllm.entrypoints.serve.engine.protocol import ErrorResponse

        try:
            request = ChatCompletionRequest.model_validate(body)
            reply = await self.chat.create_chat_completion(request)
        except Exception as error:  # All that the server turns into a status.
            if self.client.errored:
                raise EndpointRefused(
                    f"{where} has died: {str(error) or type(error).__name__}\n"
                    "  vLLM's own words are above. Every finished call is stored: run again to"
                    " go on."
                ) from None
            reply = create_error_response(error)
        status = reply.error.code if isinstance(reply, ErrorResponse) else 200
        return Response(status, reply.model_dump_json().encode())


async def start_chat(name: str, endpoint: Endpoint) -> EngineChat:
    """Load the endpoint's model beside the loop, with the server's chat template and parsers.
    Raises ConfigError naming a flag that vLLM refuses, and whatever vLLM raises."""
    flags, client = await asyncio.to_thread(_launched, name, endpoint)
    from starlette.datastructures import State
    from vllm.entrypoints.launchers.api_server.app_state import init_app_state

    state = State()
    await init_app_state(client, state, flags, await client.get_supported_tasks())
    return EngineChat(client, state.openai_serving_chat)


def _launched(name: str, endpoint: Endpoint) -> "tuple[Namespace, AsyncLLM]":
    # The import takes seconds. That of the state is for the loop, which needs it next.
    import vllm.entrypoints.launchers.api_server.app_state  # noqa: F401
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.entrypoints.launchers.run_batch import make_arg_parser
    from vllm.usage.usage_lib import UsageContext
    from vllm.utils.argparse_utils import FlexibleArgumentParser
    from vllm.v1.engine.async_llm import AsyncLLM

    # The parser insists on two files. They are not opened.
    flags = parsed(make_arg_parser(FlexibleArgumentParser()), name, endpoint, ["-i", "", "-o", ""])
    # A terminal sends Ctrl-C to all processes. Those of the engine do not hear it: a run that is
    # asked to stop still wants the replies that are on their way. This one would unblock it later.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        engine = AsyncEngineArgs.from_cli_args(flags)
        # Some defaults, such as how many calls run at once, differ by what it is used for.
        usage = UsageContext.OPENAI_API_SERVER
        return flags, AsyncLLM.from_engine_args(engine, usage_context=usage)
    except ValidationError as error:
        raise _wrong(name, ": ".join(filter(None, first_invalid(error)))) from None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def parsed(parser: ArgumentParser, name: str, endpoint: Endpoint, required: list[str]) -> Namespace:
    """All flags as the parser's namespace; `required` is what it insists on. Raises ConfigError
    with what it says."""

    def refuse(message: str) -> NoReturn:
        raise _wrong(name, message)

    def word(value: JsonValue) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    parser.error, parser.allow_abbrev = refuse, False  # type: ignore[method-assign]
    # What is stored and sent is the endpoint's `model`; a flag may say where its files lie.
    named = {"model": endpoint.model, "revision": endpoint.revision}
    words = list(required)
    for key, value in {**named, **endpoint.vllm, "served_model_name": endpoint.model}.items():
        flag = key.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        elif isinstance(value, list):
            words += [f"--{flag}", *map(word, value)]
        elif value is not None:
            words.append(f"--{flag}={word(value)}")
    return parser.parse_args(words)


def _wrong(name: str, message: str) -> ConfigError:
    """An error of the table of flags."""
    fix = "Its keys are flags of `vllm serve --help=all`, with underscores."
    return ConfigError(message, where=f"[endpoints.{name}.vllm]", fix=fix)

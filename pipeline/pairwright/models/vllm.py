"""vLLM's async engine under vLLM's own chat completions. The only file that imports vLLM.

The parts are those of `vllm serve`, put together as `vllm run-batch` does, without a socket: the
same chat template, sampling, schemas and errors, so that a server can go on with what was begun
here.
"""

import asyncio
import signal
from argparse import Namespace
from multiprocessing import resource_tracker
from typing import Any, NamedTuple

from pydantic import ValidationError
from starlette.datastructures import State
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.entrypoints.launchers.api_server.app_state import init_app_state
from vllm.entrypoints.launchers.run_batch import make_arg_parser
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.entrypoints.openai.chat_completion.serving import OpenAIServingChat
from vllm.entrypoints.serve import create_error_response
from vllm.entrypoints.serve.engine.protocol import ErrorResponse
from vllm.usage.usage_lib import UsageContext
from vllm.utils.argparse_utils import FlexibleArgumentParser
from vllm.v1.engine.async_llm import AsyncLLM

from pairwright.errors import EndpointRefused, first_invalid
from pairwright.models.engine import parsed, wrong
from pairwright.models.reply import Response
from pairwright.settings.endpoints import Endpoint


class EngineChat(NamedTuple):
    """A running engine that answers chat completions."""

    client: AsyncLLM
    chat: OpenAIServingChat

    async def reply(self, body: dict[str, Any], where: str) -> Response:
        """Raises EndpointRefused once the engine is dead."""
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


async def start(name: str, endpoint: Endpoint) -> EngineChat:
    """Load the endpoint's model, in a thread, and put the server's chat template and parsers
    around the engine.

    Raises ConfigError naming a flag that vLLM refuses, and whatever vLLM raises.
    """
    flags, client = await asyncio.to_thread(_launched, name, endpoint)
    state = State()
    await init_app_state(client, state, flags, await client.get_supported_tasks())
    return EngineChat(client, state.openai_serving_chat)


def _launched(name: str, endpoint: Endpoint) -> tuple[Namespace, AsyncLLM]:
    # The parser insists on two files. They are not opened.
    parser = make_arg_parser(FlexibleArgumentParser())
    flags = parsed(parser, name, endpoint, ["-i", "", "-o", ""])
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
        raise wrong(name, ": ".join(filter(None, first_invalid(error)))) from None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

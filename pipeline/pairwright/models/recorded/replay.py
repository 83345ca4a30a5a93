"""A recording in place of an endpoint: the wire that answers a call by the key of its request."""

from typing import Any

from pairwright.errors import CallFailed
from pairwright.models import RECORDED, SIMULATED, Request
from pairwright.models.client.openai_body import bytes_of
from pairwright.models.client.wire import Response
from pairwright.models.recorded.file import RecordedCall, Recording, topic

NOT_RECORDED = "not_recorded"
"""The reason of a call that fails because the recording does not have it."""


class Replay:
    """The `Wire` to a recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.where = str(recording.path)

    async def post(self, body: bytes, request: Request) -> Response:  # noqa: ARG002
        """The recorded reply. Raises CallFailed, naming the call, where there is none."""
        call = self._recording.calls.get(request.key)
        if call is None:
            raise CallFailed(
                NOT_RECORDED,
                f"{self._recording.path.name} has no reply to this call of the prompt"
                f" {request.purpose}: {topic(request)!r}",
            )
        return Response(200, _body(call))

    async def close(self) -> None:
        """Do nothing: no file is open."""


def _body(call: RecordedCall) -> bytes:
    """The reply as a chat completion that is marked as recorded."""
    message = {"role": "assistant", "content": call.text}
    if call.reasoning:
        message["reasoning_content"] = call.reasoning
    body: dict[str, Any] = {
        "object": RECORDED,
        "model": call.model,
        "choices": [{"index": 0, "message": message, "finish_reason": call.finish}],
        "usage": {
            "prompt_tokens": call.prompt_tokens,
            "completion_tokens": call.completion_tokens,
        },
    }
    if call.cached_tokens:
        body["usage"]["prompt_tokens_details"] = {"cached_tokens": call.cached_tokens}
    if call.thinking_tokens:
        body["usage"]["completion_tokens_details"] = {"reasoning_tokens": call.thinking_tokens}
    if call.simulated:
        body["system_fingerprint"] = SIMULATED
    return bytes_of(body)

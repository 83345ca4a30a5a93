"""Recordings: the replies to all calls of a run in one file, which answers them again.

JSON Lines, compressed where the file's name ends with `.gz`. The first line says what the recording
is (`RecordingHead`), every other one is a call with its reply (`RecordedCall`). No request,
address, header or key of an API is in it. Replies are held by the key of their request, so a
changed prompt, item or setting is a call that is not in it; there is no reply in place of one that
is missing.
"""

import gzip
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue, ValidationError

from pairwright.dataset.lines import bounded_lines, unreadable
from pairwright.errors import CallFailed, InputError
from pairwright.files import write_whole
from pairwright.models import RECORDED, Request
from pairwright.models.client.wire import Response
from pairwright.models.model import bytes_of
from pairwright.records import Record
from pairwright.text import visible

_FIX = "Take this file again from where it came from, or record the run again."
_QUESTION = re.compile(r"<question>\s*(.*?)\s*</question>", re.DOTALL)
_TOPIC = 80
"""Characters of a question that say which call is meant."""


class RecordedModel(Record):
    """How many calls a model answered."""

    calls: int


class RecordingHead(Record):
    """What a recording is."""

    recording: Literal[1] = 1
    """The version of the format."""
    pairwright: str
    """The version that wrote it."""
    note: str = ""
    """What the person who recorded the run says of it."""
    models: dict[str, RecordedModel]
    """The models, by the name that the config of the run gives each."""
    made_with: dict[str, JsonValue]
    """What decided the calls: the settings of the run, and hashes of its prompts, rubrics and
    source."""


class RecordedCall(Record):
    """The reply to one call."""

    key: str
    """The key of the request, as the store of calls has it."""
    prompt: str
    """The prompt's name."""
    topic: str
    """How its question begins."""
    model: str
    finish: str
    text: str
    reasoning: str = ""
    """What the model thought before its reply, where the endpoint gave it."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    thinking_tokens: int = 0


class Recording(NamedTuple):
    """A recording in memory."""

    path: Path
    head: RecordingHead
    calls: dict[str, RecordedCall]
    """The calls by their key."""


def topic(request: Request) -> str:
    """How the question of a request begins; where it has none, how its last message does."""
    last = request.messages[-1].content
    # A history comes before the question, and a user may have written such a tag.
    questions = _QUESTION.findall(last)
    words = " ".join(visible(questions[-1] if questions else last).split())
    return words if len(words) <= _TOPIC else words[: _TOPIC - 3] + "..."


def write_recording(path: Path, head: RecordingHead, calls: Iterable[RecordedCall]) -> None:
    """Write a recording; it appears whole or not at all, and the same one has the same bytes.

    Raises StoreError where the disk refuses.
    """
    lines = (record.model_dump_json() + "\n" for record in (head, *calls))
    text = "".join(lines).encode()
    write_whole(path, gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def read_recording(path: Path) -> Recording:
    """Read a recording. Raises InputError naming the line, where it is not one or is damaged."""
    calls: dict[str, RecordedCall] = {}
    where = str(path)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            lines = bounded_lines(file.readline, path, _FIX)
            line = next(lines, b"")
            if not line.startswith(b'{"recording":'):
                fix = "`pairwright batch record RUN --out FILE` writes one."
                raise InputError("is not a recording", where=path, fix=fix)
            where = f"{path}:1"
            head = RecordingHead.model_validate_json(line)
            for number, line in enumerate(lines, start=2):
                where = f"{path}:{number}"
                call = RecordedCall.model_validate_json(line)
                if call.key in calls:
                    raise InputError("the call is in it twice", where=where, fix=_FIX)
                calls[call.key] = call
    except ValidationError as error:
        raise unreadable(where, error, _FIX) from None
    except (OSError, EOFError, zlib.error) as error:
        what = (isinstance(error, OSError) and error.strerror) or str(error)
        raise InputError(f"cannot be read: {what}", where=path, fix=_FIX) from None
    expected = sum(model.calls for model in head.models.values())
    if len(calls) != expected:
        raise InputError(
            f"holds {len(calls):,} calls, and its first line says {expected:,}",
            where=path,
            fix=_FIX,
        )
    return Recording(path, head, calls)


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
    return bytes_of(body)

"""Recordings: the replies to all calls of a run in one file, which answers them again.

JSON Lines, compressed where the file's name ends with `.gz`. The first line says what the recording
is, every other one is a call with its reply (`RecordedCall`). No request, address, header or key of
an API is in it. A reply belongs to the key of its request, so a changed prompt, item or setting is
a call that is not in it.
"""

import gzip
import json
import zlib
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from pairwright.dataset.lines import bounded_lines, unreadable
from pairwright.errors import CallFailed, InputError
from pairwright.files import write_whole
from pairwright.models.client.wire import Response
from pairwright.models.completion import RECORDED
from pairwright.models.model import Request, bytes_of
from pairwright.records import Record

NOT_RECORDED = "not_recorded"
"""The reason of a call that fails because the recording does not have it."""
_FIX = "Take this file again from where it came from, or record the run again."


class RecordedCall(Record, extra="ignore"):
    """The reply to one call."""

    key: str
    """The key of the request, as the store of calls has it."""
    prompt: str
    """The prompt's name."""
    model: str
    finish: str
    text: str
    reasoning: str = ""
    """What the model thought before its reply, where the endpoint gave it."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    thinking_tokens: int = 0

    @property
    def body(self) -> bytes:
        """The reply as a chat completion that is marked as recorded."""
        message = {"role": "assistant", "content": self.text}
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        return bytes_of(
            {
                "object": RECORDED,
                "model": self.model,
                "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
                "usage": {
                    "prompt_tokens": self.prompt_tokens,
                    "completion_tokens": self.completion_tokens,
                    "prompt_tokens_details": {"cached_tokens": self.cached_tokens},
                    "completion_tokens_details": {"reasoning_tokens": self.thinking_tokens},
                },
            }
        )


class Recording:
    """A recording in memory. It is the `Wire` of an endpoint that names it."""

    def __init__(self, path: Path) -> None:
        """Read a file. Raises InputError naming the line, where it is damaged or is none."""
        self.path, self.where = path, str(path)
        self.calls: dict[str, RecordedCall] = {}
        where = str(path)
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                lines = bounded_lines(file.readline, path, _FIX)
                head = next(lines, b"")
                if not head.startswith(b'{"recording":'):
                    fix = "`pairwright batch record RUN --out FILE` writes one."
                    raise InputError("is not a recording", where=path, fix=fix)
                self.note = str(json.loads(head).get("note", ""))
                for number, line in enumerate(lines, start=2):
                    where = f"{path}:{number}"
                    call = RecordedCall.model_validate_json(line)
                    self.calls[call.key] = call
        except ValidationError as error:
            raise unreadable(where, error, _FIX) from None
        except (OSError, EOFError, ValueError, zlib.error) as error:
            what = (isinstance(error, OSError) and error.strerror) or str(error)
            raise InputError(f"cannot be read: {what}", where=path, fix=_FIX) from None

    async def post(self, body: bytes, request: Request) -> Response:  # noqa: ARG002
        """The recorded reply. Raises CallFailed where there is none."""
        call = self.calls.get(request.key)
        if call is None:
            raise CallFailed(
                NOT_RECORDED,
                f"{self.path.name} has no reply to this call of the prompt {request.purpose}",
            )
        return Response(200, call.body)

    async def close(self) -> None:
        """Do nothing: no file is open."""


def write_recording(path: Path, note: str, calls: Iterable[RecordedCall]) -> None:
    """Write a recording; it appears whole or not at all, and the same one has the same bytes.

    Raises StoreError where the disk refuses.
    """
    head = json.dumps({"recording": 1, "note": note}, ensure_ascii=False, separators=(",", ":"))
    lines = (call.model_dump_json() for call in calls)
    text = "".join(f"{line}\n" for line in (head, *lines)).encode()
    write_whole(path, gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)

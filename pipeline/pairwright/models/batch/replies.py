"""Reading files of replies, line by line, as the OpenAI Batch API and `vllm run-batch` write them.

{"custom_id": KEY, "response": {"status_code": 200, "body": {...}}, "error": null}
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.errors import CallFailed, InputError
from pairwright.models import Request, completion_of
from pairwright.models.client.headers import Secrets
from pairwright.models.client.refusals import BROKEN_OFF, refusal
from pairwright.models.client.wire import Transient
from pairwright.models.served_model import is_same_model

_BOM = b"\xef\xbb\xbf"


class ReplyLine(NamedTuple):
    """One line of a file that is not blank."""

    number: int
    text: bytes
    ended: bool
    """False for a last line without a line end, which may be half a line."""


class BatchReply(NamedTuple):
    """What a line says. `status` is None where the request got no response at all."""

    custom_id: str
    status: int | None
    body: JsonValue
    error: JsonValue


def lines_of(path: Path) -> Iterator[ReplyLine]:
    """The lines of a file; raises InputError for what cannot be read as lines of text."""
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                text = raw.removeprefix(_BOM) if number == 1 else raw
                if number == 1 and text.startswith(b"\x1f\x8b"):
                    raise InputError(
                        "compressed with gzip", where=path, fix="Unpack it with gunzip first."
                    )
                if text.strip():
                    yield ReplyLine(number, text.strip(), raw.endswith(b"\n"))
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=path,
            fix="Name files of replies: the outputs of a Batch API or of vllm run-batch.",
        ) from None


def check_readable(path: Path) -> None:
    """Raise InputError for what cannot be read as lines of text."""
    next(lines_of(path), None)


def reply_of(line: ReplyLine) -> BatchReply:
    """Raises ValueError with a sentence for a line that is not a reply."""
    try:
        data = json.loads(line.text)
    except (ValueError, RecursionError) as error:
        if not line.ended:
            raise ValueError("the line breaks off: the file is not whole") from None
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")
    custom_id = data.get("custom_id")
    if not isinstance(custom_id, str):
        raise ValueError("the custom_id is missing")
    if "response" not in data and "error" not in data:
        what = "a request, not a reply" if "body" in data else "neither response nor error"
        raise ValueError(what)
    response, failure = data.get("response"), data.get("error")
    if response is None:
        if not failure:
            raise ValueError("neither response nor error")
        return BatchReply(custom_id, None, None, failure)
    if not isinstance(response, dict):
        raise ValueError("the response is not an object")
    status = response.get("status_code")
    if not isinstance(status, int) or isinstance(status, bool) or not 100 <= status <= 599:
        raise ValueError("the response has no status_code")
    return BatchReply(custom_id, status, response.get("body"), failure)


_NOT_RUN = frozenset({"batch_expired", "batch_cancelled"})


class NotRun(Exception):
    """The batch ended before this request's turn: that says nothing about the request."""


def body_to_store(reply: BatchReply, request: Request, where: str) -> bytes:
    """The body of a usable reply, or what is stored in place of a prompt that is too long or
    that a content filter refused.

    Raises NotRun; Transient, CallFailed and EndpointRefused as a client does; ValueError for a
    body that does not answer this request.
    """
    if reply.error or (reply.status is not None and reply.status >= 400):
        return _refused(reply, where)
    if reply.status is None or reply.status >= 300:
        raise Transient(f"http_{reply.status}", "a response without a reply")
    body = json.dumps(reply.body, separators=(",", ":")).encode()
    completion = completion_of(request.key, body)
    if completion.finish in BROKEN_OFF:
        raise Transient("broken_off", f"the engine ended with {completion.finish!r}")
    named = reply.body.get("model") if isinstance(reply.body, dict) else None
    if named is not None and not is_same_model(str(named), request.model):
        raise ValueError(f"a reply of the model {str(named)[:80]!r}, not of {request.model!r}")
    return body


def _refused(reply: BatchReply, where: str) -> bytes:
    error = _innermost(reply.error or reply.body)
    code = error.get("code")
    if reply.status is None and code in _NOT_RUN:
        raise NotRun(f"{code}: {error.get('message')}"[:500])
    status = reply.status
    if status is None or status < 400:
        # vLLM says the status in the error alone where there is no response.
        status = code if isinstance(code, int) and 400 <= code <= 599 else None
    if status is None:
        raise Transient("batch_error", f"{error.get('message') or error}"[:500])
    error_object = {"message": json.dumps(reply.body or "no message")[:500]} | error
    # A line does not say whether its room is what its role begins with. No run hangs on one line.
    meaning = refusal(status, error_object, where, Secrets(None), enlarged=True)
    if status == 403:
        # The batch was run, so the key is known: this one request is refused.
        raise CallFailed("http_403", str(error_object["message"])[:500])
    if isinstance(meaning, bytes):
        return meaning
    raise meaning


def _innermost(error: JsonValue) -> dict[str, JsonValue]:
    """The object with the message: OpenAI wraps it once, vLLM twice."""
    while isinstance(error, dict) and error.get("error"):
        error = error["error"]
    return error if isinstance(error, dict) else {"message": str(error)}

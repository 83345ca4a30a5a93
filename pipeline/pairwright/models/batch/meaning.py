"""What a reply means for its request: a body to store, or why there is none.

The same rules as on the wire: `client.wire.refusal` says what an error means.
"""

import json
import re

from pydantic import JsonValue

from pairwright.errors import CallFailed
from pairwright.models import Request, completion_of
from pairwright.models.batch.replies import Reply
from pairwright.models.client.headers import Secrets
from pairwright.models.client.wire import BROKEN_OFF, Transient, refusal

_NOT_RUN = frozenset({"batch_expired", "batch_cancelled"})
_DATED = re.compile(r"[-@:]\d[\w.-]*")


class NotRun(Exception):
    """The batch ended before this request's turn: that says nothing about the request."""


def body_to_store(reply: Reply, request: Request, where: str) -> bytes:
    """The body of a usable reply, or what is stored in place of a prompt that is too long or
    that a content filter refused.

    Raises NotRun; Transient, CallFailed and EndpointRefused as a client does; ValueError for a
    body that is no answer to this request.
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
    if named is not None and not _same_model(str(named), request.model):
        raise ValueError(f"a reply of the model {str(named)[:80]!r}, asked was {request.model!r}")
    return body


def _refused(reply: Reply, where: str) -> bytes:
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
    told = {"message": json.dumps(reply.body or "no message")[:500]} | error
    # A line does not say whether its room is what its role begins with. No run hangs on one line.
    meaning = refusal(status, told, where, Secrets(None), enlarged=True)
    if status == 403:
        # The batch was run, so the key is known: this one request is refused.
        raise CallFailed("http_403", str(told["message"])[:500])
    if isinstance(meaning, bytes):
        return meaning
    raise meaning


def _innermost(error: JsonValue) -> dict[str, JsonValue]:
    """The object with the message: OpenAI wraps it once, vLLM twice."""
    while isinstance(error, dict) and error.get("error"):
        error = error["error"]
    return error if isinstance(error, dict) else {"message": str(error)}


def _same_model(named: str, asked: str) -> bool:
    """Whether a reply's model is the one asked for, or a dated version of it."""
    given, wanted = (name.rpartition("/")[2].casefold() for name in (named, asked))
    return given == wanted or (
        given.startswith(wanted) and _DATED.fullmatch(given[len(wanted) :]) is not None
    )

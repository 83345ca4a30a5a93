"""Files of replies, as the OpenAI Batch API and `vllm run-batch` write them, put into the store of
their run: every line is stored, known already, or reported with file and line.

{"custom_id": KEY, "response": {"status_code": 200, "body": {...}}, "error": null}
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field, JsonValue, ValidationError, model_validator

from pairwright.errors import CallFailed, EndpointRefused, InputError, first_invalid
from pairwright.models.batch import PendingCalls
from pairwright.models.completion import completion_of, is_same_model
from pairwright.models.model import Answer, Request
from pairwright.models.refusals import BROKEN_OFF, Secrets, Transient, refusal
from pairwright.models.store import Store
from pairwright.records import Record


class _Response(BaseModel, extra="ignore"):
    status_code: int = Field(ge=100, le=599, strict=True)
    body: JsonValue = None


class BatchReply(BaseModel, extra="ignore"):
    """What a line says. `response` is None where the request got none at all."""

    custom_id: str
    response: _Response | None = None
    error: JsonValue = None

    @model_validator(mode="after")
    def _said(self) -> "BatchReply":
        if not self.response and not self.error:
            raise ValueError("a request, or a line without response and error")
        return self


LineFault = Literal["unreadable", "unknown", "conflicting", "failed", "not_run", "refused"]
MEANINGS: dict[LineFault, str] = {
    "failed": "failed, to be asked again",
    "not_run": "not run, to be asked again",
    "refused": "refused for good, not asked again",
    "conflicting": "another reply than the stored one, which stays",
    "unknown": "to nothing that this run asked",
    "unreadable": "no usable reply",
}
_NOT_RUN = frozenset({"batch_expired", "batch_cancelled"})
_ACCOUNT = frozenset({401, 402, 407, 429})
"""Statuses of what is wrong with the account or the way to it, and not with the request."""


class Fault(NamedTuple):
    """Why a line gives no reply."""

    kind: LineFault
    detail: str
    reason: str = ""
    """Of a failed attempt of the request, which counts as one."""


_UNKNOWN = Fault("unknown", "no request with this custom_id was written")


class LineProblem(Record):
    """A line that gave no reply."""

    where: str
    """`file:line`"""
    kind: LineFault
    custom_id: str
    detail: str


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, each with its number. Raises InputError for what
    cannot be read."""
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if text := raw.removeprefix(b"\xef\xbb\xbf").strip():
                    yield number, text
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=path,
            fix="Name files of replies: the outputs of a Batch API or of vllm run-batch.",
        ) from None


def answer_of(reply: BatchReply, request: Request, where: str) -> Answer | Fault:
    """A usable reply, or what is stored in place of a prompt that is too long or that a content
    filter refused. Raises ValueError for a body that does not answer this request."""
    status, said = (
        (reply.response.status_code, reply.response.body) if reply.response else (0, None)
    )
    nested = isinstance(said, dict) and said.get("error")
    if reply.error or nested or status >= 400:
        body = _refused(reply.error or said, status, where)
        return body if isinstance(body, Fault) else Answer(body, completion_of(request.key, body))
    if status >= 300:
        return Fault("failed", "a response without a reply", f"http_{status}")
    body = json.dumps(said, separators=(",", ":")).encode()
    completion = completion_of(request.key, body)
    if completion.finish in BROKEN_OFF:
        return Fault("failed", f"the engine ended with {completion.finish!r}", "broken_off")
    if completion.served and not is_same_model(completion.served, request.model):
        named = completion.served[:80]
        raise ValueError(f"a reply of the model {named!r}, not of {request.model!r}")
    return Answer(body, completion)


def _refused(error: Any, status: int, where: str) -> bytes | Fault:
    """What is stored in place of a refusal that answers."""
    # OpenAI wraps the object with the message once, vLLM twice.
    while isinstance(error, dict) and error.get("error"):
        error = error["error"]
    if not isinstance(error, dict):
        error = {"message": str(error or "no message")}
    code = error.get("code")
    if not status and code in _NOT_RUN:
        # The batch ended before the request's turn: that says nothing about the request.
        return Fault("not_run", f"{code}: {error.get('message')}"[:500])
    if status < 400:
        # vLLM says the status in the error alone where there is no response.
        status = code if isinstance(code, int) and 400 <= code <= 599 else 0
    if not status:
        return Fault("failed", f"{error.get('message') or error}"[:500], "batch_error")
    try:
        # A line does not say whether its room is what its role begins with, and no run hangs on one
        # line. The batch was run, so the key is known.
        return refusal(status, error, where, Secrets(), enlarged=True, known_key=True)
    except Transient as transient:
        return Fault("failed", transient.detail, transient.reason)
    except (CallFailed, EndpointRefused) as refused:
        if status in _ACCOUNT:
            return Fault("failed", str(refused))
        return Fault("refused", str(refused), f"http_{status}")


_TOGETHER = 200


@dataclass
class Ingest:
    """Takes files of replies into one run, and what became of their lines."""

    pending: PendingCalls
    store: Store
    secrets: Secrets
    """They are stored nowhere."""
    stored: int = 0
    known: int = 0
    problems: list[LineProblem] = field(default_factory=list)
    _fresh: dict[str, tuple[Request, Answer]] = field(default_factory=dict)
    _failed: list[tuple[str, str, str, bool]] = field(default_factory=list)

    @property
    def lines(self) -> int:
        """How many lines were read; each is stored, known, or a problem."""
        return self.stored + self.known + len(self.problems)

    def faults(self, since: int = 0) -> Counter[LineFault]:
        """The problems from that number on, by kind."""
        return Counter(problem.kind for problem in self.problems[since:])

    def file(self, path: Path) -> int:
        """Read one file to its end: the number of its lines. Everything good in it is stored when
        this returns.

        Raises InputError for a file that cannot be read, and StoreError.
        """
        before = self.lines
        try:
            for number, text in lines_of(path):
                self._line(self.secrets.without(text), f"{path}:{number}")
                if len(self._fresh) + len(self._failed) >= _TOGETHER:
                    self._commit()
        finally:
            self._commit()
        if self.lines == before:
            self._problem(str(path), "", Fault("unreadable", "the file holds no reply"))
        return self.lines - before

    def _line(self, text: bytes, where: str) -> None:
        key = ""
        try:
            reply = BatchReply.model_validate_json(text)
            key = reply.custom_id
            fault = self._taken(reply)
        except ValidationError as error:
            said = ": ".join(filter(None, first_invalid(error))).replace("Value error, ", "")
            fault = Fault("unreadable", said)
        except (ValueError, RecursionError) as error:
            fault = Fault("unreadable", f"{error}")
        if fault:
            self._problem(where, key, fault)

    def _taken(self, reply: BatchReply) -> Fault | None:
        key, answer = reply.custom_id, reply.response
        if not key.isascii():  # Perhaps nothing that SQLite takes.
            return _UNKNOWN
        stored = self._fresh[key][1].body if key in self._fresh else self.store.get(key)
        if stored:
            # Whatever became of another try, the answer stays.
            good = not reply.error and answer and answer.status_code == 200
            if good and answer and answer.body != json.loads(stored):
                return Fault("conflicting", "another reply to this request is stored")
            self.known += 1
            return None
        call = self.pending.call(key)
        if call is None:
            return _UNKNOWN
        endpoint, request = call
        found = answer_of(reply, request, f"[endpoints.{endpoint}]")
        if isinstance(found, Fault):
            if found.reason:
                self._failed.append((key, found.reason, found.detail, found.kind == "refused"))
            return found
        self._fresh[key] = request, found
        self.stored += 1
        return None

    def _problem(self, where: str, custom_id: str, fault: Fault) -> None:
        said = f"{fault.reason}: {fault.detail}" if fault.reason else fault.detail
        # Half an emoji can be written to no file.
        name, text = (s.encode("utf-8", "replace").decode() for s in (custom_id, said))
        self.problems.append(
            LineProblem(where=where, kind=fault.kind, custom_id=name[:100], detail=text[:1000])
        )

    def _commit(self) -> None:
        fresh, self._fresh = self._fresh, {}
        failed, self._failed = self._failed, []
        # First the store: a stop in between asks for nothing twice.
        self.store.put_all(fresh.values())
        self.pending.came(fresh, failed)

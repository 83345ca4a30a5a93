"""Files of replies, as the OpenAI Batch API and `vllm run-batch` write them, put into the store of
their run: every line is stored, known already, or reported.

{"custom_id": KEY, "response": {"status_code": 200, "body": {...}}, "error": null}
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, JsonValue, ValidationError, model_validator

from pairwright.errors import CallFailed, EndpointRefused, InputError, first_invalid
from pairwright.models import Answer, Request, completion_of
from pairwright.models.batch.pending import PendingCalls
from pairwright.models.completion import is_same_model
from pairwright.models.refusals import BROKEN_OFF, SHORTEST, Secrets, Transient, refusal
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


_NOT_RUN = frozenset({"batch_expired", "batch_cancelled"})


_ACCOUNT = frozenset({401, 402, 407, 429})
"""Statuses of what is wrong with the account or the way to it, and not with the request."""


class NotRun(Exception):
    """The batch ended before this request's turn: that says nothing about the request."""


class RefusedForGood(CallFailed):
    """The endpoint would refuse this request again."""


def answer_of(reply: BatchReply, request: Request, where: str) -> Answer:
    """A usable reply, or what is stored in place of a prompt that is too long or that a content
    filter refused.

    Raises NotRun, RefusedForGood; Transient, CallFailed and EndpointRefused as a client does;
    ValueError for a body that does not answer this request.
    """
    status, answer = (
        (reply.response.status_code, reply.response.body) if reply.response else (0, None)
    )
    nested = isinstance(answer, dict) and answer.get("error")
    if reply.error or nested or status >= 400:
        body = _stand_in(reply.error or answer, status, where)
        return Answer(body, completion_of(request.key, body))
    if status >= 300:
        raise Transient(f"http_{status}", "a response without a reply")
    body = json.dumps(answer, separators=(",", ":")).encode()
    completion = completion_of(request.key, body)
    if completion.finish in BROKEN_OFF:
        raise Transient("broken_off", f"the engine ended with {completion.finish!r}")
    if completion.served and not is_same_model(completion.served, request.model):
        named = completion.served[:80]
        raise ValueError(f"a reply of the model {named!r}, not of {request.model!r}")
    return Answer(body, completion)


def _stand_in(error: Any, status: int, where: str) -> bytes:
    """What is stored in place of a refusal that answers; raises where it is none."""
    # OpenAI wraps the object with the message once, vLLM twice.
    while isinstance(error, dict) and error.get("error"):
        error = error["error"]
    if not isinstance(error, dict):
        error = {"message": str(error or "no message")}
    code = error.get("code")
    if not status and code in _NOT_RUN:
        raise NotRun(f"{code}: {error.get('message')}"[:500])
    if status < 400:
        # vLLM says the status in the error alone where there is no response.
        status = code if isinstance(code, int) and 400 <= code <= 599 else 0
    if not status:
        raise Transient("batch_error", f"{error.get('message') or error}"[:500])
    try:
        # A line does not say whether its room is what its role begins with, and no run hangs on one
        # line. The batch was run, so the key is known.
        return refusal(status, error, where, Secrets(), enlarged=True, known_key=True)
    except (CallFailed, EndpointRefused) as refused:
        if status in _ACCOUNT:
            raise
        raise RefusedForGood(f"http_{status}", str(refused)) from None


LineFault = Literal["unreadable", "unknown", "conflicting", "failed", "not_run", "refused"]
MEANINGS: dict[LineFault, str] = {
    "failed": "failed, to be asked again",
    "not_run": "not run, to be asked again",
    "refused": "refused for good, not asked again",
    "conflicting": "another reply than the stored one, which stays",
    "unknown": "to nothing that this run asked",
    "unreadable": "no usable reply",
}
_TOGETHER = 200


class LineProblem(Record):
    """A line that gave no reply."""

    where: str
    """`file:line`"""
    kind: LineFault
    custom_id: str
    detail: str


@dataclass
class Ingested:
    """What became of the lines read; together they are all of them."""

    stored: int = 0
    known: int = 0
    problems: Counter[LineFault] = field(default_factory=Counter)

    @property
    def lines(self) -> int:
        return self.stored + self.known + self.problems.total()


class Ingest:
    """Ingests files into one run."""

    def __init__(
        self,
        pending: PendingCalls,
        store: Store,
        secrets: tuple[str, ...],
        tell: Callable[[LineProblem], None],
        on_line: Callable[[int], None],
    ) -> None:
        """`secrets` are API keys, which are stored nowhere; `tell` gets each problem as it is
        found, `on_line` the number of bytes of each line."""
        self._pending = pending
        self._store = store
        self._secrets = [secret.encode() for secret in secrets if len(secret) >= SHORTEST]
        self._tell = tell
        self._on_line = on_line
        self._fresh: dict[str, tuple[Request, Answer]] = {}
        self._failed: list[tuple[str, str, str, bool]] = []
        self.result = Ingested()
        self.examples: dict[LineFault, str] = {}
        """What the first line of each kind of problem says."""

    def file(self, path: Path) -> int:
        """Read one file to its end: the number of its lines. Everything good in it is stored when
        this returns.

        Raises InputError for a file that cannot be read, and StoreError.
        """
        before = self.result.lines
        try:
            for number, text in lines_of(path):
                self._line(text, f"{path}:{number}")
                self._on_line(len(text) + 1)
                if len(self._fresh) + len(self._failed) >= _TOGETHER:
                    self._commit()
        finally:
            self._commit()
        if self.result.lines == before:
            self._problem("unreadable", str(path), "", "the file holds no reply")
        return self.result.lines - before

    def _line(self, text: bytes, where: str) -> None:
        for secret in self._secrets:
            text = text.replace(secret, b"***")
        key = ""
        try:
            reply = BatchReply.model_validate_json(text)
            key = reply.custom_id
            if not key.isascii():
                raise KeyError(key)  # Not one of this run, and perhaps nothing that SQLite takes.
            stored = self._fresh[key][1].body if key in self._fresh else self._store.get(key)
            if stored is None:
                endpoint, request = self._pending.call(key)
                self._fresh[key] = request, answer_of(reply, request, f"[endpoints.{endpoint}]")
                self.result.stored += 1
            elif (
                reply.error
                or reply.response is None
                or reply.response.status_code != 200
                or reply.response.body == json.loads(stored)
            ):
                # The answer is there, whatever became of another try.
                self.result.known += 1
            else:
                detail = "another reply to this request is stored"
                self._problem("conflicting", where, key, detail)
        except KeyError:
            self._problem("unknown", where, key, "no request with this custom_id was written")
        except NotRun as error:
            self._problem("not_run", where, key, f"{error}")
        except (Transient, CallFailed) as error:
            final = isinstance(error, RefusedForGood)
            self._failed.append((key, error.reason, error.detail, final))
            kind: LineFault = "refused" if final else "failed"
            self._problem(kind, where, key, f"{error.reason}: {error.detail}")
        except EndpointRefused as error:
            self._problem("failed", where, key, f"{error}")
        except ValidationError as error:
            self._problem(
                "unreadable",
                where,
                key,
                ": ".join(filter(None, first_invalid(error))).replace("Value error, ", ""),
            )
        except (ValueError, RecursionError) as error:
            self._problem("unreadable", where, key, f"{error}")

    def _problem(self, kind: LineFault, where: str, custom_id: str, detail: str) -> None:
        self.result.problems[kind] += 1
        # Half an emoji can be written to no file.
        name, text = (s.encode("utf-8", "replace").decode() for s in (custom_id, detail))
        self.examples.setdefault(kind, text)
        self._tell(LineProblem(where=where, kind=kind, custom_id=name[:100], detail=text[:1000]))

    def _commit(self) -> None:
        fresh, self._fresh = self._fresh, {}
        failed, self._failed = self._failed, []
        if fresh:
            asyncio.run(self._put(fresh.values()))
            # Only after the store has them: a stop in between asks for nothing twice.
            self._pending.answered(fresh)
        if failed:
            self._pending.failed(failed)

    async def _put(self, replies: Iterable[tuple[Request, Answer]]) -> None:
        await asyncio.gather(*(self._store.put(request, answer) for request, answer in replies))

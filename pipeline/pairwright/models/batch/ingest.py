"""Putting replies into the store of their run: every line is stored, known already, or
reported."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from pairwright.errors import CallFailed, EndpointRefused
from pairwright.models import Answer, Request, completion_of
from pairwright.models.batch.pending import PendingCalls
from pairwright.models.batch.replies import (
    BatchReply,
    NotRun,
    ReplyLine,
    body_to_store,
    lines_of,
    reply_of,
)
from pairwright.models.client.wire import Transient
from pairwright.models.store import CallStore
from pairwright.records import Record

Kind = Literal["unreadable", "unknown", "conflicting", "failed", "not_run", "refused"]
MEANINGS: dict[Kind, str] = {
    "failed": "failed, to be asked again",
    "not_run": "not run, to be asked again",
    "refused": "refused like every call of its kind",
    "conflicting": "another reply than the stored one, which stays",
    "unknown": "to nothing that this run asked",
    "unreadable": "no usable reply",
}
_TOGETHER = 200


class LineProblem(Record):
    """A line that gave no reply."""

    where: str
    """`file:line`"""
    kind: Kind
    custom_id: str
    detail: str


class Ingested(NamedTuple):
    """What became of the lines read; together they are all of them."""

    stored: int
    known: int
    problems: Counter[Kind]

    @property
    def lines(self) -> int:
        return self.stored + self.known + self.problems.total()


class _Fresh(NamedTuple):
    request: Request
    body: bytes


class Ingest:
    """Ingests files into one run."""

    def __init__(
        self,
        pending: PendingCalls,
        store: CallStore,
        secrets: tuple[str, ...],
        tell: Callable[[LineProblem], None],
        on_line: Callable[[int], None],
    ) -> None:
        """`secrets` are API keys, which are stored nowhere; `tell` gets each problem as it is
        found, `on_line` the number of bytes of each line."""
        self._pending = pending
        self._store = store
        # A short key (`test`, `none`) is not a secret, and may be a word of a reply.
        self._secrets = [secret.encode() for secret in secrets if len(secret) >= 12]
        self._tell = tell
        self._on_line = on_line
        self._fresh: dict[str, _Fresh] = {}
        self._failed: list[tuple[str, str, str]] = []
        self.result = Ingested(0, 0, Counter())

    def file(self, path: Path) -> Ingested:
        """Read one file to its end; everything good in it is stored when this returns.

        Raises InputError for a file that cannot be read, and StoreError.
        """
        before = self.result
        self.result = Ingested(0, 0, Counter())
        empty = True
        try:
            for line in lines_of(path):
                empty = False
                self._line(line, f"{path}:{line.number}")
                self._on_line(len(line.text) + 1)
                if len(self._fresh) + len(self._failed) >= _TOGETHER:
                    self._commit()
        finally:
            self._commit()
        if empty:
            self._problem("unreadable", str(path), "", "the file holds no reply")
        here = self.result
        self.result = Ingested(
            before.stored + here.stored,
            before.known + here.known,
            before.problems + here.problems,
        )
        return here

    def _line(self, line: ReplyLine, where: str) -> None:
        for secret in self._secrets:
            line = line._replace(text=line.text.replace(secret, b"***"))
        try:
            reply = reply_of(line)
        except ValueError as error:
            self._problem("unreadable", where, "", f"{error}")
            return
        key = reply.custom_id
        try:
            if not key.isascii():
                raise KeyError(key)  # Not one of this run, and perhaps nothing that SQLite takes.
            if (stored := self._stored(key)) is not None:
                self._compare(reply, stored, where)
                return
            call = self._pending.call(key)
            body = body_to_store(reply, call.request, f"[endpoints.{call.endpoint}]")
        except KeyError:
            self._problem("unknown", where, key, "no request with this custom_id was written")
        except NotRun as error:
            self._problem("not_run", where, key, f"{error}")
        except (Transient, CallFailed) as error:
            self._failed.append((key, error.reason, error.detail))
            self._problem("failed", where, key, f"{error.reason}: {error.detail}")
        except EndpointRefused as error:
            self._problem("refused", where, key, f"{error}")
        except (ValueError, RecursionError) as error:
            self._problem("unreadable", where, key, f"{error}")
        else:
            self._fresh[key] = _Fresh(call.request, body)
            self.result = self.result._replace(stored=self.result.stored + 1)

    def _stored(self, key: str) -> bytes | None:
        fresh = self._fresh.get(key)
        return fresh.body if fresh else self._store.get(key)

    def _compare(self, reply: BatchReply, stored: bytes, where: str) -> None:
        """A reply to what is answered already."""
        if reply.error or reply.status != 200 or reply.body == json.loads(stored):
            # The answer is there, whatever became of another try.
            self.result = self.result._replace(known=self.result.known + 1)
        else:
            detail = "another reply to this request is stored"
            self._problem("conflicting", where, reply.custom_id, detail)

    def _problem(self, kind: Kind, where: str, custom_id: str, detail: str) -> None:
        self.result.problems[kind] += 1
        # Half an emoji can be written to no file.
        name, text = (s.encode("utf-8", "replace").decode() for s in (custom_id, detail))
        self._tell(LineProblem(where=where, kind=kind, custom_id=name[:100], detail=text[:1000]))

    def _commit(self) -> None:
        fresh, self._fresh = self._fresh, {}
        failed, self._failed = self._failed, []
        if fresh:
            asyncio.run(self._put(list(fresh.values())))
            # Only after the store has them: a stop in between asks for nothing twice.
            self._pending.answered(fresh)
        if failed:
            self._pending.failed(failed)

    async def _put(self, replies: list[_Fresh]) -> None:
        await asyncio.gather(
            *(
                self._store.put(request, Answer(body, completion_of(request.key, body)))
                for request, body in replies
            )
        )

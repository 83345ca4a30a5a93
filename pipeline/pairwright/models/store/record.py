"""`calls.json`: what a store held when it was last closed, so that a lost store is noticed.

Without it a deleted or emptied store would be made again without a word, and every call would be
sent, and paid for, a second time.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from pairwright.errors import StoreError
from pairwright.files import write_whole
from pairwright.models.store.store import Store
from pairwright.records import Record
from pairwright.text import number_of

NAME = "calls.json"


class CallRecord(Record):
    """The calls of a store, all of them together."""

    store: str | None = None
    """The store's own id; None where it is not known."""
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float = 0.0
    """The cost by the prices at the time."""

    def without(self, n: int) -> "CallRecord":
        """What remains without n of the calls, which are taken to be like the others."""
        share = 1 - n / self.calls
        return CallRecord(
            calls=self.calls - n,
            prompt_tokens=round(share * self.prompt_tokens),
            completion_tokens=round(share * self.completion_tokens),
            cost=share * self.cost,
        )


class LostCalls(NamedTuple):
    """What is wrong with a store that does not hold what its folder says it held."""

    what: str
    missing: CallRecord | None = None
    """None where it is not known how many calls it held."""

    @property
    def price(self) -> str:
        """What it takes to ask again, for people."""
        if not (lost := self.missing):
            return "how many calls it held is not known"
        money = f", {lost.cost:,.2f} by the prices of the config" if lost.cost else ""
        return (
            f"about {number_of(lost.calls, 'call')}, {lost.prompt_tokens:,} tokens of prompts and"
            f" {lost.completion_tokens:,} of replies{money}"
        )


@contextmanager
def recorded_store(
    path: Path,
    *,
    consent: str,
    record: CallRecord | None = None,
    begun: bool = False,
    ask_again: bool = False,
    cost: Callable[[Store], float] = lambda _: 0.0,
    prepare: Callable[[Store], object] = lambda _: None,
    forget: Callable[[], object] = lambda: None,
) -> Iterator[Store]:
    """The store `path`, open for writing; what it holds is written to `calls.json` at the end.

    `record` is used where a folder of an earlier version has no `calls.json`, and `begun` says that
    a store must have been there. Raises StoreError where calls are missing, with `consent`, which
    says how to allow that they are sent again; `ask_again` allows it, and then `forget` is called
    with the folder as it was. `prepare` is called before calls are counted.
    """
    known = _read(path.with_name(NAME)) or record
    lost = _without_file(path, known, begun=begun)
    if lost and not ask_again:
        raise _refused(path, lost, consent)
    if lost:
        path.unlink(missing_ok=True)  # An empty file is not a store.
    store = Store(path)
    try:
        prepare(store)
        lost = lost or _missing(store, known)
        if lost and not ask_again:
            raise _refused(path, lost, consent)
        if lost:
            forget()
            # Now, so that a kill later on does not ask for consent a second time.
            _write(path, _record_of(store, cost))
    except BaseException:
        store.close()
        raise
    try:
        yield store
    except BaseException:
        # The first error is the one that is raised, also where the disk takes no note of the calls.
        with suppress(StoreError):
            _close(store, cost)
        raise
    _close(store, cost)


def lost_calls(store: Store) -> str | None:
    """A sentence on calls that an open store should hold by its `calls.json`; None if it does."""
    lost = _missing(store, _read(store.path.with_name(NAME)))
    return f"{store.path}: {lost.what}" if lost else None


def _close(store: Store, cost: Callable[[Store], float]) -> None:
    try:
        now = _record_of(store, cost)
    finally:
        store.close()
    _write(store.path, now)


def _record_of(store: Store, cost: Callable[[Store], float]) -> CallRecord:
    totals = store.totals()
    return CallRecord(
        store=store.name(uuid.uuid4().hex),
        calls=totals.calls,
        prompt_tokens=totals.prompt_tokens,
        completion_tokens=totals.completion_tokens,
        cost=round(cost(store), 6),
    )


def _write(calls: Path, record: CallRecord) -> None:
    write_whole(calls.with_name(NAME), record.model_dump_json(indent=2) + "\n")


def _read(path: Path) -> CallRecord | None:
    try:
        return CallRecord.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise StoreError(
            f"{path}: cannot be read, so what {path.stem} held is not known\n"
            "  Restore it from a copy, or remove it to go on with the calls that are there."
        ) from None


def _without_file(path: Path, known: CallRecord | None, *, begun: bool) -> LostCalls | None:
    """What is lost where there is no file, or an empty one."""
    if path.exists() and path.stat().st_size:
        return None
    what = "is empty" if path.exists() else "is missing"
    if known and known.calls:
        return LostCalls(f"{what}; it held {number_of(known.calls, 'call')}", known)
    if known:
        return None  # It held no call that could be lost.
    return LostCalls(f"{what}, though this run was begun") if begun else None


def _missing(store: Store, known: CallRecord | None) -> LostCalls | None:
    """What is lost of the calls that were there, and calls of a store that is another one."""
    if known is None or not known.calls:
        return None
    held, now = number_of(known.calls, "call"), store.totals().calls
    if known.store and store.name() != known.store:
        return LostCalls(f"is the store of another run; that of this run held {held}", known)
    if now < known.calls:
        what = f"holds {number_of(now, 'call')}, and held {held} before"
        return LostCalls(what, known.without(now))
    return None


def _refused(path: Path, lost: LostCalls, consent: str) -> StoreError:
    return StoreError(
        f"{path}: {lost.what}\n"
        f"  Restore the file from a copy. To send the missing calls again ({lost.price}),"
        f" {consent}"
    )

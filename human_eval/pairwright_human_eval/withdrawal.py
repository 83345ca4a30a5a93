"""A person who withdraws: all that they answered leaves the study, and does not come back.

The record of it names the seat, how many answers went, and the tasks and accounts whose answers are
no longer kept; the accounts as hashes, and no name.
"""

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.dataset import read_lines
from pairwright.records import Record, content_id
from pairwright_human_eval.annotation import Account
from pairwright_human_eval.annotation_tool import read_annotations
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.raw_export import Export, ExportedTask


class Withdrawal(Record):
    """A line of private/withdrawn.jsonl."""

    annotator: str
    """The pseudonym that the person had."""
    salt: str
    accounts: tuple[str, ...]
    """Hashes of the person's accounts."""
    tasks: tuple[str, ...]
    """The tasks that the person was given."""


class ScrubbedExport(NamedTuple):
    """An export without what a withdrawn person did."""

    export: Export
    removed: int
    """Annotations that are gone from it."""


def account_hash(account: Account, salt: str) -> str:
    """An account's hash, which says nothing without the study's salt."""
    return content_id("account", salt, str(account))


def read_withdrawals(folder: HumanFolder) -> tuple[Withdrawal, ...]:
    """The oldest first. Raises InputError for a damaged line."""
    if not folder.withdrawn.exists():
        return ()
    fix = "The file was changed: restore it from a copy."
    return tuple(read_lines(folder.withdrawn, Withdrawal, fix=fix))


def without_withdrawn(export: Export, withdrawals: Sequence[Withdrawal]) -> ScrubbedExport:
    """The export as a study may keep it: without answers of a withdrawn person's accounts, and
    without any answer to the tasks that they were given."""
    if not withdrawals:
        return ScrubbedExport(export, 0)
    tasks = {task for withdrawal in withdrawals for task in withdrawal.tasks}
    accounts = {(w.salt, account) for w in withdrawals for account in w.accounts}
    salts = {withdrawal.salt for withdrawal in withdrawals}
    scrubbed = export.model_copy(
        update={
            "tasks": tuple(_scrubbed(export, "tasks", tasks, accounts, salts)),
            "gone": tuple(_scrubbed(export, "gone", tasks, accounts, salts)),
        }
    )
    before = export.annotations + sum(len(task.annotations) for task in export.gone)
    after = scrubbed.annotations + sum(len(task.annotations) for task in scrubbed.gone)
    return ScrubbedExport(scrubbed, before - after)


def _scrubbed(
    export: Export, part: str, tasks: Set[str], accounts: Set[tuple[str, str]], salts: Set[str]
) -> Iterator[ExportedTask]:
    neutral = read_annotations(export)
    read = neutral.tasks if part == "tasks" else neutral.gone
    raw = export.tasks if part == "tasks" else export.gone
    for kept, annotated in zip(raw, read, strict=True):
        if kept.task in tasks:
            continue
        annotations: tuple[JsonValue, ...] = tuple(
            content
            for content, one in zip(kept.annotations, annotated.annotations, strict=True)
            if one.account is None
            or not any(
                (salt, account_hash(Account(export.source, one.account), salt)) in accounts
                for salt in salts
            )
        )
        yield kept.model_copy(update={"annotations": annotations})

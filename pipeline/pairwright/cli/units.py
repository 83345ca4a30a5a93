"""What came of the units of a build, as a release tells it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pairwright.construct.unit_results import ended
from pairwright.dataset.tombstones import Forgotten
from pairwright.errors import InputError
from pairwright.models.store import Store
from pairwright.records import content_id, pseudonym
from pairwright.release.records import Unit
from pairwright.release.select import Entry

AGAIN = "Run pairwright build again to its end: no call is sent twice."


def units_of(
    store: Store, entries: Sequence[Entry], forgotten: Forgotten, pairs: Path
) -> Iterator[Unit]:
    """Every unit in the source's order, but those of people who are to be forgotten.

    Raises InputError where pairs.jsonl, of which `entries` are, is not what the build kept.
    """
    gone = {entry.id for entry in entries if entry.forgotten}
    there = [entry.id for entry in entries]
    kept = list[str]()
    for of in ended(store):
        if of.subject:
            kept.append(of.subject)
        if of.subject in gone or any(pseudonym(user) in forgotten.users for user in of.users):
            continue
        yield Unit(
            unit=content_id("unit", of.unit),
            mode=of.mode,
            outcome=of.kind,
            stage=of.stage,
            reason=of.reason,
            subject=of.subject,
        )
    if kept != there:
        raise InputError(
            f"holds {len(there):,} twins and pairs, and not the {len(kept):,} that the build kept,"
            " in their order",
            where=pairs,
            fix=AGAIN,
        )

"""Everything behind one pair or unit: how it came about, call by call."""

from pathlib import Path

from pairwright.construct.outcomes import Outcome, spooled
from pairwright.errors import InputError
from pairwright.models.store import Store, StoredCall


def find(store: Store, wanted: str, run: Path) -> Outcome:
    """The outcome that a pair id, twin id, unit id or item id belongs to.

    An item id finds the first of its units. Raises InputError where nothing has it.
    """
    for outcome in spooled(store):
        names = {outcome.unit, outcome.item_id}
        for pair in outcome.pairs:
            names |= {pair.id, pair.twin_id or pair.id}
        if wanted in names:
            return outcome
    raise InputError(
        f"nothing here has the id {wanted!r}",
        where=run,
        fix="Ids stand in pairs.jsonl (id, twin_id), rejected.jsonl and failed.jsonl (unit).",
    )


def calls_of(store: Store, outcome: Outcome) -> list[StoredCall]:
    """The unit's calls with requests and raw replies, in the order they were answered in."""
    found = (store.call(call.key) for call in outcome.calls)
    return [stored for stored in found if stored is not None]

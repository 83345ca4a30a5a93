"""What a run holds, read again: one of its outcomes by name, and its pairs."""

from collections.abc import Iterator
from pathlib import Path

from pydantic_core import from_json

from pairwright.construct.outcomes import Outcome
from pairwright.dataset import Layout, Row, parts_of, read_lines, read_rows
from pairwright.errors import InputError
from pairwright.models.store import Store
from pairwright.records import Pair

MOST_NAMED = 5
"""Ids that are named where several begin alike."""


def subject_of(record: str) -> str | None:
    """The twin's or pair's id in an outcome's record; None where nothing was kept."""
    result = from_json(record, cache_strings="keys")["result"]
    if not (pairs := result.get("pairs")):
        return None
    subject: str = pairs[0]["twin_id"] or pairs[0]["id"]
    return subject


def find_outcome(store: Store, wanted: str, run: Path) -> Outcome:
    """Find the outcome that a pair id, twin id, unit id or item id belongs to, or the beginning of
    one id alone.

    An item id finds the first of its units. Raises InputError where nothing has the id.
    """
    near: dict[str, Outcome] = {}
    begins = (
        "position >= 0 AND (substr(unit, 1, ?1) = ?2 OR substr(item, 1, ?1) = ?2"
        ' OR instr(record, \'"id":"\' || ?2) OR instr(record, \'"twin_id":"\' || ?2))'
    )
    for row in store.outcomes(begins, len(wanted), wanted) if wanted else ():
        outcome = Outcome.model_validate_json(row.record)
        ids = (pair.twin_id for pair in outcome.pairs[:1] if pair.twin_id)
        names = (outcome.unit, outcome.item_id, *ids, *(pair.id for pair in outcome.pairs))
        if wanted in names:
            return outcome
        near |= {name: outcome for name in names if name.startswith(wanted)}
        if len(near) > MOST_NAMED:
            break
    if len(near) == 1:
        return next(iter(near.values()))
    listed = ", ".join([*near][:MOST_NAMED]) + (", ..." if len(near) > MOST_NAMED else "")
    raise InputError(
        f"several ids begin with {wanted!r}: {listed}"
        if near
        else f"nothing here has the id {wanted!r}",
        where=run,
        fix="`pairwright show RUN` without an id lists the ids of all units.",
    )


def load_release(path: str | Path) -> list[Pair] | list[Row]:
    """Read the rows of a release, or the pairs of a run folder or of a `pairs.jsonl`, which hold
    more.

    Raises InputError where there are no pairs, or a line is not a pair.

        >>> [row.chosen for row in load_release("releases/1.0.0") if row.mode == "twin"]
        ['Simmer the beans for an hour ...', ...]
    """
    root = Path(path)
    if parts := parts_of(root):
        layout = Layout(root)
        return [row for part in parts for row in read_rows(layout.part(part))]
    return list(iterate_pairs(root))


def iterate_pairs(path: Path) -> Iterator[Pair]:
    """Read the pairs of a run folder or a `pairs.jsonl`, one at a time; raises InputError."""
    file = path / "pairs.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "no such file",
            where=file,
            fix="Name a release, or a run folder whose build has finished.",
        )
    fix = "Build again: pairs.jsonl is derived from the run folder's store."
    yield from read_lines(file, Pair, fix=fix)

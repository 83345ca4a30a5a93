"""Differences between two releases, twin by twin and pair by pair."""

from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from typer import Argument

from pairwright.pairs import Layout, Row
from pairwright.progress import Progress, Step, log_notes
from pairwright.releases.contents import Contents, Stated, read_release, rows_of
from pairwright.releases.rows import left_out

GONE = "forgotten, or no longer in the source"
"""Reason without a name: a release does not say who is to be forgotten."""
SHOWN = 5
"""Number of changed twins and pairs that are shown with their values."""
_FIELDS = ("split", *Row.model_fields)
_LONGEST, _BEFORE = 80, 20
"""Characters of a value, and how many of them come before the first that differs."""


class ValueChange(NamedTuple):
    """A field that differs, with the beginning of what differs in both releases."""

    pair: str
    field: str
    before: str
    after: str


class SubjectChange(NamedTuple):
    """A twin or pair that was added, removed or changed."""

    subject: str
    config: str
    what: Literal["added", "removed", "changed"]
    reason: str
    pairs: tuple[str, ...]
    values: tuple[ValueChange, ...] = ()
    """Values of the first SHOWN twins and pairs that were changed."""


class ReleaseDiff(NamedTuple):
    """The differences between two releases."""

    before: Stated
    after: Stated
    changes: tuple[SubjectChange, ...]
    """Every twin and pair that was added, removed or changed, and why."""

    @property
    def counts(self) -> dict[tuple[str, str, str], int]:
        """Pairs by configuration, change and reason."""
        counts = Counter[tuple[str, str, str]]()
        for one in self.changes:
            counts[one.config, one.what, one.reason] += len(one.pairs)
        return dict(sorted(counts.items()))


def diff(
    before: Annotated[Path | str, Argument(help="The folder of a release.", metavar="A")],
    after: Annotated[Path | str, Argument(help="The folder of a later release.", metavar="B")],
    *,
    progress: Progress = log_notes,
) -> ReleaseDiff:
    """Compare two releases: pairs added, removed or changed, and why.

    The sides of a twin are added, removed and changed together. Of the first changed ones the old
    and new values are shown, shortened. No release names who asked to be forgotten.

    Raises InputError if a folder is not a release, or its rows cannot be read.

        >>> diff("1.0.0", "1.1.0").counts
        {('Home-twin', 'added', 'new'): 24, ('Home-twin', 'removed', 'refused'): 2}

    Examples::

        pairwright diff releases/1.0.0 releases/1.1.0
    """
    (old_place, old), (new_place, new) = read_release(Path(before)), read_release(Path(after))
    progress(Step("reading rows"))
    earlier, later = _hashes(old_place), _hashes(new_place)
    fields = {
        name: _differing(pairs, later[name][1])
        for name, (_, pairs) in earlier.items()
        if name in later
    }
    changed = [name for name, differing in fields.items() if differing]
    wanted = {pair for name in changed[:SHOWN] for pair in earlier[name][1]}
    texts = _values(old_place, wanted), _values(new_place, wanted)
    removed, added = _reasons(old, new)
    changes = list[SubjectChange]()
    for name, (config, pairs) in earlier.items():
        ids = tuple(pairs)
        if name not in later:
            why = removed.get(name, GONE)
            changes.append(SubjectChange(name, config, "removed", why, ids))
        elif fields[name]:
            values = tuple(one for pair in ids for one in _shown(pair, *texts))
            why = ", ".join(fields[name])
            changes.append(SubjectChange(name, config, "changed", why, ids, values))
    changes += (
        SubjectChange(name, config, "added", added.get(name, "new"), tuple(pairs))
        for name, (config, pairs) in later.items()
        if name not in earlier
    )
    return ReleaseDiff(old.stated, new.stated, tuple(changes))


Hashes = dict[str, tuple[str, dict[str, "array[int]"]]]
"""Configuration by twin or pair, with a hash of each field by pair, valid in this process."""
Values = dict[str, tuple[object, ...]]
"""Values of each field, by pair."""


def _hashes(layout: Layout) -> Hashes:
    held: Hashes = {}
    for part, row in rows_of(layout):
        hashes = array("q", map(hash, _fields(part.split, row)))
        held.setdefault(row.subject, (part.config, {}))[1][row.id] = hashes
    return held


def _values(layout: Layout, wanted: set[str]) -> Values:
    rows = rows_of(layout) if wanted else ()
    return {row.id: _fields(part.split, row) for part, row in rows if row.id in wanted}


def _fields(split: str, row: Row) -> tuple[object, ...]:
    return split, *(getattr(row, name) for name in Row.model_fields)


def _reasons(old: Contents, new: Contents) -> tuple[dict[str, str], dict[str, str]]:
    """Reasons why the later release lacks what the earlier one may have: people's decision, or what
    the build made of the unit. Also the earlier one's decisions on what the later one may add.
    """
    removed = left_out(new)
    now_by_unit = {unit.unit: unit for unit in new.units}
    for unit in old.units:
        now = now_by_unit.get(unit.unit)
        if unit.subject and now and unit.subject not in removed:
            told = filter(None, (now.outcome, now.stage, now.reason))
            removed[unit.subject] = "built anew" if now.outcome == "kept" else ": ".join(told)
    return removed, {name: f"was {one.state}" for name, one in old.decisions.items()}


def _differing(old: dict[str, "array[int]"], new: dict[str, "array[int]"]) -> list[str]:
    """The fields that differ, in the order of a row; a pair that only one release has differs
    nowhere: its twin is another."""
    both = [(hashes, new[pair]) for pair, hashes in old.items() if pair in new]
    return [name for n, name in enumerate(_FIELDS) if any(a[n] != b[n] for a, b in both)]


def _shown(pair: str, old: Values, new: Values) -> Iterator[ValueChange]:
    """The differing values of one pair, shortened, from shortly before the first difference."""
    for name, *values in zip(_FIELDS, old.get(pair, ()), new.get(pair, ()), strict=False):
        if values[0] != values[1]:
            a, b = (" ".join(str(value).split()) for value in values)
            same = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
            start = max(0, min(same, len(a), len(b)) - _BEFORE)
            end = start + _LONGEST
            cut = ("..." * (start > 0) + x[start:end] + "..." * (end < len(x)) for x in (a, b))
            yield ValueChange(pair, name, *cut)

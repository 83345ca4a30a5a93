"""What differs between two releases, twin by twin and pair by pair."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from typer import Argument

from pairwright.pairs import Layout, Row
from pairwright.progress import Progress, Step, log_notes
from pairwright.releases.contents import Contents, Stated, read_release, rows_of
from pairwright.releases.rows import NOT_ASKED, why_not_verified

GONE = "forgotten, or no longer in the source"
"""A release names nobody who is to be forgotten."""
_FIELDS = ("split", *Row.model_fields)


class SubjectChange(NamedTuple):
    """A twin or pair that was added, removed or changed."""

    subject: str
    config: str
    what: Literal["added", "removed", "changed"]
    reason: str
    pairs: tuple[str, ...]


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
    after: Annotated[Path | str, Argument(help="The folder of a later one.", metavar="B")],
    *,
    progress: Progress = log_notes,
) -> ReleaseDiff:
    """Compare two releases: pairs added, removed or changed, and why.

    The sides of a twin are added, removed and changed together. No release names who asked to be
    forgotten.

    Raises InputError if a folder is not a release, or its rows cannot be read.

        >>> diff("1.0.0", "1.1.0").counts
        {('Home-twin', 'added', 'new'): 24, ('Home-twin', 'removed', 'refused'): 2}

    Examples::

        pairwright diff releases/1.0.0 releases/1.1.0
    """
    (old_place, old), (new_place, new) = read_release(Path(before)), read_release(Path(after))
    progress(Step("reading rows"))
    changes = tuple(_changes(_rows(old_place), _rows(new_place), old, new))
    return ReleaseDiff(old.stated, new.stated, changes)


Rows = dict[str, tuple[str, dict[str, tuple[int, ...]]]]
"""By twin or pair: its configuration; and by pair a hash of each field, valid in this process."""


def _rows(layout: Layout) -> Rows:
    held: Rows = {}
    for part, row in rows_of(layout):
        fields = (part.split, *(getattr(row, name) for name in Row.model_fields))
        held.setdefault(row.subject, (part.config, {}))[1][row.id] = tuple(map(hash, fields))
    return held


def _changes(earlier: Rows, later: Rows, old: Contents, new: Contents) -> Iterator[SubjectChange]:
    """Removed and changed ones in the order of the release before, then added ones."""
    fates = _fates(old, new)
    for name, (config, pairs) in earlier.items():
        if name not in later:
            decision = new.decisions.get(name)
            reason = why_not_verified(decision) if decision else fates.get(name, GONE)
            yield SubjectChange(name, config, "removed", reason, tuple(pairs))
        elif fields := _differing(pairs, later[name][1]):
            yield SubjectChange(name, config, "changed", fields, tuple(pairs))
    for name, (config, pairs) in later.items():
        if name not in earlier:
            decision = old.decisions.get(name)
            reason = f"was {decision.state}" if decision else "new"
            yield SubjectChange(name, config, "added", reason, tuple(pairs))


def _fates(old: Contents, new: Contents) -> dict[str, str]:
    """What the build of the later release made of units that the earlier one had kept."""
    fates = {unit.subject: NOT_ASKED for unit in new.units if unit.subject}
    now_by_unit = {unit.unit: unit for unit in new.units}
    for unit in old.units:
        now = now_by_unit.get(unit.unit)
        if unit.subject and now and unit.subject not in fates:
            told = filter(None, (now.outcome, now.stage, now.reason))
            fates[unit.subject] = "built anew" if now.outcome == "kept" else ": ".join(told)
    return fates


def _differing(old: dict[str, tuple[int, ...]], new: dict[str, tuple[int, ...]]) -> str:
    """The fields that differ, in the order of a row; empty if none does."""
    changed = {
        name
        for pair, hashes in old.items()
        for name, a, b in zip(_FIELDS, hashes, new.get(pair, ()), strict=False)
        if a != b
    }
    return ", ".join(name for name in _FIELDS if name in changed)

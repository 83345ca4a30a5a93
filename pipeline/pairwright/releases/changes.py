"""What differs between two releases, unit by unit, and version numbers."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from pairwright.errors import InputError
from pairwright.pairs import Layout, Row
from pairwright.releases.primary import PrimaryFiles
from pairwright.releases.selection import NOT_ASKED, why_not_verified
from pairwright.releases.summary import rows_of

GONE = "forgotten, or no longer in the source"
"""A release names nobody who is to be forgotten."""
TRIAL = "-trial"
_NUMBER = "(0|[1-9][0-9]{0,5})"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}")


class SubjectChange(NamedTuple):
    """A twin or pair that was added, removed or changed."""

    subject: str
    config: str
    what: Literal["added", "removed", "changed"]
    reason: str
    pairs: tuple[str, ...]


class _Held(NamedTuple):
    """What memory holds of a unit's rows."""

    config: str
    pairs: dict[str, tuple[int, ...]]
    """By id: a hash of each field, valid within this process."""


def subject_changes(
    before: Layout, after: Layout, old: PrimaryFiles, new: PrimaryFiles
) -> Iterator[SubjectChange]:
    """Removed and changed units in the order of the release before, then added ones.

    Raises InputError for a file that does not hold rows.
    """
    earlier, later = _held(before), _held(after)
    fates = {unit.subject: NOT_ASKED for unit in new.units if unit.subject}
    now_by_unit = {unit.unit: unit for unit in new.units}
    for unit in old.units:
        now = now_by_unit.get(unit.unit)
        if unit.subject and now and unit.subject not in fates:
            told = filter(None, (now.outcome, now.stage, now.reason))
            fates[unit.subject] = "built anew" if now.outcome == "kept" else ": ".join(told)
    for name, was in earlier.items():
        pairs, there = tuple(was.pairs), later.get(name)
        if there is None:
            decision = new.decisions.get(name)
            reason = why_not_verified(decision) if decision else fates.get(name, GONE)
            yield SubjectChange(name, was.config, "removed", reason, pairs)
        elif fields := _changed_fields(was, there):
            yield SubjectChange(name, there.config, "changed", fields, pairs)
    for name, there in later.items():
        if name not in earlier:
            decision = old.decisions.get(name)
            reason = f"was {decision.state}" if decision else "new"
            yield SubjectChange(name, there.config, "added", reason, tuple(there.pairs))


def _held(layout: Layout) -> dict[str, _Held]:
    held: dict[str, _Held] = {}
    for part, row in rows_of(layout):
        fields = (part.split, *(getattr(row, name) for name in Row.model_fields))
        unit = held.setdefault(row.subject, _Held(part.config, {}))
        unit.pairs[row.id] = tuple(map(hash, fields))
    return held


def _changed_fields(old: _Held, new: _Held) -> str:
    """The fields that differ, in the order of a row; empty if none does."""
    names = ("split", *Row.model_fields)
    changed = {
        name
        for pair, hashes in old.pairs.items()
        for name, a, b in zip(names, hashes, new.pairs.get(pair, ()), strict=False)
        if a != b
    }
    return ", ".join(name for name in names if name in changed)


def check_version(version: str) -> tuple[int, ...]:
    """The three numbers of X.Y.Z. Raises InputError for anything else."""
    match = _VERSION.fullmatch(version)
    if not match:
        raise InputError(
            f"{version!r} is not a version",
            where="--version",
            fix="Give three numbers, such as 1.0.0; --trial adds its mark by itself.",
        )
    return tuple(map(int, match.groups()))

"""What differs between two releases, subject by subject: a twin is one subject."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from pairwright.dataset import Layout, Part, Row
from pairwright.release.primary import ReleaseFiles
from pairwright.release.records import Change, UnitOutcome
from pairwright.release.selection import NOT_ASKED, SIMULATED, why_not_verified
from pairwright.release.summary import rows_of
from pairwright_human_eval.decisions import Decision

_COMPARED = tuple(name for name in Row.model_fields if name != "label_error")
FIELDS = (*_COMPARED, "annotators' answers on aspects")
"""What is compared. A label's error is not: it changes with votes on other pairs. The answers that
people gave on aspects are apart from the aspects, which the build made."""
FORGOTTEN, GONE = "forgotten", "no longer in the source"
EITHER = f"{FORGOTTEN}, or {GONE}"
"""Of a single subject this cannot be said: a release names nobody who is to be forgotten."""


class SubjectHashes(NamedTuple):
    """What memory holds of a subject's rows."""

    part: Part
    simulated: bool
    pairs: dict[str, bytes]
    """By id: a hash of each field, in the order of FIELDS, valid within this process."""


class SubjectChange(NamedTuple):
    """One subject that was added, removed or changed."""

    subject: str
    config: str
    what: Literal["added", "removed", "changed"]
    reason: str
    pairs: tuple[str, ...]


class SubjectHasher:
    """Collects the hashes of rows by subject."""

    def __init__(self) -> None:
        self.subjects: dict[str, SubjectHashes] = {}

    def add(self, part: Part, row: Row) -> None:
        first = SubjectHashes(part, row.simulated, {})
        hashes = map(hash, _values(row))
        self.subjects.setdefault(row.subject, first).pairs[row.id] = array("q", hashes).tobytes()


def _values(row: Row) -> Iterator[object]:
    """In the order of FIELDS."""
    unasked = {"support": None, "delivery": None}
    aspects = tuple(aspect.model_copy(update=unasked) for aspect in row.rubric_aspects)
    for name in _COMPARED:
        yield aspects if name == "rubric_aspects" else getattr(row, name)
    yield tuple((aspect.support, aspect.delivery) for aspect in row.rubric_aspects)


def hashes_by_subject(
    layout: Layout, each: Callable[[Row], None] = lambda _: None
) -> dict[str, SubjectHashes]:
    """Read a release's rows; `each` gets every row. Raises InputError for a file of other rows."""
    hasher = SubjectHasher()
    for part, row in rows_of(layout):
        hasher.add(part, row)
        each(row)
    return hasher.subjects


class ChangeContext(NamedTuple):
    """What explains a change: the decisions and units of the release before and the one after."""

    decisions_before: Mapping[str, Decision]
    decisions: Mapping[str, Decision]
    units_before: Iterable[UnitOutcome]
    units: Iterable[UnitOutcome]


def change_context(before: ReleaseFiles, after: ReleaseFiles) -> ChangeContext:
    """Take the decisions and units from the files of two releases."""
    old, new = before.primary, after.primary
    return ChangeContext(
        old.public.decisions if old.public else {},
        new.public.decisions if new.public else {},
        old.units,
        new.units,
    )


def subject_changes(
    before: Mapping[str, SubjectHashes], after: Mapping[str, SubjectHashes], context: ChangeContext
) -> Iterator[SubjectChange]:
    """By subject: removed and changed ones in the order of the release before, then added ones."""
    fates = _fates(context)
    for name, old in before.items():
        new, config, pairs = after.get(name), old.part.config, tuple(old.pairs)
        if new is None:
            reason = _why_removed(context.decisions.get(name), fates.get(name, EITHER), old)
            yield SubjectChange(name, config, "removed", reason, pairs)
        elif new.part.config != config:
            yield SubjectChange(name, config, "removed", f"moved to {new.part.config}", pairs)
        elif reason := _changed_fields(old, new):
            yield SubjectChange(name, config, "changed", reason, tuple(new.pairs))
    for name, new in after.items():
        was, config, pairs = before.get(name), new.part.config, tuple(new.pairs)
        if was is None:
            decision = context.decisions_before.get(name)
            reason = f"was {decision.state}" if decision else "new"
            yield SubjectChange(name, config, "added", reason, pairs)
        elif was.part.config != config:
            yield SubjectChange(name, config, "added", f"moved from {was.part.config}", pairs)


def _fates(context: ChangeContext) -> dict[str, str]:
    """By subject that the build before kept: what happened to its unit, where that is known."""
    now = {unit.unit: unit for unit in context.units}
    units = ((unit.subject, now.get(unit.unit)) for unit in context.units_before)
    fates = {subject: _fate(unit, subject) for subject, unit in units if subject and unit}
    # A unit of the build after may have another name and the same subject.
    return fates | {unit.subject: NOT_ASKED for unit in context.units if unit.subject}


def _fate(unit: UnitOutcome, subject: str) -> str:
    if unit.outcome == "kept":
        return NOT_ASKED if unit.subject == subject else "built anew"
    return ": ".join(filter(None, (unit.outcome, unit.stage, unit.reason)))


def _why_removed(decision: Decision | None, fate: str, old: SubjectHashes) -> str:
    if decision:
        return why_not_verified(decision) or "verified, and not released"
    return SIMULATED if old.simulated and fate == NOT_ASKED else fate


def _changed_fields(old: SubjectHashes, new: SubjectHashes) -> str:
    """The fields that differ, in the order of a row; empty where none does."""
    if old.pairs.keys() != new.pairs.keys():
        return "id"
    changed = {
        n
        for pair, before in old.pairs.items()
        for n, (a, b) in enumerate(zip(_hashes(before), _hashes(new.pairs[pair]), strict=True))
        if a != b
    }
    fields = [FIELDS[n] for n in sorted(changed)]
    if old.part.split != new.part.split:
        fields.append("other split")
    return ", ".join(fields)


def _hashes(packed: bytes) -> Iterable[int]:
    return array("q", packed)


def change_counts(changes: Iterable[SubjectChange]) -> tuple[Change, ...]:
    """Pairs by configuration, what happened, and why."""
    counts = Counter[tuple[str, str, str]]()
    for change in changes:
        counts[change.config, change.what, change.reason] += len(change.pairs)
    return tuple(
        Change.model_validate({"config": config, "what": what, "reason": reason, "pairs": n})
        for (config, what, reason), n in sorted(counts.items())
    )

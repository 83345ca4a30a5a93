"""What differs between two releases, subject by subject, where a twin is one subject; version
numbers, a release's line in history.jsonl, and what a comparison learns from that line.

When a release is made it is known whose pairs left because somebody is to be forgotten. The line
holds only how many they are.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Literal, NamedTuple

from pairwright.dataset import Layout, Part, Row
from pairwright.errors import InputError
from pairwright.release.primary import Change, ReleaseFiles, UnitOutcome, Version
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


FIRST = "first release"
TRIAL = "-trial"
_NUMBER = "(0|[1-9][0-9]{0,5})"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:{TRIAL})?")


def numbers_of(version: str) -> tuple[int, ...] | None:
    """The three numbers of X.Y.Z or X.Y.Z-trial; None of anything else."""
    match = _VERSION.fullmatch(version)
    return tuple(map(int, match.groups())) if match else None


def check_version(version: str) -> tuple[int, ...]:
    """The three numbers of X.Y.Z. Raises InputError for anything else."""
    numbers = numbers_of(version)
    if not numbers or version.endswith(TRIAL):
        raise InputError(
            f"{version!r} is not a version",
            where="--version",
            fix="Give three numbers, such as 1.0.0; --trial adds its mark by itself.",
        )
    return numbers


def first_version(version: str, after: Mapping[str, SubjectHashes]) -> Version:
    """The line of a release that follows none."""
    changes = [
        SubjectChange(name, hashes.part.config, "added", FIRST, tuple(hashes.pairs))
        for name, hashes in after.items()
    ]
    return _version(version, None, after, changes)


def next_version(
    version: str,
    previous: ReleaseFiles,
    before: Mapping[str, SubjectHashes],
    after: Mapping[str, SubjectHashes],
    context: ChangeContext,
    forgotten: Set[str],
) -> Version:
    """The line of a release that follows `previous`.

    `forgotten` are the subjects of `previous` that hold somebody or something to be forgotten.
    """
    changes = (
        change
        if change.reason != EITHER
        else change._replace(reason=FORGOTTEN if change.subject in forgotten else GONE)
        for change in subject_changes(before, after, context)
    )
    return _version(version, previous, after, changes)


def _version(
    version: str,
    previous: ReleaseFiles | None,
    after: Mapping[str, SubjectHashes],
    changes: Iterable[SubjectChange],
) -> Version:
    return Version(
        version=version,
        previous=previous and previous.primary.provenance.version,
        previous_digest=previous and previous.digest,
        pairs=sum(len(hashes.pairs) for hashes in after.values()),
        changes=change_counts(changes),
    )


def resolve_forgotten(
    changes: Iterable[SubjectChange], before: ReleaseFiles, after: ReleaseFiles
) -> tuple[list[SubjectChange], tuple[Change, ...]]:
    """Changes and their counts, with what the history of the later release adds to them.

    Where the later release follows the earlier one directly, its history counts the forgotten of
    each configuration. If none or all of the pairs that left without a trace are forgotten, each
    subject gets that reason; if some are, only the counts are split.
    """
    listed = list(changes)
    traceless = Counter[str]()
    for change in listed:
        traceless[change.config] += len(change.pairs) if change.reason == EITHER else 0
    forgotten = _forgotten_pairs(before, after)
    if forgotten is None:
        return listed, change_counts(listed)
    for config, n in traceless.items():
        if forgotten[config] in (0, n):
            reason = FORGOTTEN if forgotten[config] else GONE
            listed = [
                change._replace(reason=reason)
                if (change.config, change.reason) == (config, EITHER)
                else change
                for change in listed
            ]
    return listed, tuple(_split_counts(change_counts(listed), forgotten))


def _forgotten_pairs(before: ReleaseFiles, after: ReleaseFiles) -> Counter[str] | None:
    """Pairs by configuration; None where the releases do not follow one another."""
    line = after.primary.history[-1] if after.primary.history else None
    earlier = before.primary.provenance.version, before.digest
    if not line or (line.previous, line.previous_digest) != earlier:
        return None
    left = (each for each in line.changes if (each.what, each.reason) == ("removed", FORGOTTEN))
    return Counter({change.config: change.pairs for change in left})


def _split_counts(changes: Iterable[Change], forgotten: Counter[str]) -> Iterator[Change]:
    for change in changes:
        if change.reason != EITHER or forgotten[change.config] > change.pairs:
            yield change
            continue
        left = change.pairs - forgotten[change.config]
        yield change.model_copy(update={"reason": FORGOTTEN, "pairs": forgotten[change.config]})
        yield change.model_copy(update={"reason": GONE, "pairs": left})

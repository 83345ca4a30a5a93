"""What differs between two releases, subject by subject, where a twin is one subject; version
numbers, a release's line in history.jsonl, and what a comparison learns from that line.

When a release is made it is known whose pairs left because somebody is to be forgotten. The line
holds only how many they are.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from operator import attrgetter
from typing import Literal, NamedTuple

from pairwright.dataset import Layout, Part, Row, RowAspect
from pairwright.errors import InputError
from pairwright.releases.primary import (
    Change,
    PrimaryFiles,
    ReleaseFiles,
    UnitOutcome,
    Version,
)
from pairwright.releases.selection import NOT_ASKED, why_not_verified
from pairwright.releases.summary import rows_of

_ASKED = ("support", "delivery")
_COMPARED = tuple(name for name in Row.model_fields if name != "label_error")
_as_built = attrgetter(*(name for name in RowAspect.model_fields if name not in _ASKED))
"""An aspect's fields without what people answered on it."""
FIELDS = (*_COMPARED, "annotators' answers on aspects")
"""What is compared. A label's error is not: it changes with votes on other pairs. The answers that
people gave on aspects are apart from the aspects, which the build made."""
FORGOTTEN, GONE = "forgotten", "no longer in the source"
EITHER = f"{FORGOTTEN}, or {GONE}"
"""Of a single subject this cannot be said: a release names nobody who is to be forgotten."""


class SubjectHashes(NamedTuple):
    """What memory holds of a subject's rows."""

    part: Part
    pairs: dict[str, bytes]
    """By id: a hash of each field, in the order of FIELDS, valid within this process."""


class SubjectChange(NamedTuple):
    """One subject that was added, removed or changed."""

    subject: str
    config: str
    what: Literal["added", "removed", "changed"]
    reason: str
    pairs: tuple[str, ...]


def add_hashes(
    subjects: dict[str, SubjectHashes], part: Part, row: Row, *, compared: bool = True
) -> None:
    """Add a row to the hashes of its subject; the hashes are empty where nothing is `compared`."""
    first = SubjectHashes(part, {})
    pairs = subjects.setdefault(row.subject, first).pairs
    if not compared:
        pairs[row.id] = b""
        return
    aspects = tuple(map(_as_built, row.rubric_aspects))
    answers = tuple((aspect.support, aspect.delivery) for aspect in row.rubric_aspects)
    values = (aspects if name == "rubric_aspects" else getattr(row, name) for name in _COMPARED)
    pairs[row.id] = array("q", map(hash, (*values, answers))).tobytes()


def hashes_by_subject(
    layout: Layout, each: Callable[[Row], None] = lambda _: None
) -> dict[str, SubjectHashes]:
    """Read a release's rows; `each` gets every row. Raises InputError for a file of other rows."""
    subjects: dict[str, SubjectHashes] = {}
    for part, row in rows_of(layout):
        add_hashes(subjects, part, row)
        each(row)
    return subjects


def subject_changes(
    before: Mapping[str, SubjectHashes],
    after: Mapping[str, SubjectHashes],
    old: PrimaryFiles,
    new: PrimaryFiles,
) -> Iterator[SubjectChange]:
    """By subject: removed and changed ones in the order of the release before, then added ones.

    What explains a change are the decisions and units of both, `old` and `new`.
    """
    fates = _fates(old.units, new.units)
    for name, was in before.items():
        now, config, pairs = after.get(name), was.part.config, tuple(was.pairs)
        if now is None:
            if decision := new.decisions.get(name):
                reason = why_not_verified(decision) or "verified, and not released"
            else:
                reason = fates.get(name, EITHER)
            yield SubjectChange(name, config, "removed", reason, pairs)
        elif now.part.config != config:
            yield SubjectChange(name, config, "removed", f"moved to {now.part.config}", pairs)
        elif reason := _changed_fields(was, now):
            yield SubjectChange(name, config, "changed", reason, tuple(now.pairs))
    for name, now in after.items():
        earlier, config, pairs = before.get(name), now.part.config, tuple(now.pairs)
        if earlier is None:
            decision = old.decisions.get(name)
            reason = f"was {decision.state}" if decision else "new"
            yield SubjectChange(name, config, "added", reason, pairs)
        elif earlier.part.config != config:
            yield SubjectChange(name, config, "added", f"moved from {earlier.part.config}", pairs)


def _fates(before: Iterable[UnitOutcome], after: Iterable[UnitOutcome]) -> dict[str, str]:
    """By subject that the build before kept: what happened to its unit, where that is known."""
    now, fates = {unit.unit: unit for unit in after}, dict[str, str]()
    for old in before:
        unit = now.get(old.unit)
        if not old.subject or not unit:
            continue
        if unit.outcome == "kept":
            fates[old.subject] = NOT_ASKED if unit.subject == old.subject else "built anew"
        else:
            fates[old.subject] = ": ".join(filter(None, (unit.outcome, unit.stage, unit.reason)))
    # A unit of the build after may have another name and the same subject.
    return fates | {unit.subject: NOT_ASKED for unit in now.values() if unit.subject}


def _changed_fields(old: SubjectHashes, new: SubjectHashes) -> str:
    """The fields that differ, in the order of a row; empty where none does."""
    if old.pairs.keys() != new.pairs.keys():
        return "id"
    changed = set[str]()
    for pair, packed in old.pairs.items():
        hashes = zip(array("q", packed), array("q", new.pairs[pair]), strict=True)
        changed |= {name for name, (a, b) in zip(FIELDS, hashes, strict=True) if a != b}
    fields = [name for name in FIELDS if name in changed]
    if old.part.split != new.part.split:
        fields.append("other split")
    return ", ".join(fields)


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


def next_version(
    primary: PrimaryFiles,
    previous: ReleaseFiles | None,
    before: Mapping[str, SubjectHashes],
    after: Mapping[str, SubjectHashes],
    forgotten: Set[str],
) -> Version:
    """The line of a release that follows `previous`, or none.

    `before` and `after` are the subjects of both; `forgotten` those of `previous` that hold
    somebody or something to be forgotten.
    """
    old, changes = previous.primary if previous else primary, list[SubjectChange]()
    for change in subject_changes(before, after, old, primary):
        reason = change.reason
        if previous is None:
            reason = FIRST
        elif reason == EITHER:
            reason = FORGOTTEN if change.subject in forgotten else GONE
        changes.append(change._replace(reason=reason))
    return Version(
        version=primary.provenance.version,
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
    listed, line = list(changes), after.primary.history[-1] if after.primary.history else None
    earlier = before.primary.provenance.version, before.digest
    if not line or (line.previous, line.previous_digest) != earlier:
        return listed, change_counts(listed)
    forgotten = Counter[str]()
    for each in line.changes:
        if (each.what, each.reason) == ("removed", FORGOTTEN):
            forgotten[each.config] = each.pairs
    traceless = Counter[str]()
    for change in listed:
        traceless[change.config] += len(change.pairs) if change.reason == EITHER else 0
    for n, change in enumerate(listed):
        if change.reason == EITHER and forgotten[change.config] in (0, traceless[change.config]):
            reason = FORGOTTEN if forgotten[change.config] else GONE
            listed[n] = change._replace(reason=reason)
    return listed, tuple(_split_counts(change_counts(listed), forgotten))


def _split_counts(changes: Iterable[Change], forgotten: Counter[str]) -> Iterator[Change]:
    for change in changes:
        if change.reason != EITHER or forgotten[change.config] > change.pairs:
            yield change
            continue
        left = change.pairs - forgotten[change.config]
        yield change.model_copy(update={"reason": FORGOTTEN, "pairs": forgotten[change.config]})
        yield change.model_copy(update={"reason": GONE, "pairs": left})

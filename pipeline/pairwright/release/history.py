"""Version numbers, a release's line in history.jsonl, and what a comparison learns from that line.

When a release is made it is known whose pairs left because somebody is to be forgotten. The line
holds only how many they are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from pairwright.errors import InputError
from pairwright.release.diff import (
    EITHER,
    FORGOTTEN,
    GONE,
    ChangeContext,
    SubjectChange,
    SubjectHashes,
    change_counts,
    subject_changes,
)
from pairwright.release.primary import ReleaseFiles
from pairwright.release.records import Change, Version

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

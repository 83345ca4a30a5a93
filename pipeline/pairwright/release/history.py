"""A release's line in history.jsonl, and what a difference of two releases knows from it.

Whose pairs left because somebody is to be forgotten is known when a release is made, and only how
many they are is written down.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from pairwright.release.diff import (
    EITHER,
    FORGOTTEN,
    GONE,
    Difference,
    Sides,
    Sketch,
    counted,
    differences,
)
from pairwright.release.records import Change, Version
from pairwright.release.told import Told

FIRST = "first release"


def first_version(version: str, after: Mapping[str, Sketch]) -> Version:
    """The line of a release that follows none."""
    found = [
        Difference(name, of.part.config, "added", FIRST, tuple(of.pairs))
        for name, of in after.items()
    ]
    return _version(version, None, after, found)


def next_version(
    version: str,
    previous: Told,
    before: Mapping[str, Sketch],
    after: Mapping[str, Sketch],
    sides: Sides,
    forgotten: Set[str],
) -> Version:
    """The line of a release that follows `previous`; `forgotten` are subjects of that one with
    somebody or something in them that is to be forgotten."""
    found = (
        of if of.reason != EITHER else of._replace(reason=_left(of, forgotten))
        for of in differences(before, after, sides)
    )
    return _version(version, previous, after, found)


def _left(of: Difference, forgotten: Set[str]) -> str:
    return FORGOTTEN if of.subject in forgotten else GONE


def _version(
    version: str,
    previous: Told | None,
    after: Mapping[str, Sketch],
    found: Iterable[Difference],
) -> Version:
    return Version(
        version=version,
        previous=previous and previous.stated.version,
        previous_digest=previous and previous.digest,
        pairs=sum(len(of.pairs) for of in after.values()),
        changes=counted(found),
    )


def settled(
    found: Iterable[Difference], before: Told, after: Told
) -> tuple[list[Difference], tuple[Change, ...]]:
    """Differences and their counts, with what the later release's history knows of them.

    It counts the forgotten of each configuration where it follows the earlier one directly. Where
    that is none or all of those that left without a trace, so it is said of each; where it is some
    of them, the counts are told apart, and the subjects are not.
    """
    listed = list(found)
    traceless = Counter[str]()
    for of in listed:
        traceless[of.config] += len(of.pairs) if of.reason == EITHER else 0
    known = _forgotten(before, after)
    if known is None:
        return listed, counted(listed)
    for config, n in traceless.items():
        if known[config] in (0, n):
            reason = FORGOTTEN if known[config] else GONE
            listed = [
                of._replace(reason=reason) if (of.config, of.reason) == (config, EITHER) else of
                for of in listed
            ]
    return listed, tuple(_apart(counted(listed), known))


def _forgotten(before: Told, after: Told) -> Counter[str] | None:
    """Pairs by configuration; None where the releases do not follow one another."""
    line = after.history[-1] if after.history else None
    if not line or (line.previous, line.previous_digest) != (before.stated.version, before.digest):
        return None
    left = (of for of in line.changes if of.what == "removed" and of.reason == FORGOTTEN)
    return Counter({of.config: of.pairs for of in left})


def _apart(changes: Iterable[Change], known: Counter[str]) -> Iterator[Change]:
    for change in changes:
        if change.reason != EITHER or known[change.config] > change.pairs:
            yield change
            continue
        left = change.pairs - known[change.config]
        yield change.model_copy(update={"reason": FORGOTTEN, "pairs": known[change.config]})
        yield change.model_copy(update={"reason": GONE, "pairs": left})

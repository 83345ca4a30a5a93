"""The versions that led to a release: does each go on with the one before?"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from pairwright.release.history import FIRST
from pairwright.release.records import Stated, Version
from pairwright.release.verify.difference import difference, same, shown
from pairwright.release.versions import TRIAL, numbers_of

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_SIGN = {"added": 1, "removed": -1, "changed": 0}


def check_history(history: Sequence[Version], stated: Stated, name: str) -> None:
    """Raises Difference. `name` is the file."""
    if not history:
        raise difference("is empty, and must hold this version", name)
    same("version", history[-1].version, stated.version, f"{name}:{len(history)}")
    for number, version in enumerate(history, start=1):
        _check_line(version, f"{name}:{number}")
    _check_first(history[0], f"{name}:1")
    for number, (before, after) in enumerate(pairwise(history), start=2):
        _check_next(before, after, f"{name}:{number}")


def check_rows_of_history(history: Sequence[Version], rows: Mapping[str, int], name: str) -> None:
    """Raise Difference unless what was added and not removed is what is there, by configuration."""
    net, where = Counter[str](), f"{name}:{len(history)}"
    for version in history:
        for change in version.changes:
            net[change.config] += _SIGN[change.what] * change.pairs
    for config in sorted({*net, *rows}):
        same(f"pairs of {shown(config)}", net[config], rows.get(config, 0), where)
    same("pairs", history[-1].pairs, sum(rows.values()), where)


def _check_line(version: Version, where: str) -> None:
    if not numbers_of(version.version):
        raise difference(f"version is {shown(version.version)}, and must be X.Y.Z", where)
    if (version.previous is None) != (version.previous_digest is None):
        raise difference("previous and previous_digest are not both there", where)
    if version.previous_digest is not None and not _DIGEST.fullmatch(version.previous_digest):
        raise difference(f"previous_digest is {shown(version.previous_digest)}", where)
    for n, change in enumerate(version.changes):
        if change.pairs < 1:
            raise difference(f"changes.{n} is of {shown(change.pairs)} pairs", where)


def _check_first(first: Version, where: str) -> None:
    same("previous", first.previous, None, where)
    for n, change in enumerate(first.changes):
        told = (change.what, change.reason)
        same(f"changes.{n} of a first version", told, ("added", FIRST), where)
    same("pairs", first.pairs, _more(first), where)


def _check_next(before: Version, after: Version, where: str) -> None:
    same("previous", after.previous, before.version, where)
    if not (numbers_of(before.version) or ()) < (numbers_of(after.version) or ()):
        raise difference(f"{after.version} does not come after {before.version}", where)
    if before.version.endswith(TRIAL) and not after.version.endswith(TRIAL):
        raise difference(f"{after.version} follows {before.version}, a trial", where)
    same("pairs", after.pairs, before.pairs + _more(after), where)


def _more(version: Version) -> int:
    return sum(_SIGN[change.what] * change.pairs for change in version.changes)

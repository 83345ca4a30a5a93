"""Version, kind, history and errata: each for itself, and with each other."""

import re
from itertools import pairwise

from pairwright.dataset import Layout
from pairwright.release.primary import Primary
from pairwright.release.records import Erratum, Stated, Version
from pairwright.release.verify.difference import difference, same, shown
from pairwright.release.versions import TRIAL

_NUMBER = r"(?:0|[1-9]\d{0,5})"
_ONE = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:{TRIAL})?"
_VERSION = re.compile(_ONE, re.ASCII)
_VERSIONS = re.compile(rf"{_ONE}(?: to {_ONE})?", re.ASCII)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_PAIR = re.compile(r"pair-[0-9a-f]{16}")


def check_stated(layout: Layout, primary: Primary) -> None:
    """Raises Difference."""
    stated, name = primary.stated, layout.stated.name
    _check_version(stated, name)
    if not 0 <= stated.validation_share < 1:
        raise difference(f"is {stated.validation_share}", f"{name} [validation_share]")
    _check_history(primary.history, stated, layout.history.name)
    for number, erratum in enumerate(primary.errata, start=1):
        _check_erratum(erratum, f"{layout.errata.name}:{number}")


def _check_version(stated: Stated, name: str) -> None:
    if not _VERSION.fullmatch(stated.version):
        raise difference(f"is {shown(stated.version)}, and must be X.Y.Z", f"{name} [version]")
    trial = stated.kind == "trial"
    if stated.version.endswith(TRIAL) != trial:
        raise difference(
            f"is {stated.version}, and must {'' if trial else 'not '}end in {TRIAL}:"
            f" the kind is {stated.kind}",
            f"{name} [version]",
        )
    if bool(stated.trial_because) != trial:
        raise difference(
            "says nothing" if trial else "names reasons for an ordinary release",
            f"{name} [trial_because]",
        )


def _check_history(history: tuple[Version, ...], stated: Stated, name: str) -> None:
    if not history:
        raise difference("is empty, and must hold this version", name)
    same("version", history[-1].version, stated.version, f"{name}:{len(history)}")
    for number, version in enumerate(history, start=1):
        where = f"{name}:{number}"
        if not _VERSION.fullmatch(version.version):
            raise difference(f"version is {shown(version.version)}, and must be X.Y.Z", where)
        if (version.previous is None) != (version.previous_digest is None):
            raise difference("previous and previous_digest are not both there", where)
        if version.previous_digest is not None and not _DIGEST.fullmatch(version.previous_digest):
            raise difference(f"previous_digest is {shown(version.previous_digest)}", where)
    first = history[0]
    same("previous", first.previous, None, f"{name}:1")
    same("pairs", first.pairs, _more(first), f"{name}:1")
    for number, (before, after) in enumerate(pairwise(history), start=2):
        where = f"{name}:{number}"
        same("previous", after.previous, before.version, where)
        if not _order(before.version) < _order(after.version):
            raise difference(f"{after.version} does not come after {before.version}", where)
        if before.version.endswith(TRIAL) and not after.version.endswith(TRIAL):
            raise difference(f"{after.version} follows {before.version}, a trial", where)
        same("pairs", after.pairs, before.pairs + _more(after), where)


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.removesuffix(TRIAL).split(".")))


def _more(version: Version) -> int:
    sign = {"added": 1, "removed": -1, "changed": 0}
    return sum(sign[change.what] * change.pairs for change in version.changes)


def _check_erratum(erratum: Erratum, where: str) -> None:
    if not _PAIR.fullmatch(erratum.pair):
        raise difference(f"pair is {shown(erratum.pair)}, and must be the id of a pair", where)
    if not _VERSIONS.fullmatch(erratum.versions):
        raise difference(
            f"versions is {shown(erratum.versions)}, and must be such as 1.0.0 to 1.1.0", where
        )

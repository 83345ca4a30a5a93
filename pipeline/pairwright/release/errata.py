"""RUN/errata.jsonl: known faults of released pairs, written by hand, released with the next."""

import re
from collections.abc import Sequence
from pathlib import Path

from pairwright.dataset import read_lines
from pairwright.errors import InputError
from pairwright.release.records import Erratum

FILE = "errata.jsonl"
_PAIR = re.compile(r"pair-[0-9a-f]{16}")
_NUMBER = r"\d+\.\d+\.\d+(-trial)?"
_VERSIONS = re.compile(rf"{_NUMBER}( to {_NUMBER})?")


def read_errata(run: Path, before: Sequence[Erratum]) -> tuple[Erratum, ...]:
    """The previous release's errata with those of the run, which may say that one is mended.

    Raises InputError for a line of the run's file that is none.
    """
    path, own = run / FILE, list[Erratum]()
    if path.exists():
        for number, erratum in enumerate(read_lines(path, Erratum), start=1):
            _check(erratum, f"{path}:{number}")
            own.append(erratum)
    return tuple({(of.pair, of.what): of for of in (*before, *own)}.values())


def _check(erratum: Erratum, where: str) -> None:
    if not _PAIR.fullmatch(erratum.pair):
        raise InputError(
            f"[pair] {erratum.pair!r} is no id of a pair",
            where=where,
            fix="Copy it from a release.",
        )
    if not _VERSIONS.fullmatch(erratum.versions):
        raise InputError(
            f"[versions] {erratum.versions!r} names no versions",
            where=where,
            fix="Write one such as 1.0.0, or the first and last: 1.0.0 to 1.1.0.",
        )
    if not erratum.what.strip():
        raise InputError("[what] is empty", where=where, fix="Say what is wrong with the pair.")

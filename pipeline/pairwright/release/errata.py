"""RUN/errata.jsonl: known faults of released pairs, written by hand, released with the next."""

import re
from collections.abc import Sequence
from pathlib import Path

from pairwright.dataset import read_lines
from pairwright.errors import InputError
from pairwright.release.records import Erratum
from pairwright.release.versions import numbers_of

FILE = "errata.jsonl"
_PAIR = re.compile(r"pair-[0-9a-f]{16}")
_TO = " to "


def read_errata(run: Path, before: Sequence[Erratum]) -> tuple[Erratum, ...]:
    """The previous release's errata with those of the run, which may say that one is mended.

    Raises InputError for a line of the run's file that is none, or is there twice.
    """
    path, own = run / FILE, list[Erratum]()
    if path.exists():
        for number, erratum in enumerate(read_lines(path, Erratum), start=1):
            if why := "is there twice" if erratum in own else fault(erratum):
                raise InputError(
                    why,
                    where=f"{path}:{number}",
                    fix="Write the id of a released pair, its versions, and what is wrong with it.",
                )
            own.append(erratum)
    return tuple({(of.pair, of.what): of for of in (*before, *own)}.values())


def fault(erratum: Erratum) -> str:
    """Why it is no erratum; empty where it is one."""
    if not _PAIR.fullmatch(erratum.pair):
        return f"pair is {erratum.pair[:100]!a}, and must be the id of a pair"
    versions = [numbers_of(version) for version in erratum.versions.split(_TO)]
    known = [numbers for numbers in versions if numbers]
    if len(versions) > 2 or known != versions:
        return (
            f"versions is {erratum.versions[:100]!a}, and must be one such as 1.0.0, or the first"
            f" and last: 1.0.0{_TO}1.1.0"
        )
    if known != sorted(known):
        return f"versions is {erratum.versions!a}, which runs backwards"
    return "" if erratum.what.strip() else "what is empty, and must say what is wrong with the pair"

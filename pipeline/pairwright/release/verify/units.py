"""What came of every unit of the build: the subjects that were kept, in their order."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pairwright.records import Mode
from pairwright.release.records import Format, UnitOutcome
from pairwright.release.verify.comparison import difference, same
from pairwright_human_eval.subjects import Outline

_NAME = re.compile(r"unit-[0-9a-f]{16}")


class KeptUnit(NamedTuple):
    """A unit that was kept."""

    name: str
    """Its hash."""
    mode: Mode
    position: int
    """Its line, counted from 1."""
    contents: tuple[str, ...]
    """Hashes of the subject's rows, where it is released; empty in format 1."""


def check_units(units: Iterable[UnitOutcome], format_: Format, file: str) -> dict[str, KeptUnit]:
    """The kept units by their subjects; raises Difference."""
    names, kept = set[str](), dict[str, KeptUnit]()
    for number, unit in enumerate(units, start=1):
        where = f"{file}:{number}"
        if not _NAME.fullmatch(unit.unit):
            raise difference(f"unit is {unit.unit!r}, and must be a hash", where)
        if unit.unit in names:
            raise difference(f"{unit.unit} is there twice", where)
        names.add(unit.unit)
        was_kept = unit.outcome == "kept"
        same("whether there is a subject", unit.subject is not None, was_kept, where)
        same("whether there is a reason", bool(unit.reason), not was_kept, where)
        if unit.contents and (format_ == 1 or not was_kept):
            raise difference("has contents, where it has none", where)
        if unit.subject is not None:
            if unit.subject in kept:
                raise difference(f"{unit.subject} was kept before", where)
            kept[unit.subject] = KeptUnit(unit.unit, unit.mode, number, unit.contents)
    return kept


def check_contents(kept: Mapping[str, KeptUnit], rows: Mapping[str, int], file: str) -> None:
    """Raise Difference where a unit has more hashes than rows of its subject are there."""
    for subject, unit in kept.items():
        if len(unit.contents) > rows.get(subject, 0):
            where = f"{file}:{unit.position}"
            raise difference(
                f"has {len(unit.contents)} contents, of {rows.get(subject, 0)} rows", where
            )


def check_sampled(outlines: Mapping[str, Outline], kept: Mapping[str, KeptUnit], file: str) -> None:
    """Every subject that people were asked about was kept, and their order is the build's."""
    before = 0
    for number, outline in enumerate(outlines.values(), start=1):
        where = f"{file}:{number}"
        unit = kept.get(outline.id)
        if unit is None:
            raise difference(f"{outline.id} is not a kept unit of the build", where)
        same("mode", outline.mode, unit.mode, where)
        if unit.position <= before:
            raise difference(f"{outline.id} is out of the build's order", where)
        before = unit.position

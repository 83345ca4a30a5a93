"""The primary files of a release but its rows, read."""

import json
from pathlib import Path
from typing import NamedTuple, NoReturn

from pydantic import JsonValue

from pairwright.dataset import Layout, read_lines, read_one
from pairwright.dataset.lines import read_document
from pairwright.errors import InputError
from pairwright.release.records import Erratum, Stated, Unit, Version
from pairwright_human_eval.public_study import ReleasedStudy, read_public


class Primary(NamedTuple):
    """What everything that can be derived is derived from, beside the rows."""

    stated: Stated
    history: tuple[Version, ...]
    """The last line is this release."""
    errata: tuple[Erratum, ...]
    units: tuple[Unit, ...]
    public: ReleasedStudy | None
    """None where nobody was asked."""
    audit: JsonValue
    """audit/audit.json; release and audit know each other by files alone. None without one."""


def read_primary(layout: Layout) -> Primary:
    """Read them. Raises InputError naming the file and line that is not what it should be."""
    return Primary(
        stated=read_one(layout.stated, Stated),
        history=tuple(read_lines(layout.history, Version)),
        errata=tuple(read_lines(layout.errata, Erratum)),
        units=tuple(read_lines(layout.units, Unit)),
        public=read_public(layout),
        audit=_json(layout.audit),
    )


def read_history(layout: Layout) -> tuple[Version, ...]:
    """The versions that led to a release, its own last."""
    return tuple(read_lines(layout.history, Version))


def _json(path: Path) -> JsonValue:
    if not path.exists():
        return None
    try:
        value: JsonValue = json.loads(
            read_document(path), object_pairs_hook=_object, parse_constant=_no_number
        )
        json.dumps(value, ensure_ascii=False).encode()  # Fails for half a surrogate pair.
    except ValueError as error:
        raise InputError(
            str(error), where=path, fix="Take this file anew from where it came from."
        ) from None
    return value


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object that has a key twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")

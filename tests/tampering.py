"""A copy of a release in the hands of somebody who wants it to say something else.

bad = Tampered(copy_of(release, tmp_path))
bad.line("human/answers.jsonl", 1, round=2)       # a field of a JSON line, by its number
bad.rows("Home-twin", lambda rows: rows[1:])       # the rows of a Parquet file
bad.seal()                                         # checksums to match, as an attacker would
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pairwright.pairs import Layout, Part, Row, read_rows, write_rows
from pairwright.pairs.row import derived_twin_id
from pairwright.releases.write import write_checksums
from released import known_of, texts

Object = dict[str, Any]


class Tampered:
    """A release that is changed in place."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.layout = Layout(root)

    def json(self, path: str, **changes: Any) -> None:
        """Change fields of the one record of a file, written as a release writes it."""
        self.write(path, json.dumps(self.one(path) | changes, indent=2, ensure_ascii=False) + "\n")

    def line(self, path: str, number: int, **changes: Any) -> None:
        """Change fields of a JSON line, counted from 1."""
        lines = self.lines(path)
        lines[number - 1] |= changes
        self.put(path, lines)

    def put(self, path: str, lines: list[Object]) -> None:
        written = (json.dumps(of, separators=(",", ":"), ensure_ascii=False) for of in lines)
        self.write(path, "".join(f"{line}\n" for line in written))

    def rows(self, config: str, change: Callable[[list[Row]], list[Row]]) -> None:
        """Write the rows of a configuration anew, its note and all."""
        path = self.layout.part(Part(config, "test"))
        note = pq.read_schema(path).metadata[b"pairwright"].decode()
        write_rows(path, change(list(read_rows(path))), note=note)

    def row(self, config: str, number: int, **changes: Any) -> None:
        """Change fields of one row, counted from 1."""

        def change(rows: list[Row]) -> list[Row]:
            rows[number - 1] = rows[number - 1].model_copy(update=changes)
            return rows

        self.rows(config, change)

    def seal(self, *, derived: bool = False) -> None:
        """Write the checksums anew; before that, if asked for, every derived file."""
        if derived:
            for path, text in texts(known_of(self.layout)).items():
                self.write(path, text)
        write_checksums(self.root)

    def write(self, path: str, content: str) -> None:
        (self.root / path).write_bytes(content.encode())

    def one(self, path: str) -> Object:
        found: Object = json.loads((self.root / path).read_bytes())
        return found

    def lines(self, path: str) -> list[Object]:
        return [json.loads(line) for line in (self.root / path).read_bytes().splitlines()]


Damage = Callable[[Path], object]
"""What happened to a folder."""


def dropped(path: str) -> Damage:
    return lambda root: (root / path).unlink()


def replaced(path: str, text: str) -> Damage:
    return lambda root: (root / path).write_text(text, encoding="utf-8")


def halved(path: str) -> Damage:
    return lambda root: os.truncate(root / path, (root / path).stat().st_size // 2)


def copy_of(release: Path, place: Path) -> Path:
    shutil.copytree(release, place, symlinks=True)
    return place


def bytes_of(root: Path) -> dict[str, bytes]:
    """Every file of a folder, by its path."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def renamed(row: Row, **changes: Any) -> Row:
    """The row with changes, and the id that its content then gives."""
    row = row.model_copy(update=changes)
    return row.model_copy(update={"id": row.derived_id()})


def turned(rows: list[Row]) -> list[Row]:
    """The two halves of a twin with the sides changed about, and ids to match."""
    asked, other = (renamed(row, chosen=row.rejected, rejected=row.chosen) for row in rows)
    name = derived_twin_id(asked, other)
    return [row.model_copy(update={"twin_id": name}) for row in (asked, other)]

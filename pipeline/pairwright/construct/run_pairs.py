"""The pairs of a run or a release: reading them, and whether a run's are what its build wrote."""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import from_json

from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import iterate_pair_lines
from pairwright.dataset import Layout, Row, parts_of, read_lines, read_rows
from pairwright.errors import InputError
from pairwright.models.store import Store
from pairwright.records import Pair
from pairwright.text import number_of


def load_release(path: str | Path) -> list[Pair] | list[Row]:
    """Read the rows of a release, or the pairs of a run folder or of a `pairs.jsonl`, which hold
    more.

    What a simulated model had a part in has `simulated = True`. Raises InputError where there are
    no pairs, or a line is not a pair.

        >>> [row.chosen for row in load_release("releases/1.0.0") if row.mode == "twin"]
        ['Simmer the beans for an hour ...', ...]
    """
    root = Path(path)
    if parts := parts_of(root):
        layout = Layout(root)
        return [row for part in parts for row in read_rows(layout.part(part))]
    return list(iterate_pairs(root))


def iterate_pairs(path: Path) -> Iterator[Pair]:
    """Read the pairs of a run folder or a `pairs.jsonl`, one at a time; raises InputError."""
    file = path / "pairs.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "no such file",
            where=file,
            fix="Name a release, or a run folder whose build has finished.",
        )
    fix = "Build again: pairs.jsonl is derived from the run folder's store."
    yield from read_lines(file, Pair, fix=fix)


SHOWN = 5
"""Differences that an error lists."""
_AGAIN = "Run pairwright build again to its end: it writes the file, and no call is sent twice."


def check_as_built(run: Path) -> None:
    """Raise InputError where pairs.jsonl is not what the run's build wrote, naming lines and
    fields that differ, and StoreError where the run has no store to tell from."""
    file = run / "pairs.jsonl"
    with closing(Store(RunFolder(run).calls, writing=False)) as store:
        if not store.finished:
            raise InputError("its build has not finished", where=run, fix=_AGAIN)
        built = hashlib.sha256()
        for line in iterate_pair_lines(store):
            built.update(line.encode())
        with file.open("rb") as there:
            if hashlib.file_digest(there, "sha256").digest() == built.digest():
                return
        differences = _differences(store, file)
        shown = [_description(store, difference) for difference in islice(differences, SHOWN)]
        more = sum(1 for _ in differences)
    listed = "\n    ".join([*shown, *([f"and {number_of(more, 'other')}"] if more else [])])
    raise InputError(
        f"is not what the build wrote:\n    {listed}",
        where=file,
        fix=f"{_AGAIN} Studies and releases hold what the build's calls led to.",
    )


class _Difference(NamedTuple):
    what: str
    """Beginning with the line's number or the pair's id."""
    name: str = ""
    line: str = ""
    """As it is now, where the build wrote another line for the pair of that name."""


def _differences(store: Store, file: Path) -> Iterator[_Difference]:
    """What differs, in the order of the file, and then what it lacks."""
    built = {_id(line): _digest(line) for line in iterate_pair_lines(store)}
    missing = dict.fromkeys(built)
    same = True
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        for number, line in enumerate(lines, start=1):
            name = _id(line)
            if name not in built:
                what = f"{name} is not of this build" if name else "is not a pair"
                difference = _Difference(f"line {number}: {what}")
            elif name not in missing:
                difference = _Difference(f"line {number}: {name} is there twice")
            elif built[name] != _digest(line):
                difference = _Difference(f"line {number}: {name}", name, line)
            else:
                del missing[name]
                continue
            missing.pop(name, None)
            same = False
            yield difference
    for name in missing:
        same = False
        yield _Difference(f"{name} is missing")
    if same:
        yield _Difference("the lines are in another order")


def _description(store: Store, difference: _Difference) -> str:
    """The difference in words, with the fields that differ."""
    if not difference.name:
        return difference.what
    line = next(line for line in iterate_pair_lines(store) if _id(line) == difference.name)
    then, now = from_json(line), from_json(difference.line)
    fields = [field for field in {**then, **now} if then.get(field) != now.get(field)]
    return f"{difference.what}: {', '.join(fields) or 'laid out otherwise'}"


def _digest(line: str) -> bytes:
    return hashlib.sha256(line.encode()).digest()


def _id(line: str) -> str:
    """The pair's id; empty where the line is not a pair."""
    try:
        pair: Any = from_json(line)
    except ValueError:
        return ""
    return str(pair["id"]) if isinstance(pair, dict) and "id" in pair else ""

"""Pairs of any origin: a release, a run folder, another person's file or folder, a dataset of the
Hugging Face Hub.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from pairwright.errors import InputError, near
from pairwright.files import CALLS
from pairwright.lines import read_lines, read_one
from pairwright.pairs.conversion import row_of
from pairwright.pairs.files import NO_INFO, Maps, PairSource, hub_release, open_files, open_hub
from pairwright.pairs.layout import Layout, count_rows, parts_of, read_rows
from pairwright.pairs.row import ReadRow, RowVotes
from pairwright.records import Pair, Record
from pairwright.settings.rules import ReleaseInfo
from pairwright.sources.tables import looks_like_id

_FIX = "Download the release again and check it; or name one Parquet file of data/ by itself."


def read_pairs(
    given: str | Path,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, tuple[str, ...]] | None = None,
    *,
    command: str = "audit",
) -> PairSource:
    """Open the pairs of a path or a Hugging Face id.

    `columns` names the column of each part of a row (`columns.USUAL`). `labels` are those that mean
    `first`, `second` or `tie`, or `{"first": ()}` if the first response is always right. `command`
    is named in advice.

    Raises InputError for what cannot be read, and for labels whose meaning nothing says.
    """
    maps, path = Maps(columns or {}, labels or {}, command), Path(given).expanduser()
    if path.is_dir() and (is_release(path) or is_run(path)):
        return _open_built(path, maps)
    if within := [one.parent for one in sorted(path.glob("*/pairs.jsonl")) if is_run(one.parent)]:
        what, fix = "holds a run, and is not one", f"Name the run: {within[0]}."
        raise InputError(what, where=path, fix=fix)
    if path.is_dir() or path.is_file():
        return open_files(path, maps)
    beside = [one.name for one in path.parent.glob("*")]
    if not path.exists() and "@" not in path.name and (hint := near(path.name, beside)):
        fix = f"Correct the path.{hint}"
        if looks_like_id(str(given)):
            fix += f" If you mean a dataset of the Hub, name {given}@main."
        raise InputError(f"no such file or folder in {path.parent}", where=path, fix=fix)
    if not path.exists() and looks_like_id(str(given)):
        folder = hub_release(str(given))
        return _open_built(folder, maps, str(given)) if folder else open_hub(str(given), maps)
    what, fix = "no such file or folder", "Correct the path; a Hub id is ORG/NAME."
    if path.exists():
        what = "neither a file nor a folder"
        fix = "Write the pairs to a file: they are read more than once."
    raise InputError(what, where=path, fix=fix)


# Releases and runs


def _open_built(folder: Path, maps: Maps, fallback: str = "") -> PairSource:
    """A release or a run. Raises InputError for maps: their columns are fixed."""
    if maps.columns or maps.labels:
        what = "a map of columns or labels is for files of others; this is a release or a run"
        fix = "Leave out --column and --label, or name one file."
        raise InputError(what, where=folder, fix=fix)
    return open_release(folder, fallback) if is_release(folder) else _open_run(folder)


def is_release(folder: Path) -> bool:
    """Whether a folder has a release's rows. Raises InputError for a release without its
    manifest."""
    layout = Layout(folder)
    if not parts_of(folder):
        return False
    if layout.provenance.is_file() and not layout.manifest.is_file():
        raise InputError("a release without its manifest.json", where=folder, fix=_FIX)
    return layout.manifest.is_file()


class _Statement(Record, extra="ignore"):
    """Part of stated.json that an audit uses."""

    version: str
    kind: str = ""
    info: ReleaseInfo = NO_INFO


def open_release(folder: Path, fallback: str = "") -> PairSource:
    """The rows by configuration and split, under the name that the release gives itself: an audit
    of it is the same in every place. `fallback` or the folder's name is for a release without one.

    Raises InputError if the release does not say its version.
    """
    parts, stated = parts_of(folder), read_one(Layout(folder).provenance, _Statement, fix=_FIX)

    def rows() -> Iterator[ReadRow]:
        for part in parts:
            for number, row in enumerate(read_rows(folder / part.path), start=1):
                yield ReadRow(part.split, row, f"{part.path}:{number}")

    try:
        total = sum(count_rows(folder / part.path) for part in parts)
    except InputError:
        total = None  # Reading says what is wrong with it.
    name = stated.info.name + ("-trial" if stated.kind == "trial" else "")
    name = name if "name" in stated.info.model_fields_set else fallback or folder.resolve().name
    return PairSource(
        name, "release", rows, version=stated.version, folder=folder, total=total, info=stated.info
    )


def is_run(folder: Path) -> bool:
    """Whether a folder is a run folder; raises InputError if the build has not finished."""
    if (folder / CALLS).is_file() and not (folder / "pairs.jsonl").is_file():
        fix = f"Run pairwright build again to its end; then use {folder.name}."
        raise InputError("a run folder without pairs.jsonl", where=folder, fix=fix)
    return (folder / "config.toml").is_file() and (folder / "pairs.jsonl").is_file()


class _Decision(Record, extra="ignore"):
    """Part of a line of human/decisions.jsonl that a row states."""

    unit: str
    state: str
    simulated: bool
    votes: tuple[dict[str, Any], ...]
    """For each pair, the counts of `RowVotes`."""


def _open_run(folder: Path) -> PairSource:
    """The kept pairs in the run's order. Raises InputError if its config.toml is not valid."""
    file = folder / "config.toml"
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
        info = ReleaseInfo.model_validate(settings.get("release", {}))
    except (OSError, ValueError, RecursionError) as error:
        fix = "Restore it from a copy, or build again."
        raise InputError(f"cannot be read: {error}", where=file, fix=fix) from None
    rows = partial(_run_rows, folder, info.licence)
    return PairSource(folder.resolve().name, "run", rows, folder=folder, info=info)


def _votes(counts: dict[str, Any] | None) -> RowVotes | None:
    """The votes on a pair; None if nobody voted."""
    votes = RowVotes(**{name: counts[name] for name in RowVotes.model_fields}) if counts else None
    return votes if votes and votes.n else None


def _run_rows(folder: Path, licence: str | None) -> Iterator[ReadRow]:
    """The pairs of a run, the sides of a twin one after the other, with people's decisions."""
    file, decided = folder / "pairs.jsonl", folder / "human" / "decisions.jsonl"
    lines = read_lines(decided, _Decision) if decided.is_file() else ()
    decisions = {one.unit: one for one in lines}
    numbered = enumerate(read_lines(file, Pair), start=1)
    for name, group in groupby(numbered, key=lambda one: one[1].twin_id or one[1].id):
        sides, decision = list(group), decisions.get(name)
        users = {pair.user for _, pair in sides}
        votes = {one["pair"]: one for one in decision.votes} if decision else {}
        simulated = decision is not None and decision.simulated
        for number, pair in sides:
            row = row_of(
                pair,
                partner=min(users - {pair.user}, default=None),
                votes=_votes(votes.get(pair.id)),
                # What simulated annotators say verifies nothing.
                verified=decision is not None and decision.state == "verified" and not simulated,
                simulated=simulated,
                licence=licence,
            )
            yield ReadRow("", row, f"{file.name}:{number}")

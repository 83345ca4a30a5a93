"""Release folders and run folders, with what people decided on a run's pairs."""

import json
import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ConfigDict, ValidationError

from pairwright.audits.read.source import PairSource, ReadRow
from pairwright.errors import InputError, first_invalid
from pairwright.files import CALLS
from pairwright.lines import read_lines
from pairwright.pairs import Layout, Part, RowVotes, check_files, parts_of, read_rows, row_of
from pairwright.pairs.row import has_columns
from pairwright.records import Pair, Record
from pairwright.settings.rules import ReleaseInfo
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder

_FIX = "Download the release again and verify it; or name one Parquet file of data/ by itself."


def is_release(folder: Path) -> bool:
    """Whether a folder has a release's rows; raises InputError where only the rest is missing, or
    something in it cannot be read."""
    parts = parts_of(folder)
    if parts:
        check_files(folder)
    if Layout(folder).manifest.is_file():
        return bool(parts)
    try:
        lost = bool(parts) and has_columns(pq.read_schema(folder / parts[0].path).names)
    except (pa.ArrowException, OSError):
        return False
    if lost:
        raise InputError("a release without its manifest.json", where=folder, fix=_FIX)
    return False


def open_release(folder: Path, fallback: str = "") -> PairSource:
    """The rows by configuration and split, under the name that the release gives itself: an audit
    of it is the same in every place. `fallback` or the folder's name is for a release without one.

    Raises InputError where the release does not say its version.
    """
    parts = parts_of(folder)
    name, version, info = _release_statement(Layout(folder))
    return PairSource(
        name=name or fallback or folder.resolve().name,
        kind="release",
        version=version,
        info=info,
        read=partial(_release_rows, folder, parts),
        folder=folder,
        total=_count(folder, parts),
    )


def _release_rows(folder: Path, parts: list[Part]) -> Iterator[ReadRow]:
    for part in parts:
        for number, row in enumerate(read_rows(folder / part.path), start=1):
            yield ReadRow(part.split, row, f"{part.path}:{number}")


def _release_statement(layout: Layout) -> tuple[str, str, ReleaseInfo]:
    """Name, version, and what else stated.json says of the release. The name says so for a trial,
    and is empty where there is none."""
    try:
        provenance = json.loads(layout.provenance.read_text(encoding="utf-8"))
        info = provenance.get("info", {})
        name, trial = str(info.get("name", "")), provenance.get("kind") == "trial"
        name, version = f"{name}-trial" if name and trial else name, str(provenance["version"])
        # What newer versions state besides concerns no check of this one.
        known = {key: value for key, value in info.items() if key in ReleaseInfo.model_fields}
        return name, version, ReleaseInfo.model_validate(known)
    except ValidationError as error:
        field, fault = first_invalid(error)
        raise InputError(fault, where=f"{layout.provenance} [info.{field}]", fix=_FIX) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("states no version", where=layout.provenance, fix=_FIX) from None


def _count(folder: Path, parts: list[Part]) -> int | None:
    try:
        return sum(int(pq.read_metadata(folder / part.path).num_rows) for part in parts)
    except (pa.ArrowException, OSError):
        return None  # Reading says what is wrong with it.


class _HalfLine(Record):
    """Who a pair is about: all that is kept of the others while one is read."""

    model_config = ConfigDict(extra="ignore")

    user: str
    twin_id: str | None = None


def is_run(folder: Path) -> bool:
    """Whether a folder is a run folder; raises InputError where the build has not finished."""
    if (folder / CALLS).is_file() and not (folder / "pairs.jsonl").is_file():
        raise InputError(
            "a run folder without pairs.jsonl",
            where=folder,
            fix="Run pairwright build again to its end; then audit it.",
        )
    return (folder / "config.toml").is_file() and (folder / "pairs.jsonl").is_file()


def open_run(folder: Path) -> PairSource:
    """The kept pairs in the run's order. Raises InputError where its config.toml is not valid."""
    info = _run_statement(folder / "config.toml")
    return PairSource(
        name=folder.resolve().name,
        kind="run",
        read=partial(_run_rows, folder, info.licence),
        folder=folder,
        info=info,
    )


def _run_statement(file: Path) -> ReleaseInfo:
    """What a release of the run would state of itself."""
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
        return ReleaseInfo.model_validate(settings.get("release", {}))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"cannot be read: {error}", where=file, fix="Restore it from a copy, or build again."
        ) from None


def _run_rows(folder: Path, licence: str | None) -> Iterator[ReadRow]:
    file = folder / "pairs.jsonl"
    users: dict[str, set[str]] = {}
    for half in read_lines(file, _HalfLine):
        if half.twin_id:
            users.setdefault(half.twin_id, set()).add(half.user)
    decisions = _decisions(HumanFolder(folder).decisions)
    for number, pair in enumerate(read_lines(file, Pair), start=1):
        others = users[pair.twin_id] - {pair.user} if pair.twin_id else set()
        votes, decided, simulated = decisions.get(pair.id, (None, False, False))
        row = row_of(
            pair,
            partner=min(others, default=None),
            votes=votes,
            # What simulated annotators say verifies nothing.
            verified=decided and not simulated,
            simulated=simulated,
            licence=licence,
        )
        yield ReadRow("", row, f"{file.name}:{number}")


def _decisions(file: Path) -> dict[str, tuple[RowVotes | None, bool, bool]]:
    """By pair: the votes on it, whether they verify it, and whether annotators were simulated."""
    if not file.is_file():
        return {}
    return {
        votes.pair: (
            RowVotes(**votes.model_dump(exclude={"pair"})) if votes.n else None,
            decision.state == "verified",
            decision.simulated,
        )
        for decision in read_lines(file, Decision)
        for votes in decision.votes
    }

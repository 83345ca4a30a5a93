"""The pairs of a run folder, with what people decided on them where they did."""

import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pydantic import ConfigDict

from pairwright.audit.read.source import Found, PairSource
from pairwright.dataset import RowVotes, read_lines, row_of
from pairwright.errors import InputError
from pairwright.records import Pair, Record
from pairwright.settings.rules import ReleaseInfo
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder


class _Decided(NamedTuple):
    """What a decision says of one pair."""

    votes: RowVotes | None
    verified: bool
    simulated: bool


class _Half(Record):
    """Who a pair is about: all that is kept of the others while one is read."""

    model_config = ConfigDict(extra="ignore")

    user: str
    twin_id: str | None = None


_NOBODY = _Decided(votes=None, verified=False, simulated=False)


def is_run(folder: Path) -> bool:
    """Whether a folder is of a build; raises InputError where the build has not finished."""
    if (folder / "calls.sqlite").is_file() and not (folder / "pairs.jsonl").is_file():
        raise InputError(
            "a run folder without pairs.jsonl",
            where=folder,
            fix="Run pairwright build again to its end; then audit it.",
        )
    return (folder / "config.toml").is_file() and (folder / "pairs.jsonl").is_file()


def open_run(folder: Path) -> PairSource:
    """The kept pairs in the run's order. Raises InputError where its config.toml is none."""
    read = partial(_read, folder, _licence(folder / "config.toml"))
    return PairSource(name=folder.resolve().name, kind="run", read=read, folder=folder)


def _licence(file: Path) -> str | None:
    """Of posts whose address does not tell theirs, as a release of the run would have it."""
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
        return ReleaseInfo.model_validate(settings.get("release", {})).licence
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be read: {error}", where=file, fix="Restore it from a copy, or build again."
        ) from None


def _read(folder: Path, licence: str | None) -> Iterator[Found]:
    file = folder / "pairs.jsonl"
    users: dict[str, set[str]] = {}
    for half in read_lines(file, _Half):
        if half.twin_id:
            users.setdefault(half.twin_id, set()).add(half.user)
    decided = _decisions(HumanFolder(folder).decisions)
    for number, pair in enumerate(read_lines(file, Pair), start=1):
        others = users[pair.twin_id] - {pair.user} if pair.twin_id else set()
        said = decided.get(pair.id, _NOBODY)
        row = row_of(
            pair,
            partner=min(others, default=None),
            votes=said.votes,
            verified=said.verified,
            simulated=said.simulated,
            licence=licence,
        )
        yield Found("", row, f"{file.name}:{number}")


def _decisions(file: Path) -> dict[str, _Decided]:
    if not file.is_file():
        return {}
    return {
        votes.pair: _Decided(
            votes=RowVotes(**votes.model_dump(exclude={"pair"})) if votes.n else None,
            # What simulated annotators say verifies nothing.
            verified=decision.state == "verified" and not decision.simulated,
            simulated=decision.simulated,
        )
        for decision in read_lines(file, Decision)
        for votes in decision.votes
    }

"""The rows of a release: the pairs of a run, which of them are released, and why others are not.

Of a run's pairs only a frame is held in memory; texts are read again when their rows are written.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, cast

import pandas as pd
from pydantic import ValidationError

from pairwright.errors import InputError, first_invalid
from pairwright.modes import label_of
from pairwright.pairs import Layout, Part, Row, RowVotes, row_of, write_rows
from pairwright.pairs.address import ForgetList
from pairwright.progress import Progress, Step
from pairwright.records import Pair, pseudonym
from pairwright.releases.contents import Contents, RowFrames
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.units import Outline, Unit, outline_of, units_of

_FIX = "Build again: pairs.jsonl is derived from the run folder's store."
COLUMNS = ("subject", "offset", "mode", "config", "users", "forgotten")
FORGOTTEN, NOT_ASKED = "forgotten", "not in the study"


def subjects_in(path: Path) -> Iterator[tuple[int, Unit]]:
    """Every twin with both sides, and every single pair, with the offset of its first line.

    Raises InputError for a line that is not a pair, and for a twin with one side.
    """
    try:
        with path.open("rb") as file:
            lines = _lines(file, path)
            for _, group in groupby(lines, key=lambda line: line[1].twin_id or line[1].id):
                (offset, first), *more = group
                (subject,) = units_of((first, *(pair for _, pair in more)), path)
                yield offset, subject
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=path,
            fix="Name a run folder whose build has finished.",
        ) from None


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[int, Pair]]:
    """Offset and pair of each line."""
    offset = 0
    for number, line in enumerate(file, start=1):
        try:
            yield offset, Pair.model_validate_json(line)
        except ValidationError as error:
            what = "not a pair: {}: {}".format(*first_invalid(error))
            raise InputError(what, where=f"{path}:{number}", fix=_FIX) from None
        offset += len(line)


def read_subjects(
    pairs: Path, forgotten: ForgetList, asked: Iterable[str], progress: Progress
) -> tuple[pd.DataFrame, tuple[Outline, ...]]:
    """All twins and single pairs of pairs.jsonl in its order, as a frame of COLUMNS, and the
    outlines of those that people were `asked` about.

    `users` are pseudonyms, the asker's first: there is a line of each.
    Raises InputError for a line that is not a pair.
    """
    wanted, lines, outlines = set(asked), list[tuple[object, ...]](), list[Outline]()
    for offset, subject in subjects_in(pairs):
        lines.append((
            subject.id, offset, subject.mode, f"{subject.domain}-{subject.mode}",
            tuple(pseudonym(pair.user) for pair in subject.pairs),
            any(map(forgotten.concerns, subject.pairs)),
        ))  # fmt: skip
        if subject.id in wanted:
            outlines.append(outline_of(subject))
        if len(lines) % 100 == 0:
            progress(Step("reading pairs", len(lines)))
    frame = pd.DataFrame(lines, columns=list(COLUMNS)).astype({"forgotten": bool})
    return frame, tuple(outlines)


def due_subjects(contents: Contents) -> dict[str, str]:
    """The twins and pairs that a release must have rows of, with their modes.

    One with a study holds what people verified, and what needs no votes and nobody was asked about.
    One without, which is a trial or needs no votes, holds whatever the build kept.
    """
    kept = {unit.subject: unit.mode for unit in contents.units if unit.subject}
    if contents.public is None:
        return kept
    asked = {unit.id: unit.mode for unit in contents.public.outlines}
    free = {id: mode for id, mode in kept.items() if label_of(mode) == "given" and id not in asked}
    decisions = contents.decisions.values()
    return free | {one.unit: asked[one.unit] for one in decisions if one.state == "verified"}


def reasons(subjects: pd.DataFrame, contents: Contents) -> list[str]:
    """Why each of `subjects`, a frame of COLUMNS, is not released; empty if it is."""
    due, decisions, why = due_subjects(contents), contents.decisions, list[str]()
    for subject, forgotten in zip(subjects["subject"], subjects["forgotten"], strict=True):
        decision = decisions.get(subject)
        reason = why_not_verified(decision) if decision else NOT_ASKED
        why.append("" if subject in due else FORGOTTEN if forgotten else reason)
    return why


def why_not_verified(decision: Decision) -> str:
    """Why people did not verify it; empty if they did. Only a refusal gives its reasons: what a
    twin or pair waits for changes with every answer."""
    if decision.state == "refused":
        return f"refused: {'; '.join(decision.reasons)}"
    return "" if decision.state == "verified" else decision.state


def answered(pair: str, subject: str, contents: Contents) -> dict[str, Any]:
    """What the row of a pair says of people's answers, as `row_of` takes it."""
    decision = contents.decisions.get(subject)
    votes = [one for one in (decision.votes if decision else ()) if one.pair == pair and one.n]
    simulated = decision is not None and decision.simulated
    counts = contents.public.aspect_counts if contents.public else {}
    return {
        "votes": RowVotes(**votes[0].model_dump(exclude={"pair"})) if votes else None,
        "answers": counts.get(pair, ()),
        # What simulated annotators say verifies nothing.
        "verified": decision is not None and decision.state == "verified" and not simulated,
        "simulated": simulated,
    }


def write_data(
    layout: Layout, pairs: Path, subjects: pd.DataFrame, contents: Contents, progress: Progress
) -> RowFrames:
    """Write the rows of `subjects`, a frame of COLUMNS with their split, into Parquet files of a
    new folder, and return their frames. Raises StoreError if the disk refuses."""
    frames, stated = RowFrames(), contents.stated
    note = f"{stated.name} {stated.version}"
    note += ": a trial, no benchmark" if stated.kind == "trial" else ""

    def counted(part: Part, chosen: pd.DataFrame) -> Iterator[Row]:
        for offset, users in zip(chosen["offset"], chosen["users"], strict=True):
            file.seek(offset)
            halves = [Pair.model_validate_json(file.readline()) for _ in users]
            (subject,) = units_of(halves, pairs)
            for row in _rows(subject, contents):
                frames.add(part, row)
                yield row
            progress(Step("writing pairs", len(frames)))

    with pairs.open("rb") as file:
        for name, chosen in subjects.groupby(["config", "split"]):
            part = Part(*cast(tuple[str, str], name))
            write_rows(layout.part(part), counted(part, chosen), note=note)
    return frames


def _rows(subject: Unit, contents: Contents) -> Iterator[Row]:
    """A row per pair, the asked side of a twin first."""
    users = [pair.user for pair in subject.pairs]
    for pair, partner in zip(subject.pairs, reversed(users), strict=True):
        yield row_of(
            pair,
            partner=partner if pair.twin_id else None,
            licence=contents.stated.info.licence,
            **answered(pair.id, subject.id, contents),
        )

"""The rows of a release: the pairs of a run, which of them are released, and why others are not.

Of a run's pairs only a frame is held in memory; texts are read again when their rows are written.

A line of preference/ is a pair as message lists, which RewardBench's CLI reads:

    {"id", "subset", "prompt", "chosen", "rejected", "canary"}

`chosen` and `rejected` hold two messages each: the user's, the same in both, and the assistant's.
`prompt` is the text of the user's message, as RewardBench documents it beside whole conversations.
RewardBench takes no system message, so the user's history is in the user's message, oldest post
first. Aspects and narrative are never in it: they are the answer key.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, cast

import pandas as pd
from pydantic import ValidationError

from pairwright.files import whole_file
from pairwright.lines import unreadable
from pairwright.modes import label_of
from pairwright.pairs import Layout, Part, Row, row_of, write_rows
from pairwright.pairs.address import ForgetList
from pairwright.pairs.conversion import user_message
from pairwright.progress import Progress, Step
from pairwright.records import Pair, pseudonym
from pairwright.releases.contents import Contents, RowCounts, canary
from pairwright_human_eval.units import Outline, Unit, outline_of, units_of

_FIX = "Build again to the end: pairs.jsonl is derived from the run folder's store."
COLUMNS = ("subject", "offset", "mode", "config", "users", "forgotten")
FORGOTTEN, NOT_ASKED = "forgotten", "not in the study"


def subjects_in(path: Path) -> Iterator[tuple[int, Unit]]:
    """Every twin with both sides, and every single pair, with the offset of its first line.

    Raises InputError for a line that is not a pair, and for a twin with one side.
    """
    for _, group in groupby(_lines(path), key=lambda line: line[1].twin_id or line[1].id):
        (offset, first), *more = group
        (subject,) = units_of((first, *(pair for _, pair in more)), path)
        yield offset, subject


def _lines(path: Path) -> Iterator[tuple[int, Pair]]:
    """Offset and pair of each line."""
    number = offset = 0
    try:
        with path.open("rb") as file:
            for line in file:
                number += 1
                yield offset, Pair.model_validate_json(line)
                offset += len(line)
    except (OSError, ValidationError) as error:
        raise unreadable(f"{path}:{number}" if number else str(path), error, _FIX) from None


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


def left_out(contents: Contents) -> dict[str, str]:
    """Find why each twin and single pair of the units is not released; empty if it is.

    What people were asked about has to be verified; of the rest, what needs no votes is released.
    Without a study, which is a trial or needs no votes, everything is.
    """
    found = dict[str, str]()
    for unit in contents.units:
        if decision := contents.decisions.get(unit.subject or ""):
            refused = f"refused: {'; '.join(decision.reasons)}"
            # What it waits for changes with every answer.
            why = {"verified": "", "refused": refused}.get(decision.state, decision.state)
        else:
            free = contents.public is None or label_of(unit.mode) == "given"
            why = "" if free else NOT_ASKED
        if unit.subject:
            found[unit.subject] = why
    return found


def rows_at(pairs: Path, subjects: pd.DataFrame, contents: Contents) -> Iterator[Row]:
    """The rows of `subjects`, read again from their lines; the asked side of a twin first."""
    with pairs.open("rb") as file:
        for offset, users in zip(subjects["offset"], subjects["users"], strict=True):
            file.seek(offset)
            sides = [Pair.model_validate_json(file.readline()) for _ in users]
            (subject,) = units_of(sides, pairs)
            for pair, other in zip(subject.pairs, reversed(subject.pairs), strict=True):
                yield row_of(
                    pair,
                    partner=other.user,
                    decision=contents.decisions.get(subject.id),
                    answers=contents.aspects.get(pair.id, ()),
                    licence=contents.stated.info.licence,
                )


def write_data(
    layout: Layout, pairs: Path, subjects: pd.DataFrame, contents: Contents, progress: Progress
) -> RowCounts:
    """Write rows of `subjects`, a frame of COLUMNS with their split, and count them. They become
    Parquet files of a new folder, and message lists. Raises StoreError if the disk refuses."""
    counts, stated = RowCounts(), contents.stated
    note = f"{stated.name} {stated.version}"
    note += ": a trial, no benchmark" if stated.kind == "trial" else ""
    for name, chosen in subjects.groupby(["config", "split"]):
        part = Part(*cast(tuple[str, str], name))
        with whole_file(layout.preference(part)) as preference:
            rows = _given_to(
                rows_at(pairs, chosen, contents),
                partial(counts.add, part.split),
                partial(_write_line, preference, canary(stated)),
                lambda _: progress(Step("writing pairs", len(counts))),
            )
            write_rows(layout.part(part), rows, note=note)
    return counts


def _given_to(rows: Iterable[Row], *uses: Callable[[Row], object]) -> Iterator[Row]:
    """The rows, each given to all uses on its way."""
    for row in rows:
        for use in uses:
            use(row)
        yield row


def _write_line(preference: BinaryIO, canary: str, row: Row) -> None:
    preference.write(preference_line(row, canary).encode())


def preference_line(row: Row, canary: str) -> str:
    """The row's line in preference/."""
    text = user_message(row.question, row.profile)
    chosen, rejected = (
        [{"role": "user", "content": text}, {"role": "assistant", "content": response}]
        for response in (row.chosen, row.rejected)
    )
    line = {
        "id": row.id, "subset": row.config, "prompt": text, "chosen": chosen,
        "rejected": rejected, "canary": canary,
    }  # fmt: skip
    return json.dumps(line, ensure_ascii=False) + "\n"

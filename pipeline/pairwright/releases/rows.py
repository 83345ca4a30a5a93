"""The rows of a release: the pairs of a run, which of them are released, and why others are not.

Of a run's pairs only a frame is held in memory; texts are read again when their rows are written.

A line of preference/ is a pair as message lists, which RewardBench's CLI reads:

    {"id", "subset", "prompt", "chosen", "rejected", "canary"}

`chosen` and `rejected` hold two messages each: the user's, the same in both, and the assistant's.
`prompt` is the text of the user's message: RewardBench documents it as text beside whole
conversations (`load_preference_dataset`, now `load_and_process_dataset`). It takes a list for the
other schema, where `chosen` is text. RewardBench takes no system message, so the user's history is
in the user's message, oldest post first. Aspects and narrative are never in it: they are the answer
key.
"""

import codecs
import csv
from collections.abc import Iterable, Iterator
from itertools import groupby
from json.encoder import encode_basestring as _json
from pathlib import Path
from typing import Any, BinaryIO, cast

import pandas as pd
from pydantic import ValidationError

from pairwright.errors import InputError, first_invalid
from pairwright.files import whole_file
from pairwright.modes import label_of
from pairwright.pairs import Layout, Part, Row, RowPost, RowVotes, row_of, write_rows
from pairwright.pairs.address import ForgetList
from pairwright.pairs.conversion import user_message
from pairwright.progress import Progress, Step
from pairwright.records import Pair, pseudonym
from pairwright.releases.contents import Contents, RowCounts, canary
from pairwright_human_eval.units import Outline, Unit, outline_of, units_of

_FIX = "Build again: pairs.jsonl is derived from the run folder's store."
COLUMNS = ("subject", "offset", "mode", "config", "users", "forgotten")
_ATTRIBUTED = ("id", "address", "licence", "created")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
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


def left_out(contents: Contents) -> dict[str, str]:
    """Find why each twin and single pair of the units is not released; empty if it is.

    What people were asked about has to be verified; of the rest, what needs no votes is released.
    Without a study, which is a trial or needs no votes, everything is.
    """
    found = dict[str, str]()
    for unit in contents.units:
        if not unit.subject:
            continue
        if not (decision := contents.decisions.get(unit.subject)):
            free = contents.public is None or label_of(unit.mode) == "given"
            found[unit.subject] = "" if free else NOT_ASKED
        elif decision.state == "refused":
            found[unit.subject] = f"refused: {'; '.join(decision.reasons)}"
        else:
            # What it waits for changes with every answer.
            found[unit.subject] = "" if decision.state == "verified" else decision.state
    return found


def answered(pair: str, subject: str, contents: Contents) -> dict[str, Any]:
    """Fields of a pair's row on people's answers, as `row_of` takes them."""
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
) -> RowCounts:
    """Write rows of `subjects`, a frame of COLUMNS with their split, and count them. They become
    Parquet files of a new folder, message lists, and attribution.csv. Raises StoreError if the disk
    refuses."""
    counts, stated = RowCounts(), contents.stated
    mark, note = canary(stated), f"{stated.name} {stated.version}"
    note += ": a trial, no benchmark" if stated.kind == "trial" else ""

    def passing(part: Part, chosen: pd.DataFrame) -> Iterator[Row]:
        with whole_file(layout.preference(part)) as preference:
            for offset, users in zip(chosen["offset"], chosen["users"], strict=True):
                file.seek(offset)
                halves = [Pair.model_validate_json(file.readline()) for _ in users]
                (subject,) = units_of(halves, pairs)
                askers = [pair.user for pair in subject.pairs]
                # The asked side of a twin first.
                for pair, partner in zip(subject.pairs, reversed(askers), strict=True):
                    row = row_of(
                        pair,
                        partner=partner if pair.twin_id else None,
                        licence=stated.info.licence,
                        **answered(pair.id, subject.id, contents),
                    )
                    counts.add(part, row)
                    attribution.add(row)
                    preference.write(preference_line(row, mark).encode())
                    yield row
                progress(Step("writing pairs", len(counts)))

    with pairs.open("rb") as file, whole_file(layout.attribution) as attributed:
        attribution = Attribution(attributed)
        for name, chosen in subjects.groupby(["config", "split"]):
            part = Part(*cast(tuple[str, str], name))
            write_rows(layout.part(part), passing(part, chosen), note=note)
    return counts


def preference_line(row: Row, canary: str) -> str:
    """The row's line in preference/. Its user's message is there three times, and encoded once."""
    text = _json(user_message(row.question, row.profile))
    chosen, rejected = (
        f'[{{"role": "user", "content": {text}}},'
        f' {{"role": "assistant", "content": {_json(response)}}}]'
        for response in (row.chosen, row.rejected)
    )
    return (
        f'{{"id": {_json(row.id)}, "subset": {_json(row.config)}, "prompt": {text},'
        f' "chosen": {chosen}, "rejected": {rejected}, "canary": {_json(canary)}}}\n'
    )


class Attribution:
    """Writes attribution.csv while rows pass by: the address and the licence of each different post
    and question; the address names the author. A cell that a spreadsheet would take for a formula
    begins with an apostrophe, which a spreadsheet does not show."""

    def __init__(self, file: BinaryIO) -> None:
        # Quoted throughout: a lone carriage return would end a line otherwise.
        text = codecs.getwriter("utf-8")(file)
        self._writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
        self._writer.writerow(_ATTRIBUTED)
        self._written = set[int]()

    def add(self, row: Row) -> None:
        """Write what is new of a row's question and posts, without their texts."""
        texts: list[tuple[str, Row | RowPost]] = [(row.item_id, row)]
        texts += [(post.id, post) for post in row.profile]
        for name, of in texts:
            line = name, of.source_url or "", of.licence or "", of.created or ""
            if (key := hash(line)) not in self._written:
                self._written.add(key)
                self._writer.writerow(f"'{x}" if x.startswith(_FORMULA) else x for x in line)

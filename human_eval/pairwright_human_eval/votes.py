"""Anybody's votes as one table: who gave which label to which item, for each question.

Label Studio   the JSON export of a project with choices, ratings or numbers; JSON_MIN and CSV
Argilla        records with responses, as its client writes them
MTurk          the CSV of a batch: WorkerId, HITId, Answer.*
Pairwright     answers.jsonl of a study or of a release
anything else  CSV, TSV, JSON, JSON Lines or Parquet with a column each for item, annotator, label
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from pairwright.errors import InputError, near

Row = dict[str, Any]
Vote = tuple[str, str, str, object]
"""Question, item, annotator, label."""
COLUMNS = ["question", "item", "annotator", "label"]
NAMES = {
    "item": ("item", "item_id", "task", "task_id", "hitid", "example_id"),
    "annotator": ("annotator", "annotator_id", "worker", "worker_id", "workerid", "rater", "coder"),
    "label": ("label", "vote", "rating", "choice", "answer", "preference"),
    "question": ("question_name",),
    "first": ("first",),
}
"""Columns that are taken for what they say, if they are not named."""
MOST_LEVELS, LONGEST = 30, 60
"""A column with more different values, or with longer ones, is a text, and no label."""


class Votes(NamedTuple):
    """The votes of a file."""

    format: str
    table: pd.DataFrame
    """Columns question, item, annotator, label; `first`, if it is known, is the label that was
    shown first."""
    notes: tuple[str, ...]
    """What was left out, and why."""


def read_votes(path: Path, columns: Mapping[str, str]) -> Votes:
    """Read a file of votes. `columns` names the columns of item, annotator, label, question and
    first. Raises InputError for a file that holds none."""
    rows = _rows(path)
    if not rows:
        raise InputError("holds no row", where=path, fix="Name a file of votes.")
    if columns:
        return _plain(rows, columns, path)
    for name, is_one, reader in FORMATS:
        if is_one(rows[0]):
            try:
                votes, notes = reader(rows)
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                what = f"is not as {name} exports it ({type(error).__name__}: {error})"
                raise InputError(what, where=path, fix="Export it again.") from None
            return _votes(name, votes, notes, path)
    return _plain(rows, {}, path)


def _votes(
    format: str, votes: Iterable[Vote], notes: Iterable[str], path: Path, firsts: Iterable[Any] = ()
) -> Votes:
    """The last vote of an annotator on an item counts."""
    table = pd.DataFrame(list(votes), columns=COLUMNS)
    if first := list(firsts):
        table = table.assign(first=first)
    nobody = table["annotator"].isin(["", "None", "nan"])
    notes = [*notes, *[f"{nobody.sum():,} votes without an annotator"] * int(nobody.any())]
    table = table[~nobody]
    if table.empty:
        raise InputError("holds no vote", where=path, fix=_FIX)
    last = table.drop_duplicates(["question", "item", "annotator"], keep="last")
    more = [f"{len(table) - len(last):,} earlier votes of the same people on the same items"]
    return Votes(format, last, (*notes, *more * (len(last) < len(table))))


_FIX = "Name its columns: --column item=COLUMN --column annotator=COLUMN --column label=COLUMN."


def _rows(path: Path) -> list[Row]:
    """The rows of a file, each a dict. Raises InputError for a file that is none."""
    try:
        if path.suffix in (".csv", ".tsv"):
            with path.open(encoding="utf-8-sig") as file:
                separator = max(",;\t", key=file.readline().count)
            frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False).fillna("")
            return [dict(row) for row in frame.to_dict("records")]  # type: ignore[arg-type]
        if path.suffix == ".parquet":
            return [dict(row) for row in pd.read_parquet(path).to_dict("records")]  # type: ignore[arg-type]
        text = path.read_text(encoding="utf-8-sig")
        lines = text.lstrip().startswith("{")
        found = [json.loads(line) for line in text.splitlines() if line] if lines else None
        found = json.loads(text) if found is None else found
    except OSError as error:
        what = error.strerror or str(error)
        raise InputError(what, where=path, fix="Name a file that is there.") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot be read: {error}", where=path, fix=_KINDS) from None
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise InputError("is not a list of records", where=path, fix=_KINDS)
    return found


_KINDS = "Give CSV, TSV, JSON, JSON Lines or Parquet."


# A column each


def _plain(rows: list[Row], columns: Mapping[str, str], path: Path) -> Votes:
    if wrong := sorted(set(columns) - set(NAMES)):
        fix = f"Name one of {', '.join(NAMES)}.{near(wrong[0], NAMES)}"
        raise InputError(f"{wrong[0]!r} is nothing of a vote", where="--column", fix=fix)
    there = {name.casefold(): name for name in rows[0]}
    chosen: dict[str, str] = {}
    for part, known in NAMES.items():
        name = columns.get(part) or next((there[n] for n in known if n in there), "")
        if name and name not in rows[0]:
            close = near(name, rows[0])
            raise InputError(f"has no column {name!r}.{close}", where=path, fix=_FIX)
        if not name and part in ("item", "annotator", "label"):
            listed = ", ".join(rows[0])
            raise InputError(
                f"no column of the {part} is known", where=path, fix=f"{_FIX} It has {listed}."
            )
        chosen[part] = name
    kept = [row for row in rows if row.get(chosen["label"]) not in ("", None)]
    votes = [
        (
            str(row.get(chosen["question"], "")) if chosen["question"] else chosen["label"],
            str(row.get(chosen["item"])),
            str(row.get(chosen["annotator"])),
            label_of(row[chosen["label"]]),
        )
        for row in kept
    ]
    notes = [f"{len(rows) - len(kept):,} rows without a label"] * (len(kept) < len(rows))
    first = [label_of(row.get(chosen["first"])) for row in kept] if chosen["first"] else []
    return _votes("columns", votes, notes, path, first)


def label_of(value: object) -> object:
    """A label as it is compared: a number, if it is one; several choices as one, in their order."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, list | tuple):
        return " + ".join(sorted(str(label_of(one)) for one in value))
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


# Label Studio

Found = tuple[list[Vote], list[str]]


def _label_studio(rows: list[Row]) -> Found:
    """The last annotation of each person on a task; skips are none."""
    votes, skipped, other = list[Vote](), 0, dict[str, int]()
    for row in rows:
        given = [one for one in row.get("annotations") or () if isinstance(one, dict)]
        for one in sorted(given, key=lambda one: str(one.get("updated_at", ""))):
            who = one.get("completed_by")
            who = who.get("email", who.get("id")) if isinstance(who, dict) else who
            if one.get("was_cancelled"):
                skipped += 1
                continue
            for name, kind, label in _results(one.get("result") or ()):
                if label is None:
                    other[kind] = other.get(kind, 0) + 1
                else:
                    votes.append((name, str(row.get("id")), str(who), label))
    notes = [f"{skipped:,} skipped tasks"] * bool(skipped)
    return votes, notes + [f"{n:,} results of type {kind}" for kind, n in sorted(other.items())]


def _results(result: Iterable[Any]) -> Iterator[tuple[str, str, object]]:
    """Control, type and label of each result; no label for a control that is there several times,
    and for types that are no labels."""
    rows = [one for one in result if isinstance(one, dict) and isinstance(one.get("value"), dict)]
    names = [str(one.get("from_name")) for one in rows]
    for one, name in zip(rows, names, strict=True):
        kind, value = str(one.get("type")), one["value"]
        found = next((value[key] for key in ("choices", "rating", "number") if key in value), None)
        if names.count(name) > 1:
            kind, found = f"{kind} for several regions", None
        single = found[0] if isinstance(found, list) and len(found) == 1 else found
        yield name, kind, None if single is None else label_of(single)


def _label_studio_table(rows: list[Row]) -> Found:
    """JSON_MIN or CSV: data and answers side by side. What differs within a task is an answer."""
    known = {"annotator", "annotation_id", "created_at", "updated_at", "lead_time", "id"}
    table = pd.DataFrame([{k: _unpacked(v) for k, v in row.items()} for row in rows])
    votes, texts, same = list[Vote](), list[str](), list[str]()
    for name in [name for name in table.columns if name not in known]:
        values = table[name].map(str)
        few = values.nunique() <= MOST_LEVELS and values.map(len).max() <= LONGEST
        if values.groupby(table["id"]).nunique().max() < 2:
            same += [name] * int(few and values.nunique() > 1)
        elif not few:
            texts.append(name)
        else:
            votes += [
                (name, str(item), str(who), label_of(value))
                for item, who, value in zip(
                    table["id"], table["annotator"], table[name], strict=True
                )
                if value not in ("", None) and value == value
            ]
    notes = [f"texts in the column {name}" for name in texts]
    if same:
        listed = ", ".join(same)
        notes.append(f"columns that are the same for everybody on a task, data or not: {listed}")
    return votes, [*notes, "skips, which this format leaves out"]


def _unpacked(value: object) -> object:
    """A cell: a rating is a list with one object, as JSON or as a text of it."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            value = json.loads(value)
        except ValueError:
            return value
    if isinstance(value, dict):
        value = value.get("choices", value)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return value[0].get("rating", value[0].get("number", json.dumps(value)))
    return value if isinstance(value, str | int | float) or value is None else json.dumps(value)


# Argilla


def _argilla(rows: list[Row]) -> Found:
    """`responses` by question, or by person."""
    votes, drafts = list[Vote](), 0
    for n, row in enumerate(rows):
        item, given = str(row.get("id") or n), row["responses"]
        if isinstance(given, dict):
            given = [
                {**one, "values": {question: one}}
                for question, answers in given.items()
                for one in answers or ()
            ]
        for one in given or ():
            if one.get("status", "submitted") != "submitted":
                drafts += 1
                continue
            who = str(one.get("user_id", one.get("user")))
            for question, answer in (one.get("values") or {}).items():
                value = answer.get("value") if isinstance(answer, dict) else answer
                votes.append((question, item, who, label_of(value)))
    return votes, [f"{drafts:,} drafts or discarded responses"] * bool(drafts)


# MTurk


def _mturk(rows: list[Row]) -> Found:
    """`Answer.NAME`, one true `Answer.NAME.LABEL`, or the JSON of `Answer.taskAnswers`."""
    votes, refused = list[Vote](), 0
    for row in rows:
        if str(row.get("AssignmentStatus", "")).casefold() == "rejected":
            refused += 1
            continue
        for question, value in _mturk_answers(row):
            if value not in ("", None):
                votes.append((question, str(row["HITId"]), str(row["WorkerId"]), label_of(value)))
    return votes, [f"{refused:,} rejected assignments"] * bool(refused)


def _mturk_answers(row: Row) -> Iterator[tuple[str, Any]]:
    for column, value in row.items():
        name = column.removeprefix("Answer.")
        if name == column:
            continue
        if name == "taskAnswers":
            for answers in json.loads(value or "[]"):
                yield from ((question, _chosen(one)) for question, one in answers.items())
        elif "." in name and str(value).casefold() in ("true", "false"):
            question, _, label = name.rpartition(".")
            if str(value).casefold() == "true":
                yield question, label
        else:
            yield name.removesuffix(".label"), value


def _chosen(answer: Any) -> Any:
    """A radio button of MTurk's forms: `{"a": true, "b": false}`."""
    if isinstance(answer, dict):
        chosen = [name for name, on in answer.items() if on is True]
        return answer.get("label", chosen)
    return answer


# Pairwright


def _pairwright(rows: list[Row]) -> Found:
    """The first round, without repeats and comments; a scale is a question."""
    votes = list[Vote]()
    for row in rows:
        if row["round"] == 1 and row["kind"] != "comment":
            scale, _, role = row["item"].partition(" ")
            quality = row["kind"] == "quality"
            question = f"quality: {scale}" if quality else row["kind"]
            item = f"{row['unit']} {role}" if quality else f"{row['pair']} {row['item']}".strip()
            if row["label"] not in ("cannot_tell", "cannot_judge"):
                votes.append((question, item, row["annotator"], label_of(row["label"])))
    return votes, [f"{len(rows) - len(votes):,} repeats, comments, votes of a second round or"
                   " answers that could not be told"]  # fmt: skip


def _has(*names: str) -> Callable[[Row], bool]:
    return lambda row: set(names) <= set(row)


FORMATS: tuple[tuple[str, Callable[[Row], bool], Callable[[list[Row]], Found]], ...] = (
    ("Pairwright", _has("task", "annotator", "unit", "kind", "label"), _pairwright),
    ("Label Studio", _has("annotations", "data"), _label_studio),
    ("Label Studio, flat", _has("annotation_id", "annotator", "id"), _label_studio_table),
    ("Argilla", _has("responses"), _argilla),
    ("MTurk", _has("WorkerId", "HITId"), _mturk),
)
"""Name of each known format, what tells it, and its reader."""

"""`pairwright agreement`: how far people agree, in anybody's votes.

Label Studio   the JSON or CSV export of a project with choices, ratings or numbers
Argilla        records with responses, as its client writes them
MTurk          the CSV of a batch: WorkerId, HITId, Answer.*
Pairwright     answers.jsonl of a study or of a release
anything else  CSV, TSV, JSON, JSON Lines or Parquet with a column each for item, annotator, label
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from typer import Argument, Option

from pairwright.errors import InputError, near
from pairwright.pairs.columns import read_map
from pairwright.records import Record
from pairwright.sources.tables import OPENERS, sound_rows
from pairwright.stats import FEWEST, Estimate, share
from pairwright_human_eval.agreement import (
    Agreement,
    Measurement,
    agreement,
    count_labels,
    majority,
    with_others,
)
from pairwright_human_eval.exports import account_of, results_of
from pairwright_human_eval.records import CANNOT_JUDGE, CANNOT_TELL, SUPPORT

Row = dict[str, Any]
Found = Iterator[tuple[str, str, str, object] | str]
"""Contents of a format: votes with their VOTE columns; a reason for anything else."""
VOTE = ("question", "item", "annotator", "label")
NAMES = {
    "item": ("item", "item_id", "task", "task_id", "hitid", "example_id"),
    "annotator": ("annotator", "annotator_id", "worker", "worker_id", "workerid", "rater", "coder"),
    "label": ("label", "vote", "rating", "choice", "answer", "preference"),
    "question": ("question_name",),
}
"""Columns that are used without being named."""
PLACES = (("A", "B"), ("a", "b"), ("first", "second"), ("left", "right"))
"""Labels that name the place of a response."""
Question = tuple[str, Sequence[object], Measurement]
QUESTIONS: dict[str, Question] = {
    "preference": ("preference", ("one", "other", "equal"), "nominal"),
    "support": ("aspect supported", SUPPORT, "ordinal"),
    "delivery": ("aspect delivered by", ("one", "other", "both", "neither"), "nominal"),
}
"""Questions of a study by the kind of answers."""
_FIX = (
    "Name its columns: --column item=COLUMN --column annotator=COLUMN --column label=COLUMN. A row"
    " is one vote: reshape other tables (pandas.melt). In Label Studio, use Export and choose JSON."
)


class QuestionVotes(Record):
    """The votes on one question."""

    question: str
    agreement: Agreement
    counts: dict[str, int]
    confusion: dict[str, dict[str, int]]
    """Pairs of votes on one item, by the labels of both."""
    raters: dict[str, Estimate]
    """Votes of each annotator equal to the label of most of the others, the lowest share first."""
    places: tuple[str, str] | None
    first: Estimate | None
    """Votes for the first place, of those for either."""
    divided: tuple[str, ...]
    """Items with two votes or more on which no label has more than half."""
    remarks: tuple[str, ...]


class VotesReport(Record):
    """The agreement of a file of votes."""

    file: str
    format: str
    votes: int
    questions: tuple[QuestionVotes, ...]
    notes: tuple[str, ...]


def agreement_of(
    votes: Annotated[Path | str, Argument(help="A file of votes.", metavar="VOTES")],
    *,
    columns: Annotated[
        Iterable[str],
        Option(
            "--column", help="Item, annotator, label, question; repeatable.", metavar="WHAT=COLUMN"
        ),
    ] = (),
) -> VotesReport:
    """Measure how far people agree, in anybody's votes.

    Reads Label Studio (JSON, CSV), Argilla records, MTurk batches, answers.jsonl, and tables with a
    column each for item, annotator and label. For every question: Krippendorff's alpha, percent
    agreement, Gwet's AC1, who differs from the others, and divided items. Labels that are numbers
    are ordinal. Labels such as A and B, or first and second, are places: their votes show a
    preference for the first one.

    Raises InputError for a file that holds no votes.

    Examples::

        pairwright agreement export.json
        pairwright agreement votes.csv --column item=pair --column annotator=who --column label=vote
    """
    format, table, notes = read_votes(Path(votes), read_map(columns, NAMES, "--column"))
    questions = tuple(question_votes(str(name), own) for name, own in table.groupby("question"))
    n = len(table)
    return VotesReport(file=str(votes), format=format, votes=n, questions=questions, notes=notes)


def question_votes(question: str, table: pd.DataFrame) -> QuestionVotes:
    """Figures of one question, from its items, annotators and labels."""
    numbers = all(isinstance(label, int | float) for label in table["label"])
    if not numbers:
        table = table.assign(label=table["label"].map(str))
    labels = {item: counts for item, counts in count_labels(table).items() if counts.total() > 1}
    counts = {str(label): n for label, n in table["label"].value_counts().to_dict().items()}
    confusion = {one: dict.fromkeys(counts, 0) for one in counts}
    for own in labels.values():
        for (a, n), (b, m) in product(own.items(), repeat=2):
            confusion[str(a)][str(b)] += n * (n - 1) // 2 if a == b else n * m
    agreed = with_others(table).reindex(sorted(set(table["annotator"])), fill_value=0)
    raters = {str(who): share(int(k), int(n)) for who, k, n in agreed[["k", "n"]].itertuples()}
    places = next((places for places in PLACES if {*places} <= counts.keys()), None)
    remarks = []
    if len(raters) == 1:
        remarks.append("one annotator gave all votes: there is nobody to agree with")
    elif not labels:
        remarks.append("no item has two votes")
    if len(counts) == 1:
        remarks.append("all votes are the same label: alpha and AC1 are not defined")
    elif 0 < len(labels) < FEWEST:
        remarks.append(f"no interval: fewer than {FEWEST} items have two votes")
    return QuestionVotes(
        question=question, counts=counts, confusion=confusion, places=places,
        remarks=tuple(remarks),
        agreement=agreement(table, measurement="ordinal" if numbers else "nominal"),
        raters=dict(sorted(raters.items(), key=lambda one: one[1].value or 0.0)),
        first=share(counts[places[0]], sum(counts[place] for place in places)) if places else None,
        divided=tuple(sorted(item for item, own in labels.items() if majority(own) == "")),
    )  # fmt: skip


def read_votes(path: Path, columns: Mapping[str, str]) -> tuple[str, pd.DataFrame, tuple[str, ...]]:
    """The format of a file, its votes with VOTE as columns, and what was left out. The last vote of
    an annotator on an item counts. Raises InputError for a file that holds no vote."""
    if path.suffix not in OPENERS:
        raise InputError("is not a table", where=path, fix=f"Give {', '.join(OPENERS)}.")
    rows = [fields for _, fields in sound_rows(path, OPENERS[path.suffix], _FIX)[1]]
    if not rows:
        raise InputError("holds no row", where=path, fix="Name a file of votes.")
    known = {} if columns else FORMATS
    name = next((name for name, (needed, _) in known.items() if {*needed} <= {*rows[0]}), "columns")
    try:
        read = known[name][1](rows) if known.get(name) else _plain(rows, columns, path)
        found = [*read]
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        what = f"is not as {name} exports it ({type(error).__name__}: {error})"
        raise InputError(what, where=path, fix="Export it again.") from None
    left_out = Counter(one for one in found if isinstance(one, str))
    table = pd.DataFrame([one for one in found if not isinstance(one, str)], columns=VOTE)
    nobody = table["annotator"].isin(["", "None", "nan"])
    table = table[~nobody]
    if table.empty:
        raise InputError("holds no vote", where=path, fix=_FIX)
    last = table.drop_duplicates(VOTE[:3], keep="last")
    left_out["votes without an annotator"] = int(nobody.sum())
    left_out["earlier votes of the same people on the same items"] = len(table) - len(last)
    return name, last, tuple(f"{n:,} {why}" for why, n in left_out.items() if n)


def label_of(value: object) -> object:
    """A label as it is compared: a number, if it is one; several choices as one, in their order."""
    if isinstance(value, list | tuple):
        several = sorted(str(label_of(one)) for one in value)
        return label_of(value[0]) if len(value) == 1 else " + ".join(several)
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        return text.lower() if isinstance(value, bool) or value is None else text
    return int(number) if number.is_integer() else number


def _plain(rows: list[Row], columns: Mapping[str, str], path: Path) -> Found:
    """A column each. Raises InputError for a column that is not there."""
    there = {name.casefold(): name for name in rows[0]}
    chosen: dict[str, str] = {}
    for part, known in NAMES.items():
        name = columns.get(part) or next((there[n] for n in known if n in there), "")
        if name and name not in rows[0]:
            what = f"has no column {name!r}.{near(name, rows[0])}"
            raise InputError(what, where=path, fix=_FIX)
        if not name and part != "question":
            fix = f"{_FIX} It has {', '.join(rows[0])}."
            raise InputError(f"no column of the {part} is known", where=path, fix=fix)
        chosen[part] = name
    for row in rows:
        if row.get(chosen["label"]) in ("", None):
            yield "rows without a label"
            continue
        question = row.get(chosen["question"], "") if chosen["question"] else chosen["label"]
        item, who, label = (row.get(chosen[part]) for part in VOTE[1:])
        yield str(question), str(item), str(who), label_of(label)


def _label_studio(rows: list[Row]) -> Found:
    """The last annotation of each person on a task."""
    for row in rows:
        given = [one for one in row.get("annotations") or () if isinstance(one, dict)]
        for one in sorted(given, key=lambda one: str(one.get("updated_at", ""))):
            if one.get("was_cancelled"):
                yield "skipped tasks"
                continue
            item, who = str(row.get("id")), str(account_of(one.get("completed_by"), "email"))
            results = [*results_of(one.get("result") or ())]
            controls = Counter(control for control, _, _ in results)
            for control, kind, value in results:
                if kind not in ("choices", "rating", "number"):
                    yield f"results of type {kind}"
                elif controls[control] > 1:
                    yield f"{kind} for several regions"
                else:
                    yield control, item, who, label_of(value)


def _label_studio_csv(rows: list[Row]) -> Found:
    """Questions are the columns in which rows of a task differ; others are the project's data."""
    meta = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"}
    differ = pd.DataFrame(rows).map(str).groupby("id").nunique().gt(1).any()
    questions = [name for name in rows[0] if name not in meta and differ[name]]
    if alike := sorted(rows[0].keys() - {*meta, *questions}):
        yield f"column(s) on which nobody differs, taken for the project's data: {', '.join(alike)}"
    for row in sorted(rows, key=lambda row: str(row["updated_at"])):
        given = {name: row[name] for name in questions if row[name]}
        result = []
        for name, value in given.items():
            read = json.loads(value) if isinstance(value, str) and value[0] in "[{" else value
            one = read[0] if isinstance(read, list) else read
            value = one if isinstance(one, dict) else {"choices": [one]}
            result.append({"from_name": name, "value": value})
        own = {"completed_by": row["annotator"], "result": result}
        yield from _label_studio([{"id": row["id"], "annotations": [own]}])


def _argilla(rows: list[Row]) -> Found:
    """`responses` by question, or by person."""
    for n, row in enumerate(rows):
        given = row["responses"]
        if isinstance(given, dict):
            by_question = given.items()
            given = [
                {**one, "values": {name: one}} for name, own in by_question for one in own or ()
            ]
        for one in given or ():
            if one.get("status", "submitted") != "submitted":
                yield "drafts or discarded responses"
                continue
            who = str(one.get("user_id", one.get("user")))
            for question, answer in (one.get("values") or {}).items():
                value = answer.get("value") if isinstance(answer, dict) else answer
                yield question, str(row.get("id") or n), who, label_of(value)


def _mturk(rows: list[Row]) -> Found:
    """`Answer.NAME`, one true `Answer.NAME.LABEL`, or the JSON of `Answer.taskAnswers`."""
    for row in rows:
        if str(row.get("AssignmentStatus", "")).casefold() == "rejected":
            yield "rejected assignments"
            continue
        forms = json.loads(row.get("Answer.taskAnswers") or "[]")
        answers = [one for form in forms for one in form.items()]
        answers += [(name[7:], value) for name, value in row.items() if name[:7] == "Answer."]
        for name, value in answers:
            if isinstance(value, dict):
                value = value.get("label", [label for label, on in value.items() if on is True])
            elif str(value).casefold() in ("true", "false") and "." in name:
                name, _, label = name.rpartition(".")
                value = label if str(value).casefold() == "true" else ""
            if value in ("", None, []):
                yield "questions without an answer"
            elif name != "taskAnswers":
                name = name.removesuffix(".label")
                yield name, str(row["HITId"]), str(row["WorkerId"]), label_of(value)


def _pairwright(rows: list[Row]) -> Found:
    """The first round; a scale is a question. Responses have names that do not tell which one is
    chosen: how far people agree must not depend on how often they are right."""
    for row in rows:
        kind, pair, item, who, label = (
            row[name] for name in ("kind", "pair", "item", "annotator", "label")
        )
        if row["round"] != 1 or kind == "comment":
            yield "repeats, comments and votes of a second round"
        elif label in (CANNOT_TELL, CANNOT_JUDGE):
            yield "answers that say that they cannot tell"
        elif kind == "quality":
            scale, _, role = item.partition(" ")
            yield f"quality: {scale}", f"{row['unit']} {role}", who, label_of(label)
        else:
            drawn = hashlib.sha256(pair.encode()).digest()[0] % 2
            names = ("other", "one") if drawn else ("one", "other")
            label = dict(zip(("chosen", "rejected"), names, strict=True)).get(label, label)
            yield QUESTIONS[kind][0], f"{pair} {item}".strip(), who, label


def study_votes(answers: pd.DataFrame) -> pd.DataFrame:
    """The votes of a study's answers, with the `dyad` of each as `cluster`."""
    rows: list[Row] = answers.to_dict("records")  # type: ignore[assignment]
    read = [(vote, row["dyad"]) for row in rows for vote in _pairwright([row])]
    told = [(*vote, dyad) for vote, dyad in read if not isinstance(vote, str)]
    return pd.DataFrame(told, columns=[*VOTE, "cluster"])


FORMATS: dict[str, tuple[tuple[str, ...], Callable[[list[Row]], Found]]] = {
    "Pairwright": (("task", "annotator", "unit", "kind", "label"), _pairwright),
    "Label Studio": (("annotations", "data"), _label_studio),
    "Label Studio CSV": (("annotation_id", "annotator", "id", "updated_at"), _label_studio_csv),
    "Argilla": (("responses",), _argilla),
    "MTurk": (("WorkerId", "HITId"), _mturk),
}
"""Known formats by name: the columns that show each, and its reader."""

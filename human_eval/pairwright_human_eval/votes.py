"""`pairwright agreement`: how far people agree, in anybody's votes.

Label Studio   the JSON export of a project with choices, ratings or numbers
Argilla        records with responses, as its client writes them
MTurk          the CSV of a batch: WorkerId, HITId, Answer.*
Pairwright     answers.jsonl of a study or of a release
anything else  CSV, TSV, JSON, JSON Lines or Parquet with a column each for item, annotator, label
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pandas as pd
from typer import Argument, Option

from pairwright.errors import InputError, near
from pairwright.pairs.columns import read_map
from pairwright.records import Record
from pairwright.sources.tables import OPENERS, sound_rows
from pairwright.stats import FEWEST, Estimate, share
from pairwright_human_eval.agreement import Agreement, Measurement, agreement
from pairwright_human_eval.decisions import count_labels, entries, majority, with_others
from pairwright_human_eval.exports import account_of, results_of
from pairwright_human_eval.records import CANNOT_JUDGE, CANNOT_TELL

Row = dict[str, Any]
NAMES = {
    "item": ("item", "item_id", "task", "task_id", "hitid", "example_id"),
    "annotator": ("annotator", "annotator_id", "worker", "worker_id", "workerid", "rater", "coder"),
    "label": ("label", "vote", "rating", "choice", "answer", "preference"),
    "question": ("question_name",),
}
"""Columns that are used without being named."""
PLACES = (("A", "B"), ("a", "b"), ("first", "second"), ("left", "right"))
"""Labels that name the place of a response."""
_FIX = (
    "Name its columns: --column item=COLUMN --column annotator=COLUMN --column label=COLUMN. A row"
    " is one vote: with a column for each annotator, reshape it first (pandas.melt). In Label"
    " Studio, use Export and choose JSON."
)


class QuestionVotes(Record):
    """The votes on one question."""

    question: str
    agreement: Agreement
    """Ordinal if all labels are numbers."""
    counts: dict[str, int]
    """Votes by label."""
    raters: dict[str, Estimate]
    """By annotator, the least in line first: votes that are what more than half of the others on
    the item say, of those on items with such a label."""
    places: tuple[str, str] | None
    """The labels that name places."""
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
    """What was left out, and why."""


def agreement_of(
    votes: Annotated[Path | str, Argument(help="A file of votes.", metavar="VOTES")],
    *,
    columns: Annotated[
        Iterable[str],
        Option(
            "--column", help="item, annotator, label, question; repeatable.", metavar="WHAT=COLUMN"
        ),
    ] = (),
) -> VotesReport:
    """Measure how far people agree, in anybody's votes.

    Reads Label Studio (JSON), Argilla records, MTurk batches, answers.jsonl, and any table with a
    column each for item, annotator and label. For every question: Krippendorff's alpha, percent
    agreement, Gwet's AC1, who differs from the others, and divided items. Labels that are numbers
    are ordinal. Labels such as A and B, or first and second, are places: their votes show a
    preference for the first one.

    Raises InputError for a file that holds no votes.

        >>> found = agreement_of("export.json")
        >>> found.questions[0].agreement.alpha.value
        0.61

    Examples::

        pairwright agreement export.json
        pairwright agreement votes.csv --column item=pair --column annotator=who --column label=vote
    """
    format, table, notes = read_votes(Path(votes), read_map(columns, NAMES, "--column"))
    questions = [question_votes(str(name), own) for name, own in table.groupby("question")]
    return VotesReport(
        file=str(votes), format=format, votes=len(table), questions=tuple(questions), notes=notes
    )


class Vote(NamedTuple):
    """What one person says of one item."""

    question: str
    item: str
    annotator: str
    label: object


Found = Iterator[Vote | str]
"""What a format holds: votes, and for everything else why it is none."""


# Figures


def question_votes(question: str, table: pd.DataFrame) -> QuestionVotes:
    """Every figure of one question, from its items, annotators and labels."""
    numbers = all(isinstance(label, int | float) for label in table["label"])
    measurement: Measurement = "ordinal" if numbers else "nominal"
    if not numbers:
        table = table.assign(label=table["label"].map(str))
    by_item = {item: labels for item, labels in count_labels(table).items() if labels.total() > 1}
    counts = {str(label): int(n) for label, n in entries(table["label"].value_counts())}
    agreed = with_others(table).reindex(sorted(set(table["annotator"])), fill_value=0)
    raters = {str(who): share(int(k), int(n)) for who, k, n in agreed[["k", "n"]].itertuples()}
    places = next((places for places in PLACES if {*places} <= {*table["label"]}), None)
    return QuestionVotes(
        question=question,
        agreement=agreement(table, measurement=measurement),
        counts=counts,
        raters=dict(sorted(raters.items(), key=lambda one: one[1].value or 0.0)),
        places=places,
        first=share(counts[places[0]], sum(counts[place] for place in places)) if places else None,
        divided=tuple(sorted(item for item, n in by_item.items() if majority(n) == "")),
        remarks=tuple(_remarks(table, len(by_item))),
    )


def _remarks(table: pd.DataFrame, paired: int) -> Iterator[str]:
    if table["annotator"].nunique() == 1:
        yield "one annotator gave all votes: there is nobody to agree with"
    elif not paired:
        yield "no item has two votes"
    if table["label"].nunique() == 1:
        yield "all votes are the same label: alpha and AC1 are not defined"
    elif 0 < paired < FEWEST:
        yield f"no interval: fewer than {FEWEST} items have two votes"


# Files


def read_votes(path: Path, columns: Mapping[str, str]) -> tuple[str, pd.DataFrame, tuple[str, ...]]:
    """The format of a file, its votes with their fields as columns, and what was left out.

    `columns` names the columns of item, annotator, label and question. The last vote of an
    annotator on an item counts. Raises InputError for a file that holds no vote.
    """
    if path.suffix not in OPENERS:
        raise InputError("is not a table", where=path, fix=f"Give {', '.join(OPENERS)}.")
    rows = [row.fields for row in sound_rows(path, OPENERS[path.suffix], _FIX)[1]]
    if not rows:
        raise InputError("holds no row", where=path, fix="Name a file of votes.")
    known = {} if columns else FORMATS
    name = next((name for name, (needed, _) in known.items() if {*needed} <= {*rows[0]}), "columns")
    try:
        if name in known:
            found = [*known[name][1](rows)]
        else:
            found = [*_plain(rows, _chosen_columns(rows[0], columns, path))]
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        what = f"is not as {name} exports it ({type(error).__name__}: {error})"
        raise InputError(what, where=path, fix="Export it again.") from None
    left_out = Counter(one for one in found if isinstance(one, str))
    table = pd.DataFrame([one for one in found if isinstance(one, Vote)], columns=Vote._fields)
    nobody = table["annotator"].isin(["", "None", "nan"])
    table = table[~nobody]
    if table.empty:
        raise InputError("holds no vote", where=path, fix=_FIX)
    same = ["question", "item", "annotator"]
    last = table.drop_duplicates(same, keep="last")
    labels = table.groupby(same, sort=False)["label"].nunique()
    changed = [f"{who} on {item}" for _, item, who in labels.index[labels > 1]]
    again = "earlier votes of the same people on the same items"
    again += f" ({len(changed):,} with another label, first of {changed[0]})" if changed else ""
    left_out |= {"votes without an annotator": int(nobody.sum()), again: len(table) - len(last)}
    return name, last, tuple(f"{n:,} {why}" for why, n in left_out.items() if n)


def _chosen_columns(row: Row, columns: Mapping[str, str], path: Path) -> dict[str, str]:
    """The column of each part of a vote, empty if there is none. Raises InputError."""
    there = {name.casefold(): name for name in row}
    chosen: dict[str, str] = {}
    for part, known in NAMES.items():
        name = columns.get(part) or next((there[n] for n in known if n in there), "")
        if name and name not in row:
            what = f"has no column {name!r}.{near(name, row)}"
            raise InputError(what, where=path, fix=_FIX)
        if not name and part in ("item", "annotator", "label"):
            what, fix = f"no column of the {part} is known", f"{_FIX} It has {', '.join(row)}."
            raise InputError(what, where=path, fix=fix)
        chosen[part] = name
    return chosen


def _plain(rows: list[Row], column: Mapping[str, str]) -> Found:
    """A column each."""
    for row in rows:
        label = row.get(column["label"])
        if label in ("", None):
            yield "rows without a label"
            continue
        question = str(row.get(column["question"], "")) if column["question"] else column["label"]
        item, who = str(row.get(column["item"])), str(row.get(column["annotator"]))
        yield Vote(question, item, who, label_of(label))


def label_of(value: object) -> object:
    """A label as it is compared: a number, if it is one; several choices as one, in their order."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, list | tuple):
        several = sorted(str(label_of(one)) for one in value)
        return label_of(value[0]) if len(value) == 1 else " + ".join(several)
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


# Formats


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
                    yield Vote(control, item, who, label_of(value))


def _argilla(rows: list[Row]) -> Found:
    """`responses` by question, or by person."""
    for n, row in enumerate(rows):
        given = row["responses"]
        if isinstance(given, dict):
            given = [
                {**one, "values": {question: one}}
                for question, answers in given.items()
                for one in answers or ()
            ]
        for one in given or ():
            if one.get("status", "submitted") != "submitted":
                yield "drafts or discarded responses"
                continue
            who = str(one.get("user_id", one.get("user")))
            for question, answer in (one.get("values") or {}).items():
                value = answer.get("value") if isinstance(answer, dict) else answer
                yield Vote(question, str(row.get("id") or n), who, label_of(value))


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
                ticked = [label for label, on in value.items() if on is True]
                name, value = name, value.get("label", ticked)
            elif str(value).casefold() in ("true", "false") and "." in name:
                name, _, label = name.rpartition(".")
                value = label if str(value).casefold() == "true" else ""
            if value not in ("", None) and name != "taskAnswers":
                name = name.removesuffix(".label")
                yield Vote(name, str(row["HITId"]), str(row["WorkerId"]), label_of(value))


QUESTIONS = {
    "preference": "preference", "support": "aspect supported", "delivery": "aspect delivered by",
}  # fmt: skip


def _pairwright(rows: list[Row]) -> Found:
    """The first round; a scale is a question. Responses have names that do not tell which one is
    chosen: how far people agree must not depend on how often they are right."""
    for row in rows:
        kind, pair, item, label = (row[name] for name in ("kind", "pair", "item", "label"))
        if row["round"] != 1 or kind == "comment":
            yield "repeats, comments and votes of a second round"
        elif label in (CANNOT_TELL, CANNOT_JUDGE):
            yield "answers that say that they cannot tell"
        elif kind == "quality":
            scale, _, role = item.partition(" ")
            about = f"{row['unit']} {role}"
            yield Vote(f"quality: {scale}", about, row["annotator"], label_of(label))
        else:
            drawn = hashlib.sha256(pair.encode()).digest()[0] % 2
            names = ("other", "one") if drawn else ("one", "other")
            label = dict(zip(("chosen", "rejected"), names, strict=True)).get(label, label)
            yield Vote(QUESTIONS[kind], f"{pair} {item}".strip(), row["annotator"], label)


def study_votes(answers: pd.DataFrame) -> pd.DataFrame:
    """The votes of a study's answers, with the `dyad` of each as `cluster`."""
    rows: list[Row] = answers.to_dict("records")  # type: ignore[assignment]
    read = [(vote, row["dyad"]) for row in rows for vote in _pairwright([row])]
    told = [(*vote, dyad) for vote, dyad in read if isinstance(vote, Vote)]
    return pd.DataFrame(told, columns=[*Vote._fields, "cluster"])


FORMATS: dict[str, tuple[tuple[str, ...], Callable[[list[Row]], Found]]] = {
    "Pairwright": (("task", "annotator", "unit", "kind", "label"), _pairwright),
    "Label Studio": (("annotations", "data"), _label_studio),
    "Argilla": (("responses",), _argilla),
    "MTurk": (("WorkerId", "HITId"), _mturk),
}
"""By name of each known format: the columns that show it, and its reader."""

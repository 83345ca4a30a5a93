"""`pairwright agreement`: how far people agree in anybody's votes."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import pandas as pd
from typer import Argument, Option

from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.stats import Estimate, share
from pairwright_human_eval.agreement import FEWEST, Agreement, Measurement, agreement
from pairwright_human_eval.checks import entries, majority
from pairwright_human_eval.votes import read_votes

PLACES = (("A", "B"), ("a", "b"), ("first", "second"), ("left", "right"))
"""Labels that name the place of a response."""
MOST_ITEMS = 10


class Rater(Record):
    """One annotator, against the others."""

    annotator: str
    votes: int
    with_others: Estimate
    """Votes that are what more than half of the others on the item say, if there is such a
    label."""


class QuestionVotes(Record):
    """The votes on one question."""

    question: str
    measurement: Measurement
    """Ordinal if all labels are numbers."""
    agreement: Agreement
    counts: dict[str, int]
    """Votes by label."""
    confusion: dict[str, dict[str, float]]
    """Of two people on one item: how often one says this while the other says that, as a share of
    what the first says. Empty if no item has two votes."""
    raters: tuple[Rater, ...]
    """The least in line first."""
    first: Estimate | None
    """Votes for what was shown first, of those for either; None if places are not known."""
    places: tuple[str, str] | None
    """The labels that were taken for places; None if a column says what was shown first."""
    without_majority: int
    """Items with two votes or more on which no label has more than half."""
    divided: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def alpha(self) -> Estimate:
        """Krippendorff's, ordinal if labels are numbers."""
        nominal = self.measurement == "nominal"
        return self.agreement.alpha_nominal if nominal else self.agreement.alpha_ordinal


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
            "--column", help="item, annotator, label, first; repeatable.", metavar="WHAT=COLUMN"
        ),
    ] = (),
) -> VotesReport:
    """Measure how far people agree, in anybody's votes.

    Reads Label Studio (JSON, JSON_MIN, CSV), Argilla records, MTurk batches, answers.jsonl, and any
    table with a column each for item, annotator and label. For every question: Krippendorff's
    alpha, percent agreement, Gwet's AC1, who differs from the others, and divided items. Labels
    that are numbers are ordinal. `first` is the column of the label that was shown first.

    Raises InputError for a file that holds no votes.

        >>> found = agreement_of("export.json")
        >>> found.questions[0].alpha.value
        0.61

    Examples::

        pairwright agreement export.json
        pairwright agreement votes.csv --column item=pair --column annotator=who --column label=vote
    """
    named = dict(one.partition("=")[::2] for one in columns)
    if not all(named.values()):
        raise InputError("names no column", where="--column", fix="Give WHAT=COLUMN.")
    read = read_votes(Path(votes), named)
    return VotesReport(
        file=str(votes),
        format=read.format,
        votes=len(read.table),
        questions=tuple(
            question_votes(str(question), own) for question, own in read.table.groupby("question")
        ),
        notes=read.notes,
    )


def question_votes(question: str, table: pd.DataFrame) -> QuestionVotes:
    """Every figure of one question, from its items, annotators and labels."""
    numbers = all(isinstance(label, int | float) for label in table["label"])
    measurement: Measurement = "ordinal" if numbers else "nominal"
    if not numbers:
        table = table.assign(label=table["label"].map(str))
    found = agreement(table, measurement=measurement)
    by_item: dict[str, Counter[object]] = {}
    for item, label in zip(table["item"], table["label"], strict=True):
        by_item.setdefault(item, Counter())[label] += 1
    paired = {item: counts for item, counts in by_item.items() if sum(counts.values()) > 1}
    divided = [
        item for item, counts in paired.items() if 2 * max(counts.values()) <= sum(counts.values())
    ]
    return QuestionVotes(
        question=question,
        measurement=measurement,
        agreement=found,
        counts={str(label): int(n) for label, n in entries(table["label"].value_counts())},
        confusion=_confusion(table),
        raters=tuple(_raters(table, by_item)),
        first=_first(table),
        places=None if "first" in table else _places(table),
        without_majority=len(divided),
        divided=tuple(sorted(divided)[:MOST_ITEMS]),
        remarks=tuple(_remarks(table, len(paired))),
    )


def _remarks(table: pd.DataFrame, paired: int) -> Iterable[str]:
    if table["annotator"].nunique() == 1:
        yield "one annotator gave all votes: there is nobody to agree with"
    elif not paired:
        yield "no item has two votes"
    if table["label"].nunique() == 1:
        yield "all votes are the same label: alpha and AC1 are not defined"
    elif 0 < paired < FEWEST:
        yield f"no interval: fewer than {FEWEST} items have two votes"


def _confusion(table: pd.DataFrame) -> dict[str, dict[str, float]]:
    both = table[["item", "annotator", "label"]].merge(
        table[["item", "annotator", "label"]], on="item"
    )
    both = both[both["annotator_x"] != both["annotator_y"]]
    shares = pd.crosstab(both["label_x"], both["label_y"], normalize="index")
    return {
        str(one): {str(other): round(float(shares.loc[one, other]), 4) for other in shares.columns}
        for one in shares.index
    }


def _raters(table: pd.DataFrame, by_item: dict[str, Counter[object]]) -> list[Rater]:
    hits: dict[str, list[bool]] = {}
    for item, who, label in zip(table["item"], table["annotator"], table["label"], strict=True):
        others = dict(by_item[item])
        others[label] -= 1
        most = majority({str(name): n for name, n in others.items()})
        hits.setdefault(who, [])
        if most:
            hits[who].append(most == str(label))
    counts = table["annotator"].value_counts()
    found = [
        Rater(annotator=who, votes=int(counts[who]), with_others=share(sum(own), len(own)))
        for who, own in hits.items()
    ]
    return sorted(found, key=lambda one: (one.with_others.value or 0.0, one.annotator))


def _places(table: pd.DataFrame) -> tuple[str, str] | None:
    """The two labels that name a place."""
    labels = set(table["label"])
    return next((places for places in PLACES if set(places) <= labels), None)


def _first(table: pd.DataFrame) -> Estimate | None:
    """By the column of what was shown first, or by labels that are places."""
    votes = table["label"].map(str)
    if "first" in table:
        shown = table["first"].map(str)
        own = votes.isin(set(shown))
        return share(int((votes == shown)[own].sum()), int(own.sum()))
    if places := _places(table):
        return share(int((votes == places[0]).sum()), int(votes.isin(places).sum()))
    return None

"""The sections on annotators and on what they wrote."""

from collections.abc import Iterator

from pairwright.report import Block, Plot, Table
from pairwright_human_eval.records import Kind
from pairwright_human_eval.report.records import Report, Seconds
from pairwright_human_eval.report.shown import seconds, share


def annotators(report: Report, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "The first round by pseudonym, with 95 % Wilson intervals. Agreement is with what most of"
        " the others on the pair voted, where most voted one way. Retest: swapped repeats answered"
        " as before; it excludes nobody."
    )
    yield Table(
        (
            "annotator", "answers count", "answered, of assigned", "quality", "preference",
            "rubric",
        ),
        tuple(
            (
                row.annotator, "no: EXCLUDED" if row.excluded else "yes",
                f"{row.answered:,} of {row.assigned:,}",
                *(f"{n:,}" for n in row.by_kind.values()),
            )
            for row in report.annotators
        ),
        left=2,
    )  # fmt: skip
    yield (
        "Median seconds a task was open, by kind, where the time was told. Attention checks,"
        " repeats and excluded annotators are in it: their time is spent too."
    )
    people = [(row.annotator, row.seconds) for row in report.annotators]
    yield Table(
        ("annotator", *report.seconds),
        tuple(_seconds_row(*of) for of in (*people, ("all people", report.seconds))),
    )
    yield Table(
        ("annotator", "A, of A and B", "with the majority", "attention checks", "retest"),
        tuple(
            (
                row.annotator, share(row.first), share(row.with_majority), share(row.attention),
                share(row.retest),
            )
            for row in report.annotators
        ),
    )  # fmt: skip
    if "annotators" in drawn:
        yield drawn["annotators"]


def comments(report: Report) -> Iterator[Block]:
    if not report.comments:
        yield "No comments were written."
        return
    yield f"{len(report.comments):,} of {report.comments_in_all:,}, as written, without who."
    yield Table(
        ("kind", "about", "comment"),
        tuple((of.kind, of.about, of.text) for of in report.comments),
        left=3,
    )


def _seconds_row(who: str, by_kind: dict[Kind, Seconds]) -> tuple[str, ...]:
    return (who, *(seconds(of) for of in by_kind.values()))

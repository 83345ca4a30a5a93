"""The sections on annotators and on what they wrote."""

from collections.abc import Iterator

from pairwright.report import Block, Plot, Table
from pairwright_human_eval.report.records import AnnotatorRow, Report
from pairwright_human_eval.report.shown import share


def annotators(report: Report, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "By pseudonym, with 95 % Wilson intervals. Agreement is with what most of the others on the"
        " pair voted, where most voted one way. Retest: swapped repeats answered as before; it"
        " excludes nobody."
    )
    yield Table(
        (
            "annotator", "answers count", "answered, of assigned", "quality", "preference",
            "rubric", "median seconds",
        ),
        tuple(
            (
                row.annotator, "no: EXCLUDED" if row.excluded else "yes",
                f"{row.answered:,} of {row.assigned:,}",
                *(f"{n:,}" for n in row.by_kind.values()), _seconds(row),
            )
            for row in report.annotators
        ),
        left=2,
    )  # fmt: skip
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


def _seconds(row: AnnotatorRow) -> str:
    if row.seconds is None:
        return "n/a (not told)"
    return f"{row.seconds:,.0f} (n = {row.timed:,})"

"""The section on what people say of the aspects."""

from collections.abc import Iterator

from pairwright.report import Block, Table
from pairwright_human_eval.report.records import Report
from pairwright_human_eval.report.shown import percent


def aspects(report: Report) -> Iterator[Block]:
    yield (
        "On all sampled twins and pairs that were asked about aspects, before any decision. Do the"
        " user's posts carry an aspect? Shares of the answers, with 95 % intervals that draw dyads"
        " and annotators; and the share of aspects that more than half of their answers call"
        " clearly or plausibly there, with an interval that draws dyads."
    )
    answers = list(report.supported[0].answers)
    yield Table(
        ("group", "answers", *answers, "aspects", "clearly or plausibly there, by most"),
        tuple(
            (
                of.group, f"{of.answers['clearly'].n:,}",
                *(percent(of.answers[said]) for said in answers), f"{of.there.n:,}",
                percent(of.there),
            )
            for of in report.supported
        ),
    )  # fmt: skip
    yield (
        "Which response delivers the aspect? An aspect goes by what more than half of its answers"
        " say, “cannot tell” left out. Shares are of the aspects that have such a majority, with"
        " 95 % intervals that draw dyads."
    )
    yield Table(
        (
            "group", "n", "no majority", "only the chosen", "only the other", "both",
            "neither",
        ),
        tuple(
            (
                of.group, f"{of.chosen.n:,}", f"{of.undecided:,}", percent(of.chosen),
                percent(of.other), percent(of.both), percent(of.neither),
            )
            for of in report.delivered_by
        ),
        note="n counts the aspects with a majority.",
    )  # fmt: skip

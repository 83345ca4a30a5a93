"""The sections on parity of quality and on the judge against people."""

from collections.abc import Iterator

from pairwright.report import Block, Plot, Table
from pairwright_human_eval.report.records import ParityOf, Report
from pairwright_human_eval.report.shown import group_name, percent, points


def quality(report: Report, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "Both responses were scored by the same people, without any posts. Two one-sided t tests at"
        f" 0.05 ask whether the mean difference lies within {report.fixed.parity_margin:g} points,"
        " the margin fixed at export: then the 90 % interval lies within it. Standard errors are"
        " robust to clusters of dyads and of annotators."
    )
    for of in report.sides:
        yield f"Mode {of.mode}: the {of.first} less the {of.second}."
        yield Table(
            (
                "scale", "n", "dyads", "people", "mean difference (90 %)", "p", "equal quality?",
                "a point or more apart",
            ),
            tuple(_parity_row(row) for row in report.parity if row.mode == of.mode),
        )  # fmt: skip
    if "quality" in drawn:
        yield drawn["quality"]


def _parity_row(row: ParityOf) -> tuple[str, ...]:
    of = row.parity
    counts = (row.scale, f"{of.pairs:,}", f"{of.clusters:,}", f"{of.annotators:,}")
    apart = str(of.apart) if of.apart.n else "n/a (0 of 0)"
    if of.mean is None:
        return (*counts, *[f"n/a ({of.reason})"] * 3, apart)
    if of.low is None or of.high is None or of.p_above is None or of.p_below is None:
        why = f"n/a ({of.reason})"
        return (*counts, f"{of.mean:+.2f}", why, why, apart)
    return (
        *counts,
        f"{of.mean:+.2f} ({of.low:+.2f} to {of.high:+.2f})",
        f"{max(of.p_above, of.p_below):.3f}",
        "yes" if of.equivalent else "not shown",
        apart,
    )


def judge(report: Report) -> Iterator[Block]:
    yield (
        "How far the automatic judge says what people say. People are taken by their majority or"
        " their mean; 95 % intervals draw dyads. The pairs are those that passed the judge's gates,"
        " so its range here is narrow: correlations are lower than on all drafts."
    )
    if report.unjudged:
        yield f"{report.unjudged:,} pairs have no scores of a judge and are left out."
    yield "Does a response deliver an aspect? The judge says so from an adherence score of 1 on."
    yield Table(
        (
            "responses", "n", "no majority", "both yes", "only judge", "only people", "both no",
            "agreement", "Cohen's kappa",
        ),
        tuple(
            (
                of.responses, f"{of.n:,}", f"{of.undecided:,}", f"{of.both_yes:,}",
                f"{of.only_judge:,}", f"{of.only_people:,}", f"{of.both_no:,}", percent(of.agree),
                points(of.kappa),
            )
            for of in report.delivered
        ),
        note="n counts aspect and response.",
    )  # fmt: skip
    yield "Scores of quality, against the mean of people's scores of the same response:"
    yield Table(
        (
            "scale", "n", "judge's mean", "people's mean", "judge less people",
            "at most half a point apart", "at most one point apart", "Spearman's correlation",
        ),
        tuple(
            (
                of.scale, f"{of.difference.n:,}", points(of.judge), points(of.people),
                points(of.difference, sign=True), percent(of.near), percent(of.within_one),
                points(of.spearman),
            )
            for of in report.judged_quality
        ),
    )  # fmt: skip
    yield (
        "Which response is this user's? The judge's say is the chosen one; people's is the response"
        " that has more than half of a pair's votes, “cannot tell” left out."
    )
    yield Table(
        (
            "group", "pairs", "for the chosen", "for the other", "for neither",
            "people choose as the judge",
        ),
        tuple(
            (
                group_name(of.group), f"{of.pairs:,}", f"{of.for_chosen:,}", f"{of.for_other:,}",
                f"{of.no_choice:,}", f"{percent(of.agree)}, n = {of.agree.n:,}",
            )
            for of in report.judged_preference
        ),
    )  # fmt: skip

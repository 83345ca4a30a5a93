"""The sections on agreement and on what the preference votes say."""

from collections.abc import Iterator

from pairwright.report import Block, Plot, Table
from pairwright_human_eval.agreement import Estimate
from pairwright_human_eval.report.records import Preferred, Report
from pairwright_human_eval.report.shown import (
    estimate_percent,
    group_name,
    percent,
    percent_points,
    points,
)

CONTROLS = {"wrong_profile": "a stranger's posts", "narrative": "posts and narrative"}


def agreement(report: Report) -> Iterator[Block]:
    yield (
        "On all sampled twins and pairs, whatever was decided. Preference and delivery are compared"
        " on neutral labels (responses in the order of the hash of their text), so that nothing"
        " knows of the chosen side; “cannot tell” and “cannot judge” are missing values. Alpha is"
        " Krippendorff's, ordinal where answers have an order; kappa is the mean of Cohen's over"
        " all two annotators who share items, weighed by how many; Fleiss' kappa needs the same"
        " number of ratings on every item."
    )
    yield agreement_table(report)
    yield (
        "Intervals are 95 % jackknife intervals by Student's t: they leave out one dyad of users"
        " after the other, and one annotator after the other."
    )


def agreement_table(report: Report) -> Table:
    """One row a question. Why there is no Fleiss' kappa stands below: it is long."""
    rows, reasons = [], list[str]()
    for of in report.agreement:
        found = of.agreement
        alpha = found.alpha_nominal if of.measurement == "nominal" else found.alpha_ordinal
        rows.append(
            (
                of.question,
                f"{found.percent.items:,}",
                f"{found.percent.ratings:,}",
                f"{found.percent.raters:,}",
                estimate_percent(found.percent),
                points(alpha),
                points(found.cohen_kappa),
                points(found.gwet_ac1),
                _noted(found.fleiss_kappa, reasons),
            )
        )
    told = ". ".join(f"({n}) {reason}" for n, reason in enumerate(reasons, start=1))
    return Table(
        (
            "question", "items", "answers", "people", "agreement", "Krippendorff's alpha",
            "Cohen's kappa", "Gwet's AC1", "Fleiss' kappa",
        ),
        tuple(rows),
        note=f"No Fleiss' kappa: {told}." if reasons else "",
    )  # fmt: skip


def _noted(of: Estimate, reasons: list[str]) -> str:
    """The estimate, or the number of its reason, which is added where it is new."""
    if of.value is not None:
        return points(of)
    if of.reason not in reasons:
        reasons.append(of.reason)
    return f"n/a ({reasons.index(of.reason) + 1})"


def claims(report: Report, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "Preference votes with the pair's own posts, on all sampled twins and pairs before any"
        " decision. The first share leaves out “about equal” and “cannot tell”, so that a coin"
        " gives 50 %; in the second they count against the chosen response. In the counterfactual"
        " half of a twin the question is put for a user who did not ask it."
    )
    groups = [*report.preferred, *([report.with_excluded] if report.with_excluded else [])]
    yield _preferred(groups)
    if "preference" in drawn:
        yield drawn["preference"]
    if report.consensus:
        of = report.consensus
        yield (
            f"Consensus by Dawid and Skene's model, fitted to neutral labels: of {of.pairs:,} pairs"
            f" the most probable label is the chosen response in {of.chosen:,}, the other one in"
            f" {of.other:,} and “about equal” in {of.equal:,}. Share for the chosen response:"
            f" {percent(of.share)}, n = {of.share.n:,}"
            f"{'' if of.converged else ' (THE FIT DID NOT CONVERGE)'}. The interval draws dyads and"
            " keeps the fit."
        )
    for control in report.contrasted:
        name = CONTROLS[control.control]
        yield (
            f"Controls: {control.pairs:,} pairs shown with their own posts to some annotators and"
            f" with {name} to others. Own posts less {name}, in percentage points of the votes for"
            f" the chosen response: {percent_points(control.difference)} of the votes for either"
            f" response (n = {control.difference.n:,});"
            f" {percent_points(control.difference_of_all)} of all votes"
            f" (n = {control.difference_of_all.n:,})."
        )
        shown = control.control_votes.model_copy(update={"group": name})
        yield _preferred([control.own, shown])
    if "contrasted" in drawn:
        yield drawn["contrasted"]


def _preferred(groups: list[Preferred]) -> Table:
    return Table(
        (
            "group", "votes", "chosen", "other", "equal", "cannot tell", "chosen, of choices",
            "chosen, of all votes",
        ),
        tuple(
            (
                group_name(of.group), f"{of.of_all.n:,}", f"{of.chosen:,}", f"{of.other:,}",
                f"{of.equal:,}", f"{of.cannot_tell:,}", percent(of.of_choices),
                percent(of.of_all),
            )
            for of in groups
        ),
    )  # fmt: skip

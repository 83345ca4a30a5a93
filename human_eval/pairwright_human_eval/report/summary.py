"""The report in brief, for a terminal: what must not be missed, and agreement by question."""

from collections.abc import Iterator

from pairwright.report import Table
from pairwright_human_eval.agreement import Estimate
from pairwright_human_eval.report.aspects import foil_sentence
from pairwright_human_eval.report.looks import outcome_text, rule_text
from pairwright_human_eval.report.number_text import percent
from pairwright_human_eval.report.records import StudyReport


def brief_warnings(report: StudyReport) -> Iterator[str]:
    """What nobody who reads only the terminal should miss."""
    head = report.head
    if head.excluded:
        yield f"Excluded by attention checks, with all their answers: {', '.join(head.excluded)}"
    if report.foils and not report.foils.aspects_ahead:
        yield foil_sentence(report.foils)
    for change in head.changes:
        yield (
            f"The rule is not as fixed at export: {change.name} was {change.fixed},"
            f" now {change.in_force}"
        )


def look_lines(report: StudyReport) -> Iterator[str]:
    """What the stopping rule says, where somebody has voted."""
    if report.looks and report.looks.looks:
        last = report.looks.looks[-1]
        yield f"Looks. {rule_text(report.looks)}"
        claim = next((one.of_all for one in report.preferred if one.group == "all"), None)
        # Where answers were taken back, the last look is of more votes than the claim.
        same = claim and (claim.value, claim.n) == (last.share, last.n)
        share = percent(claim) if claim and same else f"{100 * last.share:.0f} %"
        yield (
            f"At this one {100 * last.information:.0f} % of the votes are in; for the chosen"
            f" response {share} of {last.n:,}; to the floor: {outcome_text(last)}."
        )


def agreement_in_brief(report: StudyReport) -> Table:
    """Agreement by question; the pages have the other coefficients."""
    rows = []
    for agreed in report.agreement:
        found = agreed.agreement
        alpha = found.alpha_ordinal if agreed.measurement == "ordinal" else found.alpha_nominal
        estimates = map(_estimated, (found.percent, alpha, found.gwet_ac1))
        rows.append((agreed.question, f"{found.percent.ratings:,}", *estimates))
    heads = ("question", "answers", "agree", "Krippendorff's α", "Gwet's AC1")
    return Table(heads, tuple(rows))


def _estimated(estimate: Estimate) -> str:
    if estimate.value is None:
        return "n/a"
    if estimate.low is None or estimate.high is None:
        return _short(estimate.value)
    return f"{_short(estimate.value)} ({_short(estimate.low)}, {_short(estimate.high)})"


def _short(value: float) -> str:
    """Two places without the 0 before them, as journals print what cannot be more than 1."""
    return f"{value:.2f}".replace("0.", ".")

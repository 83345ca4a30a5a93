"""The files of a report, and its sentences: for its page, for release cards and for the terminal.

The page is a template over the record, with its plots. Each number has its interval and its n, and
what is unknown is never a 0.
"""

from collections.abc import Iterator

from pairwright.estimate import Estimate, p_value
from pairwright.files import write_whole
from pairwright.modes import units_in_words
from pairwright.pages import Page, render_page
from pairwright.pages.markdown import Table
from pairwright.text import number_of
from pairwright_human_eval.agreement import Parity
from pairwright_human_eval.assign import LIMIT, control_power
from pairwright_human_eval.decisions import reason_in_words
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.looks import Look, Looks
from pairwright_human_eval.report.aspects import DELIVERS, FoilComparison
from pairwright_human_eval.report.calibration import ENOUGH_DYADS
from pairwright_human_eval.report.claims import CONTROLS, ControlComparison
from pairwright_human_eval.report.findings import Findings, StudyReport
from pairwright_human_eval.report.people import Seconds, rule_rows
from pairwright_human_eval.report.plots import draw_plots


def write_report(folder: HumanFolder, report: StudyReport) -> None:
    """Write report.json, report.md and report.html: the same report gives the same bytes. Raises
    StoreError where they cannot be written."""
    page = page_of(report)
    write_whole(folder.path / "report.json", report.model_dump_json(indent=2) + "\n")
    write_whole(folder.path / "report.md", page.markdown)
    write_whole(folder.path / "report.html", page.html)


def page_of(report: StudyReport) -> Page:
    """The whole report, which opens with its verdict."""
    return render_page(
        "study_report", draw_plots(report), report=report, controls=CONTROLS,
        delivers=DELIVERS, enough_dyads=ENOUGH_DYADS, equal=_equal_text, in_words=reason_in_words,
        outcome=outcome_text, p_value=p_value, rule=list(rule_rows(report.fixed, report.policy)),
        seconds=_seconds_text, units=units_in_words(),
        words={
            "foils": foil_sentence(report.foils) if report.foils else "",
            "looks": rule_text(report.looks) if report.looks else "",
            "stranger": stranger_sentence,
        },
    )  # fmt: skip


def _equal_text(test: Parity) -> str:
    if test.low is None or test.high is None:
        return f"n/a ({test.reason})"
    if test.equivalent:
        return "yes"
    return "NO" if test.low > test.margin or test.high < -test.margin else "not shown"


def _seconds_text(seconds: Seconds) -> str:
    if seconds.median is None:
        return "n/a (not recorded)"
    return f"{seconds.median:,.0f} (n = {seconds.n:,})"


def foil_sentence(found: FoilComparison) -> str:
    """What people say of foils, and plainly whether they say the same of aspects."""
    less = found.difference
    plainly = ""
    if less.value is not None and less.value <= 0:
        plainly = " ASPECTS ARE CONFIRMED NO MORE OFTEN THAN FOILS."
    elif not found.aspects_ahead:
        plainly = " It is NOT SHOWN that aspects are confirmed more often than foils."
    return (
        f"Foils: among the aspects of {number_of(found.pairs, 'pair')} stood one of another user."
        f" Clearly or plausibly there: {found.foils.percent()} of the answers on foils (n ="
        f" {found.foils.n:,}), {found.aspects.percent()} of those on aspects (n ="
        f" {found.aspects.n:,}); the difference in points is {less.percent(sign=True)}.{plainly}"
    )


def label_error_sentence(findings: Findings) -> str:
    """How probable it is that the label of a verified pair is wrong."""
    found = findings.label_error
    if found.value is None:
        return "No pair is verified, so nothing is said of how often a label is wrong."
    ends = (
        found.note
        if found.low is None or found.high is None
        else f"{100 * found.low:.1f} to {100 * found.high:.1f}"
    )
    return (
        f"The label of a verified pair is wrong with probability {100 * found.value:.1f} % ({ends};"
        f" {number_of(found.n, 'pair')}): by all votes together, if every pair has a right answer"
        " and people err independently. A pair whose posts say nothing has none."
    )


def stranger_sentence(control: ControlComparison) -> str:
    """Whether strangers' posts tell nothing; empty for another control."""
    if control.control != "wrong_profile":
        return ""
    share = control.control_votes.of_choices
    shown = "shown" if control.at_most is not None and control.at_most < LIMIT else "NOT SHOWN"
    bound = "n/a" if control.at_most is None else f"{100 * control.at_most:.1f} %"
    return (
        f"With a stranger's posts {share.percent()} of the choices are for the chosen response (n ="
        f" {share.n:,}); the one-sided 95 % bound is {bound}. That strangers' posts tell nothing, a"
        f" share below {100 * LIMIT:.0f} %, is {shown}; the power to show it was"
        f" {100 * control_power(share.n):.0f} %."
    )


def outcome_text(look: Look) -> str:
    """Where the share lies to the floor, and whether the study may stop before its end."""
    if look.outcome == "open":
        return "not settled"
    return f"{look.outcome}{': may stop' if look.information < 1 else ''}"


def rule_text(found: Looks) -> str:
    """How many looks were fixed, and how many there were."""
    made = len(found.looks)
    if found.rule is None:
        return f"No stopping rule was fixed at export. Looks at the answers: {made:,}."
    more = " There were MORE LOOKS THAN WERE FIXED." if found.too_many else ""
    return (
        f"Fixed at export: {found.rule.looks:,} in all, and a floor of"
        f" {100 * found.rule.floor:.0f} % of the votes for the chosen response. Looks at the"
        f" answers: {made:,}.{more}"
    )


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
        share = claim.percent() if claim and same else f"{100 * last.share:.0f} %"
        yield (
            f"At this one {100 * last.information:.0f} % of the votes are in; for the chosen"
            f" response {share} of {last.n:,}; to the floor: {outcome_text(last)}."
        )


def agreement_in_brief(report: StudyReport) -> Table:
    """Agreement by question; the pages have the other coefficients."""
    rows = [
        (
            asked.question,
            f"{asked.agreement.percent.n:,}",
            *map(_short, (asked.agreement.percent, asked.alpha, asked.agreement.gwet_ac1)),
        )
        for asked in report.agreement
    ]
    return Table(("question", "answers", "agree", "Krippendorff's α", "Gwet's AC1"), tuple(rows))


def _short(estimate: Estimate) -> str:
    """Two places without the 0 before them, as journals print what cannot be more than 1."""
    if estimate.value is None:
        return "n/a"
    value, low, high = (
        "" if x is None else f"{x:.2f}".replace("0.", ".")
        for x in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} ({low}, {high})" if low and high else value

"""The files of a report, and its sentences: for its page, for release cards and for the terminal.

The page is a template over the record, with its plots. Each number has its interval and its n, and
what is unknown is never a 0.
"""

from pairwright.estimate import p_value
from pairwright.files import write_whole
from pairwright.modes import units_in_words
from pairwright.pages import Page, render_page
from pairwright.text import number_of
from pairwright_human_eval.assign import LIMIT, control_power
from pairwright_human_eval.decisions import reason_in_words
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.report.aspects import DELIVERS, FoilComparison
from pairwright_human_eval.report.calibration import ENOUGH_DYADS
from pairwright_human_eval.report.claims import CONTROLS, ControlComparison
from pairwright_human_eval.report.findings import StudyReport
from pairwright_human_eval.report.people import rule_rows
from pairwright_human_eval.report.plots import draw_plots


def write_report(folder: HumanFolder, report: StudyReport) -> None:
    """Write report.json, report.md and report.html: the same report gives the same bytes. Raises
    StoreError where they cannot be written."""
    page = page_of(report)
    write_whole(folder.path / "report.json", report.model_dump_json(indent=2) + "\n")
    write_whole(folder.path / "report.md", page.markdown)
    write_whole(folder.path / "report.html", page.html)


def page_of(report: StudyReport, *, brief: bool = False) -> Page:
    """The whole report, which opens with its verdict; `brief`: without plots, for a terminal, which
    has no more than the opening and some tables, so that this speaks of the looks."""
    return render_page(
        "study_report", {} if brief else draw_plots(report), report=report, brief=brief,
        controls=CONTROLS, delivers=DELIVERS, enough_dyads=ENOUGH_DYADS,
        foils=foil_sentence(report.foils) if report.foils else "", in_words=reason_in_words,
        p_value=p_value, rule=list(rule_rows(report.fixed, report.policy)),
        stranger=stranger_sentence, units=units_in_words(),
    )  # fmt: skip


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

"""The page of a report: a template over the record, with its plots."""

from pairwright.estimate import p_value
from pairwright.modes import units_in_words
from pairwright.pages import Page, render_page
from pairwright_human_eval.agreement import Parity
from pairwright_human_eval.decisions import reason_in_words
from pairwright_human_eval.report.aspects import DELIVERS
from pairwright_human_eval.report.calibration import ENOUGH_DYADS
from pairwright_human_eval.report.claims import CONTROLS
from pairwright_human_eval.report.people import rule_rows
from pairwright_human_eval.report.plots import draw_plots
from pairwright_human_eval.report.records import StudyReport
from pairwright_human_eval.report.words import (
    foil_sentence,
    outcome_text,
    rule_text,
    seconds_text,
    stranger_sentence,
)


def page_of(report: StudyReport) -> Page:
    """The whole report, which opens with its verdict."""
    return render_page(
        "study_report", draw_plots(report), report=report, controls=CONTROLS,
        delivers=DELIVERS, enough_dyads=ENOUGH_DYADS, equal=_equal_text, in_words=reason_in_words,
        outcome=outcome_text, p_value=p_value, rule=list(rule_rows(report.fixed, report.policy)),
        seconds=seconds_text, units=units_in_words(),
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

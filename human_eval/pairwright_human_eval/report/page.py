"""The page of a report, in the order in which a reader can judge it."""

from pairwright.report import Page, Section
from pairwright_human_eval.report.plots import plots
from pairwright_human_eval.report.records import Report
from pairwright_human_eval.report.show_aspects import aspects
from pairwright_human_eval.report.show_claims import agreement, claims
from pairwright_human_eval.report.show_people import annotators, comments
from pairwright_human_eval.report.show_quality import judge, quality
from pairwright_human_eval.report.show_study import adjudication, decisions, rule, study, warnings


def page_of(report: Report) -> Page:
    """All sections, with their plots."""
    drawn = plots(report)
    return Page(
        title="Human verification",
        warnings=tuple(warnings(report)),
        sections=(
            Section("The study", tuple(study(report))),
            Section("Decisions", tuple(decisions(report, drawn))),
            Section("Adjudication", tuple(adjudication(report))),
            Section("Agreement", tuple(agreement(report))),
            Section("Claims", tuple(claims(report, drawn))),
            Section("Claims on aspects", tuple(aspects(report))),
            Section("Parity of quality", tuple(quality(report, drawn))),
            Section("The judge against people", tuple(judge(report))),
            Section("Annotators", tuple(annotators(report, drawn))),
            Section("Comments", tuple(comments(report))),
            Section("The rule", tuple(rule(report))),
        ),
    )

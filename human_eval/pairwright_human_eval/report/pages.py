"""The files of a report: report.json, which is the source, and its pages in Markdown and HTML."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from pairwright.files import write_whole
from pairwright.report import Page, Section, to_html, to_markdown
from pairwright.settings.study_rules import HumanRules
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.looks import Looks
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.adjudication import adjudication_section
from pairwright_human_eval.report.annotators import annotators_section, comments_section
from pairwright_human_eval.report.aspects import aspects_section
from pairwright_human_eval.report.by_question import agreement_section
from pairwright_human_eval.report.calibration import (
    calibration_bins,
    calibration_blocks,
    powered_shares,
)
from pairwright_human_eval.report.claims import claims_section
from pairwright_human_eval.report.decision_states import decisions_section
from pairwright_human_eval.report.findings import compute_report
from pairwright_human_eval.report.judge import judge_section
from pairwright_human_eval.report.looks import looks_section
from pairwright_human_eval.report.plots import draw_plots
from pairwright_human_eval.report.quality import quality_section
from pairwright_human_eval.report.records import StudyReport
from pairwright_human_eval.report.study import report_warnings, rule_section, study_section
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline, Subject, outlines_of


def page_of(report: StudyReport) -> Page:
    """All sections, with their plots."""
    drawn = draw_plots(report)
    return Page(
        title="Human verification",
        warnings=tuple(report_warnings(report)),
        sections=(
            Section("The study", tuple(study_section(report))),
            Section("Decisions", tuple(decisions_section(report, drawn))),
            Section("Adjudication", tuple(adjudication_section(report))),
            Section("Agreement", tuple(agreement_section(report))),
            Section("Claims", tuple(claims_section(report, drawn))),
            Section("Claims on aspects", tuple(aspects_section(report))),
            Section("Parity of quality", tuple(quality_section(report, drawn))),
            Section(
                "The judge against people",
                (*judge_section(report), *calibration_blocks(report.calibration, report.powered)),
            ),
            Section("Annotators", tuple(annotators_section(report, drawn))),
            Section("Comments", tuple(comments_section(report))),
            Section("Looks", tuple(looks_section(report))),
            Section("The rule", tuple(rule_section(report))),
        ),
    )


def write_report(
    folder: HumanFolder,
    subjects: Sequence[Subject],
    fixed: FixedStudy,
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    rules: HumanRules,
    *,
    looks: Looks | None = None,
    decisions: Mapping[str, Decision] | None = None,
    rest: Sequence[Outline] = (),
    progress: Callable[[str], None] | None = None,
) -> StudyReport:
    """Write report.json, report.md and report.html. `subjects` are those of the study, `rules` is
    in force; `looks` are those up to this report; `progress` is called with each step. With
    `decisions` the judge's margins are held against people; `rest` are the run's subjects that were
    not sampled.

    The same input gives the same bytes. Raises StoreError where they cannot be written.
    """
    report = compute_report(subjects, fixed, verdicts, set_aside, rules, progress=progress)
    outlines, decided = outlines_of(subjects, fixed.key), decisions or {}
    report = report.model_copy(
        update={
            "looks": looks,
            "calibration": calibration_bins(outlines, decided) if decided else (),
            "powered": powered_shares(outlines, rest, decided) if decided else (),
        }
    )
    if progress:
        progress("pages and plots")
    page = page_of(report)
    write_whole(folder.path / "report.json", report.model_dump_json(indent=2) + "\n")
    write_whole(folder.path / "report.md", to_markdown(page))
    write_whole(folder.path / "report.html", to_html(page))
    return report

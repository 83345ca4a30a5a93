"""Deciding every pair of a study by its rule, and the page that reports on the study."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pairwright.files import write_whole
from pairwright.lines import write_lines, write_one
from pairwright.modes import MODES
from pairwright.options import RunPath
from pairwright.pages import Page, render_page
from pairwright.pages.plots import GREEN, GREY, ORANGE, RED, Colour, Plot, draw_counts
from pairwright.progress import Progress, Step, log_notes
from pairwright_human_eval.checks import table_of
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.report import StudyReport, compute_report
from pairwright_human_eval.study import open_study
from pairwright_human_eval.units import outline_of


@dataclass(frozen=True, slots=True)
class DecisionReport:
    """What people decided, and the report that was written of it."""

    folder: Path
    """RUN/human: it holds report.html, report.md, report.json and decisions.jsonl."""
    decisions: Mapping[str, Decision]
    """By unit, a twin or a pair: verified, refused, disputed or waiting, and why."""
    report: StudyReport
    """Agreement, claims and annotators, with their intervals."""
    to_adjudicate: int
    """Disputed units that no second round has asked about yet."""


def decide(run: RunPath, *, progress: Progress = log_notes) -> DecisionReport:
    """Decide every pair and report on the study: Markdown, JSON and an HTML page with plots.

    All claims are estimated on all sampled pairs, before decisions. The rule is [human] of
    RUN/config.toml: change it there and report again, and the same answers are decided again; the
    report then says that it is not the rule that was fixed at export.

    Raises InputError where there is no study, or its files were damaged.

        >>> found = decide("runs/first")
        >>> Counter(decision.state for decision in found.decisions.values())
        Counter({'verified': 61, 'refused': 7, 'disputed': 4})

    Examples::

        pairwright human report runs/first
    """
    with open_study(Path(run)) as study:
        progress(Step("reading answers"))
        outlines, answers = [*map(outline_of, study.units())], table_of(study.answers())
        progress(Step("figures"))
        report, decisions = compute_report(outlines, study.fixed, answers, study.rules)
        write_lines(study.folder.decisions, decisions.values())
        progress(Step("pages and plots"))
        write_report(study.folder, report)
        second = {keyed.unit for keyed in study.fixed.key.values() if keyed.round == 2}
        return DecisionReport(
            folder=study.folder.path,
            decisions=decisions,
            report=report,
            to_adjudicate=sum(
                decision.state == "disputed" and decision.unit not in second
                for decision in decisions.values()
            ),
        )


COLOURS: dict[str, Colour] = {
    "verified": GREEN, "refused": RED, "disputed": ORANGE, "waiting": GREY,
}  # fmt: skip
MOST_DISAGREEMENTS = 10
"""The most divided pairs that the page shows; report.json has all."""


def write_report(folder: HumanFolder, report: StudyReport) -> None:
    """Write report.json, report.md and report.html: the same report gives the same bytes. Raises
    StoreError if they cannot be written."""
    page = page_of(report)
    write_one(folder.path / "report.json", report)
    write_whole(folder.path / "report.md", page.markdown)
    write_whole(folder.path / "report.html", page.html)


def page_of(report: StudyReport) -> Page:
    """The whole report, which opens with its verdict."""
    return render_page(
        "study_report", _plots(report), report=report, modes=MODES,
        divided=report.disagreements[:MOST_DISAGREEMENTS],
    )  # fmt: skip


def _plots(report: StudyReport) -> dict[str, Plot]:
    bars = {
        group.group: {str(state): n for state, n in group.states.items()}
        for group in report.decisions
    }
    states = draw_counts(
        bars, COLOURS, unit="Share of the twins and pairs", name="states",
        caption="What was decided, by mode: numbers in the bars are counts.",
    )  # fmt: skip
    return {"states": states}

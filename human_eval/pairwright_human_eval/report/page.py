"""The files of a report: its record, and a page of it."""

from pairwright.dataset import write_one
from pairwright.files import write_whole
from pairwright.modes import MODES
from pairwright.pages import Page, render_page
from pairwright.pages.plots import GREEN, GREY, ORANGE, RED, Colour, Plot, draw_counts
from pairwright_human_eval.decisions import reason_in_words
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.report.findings import StudyReport

COLOURS: dict[str, Colour] = {
    "verified": GREEN, "refused": RED, "disputed": ORANGE, "waiting": GREY,
}  # fmt: skip
MOST_DISAGREEMENTS = 10
"""Of the most divided pairs, on the page; report.json has all."""


def write_report(folder: HumanFolder, report: StudyReport) -> None:
    """Write report.json, report.md and report.html: the same report gives the same bytes. Raises
    StoreError where they cannot be written."""
    page = page_of(report)
    write_one(folder.path / "report.json", report)
    write_whole(folder.path / "report.md", page.markdown)
    write_whole(folder.path / "report.html", page.html)


def page_of(report: StudyReport) -> Page:
    """The whole report, which opens with its verdict."""
    return render_page(
        "study_report", _plots(report), report=report, modes=MODES, in_words=reason_in_words,
        divided=report.disagreements[:MOST_DISAGREEMENTS],
    )  # fmt: skip


def _plots(report: StudyReport) -> dict[str, Plot]:
    bars = {
        group.group.removeprefix("mode: "): {str(state): n for state, n in group.states.items()}
        for group in report.decisions
    }
    states = draw_counts(
        bars, COLOURS, unit="Share of the twins and pairs", name="states",
        caption="What was decided, by mode: numbers in the bars are counts.",
    )  # fmt: skip
    return {"states": states}

"""Writing a report into its folder: JSON, which is the source, Markdown and HTML."""

from collections.abc import Callable, Iterable, Sequence

from pairwright.files import write_whole
from pairwright.report import to_html, to_markdown
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.compute import compute
from pairwright_human_eval.report.page import page_of
from pairwright_human_eval.report.records import Report
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.write import Fixed


def write_report(
    folder: HumanFolder,
    subjects: Sequence[Subject],
    fixed: Fixed,
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    policy: HumanRules,
    *,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Write report.json, report.md and report.html. `subjects` are those of the study, `policy` is
    in force; `progress` is told each step.

    The same input gives the same bytes. Raises StoreError where they cannot be written.
    """
    report = compute(subjects, fixed, verdicts, set_aside, policy, progress=progress)
    if progress:
        progress("pages and plots")
    page = page_of(report)
    write_whole(folder.path / "report.json", report.model_dump_json(indent=2) + "\n")
    write_whole(folder.path / "report.md", to_markdown(page))
    write_whole(folder.path / "report.html", to_html(page))
    return report

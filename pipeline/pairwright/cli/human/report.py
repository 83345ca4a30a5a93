"""`pairwright human report`: decisions, agreement and claims, as tables and plots."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from pairwright.cli.human.options import RunPath
from pairwright.cli.printing import say, table_of
from pairwright.cli.progress import display
from pairwright.cli.shell import command
from pairwright.modes import modes_of_size, units_in_words

if TYPE_CHECKING:
    from pairwright_human_eval.agreement import Estimate
    from pairwright_human_eval.decisions import Decision
    from pairwright_human_eval.report import StudyReport


def report_command(run: RunPath) -> None:
    """Decide every pair and report on the study: Markdown, JSON and an HTML page with plots.

    All claims are estimated on all sampled pairs, before decisions. The rule is [human] of
    RUN/config.toml: change it there and report again, and the same answers are decided again; the
    report then says that it is not the rule that was fixed at export.

    Example:

      pairwright human report runs/first
    """
    # Plots and statistics take a while to import, and other commands do without.
    from pairwright.workflows.decision_report import decide

    with display() as progress:
        found = decide(run, progress=progress)
    console, report = Console(), found.report
    for warning in _warnings(report):
        say(console, warning, "bold red", wrap=True)
    console.print(_decided(found.decisions.values()))
    console.print(_agreed(report))
    for line in _look_lines(report):
        console.print(line, markup=False, highlight=False)
    if report.head.simulated_verdicts:
        console.print("Simulated annotators answered: this verifies nothing.")
    elif not report.head.verdicts:
        console.print("Nothing is answered yet.")
    console.print("Look further:")
    for name in ("report.html", "report.md", "report.json", "decisions.jsonl"):
        say(console, f"  {found.folder / name}")
    if found.to_adjudicate:
        say(console, f"  {command('human', 'adjudicate', run)}   # {found.to_adjudicate} disputed")


def _warnings(report: "StudyReport") -> Iterator[str]:
    """What nobody who reads only the terminal should miss."""
    head = report.head
    if head.excluded:
        yield f"Excluded by attention checks, with all their answers: {', '.join(head.excluded)}"
    for change in head.changes:
        yield (
            f"The rule is not as fixed at export: {change.name} was {change.fixed},"
            f" now {change.in_force}"
        )


def _look_lines(report: "StudyReport") -> Iterator[str]:
    """What the stopping rule says, where somebody has voted."""
    from pairwright_human_eval.report.looks import look_text, outcome_text, rule_text

    if report.looks and report.looks.looks:
        last = report.looks.looks[-1]
        yield f"Looks. {rule_text(report.looks)}"
        yield (
            f"At this one {100 * last.information:.0f} % of the votes are in; for the chosen"
            f" response {look_text(last)} of {last.n:,}; to the floor: {outcome_text(last)}."
        )


def _decided(decisions: Iterable["Decision"]) -> Table:
    """Subjects by state, and by every reason for it: one may have several."""
    decided = list(decisions)
    kinds = {d.subject: units_in_words(modes_of_size(len(d.pairs))) for d in decided}
    states = Counter((d.state, kinds[d.subject]) for d in decided)
    reasons = Counter((d.state, reason) for d in decided for reason in d.reasons)
    table = Table(box=box.SIMPLE, show_header=False, title="decisions", title_justify="left")
    for (state, kind), n in sorted(states.items()):
        table.add_row(state, kind, f"{n:,}")
    table.add_section()
    for (state, reason), n in sorted(reasons.items()):
        table.add_row(state, reason, f"{n:,}")
    return table


def _agreed(report: "StudyReport") -> Table:
    """Agreement by question; the pages have the other coefficients."""
    rows = []
    for agreed in report.agreement:
        found = agreed.agreement
        alpha = found.alpha_ordinal if agreed.measurement == "ordinal" else found.alpha_nominal
        estimates = map(_estimated, (found.percent, alpha, found.gwet_ac1))
        rows.append((agreed.question, f"{found.percent.ratings:,}", *estimates))
    heads = ("question", "answers", "agree", "Krippendorff's α", "Gwet's AC1")
    return table_of(heads, rows, title="agreement (95 % intervals)", padding=(0, 0))


def _estimated(estimate: "Estimate") -> str:
    if estimate.value is None:
        return "n/a"
    if estimate.low is None or estimate.high is None:
        return _short(estimate.value)
    return f"{_short(estimate.value)} ({_short(estimate.low)}, {_short(estimate.high)})"


def _short(value: float) -> str:
    """Two places without the 0 before them, as journals print what cannot be more than 1."""
    return f"{value:.2f}".replace("0.", ".")

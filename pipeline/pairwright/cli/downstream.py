"""`pairwright downstream`: whether what a benchmark measures matters for what models write."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.cli.command import Command
from pairwright.cli.evaluation import Coverage, end, end_by_coverage, print_result
from pairwright.cli.printing import say, table_of, warn
from pairwright.estimate import p_value
from pairwright.evaluation.best_of_n import BestOfN, best_of_n_page
from pairwright.evaluation.certificate import Certificate, certificate_page
from pairwright.evaluation.correlation.correlations import Correlation, correlation_page
from pairwright.evaluation.guided import PolicyAccuracy, policy_page
from pairwright.evaluation.outputs import ModelScore, OutputScores
from pairwright.evaluation.results import TRIAL
from pairwright.text import number_of, visible
from pairwright.training.pages import completions_page
from pairwright.workflows.best_samples import SamplingResult, best_of_n
from pairwright.workflows.body_writing import CompletionResult, completions
from pairwright.workflows.certificate import certify
from pairwright.workflows.correlation import CorrelationResult, correlate
from pairwright.workflows.guided_policies import PolicyResult, policy_accuracy
from pairwright.workflows.output_judging import JudgedOutputs, judge_outputs

# In 80 columns: the policy alone is on the page only, and brackets are on a second line.
_ACCURACIES = ("guided policy", "policy accuracy", "gain", "reward alone", "pairs (clusters)")
_TAUS = ("policy", "shown,\npairs of", "tau", "chance", "p", "rewards")


def print_samples(
    result: SamplingResult,
    out: Path,
    coverage: Coverage = 0.95,
) -> int:
    """Print what each scorer's pick gains, and where too few questions count."""
    summary, counted, err = result.summary, result.counted, Console(stderr=True)
    print_curves(Console(), summary, out)
    short = not summary.questions or counted < coverage * summary.questions
    if short:
        questions = number_of(summary.questions, "question counts", "questions count")
        warn(err, f"{counted:,} of {questions}; --coverage asks for {coverage:.0%}.")
    reasons = [*summary.unscored, *(why for curve in summary.curves for why in curve.unscored)]
    return end(err, short=short, reasons=reasons)


def print_curves(console: Console, summary: BestOfN, out: Path) -> None:
    """Print by scorer and k how good the best of k samples are."""
    head = ("scorer", "k", "all subsets of k", "gain", "questions", "users")
    cells = (
        (
            visible(line.scorer.name),
            str(point.k),
            point.subsets.text(),
            point.gain.text(sign=True) if point.k > 1 else "",
            f"{point.first.n:,}",
            f"{point.first.clusters:,}",
        )
        for line in summary.lines
        for point in line.points
    )
    console.print(table_of(head, cells, lines=box.SIMPLE_HEAD))
    for paragraph in best_of_n_page(summary, drawn=False).opening:
        say(console, paragraph, wrap=True)
    say(console, f"Open: {out / 'best_of_n.html'}", wrap=True)


def print_judged(
    result: JudgedOutputs,
    coverage: Coverage = 0.95,
) -> int:
    """Print the adherence of each model, and where too few outputs have a score."""
    print_scores(Console(), result.scores)
    console, short = Console(stderr=True), result.short(coverage)
    for one in short:
        reasons = ", ".join(f"{n:,} {why}" for why, n in one.unscored.items())
        outputs = number_of(one.outputs, "output has", "outputs have")
        warn(
            console,
            f"{visible(one.model)}: {one.scored:,} of {outputs} a score"
            f" ({reasons}); --coverage asks for {coverage:.0%}.",
        )
    reasons_of_all = [why for one in result.scores.models for why in one.unscored]
    return end(console, short=bool(short), reasons=reasons_of_all)


def print_scores(console: Console, scores: OutputScores) -> None:
    heads = ("model", "adherence", "95 % interval", "n", "users", "unscored all 0 to all 1")
    console.print(table_of(heads, map(_cells, scores.models), lines=box.SIMPLE_HEAD))
    about = "Adherence: mean over outputs of the sum of an output's scores over the most possible."
    say(console, f"{about} Judge: {scores.judge.model}.", wrap=True)
    for one in scores.models:
        if one.outputs < one.questions:
            line = (
                f"{visible(one.model)}: outputs for {one.outputs:,} of {one.questions:,} questions"
            )
            say(console, line, wrap=True)
    if scores.simulated:
        console.print("Simulated: a simulated model judged. This is not a result.", style="yellow")
    if scores.release.trial:
        console.print(TRIAL, style="yellow")


def _cells(score: ModelScore) -> tuple[str, ...]:
    adherence = score.adherence
    if adherence is None or adherence.value is None:
        return (visible(score.model), "not known", "", "0", "0", "")
    between = "" if adherence.low is None else f"{adherence.low:.3f} to {adherence.high:.3f}"
    bounds = f"{score.worst:.3f} to {score.best:.3f}" if score.unscored else ""
    counts = (f"{adherence.n:,}", f"{adherence.clusters:,}")
    return (visible(score.model), f"{adherence.value:.3f}", between, *counts, bounds)


def print_policies(
    result: PolicyResult,
    out: Path,
    coverage: Coverage = 0.95,
) -> int:
    """Print the accuracy of each guided policy, and Kendall's tau over rewards."""
    print_accuracies(Console(), result.accuracy, out)
    return end_by_coverage(result.evaluation, coverage, Console(stderr=True))


def print_accuracies(console: Console, accuracy: PolicyAccuracy, out: Path) -> None:
    tables: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for line in accuracy.lines:
        n = f"{line.accuracy.n:,} ({line.accuracy.clusters:,})"
        figures = (line.accuracy.text(), line.gain.text(sign=True), line.reward_alone.text())
        row = (visible(line.scorer), *_in_two(*figures, n))
        tables.setdefault((line.condition, line.mode or "pairs"), []).append(row)
    for (shown, pairs), found in tables.items():
        _print_narrow(console, f"shown: {shown}; pairs of: {pairs}", _in_two(*_ACCURACIES), found)
    defined = [
        (
            f"{visible(tau.policy)}\nbeta {tau.beta:g}",
            f"{tau.condition},\n{tau.mode or 'pairs'}",
            *_in_two(
                f"{tau.value:+.3f} ({tau.interval.text()})",
                f"{tau.chance.mean:.2f} ({tau.chance.low:.2f} to {tau.chance.high:.2f})",
            ),
            p_value(tau.chance.p),
            str(tau.n),
        )
        for tau in accuracy.taus
        if tau.value is not None and tau.interval and tau.chance
    ]
    if defined:
        _print_narrow(console, "Do rewards that rank well guide well?", _TAUS, defined)
    if tables:
        console.print(
            "In brackets: 95 % intervals; of pairs, clusters. Gain: over the policy alone.",
            highlight=False,
        )
    for paragraph in policy_page(accuracy, drawn=False).opening:
        say(console, paragraph, wrap=True)
    say(console, f"Open: {out / 'policy.html'}", wrap=True)


def _in_two(*cells: str) -> tuple[str, ...]:
    """Cells with what is in brackets on a second line."""
    return tuple(cell.replace(" (", "\n(", 1) for cell in cells)


def print_completions(
    result: CompletionResult,
    out: Path,
    coverage: Coverage = 0.95,
) -> int:
    """Print how near each condition came to what users wrote, and where too few items count."""
    console, summary = Console(), result.summary
    head = ("", "ROUGE-1", "ROUGE-L", "items", "users")
    means = [(one.condition, one, False) for one in summary.means]
    less = [(f"{one.first} less {one.second}", one, True) for one in summary.differences]
    for some in (means, less):
        cells: list[tuple[str, ...]] = [
            (
                visible(name),
                one.rouge_1.text(sign=sign),
                one.rouge_l.text(sign=sign),
                f"{one.rouge_1.n:,}",
                f"{one.rouge_1.clusters:,}",
            )
            for name, one, sign in some
        ]
        _print_narrow(console, "", head, cells)
    for paragraph in completions_page(summary, drawn=False).opening:
        warn(console, paragraph)
    for reason, n in summary.refused.items():
        warn(console, f"{number_of(n, 'item was', 'items were')} not asked, {reason}.")
    for reason, n in summary.unscored.items():
        warn(console, f"{number_of(n, 'item does', 'items do')} not count, {visible(reason)}.")
    if summary.shortened:
        texts = number_of(summary.shortened, "text was", "texts were")
        warn(console, f"{texts} written with fewer posts than chosen: not all fitted.")
    say(console, f"Open: {out / 'completions.html'}", wrap=True)
    err, short = Console(stderr=True), summary.counted < coverage * summary.asked
    if short:
        items = number_of(summary.asked, "item counts", "items count")
        warn(err, f"{summary.counted:,} of {items}; --coverage asks for {coverage:.0%}.")
    return end(err, short=short, reasons=summary.unscored)


def _print_narrow(
    console: Console, title: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]
) -> None:
    """Print a table without lines, for many columns in a terminal of 80."""
    table = Table(
        box=None, padding=(0, 1, 0, 0), title=title or None, title_justify="left",
        title_style="italic",
    )  # fmt: skip
    for n, head in enumerate(heads):
        table.add_column(head, justify="right" if n else "left", no_wrap=n > 0, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table, "", highlight=False)


def print_correlations(result: CorrelationResult, out: Path | None = None) -> None:
    """Print every measure of every benchmark, and what may be claimed."""
    console, models, found = Console(), result.models, result.correlations
    if models.has_row_numbers:
        ignored = "The first column numbers the rows and has no name of its own: it is ignored."
        console.print(ignored, highlight=False)
    for name, measures in found.found.items():
        title = f"{name} against {found.downstream}, n = {found.n} models"
        _print_measures(console, title, measures)
    for one in found.differences:
        names = f"{one.first} less {one.second}, {one.measure}:"
        say(console, f"{names} {one.value:+.4f} ({one.interval.text(sign=True)})", wrap=True)
    # The page opens with three claims at most.
    for paragraph in (*correlation_page(models, found, drawn=False).opening, *found.claims[3:]):
        say(console, paragraph, wrap=True)
    if out:
        typer.echo(f"Open: {out / 'report.html'}")


def _print_measures(console: Console, title: str, measures: Sequence[Correlation]) -> None:
    head = ("", "value", "95 % interval", "chance", "95 % of chance", "p", "p (Holm)")
    cells = (
        (
            one.measure,
            f"{one.value:.4f}",
            one.interval.text(),
            f"{one.chance.mean:.2f}",
            f"{one.chance.low:.2f} to {one.chance.high:.2f}",
            p_value(one.chance.p),
            p_value(one.adjusted),
        )
        for one in measures
    )
    console.print(table_of(head, cells, title=title, lines=box.SIMPLE_HEAD))


def print_certificate(certificate: Certificate, out: Path | None = None) -> int:
    """Print how both rank the scorers, and what may be said."""
    console = Console()
    if certificate.scorers:
        head = ("scorer", "generated twins", "natural twins", "natural less generated", "pairs")
        rows = (
            (
                one.scorer,
                one.generated.text(),
                one.natural.text(),
                one.in_words,
                f"{one.generated.n:,} and {one.natural.n:,}",
            )
            for one in certificate.scorers
        )
        console.print(table_of(head, rows))
    if certificate.measures:
        _print_measures(console, "", certificate.measures)
    for name, why in certificate.left_out.items():
        say(console, f"{name} is not compared: {why}.", wrap=True)
    for paragraph in certificate_page(certificate, drawn=False).opening:
        say(console, paragraph, wrap=True)
    if out:
        typer.echo(f"Open: {out / 'certificate.html'}")
    return int(not certificate.scorers)


COMMANDS = {
    "downstream best-of-n": Command(best_of_n, print_samples),
    "downstream judge-outputs": Command(judge_outputs, print_judged),
    "downstream policy": Command(partial(policy_accuracy, on_result=print_result), print_policies),
    "downstream completions": Command(completions, print_completions),
    "downstream correlate": Command(correlate, print_correlations),
    "downstream certify": Command(certify, print_certificate),
}

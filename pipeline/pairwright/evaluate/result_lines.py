"""One result as lines: its accuracy by mode, and what it leaves open."""

from collections.abc import Sequence

from pairwright.evaluate.builders import build_ties, tie_sentence
from pairwright.evaluate.decision import NOTHING_TO_SHOW, PairDecision
from pairwright.evaluate.identities import without_error
from pairwright.evaluate.measure import (
    ScorerFigure,
    figures_of,
    is_position_bias,
    mode_group,
    position_bias_text,
)
from pairwright.evaluate.results import ResultSummary
from pairwright.text import number_of

_ACCURACIES = {"accuracy": "right", "both_right": "both halves right"}
_OF_SCORED = {
    "accuracy_of_scored": "right of the scored",
    "both_right_of_scored": "both halves right of the scored",
}


def summary_lines(about: ResultSummary, decisions: list[PairDecision]) -> list[str]:
    """A line with the result's accuracies, and one for each thing that it leaves open."""
    figures = tuple(without_error(about, decisions, figures_of(decisions)))
    names = _ACCURACIES | (_OF_SCORED if about.units != about.units_scored else {})
    shares = [
        f"{figure.group} {names[figure.name]} {_share(figure)}"
        for figure in figures
        if figure.name in names and figure.group == mode_group(figure.mode).name
    ]
    heading = f"{about.scorer.name}, {about.condition}: {'; '.join(shares) or 'no pairs'}"
    return [heading, *(f"  {line}" for line in _open_ends(about, figures))]


def _share(figure: ScorerFigure) -> str:
    if figure.value is not None and figure.by_identity:
        return f"{figure.value:.1%} (by identity, n = {figure.n:,})"
    if figure.value is None or figure.low is None or figure.high is None:
        return f"not known (n = {figure.n:,})"
    return f"{figure.value:.1%} ({figure.low:.1%} to {figure.high:.1%}, n = {figure.n:,})"


def _tokens(about: ResultSummary) -> str:
    read, written = about.prompt_tokens or 0, about.completion_tokens or 0
    cost = "" if about.cost is None else f", {1000 * about.cost / about.pairs:,.2f} for 1,000 pairs"
    return (
        f", {read / about.pairs:,.0f} tokens in and {written / about.pairs:,.0f} out a pair{cost}"
    )


def _without_score(about: ResultSummary) -> list[str]:
    """A line for the pairs that count as wrong, and one for those that do not count."""
    reasons = [
        (f"{n:,} {reason}", reason in NOTHING_TO_SHOW) for reason, n in about.unscored.items()
    ]
    wrong = ", ".join(reason for reason, nothing_shown in reasons if not nothing_shown)
    not_counted = ", ".join(reason for reason, nothing_shown in reasons if nothing_shown)
    return [
        *([f"without a score, counted as wrong: {wrong}"] if wrong else []),
        *(
            [f"not counted, the release has nothing to show of the user: {not_counted}"]
            if not_counted
            else []
        ),
    ]


def _open_ends(about: ResultSummary, figures: Sequence[ScorerFigure]) -> list[str]:
    lines = []
    if about.ties:
        unstable = (
            f", {number_of(about.unstable, 'of them changes', 'of them change')} with the order"
            if about.unstable
            else ""
        )
        ties = "is a tie" if about.ties == 1 else "are ties"
        lines.append(f"{about.ties:,} of {about.pairs:,} {ties}, counted one half{unstable}")
    lines += _without_score(about)
    if about.shortened:
        lines.append(f"{number_of(about.shortened, 'history', 'histories')} did not fit whole")
    if about.timing:
        timing = about.timing
        tokens = _tokens(about) if about.pairs else ""
        lines.append(
            f"{number_of(timing.calls, 'call')}, {timing.latency_s:.2f} s each,"
            f" {timing.calls_per_s:,.0f} a second{tokens}"
        )
    lines += [
        f"position bias, verdicts for the first place (even is 50 %): {position_bias_text(figure)}"
        for figure in figures
        if is_position_bias(figure)
    ]
    if builders := build_ties((about.scorer.model, about.scorer.beside), about.release.builders):
        lines.append(tie_sentence(about.scorer.name, builders))
    if about.self_agreement:
        lines.append("self-agreement: this planner shares model or prompt with the release's")
    if about.simulated:
        lines.append("simulated: a simulated model had a part in it, so this is not a result")
    return lines

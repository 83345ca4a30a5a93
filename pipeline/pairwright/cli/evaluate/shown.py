"""What a person sees of one result: its accuracy by mode, and what it leaves open."""

from rich.console import Console

from pairwright.evaluate.decision import Decision
from pairwright.evaluate.measure import Figure, measured
from pairwright.evaluate.results import Evaluated
from pairwright.text import number_of

_TOLD = {"accuracy": "right", "both_right": "both halves right"}


def tell(about: Evaluated, decisions: list[Decision]) -> None:
    """Print it: a line, and one for each thing that it leaves open."""
    console = Console()
    shares = [
        f"{figure.group} {_TOLD[figure.name]} {_share(figure)}"
        for figure in measured(decisions)
        if figure.name in _TOLD and figure.group in ("twin", "violate", "pairs")
    ]
    line = f"{about.scorer.name}, {about.condition}: {'; '.join(shares) or 'no pairs'}"
    console.print(line, markup=False, highlight=False)
    for line in _open_ends(about):
        console.print(f"  {line}", markup=False, highlight=False)


def _share(figure: Figure) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return f"not known (n = {figure.n:,})"
    return f"{figure.value:.1%} ({figure.low:.1%} to {figure.high:.1%}, n = {figure.n:,})"


def _open_ends(about: Evaluated) -> list[str]:
    lines = []
    if about.ties:
        unstable = (
            f", {number_of(about.unstable, 'of them changes', 'of them change')} with the order"
            if about.unstable
            else ""
        )
        ties = "is a tie" if about.ties == 1 else "are ties"
        lines.append(f"{about.ties:,} of {about.pairs:,} {ties}, counted one half{unstable}")
    if about.unscored:
        told = ", ".join(f"{n:,} {reason}" for reason, n in about.unscored.items())
        lines.append(f"without a score: {told}")
    if about.shortened:
        lines.append(f"{number_of(about.shortened, 'history', 'histories')} did not fit whole")
    if about.timing:
        timing = about.timing
        tokens = f", {about.tokens / about.pairs:,.0f} tokens a decision" if about.pairs else ""
        lines.append(
            f"{number_of(timing.calls, 'call')}, {timing.latency_s:.2f} s each,"
            f" {timing.calls_per_s:,.0f} a second{tokens}"
        )
    if about.self_agreement:
        lines.append("self-agreement: this planner shares model or prompt with the release's")
    if about.simulated:
        lines.append("simulated: the embedded model had a part in it, so it is no result")
    return lines

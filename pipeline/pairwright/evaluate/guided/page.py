"""Policy accuracy as a page: the accuracies, the rewards against what they lead to, and tau."""

from collections import Counter
from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pairwright.estimate import Estimate, p_value
from pairwright.evaluate.correlation.correlations import CLAIMS_FROM
from pairwright.evaluate.correlation.page import interval_in_words
from pairwright.evaluate.guided.accuracy import PER_TOKEN, GuidedResult, PolicyAccuracy, Tau
from pairwright.evaluate.results import TRIAL
from pairwright.report import (
    BLUE,
    FAINT,
    GREEN,
    ORANGE,
    RED,
    SKY,
    Page,
    Plot,
    Section,
    Table,
    drawing,
    plot,
)
from pairwright.text import number_of, visible

COLOURS = (BLUE, ORANGE, GREEN, RED, SKY)
MARKERS = ("o", "s", "^", "D")
"""Colours and then markers come again, so that twenty guided policies can be distinguished."""
HEAD = (
    "guided policy", "shown", "pairs of", "policy accuracy", "policy alone", "gain", "reward alone",
    "pairs", "clusters",
)  # fmt: skip
TAU_HEAD = ("policy", "", "shown", "pairs of", "tau", "95 % interval", "chance", "p", "rewards")


def policy_page(result: PolicyAccuracy) -> Page:
    """The whole report."""
    return Page(
        title=f"Policy accuracy, {visible(result.release.name)} {result.release.version}",
        warnings=tuple(warnings(result)),
        sections=(
            Section("Accuracies", (Table(HEAD, tuple(rows(result)), left=3, note=_NOTE),)),
            Section(
                "Rewards and what they lead to", (*_plots(result), _taus(result), *claims(result))
            ),
            Section("How it was done", (*_method(result), _readings(result), *missing(result))),
        ),
    )


def warnings(result: PolicyAccuracy) -> Iterator[str]:
    """What a reader must know before any number."""
    if result.simulated:
        yield "A simulated model had a part in it, so it is not a result."
    if result.release.trial:
        yield TRIAL
    if result.limit is not None:
        yield f"Only the first {number_of(result.limit, 'subject was', 'subjects were')} scored."
    if not result.lines:
        yield "No pair has a score from a guided policy, its policy and its reward."


def rows(result: PolicyAccuracy) -> Iterator[tuple[str, ...]]:
    """A row a line."""
    for line in result.lines:
        yield (
            visible(line.scorer),
            line.condition,
            line.mode or "pairs",
            line.accuracy.text(),
            line.policy_alone.text(),
            line.gain.text(sign=True),
            line.reward_alone.text(),
            f"{line.accuracy.n:,}",
            f"{line.accuracy.clusters:,}",
        )


def tau_rows(result: PolicyAccuracy) -> Iterator[tuple[str, ...]]:
    """A row a tau."""
    for tau in result.taus:
        named = (visible(tau.policy), f"beta {tau.beta:g}", tau.condition, tau.mode or "pairs")
        yield (*named, *_tau_cells(tau), str(tau.n))


def claims(result: PolicyAccuracy) -> Iterator[str]:
    """What tau may be taken for, and why there is none."""
    if any(tau.value is not None and tau.n < CLAIMS_FROM for tau in result.taus):
        yield f"Nothing is claimed of fewer than {CLAIMS_FROM} rewards: see what chance gives."
    for note, n in Counter(tau.note for tau in result.taus if tau.note).items():
        yield f"No tau for {n:,} of {len(result.taus):,} combinations: {note}."


def missing(result: PolicyAccuracy) -> Iterator[str]:
    """Pairs that do not count, and why."""
    for line in result.lines:
        if line.unscored:
            reasons = ", ".join(f"{n:,} {reason}" for reason, n in line.unscored.items())
            yield f"{visible(line.scorer)}, {line.condition}: without a score {reasons}."


_NOTE = (
    "Share of pairs where the chosen response is ahead, ties counting one half, on the pairs that"
    " the guided policy, its policy and its reward all have a score for, with 95 % intervals by"
    " cluster, and none where nothing differs. Gain: less the policy alone, pair by pair."
)


def _tau_cells(tau: Tau) -> tuple[str, ...]:
    if tau.value is None or tau.interval is None or tau.chance is None:
        return ("none", "", "", "")
    chance = f"{round(tau.chance.mean, 2) + 0:.2f} ({tau.chance.low:.2f} to {tau.chance.high:.2f})"
    return (f"{tau.value:+.3f}", interval_in_words(tau.interval), chance, p_value(tau.chance.p))


def _taus(result: PolicyAccuracy) -> Table:
    note = (
        "Kendall's tau-b between the accuracy of a reward and the policy accuracy that it leads to."
        " Intervals are a jackknife over rewards, chance over shuffled ones; neither knows how sure"
        " the accuracies themselves are."
    )
    return Table(TAU_HEAD, tuple(tau_rows(result)), left=4, note=note)


def _plots(result: PolicyAccuracy) -> Iterator[Plot | str]:
    groups: dict[tuple[str, str], list[GuidedResult]] = {}
    for line in result.lines:
        groups.setdefault((line.condition, line.mode or "pairs"), []).append(line)
    drawn = {group: lines for group, lines in groups.items() if len(_guided(lines)) > 1}
    for (condition, mode), lines in drawn.items():
        yield _plot(lines, condition, mode)
    if len(drawn) < len(groups):
        yield "Nothing is drawn of one guided policy alone: its numbers are in the table above."


def _plot(lines: list[GuidedResult], condition: str, mode: str) -> Plot:
    readings = [
        (reading, [line for line in lines if line.per_token is per_token])
        for per_token, reading in ((False, "summed"), (True, "per token"))
    ]
    drawn = [(reading, some) for reading, some in readings if some]
    names = _guided(lines)
    with drawing():
        height = max(4.2, 0.2 * len(names))
        figure = Figure(figsize=(8.6, height), layout="constrained")
        panels = figure.subplots(1, len(drawn), sharex=True, sharey=True, squeeze=False)[0]
        points: dict[str, Line2D] = {}
        for axes, (reading, some) in zip(panels, drawn, strict=True):
            axes.set_title(reading)
            axes.axhline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
            axes.axvline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
            axes.set_xlabel("accuracy of the reward alone, %")
            for line in some:
                name = line.scorer.removesuffix(PER_TOKEN)
                points[visible(name)[:40]] = _point(axes, line, names.index(name))
        panels[0].set_ylabel("policy accuracy, %")
        # Beside the panels: rewards often lie so near to each other that names there would overlap.
        figure.legend(points.values(), points.keys(), loc="outside right upper", fontsize=8)
        caption = (
            f"Shown: {condition}; pairs of {mode}. Each point is a guided policy, with 95 %"
            " intervals of both accuracies. The dashed lines are one half."
        )
        return plot(figure, caption, name=f"rewards-{condition}-{mode}")


def _guided(lines: list[GuidedResult]) -> list[str]:
    """The guided policies, each once: a sum and its reading per token are one."""
    return list(dict.fromkeys(line.scorer.removesuffix(PER_TOKEN) for line in lines))


def _point(axes: Axes, line: GuidedResult, place: int) -> Line2D:
    x, y = _percent(line.reward_alone), _percent(line.accuracy)
    colour = COLOURS[place % len(COLOURS)].light
    marker = MARKERS[place // len(COLOURS) % len(MARKERS)]
    axes.hlines(y[0], *x[1:], color=colour, linewidth=0.8, alpha=0.5)
    axes.vlines(x[0], *y[1:], color=colour, linewidth=0.8, alpha=0.5)
    [point] = axes.plot(x[0], y[0], marker, color=colour)
    return point


def _percent(interval: Estimate) -> tuple[float, float, float]:
    value = interval.value or 0.0
    low = value if interval.low is None else interval.low
    high = value if interval.high is None else interval.high
    return 100 * value, 100 * low, 100 * high


def _method(result: PolicyAccuracy) -> Iterator[str]:
    yield (
        "Our reading of policy accuracy (arXiv 2512.23067, whose formula is not public): the score"
        " of a response is the sum over its tokens of log pi(y_t | x, y_<t) + r(x, y_<=t) / beta,"
        " and a pair is right where the chosen response has the higher score. The reward of a"
        " language model is its own log-probability of each token; that of any other scorer counts"
        " once, at the last token. Names that end with per-token divide the whole sum by the number"
        " of tokens. The end of the answer is not one of the tokens, and the normaliser of guided"
        " decoding is left out."
    )
    release = result.release
    yield f"Release {visible(release.name)} {release.version}, {release.digest}."


def _readings(result: PolicyAccuracy) -> Table:
    named = dict.fromkeys(
        (visible(line.scorer), visible(line.policy), visible(line.reward), line.counts, line.beta)
        for line in result.lines
    )
    lines = tuple((*names, f"{beta:g}") for *names, beta in named)
    return Table(("guided policy", "policy", "reward", "it counts", "beta"), lines, left=4)

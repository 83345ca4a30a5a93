"""Best-of-n as a page: the scaling plot, then every number behind it."""

from collections.abc import Iterator

from matplotlib.figure import Figure

from pairwright.estimate import Estimate
from pairwright.evaluate.best_of_n.curves import BestOfN, Curve
from pairwright.evaluate.results import TRIAL
from pairwright.records import FULL_ADHERENCE
from pairwright.report import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
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
LINES = ("-", "--", ":", "-.")
"""Colours and then lines come again, so that twenty scorers can be distinguished."""
HEAD = ("", "k", "first k", "all subsets of k", "gain", "questions", "users")


def best_of_n_page(result: BestOfN) -> Page:
    """The whole report."""
    return Page(
        title=f"Best of {result.n}, {visible(result.release.name)} {result.release.version}",
        warnings=tuple(warnings(result)),
        sections=(
            Section("Scaling", tuple(_plots(result))),
            Section("Every number", (Table(HEAD, tuple(rows(result)), note=_NOTE),)),
            Section("How it was done", tuple(_method(result))),
        ),
    )


def warnings(result: BestOfN) -> Iterator[str]:
    """What a reader must know before any number."""
    if result.simulated:
        yield "The embedded model had a part in it, so it is not a result."
    if result.release.trial:
        yield TRIAL
    if result.limit is not None:
        yield f"Only the first {number_of(result.limit, 'question was', 'questions were')} asked."
    for curve in result.curves:
        if curve.scorer.model and curve.scorer.model == result.judge.model:
            yield f"{visible(curve.scorer.name)} is the judge's own model: this is not evidence."
    if result.policy.model == result.judge.model:
        yield "The policy is the judge's own model, and models favour their own answers."


def rows(result: BestOfN) -> Iterator[tuple[str, ...]]:
    """A row for each scorer and k, the ceiling last."""
    for curve in (*result.curves, *([result.ceiling] if result.ceiling else [])):
        for point in curve.points:
            yield (
                visible(curve.scorer.name),
                str(point.k),
                point.first.text(),
                point.subsets.text(),
                point.gain.text(sign=True) if point.k > 1 else "",
                f"{point.first.n:,}",
                f"{point.first.clusters:,}",
            )


def interval_text(interval: Estimate, sign: str = "") -> str:
    """`.513 (.470 to .556)`"""
    # Rounded first, and no zero below zero.
    value, low, high = (
        None if x is None else round(x, 3) + 0
        for x in (interval.value, interval.low, interval.high)
    )
    if low is None or high is None:
        why = ": one user" if interval.clusters < 2 else ""
        return f"{value:{sign}.3f} (no interval{why})"
    return f"{value:{sign}.3f} ({low:{sign}.3f} to {high:{sign}.3f})"


def missing(result: BestOfN) -> Iterator[str]:
    """Questions that do not count, and why."""
    if result.unscored:
        questions = number_of(result.questions, "question")
        yield f"{_counts(result.unscored)}: of {questions} {result.sampled:,} left."
    for curve in result.curves:
        if curve.unscored:
            yield f"{visible(curve.scorer.name)} has no curve over: {_counts(curve.unscored)}."
        if curve.shortened:
            histories = number_of(curve.shortened, "history", "histories")
            yield f"{visible(curve.scorer.name)}: {histories} did not fit whole."


GAIN_SAYS = (
    "Gain: over all subsets, less the mean of the question's samples, which is what picking at"
    " random gives. At k = 1 nothing is picked, so there is no gain."
)
_NOTE = (
    "Adherence, 0 to 1, of the sample that the scorer picks among k, with 95 % intervals by user."
    f" {GAIN_SAYS}"
)


def _plots(result: BestOfN) -> Iterator[Plot | str]:
    if not any(curve.points for curve in result.curves):
        yield "There is nothing to draw: no question has all samples and scores."
        return
    yield _plot(result, "all", "all subsets of k of the samples")
    yield _plot(result, "first", "the first k of the samples alone")


def _plot(result: BestOfN, which: str, picked_from: str) -> Plot:
    with drawing():
        figure = Figure(figsize=(8.6, 4.8), layout="constrained")
        axes = figure.add_subplot()
        if result.ceiling:
            ks, values, _, _ = _line(result.ceiling, which)
            axes.plot(ks, values, color=GREY.light, linestyle=":", label=result.ceiling.scorer.name)
            axes.axhline(_mean(result.ceiling), color=FAINT.light, linewidth=0.8, label="at random")
        for place, curve in enumerate(curve for curve in result.curves if curve.points):
            colour = COLOURS[place % len(COLOURS)].light
            ks, values, lows, highs = _line(curve, which)
            line = LINES[place // len(COLOURS) % len(LINES)]
            axes.plot(
                ks, values, "o", linestyle=line, color=colour, label=visible(curve.scorer.name)
            )
            axes.fill_between(ks, lows, highs, color=colour, alpha=0.12, linewidth=0)
        axes.set_xscale("log", base=2)
        ticks = [point.k for point in max((c.points for c in result.curves), key=len)]
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.minorticks_off()
        axes.set_xlabel("k, samples that the scorer picks from")
        axes.set_ylabel("adherence of its pick")
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
        caption = f"Best of k over {picked_from}, with 95 % intervals by user."
        return plot(figure, caption, name=f"scaling-{which}")


def _line(curve: Curve, which: str) -> tuple[list[int], list[float], list[float], list[float]]:
    points = [(p.k, p.subsets if which == "all" else p.first) for p in curve.points]
    values = [one.value or 0.0 for _, one in points]
    lows = [
        value if one.low is None else one.low
        for value, (_, one) in zip(values, points, strict=True)
    ]
    highs = [
        value if one.high is None else one.high
        for value, (_, one) in zip(values, points, strict=True)
    ]
    return [k for k, _ in points], values, lows, highs


def _mean(curve: Curve) -> float:
    """Adherence without any picking."""
    point = curve.points[0]
    return (point.subsets.value or 0.0) - (point.gain.value or 0.0)


def _method(result: BestOfN) -> Iterator[str]:
    levels = f"{', '.join(map(str, range(FULL_ADHERENCE)))} or {FULL_ADHERENCE}"
    yield (
        f"Release {visible(result.release.name)} {result.release.version},"
        f" {result.release.digest}. Policy: {visible(result.policy.model)}, {result.n} samples a"
        f" question. Judge: {visible(result.judge.model)},"
        f" {levels} for each aspect of the question's rubric, summed over the most possible."
    )
    yield (
        "First k: the best of the draws 0 to k - 1. All subsets: the mean over every choice of k of"
        " the N samples, which is unbiased and varies less. Samples that a scorer scores alike are"
        " picked equally often. At k = 1 nothing is picked."
    )
    yield f"{CEILING_SAYS} Questions count the same; one user's are drawn together in intervals."
    yield from missing(result)


CEILING_SAYS = (
    "The dotted line is the judge picking by its own scores: the most that could be reached with"
    " these samples, and more than anybody can, for it also picks its own errors."
)


def _counts(reasons: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {reason}" for reason, n in reasons.items())

"""The spread as a page: a mark a presentation, then every number."""

from collections.abc import Iterator
from itertools import cycle

from matplotlib.figure import Figure

from pairwright.evaluate.builders import tie_mark, tie_sentence
from pairwright.evaluate.results import TRIAL
from pairwright.evaluate.spread.figures import PresentationAccuracy, SpreadFigures, SpreadScores
from pairwright.evaluate.spread.presentations import LAYOUTS, SHIPPED
from pairwright.intervals import Interval
from pairwright.modes import mode_title
from pairwright.records import Mode
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

HEAD = ("scorer", "pairs", "mean, %", "deviation, points", "lowest, %", "highest, %", "n")
NONE = "none: all scores are the same"
UNTESTED = "accuracies alone, whose differences are not tested: see the leaderboard"
_COLOURS = (BLUE, ORANGE, GREEN, RED, SKY, GREY)
_MARKERS = "osD^vP"


def spread_page(scores: SpreadScores) -> Page:
    """The page of the spread of a release."""
    release = f"{visible(scores.release.name)} {scores.release.version}"
    modes = dict.fromkeys(one.mode for one in scores.figures)
    return Page(
        title=f"Spread over {len(scores.presentations)} presentations, {release}",
        warnings=tuple(warnings(scores)),
        sections=(
            *(Section(mode_title(mode), tuple(_mode_blocks(scores, mode))) for mode in modes),
            Section("Every presentation", (_every(scores),)),
            Section("How to read it", tuple(_method(scores))),
        ),
    )


def warnings(scores: SpreadScores) -> Iterator[str]:
    """What a reader must know before any number."""
    if scores.simulated:
        yield "The embedded model had a part in it, so it is not a result."
    if scores.release.trial:
        yield TRIAL
    for name, ties in scores.build_ties.items():
        yield tie_sentence(visible(name), ties)
    if scores.limit is not None:
        yield f"Only the first {number_of(scores.limit, 'subject was', 'subjects were')} scored."


def rows(scores: SpreadScores) -> Iterator[tuple[str, ...]]:
    """A row a scorer and mode, in the order of `HEAD`."""
    for one in scores.figures:
        yield (
            _marked(one.scorer, scores),
            mode_title(one.mode),
            _percent(one.mean),
            NONE if one.unchanged else _percent(one.deviation),
            _with_presentation(one.lowest),
            _with_presentation(one.highest),
            f"{one.mean.n:,}",
        )


def sentences(scores: SpreadScores) -> Iterator[str]:
    """A line a scorer and mode, and what is said of the order, for a terminal."""
    for name, mode, average, deviation, lowest, highest, n in rows(scores):
        if deviation == NONE:
            yield f"{name}, {mode}: mean {average} %; n = {n} pairs"
            continue
        yield (
            f"{name}, {mode}: mean {average} %, deviation {deviation} points over"
            f" {len(scores.presentations)} presentations; from {lowest} to {highest}; n = {n} pairs"
        )
    yield from unchanged_sentences(scores)
    yield from order_sentences(scores)


def unchanged_sentences(scores: SpreadScores) -> Iterator[str]:
    """A sentence for each scorer that no presentation changed."""
    for one in scores.figures:
        if one.unchanged:
            yield (
                f"{mode_title(one.mode)}: every score of {visible(one.scorer)} is the same in all"
                f" {len(scores.presentations)} presentations. It does not read the wording and"
                " nothing of the layout, so nothing was found out of its spread."
            )


def _marked(name: str, scores: SpreadScores) -> str:
    """A scorer's name, with a mark where it has something to do with the build."""
    mark = tie_mark(scores.build_ties.get(name, ()))
    return f"{visible(name)} ({mark})" if mark else visible(name)


def order_sentences(scores: SpreadScores) -> Iterator[str]:
    """Whether the order of scorers depends on the presentation."""
    for mode in dict.fromkeys(one.mode for one in scores.orders):
        orders = [one for one in scores.orders if one.mode == mode]
        first, total = orders[0], len(scores.presentations)
        order = " > ".join(map(visible, first.scorers))
        yield (
            f"{mode_title(mode)}: the order of the scorers' accuracies is the same in all {total}"
            f" presentations: {order} ({UNTESTED})."
            if len(orders) == 1
            else f"{mode_title(mode)}: the scorers' accuracies come in {len(orders)} orders; the"
            f" most frequent, in {first.presentations} of {total} presentations, is {order}"
            f" ({UNTESTED})."
        )


def _mode_blocks(scores: SpreadScores, mode: Mode | None) -> Iterator[Plot | Table | str]:
    own = [one for one in scores.figures if one.mode == mode]
    yield _plot(own, mode)
    yield Table(HEAD, tuple(row for row in rows(scores) if row[1] == mode_title(mode)), left=2)
    said = (*unchanged_sentences(scores), *order_sentences(scores))
    yield from (one for one in said if one.startswith(f"{mode_title(mode)}:"))


def _every(scores: SpreadScores) -> Table:
    return Table(
        ("scorer", "pairs", "presentation", "accuracy, %", "n"),
        tuple(
            (_marked(one.scorer, scores), mode_title(one.mode), visible(each.presentation),
             _interval(each.value, each.low, each.high), f"{each.n:,}")
            for one in scores.figures
            for each in one.accuracies
        ),
        left=3,
    )  # fmt: skip


def _percent(interval: Interval) -> str:
    assert interval.value is not None, "it is of some pairs"
    return _interval(interval.value, interval.low, interval.high)


def _interval(value: float, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"{100 * value:.1f} (no interval)"
    return f"{100 * value:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _with_presentation(one: PresentationAccuracy) -> str:
    return f"{100 * one.value:.1f} ({visible(one.presentation)})"


def _plot(figures: list[SpreadFigures], mode: Mode | None) -> Plot:
    with drawing():
        sheet = Figure(figsize=(8.6, 1.8 + 0.9 * len(figures)), layout="constrained")
        axes = sheet.add_subplot()
        looks = dict(zip(_wordings(figures), zip(cycle(_COLOURS), _MARKERS * 9), strict=False))
        for line, one in enumerate(figures):
            for step, each in enumerate(one.accuracies):
                height = line + 0.7 * ((step + 0.5) / len(one.accuracies) - 0.5)
                colour, marker = looks[each.presentation.partition(",")[0]]
                if each.low is not None and each.high is not None:
                    axes.hlines(height, 100 * each.low, 100 * each.high, color=colour.light)
                axes.plot(100 * each.value, height, marker, color=colour.light, markersize=4)
        axes.axvline(50, color=FAINT.light, linestyle=(0, (4, 3)), zorder=0)
        axes.set_yticks(range(len(figures)), [visible(one.scorer) for one in figures])
        axes.set_ylim(len(figures) - 0.4, -0.6)
        axes.set_xlim(-2, 102)
        axes.set_xlabel("accuracy, %")
        axes.grid(axis="x")
        handles = [
            axes.plot([], [], marker, color=colour.light, linestyle="", label=visible(name))[0]
            for name, (colour, marker) in looks.items()
        ]
        sheet.legend(handles=handles, loc="outside upper left", ncols=len(handles))
        layouts = ", ".join(LAYOUTS)
        caption = (
            f"{mode_title(mode)}: accuracy in each presentation with its 95 % interval by cluster."
            f" Colours are wordings; of each the layouts are, from above: {layouts}."
        )
        return plot(sheet, caption, name=f"spread-{mode or 'pairs'}")


def _wordings(figures: list[SpreadFigures]) -> list[str]:
    return list(
        dict.fromkeys(
            each.presentation.partition(",")[0] for one in figures for each in one.accuracies
        )
    )


def _method(scores: SpreadScores) -> Iterator[str]:
    yield (
        f"Each scorer was asked about the same pairs in {len(scores.presentations)} ways (condition"
        f" {scores.condition}): every wording in every layout. The wording {SHIPPED!r} with the"
        " layout 'posts' is that of an evaluation. For a judge a wording is a prompt, for a reward"
        " model the lines around posts and question."
    )
    yield "Layouts: " + "; ".join(f"{name}: {meaning}" for name, meaning in LAYOUTS.items()) + "."
    yield (
        "The deviation is the standard deviation of the accuracies over the presentations, with a"
        " jackknife interval by cluster. The deviation of a scorer that answers at random is above"
        " zero, too. The highest presentation is known only afterwards: report the mean, and do"
        " not choose a presentation."
    )

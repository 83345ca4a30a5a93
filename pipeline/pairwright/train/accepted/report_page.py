"""A planner against accepted answers, as a page."""

from collections.abc import Iterator

from matplotlib.figure import Figure as Drawing
from pydantic import Field

from pairwright.answer_traits import TRAITS
from pairwright.records import Record
from pairwright.report import BLUE, GREY, ORANGE, Block, Page, Plot, Section, Table, drawing, plot
from pairwright.sources.stackexchange.accepted import LENGTH_RATIO, REASONS
from pairwright.text import number_of, visible
from pairwright.train.accepted.measures import (
    MEANING,
    AcceptedFigure,
    Name,
    TraitShare,
)
from pairwright.train.gold import format_interval

FEW = 30
"""Below so many items, an interval by user is a rough one."""
WORDS: dict[Name, str] = {
    "own": "asker's aspects",
    "stranger": "stranger's aspects (control)",
    "gain": "asker's less stranger's",
    "own_preference": "accepted answer serves the asker's aspects better",
    "stranger_preference": "accepted answer serves the stranger's aspects better",
    "own_aspects": "number of the asker's aspects",
    "stranger_aspects": "number of the stranger's aspects",
}
_DIFFERENCES: tuple[Name, ...] = ("own", "stranger", "gain")
_PREFERENCES: tuple[Name, ...] = ("own_preference", "stranger_preference")
_NUMBERS: tuple[Name, ...] = ("own_aspects", "stranger_aspects")


class AcceptedScores(Record):
    """A planner against accepted answers, with what it was compared on."""

    source: str
    """Identifies the source's content."""
    planner: str
    judge: str
    items: int
    users: int
    accepted: int
    """Items with an accepted answer of another user and with another answer beside it."""
    matched: int
    """Those that have a match."""
    compared: int
    """Those whose asker has aspects, with a judge's scores of both answers."""
    limit: int | None
    simulated: tuple[str, ...]
    """Models that are the embedded one's: then it is not a result."""
    reasons: dict[str, int]
    """Why the other items are not compared."""
    stranger_reasons: dict[str, int] = Field(default={})
    """Why items that are compared have no control."""
    figures: tuple[AcceptedFigure, ...]
    traits: tuple[TraitShare, ...]

    def figure(self, name: Name) -> AcceptedFigure:
        """One figure by its name."""
        return next(figure for figure in self.figures if figure.name == name)


def accepted_page(scores: AcceptedScores) -> Page:
    """The page of a planner tested against accepted answers."""
    return Page(
        title="Inferred aspects against accepted answers",
        warnings=tuple(warnings(scores)),
        sections=(
            Section("Does the accepted answer serve the asker's aspects better?", _figures(scores)),
            Section("What else tells which answer was accepted", (_traits(scores),)),
            Section("What was compared", (_compared(scores),)),
            Section("How to read it", tuple(_method())),
        ),
    )


def warnings(scores: AcceptedScores) -> Iterator[str]:
    """What a reader must know before any number."""
    if scores.simulated:
        yield "The embedded model had a part in it, so it is not a result."
    if scores.limit is not None:
        yield f"Only the first {number_of(scores.limit, 'item was', 'items were')} read."
    if scores.compared < FEW:
        yield (
            f"{number_of(scores.compared, 'item is', 'items are')} compared: too few for a claim,"
            " whatever the intervals say."
        )


def rows(scores: AcceptedScores) -> tuple[tuple[str, str], ...]:
    """Every figure in words, with its interval and n."""
    return tuple(
        (words, format_interval(scores.figure(name).mean)) for name, words in WORDS.items()
    )


def count_sentences(scores: AcceptedScores) -> Iterator[str]:
    """How many items got how far, and why the others did not."""
    yield (
        f"{scores.items:,} items, {scores.accepted:,} with an accepted answer and another,"
        f" {scores.matched:,} with a match, {scores.compared:,} compared."
    )
    if scores.reasons:
        why = ", ".join(f"{n:,} {reason}" for reason, n in scores.reasons.items())
        yield f"Not compared: {why}."
    if scores.stranger_reasons:
        why = ", ".join(f"{n:,} {reason}" for reason, n in scores.stranger_reasons.items())
        yield f"Compared without a stranger's aspects: {why}."


def _figures(scores: AcceptedScores) -> tuple[Block, ...]:
    lines = dict(zip(WORDS, rows(scores), strict=True))
    return (
        _plot(scores),
        Table(
            ("aspects", "accepted less match"),
            tuple(lines[name] for name in _DIFFERENCES),
            note="Shares of what is possible, from 0 to 1, so a difference is from -1 to 1 (the"
            " last row from -2 to 2), with 95 % intervals by user.",
        ),
        Table(("", "share of items"), tuple(lines[name] for name in _PREFERENCES)),
        Table(("", "mean number"), tuple(lines[name] for name in _NUMBERS)),
    )


def _plot(scores: AcceptedScores) -> Plot:
    with drawing():
        figure = Drawing(figsize=(8.6, 2.4), layout="constrained")
        axes = figure.add_subplot()
        axes.axvline(0, color=GREY.light, linewidth=1)
        for line, (name, colour) in enumerate(zip(_DIFFERENCES, (BLUE, GREY, ORANGE), strict=True)):
            mean = scores.figure(name).mean
            if mean is None or mean.value is None:
                continue
            if mean.low is not None and mean.high is not None:
                axes.hlines(line, mean.low, mean.high, color=colour.light, linewidth=2)
            axes.plot(mean.value, line, "o", color=colour.light, markersize=6)
        axes.set_yticks(range(len(_DIFFERENCES)), [WORDS[name] for name in _DIFFERENCES])
        axes.set_ylim(len(_DIFFERENCES) - 0.5, -0.5)
        axes.set_xlabel("accepted answer less its match")
        axes.grid(axis="x")
        caption = (
            "How much better the accepted answer serves the aspects than its match, with 95 %"
            " intervals by user. A planner that reads the person lies right of 0 with the asker's"
            " aspects and not with a stranger's."
        )
        return plot(figure, caption, name="accepted")


def _traits(scores: AcceptedScores) -> Table:
    return Table(
        ("", "against the best other answer", "against the match"),
        tuple(
            (TRAITS[one.trait], format_interval(one.best), format_interval(one.match))
            for one in scores.traits
        ),
        note="Shares of the accepted answers; equal ones count one half. The best other answer has"
        " most votes. In a match votes never favour the accepted answer.",
    )


def _compared(scores: AcceptedScores) -> Table:
    counts = (
        ("items read", scores.items),
        ("with an accepted answer and another", scores.accepted),
        ("with a match", scores.matched),
        ("compared", scores.compared),
        *((f"not compared: {_reason(why)}", n) for why, n in scores.reasons.items()),
        *(
            (f"compared without a stranger: {_reason(why)}", n)
            for why, n in scores.stranger_reasons.items()
        ),
    )
    return Table(
        ("", "items"),
        tuple((words, f"{n:,}") for words, n in counts),
        note=f"{number_of(scores.users, 'user')}; source {visible(scores.source)}. Planner:"
        f" {visible(scores.planner)}. Judge: {visible(scores.judge)}.",
    )


def _reason(why: str) -> str:
    return f"{visible(why)} ({REASONS[why]})" if why in REASONS else visible(why)


def _method() -> Iterator[Block]:
    for name, meaning in MEANING.items():
        yield f"{WORDS[name]}: {meaning}."
    yield (
        "A match is an answer to the same question by somebody else, with as many votes or more,"
        f" whose length is within {LENGTH_RATIO:g} times that of the accepted one; of several, the"
        " nearest in length. The judge sees the question, one answer and the aspects; neither"
        " posts, nor votes, nor which answer was accepted."
    )
    yield (
        "The stranger is one user of the question's category, drawn at random with a seed, who"
        " wrote something before the question and none of its answers. Asker and stranger have one"
        " try each."
    )
    yield (
        "A user accepts an answer for many reasons that no earlier post shows, such as which one"
        " came first or worked. So the difference may be small for a good planner; it should not"
        " be as large for a stranger's aspects. When an answer was accepted is not in a dump."
    )

"""Planners side by side as a page."""

from collections.abc import Iterator

from matplotlib.figure import Figure as Drawing

from pairwright.report import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Block,
    Colour,
    Page,
    Plot,
    Section,
    Table,
    drawing,
    plot,
)
from pairwright.text import number_of, visible
from pairwright.train.gold import format_interval
from pairwright.train.plan_scores import (
    MATCHES,
    MEANING,
    Figure,
    Match,
    Name,
    PlannerCounts,
    PlanScores,
)

WORDS: dict[Name, str] = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "other": "precision, somebody else's",
}
_LOOKS: dict[Name, tuple[str, Colour]] = {
    "precision": ("o", BLUE),
    "recall": ("D", GREEN),
    "f1": ("s", ORANGE),
    "other": ("x", GREY),
}


HEAD = ("planner", *WORDS.values(), "missing", "F1, worst to best")


def page(scores: PlanScores) -> Page:
    """The whole page."""
    return Page(
        title="Planners on held-out gold aspects",
        warnings=tuple(warnings(scores)),
        sections=(
            *(Section(f"By {match}", tuple(_match(scores, match))) for match in scores.matches),
            Section("What was planned", (_counts(scores),)),
            Section("How to read it", tuple(_method())),
            Section("What was compared", (_compared(scores),)),
        ),
    )


def warnings(scores: PlanScores) -> Iterator[str]:
    """What a reader must know before any number."""
    if scores.simulated:
        yield "A simulated model had a part in this: it is not a result."
    if scores.limit is not None:
        yield f"Only the first {number_of(scores.limit, 'item was', 'items were')} scored."
    if not scores.judge:
        yield (
            "No judge compared the aspects. Shared words and embeddings see that two aspects speak"
            " of the same, and not whether they ask for the same."
        )


def rows(scores: PlanScores, match: Match) -> tuple[tuple[str, ...], ...]:
    """One row a planner."""
    return tuple(_row(name, figures) for name, figures in scores.of(match).items())


def _row(name: str, figures: dict[Name, Figure]) -> tuple[str, ...]:
    f1 = figures["f1"]
    bounds = "" if f1.worst is None or f1.best is None else f"{f1.worst:.3f} to {f1.best:.3f}"
    means = (format_interval(figures[word].mean) for word in WORDS)
    return (name, *means, f"{f1.missing:,}", bounds)


def _match(scores: PlanScores, match: Match) -> Iterator[Block]:
    yield _plot(scores, match)
    yield Table(HEAD, rows(scores, match), note=f"Matched by: {MATCHES[match]}.")
    if differences := [
        difference for difference in scores.differences if difference.match == match
    ]:
        yield Table(
            ("", "", "difference", "users"),
            tuple(
                (
                    f"{difference.first} less {difference.second}",
                    WORDS[difference.name],
                    format_interval(difference.mean),
                    f"{difference.mean.clusters if difference.mean else 0:,}",
                )
                for difference in differences
            ),
            left=2,
            note="Over the items that both have a value for. Each interval is 95 % for itself: with"
            " many planners some lie beside 0 by chance.",
        )  # fmt: skip


def _plot(scores: PlanScores, match: Match) -> Plot:
    by_planner = scores.of(match)
    with drawing():
        figure = Drawing(figsize=(8.6, 1.2 + 0.6 * len(by_planner)), layout="constrained")
        axes = figure.add_subplot()
        for line, figures in enumerate(by_planner.values()):
            for step, (name, (marker, colour)) in enumerate(_LOOKS.items()):
                mean, at = figures[name].mean, line + 0.15 * (step - 1.5)
                if mean is None or mean.value is None:
                    continue
                if mean.low is not None and mean.high is not None:
                    axes.hlines(at, mean.low, mean.high, color=colour.light, linewidth=1.8)
                axes.plot(mean.value, at, marker, color=colour.light, markersize=5, clip_on=False)
        axes.set_yticks(range(len(by_planner)), list(by_planner))
        axes.set_ylim(len(by_planner) - 0.4, -0.6)
        axes.set_xlim(-0.02, 1.02)
        axes.grid(axis="x")
        handles = [
            axes.plot([], [], marker, color=colour.light, linestyle="", label=WORDS[name])[0]
            for name, (marker, colour) in _LOOKS.items()
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=len(handles))
        caption = (
            f"Planned against gold aspects, matched by {match}, with 95 % intervals by user. The"
            " cross is precision against another user's gold aspects."
        )
        return plot(figure, caption, name=f"match-{match}")


def _counts(scores: PlanScores) -> Table:
    return Table(
        ("planner", "items", "plans", "empty", "aspects", "dropped", "shortened", "missing"),
        tuple(
            (
                count.planner, f"{count.items:,}", f"{count.planned:,}", f"{count.empty:,}",
                f"{count.aspects:,}", f"{count.dropped:,}", f"{count.shortened:,}", _reasons(count),
            )
            for count in scores.counts
        ),
        note="An empty plan is an answer. Dropped: aspects that a build would drop,"
        " for evidence that is in no post, as a restated question or as a repetition.",
    )  # fmt: skip


def _method() -> Iterator[Block]:
    for name, meaning in MEANING.items():
        yield f"{WORDS[name]}: {meaning}."
    yield (
        "Means are over items, intervals by user; where all values are equal, or there is one user,"
        " there is no interval. An item without a plan or a judge's answer counts"
        " nowhere; worst and best say what it could change if it were at 0 or at 1."
    )
    yield (
        "Gold aspects were extracted from what the user wrote beside the question. A planner reads"
        " none of it: recall has a ceiling below 1 that nobody knows."
    )


def _compared(scores: PlanScores) -> Table:
    refused = ", ".join(f"{n:,} {why}" for why, n in scores.refused.items()) or "none"
    return Table(
        ("planner", "kind", "model or file", "revision"),
        tuple(
            (planner.name, planner.kind, visible(planner.model), visible(planner.revision or ""))
            for planner in scores.planners
        ),
        left=4,
        note=f"{scores.items:,} items of {scores.users:,} users with {scores.gold:,} gold aspects;"
        f" source {visible(scores.source)}; not used: {refused}. Judge:"
        f" {visible(scores.judge) or 'none'}. Embedding: {visible(scores.embedding) or 'none'}.",
    )


def _reasons(planned: PlannerCounts) -> str:
    both = [*planned.unplanned.items(), *planned.unjudged.items()]
    return ", ".join(f"{n:,} {visible(why)}" for why, n in both)

"""Planners compared on held-out gold aspects: a line for each item, and figures over users."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Literal, get_args

from pydantic import Field, PlainSerializer

from pairwright.estimate import Estimate
from pairwright.intervals import mean_by_user
from pairwright.models import ModelRef
from pairwright.pages import Page, render_page
from pairwright.pages.plots import BLUE, GREEN, GREY, ORANGE, Colour, Dot, Plot, draw_dots
from pairwright.records import Record
from pairwright.text import visible
from pairwright.training.gold import AspectAgreement

Match = Literal["judge", "embedding", "words"]
"""How two aspects are compared."""


class AspectMatches(Record):
    """A plan against the item's gold aspects, and against somebody else's."""

    own: AspectAgreement
    other: float | None
    """Precision against the gold aspects of another user's item: what generic aspects get. None
    where nothing was planned, or there is no other user."""

    def value(self, name: "Name") -> float | None:
        """The figure of this name."""
        value: float | None = self.other if name == "other" else getattr(self.own, name)
        return value


class ScoredPlan(Record):
    """One planner on one item. Without the item's texts."""

    id: str
    user: str
    gold: int
    """Gold aspects."""
    planned: tuple[str, ...] | None
    """None where there is no plan that can be read."""
    dropped: int = 0
    """Aspects of the reply that were dropped, for evidence that is in no post and the like."""
    posts: int = 0
    """Posts that the planner was shown."""
    left_out: int = 0
    """Posts that did not fit."""
    unplanned: str = ""
    """Why there is no plan."""
    unjudged: str = ""
    """Why there is no judge's answer, where there is a plan."""
    detail: str = ""
    compared: dict[Match, AspectMatches] = Field(default={})

    def missing(self, match: Match) -> str:
        """Why there is no comparison; empty where there is one."""
        if match in self.compared:
            return ""
        return self.unplanned or self.unjudged or "not_compared"


Name = Literal["precision", "recall", "f1", "other"]
COMPARED: tuple[Name, ...] = ("precision", "recall", "f1")


class Figure(Record):
    """The mean over items of one planner, 0 to 1; None where no item has a value."""

    planner: str
    match: Match
    name: Name
    mean: Estimate | None
    """Its n are items, its clusters users."""
    missing: int
    """Items without a plan or without a judge's answer, which the mean leaves out."""
    worst: float | None
    """The mean if each of these were at 0."""
    best: float | None
    """The mean if each of these were at 1."""


class PlanDifference(Record):
    """First less second planner, over the items that both have a value for."""

    first: str
    second: str
    match: Match
    name: Name
    mean: Estimate | None


class PlannerCounts(Record):
    """What one planner did, in counts of items."""

    planner: str
    items: int
    planned: int
    empty: int
    """Plans without an aspect: an answer, not a failure."""
    unplanned: dict[str, int]
    unjudged: dict[str, int]
    aspects: int
    dropped: int
    """Aspects that were dropped."""
    shortened: int
    """Items where not all posts fitted."""

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Why items have no plan or no judge's answer."""
        return list((Counter(self.unplanned) + Counter(self.unjudged)).items())

    def compared_items(self, matches: Sequence[Match]) -> int:
        """Items that were compared, by the match that leaves out most."""
        return self.items - max(map(self.missing, matches), default=self.items)

    def missing(self, match: Match) -> int:
        """Items without a comparison."""
        judged = sum(self.unjudged.values()) if match == "judge" else 0
        return sum(self.unplanned.values()) + judged


def planned(name: str, lines: Sequence[ScoredPlan]) -> PlannerCounts:
    """The counts of one planner."""
    return PlannerCounts(
        planner=name,
        items=len(lines),
        planned=sum(line.planned is not None for line in lines),
        empty=sum(line.planned == () for line in lines),
        unplanned=_counted(line.unplanned for line in lines),
        unjudged=_counted(line.unjudged for line in lines),
        aspects=sum(len(line.planned or ()) for line in lines),
        dropped=sum(line.dropped for line in lines),
        shortened=sum(line.left_out > 0 for line in lines),
    )


def figures(name: str, lines: Sequence[ScoredPlan], matches: Sequence[Match]) -> Iterator[Figure]:
    """All figures of one planner."""
    for match in matches:
        missing = sum(bool(line.missing(match)) for line in lines)
        for figure in get_args(Name):
            values = _values(lines, match, figure)
            total, items = sum(value for _, value in values.values()), len(values) + missing
            yield Figure(
                planner=name,
                match=match,
                name=figure,
                mean=mean_by_user(list(values.values())),
                missing=missing,
                worst=round(total / items, 6) if items else None,
                best=round((total + missing) / items, 6) if items else None,
            )


def differences(
    lines: Mapping[str, Sequence[ScoredPlan]], matches: Sequence[Match]
) -> Iterator[PlanDifference]:
    """Every two planners on the same items."""
    for first, second in combinations(lines, 2):
        for match in matches:
            for figure in COMPARED:
                own = _values(lines[first], match, figure)
                other = _values(lines[second], match, figure)
                both = [
                    (user, value - other[id][1]) for id, (user, value) in own.items() if id in other
                ]
                yield PlanDifference(
                    first=first, second=second, match=match, name=figure,
                    mean=mean_by_user(both, least=-1.0),
                )  # fmt: skip


def matches_of(lines: Mapping[str, Sequence[ScoredPlan]]) -> tuple[Match, ...]:
    """The comparisons that were made, the judge's first."""
    names = {match for each in lines.values() for line in each for match in line.compared}
    return tuple(match for match in get_args(Match) if match in names)


def _values(lines: Sequence[ScoredPlan], match: Match, name: Name) -> dict[str, tuple[str, float]]:
    """User and value by item, of those that have one."""
    return {
        line.id: (line.user, value)
        for line in lines
        if match in line.compared and (value := line.compared[match].value(name)) is not None
    }


def _counted(reasons: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(why for why in reasons if why).items()))


ComparedPlanner = Annotated[
    ModelRef, PlainSerializer(lambda ref: ref.model_dump(exclude={"settings"}))
]
"""Which planner, exactly. Of one whose plans are in a file the model is the file's name."""


class PlanScores(Record):
    """Planners on one source."""

    source: str
    """Identifies the source's content."""
    items: int
    users: int
    gold: int
    """Gold aspects of these items."""
    refused: dict[str, int]
    """Rows of the source that are not used, by reason."""
    limit: int | None
    judge: str
    """The judge's model, if there was one."""
    embedding: str
    planners: tuple[ComparedPlanner, ...]
    counts: tuple[PlannerCounts, ...]
    figures: tuple[Figure, ...]
    differences: tuple[PlanDifference, ...]

    @property
    def matches(self) -> tuple[Match, ...]:
        return tuple(dict.fromkeys(figure.match for figure in self.figures))

    def of(self, match: Match) -> dict[str, dict[Name, Figure]]:
        """Figures by planner and name."""
        by_planner: dict[str, dict[Name, Figure]] = {ref.name: {} for ref in self.planners}
        for figure in self.figures:
            if figure.match == match:
                by_planner[figure.planner][figure.name] = figure
        return by_planner


_LOOKS: dict[Name, tuple[str, str, Colour]] = {
    "precision": ("precision", "o", BLUE),
    "recall": ("recall", "D", GREEN),
    "f1": ("F1", "s", ORANGE),
    "other": ("precision, somebody else's", "x", GREY),
}
"""Name, marker and colour in the plot."""


def plan_scores_page(scores: PlanScores, *, drawn: bool = True) -> Page:
    """Planners side by side."""
    plots = {f"match-{match}": _match_plot(scores, match) for match in scores.matches if drawn}
    ranked = [
        figure
        for match in scores.matches[:1]
        for figures in scores.of(match).values()
        if (figure := figures["f1"]).mean and figure.mean.value is not None
    ]
    best = max(ranked, key=lambda one: (one.mean and one.mean.value) or 0.0, default=None)
    return render_page("plan_scores", plots, scores=scores, best=best)


def _match_plot(scores: PlanScores, match: Match) -> Plot:
    dots = [
        Dot(visible(planner), mean, colour, marker, word)
        for planner, figures in scores.of(match).items()
        for name, (word, marker, colour) in _LOOKS.items()
        if (mean := figures[name].mean)
    ]
    caption = (
        f"Planned against gold aspects, matched by {match}, with 95 % intervals by user. The cross"
        " is precision against another user's gold aspects."
    )
    return draw_dots(dots, unit="%", reference=None, caption=caption, name=f"match-{match}")

"""Planners compared on held-out gold aspects: a line for each item, and figures over users."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, get_args

from pydantic import Field, PlainSerializer

from pairwright.models import ModelRef
from pairwright.pages import Page, render_page
from pairwright.records import Record
from pairwright.stats import Estimate, mean_by_user
from pairwright.training.gold import AspectAgreement

Match = Literal["judge", "words"]
"""How two aspects are compared."""


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
    compared: dict[Match, AspectAgreement] = Field(default={})

    def missing(self, match: Match) -> str:
        """Why there is no comparison; empty where there is one."""
        if match in self.compared:
            return ""
        return self.unplanned or self.unjudged or "not_compared"


Name = Literal["precision", "recall", "f1", "other"]


class Figure(Record):
    """The mean over items of one planner, 0 to 1; None where no item has a value."""

    planner: str
    match: Match
    name: Name
    mean: Estimate | None
    """Its n are items, its clusters users."""
    missing: int
    """Items without a plan or without a judge's answer, which the mean leaves out."""


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
            values = [
                (line.user, value)
                for line in lines
                if match in line.compared
                and (value := getattr(line.compared[match], figure)) is not None
            ]
            yield Figure(
                planner=name,
                match=match,
                name=figure,
                mean=mean_by_user(values),
                missing=missing,
            )


def matches_of(lines: Mapping[str, Sequence[ScoredPlan]]) -> tuple[Match, ...]:
    """The comparisons that were made, the judge's first."""
    names = {match for each in lines.values() for line in each for match in line.compared}
    return tuple(match for match in get_args(Match) if match in names)


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
    planners: tuple[ComparedPlanner, ...]
    counts: tuple[PlannerCounts, ...]
    figures: tuple[Figure, ...]

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


def plan_scores_page(scores: PlanScores) -> Page:
    """Planners side by side."""
    ranked = [
        figure
        for match in scores.matches[:1]
        for figures in scores.of(match).values()
        if (figure := figures["f1"]).mean and figure.mean.value is not None
    ]
    best = max(ranked, key=lambda one: (one.mean and one.mean.value) or 0.0, default=None)
    return render_page("plan_scores", {}, scores=scores, best=best)

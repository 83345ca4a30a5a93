"""The survey: whose posts show a personal signal for each question, before partners are matched.

It asks what a build asks of the asker alone: the rubric, with the plans of a few other users that
it is held against. Those plans are read once more, so it costs no call that mode violate does not.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from pairwright import text
from pairwright.construct.aspects import plan_of, rubric_of
from pairwright.construct.build_rules import BuildRules
from pairwright.construct.outcomes import Brief, Failure, Pending, reason_of
from pairwright.models import Models, together
from pairwright.models.store import Store
from pairwright.records import Item, Post, Record, Rejected
from pairwright.stages.planner import Plan


class PartnerCandidate(NamedTuple):
    """A user who suits a question, with the posts that are older than it."""

    user: str
    posts: tuple[Post, ...]


class PossiblePartner(NamedTuple):
    """A candidate whose plan for the question has enough aspects. A tuple and no record: the
    matching holds those of all questions at once."""

    user: str
    bearing: float
    """The share of the question's content words that the posts hold, 0 to 1."""


class Survey(Record):
    """What is known of one question."""

    signal: bool
    """Whether the asker's posts show a personal signal."""
    possible: tuple[PossiblePartner, ...] = ()


class SurveyOutcome(Record):
    """One surveyed question with what came of it."""

    unit: str
    item_id: str
    user: str
    result: Survey | Failure | Pending
    calls: tuple[str, ...]
    """Keys of the calls behind it."""

    @property
    def kind(self) -> Literal["surveyed", "failed", "waiting"]:
        """What came of it, in a word."""
        if isinstance(self.result, Survey):
            return "surveyed"
        return "failed" if isinstance(self.result, Failure) else "waiting"

    @property
    def brief(self) -> Brief:
        """What a display needs of it."""
        return Brief(self.unit, "survey", self.kind, reason_of(self.result))


async def survey_question(
    item: Item, candidates: tuple[PartnerCandidate, ...], models: Models, rules: BuildRules
) -> Survey:
    """Whether the asker's posts show a signal for the question, and which candidates' do.

    Raises as the build functions do.
    """
    rubric = await rubric_of(item, models, rules)
    if isinstance(rubric, Rejected):
        return Survey(signal=False)
    plans = await together(*(plan_of(item, one.posts, models, rules) for one in candidates))
    least = rules.config.planner.min_aspects
    return Survey(
        signal=True,
        possible=tuple(
            PossiblePartner(user=one.user, bearing=_bearing(item, one.posts, rules.language(item)))
            for one, plan in zip(candidates, plans, strict=True)
            if isinstance(plan, Plan) and len(plan.aspects) >= least
        ),
    )


def _bearing(item: Item, posts: tuple[Post, ...], language: str | None) -> float:
    asks = text.terms(item.question, language)
    held = text.terms_of((post.text for post in posts), language)
    return round(len(asks & held) / max(1, len(asks)), 4)


def iterate_surveys(store: Store) -> Iterator[SurveyOutcome]:
    """The surveyed questions of the last run, in source order."""
    for _, _, record in store.surveys():
        yield SurveyOutcome.model_validate_json(record)

"""What is done for one unit of a build, and the record of what came of it."""

from collections.abc import Awaitable
from typing import Protocol, TypeVar, cast

from pairwright.construct.corpus import BuildUnit, Corpus
from pairwright.construct.outcomes import Failure, Outcome, Pending
from pairwright.construct.partners import SurveyOutcome, survey_question
from pairwright.drafting.posts import fair_posts, have_same_posts
from pairwright.drafting.rubrics import rubric_of
from pairwright.drafting.rules import BuildRules
from pairwright.errors import CallFailed, Unanswered
from pairwright.models import CallLog, Models
from pairwright.modes import MODES
from pairwright.records import Dropped, Item, Kept, draw_id
from pairwright.settings.config import Config

T = TypeVar("T")


class ModelSource(Protocol):
    """The models of a unit, how many units keep them busy, and how to stop them."""

    workers: int

    def models(self, generator: str) -> Models:
        """The models of one piece of work, with one of the run's generators."""
        ...

    def stop(self) -> None:
        """Send no new calls."""
        ...


async def work_on(
    unit: BuildUnit, corpus: Corpus, rules: BuildRules, source: ModelSource
) -> Outcome | SurveyOutcome:
    """Work on one unit. Raises Interrupted, EndpointRefused and StoreError."""
    item = corpus.item(unit.item)
    if rules.config.own_choices:
        # People's own choices are built without a model, and none is configured.
        models, log = cast(Models, None), CallLog()
    else:
        models, log = source.models(generator_of(item, rules.config)).logged()
    if unit.mode == "survey":
        tried = corpus.tried[item.id]
        posts = {user: fair_posts(item, corpus.longest_item(user).profile) for user in tried.users}
        found = await _ended(survey_question(item, posts, tried.suited, models, rules))
        keys = tuple(call.key for call in log.made)
        return SurveyOutcome(
            unit=unit.id, item_id=item.id, user=item.user, result=found, calls=keys
        )
    mode = MODES[unit.mode]
    result = await _ended(
        _of_two_users(unit, item, corpus, models, rules)
        if mode.needs_partner
        else mode.build(item, None, models, rules)
    )
    other = item.opposite and item.opposite.other
    return Outcome(
        unit=unit.id,
        mode=unit.mode,
        item_id=item.id,
        user=item.user,
        partner=unit.partner if isinstance(unit.partner, str) else other,
        posts=len(item.profile),
        result=result,
        calls=tuple(log.made),
        prompt_tokens=log.prompt_tokens,
        completion_tokens=log.completion_tokens,
        recorded=tuple(sorted(log.recorded)),
    )


async def _ended(work: Awaitable[T]) -> T | Failure | Pending:
    try:
        return await work
    except CallFailed as error:
        return Failure(failure=error.reason, detail=error.detail)
    except Unanswered as call:
        return Pending(waits_for=call.purpose)


async def _of_two_users(
    unit: BuildUnit, item: Item, corpus: Corpus, models: Models, rules: BuildRules
) -> Kept | Dropped | Failure | Pending:
    if isinstance(unit.partner, str):
        second = corpus.longest_item(unit.partner)
        if have_same_posts(item, second):
            detail = "both users have the same posts: one person may have both accounts"
            return Dropped(stage="partners", reason="same_posts", detail=detail)
        return await MODES[unit.mode].build(item, second, models, rules)
    if isinstance(unit.partner, Failure | Pending):
        return unit.partner
    # The survey asked for the rubric: what is refused here was paid for.
    rubric = await rubric_of(item, models, rules)
    if unit.partner is not None:
        return unit.partner
    if isinstance(rubric, Dropped):
        return rubric
    detail = "the asker's posts show a personal signal: the question is nothing for a placebo"
    return Dropped(stage="survey", reason="personal_signal", detail=detail)


def generator_of(item: Item, config: Config) -> str:
    """The generator that writes for an item: by its id, so that adding items moves no other item
    to another generator."""
    names = config.roles.generator
    return names[int(draw_id("generator", item.id)[-8:], 16) % len(names)]

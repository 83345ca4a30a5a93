"""What is done for one unit of a build, and the record of what came of it."""

from typing import Protocol, assert_never

from pairwright.construct.build_rules import BuildRules, rubric_of
from pairwright.construct.contrast import build_contrast
from pairwright.construct.corpus import BuildUnit, Corpus, older_than
from pairwright.construct.outcomes import Failure, Outcome, Pending
from pairwright.construct.own_choice_pairs import build_accepted, build_natural
from pairwright.construct.partners import PartnerCandidate, Survey, SurveyOutcome, survey_question
from pairwright.construct.twin import build_twin
from pairwright.errors import CallFailed, Unanswered
from pairwright.models import Models, traced
from pairwright.records import Contrast, Item, Mode, Rejected, Twin, draw_id
from pairwright.settings.config import Config


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
    if unit.mode == "survey":
        return await _survey(unit, corpus, rules, source)
    item = corpus.item(unit.item)
    if unit.mode == "natural" or unit.mode == "accepted":
        return _own_choice(unit, item)
    models, log = traced(source.models(generator_of(item, rules.config)))
    result: Contrast | Twin | Rejected | Failure | Pending
    try:
        result = await _pairs(unit, item, corpus, models, rules)
    except CallFailed as error:
        result = Failure(failure=error.reason, detail=error.detail)
    except Unanswered as call:
        result = Pending(waits_for=call.purpose)
    return Outcome(
        unit=unit.id,
        mode=unit.mode,
        item_id=item.id,
        user=item.user,
        partner=unit.partner if isinstance(unit.partner, str) else None,
        posts=len(item.profile),
        result=result,
        calls=tuple(log.made),
        prompt_tokens=log.prompt_tokens,
        completion_tokens=log.completion_tokens,
        simulated=log.simulated,
        recorded=tuple(sorted(log.recorded)),
        json_replies=log.json_replies,
        lenient=dict(log.lenient),
    )


def _own_choice(unit: BuildUnit, item: Item) -> Outcome:
    """The user's own choice, of which no model is asked anything."""
    mode: Mode = "accepted" if unit.mode == "accepted" else "natural"
    return Outcome(
        unit=unit.id,
        mode=mode,
        item_id=item.id,
        user=item.user,
        partner=item.opposite and item.opposite.other,
        posts=len(item.profile),
        result=build_accepted(item) if mode == "accepted" else build_natural(item),
        calls=(),
        prompt_tokens=0,
        completion_tokens=0,
        simulated=False,
    )


async def _survey(
    unit: BuildUnit, corpus: Corpus, rules: BuildRules, source: ModelSource
) -> SurveyOutcome:
    item = corpus.item(unit.item)
    models, log = traced(source.models(generator_of(item, rules.config)))
    candidates = tuple(
        PartnerCandidate(user, older_than(item, corpus.latest(user).profile))
        for user in corpus.tried[item.id].candidates
    )
    result: Survey | Failure | Pending
    try:
        result = await survey_question(item, candidates, models, rules)
    except CallFailed as error:
        result = Failure(failure=error.reason, detail=error.detail)
    except Unanswered as call:
        result = Pending(waits_for=call.purpose)
    calls = tuple(call.key for call in log.made)
    return SurveyOutcome(unit=unit.id, item_id=item.id, user=item.user, result=result, calls=calls)


async def _pairs(
    unit: BuildUnit, item: Item, corpus: Corpus, models: Models, rules: BuildRules
) -> Contrast | Twin | Rejected | Failure | Pending:
    match unit.mode:
        case "violate":
            return await build_contrast(item, models, rules)
        case "twin":
            return await _twin(unit, item, corpus, models, rules)
        case "survey" | "natural" | "accepted":
            raise AssertionError(f"{unit.mode} makes no pairs here")
        case _:
            assert_never(unit.mode)


async def _twin(
    unit: BuildUnit, item: Item, corpus: Corpus, models: Models, rules: BuildRules
) -> Twin | Rejected | Failure | Pending:
    if isinstance(unit.partner, str):
        return await build_twin(item, corpus.latest(unit.partner), models, rules)
    if isinstance(unit.partner, Failure | Pending):
        return unit.partner
    # The survey asked for the rubric: what is refused here was paid for.
    rubric = await rubric_of(item, models, rules)
    if isinstance(rubric, Rejected):
        return rubric
    assert unit.partner is not None, "the survey found a signal where none was"
    return unit.partner


def generator_of(item: Item, config: Config) -> str:
    """The generator that writes for an item: by its id, so that adding items moves no other item
    to another generator."""
    names = config.roles.generator
    return names[int(draw_id("generator", item.id)[-8:], 16) % len(names)]

"""The steps of a build: the survey with what does not wait for it, the matching, then the twins."""

import json
from collections.abc import Iterator

from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Failure, Pending
from pairwright.construct.partners import SurveyedQuestion, assign_partners
from pairwright.construct.survey import Survey, iterate_surveys
from pairwright.construct.unit_results import iterate_results
from pairwright.construct.units import BuildUnit, all_units
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.records import Rejected, content_id
from pairwright.settings.config import Config

Partners = dict[str, str | Rejected | Failure | Pending]
"""By item: the partner's user, or why there is none. Items without a signal are not in it."""


def build_steps(
    corpus: Corpus, config: Config, store: Store, limit: int | None
) -> Iterator[Iterator[BuildUnit]]:
    """The units of each step. Those of one must have ended, with their outcomes in the store,
    before the next step is asked for."""
    modes = config.modes
    alone = tuple(mode for mode in modes if not MODES[mode].needs_partner)
    if alone == modes:
        yield all_units(corpus, modes, modes, limit)
        return
    # The units of one item ask for the same rubric. What needs no partner does not wait until all
    # items are surveyed.
    yield all_units(corpus, modes, ("survey", *alone), limit)
    partners = surveyed_partners(store, config)
    couples = all_units(corpus, modes, set(modes) - set(alone), limit)
    yield (unit._replace(partner=partners.get(corpus.entries[unit.item].id)) for unit in couples)


def surveyed_partners(store: Store, config: Config) -> Partners:
    """Match partners by the survey; while a question waits for a batch, so do the twins.

    Where the survey has changed, because a question that had failed was asked again, the couples
    whose twins are kept stay, and the others are matched anew.
    """
    partners: Partners = {}
    questions = list[SurveyedQuestion]()
    for surveyed in iterate_surveys(store):
        result = surveyed.result
        if not isinstance(result, Survey):
            partners[surveyed.item_id] = result
        elif result.signal:
            questions.append(SurveyedQuestion(surveyed.item_id, surveyed.user, result.possible))
    if any(isinstance(result, Pending) for result in partners.values()):
        return partners | {q.item: Pending(waits_for="partners") for q in questions}
    kept = _kept_partners(store, questions)
    return partners | assign_partners(
        questions, config.twin.questions_per_couple, config.seed, kept
    )


def _kept_partners(store: Store, questions: list[SurveyedQuestion]) -> dict[str, str]:
    """By item, the partners that stay. They are noted with the survey, so that a build that is
    interrupted goes on with the same matching."""
    digest = content_id("survey", *(f"{q.item} {q.user} {q.possible}" for q in questions))
    before = store.matching()
    if before and before[0] == digest:
        return dict(json.loads(before[1]))
    kept = {
        one.unit.partition(":")[2]: one.users[1]
        for one in iterate_results(store)
        if one.kind == "kept" and len(one.users) > 1
    }
    store.match(digest, json.dumps(kept))
    return kept

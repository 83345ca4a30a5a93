"""The steps of a build: the survey with what does not wait for it, the matching, then the twins.

With a target the steps go through the source in waves, until enough is kept. Waves do not depend on
the target, so a build with a larger one goes on where the other stopped.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Failure, Pending
from pairwright.construct.partners import SurveyedQuestion, assign_partners
from pairwright.construct.survey import Survey, iterate_surveys
from pairwright.construct.unit_results import iterate_results
from pairwright.construct.units import BuildUnit, Task, all_units
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.records import Mode, Rejected, content_id
from pairwright.settings.config import Config

Partners = dict[str, str | Rejected | Failure | Pending]
"""By item: the partner's user, or why there is none. Items without a signal are not in it."""
WAVE = 64
"""Items of the first waves; a later one has a quarter of those that came before it."""


class BuildPlan(NamedTuple):
    """What the steps are made of."""

    corpus: Corpus
    config: Config
    store: Store
    items: range

    @property
    def modes(self) -> tuple[Mode, ...]:
        return self.config.modes

    @property
    def alone(self) -> tuple[Mode, ...]:
        """The modes that need no partner."""
        return tuple(mode for mode in self.modes if not MODES[mode].needs_partner)

    @property
    def coupled(self) -> tuple[Mode, ...]:
        """The modes whose units have two users."""
        return tuple(mode for mode in self.modes if MODES[mode].needs_partner)

    def units(self, tasks: tuple[Task, ...], items: range) -> Iterator[BuildUnit]:
        return all_units(self.corpus, self.modes, tasks, items)

    def partnered(self, partners: Partners, items: range) -> Iterator[BuildUnit]:
        """The units of couples, each with its partner or why it has none."""
        for unit in self.units(self.coupled, items):
            yield unit._replace(partner=partners.get(self.corpus.entries[unit.item].id))


def build_steps(plan: BuildPlan, target: int | None = None) -> Iterator[Iterable[BuildUnit]]:
    """The units of each step. Those of one must have ended, with their outcomes in the store,
    before the next step is asked for.

    `target` is the number of kept twins, or of kept pairs where no twins are built, after which no
    further unit is begun.
    """
    if target is not None:
        yield from _steps_to_target(plan, target)
    elif not plan.coupled:
        yield plan.units(plan.modes, plan.items)
    else:
        # The units of one item ask for the same rubric. What needs no partner does not wait until
        # all items are surveyed.
        yield plan.units(("survey", *plan.alone), plan.items)
        yield plan.partnered(match_surveyed(plan, plan.items), plan.items)


def waves(items: range) -> Iterator[range]:
    """The items in parts, each a quarter of what came before, `WAVE` at least: so a survey goes
    little beyond what is needed, and the larger a build is, the fewer of its steps wait."""
    start = 0
    while start < len(items):
        stop = min(len(items), start + max(WAVE, start // 4))
        yield items[start:stop]
        start = stop


def _steps_to_target(plan: BuildPlan, target: int) -> Iterator[Iterable[BuildUnit]]:
    kept, begun, partners, items = 0, set[int](), Partners(), plan.items[:0]
    plan.store.forget_unmatched()
    for number, wave in enumerate(waves(plan.items)):
        items = plan.items[: wave.stop]
        if plan.coupled:
            yield plan.units(("survey", *plan.alone), wave)
            fixed = dict(_couples(plan, items[: wave.start], partners))
            partners = match_surveyed(plan, items, number, fixed, begun)
            ready = [u for u in plan.partnered(partners, items) if isinstance(u.partner, str)]
        else:
            ready = list(plan.units(plan.modes, wave))
        left = sorted(
            (unit for unit in ready if unit.position not in begun), key=lambda unit: unit.position
        )
        # Never more than can be needed: so no draft is written beyond the target.
        while left and kept < target:
            batch, left = left[: target - kept], left[target - kept :]
            begun.update(unit.position for unit in batch)
            yield batch
            kinds = [plan.store.kind(unit.position, unit.id) for unit in batch]
            if "waiting" in kinds:
                return
            kept += kinds.count("kept")
        waiting = any(isinstance(one, Pending) for one in partners.values())
        if waiting or kept >= target:
            break
    if plan.coupled:
        rest = plan.partnered(partners, items)
        yield (unit for unit in rest if not isinstance(unit.partner, str))


def match_surveyed(
    plan: BuildPlan,
    items: range,
    wave: int = 0,
    fixed: Mapping[str, tuple[str, str]] | None = None,
    begun: Collection[int] = (),
) -> Partners:
    """Match partners by the survey of these items; while one waits for a batch, so do the twins.

    `fixed` are the couples of earlier waves, by item, asker first, and `begun` the positions of
    their units. Where the survey has changed, because a question that had failed was asked again,
    the couples whose twins are kept stay, too, and the others are matched again.
    """
    partners: Partners = {}
    questions = list[SurveyedQuestion]()
    names = {plan.corpus.entries[item].id for item in items}
    users: dict[str, str] = {}
    """Each name once: many questions have one user among their candidates."""
    for surveyed in iterate_surveys(plan.store):
        result = surveyed.result
        if surveyed.item_id not in names:
            continue
        if not isinstance(result, Survey):
            partners[surveyed.item_id] = result
        elif result.signal:
            possible = tuple(
                one._replace(user=users.setdefault(one.user, one.user)) for one in result.possible
            )
            questions.append(SurveyedQuestion(surveyed.item_id, surveyed.user, possible))
    if any(isinstance(result, Pending) for result in partners.values()):
        return partners | {q.item: Pending(waits_for="partners") for q in questions}
    kept = _kept_couples(plan.store, questions, wave, begun) | dict(fixed or {})
    most, seed = plan.config.twin.questions_per_couple, plan.config.seed
    return partners | assign_partners(questions, most, seed, kept)


def _couples(
    plan: BuildPlan, items: range, partners: Partners
) -> Iterator[tuple[str, tuple[str, str]]]:
    """The couples of some items, by item, asker first."""
    for entry in plan.corpus.entries[items.start : items.stop]:
        if isinstance(partner := partners.get(entry.id), str):
            yield entry.id, (entry.user, partner)


def _kept_couples(
    store: Store, questions: list[SurveyedQuestion], wave: int, begun: Collection[int]
) -> dict[str, tuple[str, str]]:
    """By item, the couples that stay, asker first. They are noted with the survey, so that a build
    that is interrupted goes on with the same matching."""
    digest = content_id("survey", *(f"{q.item} {q.user} {q.possible}" for q in questions))
    before = store.matching(wave)
    if before and before[0] == digest:
        return {item: (asker, partner) for item, (asker, partner) in json.loads(before[1]).items()}
    kept = {
        one.unit.partition(":")[2]: (one.users[0], one.users[1])
        for one in iterate_results(store)
        if one.kind == "kept" and len(one.users) > 1
    }
    store.match(wave, digest, json.dumps(kept), begun)
    return kept

"""A planner's plan for one item: asked for, or made elsewhere."""

from collections.abc import Mapping
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.models import Model
from pairwright.records import Item, Rejected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.stages.aspect_list import list_aspects
from pairwright.stages.planner import plan
from pairwright.train.plan_score.measures import ScoredPlan
from pairwright.train.plan_score.plans import MadePlan
from pairwright.train.plan_score.spec import PromptedPlanner

CALL_FAILED = "call_failed"
NO_PLAN = "no_plan"
UNPARSEABLE = "unparseable"


class Serving(NamedTuple):
    """A planner that is asked."""

    spec: PromptedPlanner
    model: Model
    prompts: Prompts
    domains: Domains

    async def planned(self, item: Item) -> ScoredPlan:
        """The item with its plan. A reply that cannot be used, and a call that failed,
        are the reason why there is none; the latter is asked again by the next run."""
        ask = self._listed if self.spec.form == "lamp-qa" else self._planned
        try:
            scored = await ask(item)
        except CallFailed as error:
            return _without(item, f"{CALL_FAILED}:{error.reason}", error.detail)
        if isinstance(scored, Rejected):
            return _without(item, scored.reason, scored.detail)
        return scored

    async def _listed(self, item: Item) -> ScoredPlan | Rejected:
        policy = self.spec.rules
        aspect_list = await list_aspects(
            item.question, item.profile, self.model, self.prompts, policy
        )
        if isinstance(aspect_list, Rejected):
            return aspect_list
        return ScoredPlan(
            id=item.id,
            user=item.user,
            gold=len(item.rubric_aspects),
            planned=aspect_list.aspects,
            posts=len(aspect_list.shown.posts),
            left_out=len(aspect_list.shown.left_out),
        )

    async def _planned(self, item: Item) -> ScoredPlan | Rejected:
        reply = await plan(
            item.question,
            item.profile,
            self.model,
            self.prompts,
            self.spec.rules,
            guidance=self.domains.guidance(item.domain),
            words=self.spec.words,
        )
        if isinstance(reply, Rejected):
            return reply
        return ScoredPlan(
            id=item.id,
            user=item.user,
            gold=len(item.rubric_aspects),
            planned=tuple(aspect.aspect for aspect in reply.aspects),
            dropped=len(reply.dropped),
            posts=len(reply.shown.posts),
            left_out=len(reply.shown.left_out),
        )


def plan_of_file(item: Item, plans: Mapping[str, MadePlan]) -> ScoredPlan:
    """The item with its plan of a file, or the reason why it has none."""
    plan = plans.get(item.id)
    if plan is None:
        return _without(item, NO_PLAN, "the file has no plan of this item")
    if plan.read is None:
        return _without(item, UNPARSEABLE, "not a list of aspects")
    gold = len(item.rubric_aspects)
    return ScoredPlan(id=item.id, user=item.user, gold=gold, planned=plan.read)


def _without(item: Item, why: str, detail: str) -> ScoredPlan:
    return ScoredPlan(
        id=item.id,
        user=item.user,
        gold=len(item.rubric_aspects),
        planned=None,
        unplanned=why,
        detail=detail[:500],
    )

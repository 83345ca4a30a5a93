"""A planner's plan for one item: asked for, or made elsewhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import model_validator

from pairwright.dataset import read_lines
from pairwright.errors import CallFailed, InputError
from pairwright.models import Model
from pairwright.records import Item, Record, Rejected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.stages.aspect_list import list_aspects, parse_aspects
from pairwright.stages.planner import plan
from pairwright.train.gold import GoldItems
from pairwright.train.plan_score.measures import ScoredPlan
from pairwright.train.plan_score.spec import PromptedPlanner

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
            return _without(item, error.result_reason, error.detail)
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
            language=self.domains.item_language(item),
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


class MadePlan(Record):
    """One line: the item, and its aspects, or the planner's text."""

    id: str
    aspects: tuple[str, ...] | None = None
    plan: str | None = None

    @model_validator(mode="after")
    def _one(self) -> "MadePlan":
        if (self.aspects is None) == (self.plan is None):
            raise ValueError("give one of `aspects` and `plan`")
        if self.aspects is not None and not all(name.strip() for name in self.aspects):
            raise ValueError("an aspect without text")
        return self

    @property
    def read(self) -> tuple[str, ...] | None:
        """The aspects; None for a text that is not a list of them."""
        return self.aspects if self.plan is None else parse_aspects(self.plan)


def read_plans(path: Path, gold: GoldItems) -> dict[str, MadePlan]:
    """Plans by item. Raises InputError for a line that is not a plan, an item that is not in the
    source and one that is planned twice."""
    if not path.is_file():
        raise InputError(
            "no such file",
            where=path,
            fix="`path` is relative to the folder of the settings: correct it.",
        )
    known = {item.id for item in gold.items} | gold.without
    plans: dict[str, MadePlan] = {}
    for number, made in enumerate(read_lines(path, MadePlan), start=1):
        if made.id not in known:
            raise InputError(
                f"the item {made.id!r} is not in [source]",
                where=f"{path}:{number} [id]",
                fix="Plans are matched to items by id: name the source that they were made for.",
            )
        if made.id in plans:
            raise InputError(
                f"the item {made.id!r} has a plan already",
                where=f"{path}:{number} [id]",
                fix="Give one plan an item.",
            )
        plans[made.id] = made
    return plans


def plan_of_file(item: Item, plans: Mapping[str, MadePlan]) -> ScoredPlan:
    """The item with its plan of a file, or the reason why it has none."""
    made = plans.get(item.id)
    if made is None:
        return _without(item, NO_PLAN, "the file has no plan of this item")
    if made.read is None:
        return _without(item, UNPARSEABLE, "not a list of aspects")
    gold = len(item.rubric_aspects)
    return ScoredPlan(id=item.id, user=item.user, gold=gold, planned=made.read)


def _without(item: Item, why: str, detail: str) -> ScoredPlan:
    return ScoredPlan(
        id=item.id,
        user=item.user,
        gold=len(item.rubric_aspects),
        planned=None,
        unplanned=why,
        detail=detail[:500],
    )

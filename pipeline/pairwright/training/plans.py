"""A planner's plan for one item, asked for or made elsewhere, and how it agrees with the item's
gold aspects and with somebody else's."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from pairwright.errors import CallFailed, InputError
from pairwright.lines import read_lines
from pairwright.models import Model, together
from pairwright.records import Dropped, Item, Record
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.sources import SourceItems
from pairwright.stages.judges import match
from pairwright.stages.planner import plan
from pairwright.training.gold import (
    AspectAgreement,
    aspect_agreement,
)
from pairwright.training.plan_scores import Match, ScoredPlan
from pairwright.training.plan_settings import PromptedPlanner

NO_PLAN = "no_plan"


class Serving(NamedTuple):
    """A planner that is asked."""

    spec: PromptedPlanner
    model: Model
    prompts: Prompts
    domains: Domains

    async def planned(self, item: Item) -> ScoredPlan:
        """The item with its plan. A reply that cannot be used, and a call that failed, are the
        reason why there is none; the latter is asked again by the next run."""
        spec, line = self.spec, _unplanned(item)
        try:
            reply = await plan(
                item.question,
                item.profile,
                self.model,
                self.prompts,
                spec.rules,
                guidance=self.domains.guidance(item.domain),
                words=spec.words,
                language=self.domains.item_language(item),
            )
        except CallFailed as error:
            return _without(line, "unplanned", error.result_reason, error.detail)
        if isinstance(reply, Dropped):
            return _without(line, "unplanned", reply.reason, reply.detail)
        shown = {"posts": len(reply.shown.posts), "left_out": len(reply.shown.left_out)}
        aspects = tuple(one.aspect for one in reply.aspects)
        dropped = len(reply.dropped)
        return line.model_copy(update={"planned": aspects, "dropped": dropped, **shown})


class MadePlan(Record):
    """One line: the item, and its aspects."""

    id: str
    aspects: tuple[Annotated[str, Field(pattern=r"\S")], ...]


class FilePlans(NamedTuple):
    """Plans that were made elsewhere, asked as a planner is."""

    by_item: dict[str, MadePlan]

    async def planned(self, item: Item) -> ScoredPlan:
        """The item with its plan, or the reason why it has none."""
        line, made = _unplanned(item), self.by_item.get(item.id)
        if made is None:
            return _without(line, "unplanned", NO_PLAN, "the file has no plan of this item")
        return line.model_copy(update={"planned": made.aspects})


def read_plans(path: Path, gold: SourceItems) -> FilePlans:
    """Raises InputError for a line that is not a plan, an item that is not in the source and one
    that is planned twice."""
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
    return FilePlans(plans)


def _unplanned(item: Item) -> ScoredPlan:
    gold = len(item.rubric_aspects)
    return ScoredPlan(id=item.id, user=item.user, gold=gold, planned=None)


def _without(
    scored: ScoredPlan, what: Literal["unplanned", "unjudged"], why: str, detail: str
) -> ScoredPlan:
    """With the reason why the plan, or the judge's answer, is missing."""
    return scored.model_copy(update={what: why, "detail": detail[:500]})


class AspectJudging(NamedTuple):
    """A judge who says which aspects ask for the same content."""

    model: Model
    prompts: Prompts
    others: Mapping[str, Item]
    """For each item one of another user."""

    async def judged(self, item: Item, scored: ScoredPlan) -> ScoredPlan:
        """With the judge's comparison, or with the reason why there is none."""
        if not scored.planned:
            # There is nothing to ask of it.
            return compared(item, scored, self.others, "judge")
        own, other = _names(item), self.others.get(item.id)
        lists = [own, *([_names(other)] if other else [])]
        # Which list comes first must not tell whose it is.
        if _digest("order", item.id) < "8":
            lists.reverse()
        place = lists.index(own)
        try:
            precise, recalled = await together(
                match(
                    item.question, list(scored.planned), lists, self.model, self.prompts,
                    name="plan_score_precision",
                ),
                match(
                    item.question, list(own), [scored.planned], self.model, self.prompts,
                    name="plan_score_recall",
                ),
            )  # fmt: skip
        except CallFailed as error:
            return _without(scored, "unjudged", error.result_reason, error.detail)
        for reply in (precise, recalled):
            if isinstance(reply, Dropped):
                return _without(scored, "unjudged", f"judge_{reply.reason}", reply.detail)
        precision, recall = _share(place in found for found in precise), _share(map(bool, recalled))
        strange = _share(1 - place in found for found in precise) if other else None
        agreement = AspectAgreement(precision=precision, recall=recall, other=strange)
        return _with(scored, "judge", agreement)


def compared(
    item: Item, scored: ScoredPlan, others: Mapping[str, Item], name: Match = "words"
) -> ScoredPlan:
    """With the comparison by words."""
    if scored.planned is None:
        return scored
    own, other = aspect_agreement(scored.planned, _names(item)), None
    if stranger := others.get(item.id):
        other = aspect_agreement(scored.planned, _names(stranger)).precision
    agreement = AspectAgreement(precision=own.precision, recall=own.recall, other=other)
    return _with(scored, name, agreement)


def others_of(items: Sequence[Item], seed: int) -> dict[str, Item]:
    """For each item one of another user: of its category where there is one, else of its domain,
    else any; drawn by ids. Items of the only user have none."""
    drawn = sorted(items, key=lambda item: _digest(str(seed), item.id))
    others: dict[str, Item] = {}
    # The nearer kind comes later, and stays.
    for alike in (lambda _: "", lambda item: item.domain, lambda item: item.category):
        pools: dict[str, list[Item]] = defaultdict(list)
        for item in drawn:
            pools[alike(item)].append(item)
        for pool in pools.values():
            for place, item in enumerate(pool):
                following = (*pool[place + 1 :], *pool[:place])
                if other := next((one for one in following if one.user != item.user), None):
                    others[item.id] = other
    return others


def _names(item: Item) -> tuple[str, ...]:
    return tuple(rubric_aspect.aspect for rubric_aspect in item.rubric_aspects)


def _with(scored: ScoredPlan, name: Match, matches: AspectAgreement) -> ScoredPlan:
    return scored.model_copy(update={"compared": {**scored.compared, name: matches}})


def _share(matched: Iterable[bool]) -> float:
    each = list(matched)
    return round(sum(each) / len(each), 6)


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()

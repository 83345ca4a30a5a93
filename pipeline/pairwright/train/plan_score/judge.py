"""How a plan agrees with the item's gold aspects, and with somebody else's."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.models import Model, together
from pairwright.records import Item, Rejected
from pairwright.settings.prompt import Prompts
from pairwright.stages.aspect_match import match
from pairwright.train.gold import AspectAgreement, Similarity, aspect_agreement
from pairwright.train.plan_score.measures import AspectMatches, Match, ScoredPlan


class AspectJudging(NamedTuple):
    """A judge who says which aspects ask for the same content."""

    model: Model
    prompts: Prompts
    others: Mapping[str, Item]
    """For each item one of another user."""

    async def judged(self, item: Item, scored: ScoredPlan) -> ScoredPlan:
        """With the judge's comparison, or with the reason why there is none."""
        if scored.planned is None:
            return scored
        if not scored.planned:
            nothing = AspectAgreement(precision=None, recall=0.0)
            return _with(scored, "judge", AspectMatches(own=nothing, other=None))
        try:
            matches = await self._found(item, scored.planned)
        except CallFailed as error:
            return _unjudged(scored, error.result_reason, error.detail)
        if isinstance(matches, Rejected):
            return _unjudged(scored, f"judge_{matches.reason}", matches.detail)
        return _with(scored, "judge", matches)

    async def _found(self, item: Item, planned: tuple[str, ...]) -> AspectMatches | Rejected:
        own, other = _names(item), self.others.get(item.id)
        lists = [own, *([_names(other)] if other else [])]
        # Which list comes first must not tell whose it is.
        if _digest("order", item.id) < "8":
            lists.reverse()
        place = lists.index(own)
        precise, recalled = await together(
            match(
                item.question, list(planned), lists, self.model, self.prompts,
                name="plan_score_precision",
            ),
            match(
                item.question, list(own), [planned], self.model, self.prompts,
                name="plan_score_recall",
            ),
        )  # fmt: skip
        if isinstance(precise, Rejected):
            return precise
        if isinstance(recalled, Rejected):
            return recalled
        precision, recall = (
            _share(place in places for places in precise),
            _share(map(bool, recalled)),
        )
        return AspectMatches(
            own=AspectAgreement(precision=precision, recall=recall),
            other=_share(1 - place in places for places in precise) if other else None,
        )


def compared(
    item: Item, scored: ScoredPlan, others: Mapping[str, Item], name: Match, similarity: Similarity
) -> ScoredPlan:
    """With a comparison that needs no judge."""
    if scored.planned is None:
        return scored
    own = aspect_agreement(scored.planned, _names(item), similarity)
    other = others.get(item.id)
    against = (
        aspect_agreement(scored.planned, _names(other), similarity).precision if other else None
    )
    return _with(scored, name, AspectMatches(own=own, other=against))


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
                if other := _of_another(item.user, [*pool[place + 1 :], *pool[:place]]):
                    others[item.id] = other
    return others


def _of_another(user: str, pool: Sequence[Item]) -> Item | None:
    return next((item for item in pool if item.user != user), None)


def _names(item: Item) -> tuple[str, ...]:
    return tuple(rubric_aspect.aspect for rubric_aspect in item.rubric_aspects)


def _unjudged(scored: ScoredPlan, why: str, detail: str) -> ScoredPlan:
    return scored.model_copy(update={"unjudged": why, "detail": detail[:500]})


def _with(scored: ScoredPlan, name: Match, matches: AspectMatches) -> ScoredPlan:
    return scored.model_copy(update={"compared": {**scored.compared, name: matches}})


def _share(matched: Iterable[bool]) -> float:
    each = list(matched)
    return round(sum(each) / len(each), 6)


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()

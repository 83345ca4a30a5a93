"""What a build function decides by: the config with the content it names, the other users of the
run, whose histories show what is specific, and where an item's rubric comes from.

A history is read for its user's question, and for the questions of a few others. The users of a
category form one seeded ring, and everybody's others are the nearest on it who could be partners.
Work done along the ring then reads a history a few times in a row, so that a prefix cache computes
it once, and no user serves as an other much more often than the rest.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pairwright import assets
from pairwright.errors import ConfigError
from pairwright.models import Models
from pairwright.modes import need_partners
from pairwright.records import (
    Aspect,
    Dropped,
    DroppedAspect,
    Item,
    Origin,
    Post,
    Rubric,
    content_id,
)
from pairwright.retrieve import dense
from pairwright.settings.config import Config
from pairwright.settings.domains import Domains, Guidance, Scale, load_scales
from pairwright.settings.prompt import Prompts
from pairwright.stages.aspect_match import measure_planner
from pairwright.stages.infer import PlanSettings, UserQuestion, infer_rubric, plan_of_other
from pairwright.stages.planner import Plan

Histories = tuple[tuple[Post, ...], ...]


def no_others(item: Item, user: str) -> Histories:  # noqa: ARG001 - what a corpus goes by
    """Nobody: aspects are then only compared with the plan that is made without posts."""
    return ()


class TriedUsers(NamedTuple):
    """The users that a question is tried on."""

    users: tuple[str, ...]
    suited: int
    """So many of them, the first, could be the asker's partner."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """Those who could be the asker's partner."""
        return self.users[: self.suited]


class NeighbourRing:
    """Users of one category, in an order in which the source's order decides nothing."""

    def __init__(self, users: Iterable[str], seed: int) -> None:
        self.users = sorted(users, key=lambda user: content_id("circle", str(seed), user))
        self._place = {user: place for place, user in enumerate(self.users)}

    def nearest(self, user: str) -> Iterator[str]:
        """Every other user, the nearest on either side first: so a user who is near to one user has
        that user near, too."""
        place, size = self._place[user], len(self.users)
        for step in range(1, size // 2 + 1):
            yield self.users[(place + step) % size]
            if 2 * step < size:
                yield self.users[(place - step) % size]


@dataclass(frozen=True)
class BuildRules:
    """Everything a build function needs beside an item and models."""

    config: Config
    prompts: Prompts
    domains: Domains
    scales: tuple[Scale, ...]
    others: Callable[[Item, str], Histories] = no_others
    """Histories of other users, with whose plans the aspects of a user for an item's question are
    compared: the asker's, or a partner's."""

    @classmethod
    def load(cls, config: Config, folder: Path) -> "BuildRules":
        """The rules of a config whose paths are relative to `folder`."""
        if config.planner.retrieval == "dense":
            dense.require()
        if need_partners(config.modes) and not config.planner.others:
            raise ConfigError(
                "twins need other users: partners are found among those that a question is"
                " tried on",
                where="[planner] others = 0",
                fix="Give 1 or more, or leave twin out of modes.",
            )
        rubrics = _folder(config.rubrics, "rubrics", folder, assets.RUBRICS)
        prompts = _folder(config.prompts, "prompts", folder, assets.PROMPTS)
        return cls(
            config=config,
            prompts=Prompts.load(prompts),
            domains=Domains.load(rubrics),
            scales=load_scales(rubrics),
        )

    def guidance(self, item: Item) -> Guidance:
        """What the planner reads of the item's domain."""
        return self.domains.by_key[item.domain].guidance

    def language(self, item: Item, *texts: str) -> str | None:
        """The language of an item, by its domain's file or its texts; `texts` are more of them."""
        return self.domains.item_language(item, *texts)


def _folder(name: str | None, key: str, base: Path, shipped: Path) -> Path:
    if name is None:
        return shipped
    folder = base / name
    if not folder.is_dir():
        raise ConfigError(
            f"no folder {folder}", where=f"[{key}]", fix="Name a folder, or leave the key out."
        )
    return folder


async def rubric_of(item: Item, models: Models, rules: BuildRules) -> Rubric | Dropped:
    """The asker's rubric for the own question, by `aspects =` of the config."""
    if rules.config.aspects == "gold":
        return _gold(item, rules)
    rubric = await plan_rubric(item, item.user, item.profile, models, rules)
    if isinstance(rubric, Rubric):
        await _measure(item, rubric, models, rules)
    return rubric


async def plan_rubric(
    item: Item, user: str, posts: tuple[Post, ...], models: Models, rules: BuildRules
) -> Rubric | Dropped:
    """What `user`, known by `posts`, would expect in an answer to the item's question."""
    others = rules.others(item, user)
    question = UserQuestion(item.id, item.question, user, posts, others, item.profile)
    return await infer_rubric(question, models, _plan_settings(item, rules))


async def plan_of(
    item: Item, posts: tuple[Post, ...], models: Models, rules: BuildRules
) -> Plan | Dropped:
    """What a planner finds in another user's posts for the item's question, before the checks that
    ask models."""
    return await plan_of_other(item.question, posts, models, _plan_settings(item, rules))


def _plan_settings(item: Item, rules: BuildRules) -> PlanSettings:
    config = rules.config
    return PlanSettings(
        rules.prompts, config.planner, rules.guidance(item), config.words, rules.language(item)
    )  # fmt: skip


def _gold(item: Item, rules: BuildRules) -> Rubric | Dropped:
    gold = item.rubric_aspects
    aspects = [Aspect(aspect=a.aspect, reason=a.reason, evidence=a.evidence) for a in gold]
    if not aspects:
        detail = 'the item has no aspects: set aspects = "planner"'
        return Dropped(stage="gold", reason="no_gold_aspects", detail=detail)
    # The paper's setting uses every gold aspect; elsewhere two are the least that is a rubric.
    if rules.config.gated and len(aspects) < rules.config.planner.min_aspects:
        detail = f"{len(aspects)} in the data"
        return Dropped(stage="gold", reason="too_few_aspects", detail=detail)
    return _rubric(item, "gold", aspects, (), rules)


def _rubric(
    item: Item,
    origin: Origin,
    aspects: Sequence[Aspect],
    dropped: tuple[DroppedAspect, ...],
    rules: BuildRules,
) -> Rubric:
    """The asker's rubric of as many aspects as a response has room for; the paper's setting uses
    all of them."""
    config = rules.config
    most = max(1, config.planner.per_100_words * config.words // 100) if config.gated else None
    over = aspects[most:] if most else ()
    dropped += tuple(DroppedAspect(aspect=a, reason="over_the_word_limit") for a in over)
    used = tuple(aspects[:most])
    return Rubric(question_id=item.id, user=item.user, origin=origin, aspects=used, dropped=dropped)


async def _measure(item: Item, rubric: Rubric, models: Models, rules: BuildRules) -> None:
    gold = tuple(aspect.aspect for aspect in item.rubric_aspects)
    if gold and rules.config.planner.measure_against == "gold":
        names = tuple(aspect.aspect for aspect in rubric.aspects)
        await measure_planner(item.question, names, gold, models.judge, rules.prompts)

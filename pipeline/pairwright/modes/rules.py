"""The rules of a build: its configuration with the prompts, domains and scales that it names; the
posts of another user that may be read for a question; and what a user expects in an answer."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pairwright import assets
from pairwright.models import Models
from pairwright.pairs.columns import read_map
from pairwright.records import Aspect, Dropped, DroppedAspect, Item, Post, Rubric
from pairwright.settings import settings_folder
from pairwright.settings.config import Config, load
from pairwright.settings.domains import Domains, Scale, load_scales
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import TwinRules, columns_of, most_aspects
from pairwright.stages.infer import Histories, infer_rubric
from pairwright.stages.planner import Plan
from pairwright.stages.question import Question
from pairwright.times import is_older

OtherUsers = Callable[[Item, str], Histories]


def no_others(item: Item, user: str) -> Histories:  # noqa: ARG001 - as a corpus is called
    """No other users: aspects are then only compared with the plan that is made without posts."""
    return ()


@dataclass(frozen=True)
class BuildRules:
    """Everything that decides how a pair is built, apart from its item and the models."""

    config: Config
    folder: Path
    """The folder that the paths of the config start from."""
    prompts: Prompts
    domains: Domains
    scales: tuple[Scale, ...]
    others: OtherUsers = no_others
    """Histories of other users, with whose plans the aspects of a user for an item's question are
    compared: the asker's, or a partner's."""
    path: str = ""
    """The file of the config, if it is from one."""

    @classmethod
    def load(
        cls,
        given: str | Path | Config,
        folder: str | Path | None = None,
        columns: Iterable[str] = (),
    ) -> "BuildRules":
        """The rules of a config. Its paths start from `folder`, or else from where its file is;
        `columns` are `WHAT=COLUMN` of its source.

        Raises ConfigError and InputError for what cannot be read.
        """
        path = "" if isinstance(given, Config) else str(given)
        config = given if isinstance(given, Config) else load(Path(given))
        folder = Path(folder or Path(path).parent).resolve()
        named = read_map(columns, columns_of(config.source.format), "--column")
        config = config.beside(folder, named)
        rubrics = settings_folder("rubrics", config.rubrics, folder, assets.RUBRICS)
        prompts = settings_folder("prompts", config.prompts, folder, assets.PROMPTS)
        domains, scales = Domains.load(rubrics), load_scales(rubrics)
        return cls(config, folder, Prompts.load(prompts), domains, scales, path=path)

    def language(self, item: Item, *texts: str) -> str | None:
        """The language of an item, by its domain's file or its texts; `texts` are more of them."""
        return self.domains.item_language(item, *texts)

    def question(self, item: Item) -> Question:
        """The item's question, with all that stages need to ask about it."""
        config, guidance = self.config, self.domains.guidance(item.domain)
        return Question(
            item.question, self.prompts, item.id, self.language(item), config.words, guidance,
            self.scales, config.planner,
        )  # fmt: skip


def older_than(item: Item, posts: tuple[Post, ...]) -> tuple[Post, ...]:
    """The posts written before the question; all of them if a time is not known."""
    if item.created is None:
        return posts
    return tuple(p for p in posts if p.created is None or is_older(p.created, item.created))


def fair_posts(item: Item, posts: tuple[Post, ...]) -> tuple[Post, ...]:
    """The older posts of another user without those that repeat the question or its narrative: if
    a source names no users, that other user may be the asker."""
    texts = [own.lower() for own in (item.question, item.narrative) if own]
    return tuple(
        post
        for post in older_than(item, posts)
        if not any(own in post.text.lower() for own in texts)
    )


def have_same_posts(item: Item, other: Item) -> bool:
    """Whether the asker and another user had written the same before the question."""
    earlier = older_than(item, other.profile)
    return sorted(post.text for post in item.profile) == sorted(post.text for post in earlier)


def are_level(asker: int, partner: int, rules: TwinRules) -> bool:
    """Whether two users have about as many posts."""
    return max(asker, partner) <= rules.length_ratio * min(asker, partner)


# What a user expects in an answer: inferred by the planner, or given with the data

_UNFOUNDED = frozenset({"support_far_fetched", "evidence_not_in_post", "names_no_shown_post"})
"""Reasons to drop an aspect that the posts do not carry. Any other dropped aspect is a need that
others have, too, and no response to it is plain for sure."""


async def rubric_of(
    item: Item,
    user: str,
    posts: tuple[Post, ...],
    models: Models,
    rules: BuildRules,
    planned: Rubric | None = None,
) -> Rubric | Dropped:
    """The rubric of `user`, known by `posts`, for an answer to the item's question: the planned
    one, if any; else that of the data, by `aspects =` of the config; else an inferred one.
    """
    if planned:
        return planned
    if rules.config.aspects == "gold":
        return _gold(item, rules)
    return await infer_rubric(rules.question(item), user, posts, rules.others(item, user), models)


def no_rubric(item: Item, user: str) -> Rubric:
    """A rubric without aspects, for a pair whose label does not follow from any."""
    return Rubric(question_id=item.id, user=user, origin=None, aspects=())


def says_nothing(found: Rubric | Plan | Dropped) -> bool:
    """Whether the posts contain nothing on the question, by a plan or a rubric's outcome."""
    if isinstance(found, Dropped) and found.reason != "no_personal_signal":
        return False
    return not found.aspects and all(one.reason in _UNFOUNDED for one in found.dropped)


def _gold(item: Item, rules: BuildRules) -> Rubric | Dropped:
    """The aspects that came with the item, as many as a response has room for; the paper's setting
    uses all of them."""
    config = rules.config
    aspects = tuple(
        Aspect(aspect=gold.aspect, reason=gold.reason, evidence=gold.evidence)
        for gold in item.rubric_aspects
    )
    if not aspects:
        detail = 'the item has no aspects: set aspects = "planner"'
        return Dropped(stage="gold", reason="no_gold_aspects", detail=detail)
    most = len(aspects)
    if config.gated:
        if most < config.planner.min_aspects:
            detail = f"{most} in the data"
            return Dropped(stage="gold", reason="too_few_aspects", detail=detail)
        most = most_aspects(config.words)
    over = (DroppedAspect(aspect=one, reason="over_the_word_limit") for one in aspects[most:])
    return Rubric(
        question_id=item.id,
        user=item.user,
        origin="gold",
        aspects=aspects[:most],
        dropped=tuple(over),
    )

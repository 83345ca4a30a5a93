"""What a scorer is shown of the person who asks, by condition: posts, aspects, nothing, or somebody
else's posts.

Each function of a condition makes its content for one row, or says why there is none. The records
of `conditions.py` name them.

A scorer gains from reading what it loses with the wrong history. The other user writes in the same
category, has a history of about the same length, and is shown as the user would be: with as many
posts, ranked for this question. Twins have no such condition: the same stranger for both halves
makes every scorer right on one of them.
"""

import math
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, TypeVar

from pairwright import text
from pairwright.evaluation.release import posts_of
from pairwright.evaluation.scorers.scorer import (
    NO_CITED_POSTS,
    NO_OTHER_POSTS,
    NO_PROFILE,
    NO_RUBRIC,
    NO_STRANGER,
    PromptContent,
    Unscored,
)
from pairwright.models import CONTEXT_LENGTH, Model
from pairwright.pairs import Row
from pairwright.records import Dropped, Item, Post, content_id
from pairwright.retrieve import selected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import HistoryRules, PlanRules
from pairwright.stages.history import best_posts
from pairwright.stages.planner import plan
from pairwright.times import is_older

T = TypeVar("T")
Posts = tuple[Post, ...]
NEAREST = 5
"""Users closest in length, of whom one is drawn."""


def item_of(row: Row) -> Item:
    """The question of a release's pair, with the posts of who asks it."""
    return Item(
        id=row.item_id,
        user=row.user or "",
        question=row.question,
        category=row.category,
        domain=row.domain,
        profile=posts_of(row),
        created=row.created,
    )


class Strangers:
    """The users of a release or a source, by category."""

    def __init__(self, items: Iterable[Item], seed: int) -> None:
        self._seed = seed
        self._there: dict[tuple[str, str], dict[str, Posts]] = {}
        self._askers: dict[str, set[str]] = {}
        """By item, who asks it: both users of a twin, who are not strangers to each other."""
        for item in items:
            if not item.user or not item.profile:
                continue
            people = self._there.setdefault((item.domain, item.category), {})
            # The longest of a user's histories; each later question of theirs has a longer one.
            people[item.user] = max(people.get(item.user, ()), item.profile, key=len)
            self._askers.setdefault(item.id, set()).add(item.user)

    def instead_of(self, item: Item) -> Posts | None:
        """The posts of one of the users closest in length, older than the question; None where
        nobody in the category has any. The same for both modes of an item."""
        if not (closest := list(islice(self._nearest(item), NEAREST))):
            return None
        draw = content_id("wrong-profile", str(self._seed), item.id, item.user)
        return closest[int(draw[-8:], 16) % len(closest)]

    def _nearest(self, item: Item) -> Iterator[Posts]:
        """The posts older than the question of each user of the category, closest in length first,
        without those who repeat the question."""
        near = {item.user, *self._askers.get(item.id, ())}
        people = {
            user: older
            for user, posts in self._there.get((item.domain, item.category), {}).items()
            if user not in near and (older := _older(item, posts))
        }
        own = _length(item.profile)

        def distance(user: str) -> tuple[float, str]:
            return abs(math.log((_length(people[user]) + 1) / (own + 1))), user

        for user in sorted(people, key=distance):
            if not any(text.near_duplicate(item.question, post.text) for post in people[user]):
                yield people[user]


def _length(posts: Posts) -> int:
    return sum(len(post.text) for post in posts)


def _older(item: Item, posts: Posts) -> Posts:
    if item.created is None:
        return posts
    asked_at = item.created
    return tuple(post for post in posts if post.created is None or is_older(post.created, asked_at))


class PlannerUnderTest(NamedTuple):
    """The planner under test: it infers at evaluation time what a user expects."""

    model: Model
    prompts: Prompts
    rules: PlanRules
    domains: Domains
    words: int


class ContentSources(NamedTuple):
    """What the content of the conditions of one evaluation is made from."""

    history: HistoryRules
    strangers: Strangers
    planner: PlannerUnderTest | None = None


async def question_alone(_: ContentSources, row: Row) -> PromptContent | Unscored:
    """Nothing of the user."""
    return PromptContent(row.question)


async def own_posts(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    """The user's posts, as the rules of history select them."""
    return _shown(sources, row, posts_of(row), NO_PROFILE)


async def uncited_posts(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    """The user's posts without those that the rubric cites, selected by the same rules: as many
    posts are shown, where there are as many."""
    cited, others = _parted(row)
    if not cited:
        return Unscored(NO_CITED_POSTS)
    return _shown(sources, row, others, NO_OTHER_POSTS)


async def cited_posts(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    """The posts that the rubric cites, and no others."""
    return _shown(sources, row, _parted(row)[0], NO_CITED_POSTS)


async def posts_of_stranger(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    """As many posts of another user of the category."""
    own = posts_of(row)
    if not own:
        return Unscored(NO_PROFILE)
    posts = sources.strangers.instead_of(item_of(row))
    if posts is None:
        detail = f"no stranger in {row.category!r} has posts older than the question"
        return Unscored(NO_STRANGER, detail)
    as_many = len(selected(row.question, own, sources.history))
    shown = selected(row.question, posts, sources.history, most=as_many)
    return PromptContent(row.question, shown)


async def planned_aspects(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    """The aspects that the posts give; none where they give none, which is the planner's answer."""
    own, planner = posts_of(row), sources.planner
    if not own:
        return Unscored(NO_PROFILE)
    assert planner, "opened before the evaluation began"
    planned = await plan(
        row.question, own, planner.model, planner.prompts, planner.rules,
        guidance=planner.domains.guidance(row.domain), words=planner.words,
        language=planner.domains.language(row.domain, row.question, *(post.text for post in own)),
    )  # fmt: skip
    if isinstance(planned, Dropped):
        return Unscored(f"planner_{planned.reason}", planned.detail)
    return PromptContent(row.question, aspects=tuple(one.aspect for one in planned.aspects))


async def own_aspects(_: ContentSources, row: Row) -> PromptContent | Unscored:
    """The pair's own aspects."""
    if not row.answer_key:
        return Unscored(NO_RUBRIC)
    return PromptContent(row.question, aspects=tuple(one.aspect for one in row.answer_key))


def _shown(sources: ContentSources, row: Row, posts: Posts, none: str) -> PromptContent | Unscored:
    if not posts:
        return Unscored(none)
    return PromptContent(row.question, selected(row.question, posts, sources.history))


def _parted(row: Row) -> tuple[Posts, Posts]:
    """The posts that an aspect of the row cites, and the others. Aspects that people refuted count
    as well: what they cite was the planner's evidence, whatever it is worth."""
    named, posts = {post for one in row.rubric_aspects for post in one.post_ids}, posts_of(row)
    cited = tuple(post for post in posts if post.id in named)
    return cited, tuple(post for post in posts if post.id not in named)


async def ask_fitting(
    shown: PromptContent,
    history: HistoryRules,
    ask: Callable[[PromptContent], Awaitable[T | Unscored]],
) -> tuple[T | Unscored, PromptContent]:
    """Ask with all posts that are shown, and with fewer where that does not fit: a quarter leaves
    each time, the lowest ranked first and of equals the oldest. The last post stays: without any it
    would be another condition."""
    most = len(shown.posts)
    while True:
        left = best_posts(shown.question, shown.posts, history, most).posts
        answer = await ask(fewer := shown._replace(posts=left))
        over = isinstance(answer, Unscored) and answer.reason == CONTEXT_LENGTH
        if not over or most <= 1:
            return answer, fewer
        most -= max(1, most // 4)

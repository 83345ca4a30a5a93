"""What a scorer is shown of the person who asks, by condition: posts, aspects or nothing.

Each function makes the content of one condition for one row, or says why there is none. The records
of `conditions.py` name them.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

from pairwright.dataset import Row
from pairwright.evaluate.decision import (
    NO_CITED_POSTS,
    NO_OTHER_POSTS,
    NO_PARTNER,
    NO_PROFILE,
    NO_RUBRIC,
    NO_STRANGER,
)
from pairwright.evaluate.release import posts_of
from pairwright.evaluate.scorers.scorer_protocols import PromptContent, Unscored
from pairwright.evaluate.wrong_profile import Strangers, asker_of
from pairwright.models import CONTEXT_LENGTH, Model
from pairwright.records import Post, Rejected
from pairwright.retrieve import ranked, selected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import HistoryRules, PlanRules
from pairwright.stages.planner import plan

T = TypeVar("T")
Posts = tuple[Post, ...]


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
    partners: Mapping[str, Posts] = {}
    """By pair, the posts of the other user of its twin: see `partners_of`."""


def partners_of(rows: Iterable[Row]) -> dict[str, Posts]:
    """By pair, the posts of the other user of its twin; without the halves that are alone."""
    halves: dict[str, list[Row]] = {}
    for row in rows:
        if row.twin_id is not None:
            halves.setdefault(row.twin_id, []).append(row)
    whole = [twin for twin in halves.values() if len(twin) == 2]
    pairs = [(a, b) for first, second in whole for a, b in ((first, second), (second, first))]
    return {row.id: posts_of(other) for row, other in pairs}


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


async def posts_of_partner(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    """The posts of the twin's other user, who prefers the other response."""
    return _shown(sources, row, sources.partners.get(row.id, ()), NO_PARTNER)


async def posts_of_stranger(sources: ContentSources, row: Row) -> PromptContent | Unscored:
    """As many posts of another user of the category."""
    own = posts_of(row)
    if not own:
        return Unscored(NO_PROFILE)
    posts = sources.strangers.instead_of(asker_of(row))
    if posts is None:
        detail = f"no stranger in {row.category!r} has posts older than the question"
        return Unscored(NO_STRANGER, detail)
    as_many = len(selected(row.question, own, sources.history))
    rules = sources.history.model_copy(update={"posts": as_many})
    return PromptContent(row.question, selected(row.question, posts, rules))


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
    if isinstance(planned, Rejected):
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
    named = {post for aspect in row.rubric_aspects for post in aspect.post_ids}
    posts = posts_of(row)
    return (
        tuple(post for post in posts if post.id in named),
        tuple(post for post in posts if post.id not in named),
    )


async def ask_fitting(
    shown: PromptContent,
    history: HistoryRules,
    ask: Callable[[PromptContent], Awaitable[T | Unscored]],
) -> tuple[T | Unscored, PromptContent]:
    """Ask with all posts that are shown, and with fewer where that does not fit: a quarter leaves
    each time, the lowest ranked first and of equals the oldest. The last post stays: without any it
    would be another condition."""
    left = len(shown.posts)
    order = ranked(shown.question, shown.posts, history) if left > 1 else shown.posts
    while True:
        best = set(order[:left])
        fewer = shown._replace(posts=tuple(post for post in shown.posts if post in best))
        answer = await ask(fewer)
        over = isinstance(answer, Unscored) and answer.reason == CONTEXT_LENGTH
        if not over or left <= 1:
            return answer, fewer
        left -= max(1, left // 4)

"""The conditions of an evaluation: what a scorer is shown of the person who asks.

Each condition is one record, with the function that makes its content for a row, or says why there
is none. A new condition is a name in `ConditionName`, a function, and a record in `CONDITIONS`; if
some pairs may have nothing to show in it, the reason is one of `NOTHING_TO_SHOW`.

A scorer gains from reading what it loses with the wrong history. The other user writes in the same
category, has a history of about the same length, and is shown as the user would be: with as many
posts, ranked for this question. Twins have no such condition: the same stranger for both sides
makes every scorer right on one of them.
"""

import math
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple, TypeVar

from pairwright import text
from pairwright.errors import InputError, near
from pairwright.evaluation.benchmark import posts_of
from pairwright.evaluation.scorers.scorer import (
    NO_CITED_POSTS,
    NO_OTHER_POSTS,
    NO_PROFILE,
    NO_RUBRIC,
    NO_STRANGER,
    PromptContent,
    Unscored,
)
from pairwright.models import CONTEXT_LENGTH
from pairwright.modes import halves_of, label_of
from pairwright.pairs import Row
from pairwright.records import Item, Post, content_id
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import best_posts
from pairwright.times import is_older

T = TypeVar("T")
Posts = tuple[Post, ...]
ConditionName = Literal[
    "profile",
    "none",
    "profile-without-evidence",
    "evidence-only",
    "wrong-profile",
    "rubric",
]
NEAREST = 5
"""Users closest in length, of whom one is drawn."""


def item_of(row: Row) -> Item:
    """The question of a pair, with the posts of who asks it. Without an id it is the same item for
    all who had these two responses to choose from."""
    sides = sorted((row.chosen, row.rejected))
    return Item(
        id=row.item_id or content_id("item", row.question, *sides),
        user=row.user or "",
        question=row.question,
        category=row.category,
        domain=row.domain,
        profile=posts_of(row),
        created=row.created,
    )


class Strangers:
    """The users of some pairs or of a source, by category."""

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
        """Draw the posts of one of the users closest in length, older than the question; None if
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


class ContentSources(NamedTuple):
    """What the content of the conditions of one evaluation is made from."""

    history: HistoryRules
    strangers: Strangers


Content = PromptContent | Unscored


def question_alone(_: ContentSources, row: Row) -> Content:
    """Show nothing of the user."""
    return PromptContent(row.question)


def own_posts(sources: ContentSources, row: Row) -> Content:
    """Show the user's posts, as the rules of history select them."""
    return _shown(sources, row, posts_of(row), NO_PROFILE)


def uncited_posts(sources: ContentSources, row: Row) -> Content:
    """Show the user's posts without those that the rubric cites, selected by the same rules: as
    many posts, if there are as many."""
    cited = _cited(row)
    others = tuple(post for post in posts_of(row) if post not in cited)
    return _shown(sources, row, others, NO_OTHER_POSTS) if cited else Unscored(NO_CITED_POSTS)


def cited_posts(sources: ContentSources, row: Row) -> Content:
    """Show the posts that the rubric cites, and no others."""
    return _shown(sources, row, _cited(row), NO_CITED_POSTS)


def posts_of_stranger(sources: ContentSources, row: Row) -> Content:
    """Show as many posts of another user of the category."""
    if not row.profile:
        return Unscored(NO_PROFILE)
    posts = sources.strangers.instead_of(item_of(row))
    if posts is None:
        detail = f"no stranger in {row.category!r} has posts older than the question"
        return Unscored(NO_STRANGER, detail)
    as_many = len(selected(row.question, posts_of(row), sources.history))
    shown = selected(row.question, posts, sources.history, most=as_many)
    return PromptContent(row.question, shown)


def own_aspects(_: ContentSources, row: Row) -> Content:
    """Show the pair's own aspects."""
    aspects = tuple(one.aspect for one in row.answer_key)
    return PromptContent(row.question, aspects=aspects) if aspects else Unscored(NO_RUBRIC)


def _shown(sources: ContentSources, row: Row, posts: Posts, none: str) -> Content:
    if not posts:
        return Unscored(none)
    return PromptContent(row.question, selected(row.question, posts, sources.history))


def _cited(row: Row) -> Posts:
    """The posts that an aspect of the row cites. Aspects that people refuted count as well: what
    they cite was the planner's evidence, whatever it is worth."""
    named = {post for one in row.rubric_aspects for post in one.post_ids}
    return tuple(post for post in posts_of(row) if post.id in named)


class Condition(NamedTuple):
    """One condition: what it shows, and how its results are treated."""

    shows: str
    """What a scorer is shown, in a few words."""
    content: Callable[[ContentSources, Row], Content]
    marker: str
    """Its mark in plots, as matplotlib names it."""
    colour: Literal["blue", "green", "grey", "orange", "red", "sky"]
    default: bool = False
    """Whether it is evaluated if no condition is named."""
    control: bool = False
    """Whether it shows what should not help: its rows are not ranked."""
    of_twins: bool = True
    """Whether twins are part of it."""
    of_rubrics: bool = False
    """Whether it goes by the rubric, which placebos and natural twins do not have."""

    @property
    def title(self) -> str:
        """The heading of its tables on the leaderboard."""
        return f"{'Control: shown' if self.control else 'Shown'} {self.shows}"

    @property
    def blind(self) -> bool:
        """Whether it shows nothing of the user. Then accuracy on twins is 50 %, and a gain over
        it would say no more than the accuracy does."""
        return self.content is question_alone

    @property
    def drawn(self) -> bool:
        """Whether its content is drawn while it runs, so that no file can have scores of it."""
        return self.content is posts_of_stranger

    @property
    def unranked(self) -> str:
        """Why its rows are not ranked; empty if they are."""
        if self.control:
            return f"control: it is shown {self.shows}"
        return "it is shown the answer key" if self.content is own_aspects else ""

    @property
    def shows_posts(self) -> bool:
        """Whether it shows posts, which [history] selects."""
        return self.content not in (question_alone, own_aspects)

    def applies(self, row: Row) -> bool:
        """Whether a pair is part of it."""
        if self.of_rubrics and label_of(row.mode) != "chosen":
            return False
        return self.of_twins or halves_of(row.mode) == 1


CONDITIONS: dict[ConditionName, Condition] = {
    "profile": Condition("the user's earlier posts", own_posts, "o", "blue", default=True),
    "none": Condition("the question alone", question_alone, "s", "grey", default=True),
    "profile-without-evidence": Condition(
        "the user's posts without those that the rubric cites", uncited_posts, "v", "red",
        control=True, of_rubrics=True,
    ),
    "evidence-only": Condition(
        "only the posts that the rubric cites", cited_posts, "P", "green", control=True,
        of_rubrics=True,
    ),
    "wrong-profile": Condition(
        "the posts of another user, alike in category and length", posts_of_stranger, "X",
        "orange", default=True, control=True, of_twins=False,
    ),
    "rubric": Condition(
        "the pair's own aspects, which are the answer key", own_aspects, "^", "sky",
        of_rubrics=True,
    ),
}  # fmt: skip
"""The conditions by name, in the order of the leaderboard's tables."""


def conditions_of(
    given: Iterable[str] | None, rows: Callable[[], Iterable[Row]], sources: ContentSources
) -> tuple[ConditionName, ...]:
    """The conditions of these names, each once; or the default ones in which some row has content.

    Raises InputError for a name that is not one, and for a condition in which no row has any.
    """
    by_name: dict[str, ConditionName] = {name: name for name in CONDITIONS}
    names = [n for n in CONDITIONS if CONDITIONS[n].default] if given is None else [*given]
    found = []
    for name in dict.fromkeys(names):
        if name not in by_name:
            listed = f"One of: {', '.join(by_name)}.{near(name, by_name)}"
            raise InputError(f"there is no condition {name!r}", where="--condition", fix=listed)
        one = CONDITIONS[by_name[name]]
        if any(
            isinstance(one.content(sources, row), PromptContent)
            for row in rows()
            if one.applies(row)
        ):
            found.append(by_name[name])
        elif given is not None:
            raise InputError(
                f"no pair can be shown {one.shows}",
                where=f"--condition {name}",
                fix="Leave it out, or name pairs that have what it shows.",
            )
    return tuple(found)


async def ask_fitting(
    shown: PromptContent,
    history: HistoryRules,
    ask: Callable[[PromptContent], Awaitable[T | Unscored]],
) -> tuple[T | Unscored, PromptContent]:
    """Ask with all posts that are shown, and with fewer if that does not fit: a quarter leaves each
    time, the lowest ranked first and of equals the oldest. The last post stays: without any it
    would be another condition."""
    most = len(shown.posts)
    while True:
        left = best_posts(shown.question, shown.posts, history, most).posts
        fewer = PromptContent(shown.question, left, shown.aspects)
        answer = await ask(fewer)
        over = isinstance(answer, Unscored) and answer.reason == CONTEXT_LENGTH
        if not over or most <= 1:
            return answer, fewer
        most -= max(1, most // 4)

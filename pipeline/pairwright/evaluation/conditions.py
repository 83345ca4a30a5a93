"""The conditions of an evaluation: the content that a scorer is shown of the person who asks.

Each condition is one decorated function. It makes its content for a row, or gives the reason
against it. If some pairs may have nothing to show in it, the reason is one of `NOTHING_TO_SHOW`.

A scorer gains from reading what it loses with the wrong history. The other user writes in the same
category, has a history of about the same length, and is shown as the user would be: with as many
posts, ranked for this question. Twins have no such condition: the same stranger for both sides
makes every scorer right on one of them.
"""

import math
from collections.abc import Awaitable, Callable, Iterable
from itertools import islice
from typing import Annotated, NamedTuple, TypeVar

from pydantic import AfterValidator, Field

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
from pairwright.modes.rules import older_than
from pairwright.pairs import Row
from pairwright.records import Item, Post, content_id
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules
from pairwright.stages.question import best_posts

T = TypeVar("T")
Posts = tuple[Post, ...]
Content = PromptContent | Unscored


class ScorerHistory(HistoryRules):
    """The posts that scorers are shown: all that fit, unless a key says otherwise."""

    posts: int = Field(100_000, ge=1, description="earlier posts shown, best ranked first")
    history_tokens: int = Field(10_000_000, ge=100, description="most tokens of history")


class ContentSources(NamedTuple):
    """The sources of the content that the conditions of one evaluation show."""

    history: HistoryRules
    strangers: "Strangers"


ContentOf = Callable[[ContentSources, Row], Content]


class Condition(NamedTuple):
    """One condition: the content that it shows, and how its results are treated."""

    shows: str
    """Its content in a few words."""
    content: ContentOf
    default: bool = False
    """Whether it is evaluated if no condition is named."""
    blind: bool = False
    """Whether it shows nothing of the user. Then accuracy on twins is 50 %, and a gain over it
    would say no more than the accuracy does."""
    control: bool = False
    """Whether it shows what should not help: its rows are not ranked."""
    answers: bool = False
    """Whether it shows the answer key: its rows are not ranked."""
    of_twins: bool = True
    """Whether twins are part of it."""
    of_rubrics: bool = False
    """Whether it needs the rubric, which placebos and natural twins do not have."""

    @property
    def title(self) -> str:
        """The heading of its tables on the leaderboard."""
        return f"{'Control: shown' if self.control else 'Shown'} {self.shows}"

    @property
    def unranked(self) -> str:
        """The reason that its rows are not ranked; empty if they are."""
        if self.control:
            return f"control: it is shown {self.shows}"
        return "it is shown the answer key" if self.answers else ""

    def applies(self, row: Row) -> bool:
        """Whether a pair is part of it."""
        if self.of_rubrics and label_of(row.mode) != "chosen":
            return False
        return self.of_twins or halves_of(row.mode) == 1


CONDITIONS: dict[str, Condition] = {}
"""The conditions by name, in the order of the leaderboard's tables."""


def condition(name: str, shows: str, **treated: bool) -> Callable[[ContentOf], ContentOf]:
    """Register a function as the condition of this name; the rest are fields of `Condition`."""

    def registered(content: ContentOf) -> ContentOf:
        CONDITIONS[name] = Condition(shows, content, **treated)
        return content

    return registered


def _known(name: str) -> str:
    if name not in CONDITIONS:
        listed = f"one of: {', '.join(CONDITIONS)}.{near(name, CONDITIONS)}"
        raise ValueError(f"there is no condition {name!r}; {listed}")
    return name


ConditionName = Annotated[str, AfterValidator(_known)]
"""The name of a condition."""


@condition("profile", "the user's earlier posts", default=True)
def own_posts(sources: ContentSources, row: Row) -> Content:
    """Show the user's posts, as the rules of history select them."""
    if not row.profile:
        return Unscored(NO_PROFILE)
    return PromptContent(row.question, selected(row.question, posts_of(row), sources.history))


@condition("none", "the question alone", default=True, blind=True)
def question_alone(_: ContentSources, row: Row) -> Content:
    """Show the question alone, without any data of the user."""
    return PromptContent(row.question)


@condition(
    "profile-without-evidence", "the user's posts without those that the rubric cites",
    control=True, of_rubrics=True,
)  # fmt: skip
def uncited_posts(sources: ContentSources, row: Row) -> Content:
    """Show the posts without those that the rubric cites: as many, if there are as many. Aspects
    that people refuted count as well: they cite the planner's evidence."""
    cited = {post for one in row.rubric_aspects for post in one.post_ids}
    others = tuple(post for post in posts_of(row) if post.id not in cited)
    if len(others) == len(row.profile):
        return Unscored(NO_CITED_POSTS)
    if not others:
        return Unscored(NO_OTHER_POSTS)
    return PromptContent(row.question, selected(row.question, others, sources.history))


@condition(
    "wrong-profile", "the posts of another user, alike in category and length",
    default=True, control=True, of_twins=False,
)  # fmt: skip
def posts_of_stranger(sources: ContentSources, row: Row) -> Content:
    """Show as many posts of another user of the category."""
    if not row.profile:
        return Unscored(NO_PROFILE)
    posts = sources.strangers.instead_of(item_of(row))
    if posts is None:
        detail = f"no stranger in {row.category!r} has posts older than the question"
        return Unscored(NO_STRANGER, detail)
    as_many = len(selected(row.question, posts_of(row), sources.history))
    return PromptContent(row.question, selected(row.question, posts, sources.history, most=as_many))


@condition(
    "rubric", "the pair's own aspects, which are the answer key",
    answers=True, of_rubrics=True,
)  # fmt: skip
def own_aspects(_: ContentSources, row: Row) -> Content:
    """Show the pair's own aspects."""
    aspects = tuple(one.aspect for one in row.answer_key)
    return PromptContent(row.question, aspects=aspects) if aspects else Unscored(NO_RUBRIC)


def conditions_of(
    given: Iterable[str] | None, rows: Callable[[], Iterable[Row]], sources: ContentSources
) -> tuple[list[ConditionName], list[str]]:
    """The conditions of these names, each once. Without names, the default ones in which some row
    has content; also a sentence for each default that is left out.

    Raises InputError for a name that is not one, and for a condition in which no row has content.
    """
    found, left_out = list[ConditionName](), list[str]()
    names = [n for n in CONDITIONS if CONDITIONS[n].default] if given is None else given
    for name in dict.fromkeys(names):
        where, fix = f"--condition {name}", "Leave it out, or name one of these."
        try:
            one = CONDITIONS[_known(name)]
        except ValueError as error:
            raise InputError(str(error), where=where, fix=fix) from None
        part = filter(one.applies, rows())
        if any(isinstance(one.content(sources, row), PromptContent) for row in part):
            found.append(name)
            continue
        why = f"no pair can be shown {one.shows}"
        if not one.of_twins and not any(map(one.applies, rows())):
            why = "twins and placebos already compare two users"
        left_out.append(f"Condition {name} is left out: {why}.")
        if given is not None:
            fix = "Leave it out, or name pairs that have what it shows."
            raise InputError(why, where=where, fix=fix)
    return found, left_out


NEAREST = 5
"""Users closest in length, of whom one is drawn."""


def item_of(row: Row) -> Item:
    """The question of a pair, with the posts of who asks it. Without an id it is the same item for
    all who had these two responses to choose from."""
    id = row.item_id or content_id("item", row.question, *sorted((row.chosen, row.rejected)))
    return Item(
        id=id,
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
        """The users who ask each item: the two users of a twin are not strangers to each other."""
        for item in items:
            if not item.user or not item.profile:
                continue
            people = self._there.setdefault((item.domain, item.category), {})
            # The longest of a user's histories; each later question of theirs has a longer one.
            people[item.user] = max(people.get(item.user, ()), item.profile, key=len)
            self._askers.setdefault(item.id, set()).add(item.user)

    def instead_of(self, item: Item) -> Posts | None:
        """Draw the posts of one of the users closest in length, older than the question, without
        those who repeat it; None if no user in the category has any. The same for both modes of an
        item."""
        near, own = {item.user, *self._askers.get(item.id, ())}, _length(item.profile)
        people = list[tuple[float, str, Posts]]()
        for user, posts in self._there.get((item.domain, item.category), {}).items():
            older = older_than(item, posts)
            if older and user not in near:
                distance = abs(math.log((_length(older) + 1) / (own + 1)))
                people.append((distance, user, older))
        apart = (
            posts
            for _, _, posts in sorted(people)
            if not any(text.near_duplicate(item.question, post.text) for post in posts)
        )
        if not (closest := list(islice(apart, NEAREST))):
            return None
        draw = content_id("wrong-profile", str(self._seed), item.id, item.user)
        return closest[int(draw[-8:], 16) % len(closest)]


def _length(posts: Posts) -> int:
    return sum(len(post.text) for post in posts)


async def ask_fitting(
    shown: PromptContent,
    history: HistoryRules,
    ask: Callable[[PromptContent], Awaitable[T | Unscored]],
) -> T | Unscored:
    """Ask with all posts that are shown, and with fewer if that does not fit: a quarter leaves each
    time, the lowest ranked first and of equals the oldest. The last post stays: without any it
    would be another condition."""
    most = len(shown.posts)
    while True:
        posts = best_posts(shown.question, shown.posts, history, most).posts
        answer = await ask(shown._replace(posts=posts))
        over = isinstance(answer, Unscored) and answer.reason == CONTEXT_LENGTH
        if not over or most <= 1:
            return answer
        most -= max(1, most // 4)

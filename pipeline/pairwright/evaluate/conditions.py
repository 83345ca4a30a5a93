"""What is shown in each condition, and fewer posts where they do not fit."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from pairwright.dataset import Row
from pairwright.evaluate.conditions import Condition, TestedPlanner
from pairwright.evaluate.decision import NO_PROFILE, NO_RUBRIC, NO_STRANGER
from pairwright.evaluate.release import posts_of
from pairwright.evaluate.scorers.seam import PromptContent, Unscored
from pairwright.evaluate.wrong_profile import Strangers, asker
from pairwright.models import CONTEXT_LENGTH
from pairwright.records import Post
from pairwright.retrieve import ranked, selected
from pairwright.settings.rules import HistoryRules

T = TypeVar("T")


class Conditions(NamedTuple):
    """What the conditions of one evaluation need."""

    history: HistoryRules
    strangers: Strangers
    planner: TestedPlanner | None = None

    async def shown(self, row: Row, condition: Condition) -> PromptContent | Unscored:
        """What a scorer is shown of this row's user. Raises CallFailed."""
        if condition == "none":
            return PromptContent(row.question)
        if condition == "rubric":
            return self._rubric(row)
        own = posts_of(row)
        if not own:
            return Unscored(NO_PROFILE)
        if condition == "profile":
            return self._of(row, own)
        if condition == "planner":
            assert self.planner, "checked when the evaluation began"
            return await self.planner.shown(row.question, own, row.domain)
        return self._wrong(row, own)

    def _of(self, row: Row, posts: tuple[Post, ...]) -> PromptContent:
        return PromptContent(row.question, selected(row.question, posts, self.history))

    def _wrong(self, row: Row, own: tuple[Post, ...]) -> PromptContent | Unscored:
        posts = self.strangers.instead_of(asker(row))
        if posts is None:
            told = f"no stranger in {row.category!r} has posts older than the question"
            return Unscored(NO_STRANGER, told)
        as_many = len(selected(row.question, own, self.history))
        policy = self.history.model_copy(update={"posts": as_many})
        return PromptContent(row.question, selected(row.question, posts, policy))

    def _rubric(self, row: Row) -> PromptContent | Unscored:
        if not row.rubric_aspects:
            return Unscored(NO_RUBRIC)
        return PromptContent(row.question, aspects=tuple(of.aspect for of in row.rubric_aspects))


def applies(row: Row, condition: Condition) -> bool:
    """Whether a row is part of a condition: twins have no wrong profile (see `wrong_profile`)."""
    return condition != "wrong-profile" or row.mode != "twin"


async def ask_fitting(
    shown: PromptContent,
    policy: HistoryRules,
    ask: Callable[[PromptContent], Awaitable[T | Unscored]],
) -> tuple[T | Unscored, PromptContent]:
    """Ask with all posts that are shown, and with fewer where that does not fit: a quarter leaves
    each time, the lowest ranked first and of equals the oldest. The last post stays: without any it
    would be another condition."""
    kept = len(shown.posts)
    order = ranked(shown.question, shown.posts, policy) if kept > 1 else shown.posts
    while True:
        best = set(order[:kept])
        fewer = shown._replace(posts=tuple(post for post in shown.posts if post in best))
        answer = await ask(fewer)
        over = isinstance(answer, Unscored) and answer.reason == CONTEXT_LENGTH
        if not over or kept <= 1:
            return answer, fewer
        kept -= max(1, kept // 4)

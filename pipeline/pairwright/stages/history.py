"""Asking a question about a person's history, with fewer posts if they do not all fit."""

from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple, TypeVar

from pairwright.models import CONTEXT_LENGTH
from pairwright.records import Dropped, Post
from pairwright.retrieve import ranked, selected
from pairwright.settings.prompt import Ask, Prompts, label_texts
from pairwright.settings.rules import HistoryRules

T = TypeVar("T")


class PromptPosts(NamedTuple):
    """The posts a prompt carried, oldest first, and those left out for want of room."""

    posts: tuple[Post, ...]
    left_out: tuple[Post, ...]

    def post(self, label: str) -> Post | None:
        """The post that is shown under `p1`, `p2`, ... in the prompt."""
        number = label.strip().removeprefix("p")
        index = int(number) - 1 if number.isdecimal() else -1
        return self.posts[index] if 0 <= index < len(self.posts) else None


def best_posts(
    question: str, posts: tuple[Post, ...], rules: HistoryRules, most: int
) -> PromptPosts:
    """The `most` best ranked of these posts, in their order."""
    if most >= len(posts):
        return PromptPosts(posts, ())
    best = set(ranked(question, posts, rules.retrieval)[:most])
    return PromptPosts(
        tuple(post for post in posts if post in best),
        tuple(post for post in posts if post not in best),
    )


async def with_history(
    prompts: Prompts,
    name: str,
    question: str,
    posts: tuple[Post, ...],
    rules: HistoryRules,
    send: Callable[[Ask], Awaitable[T | Dropped]],
    **values: Hashable,
) -> tuple[T | Dropped, PromptPosts]:
    """Send prompt `name` with the best of a user's posts, in the order they are given in.

    If the endpoint says that the prompt is over its context, the lowest-ranked posts
    leave (a quarter, at least one) and it is asked again; `PromptPosts` names them.
    """
    chosen = selected(question, posts, rules)
    most = len(chosen)
    while True:
        shown = best_posts(question, chosen, rules, most)
        labelled = label_texts(post.text for post in shown.posts)
        answer = await send(prompts.ask(name, posts=labelled, question=question, **values))
        over = isinstance(answer, Dropped) and answer.reason == CONTEXT_LENGTH
        if not over or most <= 1:
            return answer, shown
        most -= max(1, most // 4)

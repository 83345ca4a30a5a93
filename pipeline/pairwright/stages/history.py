"""Asking a question about a person's history, with fewer posts where they do not all fit."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from pairwright.llm import CONTEXT_LENGTH
from pairwright.prompt import Ask, Prompts
from pairwright.records import Post, Rejected

T = TypeVar("T")


class Shown(NamedTuple):
    """The posts a prompt carried, oldest first, and those left out for want of room."""

    posts: tuple[Post, ...]
    left_out: tuple[Post, ...]

    def post(self, label: str) -> Post | None:
        """The post that stood under `p1`, `p2`, ... in the prompt."""
        number = label.strip().removeprefix("p")
        index = int(number) - 1 if number.isdecimal() else -1
        return self.posts[index] if 0 <= index < len(self.posts) else None


async def with_history(
    prompts: Prompts,
    name: str,
    question: str,
    ranked: tuple[Post, ...],
    send: Callable[[Ask], Awaitable[T | Rejected]],
    **values: Any,
) -> tuple[T | Rejected, Shown]:
    """Send prompt `name` with the ranked posts in time order.

    Where the endpoint says that the prompt is over its context, the lowest-ranked posts
    leave (a quarter, at least one) and it is asked again; `Shown` names them.
    """
    kept = len(ranked)
    while True:
        best = set(ranked[:kept])
        order = sorted(best, key=lambda post: (post.created or "", post.id))
        shown = Shown(tuple(order), ranked[kept:])
        posts = [{"label": f"p{n}", "text": p.text} for n, p in enumerate(shown.posts, start=1)]
        answer = await send(prompts.ask(name, posts=posts, question=question, **values))
        over = isinstance(answer, Rejected) and answer.reason == CONTEXT_LENGTH
        if not over or kept <= 1:
            return answer, shown
        kept -= max(1, kept // 4)

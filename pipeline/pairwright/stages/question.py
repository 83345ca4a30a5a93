"""A question with all that stages need to ask about it, and a person's history in its prompt: with
fewer posts if they do not all fit."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from pairwright.models import CONTEXT_LENGTH
from pairwright.records import Dropped, Post
from pairwright.retrieve import ranked, selected
from pairwright.settings.domains import Guidance, Scale
from pairwright.settings.prompt import Ask, Prompts, in_language, label_texts
from pairwright.settings.rules import HistoryRules, PlanRules, asked_length

T = TypeVar("T")


class Question(NamedTuple):
    """A question, and all that stages need to ask about it."""

    text: str
    prompts: Prompts
    id: str = ""
    language: str | None = None
    """The language of aspects and answers."""
    words: int = 100
    """The most words of an answer."""
    guidance: Guidance = Guidance()
    """The planner's guidance for the domain."""
    scales: tuple[Scale, ...] = ()
    rules: PlanRules = PlanRules()

    def ask(self, name: str, **values: object) -> Ask:
        """A prompt about the question, which asks for its language."""
        spoken = in_language(self.language, asked_length(self.words))
        return self.prompts.ask(name, **{"question": self.text, **spoken, **values})


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
    best = set(posts if most >= len(posts) else ranked(question, posts, rules.retrieval)[:most])
    return PromptPosts(
        tuple(post for post in posts if post in best),
        tuple(post for post in posts if post not in best),
    )


async def with_history(
    question: Question,
    name: str,
    posts: tuple[Post, ...],
    send: Callable[[Ask], Awaitable[T | Dropped]],
    **values: object,
) -> tuple[T | Dropped, PromptPosts]:
    """Send prompt `name` with the best of a user's posts, in the order they are given in.

    If the endpoint says that the prompt is over its context, the lowest-ranked posts
    leave (a quarter, at least one) and it is asked again; `PromptPosts` names them.
    """
    chosen = selected(question.text, posts, question.rules)
    most = len(chosen)
    while True:
        shown = best_posts(question.text, chosen, question.rules, most)
        labelled = label_texts(post.text for post in shown.posts)
        answer = await send(question.ask(name, posts=labelled, **values))
        over = isinstance(answer, Dropped) and answer.reason == CONTEXT_LENGTH
        if not over or most <= 1:
            return answer, shown
        most -= max(1, most // 4)

"""Support: do the quoted posts carry the aspect, or would it hold without them?

A verbatim quote proves only where words come from. A judge reads the aspect with all posts that
it names; what any asker would expect, what the posts oppose, do not bear on or only make possible
is dropped. A share of rubrics is asked a second time with as many posts of other users
(`support_control`): the judge should refuse nearly all, and the manifest shows how often it does.
"""

from typing import Annotated, Literal

from pairwright.models import WHOLE_NUMBER, Model, Reply, in_order, misnumbered
from pairwright.records import Aspect, Dropped, Post
from pairwright.settings.prompt import Ask, Numbered, Prompts, SupportPrompt


class SupportCase(Reply):
    number: Annotated[int, WHOLE_NUMBER]
    reason: str
    verdict: Literal["stands_without", "opposed", "far_fetched", "weak", "carried"]


class SupportReply(Reply):
    cases: list[SupportCase]


async def support(
    question: str,
    cases: list[tuple[Aspect, tuple[Post, ...]]],
    judge: Model,
    prompts: Prompts,
    *,
    name: str = "support",
) -> tuple[SupportCase, ...] | Dropped:
    """One verdict for each aspect and its posts, in order.

    `name` marks the control in the record.
    """
    # A post that several cases rest on is shown once.
    texts = dict.fromkeys(post.text for _, posts in cases for post in posts)
    numbers = {text: n for n, text in enumerate(texts, start=1)}
    shown = tuple(
        SupportPrompt(n, aspect.aspect, ", ".join(str(numbers[post.text]) for post in posts))
        for n, (aspect, posts) in enumerate(cases, start=1)
    )
    numbered = tuple(Numbered(n, text) for text, n in numbers.items())

    def wrong(reply: SupportReply) -> str | None:
        return misnumbered(reply.cases, len(cases))

    messages = prompts.ask("support", question=question, posts=numbered, cases=shown).messages
    reply = await judge.answer(Ask(name, messages), SupportReply, wrong)
    return reply if isinstance(reply, Dropped) else tuple(in_order(reply.cases))

"""Support: does the quoted post carry the aspect, or would it stand without?

A verbatim quote proves only where words come from. A judge reads the aspect with the one post
it rests on; what would stand without the post, or is far-fetched, is dropped. A share of
rubrics is asked a second time with other users' posts (`support_control`): the judge should
refuse nearly all of those, and the manifest shows how often it does.
"""

from typing import Literal

from pairwright.models import Model, Reply
from pairwright.records import Aspect, Post, Rejected
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import SupportPrompt


class SupportCase(Reply):
    reason: str
    verdict: Literal["carried", "stands_without", "far_fetched"]


class SupportReply(Reply):
    cases: list[SupportCase]


async def support(
    question: str,
    cases: list[tuple[Aspect, Post]],
    judge: Model,
    prompts: Prompts,
    *,
    name: str = "support",
) -> tuple[SupportCase, ...] | Rejected:
    """One verdict per (aspect, post), in order; `name` tells the control apart in the record."""
    shown = tuple(
        SupportPrompt(n, aspect.aspect, post.text)
        for n, (aspect, post) in enumerate(cases, start=1)
    )

    def wrong(reply: SupportReply) -> str | None:
        if len(reply.cases) != len(cases):
            return f"{len(reply.cases)} verdicts for {len(cases)} cases"
        return None

    ask = prompts.ask("support", question=question, cases=shown)
    reply = await judge.answer(ask._replace(name=name), SupportReply, wrong)
    return reply if isinstance(reply, Rejected) else tuple(reply.cases)

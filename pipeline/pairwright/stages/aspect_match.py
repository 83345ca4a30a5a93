"""Match: which of some aspects do other lists of aspects ask for too?

It has a direction: a list asks for an aspect if an answer that serves one of the list's aspects
would necessarily serve this one.

Used for specificity (against the rubric without a history and other users' rubrics) and for
the precision and recall of a trained planner against gold aspects.
"""

from typing import Annotated

from pairwright.models import WHOLE_NUMBER, Model, Reply, in_order, misnumbered
from pairwright.records import Dropped
from pairwright.settings.prompt import Ask, Numbered, NumberedList, Prompts


class MatchedAspect(Reply):
    number: Annotated[int, WHOLE_NUMBER]
    reason: str
    found_in: list[int]


class MatchReply(Reply):
    aspects: list[MatchedAspect]


async def match(
    question: str,
    aspects: list[str],
    lists: list[tuple[str, ...]],
    judge: Model,
    prompts: Prompts,
    *,
    name: str = "match",
) -> tuple[frozenset[int], ...] | Dropped:
    """For every aspect, the indexes of the lists that ask for it too.

    `name` tells in the record what the match was for.
    """
    numbered = tuple(Numbered(n, a) for n, a in enumerate(aspects, start=1))
    shown = tuple(NumberedList(n, a) for n, a in enumerate(lists, start=1))

    def wrong(reply: MatchReply) -> str | None:
        if why := misnumbered(reply.aspects, len(aspects)):
            return why
        named = {n for matched in reply.aspects for n in matched.found_in}
        if strange := named - set(range(1, len(lists) + 1)):
            return f"list {min(strange)} does not exist"
        return None

    messages = prompts.ask("match", question=question, aspects=numbered, lists=shown).messages
    reply = await judge.answer(Ask(name, messages), MatchReply, wrong)
    if isinstance(reply, Dropped):
        return reply
    return tuple(frozenset(n - 1 for n in matched.found_in) for matched in in_order(reply.aspects))

"""Judge: whether posts carry aspects and lists share them; how far a response serves aspects; and
its quality apart from them. No judge of responses ever sees a profile.

Each verdict comes with its reason first. A pairwise verdict that names a better response is asked
for in the other order, too; one that changes with the order is `undecided`, which is never parity.
"""

from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Annotated, Literal, TypeVar

from pydantic import create_model

from pairwright.models import WHOLE_NUMBER, Model, Reply, together
from pairwright.records import (
    Adherence,
    AdherenceLevel,
    Aspect,
    AspectScore,
    BlindPreference,
    Comparison,
    Dropped,
    Post,
    Quality,
    Rubric,
)
from pairwright.settings.prompt import Ask, numbered
from pairwright.stages.question import Question


class NumberedReply(Reply):
    """Base of a reply's entries that name the number, from 1, of what they answer."""

    number: Annotated[int, WHOLE_NUMBER]


E = TypeVar("E", bound=NumberedReply)


def misnumbered(entries: Iterable[NumberedReply], due: int) -> str | None:
    """The reason that the entries do not answer each of 1 ... `due` exactly once, or None."""
    numbers = sorted(entry.number for entry in entries)
    if numbers == [*range(1, due + 1)]:
        return None
    return f"entries for the numbers {numbers}, and each of 1 to {due} is due once"


def in_order(entries: Iterable[E]) -> list[E]:
    """The entries by their numbers."""
    return sorted(entries, key=lambda entry: entry.number)


# Of aspects


class SupportCase(NumberedReply):
    reason: str
    verdict: Literal["stands_without", "opposed", "far_fetched", "weak", "carried"]


class SupportReply(Reply):
    cases: list[SupportCase]


async def support(
    question: Question,
    cases: list[tuple[Aspect, tuple[Post, ...]]],
    judge: Model,
    *,
    name: str = "support",
) -> tuple[SupportCase, ...] | Dropped:
    """Whether posts carry each aspect, or it would hold without them: one verdict each, in order.

    A verbatim quote proves only where words come from. What any asker would expect, what the posts
    oppose, do not bear on or only make possible is to be dropped. `name` marks the control in the
    record: as many posts of other users, for which the judge should refuse nearly all.
    """
    # A post that several cases rest on is shown once.
    texts = dict.fromkeys(post.text for _, posts in cases for post in posts)
    numbers = {text: n for n, text in enumerate(texts, start=1)}
    shown = tuple(
        {
            "number": n,
            "aspect": aspect.aspect,
            "posts": ", ".join(str(numbers[post.text]) for post in posts),
        }
        for n, (aspect, posts) in enumerate(cases, start=1)
    )

    def wrong(reply: SupportReply) -> str | None:
        return misnumbered(reply.cases, len(cases))

    ask = question.ask("support", posts=numbered(numbers), cases=shown)
    reply = await judge.answer(Ask(name, ask.messages), SupportReply, wrong)
    return reply if isinstance(reply, Dropped) else tuple(in_order(reply.cases))


class MatchedAspect(NumberedReply):
    reason: str
    found_in: list[int]


class MatchReply(Reply):
    aspects: list[MatchedAspect]


async def match(
    question: Question,
    aspects: list[str],
    lists: list[tuple[str, ...]],
    judge: Model,
    *,
    name: str = "match",
) -> tuple[frozenset[int], ...] | Dropped:
    """The indexes of the lists that ask for it too, per aspect: an answer that serves one of
    the list's aspects would necessarily serve this one.

    `name` tells in the record what the match was for: specificity, or the precision and recall of a
    trained planner.
    """
    shown = tuple({"number": n, "aspects": one} for n, one in enumerate(lists, start=1))

    def wrong(reply: MatchReply) -> str | None:
        if why := misnumbered(reply.aspects, len(aspects)):
            return why
        named = {n for matched in reply.aspects for n in matched.found_in}
        if strange := named - set(range(1, len(lists) + 1)):
            return f"list {min(strange)} does not exist"
        return None

    ask = question.ask("match", aspects=numbered(aspects), lists=shown)
    reply = await judge.answer(Ask(name, ask.messages), MatchReply, wrong)
    if isinstance(reply, Dropped):
        return reply
    return tuple(frozenset(n - 1 for n in matched.found_in) for matched in in_order(reply.aspects))


# Of responses


class AdherenceScore(NumberedReply):
    reason: str
    score: Annotated[AdherenceLevel, WHOLE_NUMBER]


class AdherenceReply(Reply):
    scores: list[AdherenceScore]


class ScaleScore(Reply):
    reason: str
    score: Annotated[int, WHOLE_NUMBER]


class CompareReply(Reply):
    reason: str
    verdict: Literal["A", "B", "tie"]


class ChooseReply(Reply):
    reason: str
    choice: Literal["A", "B"]


async def adherence(
    question: Question, response: str, aspects: tuple[Aspect, ...], judge: Model
) -> Adherence | Dropped:
    """The adherence of a response to each aspect: one score per aspect."""

    def wrong(reply: AdherenceReply) -> str | None:
        return misnumbered(reply.scores, len(aspects))

    shown = numbered(one.aspect for one in aspects)
    ask = question.ask("adherence", response=response, aspects=shown)
    reply = await judge.answer(ask, AdherenceReply, wrong)
    if isinstance(reply, Dropped):
        return reply
    return Adherence(
        scores=tuple(AspectScore(reason=s.reason, score=s.score) for s in in_order(reply.scores))
    )


async def adherence_to_each(
    question: Question, response: str, rubrics: tuple[Rubric, ...], judge: Model
) -> tuple[Adherence, ...] | Dropped:
    """The adherence of a response to each of some rubrics, from one call over all their aspects.
    The judge does not learn whose they are."""
    aspects = tuple(aspect for rubric in rubrics for aspect in rubric.aspects)
    whole = await adherence(question, response, aspects, judge)
    if isinstance(whole, Dropped):
        return whole
    scores = iter(whole.scores)
    return tuple(Adherence(scores=tuple(islice(scores, len(rubric.aspects)))) for rubric in rubrics)


async def quality(question: Question, response: str, judge: Model) -> Quality | Dropped:
    """Absolute quality of one response on every scale, for a typical asker."""
    scales = question.scales
    kind = _quality_reply(tuple(scale.name for scale in scales))

    def wrong(reply: Reply) -> str | None:
        for scale in scales:
            score = getattr(reply, scale.name).score
            if not scale.low <= score <= scale.high:
                return f"{scale.name} {score} is not between {scale.low} and {scale.high}"
        return None

    reply = await judge.answer(
        question.ask("quality", response=response, scales=scales), kind, wrong
    )
    if isinstance(reply, Dropped):
        return reply
    by_scale: dict[str, ScaleScore] = {scale.name: getattr(reply, scale.name) for scale in scales}
    return Quality(
        reason="\n".join(f"{name}: {scale.reason}" for name, scale in by_scale.items()),
        scores={name: scale.score for name, scale in by_scale.items()},
    )


async def compare(
    question: Question, first: str, second: str, judge: Model
) -> tuple[Comparison, str] | Dropped:
    """The better response for a typical asker, and the reason given where the first was shown as
    A. A tie in this order is a tie; a better response is asked for again in the other order, and
    must be the same."""
    verdicts, reason = [], ""
    for a, b in ((first, second), (second, first)):
        ask = question.ask("compare", first=a, second=b, scales=question.scales)
        reply = await judge.answer(ask, CompareReply)
        if isinstance(reply, Dropped):
            return reply
        verdicts.append(reply.verdict)
        reason = reason or reply.reason
        if verdicts[0] == "tie":
            return Comparison.TIE, reason
    winners = {("A", "B"): Comparison.FIRST, ("B", "A"): Comparison.SECOND}
    return winners.get((verdicts[0], verdicts[1]), Comparison.UNDECIDED), reason


async def choose(
    question: Question, first: str, second: str, judge: Model
) -> BlindPreference | Dropped:
    """The number of the two orders in which a typical asker would prefer the first response.

    There is no tie: pairs that are each about level can still lean to one side as a set.
    """
    replies = await together(
        *(
            judge.answer(question.ask("choose", first=a, second=b), ChooseReply)
            for a, b in ((first, second), (second, first))
        )
    )
    taken = 0
    for reply, side in zip(replies, "AB", strict=True):
        if isinstance(reply, Dropped):
            return reply
        taken += reply.choice == side
    return taken


@cache
def _quality_reply(names: tuple[str, ...]) -> type[Reply]:
    """A reply with a reason and a score for each scale."""
    fields: dict[str, tuple[object, object]] = dict.fromkeys(names, (ScaleScore, ...))
    made: type[Reply] = create_model("QualityReply", __base__=Reply, **fields)  # type: ignore[call-overload]
    return made

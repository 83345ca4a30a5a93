"""Narrative: aspects from the user's own long explanation (how LaMP-QA made its gold aspects).

They are not necessarily inferable from the profile, and the narrative itself is shown to
nobody else.
"""

from pairwright import text
from pairwright.models import Model, Reply
from pairwright.records import Aspect, DroppedAspect, Rejected
from pairwright.settings.prompt import Prompts, in_language
from pairwright.stages.planner import MAX_PLANNED


class NarrativeAspect(Reply):
    aspect: str
    reason: str
    evidence: str


class NarrativeReply(Reply):
    aspects: list[NarrativeAspect]


async def aspects_of_narrative(
    question: str,
    narrative: str,
    planner: Model,
    prompts: Prompts,
    language: str | None = None,
) -> tuple[tuple[Aspect, ...], tuple[DroppedAspect, ...]] | Rejected:
    """Aspects whose evidence is a span of the narrative, and those whose is not."""
    ask = prompts.ask(
        "narrative",
        question=question,
        narrative=narrative,
        max_aspects=MAX_PLANNED,
        **in_language(language),
    )
    reply = await planner.answer(ask, NarrativeReply, _wrong)
    if isinstance(reply, Rejected):
        return reply
    aspects = [Aspect(aspect=a.aspect, reason=a.reason, evidence=a.evidence) for a in reply.aspects]
    whole = text.normalised(narrative)
    quoted = tuple(a for a in aspects if _in_narrative(text.normalised(a.evidence), whole))
    dropped = tuple(
        DroppedAspect(aspect=aspect, reason="evidence_not_in_narrative")
        for aspect in aspects
        if aspect not in quoted
    )
    return quoted, dropped


def _in_narrative(quote: str, narrative: str) -> bool:
    return text.word_count(quote) >= 2 and quote in narrative


def _wrong(reply: NarrativeReply) -> str | None:
    if len(reply.aspects) > MAX_PLANNED:
        return f"{len(reply.aspects)} aspects, at most {MAX_PLANNED} were asked for"
    if not all(aspect.aspect.strip() for aspect in reply.aspects):
        return "an aspect without text"
    return None

"""Whether a model thinks before it replies, how much room that takes, and whether a reply by a
schema still comes of it."""

import json
import math
from contextlib import suppress
from typing import NamedTuple

from pairwright.models import Completion
from pairwright.settings.prompt_variables import Ask
from pairwright.workflows.doctor.questions import (
    QUESTION,
    RequestRefused,
    ServerFinding,
    ServerQuestions,
)

LONG = 8192
"""Tokens of the second try, where thinking used up the room that a build gives."""
LEAST = 1024
"""Tokens of room that are advised at the least: two replies say little of the longest thinking."""
_STEP = 256
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"aspects": {"type": "array", "items": {"type": "string"}}},
        "required": ["aspects"],
        "additionalProperties": False,
    }
)
OFF = (
    "To do without thinking, where vLLM's model allows it:"
    " extra = { chat_template_kwargs = { enable_thinking = false } } under [sampling.ROLE]."
)
PARSER = "With vLLM: serve it with the --reasoning-parser of the model."


class ThinkingProbe(NamedTuple):
    """A reply, and whether thinking used up the room that a build would give it."""

    completion: Completion
    cut: bool

    @property
    def tokens(self) -> int:
        """Tokens of the thinking: as the server counts them, or by its share of the characters."""
        reply = self.completion
        if reply.thinking_tokens or not reply.reasoning:
            return reply.thinking_tokens
        share = len(reply.reasoning) / len(reply.reasoning + reply.text)
        return math.ceil(reply.completion_tokens * share)

    @property
    def thinks(self) -> bool:
        return bool(self.completion.reasoning.strip() or self.completion.thinking_tokens)

    @property
    def unfinished(self) -> bool:
        """Whether no reply came in the longer room either."""
        return self.completion.only_thinking and self.completion.finish == "length"


async def check_thinking(questions: ServerQuestions) -> ServerFinding:
    """Two requests, a short text and JSON by a schema; each once more, with more room, where
    thinking used it up."""
    try:
        text = await _probe(
            questions, questions.prompts.ask("write_plain", question=QUESTION, words=60)
        )
        by_schema = None
        if questions.endpoint.structured:
            ask = questions.prompts.ask("plan_blind", question=QUESTION, max_aspects=2)
            by_schema = await _probe(questions, ask, SCHEMA)
    except RequestRefused as error:
        return ServerFinding("note", "thinking", f"not found out: {error}")
    probes = [text, by_schema] if by_schema else [text]
    if not any(probe.thinks for probe in probes):
        return ServerFinding("ok", "thinking", "none seen before a reply")
    return _finding(questions, text, by_schema)


async def _probe(questions: ServerQuestions, ask: Ask, schema: str | None = None) -> ThinkingProbe:
    room = questions.sampling.max_tokens + (questions.endpoint.thinking_tokens or 0)
    seed = questions.sampling.seed
    answer = await questions.put(ask, room=room, seed=seed, schema=schema)
    probe = ThinkingProbe(answer.completion, cut=False)
    if not probe.unfinished:
        return probe
    # A model may have no such room: then the first reply stays.
    with suppress(RequestRefused):
        answer = await questions.put(ask, room=max(LONG, 2 * room), seed=seed, schema=schema)
    return ThinkingProbe(answer.completion, cut=True)


def _finding(
    questions: ServerQuestions, text: ThinkingProbe, by_schema: ThinkingProbe | None
) -> ServerFinding:
    """What two replies of a model that thinks show."""
    probes = [text, by_schema] if by_schema else [text]
    most = max(probe.tokens for probe in probes)
    amount = f"about {most:,} tokens" if most else "an unknown number of tokens"
    notes = [f"thinks before a reply, {amount}"]
    advice: list[str] = []
    if by_schema:
        shown = _with_schema(by_schema)
        notes.append(shown)
        if shown != TOGETHER:
            advice += [PARSER, OFF]
    if any(probe.completion.reasoning_inline for probe in probes):
        notes.append("the thinking is in the reply itself, and is cut off there")
        advice.append(PARSER)
    room, cut = questions.endpoint.thinking_tokens or 0, any(probe.cut for probe in probes)
    if cut:
        notes.append(f"{questions.sampling.max_tokens + room:,} tokens of room ran out in it")
    if cut or room < 1.5 * most:
        wanted = max(LEAST, 2 * room, math.ceil(2 * most / _STEP) * _STEP)
        place = f"[endpoints.{questions.client.name}]"
        advice.insert(0, f"Set thinking_tokens = {wanted} under {place}.")
    advice = list(dict.fromkeys(advice))
    return ServerFinding("note" if advice else "ok", "thinking", "; ".join(notes), " ".join(advice))


TOGETHER = "replies by a schema come after thinking"


def _with_schema(by_schema: ThinkingProbe) -> str:
    """Whether a schema and thinking work together."""
    if by_schema.unfinished:
        return "and no reply by a schema came of it"
    if by_schema.completion.only_thinking:
        return "and with a schema all of the reply is taken for thinking"
    if not _follows(by_schema.completion.text):
        return "and then does not follow a schema"
    if not by_schema.thinks:
        return "but with a schema it replies without thinking"
    return TOGETHER


def _follows(text: str) -> bool:
    """Whether a reply is what `SCHEMA` asks for."""
    try:
        reply = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return isinstance(reply, dict) and isinstance(reply.get("aspects"), list)

"""What a server's replies show: whether they follow a schema, repeat, and reuse a prompt; whether
the model thinks before it replies, how much room that takes, and whether a reply by a schema still
comes of it.

vLLM does not say which backend holds replies to a schema, but backends differ in what they refuse:
llguidance refuses the keyword `not`, and xgrammar passes over it. xgrammar also lets raw control
characters into strings that `maxLength` limits. Schemas of Pairwright have neither keyword.
"""

import json
import math
from contextlib import suppress
from typing import Any, NamedTuple

from pairwright.models import Completion, Model, Request, leniency
from pairwright.models.client import Client
from pairwright.records import Rejected
from pairwright.settings.domains import Guidance
from pairwright.settings.prompt_variables import Ask, label_texts
from pairwright.stages.planner import plan_blind
from pairwright.workflows.doctor.server import (
    QUESTION,
    RequestRefused,
    ServerFinding,
    ServerQuestions,
    finding,
)


class _Heard:
    """A model whose replies are kept here, and not stored."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.replies: list[str] = []

    async def complete(self, request: Request) -> Completion:
        """Answer one request, or raise `errors.CallFailed`."""
        completion = (await self._client.send(request)).completion
        self.replies.append(completion.text)
        return completion


async def check_schema(questions: ServerQuestions) -> ServerFinding:
    """One real request, and up to `attempts` where replies cannot be read.

    Raises errors.CallFailed or errors.EndpointRefused where there is no reply.
    """
    heard = _Heard(questions.client)
    model = Model(heard, questions.endpoint, questions.sampling)
    reply = await plan_blind(QUESTION, model, questions.prompts)
    if isinstance(reply, Rejected):
        return finding("structured output", "broken", detail=reply.detail)
    place = "" if questions.endpoint.structured else " in the prompt"
    if overlooked := {kind for text in heard.replies if (kind := leniency(text))}:
        kinds = " and ".join(kind.replace("_", " ") for kind in sorted(overlooked))
        return finding("structured output", "lenient", place=place, kinds=kinds)
    return finding("structured output", "followed", place=place)


SEEDS = (1, 2, 3)


async def check_backend(questions: ServerQuestions, *, vllm: bool) -> ServerFinding:
    """Three requests that tempt the fault, and for vLLM one that tells the backend."""
    name, faults = None, 0
    if vllm:
        try:
            refused_by_one = _schema({"not": {"const": "bread"}})
            await _ask(questions, refused_by_one, room=16, seed=SEEDS[0])
            name = "xgrammar"
        except RequestRefused as error:
            name = "guidance" if "Unimplemented keys" in str(error) else None
    # A server that does not take the keyword cannot have the fault.
    with suppress(RequestRefused):
        for seed in SEEDS:
            text = await _ask(questions, _schema({"maxLength": 40}), room=256, seed=seed)
            faults += leniency(text) == "control_characters"
    notes = [name] if name else []
    if faults:
        notes.append(f"control characters in {faults} of {len(SEEDS)} replies under maxLength")
    if faults or name == "xgrammar":
        return finding("schema backend", "faulty", notes="; ".join(notes))
    return finding(
        "schema backend", "sound", name=name or "not known, and no control characters seen"
    )


async def _ask(questions: ServerQuestions, schema: str, *, room: int, seed: int) -> str:
    ask = questions.prompts.ask("plan_blind", question=QUESTION, max_aspects=2)
    reply, _ = await questions.put(ask, room=room, seed=seed, schema=schema)
    return reply.text


def _schema(limits: dict[str, Any]) -> str:
    """The schema of a reply with a list of aspects, which are strings with these limits."""
    strings = {"type": "string", **limits}
    aspects = {"type": "array", "items": strings, "minItems": 1, "maxItems": 2}
    return json.dumps(
        {
            "type": "object",
            "properties": {"aspects": aspects},
            "required": ["aspects"],
            "additionalProperties": False,
        }
    )


PREFIX_ROOM = 16
# Whole blocks are cached, and some services begin at 1,024 tokens.
_POST = (
    "I bake twice a week for a house of five, and by the third day the crust has gone soft and"
    " the crumb is dry. Last month I tried a linen bag, a tin and the cold oven, one week each,"
    " and wrote down what became of the loaf every morning. The tin was the worst of them. "
)
POSTS = label_texts([_POST * 4] * 6)


async def check_prefix_cache(
    questions: ServerQuestions, reported: tuple[bool | None, int | None] | None
) -> ServerFinding:
    """Two requests: a planner's prompt of about 2,500 tokens, most of them history, twice."""
    ask = questions.prompts.ask(
        "plan",
        posts=POSTS,
        question=QUESTION,
        max_aspects=4,
        words=100,
        **Guidance()._asdict(),
    )
    try:
        await questions.put(ask, room=PREFIX_ROOM, seed=questions.sampling.seed)
        again, cached = await questions.put(ask, room=PREFIX_ROOM, seed=questions.sampling.seed)
    except RequestRefused as error:
        return finding("prefix cache", "not_asked", error=error)
    caching, held_tokens = reported or (None, None)
    held = f"; it holds {held_tokens:,} tokens" if held_tokens else ""
    if cached:
        tokens = again.prompt_tokens
        return finding("prefix cache", "reused", cached=cached, tokens=tokens, held=held)
    if caching is not None:
        return finding("prefix cache", "on" if caching else "off", held=held)
    return finding("prefix cache", "unknown" if cached is None else "unused")


SEED_ROOM = 48
"""Tokens of a reply: enough for two texts to part."""


async def check_seeds(questions: ServerQuestions) -> ServerFinding:
    """Three requests: one seed twice, another once."""
    seed = questions.sampling.seed
    if seed is None:
        return finding("seeds", "none")
    ask = questions.prompts.ask("write_plain", question=QUESTION, words=60)
    try:
        answers = [
            (await questions.put(ask, room=SEED_ROOM, seed=number))[0]
            for number in (seed, seed, seed + 1)
        ]
    except RequestRefused as error:
        return finding("seeds", "not_asked", error=error)
    # A model that thinks first may not have come to its text yet.
    first, second, other = [answer.reasoning + answer.text for answer in answers]
    if not first + second + other:
        return finding("seeds", "not_asked", error=f"empty replies in {SEED_ROOM} tokens")
    if first == second == other:
        return finding("seeds", "passed_over")
    return finding("seeds", "repeated" if first == second else "unstable")


LONG = 8192
"""Tokens of the second try, where thinking used up the room that a build gives."""
LEAST = 1024
"""Tokens of room that are advised at the least: two replies say little of the longest thinking."""
_STEP = 256
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
            by_schema = await _probe(questions, ask, _schema({}))
    except RequestRefused as error:
        return finding("thinking", "not_asked", error=error)
    probes = [text, by_schema] if by_schema else [text]
    if not any(probe.thinks for probe in probes):
        return finding("thinking", "none")
    return _finding(questions, text, by_schema)


async def _probe(questions: ServerQuestions, ask: Ask, schema: str | None = None) -> ThinkingProbe:
    room = questions.sampling.max_tokens + (questions.endpoint.thinking_tokens or 0)
    seed = questions.sampling.seed
    reply, _ = await questions.put(ask, room=room, seed=seed, schema=schema)
    probe = ThinkingProbe(reply, cut=False)
    if not probe.unfinished:
        return probe
    # A model may have no such room: then the first reply stays.
    with suppress(RequestRefused):
        reply, _ = await questions.put(ask, room=max(LONG, 2 * room), seed=seed, schema=schema)
    return ThinkingProbe(reply, cut=True)


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
    name = "to_set" if advice else "fits"
    return finding("thinking", name, notes="; ".join(notes), advice=" ".join(advice))


TOGETHER = "replies by a schema come after thinking"


def _with_schema(by_schema: ThinkingProbe) -> str:
    """Whether a schema and thinking work together."""
    if by_schema.unfinished:
        return "and no reply by a schema came of it"
    if by_schema.completion.only_thinking:
        return "and with a schema all of the reply is taken for thinking"
    try:
        reply = json.loads(by_schema.completion.text, strict=False)
    except (ValueError, RecursionError):
        reply = None
    if not (isinstance(reply, dict) and isinstance(reply.get("aspects"), list)):
        return "and then does not follow a schema"
    if not by_schema.thinks:
        return "but with a schema it replies without thinking"
    return TOGETHER

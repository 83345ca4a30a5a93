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

from pairwright.models import CallLog, Completion, Model, Traced, Unstored, leniency
from pairwright.records import Rejected
from pairwright.settings.domains import Guidance
from pairwright.settings.prompt_variables import Ask, label_texts
from pairwright.stages.planner import plan_blind
from pairwright.workflows.doctor.server import (
    QUESTION,
    CacheMetrics,
    RequestRefused,
    ServerFinding,
    ServerQuestions,
)


async def check_schema(questions: ServerQuestions) -> ServerFinding:
    """One real request, and up to `attempts` where replies cannot be read.

    Raises errors.CallFailed or errors.EndpointRefused where there is no reply.
    """
    log = CallLog()
    llm = Traced(Unstored(questions.client), log)
    model = Model(llm, questions.endpoint, questions.sampling)
    reply = await plan_blind(QUESTION, model, questions.prompts)
    if isinstance(reply, Rejected):
        return ServerFinding(
            "stop", "structured output", f"not followed: {reply.detail}",
            "No draw gave a reply that can be read, and a build would refuse its units like this."
            " Switch thinking, tools or filters of the server off, raise max_tokens, or set"
            " structured = false, which puts the schema into the prompt instead.",
        )  # fmt: skip
    place = "" if questions.endpoint.structured else " in the prompt"
    if log.lenient:
        kinds = " and ".join(kind.replace("_", " ") for kind in sorted(log.lenient))
        return ServerFinding(
            "note", "structured output", f"follows the schema{place}, in spite of: {kinds}",
            "Such replies are read, and the manifest counts them.",
        )  # fmt: skip
    return ServerFinding("ok", "structured output", f"follows the schema{place}")


SEEDS = (1, 2, 3)
ADVICE = (
    "Strings that a schema limits with maxLength can hold raw control characters, which JSON"
    " forbids. Pairwright's schemas set no such limit, and what is read leniently is counted."
    " Strict JSON without spare white space: vllm serve --structured-outputs-config"
    ' \'{"backend": "guidance", "disable_any_whitespace": true}\''
)


async def check_backend(questions: ServerQuestions, *, vllm: bool) -> ServerFinding:
    """Three requests that tempt the fault, and for vLLM one that tells the backend."""
    name, faults = None, 0
    if vllm:
        try:
            refused_by_one = {"type": "string", "not": {"const": "bread"}}
            await _ask(questions, refused_by_one, room=16, seed=SEEDS[0])
            name = "xgrammar"
        except RequestRefused as error:
            name = "guidance" if "Unimplemented keys" in str(error) else None
    # A server that does not take the keyword cannot have the fault.
    with suppress(RequestRefused):
        for seed in SEEDS:
            text = await _ask(questions, {"type": "string", "maxLength": 40}, room=256, seed=seed)
            faults += leniency(text) == "control_characters"
    notes = [name] if name else []
    if faults:
        notes.append(f"control characters in {faults} of {len(SEEDS)} replies under maxLength")
    if faults or name == "xgrammar":
        return ServerFinding("note", "schema backend", "; ".join(notes), ADVICE)
    return ServerFinding(
        "ok", "schema backend", name or "not known, and no control characters seen"
    )


async def _ask(questions: ServerQuestions, item: dict[str, Any], *, room: int, seed: int) -> str:
    aspects = {"type": "array", "items": item, "minItems": 1, "maxItems": 2}
    schema = {
        "type": "object",
        "properties": {"aspects": aspects},
        "required": ["aspects"],
        "additionalProperties": False,
    }
    ask = questions.prompts.ask("plan_blind", question=QUESTION, max_aspects=2)
    reply, _ = await questions.put(ask, room=room, seed=seed, schema=json.dumps(schema))
    return reply.text


PREFIX_ROOM = 16
# Whole blocks are cached, and some services begin at 1,024 tokens.
_POST = (
    "I bake twice a week for a house of five, and by the third day the crust has gone soft and"
    " the crumb is dry. Last month I tried a linen bag, a tin and the cold oven, one week each,"
    " and wrote down what became of the loaf every morning. The tin was the worst of them. "
)
POSTS = label_texts([_POST * 4] * 6)


async def check_prefix_cache(
    questions: ServerQuestions, reported: CacheMetrics | None
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
        return ServerFinding("note", "prefix cache", f"not found out: {error}")
    held = ""
    if reported and reported.cache_tokens:
        held = f"; it holds {reported.cache_tokens:,} tokens"
    if cached:
        sentence = f"on: {cached:,} of {again.prompt_tokens:,} tokens were reused{held}"
        return ServerFinding("ok", "prefix cache", sentence)
    if reported and reported.prefix_caching:
        return ServerFinding("ok", "prefix cache", f"on, by the server's own account{held}")
    if reported and reported.prefix_caching is False:
        return ServerFinding(
            "note", "prefix cache", "off",
            "Each call that carries a history computes it again, which is most of a build's work."
            " Start vLLM without --no-enable-prefix-caching.",
        )  # fmt: skip
    if cached == 0:
        return ServerFinding(
            "note", "prefix cache", "a repeated prompt was computed again",
            "Each call that carries a history costs its full length. See whether the server has"
            " a prefix cache to turn on.",
        )  # fmt: skip
    return ServerFinding(
        "note", "prefix cache", "not known: neither the usage of a reply nor metrics mention it",
        "With one, a history that several calls carry is computed once.",
    )  # fmt: skip


SEED_ROOM = 48
"""Tokens of a reply: enough for two texts to part."""


async def check_seeds(questions: ServerQuestions) -> ServerFinding:
    """Three requests: one seed twice, another once."""
    seed = questions.sampling.seed
    if seed is None:
        return ServerFinding("ok", "seeds", 'none are sent: seed = "none" in the config')
    ask = questions.prompts.ask("write_plain", question=QUESTION, words=60)
    try:
        answers = [
            (await questions.put(ask, room=SEED_ROOM, seed=number))[0]
            for number in (seed, seed, seed + 1)
        ]
    except RequestRefused as error:
        return ServerFinding("note", "seeds", f"not found out: {error}")
    # A model that thinks first may not have come to its text yet.
    first, second, other = [answer.reasoning + answer.text for answer in answers]
    if not first + second + other:
        return ServerFinding("note", "seeds", f"not found out: empty replies in {SEED_ROOM} tokens")
    if first == second == other:
        return ServerFinding(
            "note", "seeds", "two seeds gave the same text",
            "A draft that a gate refuses is drawn again with the next seed, and here the next one"
            " would be the same. Is the temperature fixed at 0, or a cache of replies in between?",
        )  # fmt: skip
    if first != second:
        return ServerFinding(
            "note", "seeds", "the same seed gave two texts",
            "Replies are stored, so a run that goes on or is run again gives the same files. The"
            " same build in an empty run folder will give other texts. With vLLM on GPUs,"
            " VLLM_BATCH_INVARIANT=1 can help where the model supports it.",
        )  # fmt: skip
    return ServerFinding(
        "ok", "seeds", "the same seed repeats its text, another seed gives another"
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
    return ServerFinding("note" if advice else "ok", "thinking", "; ".join(notes), " ".join(advice))


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

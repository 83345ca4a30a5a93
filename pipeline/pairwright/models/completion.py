"""A stored reply, read from the wire's body."""

import json
import re
from typing import Any, NamedTuple

from pydantic_core import from_json

from pairwright.text import visible

SIMULATED = "pairwright-simulated"
"""The `system_fingerprint` of replies of the embedded model."""
RECORDED = "pairwright-recorded"
"""The `object` of replies that come from a recording."""
CONTEXT_LENGTH = "context_length"
"""The `finish` of an answer that says that the prompt does not fit."""


_REASONING_ENDS = re.compile(r"</think(?:ing)?>|\[/THINK\]")


class Completion(NamedTuple):
    """A reply as stored. `finish` is the endpoint's finish reason, or `context_length`
    where the endpoint answered that the prompt does not fit."""

    key: str
    text: str
    finish: str
    reasoning: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    simulated: bool = False
    cached_tokens: int = 0
    """Prompt tokens that the endpoint took from its cache, as far as it says so."""
    recorded: bool = False
    """Whether it comes from a recording of an earlier run."""


def completion_of(key: str, body: bytes) -> Completion:
    """A chat-completion body as a Completion. Reasoning never becomes part of the text.

    Raises ValueError for a body that is not a chat completion, with the words of an error that it
    holds instead.
    """
    try:
        data = _parsed(body)
        if not data.get("choices") and data.get("error"):
            raise ValueError(f"an error in place of a reply: {_words(data['error'])}")
        choice = data["choices"][0]
        message = choice["message"]
        usage = data.get("usage")
        text = _text(message.get("content")) or message.get("refusal") or ""
        reasoning = message.get("reasoning_content") or message.get("reasoning") or ""
        # Some servers leave the reasoning inline; some templates open it in the prompt, so
        # that only its end is in the reply. Without an end, all of it is reasoning.
        ends = list(_REASONING_ENDS.finditer(text))
        if ends or text.lstrip().startswith("<think>"):
            end = ends[-1].span() if ends else (len(text), len(text))
            reasoning = reasoning + text[: end[0]].lstrip().removeprefix("<think>")
            text = text[end[1] :]
        # Half an emoji, cut inside its escape, can be written to no file.
        text = text.encode("utf-8", "replace").decode()
        prompt_tokens = _count(usage, "prompt_tokens")
        details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
        return Completion(
            key=key,
            text=text,
            finish=str(choice.get("finish_reason") or "stop"),
            reasoning=reasoning,
            prompt_tokens=prompt_tokens,
            completion_tokens=_count(usage, "completion_tokens"),
            simulated=data.get("system_fingerprint") == SIMULATED,
            cached_tokens=min(prompt_tokens, _count(details, "cached_tokens")),
            recorded=data.get("object") == RECORDED,
        )
    except (
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise ValueError(f"not a chat completion ({type(error).__name__}: {error})") from None


def _parsed(body: bytes) -> Any:
    try:
        return from_json(body)
    except ValueError:
        # The slower parser knows what the quick one refuses: half an emoji as an escape.
        return json.loads(body)


def _text(content: Any) -> Any:
    """The text of a message's content; of a list of parts, that of its text parts."""
    if not isinstance(content, list):
        return content
    return "".join(part["text"] for part in content if part.get("type") in ("text", "output_text"))


def _words(error: Any) -> str:
    """What an error object says."""
    said = error.get("message") if isinstance(error, dict) else None
    return visible(str(said or error))[:500]


def _count(usage: object, name: str) -> int:
    """A count of tokens; 0 where none is given that an endpoint can mean. A reply is worth more
    than its bill, so none is thrown away for it."""
    tokens = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(tokens, (int, float)) or not 0 <= tokens < 1_000_000_000:
        return 0
    return int(tokens)

"""A stored reply, read from the wire's body."""

import json
import re
from typing import Any, NamedTuple

from pydantic_core import from_json

from pairwright.models.foreign_body import describe_body
from pairwright.text import visible

SIMULATED = "pairwright-simulated"
"""The `system_fingerprint` by which a reply says that a program simulated a model."""
RECORDED = "pairwright-recorded"
"""The `object` of replies that come from a recording."""
CONTEXT_LENGTH = "context_length"
"""The `finish` of an answer that says that the prompt does not fit."""

MODEL_REFUSED, TOOL_CALL = "model_refused", "tool_call"
"""The reasons of a refusal where a message has a refusal, or calls a tool, and has no content."""

_THINKS = re.compile(r"\s*(?:<think(?:ing)?>|\[THINK\])")
_THOUGHT = re.compile(r"</think(?:ing)?>|\[/THINK\]")
_TAG = re.compile(f"{_THINKS.pattern}|{_THOUGHT.pattern}")


class Completion(NamedTuple):
    """A reply as stored. `finish` is the endpoint's finish reason, or `context_length`
    where the endpoint answered that the prompt does not fit. `reasoning` is what a model thought
    before its reply, and never part of `text`."""

    key: str
    text: str
    finish: str
    reasoning: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    simulated: bool = False
    cached_tokens: int = 0
    """Prompt tokens that the endpoint took from its cache, as far as it says so."""
    thinking_tokens: int = 0
    """Tokens of the reasoning, part of `completion_tokens`, as far as the endpoint counts them."""
    reasoning_inline: bool = False
    """Whether any of the reasoning was in the message's content."""
    recorded: bool = False
    """Whether it comes from a recording of an earlier run."""
    instead: str = ""
    """What the message has in place of content: `model_refused` or `tool_call`."""
    served: str = ""
    """The model that the reply says answered; empty where it names none."""

    @property
    def only_thinking(self) -> bool:
        """Whether the model thought and wrote no reply."""
        return bool(self.reasoning or self.thinking_tokens) and not self.text.strip()


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
        inline, text = _without_thinking(text)
        reasoning += inline
        # Half an emoji, cut inside its escape, can be written to no file.
        text = text.encode("utf-8", "replace").decode()
        prompt_tokens = _count(usage, "prompt_tokens")
        completion_tokens = _count(usage, "completion_tokens")
        of_prompt, of_reply = (
            usage.get(f"{name}_tokens_details") if isinstance(usage, dict) else None
            for name in ("prompt", "completion")
        )
        return Completion(
            key=key,
            text=text,
            finish=str(choice.get("finish_reason") or "stop"),
            reasoning=reasoning,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            simulated=data.get("system_fingerprint") == SIMULATED,
            cached_tokens=min(prompt_tokens, _count(of_prompt, "cached_tokens")),
            reasoning_inline=bool(inline),
            thinking_tokens=min(completion_tokens, _count(of_reply, "reasoning_tokens")),
            recorded=data.get("object") == RECORDED,
            instead=_instead(message),
            served=_name(data.get("model")),
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


def _without_thinking(text: str) -> tuple[str, str]:
    """The thinking at the start of a text, where a server leaves it inline, and what follows.

    A template may open it in the prompt: then only its end is in the reply. Thinking without an end
    is all of the text. Tags further on, and those inside JSON, are words of the reply.
    """
    thought = ""
    # Most replies have no such tag, and a look is much cheaper than the patterns.
    if "<think" not in text and "</think" not in text and "THINK]" not in text:
        return thought, text
    while True:
        opened = _THINKS.match(text)
        begin = opened.end() if opened else 0
        end = _THOUGHT.search(text, begin) if opened else _TAG.search(text)
        if opened and not end:
            return thought + text[begin:], ""
        if not end or not _THOUGHT.fullmatch(end[0]) or _is_json(text):
            return thought, text
        thought += text[begin : end.start()]
        text = text[end.end() :]


def _is_json(text: str) -> bool:
    try:
        from_json(text)
    except ValueError:
        return False
    return True


def _parsed(body: bytes) -> Any:
    try:
        return from_json(body)
    except ValueError:
        # The slower parser knows what the quick one refuses: half an emoji as an escape.
        try:
            return json.loads(body)
        except ValueError as error:
            raise ValueError(describe_body(body, error)) from None


def _text(content: Any) -> Any:
    """The text of a message's content; of a list of parts, that of its text parts."""
    if not isinstance(content, list):
        return content
    return "".join(part["text"] for part in content if part.get("type") in ("text", "output_text"))


def _instead(message: Any) -> str:
    """What a message without content has."""
    if _text(message.get("content")):
        return ""
    if message.get("refusal"):
        return MODEL_REFUSED
    return TOOL_CALL if message.get("tool_calls") or message.get("function_call") else ""


def _name(model: Any) -> str:
    return " ".join(visible(model).split())[:200] if isinstance(model, str) else ""


def _words(error: Any) -> str:
    """What an error object says."""
    message = error.get("message") if isinstance(error, dict) else None
    return visible(str(message or error))[:500]


def _count(usage: object, name: str) -> int:
    """A count of tokens; 0 where none is given that an endpoint can mean. A reply is worth more
    than its bill, so none is thrown away for it."""
    tokens = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(tokens, (int, float)) or not 0 <= tokens < 1_000_000_000:
        return 0
    return int(tokens)

"""Requests: a request for a chat completion, with the key that identifies its reply.

The key omits what does not change the answer (base URL, timeouts, retries, concurrency).
"""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

from pydantic_core import to_json

from pairwright.settings.prompt import Message

_SAMPLED = (
    "draw", "extra", "max_tokens", "model", "revision", "schema_name", "seed", "temperature",
    "top_p",
)  # fmt: skip


@dataclass(frozen=True)
class Request:
    """One effective chat-completion request."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    revision: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    schema_name: str | None = None
    schema_json: str | None = None
    extra: str = "{}"
    """Canonical JSON of further body fields, such as a reasoning effort."""
    draw: int = 0
    purpose: str = ""
    """The name of the prompt, for people; not part of the key."""

    @cached_property
    def canonical(self) -> str:
        """The documented form that is hashed: compact JSON, fields in alphabetical order."""
        fields = {name: getattr(self, name) for name in _SAMPLED}
        fields |= {"messages": self.spoken, "schema": self.schema_json}
        return bytes_of(dict(sorted(fields.items()))).decode()

    @cached_property
    def key(self) -> str:
        """The tagged hash of all that decides the answer."""
        return key_of(self.canonical)

    @property
    def spoken(self) -> list[dict[str, str]]:
        """The messages as the API takes them."""
        return [{"content": m.content, "role": m.role} for m in self.messages]

    @classmethod
    def of(cls, canonical: str, purpose: str) -> "Request":
        """The request whose canonical form this is."""
        fields = json.loads(canonical)
        fields["messages"] = tuple(Message(m["role"], m["content"]) for m in fields["messages"])
        fields["schema_json"] = fields.pop("schema")
        return cls(**fields, purpose=purpose)

    def body(self, token_parameter: str) -> dict[str, Any]:
        """The JSON body of the chat completion that is sent."""
        sampled = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
        body: dict[str, Any] = {
            "model": self.model,
            "messages": self.spoken,
            token_parameter: self.max_tokens,
            **{name: value for name, value in sampled.items() if value is not None},
        }
        if self.schema_json is not None:
            schema = json.loads(self.schema_json)
            named = {"name": self.schema_name, "schema": schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return {**body, **json.loads(self.extra)}


def bytes_of(body: dict[str, Any]) -> bytes:
    """Compact JSON. Half an emoji, which no UTF-8 can hold, is escaped."""
    try:
        return to_json(body)
    except ValueError:  # PydanticSerializationError
        return json.dumps(body, separators=(",", ":")).encode()


def key_of(canonical: str) -> str:
    """The tagged key of a canonical request: `b2:` and 40 hex digits of blake2b."""
    return "b2:" + blake2b(canonical.encode(), digest_size=20).hexdigest()

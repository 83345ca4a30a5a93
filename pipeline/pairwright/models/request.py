"""A request and its key.

The key of a call is the tagged hash of its canonical request: model and revision, messages,
sampling, response schema, seed and draw. What does not change the answer (base URL, timeouts,
retries, concurrency) is not in it.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from pydantic_core import to_json

from pairwright.settings.prompt_variables import Message

KEY_TAG = "b2:"


@dataclass(frozen=True)
class Request:
    """One effective chat-completion request. Its `key` identifies it for ever."""

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
    """Which prompt this is, for people. Not part of the key."""
    json_reply: bool = False
    """Whether the reply will be read as JSON, with a schema or without. Not part of the key."""
    enlarged: bool = False
    """Whether it gives more room than its role begins with, because a reply was cut short. Not
    part of the key."""

    @property
    def canonical(self) -> str:
        """The documented form that is hashed: compact JSON, fields in alphabetical order.

        Changing it changes every key. Half an emoji, which no UTF-8 can hold, is escaped.
        """
        fields = {
            "draw": self.draw,
            "extra": self.extra,
            "max_tokens": self.max_tokens,
            "messages": [{"content": m.content, "role": m.role} for m in self.messages],
            "model": self.model,
            "revision": self.revision,
            "schema": self.schema_json,
            "schema_name": self.schema_name,
            "seed": self.seed,
            "temperature": self.temperature,
            "top_p": self.top_p,
        }
        try:
            return to_json(fields).decode()
        except ValueError:  # PydanticSerializationError
            return json.dumps(fields, separators=(",", ":"))

    @cached_property
    def key(self) -> str:
        return key_of(self.canonical)

    @classmethod
    def of(cls, canonical: str, purpose: str) -> "Request":
        """The request whose canonical form this is."""
        fields = json.loads(canonical)
        messages = tuple(Message(m["role"], m["content"]) for m in fields.pop("messages"))
        schema = fields.pop("schema")
        return cls(**fields, messages=messages, schema_json=schema, purpose=purpose)


def key_of(canonical: str) -> str:
    """The tagged key of a canonical request: `b2:` and 40 hex digits of blake2b."""
    digest = blake2b(canonical.encode(), digest_size=20)
    return KEY_TAG + digest.hexdigest()

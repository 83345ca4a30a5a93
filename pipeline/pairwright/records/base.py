"""The base of all records, and ids that are derived from content."""

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache

from pydantic import BaseModel, ConfigDict


def content_id(prefix: str, *parts: str) -> str:
    """An id derived from content alone: `prefix` and 16 hex digits of blake2b over the parts.

    The prefix is not hashed: where a secret or a draw comes from an id, use `draw_id`."""
    digest = hashlib.blake2b(json.dumps(parts).encode(), digest_size=8).hexdigest()
    return f"{prefix}-{digest}"


def draw_id(purpose: str, *parts: str) -> str:
    """A content id whose purpose is hashed, too: the ids that the same parts have for two purposes
    say nothing about each other."""
    return content_id(purpose, purpose, *parts)


# A user has many pairs, and each is asked for theirs more than once.
@lru_cache(maxsize=4096)
def pseudonym(user: str) -> str:
    """A user's name outside the run folder. It separates people; it does not hide them from a
    person who has the source, and posts carry their address because their licence asks for it."""
    return content_id("user", user)


Cluster = str | tuple[str, str, str]
"""What a pair is not independent of, by name: its users, or its prompt. Of a natural twin, its
couple and both responses, between which other couples chose, too."""


def dyad_id(users: Iterable[str]) -> str:
    """A name for the users that a pair or twin is about, from their ids in the run."""
    return content_id("dyad", *sorted(map(pseudonym, users)))


class Record(BaseModel):
    """Base of all records: immutable, strict about its fields, and plain JSON: no infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

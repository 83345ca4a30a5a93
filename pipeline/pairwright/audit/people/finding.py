"""Personal data found in a text.

Every pattern of this package starts at the edge of a word and repeats a bounded number of times,
so that no text costs more than some dozens of steps a character.
"""

import re
from typing import Literal, NamedTuple

Kind = Literal[
    "secret", "iban", "card", "national_id", "email", "profile_url", "ip", "phone", "address",
    "handle", "stated_name",
]  # fmt: skip


class Finding(NamedTuple):
    """Where in a text, in characters."""

    kind: Kind
    start: int
    end: int


def masked(text: str, found: Finding) -> str:
    """The finding without what it tells: its first character and its form."""
    own = text[found.start : found.end][:60]
    return own[:1] + re.sub(r"[^\W_]", "*", own[1:])


_BEFORE = re.compile(r"[\w.,+/$\u20ac\u00a3-]")


def alone(text: str, start: int) -> bool:
    """Whether what begins there is no part of a longer number or name. Looked at afterwards,
    because a pattern that begins with a look back is slow."""
    return start == 0 or not _BEFORE.match(text, start - 1)

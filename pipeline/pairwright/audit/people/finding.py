"""Personal data found in a text.

Every pattern of this package starts at the edge of a word and repeats a bounded number of times,
so that no text costs more than some dozens of steps a character.
"""

import re
from typing import Literal, NamedTuple

Kind = Literal["iban", "card", "email", "profile_url", "ip", "phone", "handle", "stated_name"]


class Finding(NamedTuple):
    """Where in a text, in characters."""

    kind: Kind
    start: int
    end: int


def masked(text: str, found: Finding) -> str:
    """The finding without what it tells: its first character and its form."""
    own = text[found.start : found.end][:60]
    return own[:1] + re.sub(r"[^\W_]", "*", own[1:])

"""What is sent with every call beside its body, and how secrets among it are kept out of messages
and of the store.
"""

import os
import re

from pairwright.text import visible
from pairwright.version import __version__

SHORTEST = 12
"""Characters from which a header's value counts as a secret, and a key is replaced in replies. A
shorter one (`test`, `none`) hides nothing, and may be a word of a reply."""


def headers_for(api_key: str | None) -> dict[str, str]:
    """The headers of every call. Those of OPENAI_CUSTOM_HEADERS replace others of their name."""
    ours = {
        "Accept": "application/json",
        "Content-Type": "application/json",
        "User-Agent": f"pairwright/{__version__}",
        # Servers without a key ignore it.
        "Authorization": f"Bearer {api_key or 'none'}",
        "OpenAI-Organization": os.environ.get("OPENAI_ORG_ID", ""),
        "OpenAI-Project": os.environ.get("OPENAI_PROJECT_ID", ""),
    }
    custom = _custom()
    replaced = {name.lower() for name in custom}
    kept = {name: value for name, value in ours.items() if name.lower() not in replaced}
    return {name: value for name, value in (kept | custom).items() if value}


class Secrets:
    """The API key and the values of custom headers, which a server may repeat in what it says."""

    def __init__(self, api_key: str | None) -> None:
        values = {api_key or ""}
        for value in _custom().values():
            # Of `Basic xyz` a server may repeat the second part alone.
            values |= {part for part in (value, *value.split()) if len(part) >= SHORTEST}
        # The longest first: one secret may be part of another.
        self._values = sorted(filter(None, values), key=len, reverse=True)

    def without(self, body: bytes) -> bytes:
        """The body of a reply with every secret replaced by `***`."""
        for secret in self._values:
            if len(secret) >= SHORTEST:
                body = body.replace(secret.encode(), b"***")
        return body

    def hide(self, message: str) -> str:
        """A server's message with every secret, and what looks like part of one, replaced, and
        without control characters, which a terminal would obey."""
        message = visible(message)
        for secret in self._values:
            message = message.replace(secret, "***")
        return re.sub(r"\b(sk|hf|key|gsk)[-_][\w*.-]{4,}", r"\1-***", message)


def _custom() -> dict[str, str]:
    """Headers of the variable that the SDK reads, too: a line `Name: value` for each."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    pairs = (line.partition(":") for line in lines)
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}

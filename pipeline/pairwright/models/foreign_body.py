"""What came in place of a reply, in words: a web page, a stream of events, half a body."""

import re

from pairwright.text import visible

_PAGE = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)\b", re.I)
_TITLE = re.compile(r"<(title|h1)[^>]*>(.*?)</\1", re.I | re.S)
_EVENTS = re.compile(r"\s*(?:data|event|id|retry):|\s*: ")
SHOWN = 60
"""Characters of a body that a message shows."""


def web_page(text: str) -> str | None:
    """`a web page` with its title, where a text is one: of a proxy, a sign-in, or a server that is
    not the API; None for any other text."""
    if not _PAGE.match(text):
        return None
    title = _TITLE.search(text)
    words = " ".join(re.sub(r"<[^>]*>", " ", title[2]).split()) if title else ""
    return f"a web page ({visible(words)[:100]!r})" if words else "a web page"


def describe_body(body: bytes, error: ValueError) -> str:
    """What a body is that cannot be read as JSON; `error` is the parser's."""
    text = body.decode("utf-8", "replace")
    if page := web_page(text):
        return f"{page} in place of a reply"
    if not text.strip():
        return "an empty body in place of a reply"
    if _EVENTS.match(text):
        return "a stream of events in place of one reply; it was not asked for"
    head = " ".join(visible(text[: 2 * SHOWN]).split())[:SHOWN]
    if text.lstrip()[:1] == "{":
        return f"not JSON, or broken off in the middle: {error}; it begins with {head!r}"
    return f"not JSON: {error}; it begins with {head!r}"

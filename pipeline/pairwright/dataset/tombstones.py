"""Users and addresses that are to be forgotten, known by the hash of their name alone."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from pairwright.dataset.licence import of_stack_exchange
from pairwright.dataset.row import Row, RowPost
from pairwright.records import Item, Pair, Post, content_id, pseudonym

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_TRACKING = re.compile(r"utm_.*|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}
# /questions/ID[/slug[/ANSWER]], and the short forms that "share" gives, with the sharer's number.
_QUESTION = re.compile(r"/(?:questions|q)/(\d+)(?:/.*)?")
_ANSWER = re.compile(r"/(?:questions/\d+/[^/]+|a)/(\d+)(?:/\d*)?")
_ANSWER_BELOW = re.compile(r"(?:answer-)?(\d+)")


@lru_cache(maxsize=200_000)
def url_name(url: str) -> str:
    """The name of an address in a list of tombstones: the same for all spellings of it.

    Scheme, `www.`, the host's case, a usual port, a last slash, fragment and tracking parameters do
    not count, nor does the order of the others. Of Stack Exchange's addresses, which come with a
    title or short, counts which question or answer they lead to.
    """
    return content_id("url", _plain(url.strip()))


def _plain(url: str) -> str:
    try:
        parts = urlsplit(url if _SCHEME.match(url) else f"https://{url.lstrip('/')}")
        host, port = (parts.hostname or "").removeprefix("www."), parts.port
    except ValueError:
        return url
    if port is not None and port != _PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    if of_stack_exchange(f"https://{host}") and (post := _stack_exchange(parts)):
        return f"{host}{post}"
    path = quote(unquote(parts.path)).rstrip("/")
    asked = sorted(
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _TRACKING.fullmatch(name)
    )
    return f"{host}{path}" + (f"?{urlencode(asked)}" if asked else "")


def _stack_exchange(parts: SplitResult) -> str | None:
    path = parts.path.rstrip("/")
    if answer := _ANSWER.fullmatch(path):
        return f"/a/{answer[1]}"
    question = _QUESTION.fullmatch(path)
    if not question:
        return None
    below = _ANSWER_BELOW.fullmatch(parts.fragment)
    return f"/a/{below[1]}" if below else f"/q/{question[1]}"


class Forgotten(NamedTuple):
    """Everything that tombstones name."""

    users: frozenset[str] = frozenset()
    """Pseudonyms."""
    urls: frozenset[str] = frozenset()
    """Names of addresses."""

    def concerns(self, found: Pair | Item) -> bool:
        """Whether its user, its question or a post of its profile is named."""
        return pseudonym(found.user) in self.users or self.holds(found.source_url, found.profile)

    def concerns_row(self, row: Row) -> bool:
        """The same of a released pair."""
        return row.user in self.users or self.holds(row.source_url, row.profile)

    def holds(self, question: str | None, posts: Iterable[Post | RowPost]) -> bool:
        """Whether the address of a question or of one of these posts is named."""
        if not self.urls:
            return False
        addresses = (question, *(post.source_url for post in posts))
        return any(url_name(url) in self.urls for url in addresses if url)

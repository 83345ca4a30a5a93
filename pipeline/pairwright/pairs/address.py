"""The address of a post, alike for all its spellings, and the licence that follows from it. Also
users and addresses that are to be forgotten, known by hashes of names alone.

Posts of Stack Exchange are under CC BY-SA (https://stackoverflow.com/help/licensing). The date of a
post gives the version: 2.5 before 2011-04-08, 3.0 before 2018-05-02, then 4.0.
"""

import posixpath
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from pydantic import Field

from pairwright.lines import read_lines
from pairwright.pairs.row import Row, RowPost
from pairwright.records import OppositeChoice, Pair, Post, Record, content_id, pseudonym
from pairwright.sources.dumps import HOST as STACK_EXCHANGE
from pairwright.text import visible

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):/+", re.IGNORECASE)
_AROUND = " \t\r\n\u00a0<>\"'"
# The host of most addresses is plain to see.
_PLAIN = re.compile(r"https?://([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?:[/?#]|\Z)", re.IGNORECASE | re.ASCII)
_LICENCES = {"2011-04-08": "CC-BY-SA-2.5", "2018-05-02": "CC-BY-SA-3.0"}


def address_of(url: str) -> SplitResult | None:
    """The parts of an address in one spelling, without its scheme, `www.`, usual port, dots in its
    path and last slash; None for a text that is not one. It needs no scheme, as in a browser."""
    plain = unicodedata.normalize("NFC", visible(url)).strip(_AROUND).replace("&amp;", "&")
    scheme = _SCHEME.match(plain)
    rest = plain[scheme.end() :] if scheme else plain.lstrip("/")
    name = scheme[1].lower() if scheme else "https"
    try:
        parts = urlsplit(f"{name}://{rest}")
        host = ".".join(  # RFC 3492
            label[4:].encode().decode("punycode") if label.startswith("xn--") else label
            for label in (parts.hostname or "").rstrip(".").split(".")
        ).removeprefix("www.")
        port = parts.port
    except ValueError:
        return None
    usual = port in (None, {"http": 80, "https": 443}.get(name))
    path = unicodedata.normalize("NFC", unquote(parts.path)).lstrip("/")
    path = quote(posixpath.normpath(f"/{path}")).rstrip("/")
    return SplitResult("", host if usual else f"{host}:{port}", path, parts.query, parts.fragment)


def host_of(url: str) -> str | None:
    """The host of an address; None for a text that is not one."""
    if "xn--" not in url and (plain := _PLAIN.match(url)):
        return plain[1].lower().removeprefix("www.")
    address = address_of(url)
    return address and (address.hostname or "")


def of_stack_exchange(url: str) -> bool:
    """Whether an address is of one of its sites."""
    return bool(STACK_EXCHANGE.fullmatch(host_of(url) or ""))


def licence_of(url: str | None, created: str | None, default: str | None = None) -> str | None:
    """The SPDX id of a post's licence: `default` for one that is not of Stack Exchange; or None."""
    if not url or not of_stack_exchange(url):
        return default
    later = (licence for until, licence in _LICENCES.items() if created and created < until)
    return next(later, "CC-BY-SA-4.0") if created else None


# What is to be forgotten

_TRACKING = re.compile(r"utm_.*|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid", re.IGNORECASE)
# Questions and answers of a site share their numbers. A question's page with the number of an
# answer at its end is that answer's; after the short forms comes who shared them.
_POST = re.compile(
    r"/(?:questions/[0-9]+/[^/]+|questions|q|a|posts|revisions)/([0-9]+)(?:/.*)?", re.IGNORECASE
)
_BELOW = re.compile(r"(?:answer-|comment[0-9]+_)?([0-9]+)")


@lru_cache(maxsize=200_000)
def url_name(url: str) -> str:
    """The name of an address in a list of tombstones: the same for all spellings of it, whatever
    its fragment, tracking parameters and order of the others. An address of Stack Exchange counts
    as the post that it leads to; a comment's as the post that it is below."""
    address = address_of(url)
    if address is None:
        return content_id("url", url.strip())
    host = "mathoverflow.net" if address.netloc == "mathoverflow.com" else address.netloc
    if STACK_EXCHANGE.fullmatch(host) and (post := _POST.fullmatch(address.path)):
        below = _BELOW.fullmatch(address.fragment)
        return content_id("url", f"{host}/{below[1] if below else post[1]}")
    query = parse_qsl(address.query, keep_blank_values=True)
    kept = urlencode(sorted(one for one in query if not _TRACKING.fullmatch(one[0])))
    return content_id("url", f"{host}{address.path}" + (f"?{kept}" if kept else ""))


class ForgetList(NamedTuple):
    """Everything that tombstones name: users by pseudonym, addresses by `url_name`."""

    users: frozenset[str] = frozenset()
    urls: frozenset[str] = frozenset()

    def concerns(self, record: Pair | Row) -> bool:
        """Whether its user, its question or a post of its profile is named."""
        user = (record.user or "") if isinstance(record, Row) else pseudonym(record.user)
        return user in self.users or self.holds(record.source_url, record.profile)

    def holds(self, question: str | None, posts: Iterable[Post | RowPost | OppositeChoice]) -> bool:
        """Whether the address of a question or of one of these posts is named."""
        addresses = (question, *(post.source_url for post in posts)) if self.urls else ()
        return any(url_name(url) in self.urls for url in addresses if url)


TOMBSTONES_FILE = "forgotten.jsonl"


class Tombstone(Record):
    """A line: the pseudonym of a user, or the name of an address."""

    name: str = Field(pattern=r"^(user|url)-[0-9a-f]{16}$")


def read_tombstones(run: Path) -> ForgetList:
    """Names of people and posts that the next release of a run leaves out. Raises InputError for a
    line that is not a tombstone: whom it named would come back."""
    if not (run / TOMBSTONES_FILE).exists():
        return ForgetList()
    names = {line.name for line in read_lines(run / TOMBSTONES_FILE, Tombstone)}
    users = frozenset(name for name in names if name.startswith("user-"))
    return ForgetList(users, frozenset(names - users))

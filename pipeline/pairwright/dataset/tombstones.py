"""Users and addresses that are to be forgotten, known by the hash of their name alone."""

import re
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from pairwright.dataset.address import address_of, stack_exchange_host
from pairwright.dataset.row import Row, RowPost, RowSource
from pairwright.records import (
    Authorship,
    Item,
    OppositeChoice,
    Pair,
    Post,
    PublishedAnswer,
    ResponseSource,
    content_id,
    pseudonym,
)

_Addressed = (
    Post | RowPost | OppositeChoice | Authorship | PublishedAnswer | ResponseSource | RowSource
)

_TRACKING = re.compile(r"utm_.*|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid", re.IGNORECASE)
# Questions and answers of a site share their numbers. A question's page with the number of an
# answer at its end is that answer's; after the short forms comes who shared them.
_POST = re.compile(
    r"/(?:questions/[0-9]+/[^/]+|questions|q|a|posts|revisions)/([0-9]+)(?:/.*)?", re.IGNORECASE
)
_BELOW = re.compile(r"(?:answer-|comment[0-9]+_)?([0-9]+)")
_SAME_SITE = {"mathoverflow.com": "mathoverflow.net"}


@lru_cache(maxsize=200_000)
def url_name(url: str) -> str:
    """The name of an address in a list of tombstones: the same for all spellings of it.

    Scheme, `www.`, the host's case, a usual port, a last slash, fragment and tracking parameters do
    not count, nor does the order of the others. Of Stack Exchange's addresses, which come with a
    title or short, counts which post they lead to: a comment's, to the post it is below.
    """
    return content_id("url", _plain(url))


def _plain(url: str) -> str:
    address = address_of(url)
    if address is None:
        return url.strip()
    host = _SAME_SITE.get(address.host, address.host)
    if stack_exchange_host(host) and (post := _POST.fullmatch(address.path)):
        below = _BELOW.fullmatch(address.fragment)
        return f"{host}/{below[1] if below else post[1]}"
    host += f":{address.port}" if address.port is not None else ""
    query = sorted(
        (name, value)
        for name, value in parse_qsl(address.query, keep_blank_values=True)
        if not _TRACKING.fullmatch(name)
    )
    return f"{host}{address.path}" + (f"?{urlencode(query)}" if query else "")


class ForgetList(NamedTuple):
    """Everything that tombstones name."""

    users: frozenset[str] = frozenset()
    """Pseudonyms."""
    urls: frozenset[str] = frozenset()
    """Names of addresses."""

    def concerns(self, record: Pair | Item) -> bool:
        """Whether its user, its question, a post of its profile, or a response or its author is
        named."""
        if isinstance(record, Item):
            answers: Sequence[PublishedAnswer | Authorship] = ()
            choices: Sequence[OppositeChoice] = ()
            if record.accepted:
                answers = record.accepted.both
            elif record.opposite:
                answers, choices = record.opposite.authorships or (), [record.opposite]
            authors = {pseudonym(answer.user) for answer in answers if answer.user}
            addressed = [*answers, *choices]
            return self._concerns(pseudonym(record.user), authors, record, addressed)
        sources = record.response_sources.both if record.response_sources else ()
        authors = {source.user for source in sources}
        return self._concerns(pseudonym(record.user), authors, record, sources)

    def concerns_row(self, row: Row) -> bool:
        """The same of a released pair."""
        answers = row.response_sources.both if row.response_sources else ()
        return self._concerns(row.user or "", {answer.user for answer in answers}, row, answers)

    def _concerns(
        self, user: str, authors: Set[str], record: Pair | Item | Row, answers: Sequence[_Addressed]
    ) -> bool:
        named = user in self.users or not self.users.isdisjoint(authors)
        return named or self.holds(record.source_url, [*record.profile, *answers])

    def holds(self, question: str | None, posts: Iterable[_Addressed]) -> bool:
        """Whether the address of a question or of one of these posts is named."""
        if not self.urls:
            return False
        addresses = (question, *(post.source_url for post in posts))
        return any(url_name(url) in self.urls for url in addresses if url)

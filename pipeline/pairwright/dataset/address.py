"""An address as people write or copy it, taken apart so that spellings of one are alike."""

import posixpath
import re
import unicodedata
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from pairwright import text

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):/+", re.IGNORECASE)
_AROUND = " \t\r\n\u00a0<>\"'"
# Most addresses are like this, and then their host is plain to see.
_PLAIN = re.compile(r"https?://([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?:[/?#]|\Z)", re.IGNORECASE | re.ASCII)


class Address(NamedTuple):
    """Its parts; the scheme does not count."""

    host: str
    """In lower case, in its own script, without `www.` and a last dot."""
    port: int | None
    """None for the one that goes with the scheme."""
    path: str
    """Quoted, without dots, doubled and last slashes; empty for the first page."""
    query: str
    fragment: str


def address_of(url: str) -> Address | None:
    """None for a text that is not an address. One without a scheme is taken as a browser would."""
    plain = unicodedata.normalize("NFC", text.visible(url)).strip(_AROUND).replace("&amp;", "&")
    scheme = _SCHEME.match(plain)
    rest = plain[scheme.end() :] if scheme else plain.lstrip("/")
    name = scheme[1].lower() if scheme else "https"
    try:
        parts = urlsplit(f"{name}://{rest}")
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:
        return None
    path = unicodedata.normalize("NFC", unquote(parts.path)).lstrip("/")
    return Address(
        host.removeprefix("www."),
        None if port == {"http": 80, "https": 443}.get(name) else port,
        quote(posixpath.normpath(f"/{path}")).rstrip("/"),
        parts.query,
        parts.fragment,
    )


def host_of(url: str) -> str | None:
    """The host of `address_of`, without the work of taking the rest apart."""
    plain = _PLAIN.match(url)
    if plain and "xn--" not in url:
        return plain[1].lower().removeprefix("www.")
    address = address_of(url)
    return address and address.host


def _host(name: str) -> str:
    """Raises ValueError for a label that is not punycode (RFC 3492)."""
    labels = name.rstrip(".").split(".")
    return ".".join(
        label[4:].encode().decode("punycode") if label.startswith("xn--") else label
        for label in labels
    )

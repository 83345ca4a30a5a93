"""Addresses on the internet: of machines, and of people's pages."""

import ipaddress
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from pairwright.audit.people.finding import REDACT, DataKind, Finding
from pairwright.audit.records import CheckDefinition

IP = CheckDefinition(
    family="people",
    name="ip",
    title="IP addresses",
    why="The IP address of a home computer can lead to its owner.",
    todo=REDACT,
)

PROFILE_URL = CheckDefinition(
    family="people",
    name="profile_url",
    title="Addresses of people's pages",
    why="They join a user to accounts elsewhere; many are of well-known people, too.",
    todo=REDACT,
)


_IPV4 = re.compile(r"(?<![\w.-])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w-]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{0,4}(?![\w:])")
_VERSION = re.compile(
    r"(?:\b(?:v|ver|version|release|build|firmware|section|chapter|clause|part|update|patch)s?"
    r"|§)[ .:]{0,2}$",
    re.IGNORECASE,
)
# Sites on which the first step of a path is the name of a user.
_SITES = r"twitter|x|github|gitlab|instagram|facebook|pinterest|soundcloud|patreon|threads|twitch"
_SITE = re.compile(rf"(?:www\.|m\.)?(?:{_SITES})\.(?:com|net|tv)")
_OWN_SITE = re.compile(
    r"(?!www\.)[\w-]+\.(?:tumblr\.com|blogspot\.com|livejournal\.com|github\.io)"
)
_URL = re.compile(
    rf"(?:https?://|(?<![\w.@/-])(?:www\.|(?:{_SITES}|linkedin|reddit|youtube)\.(?:com|net|tv)/))"
    r"[^\s<>\"'`\[\]{}|\\]{3,500}",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"/(?:users?|u|members?|profiles?)/[\w.~%-]+|/@[\w.-]+|/~\w+|/in/[\w%-]+"
    r"|/wiki/User(?:_talk)?:\w",
    re.IGNORECASE,
)
# First steps that are a site's own.
_SITE_PATHS = frozenset(
    """
    p reel reels explore search hashtag intent share sharer sharer.php status home login signup
    about features topics pages groups events watch i settings help privacy tos terms legal jobs
    blog marketplace pricing sponsors orgs apps collections trending directory videos discover
    tags stream stories photo photo.php story.php
    """.split()
)


def ips(text: str) -> Iterator[Finding]:
    """Public IP addresses: not private or reserved ones, and not the number of a version."""
    # Looking at a whole text for the second form takes long, and few hold three colons.
    for pattern in (_IPV4, _IPV6) if text.count(":") > 2 else (_IPV4,):
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - 12) : match.start()]
            if _public(match.group()) and not _VERSION.search(before):
                yield Finding(IP.name, *match.span())


def _public(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_global
    except ValueError:
        return False


def profile_urls(text: str) -> Iterator[Finding]:
    """Addresses of people's pages."""
    if "/" not in text and "www." not in text:
        return
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?)*_")
        if _names_somebody(url):
            yield Finding(PROFILE_URL.name, match.start(), match.start() + len(url))


def _names_somebody(url: str) -> bool:
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        host = (parts.hostname or "").lower()
    except ValueError:
        return False
    if _NAMED.match(parts.path) or _OWN_SITE.fullmatch(host):
        return True
    first, *rest = [step.lower() for step in parts.path.split("/") if step] or [""]
    is_page = not rest or rest[0] == "status"
    return bool(_SITE.fullmatch(host)) and bool(first) and first not in _SITE_PATHS and is_page


HOSTS = (
    DataKind(PROFILE_URL, profile_urls),
    # An address of the sixth version without a digit is one that nobody has.
    DataKind(IP, ips, needs_digits=True),
)

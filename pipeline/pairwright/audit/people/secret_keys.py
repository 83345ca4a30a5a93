"""Keys that open accounts: of services, signed tokens, and private keys."""

import re
from collections.abc import Iterator

from pairwright.audit.people.finding import Finding

# As their issuers say they look; https://github.com/gitleaks/gitleaks has the same and more.
_ISSUED = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"sk-[A-Za-z0-9_-]{16,250}"
    r"|[srp]k_(?:live|test)_[A-Za-z0-9]{16,250}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}"
    r"|gh[opsur]_[A-Za-z0-9]{20,250}|github_pat_[A-Za-z0-9_]{20,250}|glpat-[A-Za-z0-9_-]{16,250}"
    r"|hf_[A-Za-z0-9]{20,250}|npm_[A-Za-z0-9]{30,250}|AIza[A-Za-z0-9_-]{30,40}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,250}|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"
    r"|eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{5,4000}\.[A-Za-z0-9_-]{10,1000}"  # RFC 7519
    r")(?![A-Za-z0-9_])"
)
_MARKS = (
    "sk-", "k_live_", "k_test_", "AKIA", "ASIA", "ghp_", "gho_", "ghs_", "ghu_", "ghr_",
    "github_pat_", "glpat-", "hf_", "npm_", "AIza", "xox", "SG.", "eyJ",
)  # fmt: skip
_NAMED = re.compile(
    r"\b(?:api[ _-]?key|access[ _-]?key|secret(?:[ _-]?(?:access[ _-]?)?key)?|auth[ _-]?token"
    r"|access[ _-]?token|password|passwd)[\"'`]{0,2} ?(?:[:=]|is) ?[\"'`]?"
    r"(?P<key>[A-Za-z0-9+/_-]{20,200})(?![A-Za-z0-9+/_-])",
    re.IGNORECASE,
)
_NAMES = ("key", "secret", "token", "passw")
BLOCK = "-----BEGIN "
_BLOCK = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST = 8_000
"""Characters of a private key; one of 4,096 bits has 3,300."""
FEWEST = 8
"""Distinct characters: `sk-xxxxxxxxxxxxxxxx` stands for a key and is none."""


def secrets(text: str) -> Iterator[Finding]:
    if BLOCK in text:
        for match in _BLOCK.finditer(text):
            end = text.find("-----END ", match.end(), match.end() + _LONGEST)
            close = text.find("-----", end + 9, end + 60) if end >= 0 else -1
            yield Finding("secret", match.start(), close + 5 if close >= 0 else match.end())
    if any(map(text.__contains__, _MARKS)):
        for match in _ISSUED.finditer(text):
            if _random(match.group()):
                yield Finding("secret", *match.span())
    if any(map(text.lower().__contains__, _NAMES)):
        for match in _NAMED.finditer(text):
            if _random(match["key"]):
                yield Finding("secret", *match.span("key"))


def _random(key: str) -> bool:
    """Letters and digits, and not the same few again and again."""
    mixed = any(map(str.isdigit, key)) and any(map(str.isalpha, key))
    return mixed and len(set(key)) >= FEWEST

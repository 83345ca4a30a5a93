"""Keys, account and card numbers, and numbers of state registers: what their patterns look like."""

import re
from collections.abc import Iterator

from pairwright.audit.people.finding import REDACT, DataKind, Finding, starts_alone
from pairwright.audit.records import CheckDefinition

SECRET = CheckDefinition(
    family="people",
    name="secret",
    title="Keys and passwords",
    why="A reader can use the account that they open, at its owner's cost, and read what is in "
    "it. A password is found only if it is named and has 20 characters or more.",
    todo="Have the key withdrawn by its owner first: it has been public. " + REDACT,
)

IBAN = CheckDefinition(
    family="people",
    name="iban",
    title="Account numbers (IBAN)",
    why="Anybody can charge such an account.",
    todo=REDACT,
)

CARD = CheckDefinition(
    family="people",
    name="card",
    title="Card numbers",
    why="Anybody can try to pay with them.",
    todo=REDACT,
)

NATIONAL_ID = CheckDefinition(
    family="people",
    name="national_id",
    title="Numbers of a state's register",
    why="With a social security number anybody can pass for its owner.",
    todo=REDACT,
)


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
LEAST_DISTINCT = 8
"""Distinct characters: `sk-xxxxxxxxxxxxxxxx` is a placeholder for a key."""


def secrets(text: str) -> Iterator[Finding]:
    if BLOCK in text:
        for match in _BLOCK.finditer(text):
            end = text.find("-----END ", match.end(), match.end() + _LONGEST)
            close = text.find("-----", end + 9, end + 60) if end >= 0 else -1
            yield Finding(SECRET.name, match.start(), close + 5 if close >= 0 else match.end())
    if any(map(text.__contains__, _MARKS)):
        for match in _ISSUED.finditer(text):
            if _random(match.group()):
                yield Finding(SECRET.name, *match.span())
    if any(map(text.lower().__contains__, _NAMES)):
        for match in _NAMED.finditer(text):
            if _random(match["key"]):
                yield Finding(SECRET.name, *match.span("key"))


def _random(key: str) -> bool:
    """Letters and digits, and not the same few again and again."""
    mixed = any(map(str.isdigit, key)) and any(map(str.isalpha, key))
    return mixed and len(set(key)) >= LEAST_DISTINCT


_CARD = re.compile(
    r"(?<![\w.,+-])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{4,5}|\d{14,16}|\d{19})"
    r"(?![\w-]|[.,]\d)"
)
_LONG = re.compile(r"\d(?:[ -]?\d){13}")
_ISSUERS = re.compile(
    r"4(?:\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|35\d{14}"
)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])"
    r"(?:[A-Z]{2}\d{2}(?:(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?|[A-Z0-9]{11,30})"
    # In small letters words look like groups of four.
    r"|[a-z]{2}\d{2}(?:(?: \d{4}){2,7}(?: \d{1,3})?|[a-z0-9]{11,30}))"
    r"(?![A-Za-z0-9])"
)


def cards(text: str) -> Iterator[Finding]:
    """Numbers of a card issuer's form whose check digit is right (Luhn, ISO/IEC 7812-1)."""
    for match in _CARD.finditer(text) if _LONG.search(text) else ():
        digits = "".join(filter(str.isdigit, match.group()))
        if _ISSUERS.fullmatch(digits) and len(set(digits)) > 2 and _luhn(digits):
            yield Finding(CARD.name, *match.span())


def ibans(text: str) -> Iterator[Finding]:
    """Account numbers whose check digits are right (ISO 13616, modulo 97)."""
    for match in _IBAN.finditer(text):
        iban = match.group().replace(" ", "")
        moved = "".join(str(int(c, 36)) for c in iban[4:] + iban[:4])
        if 15 <= len(iban) <= 34 and int(moved) % 97 == 1:
            yield Finding(IBAN.name, *match.span())


def _luhn(digits: str) -> bool:
    turned = [int(d) for d in reversed(digits)]
    doubled = [sum(divmod(2 * d, 10)) for d in turned[1::2]]
    return (sum(turned[::2]) + sum(doubled)) % 10 == 0


# No number of the United States begins with 000, 666 or 9 (Social Security Administration).
_AMERICAN = re.compile(
    r"\d{3}(?<!000)(?<!666)(?<!9\d\d)(?P<gap>[- ])(?!00)\d\d(?P=gap)(?!0000)\d{4}(?![\w/-]|[.,]\d)"
)
_BRITISH = re.compile(
    r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?<!BG|GB|KN|NK|NT|TN|ZZ)"
    r"(?P<gap> ?)\d\d(?P=gap)\d\d(?P=gap)\d\d(?P=gap)[A-D](?![\w-])"
)
_CUED = re.compile(
    r"\b(?:ssn|social[ -]security|pesel|national insurance|nino|steuer-?id|codice fiscale"
    r"|passport|aadhaar)(?: (?:no|number|nr|num))?\.?[^\w\n]{0,3}(?:is|was|:)?\s{0,2}"
    r"(?P<number>[A-Z]{0,2}\d(?:[ -]?\d){7,11}[A-Z]?)(?!\w|[.,]\d)",
    re.IGNORECASE,
)
_CUES = ("ssn", "social", "pesel", "insurance", "nino", "steuer", "codice", "passport", "aadhaar")


def national_ids(text: str) -> Iterator[Finding]:
    cued = any(map(text.lower().__contains__, _CUES))
    if "-" in text or cued:
        for match in _AMERICAN.finditer(text):
            # With spaces it is a form that other numbers have, too.
            if starts_alone(text, match.start()) and (match["gap"] == "-" or cued):
                yield Finding(NATIONAL_ID.name, *match.span())
    for match in _BRITISH.finditer(text):
        if starts_alone(text, match.start()):
            yield Finding(NATIONAL_ID.name, *match.span())
    if cued:
        for match in _CUED.finditer(text):
            yield Finding(NATIONAL_ID.name, *match.span("number"))


IDENTIFIERS = (
    DataKind(SECRET, secrets, fails=True),
    DataKind(IBAN, ibans, fails=True, needs_digits=True),
    DataKind(CARD, cards, fails=True, needs_digits=True),
    DataKind(NATIONAL_ID, national_ids, fails=True, needs_digits=True),
)

"""Personal data in texts: keys by detect-secrets, telephone numbers by phonenumbers, numbers of
accounts, cards and registers by their forms and the check digits of python-stdnum."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple, cast

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector
from phonenumbers import Leniency, PhoneNumberMatcher
from stdnum import get_cc_module, iban, luhn

from pairwright.audits.checks import Found, counted
from pairwright.audits.facts import Facts
from pairwright.audits.records import Check, Redaction
from pairwright.pairs import ReadRow, Row

Span = tuple[int, int]
MOST_FINDINGS = 200
"""The most findings of one kind in one text."""


class Finding(NamedTuple):
    """Personal data in a text: `text[start:end]`."""

    kind: str
    """The name of its check."""
    start: int
    end: int


_NOT_SOUGHT = ("Artifactory", "Cloudant", "IPPublic", "Ibm", "Softlayer")
"""Detectors whose patterns match prose, too: the others' stand for one issuer or form."""
# Nearly every text is without this, and then it holds no key.
_MAY_BE_KEY = re.compile(r"[A-Za-z0-9_=/+-]{16}|PRIVATE KEY|://[^\s/@]+@")


@cache
def _key_patterns() -> tuple[re.Pattern[str], ...]:
    known: dict[str, Any] = get_mapping_from_secret_type_to_class()
    named = {one.__name__: one for one in known.values() if issubclass(one, RegexBasedDetector)}
    sought = sorted(name for name in named if not name.startswith(_NOT_SOUGHT))
    return tuple(pattern for name in sought for pattern in named[name]().denylist)


def _secrets(text: str) -> Iterator[Span]:
    if _MAY_BE_KEY.search(text):
        for pattern in _key_patterns():
            yield from (match.span() for match in pattern.finditer(text))


def _sought(
    pattern: str, is_valid: Callable[[str], bool] = bool, marks: str = "", flags: int = 0
) -> Callable[[str], Iterator[Span]]:
    """Find what has a form and is valid, in texts with one of some marks, which is quick to see."""
    compiled = re.compile(pattern, flags)

    def found(text: str) -> Iterator[Span]:
        if not marks or any(mark in text for mark in marks):
            yield from (one.span() for one in compiled.finditer(text) if is_valid(one.group()))

    return found


def _numbers(form: str, is_valid: Callable[[str], bool]) -> Callable[[str], Iterator[Span]]:
    """Numbers of a form that stand alone and whose check digits are right."""
    return _sought(rf"(?<![\w.,+/$-])(?:{form})(?![\w-]|[.,]\d)", is_valid)


def _is_card(number: str) -> bool:
    digits = re.sub(r"\D", "", number)
    return len(set(digits)) > 2 and luhn.is_valid(digits)


_REGISTER = tuple(
    _numbers(form, cast(Any, get_cc_module(*name.split("."))).is_valid)
    for name, form in {
        "us.ssn": r"\d{3}-\d{2}-\d{4}",
        "br.cpf": r"\d{3}\.\d{3}\.\d{3}-\d{2}",
        "ch.ssn": r"756\.\d{4}\.\d{4}\.\d{2}",
        "es.dni": r"\d{8}-?[A-Z]",
        "es.nie": r"[XYZ]-?\d{7}-?[A-Z]",
        "fi.hetu": r"\d{6}[-+A]\d{3}[0-9A-Y]",
        "fr.nir": r"[12] ?\d\d ?[01]\d ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d",
        "it.codicefiscale": r"[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]",
        "se.personnummer": r"\d{6}[-+]\d{4}",
    }.items()
)
# All numbers of registers have six digits, with no more than a letter and a mark between two.
_SIX = re.compile(r"\d(?:[ .-]?[A-Z]?\d){5}")


def _national_ids(text: str) -> Iterator[Span]:
    if _SIX.search(text):
        for found in _REGISTER:
            yield from found(text)


_MAIL = (
    r"(?<![A-Za-z0-9._%+@/-])[A-Za-z0-9._%+-]{0,63}[A-Za-z0-9_-](?:@|\uff20|%40)"
    r"(?!(?:[\w.-]*\.)?example\.)(?:[\w-]{1,63}\.){1,5}[^\W\d_]{2,24}(?![A-Za-z0-9@-])"
)
_NO_MAILBOX = re.compile(
    r"(?:git|no-?reply)@|.*\.(?:example|test|invalid|local|png|jpe?g|gif|svg)$"
)

# Seven digits with no more than marks between them: quick to look for, and few texts have it.
_MAY_BE_PHONE = re.compile(r"\d(?:[ .()/\u00a0\u2010\u2011-]{0,4}\d){6}")


def _phones(text: str) -> Iterator[Span]:
    """International numbers, and those of North America without a code."""
    if _MAY_BE_PHONE.search(text):
        for match in PhoneNumberMatcher(text, "US", leniency=Leniency.VALID):
            yield match.start, match.end


_PAGE = (
    r"(?<![\w@./-])(?:https?://)?(?:www\.)?(?:"
    r"(?:twitter|x|github|instagram|facebook)\.com/"
    r"(?!(?:search|p|features|explore|share|intent|login|about|hashtag)\b)"
    r"[\w.-]+(?:/status/\d+)?(?![\w/])"
    r"|[\w-]+(?:\.[\w-]+)+/(?:(?:users?|u|in|profiles?|members?)/[\w%~-]|[@~]\w)[\w.%~/-]*)"
)
_HANDLE = (
    r"(?<![\w@.+/\\{}-])@[A-Za-z_][A-Za-z0-9_]{2,29}(?![\w@({/=:]|[.-]\w)"
    r"|(?<![\w/.])/?u/[A-Za-z0-9_-]{3,20}(?![\w/-])"
)
_IBAN = r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?"
_CARD = r"[2-6]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5}"
_FINDERS: tuple[tuple[str, Callable[[str], Iterator[Span]]], ...] = (
    ("secret", _secrets),
    ("account", _numbers(_IBAN, iban.is_valid)),
    ("account", _numbers(_CARD, _is_card)),
    ("national_id", _national_ids),
    ("email", _sought(_MAIL, lambda found: not _NO_MAILBOX.match(found), "@\uff20%")),
    ("public_name", _sought(_PAGE, marks="/", flags=re.IGNORECASE)),
    ("phone", _phones),
    ("public_name", _sought(_HANDLE, marks="@/")),
)
"""By check. If findings overlap, that of the first is kept."""
KINDS = tuple(dict.fromkeys(kind for kind, _ in _FINDERS))
_MARKS = b"0123456789@/"
"""Without one of these an ASCII text holds nothing, unless it is `PRIVATE KEY`."""


# Posts are repeated in the rows of their user.
@lru_cache(maxsize=1 << 15)
def find(text: str) -> tuple[Finding, ...]:
    """All personal data in a text, by place."""
    if text.isascii() and "PRIVATE KEY" not in text:
        plain = text.encode()
        if len(plain.translate(None, _MARKS)) == len(plain):
            return ()
    findings: list[Finding] = []
    for kind, found in _FINDERS:
        for start, end in islice(found(text), MOST_FINDINGS):
            if all(end <= other.start or other.end <= start for other in findings):
                findings.append(Finding(kind, start, end))
    return tuple(sorted(findings, key=lambda one: one.start))


def mask(text: str, finding: Finding) -> str:
    """A finding as a report may show it: its first character and its form."""
    own = text[finding.start : finding.end][:60]
    return own[:1] + re.sub(r"[^\W_]", "*", own[1:])


def mask_text(text: str) -> str:
    """A text as a check may quote it: its personal data are masked."""
    for one in reversed(find(text)):
        text = text[: one.start] + mask(text, one) + text[one.end :]
    return text


class PersonalData:
    """A check per kind: rows that hold such data; and every place of it. Addresses that a licence
    asks for (`source_url`) are not searched."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[dict[str, str], list[tuple[Finding, str]]]] = {}
        """By the hash of a text that holds such data, where it is first, as a Redaction says it;
        and what is found, each with its mask."""
        self._rows: Counter[int] = Counter()
        self._found = {kind: Found() for kind in KINDS}

    def add(self, number: int, line: ReadRow) -> None:
        """Search one row's texts."""
        details: dict[str, str] = {}
        holding = set[int]()
        for field, post, text in _fields(line.row):
            if not (findings := find(text)):
                continue
            holding.add(key := hash(text))
            if key not in self._texts:
                place = {"row": line.row.id, "where": line.where, "field": field, "post": post}
                self._texts[key] = place, [(one, mask(text, one)) for one in findings]
            for one, masked in self._texts[key][1]:
                details.setdefault(one.kind, f"{field}: {masked}")
        self._rows.update(holding)
        for kind, detail in details.items():
            self._found[kind].add(number, detail)

    def checks(self, facts: Facts) -> Iterator[Check]:
        """The check of each kind."""
        for kind, found in self._found.items():
            found.of = len(facts)
            yield counted(kind, found, facts)

    def redactions(self) -> Iterator[Redaction]:
        """All findings, in the order of the source."""
        for key, (place, findings) in self._texts.items():
            for one, masked in findings:
                yield Redaction(**place, **one._asdict(), masked=masked, rows=self._rows[key])


def _fields(row: Row) -> Iterator[tuple[str, str, str]]:
    """Every text that people read, as field, post and text."""
    for name in ("question", "narrative", "chosen", "rejected"):
        if text := getattr(row, name):
            yield name, "", text
    for number, post in enumerate(row.profile):
        yield f"profile[{number}].text", post.id, post.text
    for number, aspect in enumerate(row.rubric_aspects):
        for name in ("aspect", "reason", "evidence"):
            if text := getattr(aspect, name):
                yield f"rubric_aspects[{number}].{name}", "", text

"""Numbers of cards and accounts, by their check digits."""

import re
from collections.abc import Iterator

from pairwright.audit.people.finding import Finding

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
            yield Finding("card", *match.span())


def ibans(text: str) -> Iterator[Finding]:
    """Account numbers whose check digits are right (ISO 13616, modulo 97)."""
    for match in _IBAN.finditer(text):
        given = match.group().replace(" ", "")
        moved = "".join(str(int(c, 36)) for c in given[4:] + given[:4])
        if 15 <= len(given) <= 34 and int(moved) % 97 == 1:
            yield Finding("iban", *match.span())


def _luhn(digits: str) -> bool:
    turned = [int(d) for d in reversed(digits)]
    doubled = [sum(divmod(2 * d, 10)) for d in turned[1::2]]
    return (sum(turned[::2]) + sum(doubled)) % 10 == 0

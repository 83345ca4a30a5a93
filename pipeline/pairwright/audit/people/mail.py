"""E-mail addresses, also as they are spelt out."""

import re
from collections.abc import Iterator

from pairwright import text as words
from pairwright.audit.people.finding import REDACT, DataKind, Finding
from pairwright.audit.records import CheckDefinition

EMAIL = CheckDefinition(
    family="people",
    name="email",
    title="E-mail addresses",
    why="They name and reach a person who did not agree to be in a benchmark.",
    todo=REDACT,
)


_NAME, _HOST = r"[A-Za-z0-9._%+-]{1,64}", r"[A-Za-z0-9-]{1,63}"
# Wide, as Chinese and Japanese keyboards type it, and as it is in addresses of pages.
_AT = re.compile("@|\uff20|%40")
# Names of hosts in any script, the last part in one: running text may follow without a space.
_PLAIN = re.compile(
    rf"(?<![A-Za-z0-9._%+@/-]){_NAME}(?:{_AT.pattern})(?:(?:[^\W_]|-){{1,63}}\.){{1,5}}"
    r"(?:[Xx][Nn]--[A-Za-z0-9-]{2,59}|[A-Za-z]{2,24}|[^\W\d_A-Za-z]{2,24})(?![A-Za-z0-9@-])"
)
_SPELT = re.compile(
    rf"(?<![A-Za-z0-9._%+-]){_NAME} ?(?:[\[(] ?at ?[\])]| at ) ?"
    rf"(?!(?:the|a|an|this|that|any|each|every)\b){_HOST}"
    r" ?(?:[\[(] ?(?:dot|\.) ?[\])]| dot |\.) ?(?:com|org|net|edu|gov|io|info|co|de|fr|uk|eu)\b",
    re.IGNORECASE,
)
# "Meet me at home dot com", "sold at amazon dot com": a place, and nobody's name before it.
_VERBS = "available bought buy found look ordered order selling sold shop sell".split()
_A_PLACE = re.compile(rf"(?:{'|'.join(sorted([*words.STOPWORDS, *_VERBS]))}) at ", re.IGNORECASE)
_SPELT_MARK = re.compile(r"[\[(] ?(?:at|dot) ?[\])]| dot ", re.IGNORECASE)
# RFC 2606's names for examples, names of files, and addresses of machines.
_NO_MAILBOX = re.compile(
    r"@(?:[\w.-]*\.)?example\.[a-z]+$|\.(?:example|test|invalid|localhost|local|png|jpe?g|gif|svg"
    r"|webp|css|js|py|html?|txt|pdf)$|^(?:git|noreply|no-reply)@",
    re.IGNORECASE,
)
# A regular expression for addresses: `[a-z]+@shop.com`, `\\w+@shop.com`, `.@shop.com`.
_PATTERN = re.compile(r"[^@]*[+%]@|[._%+-]*@")


def at_sign(text: str) -> bool:
    """Whether there is what every address has but those that are spelt out."""
    return "@" in text or "\uff20" in text or "%40" in text


def emails(text: str) -> Iterator[Finding]:
    if at_sign(text):
        for match in _PLAIN.finditer(text):
            plain = _AT.sub("@", match.group())
            if not (_NO_MAILBOX.search(plain) or _PATTERN.match(plain)):
                yield Finding(EMAIL.name, *match.span())
    # "Buy it at amazon.com" has the form, and no mark of something spelt out.
    if ("(" in text or "[" in text or " dot " in text.lower()) and _SPELT_MARK.search(text):
        for match in _SPELT.finditer(text):
            spelt = match.group()
            if _SPELT_MARK.search(spelt) and not _A_PLACE.match(spelt):
                yield Finding(EMAIL.name, *match.span())


MAIL = DataKind(EMAIL, emails, fails=True)

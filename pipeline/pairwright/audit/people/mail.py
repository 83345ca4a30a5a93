"""E-mail addresses, plain and spelt out."""

import re
from collections.abc import Iterator

from pairwright.audit.people.finding import Finding

_NAME, _HOST = r"[A-Za-z0-9._%+-]{1,64}", r"[A-Za-z0-9-]{1,63}"
_PLAIN = re.compile(
    rf"(?<![A-Za-z0-9._%+@/-]){_NAME}@(?:{_HOST}\.){{1,5}}[A-Za-z]{{2,24}}(?![A-Za-z0-9@-])"
)
_SPELT = re.compile(
    rf"(?<![A-Za-z0-9._%+-]){_NAME} ?(?:[\[(] ?at ?[\])]| at ) ?"
    rf"(?!(?:the|a|an|this|that|any|each|every)\b){_HOST}"
    r" ?(?:[\[(] ?(?:dot|\.) ?[\])]| dot |\.) ?(?:com|org|net|edu|gov|io|info|co|de|fr|uk|eu)\b",
    re.IGNORECASE,
)
_SPELT_MARK = re.compile(r"[\[(] ?(?:at|dot) ?[\])]| dot ", re.IGNORECASE)
# RFC 2606's names for examples, names of files, and addresses of machines.
_NOBODY = re.compile(
    r"@(?:[\w.-]*\.)?example\.[a-z]+$|\.(?:example|test|invalid|localhost|local|png|jpe?g|gif|svg"
    r"|webp|css|js|py|html?|txt|pdf)$|^(?:git|noreply|no-reply)@",
    re.IGNORECASE,
)


def emails(text: str) -> Iterator[Finding]:
    if "@" in text:
        for match in _PLAIN.finditer(text):
            if not _NOBODY.search(match.group()):
                yield Finding("email", *match.span())
    # "Buy it at amazon.com" has the form, and no mark of something spelt out.
    if _SPELT_MARK.search(text):
        for match in _SPELT.finditer(text):
            if _SPELT_MARK.search(match.group()):
                yield Finding("email", *match.span())

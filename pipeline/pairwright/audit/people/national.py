"""Numbers by which a state knows a person."""

import re
from collections.abc import Iterator

from pairwright.audit.people.finding import Finding, alone

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
            if alone(text, match.start()) and (match["gap"] == "-" or cued):
                yield Finding("national_id", *match.span())
    for match in _BRITISH.finditer(text):
        if alone(text, match.start()):
            yield Finding("national_id", *match.span())
    if cued:
        for match in _CUED.finditer(text):
            yield Finding("national_id", *match.span("number"))

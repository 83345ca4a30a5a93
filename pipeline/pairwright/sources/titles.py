"""Which titles can be answered without the text below them.

The rules are for English: words that point at the question's body, and titles that hardly say
anything.
"""

import re

from pairwright import text

MIN_TERMS = 2
"""Words with content that a title needs; one is enough for `What is a doppio?`."""

_SHOWN = "picture|image|photo|photograph|figure|screenshot|diagram|plot|snippet|attachment|video"
_WORK = "code|circuit|script|program|snippet|proof|solution|answer|calculation|derivation|output"
_TIMES = "year|month|week|weekend|morning|evening|day|time|season|summer|winter|spring|autumn|age"
_POINTERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # this circuit, these beans; not this year, nor "at the time of writing this"
        rf"\b(?<!writing )(?:this|these)\b(?! (?:{_TIMES})\b)",
        # that one, those beans; not "a grinder that fits" nor "the fact that"
        r"\b(?:is|are|was|does|do|like|of|about|with) (?:that|those)\b(?! (?:the|a|an|i|it|we)\b)",
        r"\ball those\b(?! (?:who|that|which)\b)",
        # Why did he leave; not "why does a cat purr when he sleeps"
        r"^(?:\w+ ){0,2}(?:does|did|is|was|has|had|can|could|will|would|should) (?:he|she)\b",
        r"\b(?:the|these) following\b|\bas follows\b|\bfollowing \w+[?:]?$",
        r"\battached\b(?! to\b)",
        r"\b(?:the|shown|given|listed|described|see|stated|mentioned|as) (?:above|below)\b",
        rf"\b(?:{_WORK}|{_SHOWN}|example|case|situation|recipe) (?:above|below)\b",
        rf"\b(?:in|on|from|see) (?:the|my|this) (?:{_SHOWN})s?\b",
        rf"\bmy (?:{_WORK}|{_SHOWN}|answer|homework|assignment|idea|approach)\b",
        r"\b(?:here|see inside|details inside|more inside)[.?!]*$",
        r"\b(?:please|pls|urgent)\b|^help\b",
    )
)
_OF_ANY_QUESTION = text.terms("question problem issue doubt query help advice")
# "How is cascara made?" asks something of anybody; "How do I start?" does not say what.
_GENERAL = re.compile(
    r"(?:what|which|how|why|when|where|who|is|are|does|do|can)\b(?!.*\b(?:i|i'm|my|we)\b).*\?$",
    re.IGNORECASE,
)


def why_unanswerable(title: str) -> str | None:
    """What a title lacks, in words; None for one that can be answered as it is."""
    plain = title.replace("\u2019", "'")
    for pointer in _POINTERS:
        match = pointer.search(plain)
        if match:
            return f"{match.group().strip()!r} points at what the title does not say"
    terms = len(text.terms(plain) - _OF_ANY_QUESTION)
    if terms < MIN_TERMS and not (terms and _GENERAL.match(plain)):
        return f"{text.number_of(terms, 'word')} with content, not {MIN_TERMS}"
    return None

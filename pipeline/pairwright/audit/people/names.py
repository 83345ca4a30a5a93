"""Handles, and what people say they are called. Other names would need a language model."""

import re
from collections.abc import Iterator

from pairwright.audit.people.finding import Finding

_HANDLE = re.compile(
    r"(?<![\w@.+/\\{}-])@(?P<at>[A-Za-z_][A-Za-z0-9_]{2,29})(?![\w@({/=:]|[.-]\w)"
    r"|(?<![\w/.])/?u/(?P<slash>[A-Za-z0-9_-]{3,20})(?![\w/-])"
)
# What follows an @ in code, style sheets and bibliographies, and idioms.
_NOBODY = frozenset(
    """
    override param return returns property import media page charset keyframes include mixin
    extend article book inproceedings misc techreport phdthesis staticmethod classmethod
    dataclass test before after autowired component entity deprecated see since throws todo
    home work here all everyone channel least most anyone someone
    """.split()
)
_STATED = re.compile(
    r"\b(?:[Mm]y|MY)(?: full| real| first| last)? name(?:'s|\u2019s| is)"
    r" (?P<name>[A-Z][\w'\u2019-]{1,30}(?: [A-Z][\w'\u2019-]{1,30}){0,3})"
)


def handles(text: str) -> Iterator[Finding]:
    if "@" in text or "u/" in text:
        for match in _HANDLE.finditer(text):
            if (match["at"] or "").lower() not in _NOBODY:
                yield Finding("handle", *match.span())


def stated_names(text: str) -> Iterator[Finding]:
    if " name" in text:
        for match in _STATED.finditer(text):
            yield Finding("stated_name", *match.span("name"))

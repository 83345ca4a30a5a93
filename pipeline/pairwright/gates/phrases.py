"""Ways of talking that give a side away: about its reader, about its task, or a refusal; and
aspects about how an answer is written. `phrases.toml` has the phrases of each language.

What the question itself says, an answer may say too.
"""

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

Talk = Literal["persona", "meta", "refusal"]


class _Phrases(NamedTuple):
    """One language's phrases of one kind."""

    needs: tuple[str, ...]
    pattern: re.Pattern[str]


@cache
def _phrases(kind: Talk | Literal["manner"]) -> tuple[_Phrases, ...]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return tuple(_of_language(language, kind) for language in tomllib.loads(text).values())


def _of_language(language: dict[str, Any], kind: str) -> _Phrases:
    own, parts = language[kind], language.get("parts", {})
    needs = own.get("needs") or language.get("needs", ())
    pattern = f"{own['begins']}(?:{'|'.join(own['phrases'])})"
    while (filled := re.sub(r"<([a-z]+)>", lambda part: parts[part[1]], pattern)) != pattern:
        pattern = filled
    return _Phrases(tuple(needs), re.compile(pattern))


# A plan is read for its own user, and for the questions that it is held against.
@lru_cache(maxsize=4096)
def is_about_manner(aspect: str) -> bool:
    """Whether an aspect is about how an answer is written: its length, tone or form."""
    return any(one.pattern.search(aspect) for one in _phrases("manner"))


# A response is part of the drafts of both modes.
@lru_cache(maxsize=1024)
def first_phrase(talk: Talk, response: str, question: str) -> str | None:
    """The first such phrase of a response that the question does not hold."""
    said, asked = _said(response), _plain(question).lower()
    lowered = f" {said}".lower()
    for one in _phrases(talk):
        if any(map(lowered.__contains__, one.needs)):
            phrases = (match.group() for match in one.pattern.finditer(said))
            if phrase := next((each for each in phrases if each.lower() not in asked), None):
                return phrase
    return None


_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
# What an answer tells somebody to say is not what it says.
_QUOTED = re.compile(r'(?<![\w.,!?])"(?=\S)[^"]{1,100}(?<=\S)"')
# The same in the quotation marks of other languages, of which one begins and another ends. Chinese
# has no space before the curly ones, so there a letter may be.
_OTHER_QUOTED = re.compile(
    '\u201e[^\u201e\u201c\u201d"]{1,100}[\u201c\u201d"]|\u00ab[^\u00ab\u00bb]{1,100}\u00bb'
    "|(?<!\\w)\u00bb(?=\\S)[^\u00ab\u00bb]{1,100}(?<=\\S)\u00ab|\u300c[^\u300c\u300d]{1,100}\u300d"
    "|\u300e[^\u300e\u300f]{1,100}\u300f"
    "|(?<=[\u3041-\u30ff\u3400-\u9fff])\u201c[^\u201c\u201d]{1,100}\u201d"
)


@lru_cache(maxsize=256)
def _said(response: str) -> str:
    """The response's own words."""
    plain = _plain(response if response.isascii() else _OTHER_QUOTED.sub('""', response))
    return _QUOTED.sub('""', plain)


@lru_cache(maxsize=512)
def _plain(text: str) -> str:
    """Straight quotes, composed letters, and a phrase that breaks over a line in one piece."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_STRAIGHT)
    return " ".join(text.split())

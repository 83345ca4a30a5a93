"""The result that a judge's free text marks as one.

Judges mark it with a word and a colon ("Result: Answer B"), in a JSON object inside their text, in
a tag, in `[[ ]]` or in `\\boxed{ }`. Of several the last counts: what comes before is reasoning.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache

_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}|\[\[([^\[\]]*)\]\]")
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}")
_OBJECT = re.compile(r"\s*(?:```\w*\s*)?\{")
_DECODER = json.JSONDecoder(strict=False)


def marked(text: str, names: str) -> str | None:
    """The value of the last mark, or None where there is none. `names` is a pattern of the words
    that mark one, such as `verdict|winner`, without groups that capture."""
    found = sorted([*_objects(text, names), *_boxes(text), *_words(text, names)])
    return found[-1][1] if found else None


def cut_short(text: str) -> bool:
    """Whether it is an object that does not end: what stands in it is part of a reason."""
    if not (start := _OBJECT.match(text)) or text.rstrip().endswith(("}", "```")):
        return False
    try:
        _DECODER.raw_decode(text, start.end() - 1)
    except (ValueError, RecursionError):
        return True
    return False


def _objects(text: str, names: str) -> Iterator[tuple[int, str]]:
    """Where a JSON object ends, and its value under one of the names."""
    at = text.find("{")
    while at >= 0:
        try:
            data, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            for key, value in data.items():
                if re.fullmatch(names, key.replace("_", " ").strip(), re.IGNORECASE):
                    # A list is no result; as text it could pass for one.
                    yield end, "" if isinstance(value, list | dict) else str(value)
        at = text.find("{", end)


def _boxes(text: str) -> Iterator[tuple[int, str]]:
    for match in _BOXED.finditer(text):
        yield match.end(), _LATEX.sub(r"\1", match[1] or match[2] or "")


def _words(text: str, names: str) -> Iterator[tuple[int, str]]:
    tag, word = _patterns(names)
    for match in tag.finditer(text):
        yield match.end(), match[2]
    for match in word.finditer(text):
        yield match.end(), _LATEX.sub(r"\1", text[match.end() :].partition("\n")[0])


@lru_cache
def _patterns(names: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    tag = rf"<({names})>([^<]*)</\1>"
    word = rf"(?<![\w-])(?:{names})[\s\"'*_`\])]*[:=][\s\"'*_`]*"
    return re.compile(tag, re.IGNORECASE), re.compile(word, re.IGNORECASE)

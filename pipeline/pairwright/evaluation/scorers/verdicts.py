"""Reading a judge's free text: its verdict on two responses, or its score of one.

A free text says its result in one of few forms, and at its end: a JSON object, a mark such as
`[[A]]`, or a last line that is the result alone or names it ("Verdict: A"). No further
statement may follow a mark, and two marks that differ do not count. A text in no form is `Unread`
and never guessed: to take a verdict out of sentences is to judge once more.
"""

import json
import re
from typing import Literal

from pairwright.models import Unread

JudgeVerdict = Literal["A", "B", "tie"]

_NOUN = r"(?:response|answer|output|option|assistant)"
_VERDICT_NAMES = (
    r"(?:(?:final|overall) )?(?:verdict|result|winner|decision|judge?ment|choice|preference|answer)"
    r"|(?:preferred|better|best|chosen|winning) (?:response|answer|output|option)"
)
_SCORE_NAMES = r"(?:(?:final|overall|total) )?(?:score|rating|grade|verdict|result|answer)"
_ONE = re.compile(rf"(?:the )?(?:{_NOUN} )?(?P<letter>[ab]|first|second)(?: {_NOUN}| one)?")
_NUMBERED = re.compile(rf"{_NOUN} (?P<letter>[12])")
_TIES = frozenset({"tie", "a tie", "tied", "draw", "a draw", "equal"})
# Judges of arenas compare: "A>>B", "A=B".
_COMPARED = re.compile(r"([ab]) ?(>{1,3}|<{1,3}|=) ?([ab])")
_SCORE = re.compile(r"(\d{1,3})(?: ?(?:/|out of) ?10)?")

_BRACKETS = re.compile(r"\[\[([^\[\]]*)\]\]")
# `\text{` and its like, the tags and the marks that judges put around a result.
_AROUND = re.compile(
    r"\\(?:boxed|text|textbf|mathrm|mathbf) ?\{|</?(?:verdict|answer|result|score|rating)>"
    r"|[*_`\"'\u201c\u201d(){}\[\]]",
    re.IGNORECASE,
)
_DECODER = json.JSONDecoder(strict=False)


def read_verdict(text: str) -> JudgeVerdict | Unread:
    """The verdict of a whole reply, or why it has none."""
    marked = _marked(text)
    verdict = _verdict_of(_plain(_result(text, _VERDICT_NAMES))) if marked is None else marked
    return verdict or _unread("no verdict", text)


# What takes a mark back, or only supposes it.
_SUPPOSED = re.compile(
    r"\b(?:if|unless|whether|would|could|might|may|initial|initially|previous|at first)\b"
    r"|(?:\b(?:not|never|neither|than|of)|n['\u2019]t|cannot)(?:\W+\w+){0,2}\W*$"
)
_BETTER = re.compile(rf"{_NOUN} ([ab])(?= is (?:\w+ )?better\b| wins\b)")
_AGAIN = re.compile(
    r"(?:(?:for|as|since|meaning|because) )?(?:it is |it's |they are )?(?:a )?"
    rf"(?:(?P<tie>tie|tied|draw)|{_NOUN} (?P<letter>[ab])(?: is (?:\w+ )?better| wins)?)"
)


def _marked(text: str) -> JudgeVerdict | Literal[""] | None:
    """The verdict of the marks of a text, such as `[[A>B]]`; empty where they say none, and None
    where the text has no mark or is JSON."""
    text = text.strip().lower()
    body = text.removesuffix("```").rstrip()
    # In double brackets, as MT-Bench asks for it, and in them alone, C is the tie.
    named_in = [(mark, _plain(mark[1])) for mark in _BRACKETS.finditer(text)]
    said = [(mark, "tie" if name == "c" else _verdict_of(name)) for mark, name in named_in]
    found = [(mark, verdict) for mark, verdict in said if verdict]
    if not found or text.startswith(("{", "```")) or body.endswith("}"):
        return None
    last, verdict = found[-1]
    before = re.split(r"[.!?]\s|\n", text[: last.start()])[-1]
    named = {_letter(name) for name in _BETTER.findall(before)}
    behind = _plain(text[last.end() :].lstrip(":,;- "))
    if len({one for _, one in found}) > 1 or _SUPPOSED.search(before) or named - {verdict}:
        return ""
    if behind:
        again = _AGAIN.fullmatch(behind)
        if not again or ("tie" if again["tie"] else _letter(again["letter"])) != verdict:
            return ""
    return verdict


def read_rating(text: str) -> int | Unread:
    """The score of a whole reply, or why it has none."""
    match = _SCORE.fullmatch(_plain(_result(text, _SCORE_NAMES)))
    if match is None or not 1 <= int(match[1]) <= 10:
        return _unread("no score from 1 to 10", text)
    return int(match[1])


def _result(text: str, names: str) -> str:
    """The result at the end of a text, in lower case; empty if the end has no result."""
    text = text.strip()
    body = text.removesuffix("```").rstrip()
    if body.endswith("}") and (data := _last_object(body)) is not None:
        values = {
            value
            for key, value in data.items()
            if re.fullmatch(names, key.replace("_", " ").strip().lower())
        }
        return str(values.pop()).lower() if len(values) == 1 else ""
    if text.startswith(("{", "```")):
        return ""  # An object without its end: what is in it is part of a reason.
    line = text[text.rfind("\n") + 1 :].strip().lower()
    if line.startswith("#") or line.endswith(":"):
        return ""  # A heading.
    return re.sub(rf"^(?:my |the )?(?:{names})(?:\s*[:=]| is:?)\s*", "", _plain(line))


def _last_object(text: str) -> dict[str, str | None] | None:
    """The JSON object that ends a text, each value as text; None for a list or an object in it."""
    at = text.find("{")
    while at >= 0:
        try:
            data, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if end == len(text) and isinstance(data, dict):
                return {
                    key: None if isinstance(value, list | dict) else str(value)
                    for key, value in data.items()
                }
        at = text.find("{", end)
    return None


def _plain(text: str) -> str:
    """A text without the marks around a result or at its end, in single spaces."""
    return " ".join(_AROUND.sub("", text).split()).rstrip(" .!")


def _verdict_of(value: str) -> JudgeVerdict | None:
    if value in _TIES:
        return "tie"
    if match := _COMPARED.fullmatch(value):
        first, sign, second = match.groups()
        if first == second:
            return None
        if sign == "=":
            return "tie"
        return _letter(first if sign[0] == ">" else second)
    named = _ONE.fullmatch(value) or _NUMBERED.fullmatch(value)
    return _letter(named["letter"]) if named else None


def _letter(name: str) -> JudgeVerdict:
    return "A" if name in ("a", "1", "first") else "B"


def _unread(what: str, text: str) -> Unread:
    head = " ".join(text.split())[:200]
    return Unread(f"{what} in: {head}" if head else "an empty reply")

"""Texts that are empty, no answer, very long or wrongly decoded, or that hold invisible
characters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from pairwright.audit.records import Check, CheckDefinition, Definitions
from pairwright.audit.row_check import OTHERS, TEXT, RowCheck
from pairwright.dataset import Row
from pairwright.text import canonical, find_hidden

# What Windows-1252 makes of a UTF-8 byte from 80 to BF.
_BYTE = (
    "[\x80-\xbf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
    "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]"
)
_WRONG = re.compile(
    "(?P<replacement>\ufffd)"
    "|(?P<byte_order_mark>\ufeff)"
    "|(?P<surrogate>[\ud800-\udfff])"
    "|(?P<control>[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f])"
    f"|(?P<mojibake>\u00c3{_BYTE}|\u00c2[\xa0-\xbf]|\u00e2\u20ac{_BYTE}|\u00f0\u0178{_BYTE}"
    "|\u00ef\u00bb\u00bf)"
)
_CLEAN = re.compile(r"[\t\n\r -~]*")


EMPTY_TEXT = CheckDefinition(
    family="integrity",
    name="empty_text",
    title="Empty texts",
    why="A side without text loses to any other; a post without text says nothing.",
    todo="Drop the pair or the post.",
)


class EmptyTexts:
    """`empty_text`: a question, a side or a post without anything to read."""

    definitions: ClassVar[Definitions] = (EMPTY_TEXT,)

    def __init__(self) -> None:
        self._check = RowCheck(EMPTY_TEXT, limit=0.0, others=0.0)

    def add(self, row: Row) -> None:
        blank = (name for name, passage in _passages(row) if not passage.strip())
        self._check.add(row, next((f"{name} is empty" for name in blank), None))

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks()


VERY_LONG = CheckDefinition(
    family="integrity",
    name="very_long",
    title="Very long texts",
    why="Most models cut them off, and what is cut may be the response.",
    todo="Shorten or leave out, and say how.",
)


class LongTexts:
    """`very_long`: texts longer than the part in which this audit looks for runs of words."""

    definitions: ClassVar[Definitions] = (VERY_LONG,)

    def __init__(self) -> None:
        self._check = RowCheck(VERY_LONG, limit=0.0, others=OTHERS)

    def add(self, row: Row) -> None:
        long = ((name, len(passage)) for name, passage in every_text(row) if len(passage) > TEXT)
        detail = next((f"{name} has {length:,} characters" for name, length in long), None)
        self._check.add(row, detail)

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks(
            f"over {TEXT:,} characters; what lies beyond is not searched for copied words"
        )


ENCODING = CheckDefinition(
    family="integrity",
    name="encoding",
    title="Wrongly decoded texts",
    why="Garbled characters reveal the source of a text, and a scorer cannot read them.",
    todo="Decode the source as what it is, mostly UTF-8, and build these rows again.",
)


class Encoding:
    """`encoding`: replacement characters, controls, byte order marks, and UTF-8 that was read as
    something else (`Ã©`)."""

    definitions: ClassVar[Definitions] = (ENCODING,)

    def __init__(self) -> None:
        self._check = RowCheck(ENCODING, limit=OTHERS, others=OTHERS)
        self._known: dict[int, str | None] = {}

    def add(self, row: Row) -> None:
        wrong = ((name, self._wrong(passage)) for name, passage in every_text(row))
        detail = (f"{kind.replace('_', ' ')} in {name}" for name, kind in wrong if kind)
        self._check.add(row, next(detail, None))

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks()

    def _wrong(self, passage: str) -> str | None:
        # Most texts are plain, and posts are repeated.
        if passage.isascii() and _CLEAN.fullmatch(passage):
            return None
        key = hash(passage)
        if key not in self._known:
            match = _WRONG.search(passage)
            self._known[key] = match.lastgroup if match else None
        return self._known[key]


def _passages(row: Row) -> Iterator[tuple[str, str]]:
    yield from (("question", row.question), ("chosen", row.chosen), ("rejected", row.rejected))
    for number, post in enumerate(row.profile, 1):
        yield f"post {number}", post.text


def every_text(row: Row) -> Iterator[tuple[str, str]]:
    """Each text of a row with its name."""
    yield from _passages(row)
    if row.narrative is not None:
        yield "narrative", row.narrative
    for number, aspect in enumerate(row.rubric_aspects, 1):
        yield f"aspect {number}", aspect.aspect
        yield f"aspect {number}'s evidence", aspect.evidence


NO_ANSWER = CheckDefinition(
    family="integrity",
    name="no_answer",
    title="Responses that are no answer",
    why="A placeholder, an error or the question again loses to any answer: such pairs measure "
    "whether something was written at all.",
    todo="Generate these responses again, or drop the pairs.",
)
# The whole of a response, in lower case and without what is around it.
_PLACEHOLDER = re.compile(
    r"n/?a|nil|none|null|nan|undefined|tb[ad]|todo|fixme|xxx+|lorem ipsum\b.*|test|placeholder"
    r"|(?:deleted|removed|redacted|blank|empty)(?: by \w+)?|no (?:response|answer|output|reply)"
    r"|(?:(?:an?|internal|server|api|http|unknown) ){0,3}(?:error|exception|timeout)(?: code)?"
    r"(?: occurred[^\n]*|:? ?\d{3}\b[^\n]*|: [^\n]{1,100})?"
    r"|(?:answer|response|reply|output)"
    r"|(?:http )?[45]\d\d(?: [a-z]+){1,4}|rate limit[^\n]{0,100}|too many requests[^\n]{0,100}"
    r"|(?:traceback \(most recent call last\)|internal server error|service unavailable).*",
    re.DOTALL,
)
_TEMPLATE = re.compile(
    r"\[(?:insert|your|enter|add|placeholder)\b[^\]\n]{0,80}\]|\{\{[^{}\n]{1,80}\}\}"
    r"|<!doctype html\b|</?html\b|</?think(?:ing)?>|<\|[a-z_]{2,30}\|>|\[/?INST\]",
    re.IGNORECASE,
)


class NoAnswers:
    """`no_answer`: a side that is a placeholder, an error or the question, has no letter, digit or
    symbol, or holds what a template or a model's own format left behind."""

    definitions: ClassVar[Definitions] = (NO_ANSWER,)

    def __init__(self) -> None:
        self._check = RowCheck(NO_ANSWER, limit=OTHERS, others=OTHERS)

    def add(self, row: Row) -> None:
        sides = (("chosen", row.chosen), ("rejected", row.rejected))
        wrong = ((name, _no_answer(side, row.question)) for name, side in sides if side.strip())
        self._check.add(row, next((f"{name} {what}" for name, what in wrong if what), None))

    def checks(self) -> Iterator[Check]:
        yield from self._check.checks(
            "placeholders and errors in English, by a list of words; marks alone; the question; "
            "`<think>` and marks of templates. Misspelt words are not looked for"
        )


def _no_answer(side: str, question: str) -> str | None:
    if match := _TEMPLATE.search(side):
        return f"holds {match.group()}"
    if len(side) <= _SHORT:
        if all(unicodedata.category(c)[0] in "PZC" for c in side):
            return f"is {side.strip()} alone"
        if _PLACEHOLDER.fullmatch(side.strip(_AROUND).lower()):
            return f"is {side.strip()}"
    if (
        len(side) < 2 * len(question)
        and canonical(side).casefold() == canonical(question).casefold()
    ):
        return "is the question"
    return None


_SHORT = 300
"""Characters; a placeholder or an error is no longer."""
_AROUND = " \t\r\n.!?:;*_`\"'()[]<>{}-"


HIDDEN_CHARACTERS = CheckDefinition(
    family="integrity",
    name="hidden_characters",
    title="Characters that nobody sees",
    why="Zero-width characters, blank letters, marks of direction and hard spaces look like "
    "nothing, and a letter of another script looks like the right one, but a scorer reads them: "
    "they can mark a side, hide words or split them.",
    todo="Take them out of questions and responses, and see what wrote them.",
)


class HiddenCharacters:
    """`hidden_characters`: rows whose question or sides hold invisible characters or words of mixed
    scripts, or whose sides hold hard spaces. Posts, and hard spaces of a question, which mark no
    side, are as people left them: those with some are noted, and decide nothing."""

    definitions: ClassVar[Definitions] = (HIDDEN_CHARACTERS,)

    def __init__(self) -> None:
        self._check = RowCheck(HIDDEN_CHARACTERS, limit=OTHERS, others=OTHERS)
        self._kinds: Counter[str] = Counter()
        self._known: dict[int, tuple[str, ...]] = {}
        self._noted = 0

    def add(self, row: Row) -> None:
        detail: str | None = None
        noted = False
        for name, passage in every_text(row):
            kinds = self._hidden(passage)
            if name == "question":
                telling = [kind for kind in kinds if kind != "hard_space"]
            else:
                telling = [*kinds] if name in ("chosen", "rejected") else []
            noted |= len(telling) < len(kinds)
            if telling:
                self._kinds[telling[0]] += detail is None
                detail = detail or f"{telling[0].replace('_', ' ')} in {name}"
        self._noted += noted
        self._check.add(row, detail)

    def checks(self) -> Iterator[Check]:
        counts = [f"{kind.replace('_', ' ')} {n:,}" for kind, n in self._kinds.most_common()]
        if self._noted:
            counts.append(
                f"{self._noted:,} rows have some in posts or aspects, or hard spaces in the"
                " question, which decides nothing"
            )
        yield from self._check.checks("; ".join(counts))

    def _hidden(self, passage: str) -> tuple[str, ...]:
        """The kinds in a text, in their order."""
        if passage.isascii():
            return ()
        key = hash(passage)
        if key not in self._known:
            found = (match.lastgroup or "" for match in find_hidden(passage))
            self._known[key] = tuple(dict.fromkeys(found))
        return self._known[key]

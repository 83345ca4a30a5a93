"""The result that a judge's free text marks as one, and whose words a sentence is.

Judges mark their result with a word and a colon ("Result: Answer B"), in a JSON object inside their
text, in a tag, in `[[ ]]` or in `\\boxed{ }`. Of several the last counts: what comes before is
reasoning. Another judge's verdict that is quoted, and the instruction that is repeated ("[[A]] if A
is better"), are not marks.

A judge that writes "The previous judge said A is better" or "At first glance, A is better" has not
said yet what it finds. Such words never count as its verdict or its score.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

_WHO = (
    r"(?:judge|judges|reviewer|reviewers|evaluator|evaluators|annotator|annotators|rater|raters"
    r"|critic|critics|grader|graders|reader|readers|person|people|assistant|model|opinion|verdict)"
)
_SAYS = (
    r"(?:say|says|said|claim|claims|claimed|argue|argues|argued|state|states|stated|think|thinks"
    r"|thought|believe|believes|believed|write|writes|wrote|suggest|suggests|suggested|report"
    r"|reports|reported|vote|votes|voted|prefer|prefers|preferred|choose|chooses|chose|pick|picks"
    r"|picked|find|finds|found|rate|rates|rated|give|gives|gave|lean|leans|leaned)"
)
_HEARSAY = re.compile(
    # The judge before this one, and what it thought.
    rf"\b(?:previous|prior|earlier|other|another|different|last|second) {_WHO}\b"
    # Somebody who is not "I" says it: "the user says", "some people would prefer". "Prefer" and
    # its like are what the asker does, too, so those need a crowd before them.
    r"|\b(?:he|she|they|it|user|asker|author|judge|reviewer|evaluator|annotator|rater|critic)"
    r"(?: \w+)? (?:says|said|claims|claimed|argues|argued|states|stated|thinks|thought|believes"
    r"|believed|writes|wrote|suggests|suggested|voted)\b"
    rf"|\b(?:some|many|most|others|people|one|readers|users)(?: \w+)?"
    rf" (?:might|could|may|would|will)(?: \w+)? {_SAYS}\b"
    rf"|\b(?:some|many|most|others|people|readers|users)(?: {_WHO})? {_SAYS}\b"
    r"|\baccording to\b|\bis said\b|\b(?:tempting|easy) to\b"
    # What was found before, in another order or round.
    r"|\b(?:previous|last|earlier|other) (?:round|turn|comparison|order)\b|\blast time\b"
    # A first impression, or an impression only.
    r"|\bat (?:a )?first\b|\bat a glance\b|\binitial(?:ly)?\b|\bon the (?:surface|face of it)\b"
    r"|\bsuperficially\b|\bfirst (?:impression|thought|instinct|reaction)\b|\bpreliminary\b"
    r"|\b(?:might|may|could) (?:be|seem|appear|look)\b|\bat first sight\b|\bprima facie\b"
)
_OF_OTHERS = re.compile(
    r"\b(?:initial|preliminary|tentative|provisional) *$"
    rf"|\b(?:previous|prior|earlier|other|another|different|their|his|her|your)(?: {_WHO}(?: ?s)?)?"
    rf"(?: \w+)? *$|\b{_WHO} (?:\d+|one|two|three)(?: ?s)? *$"
)


def reports_others(clause: str) -> bool:
    """Whether a clause reports what somebody else finds, or a first impression. The clause is lower
    case and has no apostrophes or quotes."""
    return _HEARSAY.search(clause) is not None


def of_others(before: str) -> bool:
    """Whether what comes before a word such as "verdict" says that it is somebody else's, or not
    the last one."""
    plain = re.sub(r"[^\w\s]", " ", before.lower())
    return _OF_OTHERS.search(" ".join(plain.split())[-80:]) is not None


_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}|(\[\[[^\[\]]*\]\])")
_CONDITION = re.compile(r"[\s\"'`.,]*(?:if|for|when|where|means|should)\b", re.IGNORECASE)
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}")
_OBJECT = re.compile(r"\s*(?:```\w*\s*)?\{")
_DECODER = json.JSONDecoder(strict=False)


class Mark(NamedTuple):
    """A result that is marked."""

    at: int
    """Where the mark ends and the value begins, or both end: the last mark counts."""
    value: str
    """As the text has it; one in double brackets keeps them."""
    end: int
    """The place at which the text goes on after it."""


def last_mark(text: str, names: str) -> Mark | None:
    """The last mark, or None where there is none. `names` is a pattern of the words that mark one,
    such as `verdict|winner`, without groups that capture."""
    marks = sorted([*_objects(text, names), *_boxes(text), *_words(text, names)])
    return marks[-1] if marks else None


def cut_short(text: str) -> bool:
    """Whether it is an object that does not end: what is in it is part of a reason."""
    if not (start := _OBJECT.match(text)) or text.rstrip().endswith(("}", "```")):
        return False
    try:
        _DECODER.raw_decode(text, start.end() - 1)
    except (ValueError, RecursionError):
        return True
    return False


def _objects(text: str, names: str) -> Iterator[Mark]:
    """Every JSON object's value under one of the names."""
    at = text.find("{")
    while at >= 0:
        try:
            data, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            for key, value in data.items():
                if re.fullmatch(names, key.replace("_", " ").strip(), re.IGNORECASE):
                    # A list is not a result; as text it could pass for one.
                    yield Mark(end, "" if isinstance(value, list | dict) else str(value), end)
        at = text.find("{", end)


def _boxes(text: str) -> Iterator[Mark]:
    """Several different ones in one line are a choice, and none of them is the result."""
    boxes = list(_BOXED.finditer(text))
    for _, row in groupby(boxes, key=lambda match: text.rfind("\n", 0, match.start())):
        line = list(row)
        if _CONDITION.match(text, line[-1].end()):
            continue
        values = {_LATEX.sub(r"\1", match[1] or match[2] or "") for match in line}
        end = line[-1].end()
        yield Mark(end, values.pop() if len(values) == 1 else "", end)


def _words(text: str, names: str) -> Iterator[Mark]:
    """Every tag, and the last word with a colon."""
    tag, word = _patterns(names)
    for match in tag.finditer(text):
        yield Mark(match.end(), match[2], match.end())
    # Only the last can count, and to copy the rest of the line for each would take long.
    for match in reversed(list(word.finditer(text))):
        before = text[max(0, match.start() - 100) : match.start()]
        if not of_others(before.rpartition("\n")[2]):
            value = text[match.end() :].partition("\n")[0]
            yield Mark(match.end(), _LATEX.sub(r"\1", value), match.end() + len(value))
            return


@lru_cache
def _patterns(names: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    tag = rf"<({names})>([^<]*)</\1>"
    word = rf"(?<![\w-])(?:{names})(?: is| would be)?[\s\"'*_`\])]*[:=][\s\"'*_`]*"
    return re.compile(tag, re.IGNORECASE), re.compile(word, re.IGNORECASE)

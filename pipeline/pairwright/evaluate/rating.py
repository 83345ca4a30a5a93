"""Reading the score of a judge that was asked for a whole number from 1 to 10 and answered in free
text. A part, a percentage, a range or a list of numbers is no score, and neither is 0 or 11, nor a
score that another judge gave."""

import re
from itertools import pairwise

from pairwright.evaluate.claims import plain
from pairwright.evaluate.hearsay import hearsay
from pairwright.evaluate.marked import cut_short, marked
from pairwright.models import Unread

LOW, HIGH = 1, 10
_NAMES = (
    r"(?:final |overall |total )?(?:score|rating|grade|verdict|result|answer)"
    r"(?: \((?:out of 10|/10|1 ?(?:-|–|to) ?10)\))?"
)
_OUT_OF_TEN = r"\s*(?:/|out of|of)\s*10(?!\d)"
# Followed by nothing that would make it a part of another number, one of several, or a score on
# another scale ("4 stars (out of 5)").
_SCORE = re.compile(
    rf"(\d{{1,3}})(?:{_OUT_OF_TEN})?"
    r"(?!\s*(?:[.,:;/|~&+…→–—−-]|\.\.)?\s*\d|\s*(?:%|/|[¼½¾]|e\d|per ?cent)"
    r"|(?:\s*(?:stars?|points?))?[\s,(]*(?:(?:out )?of|to|or|and|maybe|perhaps)\s+\d"
    r"|\s*(?:to|or)\s)"
)
# "3 out of 10 wishes" counts wishes, and "8 out of 10, or maybe 9" says nothing for sure.
_SAID = re.compile(
    rf"(?<![\d.,/-])(\d{{1,3}}){_OUT_OF_TEN}"
    r"(?![\s,(]*(?:or|to|maybe|perhaps|possibly)\b)"
    r"(?=\s*(?:$|[^\w\s]|(?:for|because|since|overall|in|as|and|on|at|but|with|points?)\b))"
)
# "The score is 8", "I give it a rating of 7": a name, and then the number.
_NAMED = re.compile(rf"\b{_NAMES} (?:is|of|would be) ?[*_`\"'\[(<]*", re.IGNORECASE)
# "I'd give it a 7." and no more: "a 7 for tone" is a part.
_GIVEN = re.compile(
    r"\bI(?: would|['’]d| will|['’]ll)? (?:rate|give|score)"
    r" (?:it|this|(?:this|the) (?:response|answer))(?: (?:an?|at))? [*_`]*"
    r"(?=\d{1,3}[*_`]*(?:\s*$|[.!;]|\s+overall\b))",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[!?;\n])|(?<=\.)\s+")
_TURN = re.compile(
    r"\W*(?:however|but|yet|on reflection|on second thoughts?|actually|wait|no|then again)\b",
    re.IGNORECASE,
)


def read_rating(text: str) -> int | Unread:
    """The score of a whole reply, or why there is none."""
    found = set[str]()
    if not cut_short(text):
        mark = marked(text, _NAMES)
        if mark is None:
            found = _of_prose(text)
        elif (match := _SCORE.match(mark.value.strip(" \t*_`\"'[]()<>"))) and not hearsay(
            plain(_SENTENCE.split(mark.value.strip())[0])
        ):
            found = {match[1]} | _taken_back(text[mark.end :])
    head = " ".join(text.split())[:200]
    if len(found) != 1:
        return Unread(f"no score in: {head}" if head else "an empty reply")
    score = int(found.pop())
    if not LOW <= score <= HIGH:
        return Unread(f"{score} is not between {LOW} and {HIGH}: {head}")
    return score


def _of_prose(text: str) -> set[str]:
    """The scores that a text without a mark says."""
    bare = text.strip(" \n\t*_`\"'[]()<>.")
    if alone := _SCORE.fullmatch(bare):
        return {alone[1]}
    found = {score for part in _SENTENCE.split(text) for score in _own(part)}
    return found | _under_headings(text)


def _under_headings(text: str) -> set[str]:
    """The scores that stand alone in the line below a heading such as "Score"."""
    lines = [bare for line in text.splitlines() if (bare := line.strip(" \t#*_`\"'[]()<>."))]
    return {
        match[1]
        for heading, line in pairwise(lines)
        if re.fullmatch(_NAMES, heading, re.IGNORECASE) and (match := _SCORE.fullmatch(line))
    }


def _taken_back(rest: str) -> set[str]:
    """The scores of sentences after the mark that turn against what was said."""
    return {score for part in _SENTENCE.split(rest) if _TURN.match(part) for score in _own(part)}


def _own(sentence: str) -> set[str]:
    """The scores that a sentence says in the judge's own name."""
    if hearsay(plain(sentence)):
        return set()
    marks = [*_NAMED.finditer(sentence), *_GIVEN.finditer(sentence)]
    if re.search(r"\bif\b", sentence, re.IGNORECASE):
        marks = []  # "If it were shorter, I would give it a 9."
    named = [_SCORE.match(sentence, match.end()) for match in marks]
    said = {match[1] for match in _SAID.finditer(sentence)}
    return said | {match[1] for match in named if match}

"""Reading the score of a judge that was asked for a whole number from 1 to 10 and answered in free
text. A part, a percentage, a range or a list of numbers is no score, and neither is 0 or 11."""

import re

from pairwright.evaluate.marked import cut_short, marked
from pairwright.llm import Unread

LOW, HIGH = 1, 10
_NAMES = r"(?:final |overall |total )?(?:score|rating|grade|verdict|result|answer)"
_OUT_OF_TEN = r"\s*(?:/|out of|of)\s*10(?!\d)"
# Followed by nothing that would make it a part of another number, one of several, or a score on
# another scale ("4 stars (out of 5)").
_SCORE = re.compile(
    rf"(\d{{1,3}})(?:{_OUT_OF_TEN})?"
    r"(?!\s*(?:[.,:;/|~&+…→–—−-]|\.\.)?\s*\d|\s*(?:%|/|[¼½¾]|e\d|per ?cent)"
    r"|(?:\s*(?:stars?|points?))?[\s,(]*(?:(?:out )?of|to|or|and|maybe|perhaps)\s+\d"
    r"|\s*(?:to|or)\s)"
)
_SAID = re.compile(rf"(?<![\d.,/-])(\d{{1,3}}){_OUT_OF_TEN}")


def read_rating(text: str) -> int | Unread:
    """The score of a whole reply, or why there is none."""
    value = marked(text, _NAMES)
    if cut_short(text):
        found = set[str]()
    elif value is not None:
        match = _SCORE.match(value.strip(" \t*_`\"'[]()<>"))
        found = {match[1]} if match else set()
    else:
        plain = text.strip(" \n\t*_`\"'[]()<>.")
        alone = _SCORE.fullmatch(plain)
        found = {alone[1]} if alone else {match[1] for match in _SAID.finditer(text)}
    head = " ".join(text.split())[:200]
    if len(found) != 1:
        return Unread(f"no score in: {head}" if head else "an empty reply")
    score = int(found.pop())
    if not LOW <= score <= HIGH:
        return Unread(f"{score} is not between {LOW} and {HIGH}: {head}")
    return score

"""Reading a judge's free text: its verdict (A, B or tie), or its score from 1 to 10.

A result is taken only where the text says it: "A" in "A tie" is an article, "both" is not a tie,
and "a tie: A" contradicts itself. A part, a percentage, a range or a list of numbers is not a
score, and neither is 0 or 11, nor a score that another judge gave. What cannot be read for sure is
`Unread`, and never a default.
"""

import re
from itertools import pairwise

from pairwright.evaluate.replies.marks import cut_short, last_mark, reports_others
from pairwright.evaluate.replies.sentences import (
    Verdict,
    bare_verdict,
    plain,
    sentence_verdict,
    split_sentences,
    text_verdict,
)
from pairwright.models import Unread

__all__ = ["Verdict", "read_verdict"]

VERDICT_NAMES = (
    r"(?:final |overall )?(?:verdict|result|winner|decision|judge?ment|choice|preference|answer)"
    r"|(?:preferred|better|best|chosen|winning) (?:response|answer|output|option)"
)
"""What marks a verdict in a text."""
_TAKEN_BACK = re.compile(
    r"^(?:(?:no|actually|wait|hmm|sorry|correction|or|rather|i mean)[ ,:–—-]+)+(?:it is )?"
)
# "[[A>>B]]" and its like, as judges of arenas write it.
_COMPARED = re.compile(
    r"\W*?(?:(?:response|answer|output|assistant) )?([AB]) ?(>{1,3}|≫|<{1,3}|≪|={1,2}|≈|~)"
    r" ?(?:(?:response|answer|output|assistant) )?([AB])\W*",
    re.IGNORECASE,
)
# In MT-Bench's form, and in it alone, C is the tie.
_BRACKETED_TIE = re.compile(r"\[\[\s*C\s*\]\]")


def read_verdict(text: str) -> Verdict | Unread:
    """The verdict of a whole reply, or why it has none."""
    verdict = None
    if not cut_short(text):
        mark = last_mark(text, VERDICT_NAMES)
        verdict = (
            _verdict_of_value(mark.value, text[mark.end :])
            if mark is not None
            else _verdict_of_prose(text)
        )
    if verdict is None:
        head = " ".join(text.split())[:200]
        return Unread(f"no verdict in: {head}" if head else "an empty reply")
    return verdict


def _verdict_of_value(value: str, rest: str) -> Verdict | None:
    """The verdict of what a mark names: of its first sentence, which nothing later may
    contradict."""
    own = _compared(value) or ("tie" if _BRACKETED_TIE.fullmatch(value.strip()) else None)
    parts = split_sentences(value)
    verdict = own or (sentence_verdict(parts[0], leads=True) if parts else None)
    later = {bare_verdict(_TAKEN_BACK.sub("", sentence)) for sentence in parts[1:]}
    if own is None:
        later.add(text_verdict(value.partition(".")[2]))
    later.add(text_verdict(rest))
    return None if later - {None, verdict} else verdict


def _verdict_of_prose(text: str) -> Verdict | None:
    """The verdict of a reply without a mark: of a line that is a verdict alone, or the last
    sentence that says which response is better. Where it has both, they must agree."""
    if text.lstrip().startswith(("{", "```")):
        return None  # An object without a verdict: what is in it is a reason.
    alone = {_compared(line) or bare_verdict(plain(line)) for line in text.splitlines()} - {None}
    # Two names alone in their lines are headings.
    verdicts = {*(alone if len(alone) == 1 else ()), text_verdict(text)} - {None}
    return verdicts.pop() if len(verdicts) == 1 else None


def _compared(text: str) -> Verdict | None:
    """The verdict of a comparison alone, such as "A>B"."""
    match = _COMPARED.fullmatch(text.strip())
    if match is None or match[1].upper() == match[3].upper():
        return None
    first: Verdict = "A" if match[1].upper() == "A" else "B"
    other: Verdict = "B" if first == "A" else "A"
    if match[2][0] in "=≈~":
        return "tie"
    return first if match[2][0] in ">≫" else other


LOW, HIGH = 1, 10
_SCORE_NAMES = (
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
_NAMED = re.compile(rf"\b{_SCORE_NAMES} (?:is|of|would be) ?[*_`\"'\[(<]*", re.IGNORECASE)
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
    """The score of a whole reply, or why it has none."""
    scores = set[str]()
    if not cut_short(text):
        mark = last_mark(text, _SCORE_NAMES)
        if mark is None:
            scores = _scores_of_prose(text)
        elif (match := _SCORE.match(mark.value.strip(" \t*_`\"'[]()<>"))) and not reports_others(
            plain(_SENTENCE.split(mark.value.strip())[0])
        ):
            scores = {match[1]} | _scores_taken_back(text[mark.end :])
    head = " ".join(text.split())[:200]
    if len(scores) != 1:
        return Unread(f"no score in: {head}" if head else "an empty reply")
    score = int(scores.pop())
    if not LOW <= score <= HIGH:
        return Unread(f"{score} is not between {LOW} and {HIGH}: {head}")
    return score


def _scores_of_prose(text: str) -> set[str]:
    """The scores that a text without a mark says."""
    bare = text.strip(" \n\t*_`\"'[]()<>.")
    if alone := _SCORE.fullmatch(bare):
        return {alone[1]}
    scores = {score for part in _SENTENCE.split(text) for score in _own_scores(part)}
    return scores | _scores_under_headings(text)


def _scores_under_headings(text: str) -> set[str]:
    """The scores alone in the line below a heading such as "Score"."""
    lines = [bare for line in text.splitlines() if (bare := line.strip(" \t#*_`\"'[]()<>."))]
    return {
        match[1]
        for heading, line in pairwise(lines)
        if re.fullmatch(_SCORE_NAMES, heading, re.IGNORECASE) and (match := _SCORE.fullmatch(line))
    }


def _scores_taken_back(rest: str) -> set[str]:
    """The scores of sentences after the mark that turn against what was said."""
    return {
        score for part in _SENTENCE.split(rest) if _TURN.match(part) for score in _own_scores(part)
    }


def _own_scores(sentence: str) -> set[str]:
    """The scores that a sentence says in the judge's own name."""
    if reports_others(plain(sentence)):
        return set()
    marks = [*_NAMED.finditer(sentence), *_GIVEN.finditer(sentence)]
    if re.search(r"\bif\b", sentence, re.IGNORECASE):
        marks = []  # "If it were shorter, I would give it a 9."
    named = [_SCORE.match(sentence, match.end()) for match in marks]
    scores = {match[1] for match in _SAID.finditer(sentence)}
    return scores | {match[1] for match in named if match}

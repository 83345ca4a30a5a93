"""Reading the verdict of a judge that was asked for A, B or tie and answered in free text.

A verdict is taken only where the text says it: "A" in "A tie" is an article, "both" is no tie, and
"a tie: A" contradicts itself. Whatever cannot be read for sure is `Unread`, and never a default.
"""

import re

from pairwright.evaluate.claims import Verdict, bare, concluded, plain, said, sentences
from pairwright.evaluate.marked import cut_short, marked
from pairwright.models import Unread

__all__ = ["Verdict", "read_verdict"]

NAMES = (
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
    """The verdict of a whole reply, or why there is none."""
    found = None
    if not cut_short(text):
        mark = marked(text, NAMES)
        found = _of_value(mark.value, text[mark.end :]) if mark is not None else _of_prose(text)
    if found is None:
        head = " ".join(text.split())[:200]
        return Unread(f"no verdict in: {head}" if head else "an empty reply")
    return found


def _of_value(value: str, rest: str) -> Verdict | None:
    """Of what a mark names: its first sentence, which nothing later may contradict."""
    own = _compared(value) or ("tie" if _BRACKETED_TIE.fullmatch(value.strip()) else None)
    parts = sentences(value)
    found = own or (said(parts[0], leads=True) if parts else None)
    later = {bare(_TAKEN_BACK.sub("", sentence)) for sentence in parts[1:]}
    if own is None:
        later.add(concluded(value.partition(".")[2]))
    later.add(concluded(rest))
    return None if later - {None, found} else found


def _of_prose(text: str) -> Verdict | None:
    """Of a reply without a mark: a line that is a verdict alone, or the last sentence that says
    which response is better. Where it has both, they must agree."""
    if text.lstrip().startswith(("{", "```")):
        return None  # An object without a verdict: what stands in it is a reason.
    alone = {_compared(line) or bare(plain(line)) for line in text.splitlines()} - {None}
    # Two names that stand alone are headings.
    found = {*(alone if len(alone) == 1 else ()), concluded(text)} - {None}
    return found.pop() if len(found) == 1 else None


def _compared(text: str) -> Verdict | None:
    """Of a comparison that stands alone, such as "A>B"."""
    match = _COMPARED.fullmatch(text.strip())
    if match is None or match[1].upper() == match[3].upper():
        return None
    first: Verdict = "A" if match[1].upper() == "A" else "B"
    other: Verdict = "B" if first == "A" else "A"
    if match[2][0] in "=≈~":
        return "tie"
    return first if match[2][0] in ">≫" else other

"""Reading the verdict of a judge that was asked for A, B or tie and answered in free text.

A verdict is taken only where the text says it: "A" in "A tie" is an article, "both" is no tie, and
"a tie: A" contradicts itself. Whatever cannot be read for sure is `Unread`, and never a default.
"""

import re
from typing import Literal

from pairwright.evaluate.marked import cut_short, marked
from pairwright.llm import Unread

Verdict = Literal["A", "B", "tie"]

NAMES = (
    r"(?:final |overall )?(?:verdict|result|winner|decision|judge?ment|choice|preference|answer)"
    r"|(?:preferred|better|best|chosen|winning) (?:response|answer|output|option)"
)
"""What marks a verdict in a text."""
_MARKUP = re.compile(r"[*_`\"'“”‘’\[\](){}<>$\\]+")
_SENTENCE = re.compile(r"[.!?;]+(?:\s+|$)|\n+")
# What follows these words explains a verdict, and speaks of both responses.
_BECAUSE = re.compile(r"\b(?:because|since|due to|given that|which|as (?:it|this|the)|so that)\b")
# "n t" ends "don't" and its like, once the apostrophe is gone.
_DOUBT = re.compile(
    r"\b(?:not|\w*n t|cannot|never|neither|nor|no one|nobody|no wait|hardly|refuse to"
    r"|avoid (?:saying|picking|choosing)|(?:false|wrong) (?:that|to)|if|unless|whether|depends"
    r"|unclear|worse)\b"
)

_TAKEN_BACK = re.compile(r"^(?:no|actually|wait|sorry|correction|or)[ ,:–—-]+(?:it is )?")

_NOUN = r"(?:responses?|answers?|outputs?|options?|assistant|candidate|reply|choice|text)"
_NAME = (
    rf"(?:the )?(?:{_NOUN} (?P<{{0}}>[ab12]|first|second)|(?P<{{0}}x>[ab]|first|second))"
    rf"(?: {_NOUN}| one)?"
)
_ADVERB = (
    r"(?: (?:clearly|slightly|much|overall|marginally|definitely|far|somewhat|also|therefore|thus"
    r"|the|a|an))*"
)
_BETTER = rf"{_ADVERB} (?:better|best|preferred|preferable|superior|winner|stronger)"
_ENDS = (
    rf"(?=$| ?[,:–—-]| {_NOUN}| (?:than|overall|here|one|fit|match|for (?:this|the) (?:person|user"
    r"|reader|asker)|in my|suited|aligned|of the two)\b)"
)
_CLAIMS = tuple(
    re.compile(pattern)
    for pattern in (
        # "Output (a) is better", "B wins"
        rf"\b{_NAME.format('of')} (?:(?:is|was|seems){_BETTER}{_ENDS}|wins\b)",
        # "I prefer response B", "the better response is B"
        rf"\b(?:prefer|choose|pick|select|favou?r|vote for|go with|(?:better|best|preferred)"
        rf"(?: {_NOUN}| one| choice)? is|(?:verdict|result|winner|choice|answer) is)"
        rf" {_NAME.format('of')}(?=$| ?[,:–—-]| (?:over|for)\b)",
    )
)
# "First, both are good" names no response: it begins a list.
_LEADS = re.compile(
    rf"(?!(?:first|second) ?,){_NAME.format('of')}(?=$| ?[,–—-](?! ?{_NAME.format('then')}\b)"
    r"| (?:over|by|slightly|clearly|narrowly)\b)"
)
_BARE = re.compile(_NAME.format("of"))
_ABOUT = r"(?: (?:about|roughly|almost|essentially|basically|overall|both|all))*"
_TIE = re.compile(
    rf"(?:(?:it|this)(?: is| s) |overall,? |they are )?(?:an? )?"
    rf"(?:tie|tied|draw|equal|equally (?:good|bad|well|helpful|suited))"
    rf"(?: between (?:both|the two|(?:{_NOUN} )?a and (?:{_NOUN} )?b)(?: {_NOUN})?)?"
    rf"(?P<rest>$| ?[,:–—-].*)"
    rf"|(?:they|both|(?:both |the )?(?:two |both )?{_NOUN}|the two|(?:both |{_NOUN} )?a and"
    rf" (?:{_NOUN} )?b)(?: {_NOUN})? (?:are|is|would be){_ABOUT}"
    rf" (?:equal|tied|a tie|equally (?!un)\w+)(?P<more>$|[ ,:].*)"
)
_OTHERS = re.compile(rf"\b{_NAME.format('of')}\b")


def read_verdict(text: str) -> Verdict | Unread:
    """The verdict of a whole reply, or why there is none."""
    found = None
    if not cut_short(text):
        value = marked(text, NAMES)
        found = _of_value(value) if value is not None else _of_prose(text)
    if found is None:
        head = " ".join(text.split())[:200]
        return Unread(f"no verdict in: {head}" if head else "an empty reply")
    return found


def _of_value(value: str) -> Verdict | None:
    """Of what a mark names: its first sentence, which no later one may contradict outright."""
    sentences = _sentences(value)
    if not sentences:
        return None
    said = _said(sentences[0], leads=True)
    others = {_bare(_TAKEN_BACK.sub("", sentence)) for sentence in sentences[1:]} - {None, said}
    return None if others else said


def _of_prose(text: str) -> Verdict | None:
    """Of a reply without a mark: a line that is a verdict alone, or the last sentence that says
    which response is better. Where it has both, they must agree."""
    if text.lstrip().startswith(("{", "```")):
        return None  # An object without a verdict: what stands in it is a reason.
    bare = {_bare(_plain(line)) for line in text.splitlines()} - {None}
    claims = [said for sentence in _sentences(text) if (said := _said(sentence, leads=False))]
    # Two names that stand alone are headings.
    found = {*(bare if len(bare) == 1 else ()), *claims[-1:]}
    return found.pop() if len(found) == 1 else None


def _said(sentence: str, *, leads: bool) -> Verdict | None:
    """What one sentence says; with `leads` also by the name that it begins with."""
    if tie := _TIE.fullmatch(sentence):
        return None if _one_sided(tie["rest"] or tie["more"] or "") else "tie"
    main = _BECAUSE.split(sentence)[0].strip(" ,:–—-")
    if _DOUBT.search(main):
        return None
    if _TIE.fullmatch(main):
        return "tie"
    found = {_letter(match) for claim in _CLAIMS for match in claim.finditer(main)}
    if leads and (match := _LEADS.match(main)):
        found.add(_letter(match))
    return found.pop() if len(found) == 1 else None


def _bare(sentence: str) -> Verdict | None:
    """A sentence that is nothing but a verdict."""
    if match := _BARE.fullmatch(sentence):
        return _letter(match)
    return "tie" if sentence in ("tie", "a tie", "tied", "equal") else None


def _one_sided(rest: str) -> bool:
    """Whether it names one of the two and not the other, or takes the tie back."""
    names = {_letter(match) for match in _OTHERS.finditer(rest)}
    return len(names) == 1 or bool(re.search(r"\b(?:but|slightly|though|however)\b", rest))


def _letter(match: re.Match[str]) -> Verdict:
    return "A" if (match["of"] or match["ofx"]) in ("a", "1", "first") else "B"


def _sentences(text: str) -> list[str]:
    return [plain for part in _SENTENCE.split(text) if (plain := _plain(part))]


def _plain(text: str) -> str:
    """Lower case, without markup, in single spaces."""
    return " ".join(_MARKUP.sub(" ", text).lower().split()).strip(" .,:;!–—-")

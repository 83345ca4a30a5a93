"""What the sentences of a judge's free text say of the two responses.

The last sentence that says which one is better counts. What another judge said, a first impression,
a concession ("although A is longer") and a reason do not. A sentence that turns against what was
said before it ("However, B has no nuts") and does not say which is better takes it back: then
nothing is said.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from pairwright.evaluate.replies.marks import reports_others

Verdict = Literal["A", "B", "tie"]

# Marks of Markdown and TeX, quotes, and pictures that say yes: a tick, a star, a cup, a thumb.
_MARKUP = re.compile(
    r"[*_`\"'“”‘’\[\](){}<>$\\\u2705\u2714\u2b50\ufe0f\U0001f3c6\U0001f44d\U0001f947]+"
)
_SENTENCE = re.compile(r"([^.!?;\n]*(?:[.!?;](?!\s|$)[^.!?;\n]*)*)([.!?;]+(?=\s|$)|\n|$)")
# What follows these words explains a verdict, and speaks of both responses.
_BECAUSE = re.compile(r"\b(?:because|since|due to|given that|which|as (?:it|this|the)|so that)\b")
# "n t" ends "don't" and its like, once the apostrophe is gone.
_DOUBT = re.compile(
    r"\b(?:not|\w*n t|cannot|never|neither|nor|no one|nobody|no wait|hardly|refuse to"
    r"|avoid (?:saying|picking|choosing)|(?:false|wrong) (?:that|to)|if|unless|whether|depends"
    r"|unclear|worse|unsure|uncertain)\b"
)
_AGAINST = re.compile(
    r"\b(?:not|\w*n t|cannot|never|worse|lacks?|fails?|ignores?|miss(?:es)?|omits?|overlooks?"
    r"|forgets?|too|only|wrong|incorrect|less|unnecessar\w+)\b"
)

_NOUN = r"(?:responses?|answers?|outputs?|options?|assistant|candidate|reply|choice|text)"
_NAME = (
    rf"(?:the )?(?:{_NOUN} (?P<{{0}}>[ab12]|first|second)|(?P<{{0}}x>[ab]|first|second))"
    rf"(?: {_NOUN}| one)?"
)
_ADVERB = (
    r"(?: (?:clearly|slightly|much|overall|marginally|definitely|by far|far|somewhat|also|therefore"
    r"|thus|actually|ultimately|really|still|the|a|an))*"
)
_BETTER = rf"{_ADVERB} (?:better|best|preferred|preferable|superior|winner|stronger)"
_ENDS = (
    rf"(?=$| ?[,:–—-]| {_NOUN}| (?:than|overall|here|one|fit|match|for (?:this|the) (?:person|user"
    rf"|reader|asker)|in my|suited|aligned|of the two|to {_NAME.format('other')})\b)"
)
_PERSON = r"(?:this|the) (?:person|user|reader|asker)"
_CLAIMS = tuple(
    re.compile(pattern)
    for pattern in (
        # "Output (a) is better", "B wins", "B gets my vote"
        rf"\b{_NAME.format('of')} (?:(?:is|was|seems){_BETTER}{_ENDS}"
        r"|(?:wins|gets my vote)(?=$| ?[,:–—-]| (?:here|overall|for|by (?:a|an|far))\b))",
        # "A edges out B", "A suits this person best"
        rf"\b{_NAME.format('of')}(?: (?:clearly|slightly|narrowly|easily))*"
        rf" (?:outperforms|beats|surpasses|edges out) {_NAME.format('other')}"
        r"(?=$| (?:here|overall)\b)",
        rf"\b{_NAME.format('of')} (?:would )?(?:suit|serve|fit)s? {_PERSON} (?:better|best)(?=$)",
        rf"\b{_NAME.format('of')} (?:would be (?:better|best|preferable) for {_PERSON}"
        rf"|better (?:fit|suit|serve|meet|matche?)s (?:{_PERSON}|what {_PERSON} (?:has|had) \w+))"
        r"(?=$| s (?:needs|preferences|situation|profile|history|posts)$)",
        # "I prefer response B", "the better response is B", "my verdict is: B"
        rf"\b(?:prefer|choose|pick|select|favou?r|vote for|go with|lean(?: slightly)? towards?"
        rf"|(?:better|best|preferred)(?: {_NOUN}| one| choice| fit| match)? is"
        rf"|(?:verdict|result|winner|choice|answer|pick|vote) is)"
        rf":? {_NAME.format('of')}(?=$| ?[,:–—-]| (?:over|for|here|overall)\b)",
        # "Ultimately, response A"
        r"^(?:therefore|thus|hence|ultimately|overall|in conclusion|in the end)[,:]?"
        rf" {_NAME.format('of')}$",
    )
)
# "First, both are good" names no response: it begins a list.
_LEADS = re.compile(
    rf"(?!(?:first|second) ?,){_NAME.format('of')}(?=$| ?[,–—-](?! ?{_NAME.format('then')}"
    r"(?:$| ?[,:–—-]| (?:and|or|are|both)\b))"
    r"| (?:over|by|slightly|clearly|narrowly)\b)"
)
_BARE = re.compile(_NAME.format("of"))
_ABOUT = r"(?: (?:about|roughly|almost|essentially|basically|overall|both|all))*"
_TIE = re.compile(
    rf"(?:(?:therefore|thus|so|hence|overall),? )?(?:"
    rf"(?:(?:it|this)(?: is| s) |they are )?(?:an? )?"
    rf"(?:tie|tied|draw|equal|equally (?:good|bad|well|helpful|suited))"
    rf"(?: between (?:both|the two|(?:{_NOUN} )?a and (?:{_NOUN} )?b)(?: {_NOUN})?)?"
    rf"(?P<rest>$| ?[,:–—-].*)"
    rf"|(?:they|both|(?:both |the )?(?:two |both )?{_NOUN}|the two|(?:both |{_NOUN} )?a and"
    rf" (?:{_NOUN} )?b)(?: {_NOUN})? (?:are|is|would be){_ABOUT}"
    rf" (?:equal|tied|a tie|equally (?!un)\w+)(?P<more>$|[ ,:].*))"
)
_OTHERS = re.compile(rf"\b{_NAME.format('of')}\b")
# "Response B, however, is better": the name goes with what follows.
_INSERTED = re.compile(
    rf"\b({_NAME.format('of')}) ?, (however|though|on the other hand|in contrast|by contrast), "
)
# A reason or a concession that comes before what is said.
_SUBORDINATE = re.compile(
    r"^(?:and |so )?(?:since|because|given|considering|as|while|whereas|although|though|even though"
    r"|even if|despite|in spite of)\b[^,]*(?:,|$) ?"
)
_TURN = re.compile(
    r"(?:^|[ ,]+)(?P<turn>but|however|yet|nevertheless|nonetheless)\b[ ,]*"
    r"|(?:^|[ ,]+)(?P<concession>while|whereas|although|though|even though)\b[ ,]*"
    r"|(?:,| and)+ (?:so|therefore|thus|hence|consequently)\b(?! that)[ ,]*"
)
_TAKES_BACK = re.compile(
    r"^(?:actually|wait|hmm|no|scratch that|on reflection|on second thoughts?|then again"
    r"|that said|still)\b[ ,]*"
)


_UNSURE = re.compile(
    r"\b(?:not (?:sure|certain)|unsure|uncertain|(?:cannot|can t|could not) decide)\b"
)


class _Clause(NamedTuple):
    text: str
    turns: bool
    """Whether it speaks against what comes before it."""
    concedes: bool


def sentence_verdict(sentence: str, *, leads: bool) -> Verdict | None:
    """What one plain sentence says; with `leads` also by the name that it begins with."""
    return _walk([sentence], leads=leads)


def text_verdict(text: str) -> Verdict | None:
    """What a whole text says in its sentences; questions say nothing."""
    return _walk([plain(part) for part, end in _SENTENCE.findall(text) if "?" not in end])


def split_sentences(text: str) -> list[str]:
    """Its sentences, plain."""
    return [sentence for part, _ in _SENTENCE.findall(text) if (sentence := plain(part))]


def plain(text: str) -> str:
    """Lower case, without markup, in single spaces."""
    return " ".join(_MARKUP.sub(" ", text).lower().split()).strip(" .,:;!?–—-")


def bare_verdict(sentence: str) -> Verdict | None:
    """A plain sentence that is nothing but a verdict."""
    if match := _BARE.fullmatch(sentence):
        return _letter(match)
    return "tie" if sentence in ("tie", "a tie", "tied", "equal") else None


def _walk(sentences: Iterable[str], *, leads: bool = False) -> Verdict | None:
    """What is held at the end of these plain sentences."""
    held: Verdict | None = None
    for sentence in sentences:
        if tie := _TIE.fullmatch(sentence):
            rest = tie["rest"] or tie["more"] or ""
            if not _one_sided(rest):
                held = "tie"
            elif _names(rest) != {held}:
                held = None
            continue
        inside: Verdict | None = None
        for place, clause in enumerate(_clauses(sentence)):
            # "B is kind, but it is long" turns against B, and not against what was said before.
            turns = clause.turns and (place == 0 or inside is not None)
            verdicts = _clause_verdicts(clause.text, leads=leads and inside is None)
            if len(verdicts) > 1 or (clause.concedes and inside and verdicts - {inside}):
                held = inside = None
            elif verdicts:
                (held,) = verdicts
                inside = held
            elif held and (_UNSURE.search(clause.text) or (turns and _turned(clause.text, held))):
                held = inside = None
    return held


def _clauses(sentence: str) -> Iterator[_Clause]:
    """The parts of a sentence, without reasons and concessions that come before them."""
    whole = _INSERTED.sub(lambda match: f"however {match[1]} ", sentence)
    turns = concedes = False
    if back := _TAKES_BACK.match(whole):
        turns, whole = True, whole[back.end() :]
    at = 0
    if lead := _SUBORDINATE.match(whole):
        at = lead.end()
    for match in _TURN.finditer(whole, at):
        if before := whole[at : match.start()].strip(" ,"):
            yield _Clause(before, turns, concedes)
        turns, concedes, at = bool(match["turn"]), bool(match["concession"]), match.end()
        if lead := _SUBORDINATE.match(whole[at:]):
            at += lead.end()
    yield _Clause(whole[at:], turns, concedes)


def _clause_verdicts(clause: str, *, leads: bool) -> set[Verdict]:
    """What one clause says; several where it contradicts itself."""
    main = _BECAUSE.split(clause)[0].strip(" ,:–—-")
    if _DOUBT.search(main) or reports_others(main):
        return set()
    if _TIE.fullmatch(main):
        return {"tie"}
    verdicts = {_letter(match) for claim in _CLAIMS for match in claim.finditer(main)}
    if leads and (match := _LEADS.match(main)):
        verdicts.add(_letter(match))
    return verdicts


def _turned(clause: str, held: Verdict) -> bool:
    """Whether a clause that turns takes back what is held: it speaks for the other response,
    against this one, or of neither and takes it back outright."""
    names = _names(clause)
    if len(names) != 1:
        return bool(names) or clause in ("", "no")
    against = _AGAINST.search(clause) is not None
    return against if names == {held} else not against


def _one_sided(rest: str) -> bool:
    """Whether it names one of the two and not the other, or takes the tie back."""
    return len(_names(rest)) == 1 or bool(re.search(r"\b(?:but|slightly|though|however)\b", rest))


def _names(text: str) -> set[Verdict]:
    return {_letter(match) for match in _OTHERS.finditer(text)}


def _letter(match: re.Match[str]) -> Verdict:
    return "A" if (match["of"] or match["ofx"]) in ("a", "1", "first") else "B"

"""The cues that open a statement about oneself, such as `I live on` or `allergic to`."""

import re
from collections.abc import Callable
from typing import NamedTuple

from pairwright.models.simulated import lexicon as lex
from pairwright.models.simulated.phrases import noun, verb


class CueMatch(NamedTuple):
    """Where a cue was found: its match, and the rest of the sentence."""

    match: re.Match[str]
    rest: str


Reader = Callable[[CueMatch], str]
"""Makes the phrase of a statement, or nothing where it is none after all."""


class Cue(NamedTuple):
    """What opens a statement, and how its phrase is read."""

    kind: str
    weight: float
    opening: re.Pattern[str]
    phrase: Reader


def _noun(opened: CueMatch) -> str:
    return noun(opened.rest)


def _verb(opened: CueMatch) -> str:
    return verb(opened.rest)


def _place(opened: CueMatch) -> str:
    phrase = noun(opened.rest)
    return f"{opened.match['at'].lower()} {phrase}" if 1 <= len(phrase.split()) <= 3 else ""


def _lacking(opened: CueMatch) -> str:
    words = noun(opened.rest).split()
    unfit = lex.DETERMINERS | lex.NO_LACK
    if not words or words[0].lower() in unfit or words[0].endswith("ing"):
        return ""
    return " ".join(words[:3])


def _measured(opened: CueMatch) -> str:
    unit = re.match(r"[a-z]+", opened.rest)
    count = opened.match.group().strip().lower()
    return f"{count} {unit[0]}" if unit and unit[0] in lex.UNITS else ""


def _doing(opened: CueMatch) -> str:
    """`I teach four sections of intro biology` as `teaching intro biology`."""
    words = noun(opened.rest, most=5).rpartition(" of ")[2].split()
    return " ".join([lex.GERUNDS[opened.match["verb"].lower()], *words[:3]]) if words else ""


def _described(opened: CueMatch) -> str:
    """`my hands are small` as `small hands`, `my sister is coeliac` as `coeliac sister`."""
    word = _LAST_WORD.match(opened.rest)
    if word is None or word[1] in lex.BREAKS | lex.PLAIN | lex.ADVERBS:
        return ""
    return "" if word[1].endswith(("ing", "ed")) else f"{word[1]} {opened.match['who'].lower()}"


def _theme(opened: CueMatch) -> str:
    """A plain noun phrase; after `the` and `a` only one of two words, which names more."""
    words = noun(opened.rest).split()
    if len(words) > 1 and words[0] in _VAGUE:
        del words[0]
    plain = words and words[-1].islower() and not words[-1].endswith("ing")
    if plain and words[-1] in lex.RELATIONS:
        return ""
    short = len(words) != 2 or words[0] in lex.PLAIN
    if not plain or (short and opened.match["whose"].lower() not in lex.OWNERS):
        return ""
    return " ".join(words[:3])


def _having(opened: CueMatch) -> str:
    """`I have sore feet`: two plain words without an article."""
    words = noun(opened.rest).split()
    plain = len(words) == 2 and opened.rest[0].islower() and words[0] not in _NO_QUALITY
    return " ".join(words) if plain and not words[0].endswith("ed") else ""


def _owned(opened: CueMatch) -> str:
    phrase = noun(opened.rest)
    return "" if phrase.split(" ")[-1] in _NOT_OWNED else phrase


def _itself(opened: CueMatch) -> str:
    who = opened.match["who"] if opened.match["who"].isupper() else opened.match["who"].lower()
    return f"a {who}" if who in ("stammer", "stutter") else who


_NOT_OWNED = lex.ILLNESSES | lex.RELATIONS | {"hands"}
_VAGUE = lex.word_set("best good great real own last first")
_NO_QUALITY = lex.DETERMINERS | lex.NUMBERS | lex.PLAIN
_LAST_WORD = re.compile(
    r"(?:very |so |quite |always |still |too )?([a-z-]+)(?=\s*(?:[,.;:!?)]|and |but |in |from |$))"
)
_I = r"\b(?:i|we)(?: (?:really|do|now|only|just|also|mostly|usually|always|still|both|normally))?"
_HAVE = rf"(?:{_I}|\bi've|\bwe've|\bi have|\bwe have)(?: only| just)?"
_RELATION, _NUMBER, _ILLNESS, _TRAIT, _VERB = (
    "|".join(sorted(some, key=lambda word: (-len(word), word)))  # `work on` before `work`
    for some in (lex.RELATIONS, lex.NUMBERS, lex.ILLNESSES, lex.TRAITS, lex.GERUNDS)
)
# What is told about a relation in the past need not hold any more.
_GONE = "died|was|had|did|gave|left|held|sailed|made|kept|told|used|once|always"


def _cue(kind: str, weight: float, opening: str, phrase: Reader) -> Cue:
    return Cue(kind, weight, re.compile(opening + r"(?:\s+|$)", re.IGNORECASE), phrase)


CUES = (
    _cue("avoid", 3.0, r"\b(?:allergic|allergy|intolerant) to", _noun),
    _cue("avoid", 2.6, r"\b(?:isn't|not) allowed", _noun),
    _cue("avoid", 2.4, rf"{_I} (?:avoid|hate|detest|dislike|(?:can't|cannot) stand)", _noun),
    _cue("avoid", 2.2, rf"{_I} (?:don't|do not|never) (?:eat|drink|like|trust|travel|use)", _noun),
    _cue("lack", 2.3, rf"(?:^no|\b(?:there's|there is|there are|i've|we've|i have|we have|with) no|"
         rf"{_I} (?:don't|do not) (?:have|own)|\bi haven't)(?: any| an?)?", _lacking),
    _cue("lack", 1.3, r"\b(?:no|without)(?: any| an?)?", _lacking),
    _cue("cannot", 2.2, r"\b(?:i|we) (?:can't|cannot|may not|mustn't|won't)(?: even)?", _verb),
    _cue("condition", 2.8, rf"\b(?P<who>{_ILLNESS})\b[,.]?", _itself),
    _cue("trait", 2.8, rf"\b(?P<who>{_TRAIT})\b[,.]?", _itself),
    _cue("family", 3.0, rf"\bmy (?P<who>{_RELATION})(?: [A-Z]\w+)? (?:is|has become)", _described),
    _cue("family", 1.2, rf"\b(?:my|our|the) (?P<who>{_RELATION})\b(?! (?:{_GONE}))", _itself),
    _cue("theme", 2.0, r"\bmy (?P<who>[a-z-]+) (?:is|are|gets|get)", _described),
    _cue("role", 2.6, r"\b(?:i'm|i am|i work as)(?= (?:an?|the only) )", _noun),
    _cue("doing", 2.6, rf"(?:{_I}|\bwhere i) (?P<verb>{_VERB})", _doing),
    _cue("home", 2.4, r"\b(?:i'm|we're|i am|we are) (?P<at>on|at)(?= the )", _place),
    _cue("home", 3.0, rf"{_I} live (?P<at>in|on|at|above|near|aboard)", _place),
    _cue("home", 2.8, rf"{_I} (?:sleep|stay|camp|lodge|work|cook|write|read|play|practise|study)"
         r"(?: \w+)? (?P<at>in|on|at|aboard)(?= (?:an?|the|my|our) )", _place),
    _cue("own", 2.0, rf"{_HAVE} (?:own|use|have|got|keep|ride|drive|rely on|inherited|rent)"
         r"(?= (?:an?|one|only|just|my|some) )", _owned),
    _cue("own", 2.0, rf"{_I} [a-z]+ with(?= (?:an?|one|my|our) )", _owned),
    _cue("condition", 1.9, r"(?:\b(?:i've|we've)|\b(?:i|we) have)(?: got)?", _having),
    _cue("own", 2.4, r"\bthe only [\w-]+ (?:\w+ )?(?:is|are)", _noun),
    _cue("like", 2.2, rf"{_I} (?:love|like|enjoy|prefer|collect|adore|trust|miss)(?! to)", _noun),
    _cue("like", 1.8, r"\b(?:fond of|interested in|keen on|a fan of)", _noun),
    _cue("want", 1.2, rf"{_I} (?:need|want|would prefer|am after)(?= (?:an?|some) )", _noun),
    _cue("measure", 1.4, rf"\b(?:{_NUMBER}|\d+)(?:[- ](?:{_NUMBER}))?", _measured),
    _cue("habit", 1.2, _I, _verb),
    _cue("theme", 1.0, r"\b(?P<whose>my|our|the|an?)", _theme),
)  # fmt: skip

"""Ways of talking that give a side away: about its reader, about its task, or a refusal.

Phrases, not words: "the user interface", "as long as you have" and "all aspects of" are ordinary
English. What the question itself says, an answer may say too. Those of other languages are in
`other_phrases.py`.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from pairwright.gates.other_phrases import OTHERS

_VERBS = (
    # "because you are trapping steam" speaks to nobody in particular.
    r"(?:(?:'re| are)(?! [\w-]+ing\b)|'ve"
    r"|(?: only| already| cannot| can't| don't)? (?:have(?! to)|live|work|own|eat|drink|like|love"
    r"|prefer|enjoy|mentioned|said|told|asked))"
)
# Nor does "As a rule, you ...".
_GENERAL = (
    r"(?!(?:rule|result|start|guide|last|first|general|matter|bonus|compromise|test|check|quick"
    r"|treat|precaution|reward|side|final|backup|rough|good|minimum|way|means|reminder)\b)"
)
_ABOUT = (
    r"(?:interests?|love|history|posts?|background|experience|situation|circumstances|profile"
    r"|earlier|previous|past|fondness)"
)


@dataclass(frozen=True, eq=False)
class Talk:
    """One way of talking. As the key of a cache it costs nothing; a pattern is hashed as slowly as
    it searches a text."""

    english: re.Pattern[str]
    needs: tuple[str, ...]
    """Words without which no such English phrase is there: looking for them first costs little."""
    others: tuple[re.Pattern[str], ...]
    """The same in other languages, in the order of `OTHERS`."""


# A look at the first letter spares trying every phrase at every word.
PERSONA = Talk(
    re.compile(
        r"\b(?=[abcfgiksty])(?:"
        rf"(?<!such )as (?:someone|somebody|a person|an? [\w-]+) (?:who|like you)\b"
        rf"|(?<!such )as an? {_GENERAL}[\w-]+(?: [\w-]+)?, (?:you|your)\b"
        # Only where a sentence begins: "use it as a base with your own toppings".
        rf"|(?-i:As) an? {_GENERAL}[\w-]+(?: [\w-]+)? (?:who|with your(?! own))\b"
        r"|(?-i:Given|Considering|Knowing) your (?!options|choices|goals?|audience)"
        r"[\w'-]+(?: [\w'-]+){0,3}(?=,)"
        r"|(?:for (?:someone|somebody|a person)|an? [\w-]+) like you\b"
        rf"|(?:since|because|seeing that|given that|knowing that) you{_VERBS}\b"
        rf"|(?:given|considering|based on|knowing|in view of) your (?:own )?{_ABOUT}\b"
        r"|(?:given|(?-i:Based on)) your (?:own )?(?:preferences?|tastes?|needs|budget)\b"
        r"|the user's (?:own )?(?:background|interests?|love|fondness|tastes?|circumstances)\b"
        r"|you(?:'ve| have)? (?:mentioned|told (?:me|us)|asked before)\b"
        r"|(?:as|since|because) you(?:'ve| have)? (?:wrote|written|posted)\b"
        r"|you(?:'ve| have)? said (?:that|you)\b"
        r"|your (?:history|profile|earlier|previous|past) (?:posts?|questions?|interests?)\b"
        r")",
        re.IGNORECASE,
    ),
    needs=("you", "someone", "somebody", "a person", "the user", " who "),
    others=tuple(one.persona for one in OTHERS),
)
META = Talk(
    re.compile(
        r"\b(?:"
        r"I(?:'ll| will| am going to) (?:avoid|leave out|omit|not mention|skip)\b"
        r"|I(?:'ve| have)? (?:avoid(?:ed)?|leave out|left out|omit(?:ted)?|skip(?:ped)?)"
        r" (?:the|these|those|any|all|your|mention)\b"
        r"|the user(?:'s)? (?:expects?|wants?|prefers?|asked|asks|mentioned|likes?|needs|would"
        r"|history|posts?|profile|question|aspects?)\b"
        r"|(?:this|my) (?:answer|response|reply) (?:will|does|avoids|omits|covers|leaves|focuses)\b"
        r"|the (?:answer|response|reply) (?:avoids|omits|leaves out)\b"
        r"|(?:the|this|given|listed) rubrics?\b"
        r"|(?:these|listed|required|requested|expected|given) aspects\b"
        r"|as (?:requested|instructed)(?! by)\b"
        r"|(?:within|under|over) the word limit\b|\d+[- ]word limit\b"
        # "an abstract of 250 words or less" is somebody else's.
        r"|(?:makes|that's|this is|here is|(?:answer|response|reply) in) \d+ words or"
        r" (?:less|fewer)\b"
        r")",
        re.IGNORECASE,
    ),
    needs=(
        " i ",
        " i'",
        "user",
        "answer",
        "response",
        "reply",
        "rubric",
        "aspects",
        "word",
        "requested",
        "instructed",
    ),
    others=tuple(one.meta for one in OTHERS),
)
REFUSAL = Talk(
    re.compile(
        r"\b(?=[ai])(?:"
        r"I(?:'m| am) (?:so |very )?sorry,? but I\b|I(?:'m| am) afraid I (?:can't|cannot|can not)\b"
        r"|I(?:'m| am) (?:unable|not able) to"
        r" (?:help|assist|answer|provide|comply|fulfil|give|do (?:so|that|this))"
        r"|I (?:can't|cannot|can not|won't|will not|must decline to|have to decline to)"
        r" (?:help|assist|answer|provide|comply|fulfil|do that|give|offer)"
        r"|I must decline\b|I (?:decline|refuse) to\b"
        r"|(?<!such )as an AI(?: language model| assistant|,)"
        r"|I(?:'m| am) (?:just |only )?an? (?:AI|language model)\b"
        r")",
        re.IGNORECASE,
    ),
    needs=(" i ", " i'", "an ai"),
    others=tuple(one.refusal for one in OTHERS),
)


_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
# What an answer tells somebody to say is not what it says.
_QUOTED = re.compile(r'(?<![\w.,!?])"(?=\S)[^"]{1,100}(?<=\S)"')
# The same in the quotation marks of other languages, of which one begins and another ends. Chinese
# has no space before the curly ones, so there a letter may be.
_OTHER_QUOTED = re.compile(
    '\u201e[^\u201e\u201c\u201d"]{1,100}[\u201c\u201d"]|\u00ab[^\u00ab\u00bb]{1,100}\u00bb'
    "|(?<!\\w)\u00bb(?=\\S)[^\u00ab\u00bb]{1,100}(?<=\\S)\u00ab|\u300c[^\u300c\u300d]{1,100}\u300d"
    "|\u300e[^\u300e\u300f]{1,100}\u300f"
    "|(?<=[\u3041-\u30ff\u3400-\u9fff])\u201c[^\u201c\u201d]{1,100}\u201d"
)


# A response is part of the drafts of both modes.
@lru_cache(maxsize=1024)
def first_phrase(talk: Talk, response: str, question: str) -> str | None:
    """The first such phrase of a response that the question does not hold."""
    plain, lowered, others = _said(response)
    patterns = [talk.english] if any(map(lowered.__contains__, talk.needs)) else []
    patterns += [talk.others[n] for n in others]
    phrases = [match.group() for one in patterns for match in one.finditer(plain)]
    plain_question = _plain(question).lower() if phrases else ""
    return next((phrase for phrase in phrases if phrase.lower() not in plain_question), None)


@lru_cache(maxsize=256)
def _said(response: str) -> tuple[str, str, tuple[int, ...]]:
    """What a response says itself, the same in lower case behind a space, and which of `OTHERS`
    have words in it that their phrases need."""
    plain = _plain(response if response.isascii() else _OTHER_QUOTED.sub('""', response))
    if '"' in plain:
        plain = _QUOTED.sub('""', plain)
    lowered = f" {plain}".lower()
    others = (n for n, one in enumerate(OTHERS) if any(map(lowered.__contains__, one.needs)))
    return plain, lowered, tuple(others)


def _plain(text: str) -> str:
    """Straight quotes, composed letters, and a phrase that breaks over a line in one piece."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_STRAIGHT)
    return " ".join(text.split())

"""The noun or the verb phrase that a piece of text begins with."""

import re
from functools import lru_cache

from pairwright.models.simulated import lexicon as lex
from pairwright.text import terms, words

MOST_WORDS = 4
"""Longer phrases would be copied runs of words once they are in an aspect."""
_PIECE = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[^\w\s]")


def noun(text: str, most: int = MOST_WORDS) -> str:
    """The noun phrase at the start of `text`, or nothing where none is found."""
    taken: list[str] = []
    for piece in _PIECE.findall(text[:120]):
        low = piece.lower().replace("\u2019", "'")
        first = all(w.lower() in lex.DETERMINERS or w.lower() in lex.COUNTS for w in taken)
        if (low in lex.ADVERBS and not taken) or (low in lex.DEGREES and first):
            continue
        if low in lex.DETERMINERS:
            fits = not taken
        elif low in lex.BREAKS or not low[0].isalnum():
            fits = low == "of" and not first
        else:
            fits = low not in lex.PAST if first else not _ends_phrase(low, taken[-1])
        if not fits:
            break
        taken.append("the" if low in lex.OWNERS else piece)
    return _trimmed(taken, most)


def nouns(text: str, most: int = MOST_WORDS) -> list[str]:
    """All noun phrases of a text, from left to right."""
    phrases: list[str] = []
    end = 0
    for match in _PIECE.finditer(text):
        if match.start() >= end and (phrase := noun(text[match.start() :], most)):
            phrases.append(phrase)
            last = text.find(phrase.split()[-1], match.start())
            end = last + len(phrase.split()[-1])
    return phrases


def named(text: str) -> list[str]:
    """The noun phrases of a text that can stand as the subject of a sentence."""
    topics = [p for p in map(_topic, nouns(text, most=6)) if p]
    # A lone singular without an article is more often a verb than a thing.
    return [p for p in topics if " " in p or p.endswith(("s", "ing"))] or topics[:1]


@lru_cache(maxsize=8192)
def topics(question: str) -> tuple[str, str]:
    """The two phrases that a question is about, the fuller ones first."""
    phrases = sorted(dict.fromkeys(named(question)), key=lambda p: -min(len(terms(p)), 2))
    first, second, *_ = [*phrases, "the basics", "the rest"]
    return first, second


def _topic(phrase: str) -> str:
    """The phrase as the subject of a sentence: no pointing word, no verb in front."""
    head, _, rest = phrase.partition(" ")
    drop = head.lower() in lex.ASKING or head.lower() in ("these", "those", "this", "that", "any")
    return _topic(rest) if drop and rest else "" if drop else phrase


def verb(text: str) -> str:
    """The verb in the present with its next words, or nothing where `text` starts otherwise."""
    taken: list[str] = []
    for piece in _PIECE.findall(text[:120]):
        low = piece.lower().replace("\u2019", "'")
        if not taken and (low in lex.NO_VERB or low in lex.BREAKS or low.endswith(("ed", "ly"))):
            return ""
        if not low[0].isalnum() or low in lex.ENDS_VERB:
            break
        taken.append("their" if low in lex.OWNERS else piece)
    phrase = _trimmed(taken)
    return phrase if terms(phrase.partition(" ")[2]) - lex.PLAIN_STEMS else ""


def _trimmed(taken: list[str], most: int = MOST_WORDS) -> str:
    """At most `most` words that neither end in a function word nor within a noun phrase."""
    cut = False
    while taken and (len(words(" ".join(taken))) > most or _open(taken[-1]) or cut):
        # A word taken off a noun phrase takes the rest of that phrase along.
        cut = not _open(taken.pop())
    named = [w.lower() for w in taken if not _open(w)]
    telling = any(len(w) > 2 and w not in lex.PLAIN | lex.NUMBERS for w in named)
    verb_alone = len(named) == 1 and named[0].endswith("ed") and len(named[0]) > 4
    return " ".join(taken) if telling and not verb_alone else ""


def _ends_phrase(word: str, before: str) -> bool:
    """Whether a content word after others begins something else: a verb, adverb or new phrase."""
    if word in lex.NUMBERS or word in lex.PAST or word.endswith("ed"):
        return True
    adverb = word.endswith("ly") and word not in lex.NOT_ADVERBS
    return adverb or (word in lex.FRESH and before.lower() not in ("of", *lex.FRESH))


def _open(word: str) -> bool:
    """Whether more has to follow the word."""
    return word.lower() in lex.NO_END

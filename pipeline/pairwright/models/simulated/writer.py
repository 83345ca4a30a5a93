"""The embedded writer: plain prose of about ninety words out of a question and its aspects.

Answers to one question share their opening and closing. Between them are a sentence for each
aspect, where the aspects are to be served, and sentences that would do for any question.
"""

import re
from collections import Counter

from pairwright.models.simulated.chance import pick, shuffled
from pairwright.models.simulated.frames import FRAMES
from pairwright.models.simulated.phrases import topics
from pairwright.models.simulated.statements import subject
from pairwright.text import STOPWORDS, word_count

MOST_WORDS = 98
ENOUGH = 14
"""With fewer words left than this, an answer is long enough."""
_OPENINGS = (
    "Most of what matters about {one} is settled early, so begin with {two}.",
    "With {one}, order counts for more than effort; deal with {two} first.",
    "There is no single rule for {one}, but much turns on {two}.",
    "People disagree about {one}, yet less so about {two}.",
    "It pays to look at {one} in small parts, {two} among them.",
)
_CLOSINGS = (
    "Then come back to {one} and keep only what worked.",
    "After a fortnight, judge {one} again.",
    "What remains of {one} is a matter of practice.",
    "That is enough for {one} to go well most of the time.",
)
# Two sets, so that an answer which serves aspects is not a near copy of one which serves none.
_FITTING = (
    "Write down what was done each time, because notes outlast good intentions.",
    "Small trials are cheap, and two of them tell more than one long debate.",
    "Set a time to stop as well as a time to start.",
    "If a step takes twice as long as expected, split it.",
    "Where sources differ, trust the one that says how it was tested.",
    "Leave some slack, for the unexpected tends to arrive on schedule.",
    "The second attempt usually goes faster than the first.",
    "Ask somebody who has done it before what they would skip.",
    "A photograph of each stage saves a great deal of explaining afterwards.",
    "Whatever can be undone may be tried at once; the rest deserves a night's sleep.",
    "Put the dull parts first, while there is still some appetite for them.",
    "Borrow before buying, because needs look different after a few weeks.",
    "One person should have the last word, or nothing ever gets settled.",
    "Numbers are worth keeping only if they lead to a decision.",
)
_GENERAL = (
    "The usual advice is sound as far as it goes: prepare well, start simple, and check halfway.",
    "Spending more seldom helps before the basic steps have become routine.",
    "A short list of priorities, made in advance, prevents most of the common mistakes.",
    "Reading two or three good guides gives a fair idea of what is normal.",
    "It is better to finish one part completely than to begin several at once.",
    "Quality at the start decides more than corrections near the end.",
    "Expect the first result to be ordinary, and treat that as useful information.",
    "When in doubt, pick the simpler option and see whether anything is missing.",
    "A regular schedule does more for the outcome than a burst of energy.",
    "Compare the result against a clear example, since memory tends to flatter.",
    "Most problems that appear late were already visible at the beginning.",
    "Good materials and unhurried attention cover the greater part of it.",
)


def answer(
    question: str,
    serve: list[str],
    *,
    limit: int,
    seed: str,
    variant: str = "",
    also: tuple[str, ...] = (),
) -> str:
    """An answer that serves the aspects in `serve` and has the sentences `also` in it.

    `variant` names what else tells answers to one question apart, such as the aspects that are
    left out. Where `limit` leaves too little room, closing, opening and aspects go in turn.
    """
    one, two = topics(question)
    opening = _OPENINGS[pick(len(_OPENINGS), question)].format(one=one, two=two)
    closing = _CLOSINGS[pick(len(_CLOSINGS), "closing", question)].format(one=one, two=two)
    body = [*also, *lines(serve, seed)]
    room = min(limit, MOST_WORDS) - sum(map(word_count, (opening, closing, *body)))
    spare = _FITTING + _GENERAL if serve else _GENERAL
    padding: list[str] = []
    for sentence in shuffled(spare, question, variant, *serve, seed):
        if word_count(sentence) <= room and room >= ENOUGH:
            padding.append(sentence)
            room -= word_count(sentence)
    # One general sentence leads over to the aspects, the others follow them.
    parts = [opening, *padding[:1], *body, *padding[1:], closing]
    for spared in (closing, opening):
        if len(parts) > 1 and word_count(" ".join(parts)) > limit:
            parts.remove(spared)
    while len(parts) > 1 and word_count(" ".join(parts)) > limit:
        parts.pop()
    return " ".join(parts)


def lines(aspects: list[str], seed: str) -> list[str]:
    """One sentence for each aspect, serving it in other words than its own."""
    sentences: list[str] = []
    turns: Counter[str] = Counter()
    for kind, phrase in map(subject, aspects):
        if kind in FRAMES:
            # The second aspect of a kind takes the next wording.
            turn = pick(3, kind, *aspects, seed) + turns[kind]
            sentences.append(FRAMES[kind].line(phrase, turn))
            turns[kind] += 1
        else:
            # Backwards, so that no run of the aspect's words survives.
            pieces = [" ".join(piece) for piece in reversed(_pieces(phrase))]
            named = ", then ".join(pieces) or phrase.lower()
            sentences.append(f"Give some room to {named}, and settle that before moving on.")
    return sentences


def _pieces(aspect: str) -> list[list[str]]:
    """The runs of at most three content words in an aspect."""
    pieces: list[list[str]] = [[]]
    for word in re.findall(r"[\w'\u2019-]+|[^\w\s]", aspect.lower()):
        if not word[0].isalnum() or word in STOPWORDS:
            pieces.append([])
        elif len(pieces[-1]) == 3:
            pieces.append([word])
        else:
            pieces[-1].append(word)
    return [piece for piece in pieces if piece]


def over_long(text: str, limit: int) -> str:
    """The answer with general sentences after it, until it is half as long again as allowed."""
    parts = [text]
    while word_count(" ".join(parts)) <= 1.5 * limit:
        parts.append(_GENERAL[len(parts) % len(_GENERAL)])
    return " ".join(parts)

"""The embedded planner: aspects out of what a person's posts say about them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pairwright.models.simulated import lexicon as lex
from pairwright.models.simulated.chance import pick
from pairwright.models.simulated.frames import FRAMES
from pairwright.models.simulated.phrases import named, topics
from pairwright.models.simulated.statements import Statement, read_statements, sentences
from pairwright.text import terms, words

LEAST_SCORE = 2.0
_SLIGHT = lex.word_set("theme measure habit want")


class RankedStatement(NamedTuple):
    """A statement with the post it is in and how much it counts for the question."""

    said: Statement
    post: int
    score: float
    recurs: int
    stems: frozenset[str]


class SimulatedPassage(NamedTuple):
    """Words of a post, and the post's index."""

    post: int
    words: str


class SimulatedAspect(NamedTuple):
    """An aspect as the embedded planner gives it."""

    aspect: str
    reason: str
    evidence: tuple[SimulatedPassage, ...]
    follows: str


def plan(
    question: str, posts: Sequence[str], most: int, source: str = "post"
) -> list[SimulatedAspect]:
    """At most `most` aspects, those that count most first; none where no post says anything
    personal."""
    chosen: list[RankedStatement] = []
    for statement in sorted(
        _scored(question, posts), key=lambda f: (-f.score, f.post, f.said.phrase)
    ):
        if len(chosen) == min(most, 4):
            break
        kinds = [c.said.kind for c in chosen]
        places = [c.post for c in chosen]
        repeats = any(statement.stems & c.stems or _overlap(statement.said, c.said) for c in chosen)
        if (
            not repeats
            and kinds.count(statement.said.kind) < 2
            and places.count(statement.post) < 2
        ):
            chosen.append(statement)
    turns = [pick(2, question, f.said.phrase) for f in chosen]
    kinds = [f.said.kind for f in chosen]
    for i, kind in enumerate(kinds):
        if kind in kinds[:i]:  # the second of a kind takes the other wording
            turns[i] = turns[kinds.index(kind)] + 1
    return [_planned(f, turn, source, posts) for f, turn in zip(chosen, turns, strict=True)]


def _overlap(one: Statement, other: Statement) -> bool:
    """Whether one clause is evidence for both."""
    return one.evidence in other.evidence or other.evidence in one.evidence


def _planned(
    ranked: RankedStatement, turn: int, source: str, posts: Sequence[str]
) -> SimulatedAspect:
    statement = ranked.said
    frame = FRAMES[statement.kind]
    reason = frame.because(statement.phrase, source)
    if ranked.recurs > 1:
        reason = f"{reason[:-1]}; other posts come back to it."
    evidence = (SimulatedPassage(ranked.post, statement.evidence), *_elsewhere(ranked, posts))
    alone = "inferred" if statement.kind in _SLIGHT else "stated"
    follows = "pattern" if len(evidence) > 1 else alone
    return SimulatedAspect(frame.aspect(statement.phrase, turn), reason, evidence, follows)


def _elsewhere(ranked: RankedStatement, posts: Sequence[str]) -> Iterator[SimulatedPassage]:
    """A sentence of the first other post that has all words of the phrase, if there is one."""
    for post, text in enumerate(posts):
        for sentence in sentences(text) if post != ranked.post else ():
            quote = sentence.strip(" \"'.!?")
            if ranked.stems <= _stems(quote) and 4 <= len(words(quote)) <= 25:
                yield SimulatedPassage(post, quote)
                return


def _scored(question: str, posts: Sequence[str]) -> list[RankedStatement]:
    least = LEAST_SCORE if len(posts) < 8 else 1.7  # a long history may speak more softly
    question_stems = _stems(question)
    bodies = [_stems(post) for post in posts]
    ranked = []
    for index, post in enumerate(posts):
        near = 0.4 * bool(question_stems & bodies[index])
        for statement in read_statements(post):
            stems = frozenset(terms(statement.phrase)) - lex.PLAIN_STEMS
            if not stems or 2 * len(stems & question_stems) >= len(stems):
                continue
            recurs = sum(stems <= body for i, body in enumerate(bodies) if i != index)
            if statement.kind == "theme" and len(stems) > 1:
                recurs = sum(
                    statement.phrase in other for i, other in enumerate(posts) if i != index
                )
            everywhere = len(stems) == 1 and len(posts) > 3 and recurs > 0.6 * len(posts)
            # Of a relation alone it takes two mentions; `deaf brother` says enough.
            slight = statement.kind in _SLIGHT or (
                statement.kind == "family" and " " not in statement.phrase
            )
            if everywhere or (slight and not recurs):
                continue
            bearing = near + 0.4 * bool(question_stems & terms(statement.evidence))
            telling = 0.2 if len(stems) > 1 else 0.3 * min(recurs, 1) - 0.3
            score = statement.weight + telling + 0.45 * min(recurs, 4) + bearing
            if score >= least:
                ranked.append(RankedStatement(statement, index, score, recurs, stems))
    return ranked


@lru_cache(maxsize=8192)
def _stems(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def plan_blind(question: str, most: int) -> list[str]:
    """What anyone who asks this might expect: three to six aspects out of its own words."""
    first, second = topics(question)
    whole = [
        f"Explains the main steps for {first}",
        f"Says what to prepare before turning to {first}",
        f"Names the common mistakes with {second}",
        f"Says how to tell whether {first} turned out well",
        f"Compares the usual options for {second}",
        f"Mentions what {first} will cost in time or money",
    ]
    return whole[: min(most, 3 + pick(4, question))]


def narrative_aspects(question: str, narrative: str, most: int) -> list[SimulatedAspect]:
    """Aspects of the asker's own explanation: what it says about them, then what it asks."""
    aspects = plan(question, [narrative], most, source="narrative")
    question_stems = _stems(question)
    # Questions of the narrative say what is wanted; other sentences make up for few of them.
    for sentence in sorted(sentences(narrative), key=lambda s: not s.endswith("?")):
        quote = sentence.strip(" \"'.!?")
        known = question_stems | terms(" ".join(p.aspect for p in aspects))
        fresh = [p for p in named(sentence) if " " in p and not terms(p) & known]
        fresh = [p for p in fresh if terms(p) and len(words(p)) <= 4]
        wanted = len(aspects) < (most if sentence.endswith("?") else min(most, 3))
        if wanted and fresh and 4 <= len(words(quote)) <= 25:
            phrase = max(fresh, key=lambda p: len(terms(p)))
            aspect = FRAMES["explain"].aspect(phrase, len(aspects))
            reason = FRAMES["explain"].because(phrase, "narrative")
            aspects.append(
                SimulatedAspect(aspect, reason, (SimulatedPassage(0, quote),), "inferred")
            )
    return aspects

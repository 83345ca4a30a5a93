"""Gates on the texts alone: size, form, leakage, copying, ways of talking, language, echo, and the
words that each response shares with its user's posts."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

from pairwright import text
from pairwright.gates.phrases import Talk, first_phrase
from pairwright.gates.results import gate_result
from pairwright.records import GateResult, Rubric
from pairwright.settings.rules import GateRules, TextGate, TwinRules

T = TypeVar("T")
_LIST = re.compile(r"^[ \t]*(?:[-*\u2022]|\d+[.)])\s+\S", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}\s|\*\*[^*\n]+\*\*:?\s*$)", re.MULTILINE)
# A row between bars, or the line below a table's head: bars alone may be kets of a formula.
_TABLE = r"^[ \t]*(?:\|[ \t].*\|[ \t]*$|\|?[ \t]*:?-{3,}:?[ \t]*\|)"
_MARKUP = re.compile(rf"\*\*|`|\[[^\]]+\]\(|^[ \t]*>|{_TABLE}", re.MULTILINE)


class DraftSides(NamedTuple):
    """Two responses to one question, with what they may and may not draw on."""

    question: str
    first: str
    second: str
    rubrics: tuple[Rubric, ...]
    narrative: str | None
    histories: tuple[tuple[str, ...], ...]
    """Texts of the profiles concerned: the asker's, then the other user's."""
    language: str | None
    """That of the question; None if it cannot be told, and then no response is in another."""

    @property
    def both(self) -> tuple[str, str]:
        return self.first, self.second

    @property
    def posts(self) -> tuple[str, ...]:
        """The texts of all profiles."""
        return tuple(post for history in self.histories for post in history)


def check_writing(sides: DraftSides, rules: GateRules, *, words: int) -> tuple[GateResult, ...]:
    """Every text gate's result, in the order in which they name the reason of a refusal."""
    return tuple(_results(sides, rules, words))


def _results(s: DraftSides, rules: GateRules, limit: int) -> Iterator[GateResult]:
    counts = [text.word_count(response) for response in s.both]
    least, most = min(counts), max(counts)
    yield _talk(rules, "refusal", "refusal", s)
    yield gate_result(rules, "word_limit", _each(counts, lambda n: n > limit), most, limit)
    short = _each(counts, lambda n: n < rules.min_words)
    yield gate_result(rules, "too_short", short, least, rules.min_words)
    ratio = round(most / max(least, 1), 3)
    # Both were asked for the same length, so it is the shorter one that fell short of it.
    shorter = _each(counts, lambda n: ratio > rules.length_ratio and n == least)
    yield gate_result(rules, "length_ratio", shorter, ratio, rules.length_ratio)
    forms = [_form(response) for response in s.both]
    unlike = _each(forms, lambda form: forms[0] != forms[1] and any(form))
    yield gate_result(rules, "format_parity", unlike, [list(form) for form in forms], "equal")
    yield _talk(rules, "persona_talk", "persona", s)
    yield _talk(rules, "meta_talk", "meta", s)
    yield _leakage(s, rules)
    yield _copying(s, rules)
    same = text.words(s.first) == text.words(s.second)
    shared = text.jaccard(text.spans(s.first, 3), text.spans(s.second, 3))
    overlap = 1.0 if same else round(shared, 3)
    alike = overlap > rules.near_duplicate
    yield gate_result(rules, "near_duplicate", (alike, alike), overlap, rules.near_duplicate)
    spoken = [text.language(response) for response in s.both]
    foreign = _each(spoken, lambda code: None not in (code, s.language) and code != s.language)
    yield gate_result(rules, "wrong_language", foreign, list(spoken), s.language)


def _each(values: Sequence[T], at_fault: Callable[[T], bool]) -> tuple[bool, bool]:
    first, second = values
    return at_fault(first), at_fault(second)


def _talk(rules: GateRules, gate: TextGate, talk: Talk, s: DraftSides) -> GateResult:
    phrases = [first_phrase(talk, response, s.question) for response in s.both]
    return gate_result(rules, gate, _each(phrases, bool), phrases[0] or phrases[1], "none")


def _form(response: str) -> tuple[bool, bool, bool]:
    return tuple(bool(p.search(response)) for p in (_LIST, _HEADING, _MARKUP))  # type: ignore[return-value]


def _leakage(s: DraftSides, rules: GateRules) -> GateResult:
    """A run of words of an aspect, its reason or evidence, or of the narrative; or a short aspect
    whole, if it has words enough not to be an ordinary turn of phrase."""
    aspects = [a for rubric in s.rubrics for a in rubric.aspects]
    sources = [part for a in aspects for part in (a.aspect, a.reason, *text.passages(a.evidence))]
    if s.narrative:
        sources.append(s.narrative)
    names = [a.aspect for a in aspects]
    runs = [
        text.shared_span(r, sources, s.question, rules.leak_words)
        or text.find_whole_aspect(r, names, s.question)
        for r in s.both
    ]
    limit = f"{rules.leak_words} words"
    return gate_result(rules, "rubric_leakage", _each(runs, bool), runs[0] or runs[1], limit)


def _copying(s: DraftSides, rules: GateRules) -> GateResult:
    """A run of words of a post."""
    runs = [text.shared_span(r, s.posts, s.question, rules.leak_words) for r in s.both]
    limit = f"{rules.leak_words} words"
    return gate_result(rules, "profile_copy", _each(runs, bool), runs[0] or runs[1], limit)


def check_echo(sides: DraftSides, twin: TwinRules, rules: GateRules) -> GateResult:
    """`echo_gap` of a twin's draft, whose rubrics are those of its first and its second response.

    The response of the higher echo is at fault. If an aspect has no word that the question
    lacks, nothing is measured, and the gate passes.
    """
    first, second = (
        text.echo(response, (one.aspect for one in rubric.aspects), sides.question, sides.language)
        for response, rubric in zip(sides.both, sides.rubrics, strict=True)
    )
    if first is None or second is None:
        return gate_result(rules, "echo_gap", (False, False), None, twin.echo_gap)
    gap = round(abs(first - second), 3)
    over = gap > twin.echo_gap
    faults = over and first > second, over and second > first
    return gate_result(rules, "echo_gap", faults, gap, twin.echo_gap)


def shared_words(sides: DraftSides) -> tuple[int, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words of two responses that tell by a count whose posts they were written for.

    First by how many content words the first response shares more with the first user's posts than
    the second does, and the second more with the second user's than the first: 0 for a count that
    tells nothing. Then of each response the words, as they are in its text, that only its own
    user's posts have, and that the other response lacks: those of most posts first, and without
    words of the question or of the own aspects as long as there are others.
    """
    own, other = (text.terms_of(history, sides.language) for history in sides.histories)
    first, second = (text.terms(response, sides.language) for response in sides.both)
    distinct = own - other, other - own
    only = first - second, second - first
    interaction = sum(
        len(words & mine) - len(words & theirs)
        for words, mine, theirs in zip(only, distinct, distinct[::-1], strict=True)
    )
    one, two = (
        _replaceable(words & mine, side, sides)
        for side, (words, mine) in enumerate(zip(only, distinct, strict=True))
    )
    return interaction, (one, two)


def _replaceable(shared: frozenset[str], side: int, sides: DraftSides) -> tuple[str, ...]:
    """The words of a response with these stems, in the order in which they are best replaced."""
    aspects = (aspect.aspect for aspect in sides.rubrics[side].aspects)
    needed = text.terms_of((sides.question, *aspects), sides.language)
    posts = [text.terms(post, sides.language) for post in sides.histories[side]]
    ranked = sorted(
        shared - needed or shared, key=lambda stem: (-sum(stem in post for post in posts), stem)
    )
    words = (text.words_with({stem}, sides.both[side], sides.language) for stem in ranked)
    return tuple(word for each in words for word in each)


def check_shared_words(sides: DraftSides, twin: TwinRules, rules: GateRules) -> GateResult:
    """`shared_words` of the draft of a twin: the interaction, and what each side has.

    A side is at fault if it has words to give up.
    """
    interaction, (first, second) = shared_words(sides)
    over = interaction > twin.shared_words
    faults = over and bool(first), over and bool(second)
    value: JsonValue = [interaction, [*first], [*second]]
    return gate_result(rules, "shared_words", faults, value, twin.shared_words)

"""The gates: on the texts alone (size, form, leakage, copying, ways of talking, language, echo, and
the words that each response shares with its user's posts), and on what judges found.

Every gate of a group is measured, whatever the others say.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

from pairwright import text
from pairwright.gates.phrases import first_phrase
from pairwright.records import Adherence, Comparison, DraftSide, GateResult, Quality, Rubric
from pairwright.settings.rules import GateRules, JudgedGate, TextGate, TwinRules

T = TypeVar("T")
NEAR_DUPLICATE = 0.6
"""The most shared runs of three words of both responses, as a share."""
_LIST = re.compile(r"^[ \t]*(?:[-*\u2022]|\d+[.)])\s+\S", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}\s|\*\*[^*\n]+\*\*:?\s*$)", re.MULTILINE)
# A row between bars, or the line below a table's head: bars alone may be kets of a formula.
_TABLE = r"^[ \t]*(?:\|[ \t].*\|[ \t]*$|\|?[ \t]*:?-{3,}:?[ \t]*\|)"
_MARKUP = re.compile(rf"\*\*|`|\[[^\]]+\]\(|^[ \t]*>|{_TABLE}", re.MULTILINE)
_SIDES: tuple[DraftSide, DraftSide] = ("first", "second")
Faults = tuple[bool, bool]
"""Whether the first and the second response are at fault."""
Measured = tuple[TextGate | JudgedGate, Faults, JsonValue, JsonValue]
"""A gate with the sides at fault, what it measured, and its limit."""
BOTH, NEITHER = (True, True), (False, False)


def _results(rules: GateRules, found: Iterable[Measured]) -> list[GateResult]:
    """A gate passes if neither side is at fault, or if it is switched off."""
    results = []
    for gate, faults, value, limit in found:
        passed = not any(faults) or gate in rules.off
        sides = () if passed else tuple(compress(_SIDES, faults))
        results.append(GateResult(gate=gate, passed=passed, value=value, limit=limit, sides=sides))
    return results


# On texts


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


def check_writing(
    sides: DraftSides, rules: GateRules, twin: TwinRules, *, words: int
) -> list[GateResult]:
    """Every text gate's result, in the order in which they name the reason of a refusal; for the
    sides of a twin that pass also whether they repeat their aspects equally, and how many words
    they share with their own users' posts."""
    found = _results(rules, _measure(sides, rules, words))
    if len(sides.rubrics) == 2 and all(gate.passed for gate in found):
        found += _results(rules, (_measure_echo(sides, twin), _measure_shared_words(sides, twin)))
    return found


def _measure(s: DraftSides, rules: GateRules, limit: int) -> Iterator[Measured]:
    counts = [text.word_count(response) for response in s.both]
    least, most = min(counts), max(counts)
    yield "refusal", *_phrases(first_phrase("refusal", r, s.question) for r in s.both)
    yield "word_limit", _each(counts, lambda n: n > limit), most, limit
    yield "too_short", _each(counts, lambda n: n < rules.min_words), least, rules.min_words
    ratio = round(most / max(least, 1), 3)
    # Both were asked for the same length, so it is the shorter one that fell short of it.
    shorter = _each(counts, lambda n: ratio > rules.length_ratio and n == least)
    yield "length_ratio", shorter, ratio, rules.length_ratio
    forms = [[bool(p.search(one)) for p in (_LIST, _HEADING, _MARKUP)] for one in s.both]
    unlike = _each(forms, lambda form: forms[0] != forms[1] and any(form))
    yield "format_parity", unlike, [[*form] for form in forms], "equal"
    yield "persona_talk", *_phrases(first_phrase("persona", r, s.question) for r in s.both)
    yield "meta_talk", *_phrases(first_phrase("meta", r, s.question) for r in s.both)
    # A run of words of an aspect, its reason or evidence, or of the narrative; or a short aspect
    # whole, if it has words enough not to be an ordinary turn of phrase.
    aspects = [a for rubric in s.rubrics for a in rubric.aspects]
    sources = [part for a in aspects for part in (a.aspect, a.reason, *text.passages(a.evidence))]
    sources += [s.narrative] if s.narrative else []
    names, run = [a.aspect for a in aspects], rules.leak_words
    leaks = (
        text.shared_span(r, sources, s.question, run)
        or text.find_whole_aspect(r, names, s.question)
        for r in s.both
    )
    yield "rubric_leakage", *_phrases(leaks, f"{run} words")
    copies = (text.shared_span(r, s.posts, s.question, run) for r in s.both)
    yield "profile_copy", *_phrases(copies, f"{run} words")
    same = text.words(s.first) == text.words(s.second)
    shared = text.jaccard(text.spans(s.first, 3), text.spans(s.second, 3))
    overlap = 1.0 if same else round(shared, 3)
    alike = BOTH if overlap > NEAR_DUPLICATE else NEITHER
    yield "near_duplicate", alike, overlap, NEAR_DUPLICATE
    spoken = [text.language(response) for response in s.both]
    foreign = _each(spoken, lambda code: None not in (code, s.language) and code != s.language)
    yield "wrong_language", foreign, [*spoken], s.language


def _each(values: Sequence[T], at_fault: Callable[[T], bool]) -> Faults:
    first, second = values
    return at_fault(first), at_fault(second)


def _phrases(
    found: Iterable[str | None], limit: str = "none"
) -> tuple[Faults, JsonValue, JsonValue]:
    """The sides with a phrase that they may not have, and the first one."""
    first, second = found
    return (bool(first), bool(second)), first or second, limit


def _measure_echo(sides: DraftSides, twin: TwinRules) -> Measured:
    """The response of the higher echo is at fault. If an aspect has no word that the question
    lacks, nothing is measured, and the gate passes."""
    first, second = (
        text.echo(response, (one.aspect for one in rubric.aspects), sides.question, sides.language)
        for response, rubric in zip(sides.both, sides.rubrics, strict=True)
    )
    if first is None or second is None:
        return "echo_gap", NEITHER, None, twin.echo_gap
    gap = round(abs(first - second), 3)
    faults = (first > second, second > first) if gap > twin.echo_gap else NEITHER
    return "echo_gap", faults, gap, twin.echo_gap


def shared_words(sides: DraftSides) -> tuple[int, tuple[tuple[str, ...], tuple[str, ...]]]:
    """A count that shows for whose posts two responses were written, and the words behind it.

    First by how many content words the first response shares more with the first user's posts than
    the second does, and the second more with the second user's than the first: 0 if the
    count shows nothing. Then each response's words, as they are in its text, that only its own
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


def _measure_shared_words(sides: DraftSides, twin: TwinRules) -> Measured:
    """The interaction, and what each side has. A side is at fault if it has words to give up."""
    interaction, (first, second) = shared_words(sides)
    faults = (bool(first), bool(second)) if interaction > twin.shared_words else NEITHER
    value: JsonValue = [interaction, [*first], [*second]]
    return "shared_words", faults, value, twin.shared_words


# On judgements

Fit = Mapping[DraftSide, Adherence]
"""The adherence of both responses to one rubric."""


def judge_fits(fits: Sequence[Fit], rules: GateRules, twin: TwinRules) -> list[GateResult]:
    """Check how far both responses meet one rubric, or each of two."""
    if len(fits) == 1:
        return _results(rules, _measure_fit(fits[0], rules))
    return _results(rules, _measure_fits(fits[0], fits[1], rules, twin))


def _measure_fit(fit: Fit, rules: GateRules) -> Iterator[Measured]:
    """The first response meets the rubric, and the second does not."""
    chosen, rejected = fit["first"].share, fit["second"].share
    gap = chosen - rejected
    weak, serving = _below(chosen, rules.adherence), _below(rules.violation, rejected)
    close = _blame(_below(gap, rules.margin), weak, serving)
    yield "adherence", (weak, False), _whole(chosen), rules.adherence
    yield "violation", (False, serving), _whole(rejected), rules.violation
    yield "adherence_margin", close, _whole(gap), rules.margin


def _measure_fits(
    asker: Fit, partner: Fit, rules: GateRules, twin: TwinRules
) -> Iterator[Measured]:
    """Each response meets its own rubric, meets it better than the other response does, and does
    not meet the other rubric as well (2 x 2)."""
    own = asker["first"].share, partner["second"].share
    other = partner["first"].share, asker["second"].share
    weak = _below(own[0], rules.adherence), _below(own[1], rules.adherence)
    serving = _below(twin.cross_adherence, other[0]), _below(twin.cross_adherence, other[1])
    ahead, mirror = own[0] - other[1], own[1] - other[0]
    close = _blame(_below(ahead, twin.margin), weak[0], serving[1])
    behind = _blame(_below(mirror, twin.margin), serving[0], weak[1])
    yield "adherence", weak, _whole(min(own)), rules.adherence
    yield "cross_adherence", serving, _whole(max(other)), twin.cross_adherence
    yield "twin_margin", close, _whole(ahead), twin.margin
    yield "twin_margin_mirror", behind, _whole(mirror), twin.margin


def _blame(close: bool, first: bool, second: bool) -> Faults:
    """The sides at fault if two shares are too close: those that fail alone, or both."""
    alone = (first, second) if first or second else BOTH
    return alone if close else NEITHER


def judge_quality(
    verdict: Comparison,
    quality: Mapping[DraftSide, Quality],
    rules: GateRules,
    *,
    winner_gap: float | None,
) -> list[GateResult]:
    """Check the floor of quality, and parity.

    A stable winner (the same response in both orders) is not parity, but for a gap up to
    `winner_gap` if one is given: in a twin each response is chosen once. Without one a winner
    decides, and no scores are needed. If the verdict is a tie, or changes with the order, the
    absolute scores decide.
    """
    won = verdict.has_winner
    # The loser is the one to write better; without one, the one of lower scores.
    blamed = verdict is Comparison.SECOND, verdict is Comparison.FIRST
    if not quality:
        return _results(rules, [("parity", blamed, [None, verdict.value], "no stable winner")])
    first, second = quality["first"].mean, quality["second"].mean
    poor = _below(first, rules.quality_floor), _below(second, rules.quality_floor)
    gap = round(abs(first - second), 3)
    most = winner_gap if won else rules.parity
    level = most is not None and not _below(most, gap)
    level = level and (verdict is Comparison.TIE or not any(poor))
    if not won:
        blamed = (first < second, second < first) if first != second else BOTH
    limit: JsonValue = ["gap", most] if most is not None else "no stable winner"
    floor: Measured = "quality_floor", poor, _whole(min(first, second)), rules.quality_floor
    parity: Measured = "parity", NEITHER if level else blamed, [gap, verdict.value], limit
    return _results(rules, (floor, parity))


# Shares are sums of small whole numbers over small whole numbers: rounding keeps 0.7 - 0.4
# from falling below 0.3.
def _below(value: float, limit: float) -> bool:
    return _whole(value) < _whole(limit)


def _whole(value: float) -> float:
    return round(value, 6)

"""The gates: on the texts alone (size, form, leakage, copying, ways of talking, language, echo, and
the words that each response shares with its user's posts), and on what judges found.

Every gate of a group is measured, whatever the others say.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from pydantic import JsonValue

from pairwright import text
from pairwright.gates.phrases import Talk, first_phrase
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


def gate_result(
    rules: GateRules,
    gate: TextGate | JudgedGate,
    faults: tuple[bool, bool],
    value: JsonValue,
    limit: JsonValue,
) -> GateResult:
    """A gate passes if neither side is at fault, or if it is switched off."""
    sides = tuple(side for side, at_fault in zip(_SIDES, faults, strict=True) if at_fault)
    passed = not sides or gate in rules.off
    return GateResult(
        gate=gate, passed=passed, value=value, limit=limit, sides=() if passed else sides
    )


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
    forms = [[bool(p.search(one)) for p in (_LIST, _HEADING, _MARKUP)] for one in s.both]
    unlike = _each(forms, lambda form: forms[0] != forms[1] and any(form))
    yield gate_result(rules, "format_parity", unlike, [[*form] for form in forms], "equal")
    yield _talk(rules, "persona_talk", "persona", s)
    yield _talk(rules, "meta_talk", "meta", s)
    yield _leakage(s, rules)
    yield _copying(s, rules)
    same = text.words(s.first) == text.words(s.second)
    shared = text.jaccard(text.spans(s.first, 3), text.spans(s.second, 3))
    overlap = 1.0 if same else round(shared, 3)
    alike = overlap > NEAR_DUPLICATE
    yield gate_result(rules, "near_duplicate", (alike, alike), overlap, NEAR_DUPLICATE)
    spoken = [text.language(response) for response in s.both]
    foreign = _each(spoken, lambda code: None not in (code, s.language) and code != s.language)
    yield gate_result(rules, "wrong_language", foreign, list(spoken), s.language)


def _each(values: Sequence[T], at_fault: Callable[[T], bool]) -> tuple[bool, bool]:
    first, second = values
    return at_fault(first), at_fault(second)


def _talk(rules: GateRules, gate: TextGate, talk: Talk, s: DraftSides) -> GateResult:
    phrases = [first_phrase(talk, response, s.question) for response in s.both]
    return gate_result(rules, gate, _each(phrases, bool), phrases[0] or phrases[1], "none")


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


def check_shared_words(sides: DraftSides, twin: TwinRules, rules: GateRules) -> GateResult:
    """`shared_words` of the draft of a twin: the interaction, and what each side has.

    A side is at fault if it has words to give up.
    """
    interaction, (first, second) = shared_words(sides)
    over = interaction > twin.shared_words
    faults = over and bool(first), over and bool(second)
    value: JsonValue = [interaction, [*first], [*second]]
    return gate_result(rules, "shared_words", faults, value, twin.shared_words)


# On judgements

BOTH = True, True
Fit = Mapping[DraftSide, Adherence]
"""The adherence of both responses to one rubric."""


def judge_violate(fit: Fit, rules: GateRules) -> tuple[GateResult, ...]:
    """Check that the first response meets the rubric, and that the second does not."""
    chosen, rejected = fit["first"].share, fit["second"].share
    gap = chosen - rejected
    weak, serving = _below(chosen, rules.adherence), _below(rules.violation, rejected)
    close = _below(gap, rules.margin)
    return (
        gate_result(rules, "adherence", (weak, False), _whole(chosen), rules.adherence),
        gate_result(rules, "violation", (False, serving), _whole(rejected), rules.violation),
        gate_result(
            rules, "adherence_margin", _blame(close, weak, serving), _whole(gap), rules.margin
        ),
    )


def judge_twin(fits: Sequence[Fit], twin: TwinRules, rules: GateRules) -> tuple[GateResult, ...]:
    """Check that each response meets its own rubric, meets it better than the other response does,
    and does not meet the other rubric as well (2 x 2)."""
    asker, partner = ({side: fit[side].share for side in fit} for fit in fits)
    own = asker["first"], partner["second"]
    weak = _below(own[0], rules.adherence), _below(own[1], rules.adherence)
    other = partner["first"], asker["second"]
    serving = _below(twin.cross_adherence, other[0]), _below(twin.cross_adherence, other[1])
    ahead, mirror = asker["first"] - asker["second"], partner["second"] - partner["first"]
    close = _blame(_below(ahead, twin.margin), weak[0], serving[1])
    behind = _blame(_below(mirror, twin.margin), serving[0], weak[1])
    return (
        gate_result(rules, "adherence", weak, _whole(min(own)), rules.adherence),
        gate_result(rules, "cross_adherence", serving, _whole(max(other)), twin.cross_adherence),
        gate_result(rules, "twin_margin", close, _whole(ahead), twin.margin),
        gate_result(rules, "twin_margin_mirror", behind, _whole(mirror), twin.margin),
    )


def _blame(close: bool, first: bool, second: bool) -> tuple[bool, bool]:
    """The sides at fault if two shares are too close: those that fail alone, or both."""
    if not close:
        return False, False
    return (first, second) if first or second else BOTH


def judge_quality(
    verdict: Comparison,
    quality: Mapping[DraftSide, Quality],
    rules: GateRules,
    *,
    winner_gap: float | None,
) -> tuple[GateResult, ...]:
    """Check the floor of quality, and parity.

    A stable winner (the same response in both orders) is not parity, but for a gap up to
    `winner_gap` if one is given: in a twin each response is chosen once. Without one a winner
    decides, and no scores are needed. If the verdict is a tie, or changes with the order, the
    absolute scores decide.
    """
    won = verdict.has_winner
    if not quality:
        blamed = verdict is Comparison.SECOND, verdict is Comparison.FIRST
        value: JsonValue = [None, verdict.value]
        return (gate_result(rules, "parity", blamed, value, "no stable winner"),)
    first, second = quality["first"].mean, quality["second"].mean
    poor = _below(first, rules.quality_floor), _below(second, rules.quality_floor)
    floor = gate_result(
        rules, "quality_floor", poor, _whole(min(first, second)), rules.quality_floor
    )
    gap = round(abs(first - second), 3)
    most = winner_gap if won else rules.parity
    level = most is not None and not _below(most, gap)
    level = level and (verdict is Comparison.TIE or not any(poor))
    # The loser is the one to write better; without one, the one of lower scores.
    first_behind = verdict is Comparison.SECOND if won else first < second
    second_behind = verdict is Comparison.FIRST if won else second < first
    blamed = (first_behind, second_behind) if first != second or won else BOTH
    parity = gate_result(
        rules,
        "parity",
        (False, False) if level else blamed,
        [gap, verdict.value],
        ["gap", most] if most is not None else "no stable winner",
    )
    return floor, parity


# Shares are sums of small whole numbers over small whole numbers: rounding keeps 0.7 - 0.4
# from falling below 0.3.
def _below(value: float, limit: float) -> bool:
    return _whole(value) < _whole(limit)


def _whole(value: float) -> float:
    return round(value, 6)

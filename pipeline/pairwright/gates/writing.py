"""Gates on the two texts alone: size, form, leakage, copying, ways of talking, language."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import JsonValue

from pairwright import text
from pairwright.gates.languages import language
from pairwright.gates.phrases import META, PERSONA, REFUSAL, first_phrase
from pairwright.records import GateResult, Rubric
from pairwright.settings.rules import GateRules

_LIST = re.compile(r"^[ \t]*(?:[-*\u2022]|\d+[.)])\s+\S", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}\s|\*\*[^*\n]+\*\*:?\s*$)", re.MULTILINE)
_MARKUP = re.compile(r"\*\*|`|\[[^\]]+\]\(|^[ \t]*>|\|.*\|.*\|", re.MULTILINE)


class DraftSides(NamedTuple):
    """Two responses to one question, with what they may and may not draw on."""

    question: str
    first: str
    second: str
    rubrics: tuple[Rubric, ...]
    narrative: str | None
    posts: tuple[str, ...]
    """Texts of the profiles concerned."""
    rare: frozenset[str]
    """Rare terms of those profiles."""

    @property
    def both(self) -> tuple[str, str]:
        return self.first, self.second


def check_writing(sides: DraftSides, rules: GateRules, *, words: int) -> tuple[GateResult, ...]:
    """Every text gate's result, in the order in which they name the reason of a refusal."""
    return tuple(
        GateResult(gate=gate, passed=passed or gate in rules.off, value=value, limit=limit)
        for gate, passed, value, limit in _measure(sides, rules, words)
    )


def _measure(
    s: DraftSides, rules: GateRules, limit: int
) -> Iterator[tuple[str, bool, JsonValue, JsonValue]]:
    counts = [text.word_count(response) for response in s.both]
    yield "refusal", *_absent(REFUSAL, s)
    yield "word_limit", max(counts) <= limit, max(counts), limit
    yield "too_short", min(counts) >= rules.min_words, min(counts), rules.min_words
    ratio = round(max(counts) / max(min(counts), 1), 3)
    yield "length_ratio", ratio <= rules.length_ratio, ratio, rules.length_ratio
    forms = [_form(response) for response in s.both]
    yield "format_parity", forms[0] == forms[1], [list(form) for form in forms], "equal"
    yield "persona_talk", *_absent(PERSONA, s)
    yield "meta_talk", *_absent(META, s)
    yield "rubric_leakage", *_leak(s, rules)
    yield "profile_copy", *_copied(s, rules)
    same = text.words(s.first) == text.words(s.second)
    shared = text.jaccard(text.spans(s.first, 3), text.spans(s.second, 3))
    overlap = 1.0 if same else round(shared, 3)
    yield "near_duplicate", overlap <= rules.near_duplicate, overlap, rules.near_duplicate
    # A question is too short to tell a language by; the posts of those who ask are not.
    asked_in = language(" ".join((s.question, *(post[:100] for post in s.posts))), enough=450)
    spoken = [language(response) for response in s.both]
    yield "wrong_language", set(spoken) == {asked_in}, list(spoken), asked_in


def _absent(pattern: re.Pattern[str], s: DraftSides) -> tuple[bool, JsonValue, JsonValue]:
    found = [first_phrase(pattern, response, s.question) for response in s.both]
    return not any(found), found[0] or found[1], "none"


def _form(response: str) -> tuple[bool, bool, bool]:
    return tuple(bool(p.search(response)) for p in (_LIST, _HEADING, _MARKUP))  # type: ignore[return-value]


def _leak(s: DraftSides, rules: GateRules) -> tuple[bool, JsonValue, JsonValue]:
    aspects = [a for rubric in s.rubrics for a in rubric.aspects]
    sources = [part for a in aspects for part in (a.aspect, a.reason, *text.passages(a.evidence))]
    if s.narrative:
        sources.append(s.narrative)
    for response in s.both:
        if run := text.shared_span(response, sources, s.question, rules.leak_words):
            return False, run, f"{rules.leak_words} words"
    return True, None, f"{rules.leak_words} words"


def _copied(s: DraftSides, rules: GateRules) -> tuple[bool, JsonValue, JsonValue]:
    aspects = " ".join(a.aspect for rubric in s.rubrics for a in rubric.aspects)
    allowed = text.terms(s.question) | text.terms(aspects)
    most: list[str] = []
    for response in s.both:
        if run := text.shared_span(response, s.posts, s.question, rules.leak_words):
            return False, run, f"{rules.leak_words} words"
        copied = sorted((text.terms(response) & s.rare) - allowed)
        most = max(most, copied, key=len)
    return len(most) <= rules.profile_terms, list(most), f"{rules.profile_terms} rare words"

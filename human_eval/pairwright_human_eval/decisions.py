"""The decision on every subject, a pure function of verdicts and rules.

A subject is verified if every part of it is: the quality of both responses, the preference for
each pair, the aspects of each pair. A twin is decided as one. Changed rules need no new
answer: decide again.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pairwright.dataset import write_lines
from pairwright.records import Record
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.records import (
    CANNOT_TELL,
    EQUAL,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Verdict,
)
from pairwright_human_eval.subjects import Outline, OutlinePair

State = Literal["verified", "refused", "disputed", "waiting", "control"]


class Votes(Record):
    """The preference votes on one pair."""

    pair: str
    chosen: int
    rejected: int
    equal: int
    cannot_tell: int

    @property
    def n(self) -> int:
        return self.chosen + self.rejected + self.equal + self.cannot_tell


class Decision(Record):
    """A line of decisions.jsonl."""

    subject: str
    pairs: tuple[str, ...]
    state: State
    reasons: tuple[str, ...]
    """Why it is not verified: `part: what`, in the order of the parts."""
    votes: tuple[Votes, ...]
    quality: dict[str, dict[str, float | None]]
    """By response and scale: the mean score."""
    supported: dict[str, float | None]
    """By pair: the share of aspects that most found supported."""
    disputed: tuple[str, ...]
    """Pairs whose preference is for an adjudicator."""
    adjudicated: bool
    simulated: bool


class PartOutcome(NamedTuple):
    """What one part of a subject says; no reason where it is well."""

    state: State
    reason: str = ""


VERIFIED = PartOutcome("verified")


def decide(
    subject: Outline,
    verdicts: Iterable[Verdict],
    rules: HumanRules,
    *,
    excluded: frozenset[str] = frozenset(),
) -> Decision:
    """Decide one subject from its verdicts."""
    counted = [v for v in verdicts if v.annotator not in excluded and v.purpose == "vote"]
    first = [v for v in counted if v.round == 1]
    last = [v for v in counted if v.round == 2]
    parts, means = [], _means(subject, last, first)
    closed = any(v.kind == "quality" for v in last)
    parts.append(_quality(first, means, rules, closed=closed))
    votes, supported, disputed = [], {}, []
    for pair in subject.pairs:
        own = [v for v in first if v.pair == pair.id]
        votes.append(_votes(pair, own))
        closing = _votes(pair, [v for v in last if v.pair == pair.id])
        preference = _preference(votes[-1], closing, rules)
        if preference.state == "disputed":
            disputed.append(pair.id)
        parts.append(preference)
        supported[pair.id] = _supported(own)
        parts.append(_rubric(own, supported[pair.id], rules, control=not subject.aspects_asked))
    state, reasons = _whole(parts)
    return Decision(
        subject=subject.id,
        pairs=tuple(pair.id for pair in subject.pairs),
        state=state,
        reasons=reasons,
        votes=tuple(votes),
        quality={response: _rounded(scales) for response, scales in means.items()},
        supported=_rounded(supported),
        disputed=tuple(disputed) if state == "disputed" else (),
        adjudicated=bool(last),
        simulated=any(v.simulated for v in counted),
    )


def _whole(parts: list[PartOutcome]) -> tuple[State, tuple[str, ...]]:
    """One refusal refuses; what waits may still change; a dispute is for an adjudicator."""
    states = {part.state for part in parts}
    order: tuple[State, ...] = ("refused", "control", "waiting", "disputed", "verified")
    state = next(state for state in order if state in states)
    reasons = (part.reason for part in parts if part.reason and part.state == state)
    return state, tuple(dict.fromkeys(reasons))


def _votes(pair: OutlinePair, verdicts: list[Verdict]) -> Votes:
    counts = Counter[str]()
    for verdict in verdicts:
        if isinstance(verdict.answers, PreferenceAnswer):
            choice = verdict.answers.choice
            other = choice if choice in (EQUAL, CANNOT_TELL) else "rejected"
            counts["chosen" if choice == pair.chosen else other] += 1
    return Votes(
        pair=pair.id,
        chosen=counts["chosen"],
        rejected=counts["rejected"],
        equal=counts[EQUAL],
        cannot_tell=counts[CANNOT_TELL],
    )


def _preference(votes: Votes, closing: Votes, rules: HumanRules) -> PartOutcome:
    if votes.n < rules.votes:
        return PartOutcome("waiting", f"preference: {votes.n} of {rules.votes} votes")
    if votes.cannot_tell / votes.n > rules.cannot_tell:
        return PartOutcome("refused", "preference: cannot_tell")
    enough = votes.n // 2 + 1
    if votes.rejected >= enough:
        return PartOutcome("refused", "preference: for_the_other")
    if votes.equal >= enough:
        return PartOutcome("refused", "preference: about_equal")
    # An adjudicator cannot make unanimous what was not.
    if rules.rule == "unanimity" and votes.chosen < votes.n:
        return PartOutcome("refused", "preference: not_unanimous")
    if votes.chosen >= enough:
        return VERIFIED
    if not closing.n:
        return PartOutcome("disputed", "preference: no_majority")
    if closing.chosen == closing.n:
        return VERIFIED
    return PartOutcome("refused", "preference: adjudicated")


def _means(
    subject: Outline, last: list[Verdict], first: list[Verdict]
) -> dict[str, dict[str, float | None]]:
    """Mean scores by response and scale; an adjudicator's where nobody else could judge."""
    return {
        response: _filled(_mean(response, first), _mean(response, last))
        for response in sorted({subject.first, subject.second})
    }


def _filled(
    means: dict[str, float | None], closing: dict[str, float | None]
) -> dict[str, float | None]:
    return {
        name: closing.get(name) if mean is None else mean
        for name, mean in (means or closing).items()
    }


def _mean(response: str, verdicts: list[Verdict]) -> dict[str, float | None]:
    scores: dict[str, list[int | None]] = {}
    for verdict in verdicts:
        if isinstance(verdict.answers, QualityAnswers):
            for scale, score in verdict.answers.scores[response].items():
                scores.setdefault(scale, []).append(score)
    judged = {name: [s for s in given if s is not None] for name, given in scores.items()}
    return {name: sum(s) / len(s) if s else None for name, s in judged.items()}


def _quality(
    first: list[Verdict],
    means: dict[str, dict[str, float | None]],
    rules: HumanRules,
    *,
    closed: bool,
) -> PartOutcome:
    answers = sum(v.kind == "quality" for v in first)
    if not rules.quality_votes:
        return VERIFIED
    if answers < rules.quality_votes:
        return PartOutcome("waiting", f"quality: {answers} of {rules.quality_votes} answers")
    found = [(name, mean) for scales in means.values() for name, mean in scales.items()]
    for name, mean in found:
        if mean is not None and mean < rules.quality_floor:
            return PartOutcome("refused", f"quality: {name}")
    for name, mean in found:
        if mean is None:
            state: State = "refused" if closed else "disputed"
            return PartOutcome(state, f"quality: {name} cannot be judged")
    return VERIFIED


def _rounded(numbers: Mapping[str, float | None]) -> dict[str, float | None]:
    """As written; what is compared with the rules is exact."""
    return {name: None if x is None else round(x, 6) for name, x in numbers.items()}


def _supported(verdicts: list[Verdict]) -> float | None:
    """The share of aspects that more than half of the answers call clearly or plausibly there."""
    found: dict[str, list[bool]] = {}
    for verdict in verdicts:
        if isinstance(verdict.answers, RubricAnswers):
            for answer in verdict.answers.aspects:
                there = answer.support in ("clearly", "plausibly")
                found.setdefault(answer.aspect, []).append(there)
    if not found:
        return None
    most = [2 * sum(answers) > len(answers) for answers in found.values()]
    return sum(most) / len(most)


def _rubric(
    verdicts: list[Verdict], supported: float | None, rules: HumanRules, *, control: bool
) -> PartOutcome:
    answers = sum(v.kind == "rubric" for v in verdicts)
    if not rules.rubric_votes:
        return VERIFIED
    if control:
        return PartOutcome("control", "rubric: a control of the study, not asked about")
    if answers < rules.rubric_votes or supported is None:
        return PartOutcome("waiting", f"rubric: {answers} of {rules.rubric_votes} answers")
    if supported < rules.aspects_supported:
        return PartOutcome("refused", "rubric: aspects_unsupported")
    return VERIFIED


def decide_all(
    subjects: Iterable[Outline],
    verdicts: Iterable[Verdict],
    rules: HumanRules,
    excluded: frozenset[str],
) -> dict[str, Decision]:
    """The decision on every subject, by its id. `excluded` failed the attention checks."""
    by_subject: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_subject.setdefault(verdict.subject, []).append(verdict)
    return {
        subject.id: decide(
            subject,
            by_subject.get(subject.id, ()),
            rules,
            excluded=excluded,
        )
        for subject in subjects
    }


def write_decisions(path: Path, decisions: Iterable[Decision]) -> None:
    """One line a subject, in the order of pairs.jsonl."""
    write_lines(path, decisions)

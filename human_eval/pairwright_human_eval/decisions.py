"""The decision on every subject, a pure function of verdicts and rules.

A subject is verified if every part of it is: the quality of both responses, the preference for
each pair, the aspects of each pair. A twin is decided as one. Changed rules need no new
answer: decide again.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from pairwright.dataset import write_lines
from pairwright.records import Record
from pairwright.settings.study_rules import HumanRules
from pairwright_human_eval.aspects import aspect_counts
from pairwright_human_eval.decision_parts import (
    PartOutcome,
    State,
    Votes,
    aspect_outcomes,
    aspect_shares,
    preference_outcome,
    quality_means,
    quality_outcomes,
    rounded,
)
from pairwright_human_eval.records import CANNOT_TELL, EQUAL, PreferenceAnswer, Verdict
from pairwright_human_eval.subjects import Outline, OutlinePair


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
    delivered: dict[str, float | None] = Field(default={})
    """By pair: of these aspects, the share that most found delivered by the chosen response and not
    by the rejected one. Empty, and not written, where the rule does not ask for it."""
    disputed: tuple[str, ...]
    """Pairs whose preference is for an adjudicator."""
    adjudicated: bool
    simulated: bool

    @model_serializer(mode="wrap")
    def _as_its_rule(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        fields: dict[str, object] = handler(self)
        if not self.delivered:
            del fields["delivered"]
        return fields


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
    means = quality_means(subject, last, first)
    closed = any(v.kind == "quality" for v in last)
    parts = [*quality_outcomes(first, means, rules, closed=closed)]
    votes, supported, delivered, disputed = list[Votes](), {}, {}, list[str]()
    for pair in subject.pairs:
        own = [v for v in first if v.pair == pair.id]
        votes.append(_votes(pair, own))
        closing = _votes(pair, [v for v in last if v.pair == pair.id])
        preference = preference_outcome(votes[-1], closing, rules)
        if preference.state == "disputed":
            disputed.append(pair.id)
        parts.append(preference)
        shares = aspect_shares(aspect_counts(pair, own))
        supported[pair.id] = shares.supported
        if rules.delivered is not None and rules.rubric_votes:
            delivered[pair.id] = shares.delivered
        heard = sum(v.kind == "rubric" for v in own)
        parts += aspect_outcomes(heard, shares, rules, control=not subject.aspects_asked)
    state, reasons = _whole(parts)
    return Decision(
        subject=subject.id,
        pairs=tuple(pair.id for pair in subject.pairs),
        state=state,
        reasons=reasons,
        votes=tuple(votes),
        quality={response: rounded(scales) for response, scales in means.items()},
        supported=rounded(supported),
        delivered=rounded(delivered),
        disputed=tuple(disputed) if state == "disputed" else (),
        adjudicated=bool(last),
        simulated=any(v.simulated for v in counted),
    )


def _whole(parts: list[PartOutcome]) -> tuple[State, tuple[str, ...]]:
    """One refusal refuses; what waits may still change; a dispute is for an adjudicator."""
    states = {"verified", *(part.state for part in parts)}
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

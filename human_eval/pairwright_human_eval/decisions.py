"""The decision on every subject, a pure function of verdicts and rules.

A subject is verified if every part of it is: the quality of both responses, the preference for
each pair, the aspects of each pair. A twin is decided as one, and so is a placebo, which has no
aspects and of whose pairs people are to say that there is no difference. Changed rules need no new
answer: decide again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pairwright.dataset import RowDelivery, RowSupport
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
from pairwright_human_eval.subjects import Label, Outline, OutlinePair


class AspectCounts(NamedTuple):
    """The answers on one aspect."""

    support: RowSupport
    delivery: RowDelivery

    @property
    def supported(self) -> bool:
        """Whether more than half say that it is clearly or plausibly there."""
        return self.support.most

    @property
    def contradicted(self) -> float:
        """The share who say that it is contradicted."""
        given = self.support
        n = given.clearly + given.plausibly + given.no + given.contradicted
        return given.contradicted / n

    @property
    def delivered(self) -> bool:
        """Whether most say that the chosen response delivers it, and not most that the rejected one
        does. Answers `cannot tell` are left out."""
        given = self.delivery
        n = given.chosen + given.rejected + given.both + given.neither
        return 2 * (given.chosen + given.both) > n >= 2 * (given.rejected + given.both)


def aspect_counts(pair: OutlinePair, verdicts: Iterable[Verdict]) -> tuple[AspectCounts, ...]:
    """The answers on each aspect of a pair, in the rubric's order; empty where nobody was asked.

    `verdicts` are those that count: first-round votes of annotators who are not excluded.
    """
    support = {name: Counter[str]() for name in pair.aspects}
    delivery = {name: Counter[str]() for name in pair.aspects}
    asked = False
    for verdict in verdicts:
        if isinstance(verdict.answers, RubricAnswers) and verdict.pair == pair.id:
            asked = True
            for answer in verdict.answers.aspects:
                support[answer.aspect][answer.support] += 1
                delivery[answer.aspect][pair.side(answer.delivered)] += 1
    if not asked:
        return ()
    return tuple(
        AspectCounts(
            RowSupport(**{answer: support[name][answer] for answer in RowSupport.model_fields}),
            RowDelivery(**{answer: delivery[name][answer] for answer in RowDelivery.model_fields}),
        )
        for name in pair.aspects
    )


State = Literal["verified", "refused", "disputed", "waiting"]
Means = dict[str, dict[str, float | None]]
"""By response and scale: the mean score, None where nobody could judge."""
_ROUNDING = 1e-9
"""A mean of thirds is not exact, and a gap that is the limit passes."""


class PartOutcome(NamedTuple):
    """What one part of a subject says; no reason where it is well."""

    state: State
    reason: str = ""


VERIFIED = PartOutcome("verified")


"""What people are to say of a pair: that the chosen response serves this user better or, in a
placebo, that there is no difference."""


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

    def for_label(self, label: Label) -> int:
        return self.equal if label == "equal" else self.chosen


def preference_outcome(
    votes: Votes, closing: Votes, rules: HumanRules, label: Label = "chosen"
) -> PartOutcome:
    """`votes` are those of the first round, `closing` those of the second."""
    agree, agree_closing = votes.for_label(label), closing.for_label(label)
    if votes.n < rules.votes:
        return PartOutcome("waiting", f"preference: {votes.n} of {rules.votes} votes")
    if votes.cannot_tell / votes.n > rules.cannot_tell:
        return PartOutcome("refused", "preference: cannot_tell")
    enough = votes.n // 2 + 1
    if label == "equal" and max(votes.chosen, votes.rejected) >= enough:
        return PartOutcome("refused", "preference: for_one_response")
    if votes.rejected >= enough:
        return PartOutcome("refused", "preference: for_the_other")
    if label == "chosen" and votes.equal >= enough:
        return PartOutcome("refused", "preference: no_difference")
    if rules.rule == "majority":
        undecided = "" if agree >= enough else "preference: no_majority"
    elif votes.n - agree > 1 or (agree < votes.n and not rules.further):
        return PartOutcome("refused", "preference: not_unanimous")
    else:
        undecided = "" if agree == votes.n else "preference: one_not_for_it"
    if not undecided:
        return VERIFIED
    if closing.n - agree_closing > rules.closing_misses:
        return PartOutcome("refused", "preference: adjudicated")
    enough = rules.closing_votes - rules.closing_misses
    return VERIFIED if agree_closing >= enough else PartOutcome("disputed", undecided)


def quality_means(subject: Outline, last: Sequence[Verdict], first: Sequence[Verdict]) -> Means:
    """The mean scores of the first round; those of the last where nobody else could judge."""
    found: Means = {}
    for response in sorted({subject.first, subject.second}):
        means, closing = _means(response, first), _means(response, last)
        found[response] = {
            scale: closing.get(scale) if mean is None else mean
            for scale, mean in (means or closing).items()
        }
    return found


def _means(response: str, verdicts: Iterable[Verdict]) -> dict[str, float | None]:
    scores: dict[str, list[int | None]] = {}
    for verdict in verdicts:
        if isinstance(verdict.answers, QualityAnswers):
            for scale, score in verdict.answers.scores[response].items():
                scores.setdefault(scale, []).append(score)
    judged = {name: [s for s in given if s is not None] for name, given in scores.items()}
    return {name: sum(s) / len(s) if s else None for name, s in judged.items()}


def quality_outcomes(
    first: Iterable[Verdict], means: Means, rules: HumanRules, *, closed: bool
) -> Iterator[PartOutcome]:
    """Both responses are good, and equally so. `closed`: an adjudicator has rated them, too."""
    answers = sum(v.kind == "quality" for v in first)
    if not rules.quality_votes:
        return
    if answers < rules.quality_votes:
        yield PartOutcome("waiting", f"quality: {answers} of {rules.quality_votes} answers")
        return
    found = [(name, mean) for scales in means.values() for name, mean in scales.items()]
    poor = [name for name, mean in found if mean is not None and mean < rules.quality_floor]
    unknown = [name for name, mean in found if mean is None]
    if poor:
        yield PartOutcome("refused", f"quality: {poor[0]}")
    elif unknown:
        state: State = "refused" if closed else "disputed"
        yield PartOutcome(state, f"quality: {unknown[0]} cannot be judged")
    # Every scale on which one response is better than the other by more than the limit.
    one, *others = means.values()
    for name, mean in one.items():
        for other in (scales.get(name) for scales in others):
            if mean is None or other is None:
                continue
            if abs(mean - other) > rules.quality_gap + _ROUNDING:
                yield PartOutcome("refused", f"quality_gap: {name}")


class AspectShares(NamedTuple):
    """The aspects of one pair, as most people found them; None where nobody was asked."""

    supported: float | None
    """The share that the posts carry."""
    delivered: float | None
    """Of those, the share that the chosen response delivers and the rejected one does not; None
    where there are none."""
    contradicted: float | None
    """The largest share of an aspect's answers that call it contradicted."""


def aspect_shares(counts: Sequence[AspectCounts]) -> AspectShares:
    """Sum up the answers on the aspects of a pair."""
    if not counts:
        return AspectShares(None, None, None)
    there = [aspect for aspect in counts if aspect.supported]
    return AspectShares(
        supported=len(there) / len(counts),
        delivered=sum(aspect.delivered for aspect in there) / len(there) if there else None,
        contradicted=max(aspect.contradicted for aspect in counts),
    )


def aspect_outcomes(answers: int, shares: AspectShares, rules: HumanRules) -> Iterator[PartOutcome]:
    """The aspects are the user's, and the chosen response alone delivers most of them. `answers`
    is how many people were heard."""
    if not rules.rubric_votes:
        return
    if answers < rules.rubric_votes or shares.supported is None:
        yield PartOutcome("waiting", f"rubric: {answers} of {rules.rubric_votes} answers")
        return
    if shares.supported < rules.aspects_supported:
        yield PartOutcome("refused", "rubric: aspects_unsupported")
    elif (shares.delivered or 0) < rules.delivered:
        yield PartOutcome("refused", "rubric: aspects_undelivered")
    if (shares.contradicted or 0) > rules.contradicted:
        yield PartOutcome("refused", "rubric: aspect_contradicted")


def rounded(numbers: Mapping[str, float | None]) -> dict[str, float | None]:
    """As written; what is compared with the rules is exact."""
    return {name: None if x is None else round(x, 6) for name, x in numbers.items()}


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
    delivered: dict[str, float | None]
    """By pair: of these aspects, the share that most found delivered by the chosen response and not
    by the rejected one."""
    disputed: tuple[str, ...]
    """Pairs whose preference is for an adjudicator."""
    adjudicated: bool
    simulated: bool


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
        preference = preference_outcome(votes[-1], closing, rules, subject.label)
        if preference.state == "disputed":
            disputed.append(pair.id)
        parts.append(preference)
        if not pair.aspects:
            continue
        shares = aspect_shares(aspect_counts(pair, own))
        supported[pair.id] = shares.supported
        if rules.rubric_votes:
            delivered[pair.id] = shares.delivered
        heard = sum(v.kind == "rubric" for v in own)
        parts += aspect_outcomes(heard, shares, rules)
    # One refusal refuses; what waits may still change; a dispute is for an adjudicator.
    order: tuple[State, ...] = ("refused", "waiting", "disputed")
    states = {part.state for part in parts}
    state = next((state for state in order if state in states), "verified")
    reasons = (part.reason for part in parts if part.reason and part.state == state)
    return Decision(
        subject=subject.id,
        pairs=tuple(pair.id for pair in subject.pairs),
        state=state,
        reasons=tuple(dict.fromkeys(reasons)),
        votes=tuple(votes),
        quality={response: rounded(scales) for response, scales in means.items()},
        supported=rounded(supported),
        delivered=rounded(delivered),
        disputed=tuple(disputed) if state == "disputed" else (),
        adjudicated=bool(last),
        simulated=any(v.simulated for v in counted),
    )


def _votes(pair: OutlinePair, verdicts: Iterable[Verdict]) -> Votes:
    counts = Counter(
        pair.side(verdict.answers.choice)
        for verdict in verdicts
        if isinstance(verdict.answers, PreferenceAnswer)
    )
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
        subject.id: decide(subject, by_subject.get(subject.id, ()), rules, excluded=excluded)
        for subject in subjects
    }


REASONS = {
    "preference: cannot_tell": "too many could not tell whom which response fits",
    "preference: for_the_other": "most preferred the rejected response",
    "preference: for_one_response": "most preferred one of the responses of a placebo",
    "preference: no_difference": "most found that it makes no difference for this user",
    "preference: not_unanimous": "too many votes are not for the label",
    "preference: no_majority": "no answer has a majority",
    "preference: one_not_for_it": "one vote is not for the label",
    "preference: adjudicated": "too many votes of the second round are not for the label",
    "rubric: aspects_unsupported": "most found too few of the aspects in what the user wrote",
    "rubric: aspects_undelivered": (
        "too few of the supported aspects are delivered by the chosen response alone"
    ),
    "rubric: aspect_contradicted": "too many found an aspect contradicted by what the user wrote",
}
"""By reason; `reason_in_words` has those that name a scale."""


def reason_in_words(reason: str) -> str:
    """A reason of a decision as a sentence without its full stop; empty for one that needs none."""
    part, _, what = reason.partition(": ")
    if part == "quality_gap":
        return f"one response is better than the other on {what} by more than the rule lets pass"
    if part == "quality" and " " not in what:
        return f"a response is too poor on {what}"
    return REASONS.get(reason, "")

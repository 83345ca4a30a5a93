"""What each part of the rule says of a subject: quality, the preference for a pair, its aspects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pairwright.records import Record
from pairwright.settings.study_rules import HumanRules
from pairwright_human_eval.aspects import AspectCounts
from pairwright_human_eval.records import QualityAnswers, Verdict
from pairwright_human_eval.subjects import Outline

State = Literal["verified", "refused", "disputed", "waiting", "control"]
Means = dict[str, dict[str, float | None]]
"""By response and scale: the mean score, None where nobody could judge."""
_ROUNDING = 1e-9
"""A mean of thirds is not exact, and a gap that is the limit passes."""


class PartOutcome(NamedTuple):
    """What one part of a subject says; no reason where it is well."""

    state: State
    reason: str = ""


VERIFIED = PartOutcome("verified")


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


def preference_outcome(votes: Votes, closing: Votes, rules: HumanRules) -> PartOutcome:
    """`votes` are those of the first round, `closing` those of the second."""
    if votes.n < rules.votes:
        return PartOutcome("waiting", f"preference: {votes.n} of {rules.votes} votes")
    if votes.cannot_tell / votes.n > rules.cannot_tell:
        return PartOutcome("refused", "preference: cannot_tell")
    enough = votes.n // 2 + 1
    if votes.rejected >= enough:
        return PartOutcome("refused", "preference: for_the_other")
    if votes.equal >= enough:
        return PartOutcome("refused", "preference: about_equal")
    if rules.rule == "majority":
        undecided = "" if votes.chosen >= enough else "preference: no_majority"
    elif votes.n - votes.chosen > 1 or (votes.chosen < votes.n and not rules.further):
        return PartOutcome("refused", "preference: not_unanimous")
    else:
        undecided = "" if votes.chosen == votes.n else "preference: one_not_for_it"
    if not undecided:
        return VERIFIED
    if closing.n - closing.chosen > rules.closing_misses:
        return PartOutcome("refused", "preference: adjudicated")
    enough = rules.closing_votes - rules.closing_misses
    return VERIFIED if closing.chosen >= enough else PartOutcome("disputed", undecided)


def quality_means(subject: Outline, last: Sequence[Verdict], first: Sequence[Verdict]) -> Means:
    """The mean scores of the first round; those of the last where nobody else could judge."""
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


def _mean(response: str, verdicts: Iterable[Verdict]) -> dict[str, float | None]:
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
    yield _floor(means, rules, closed=closed)
    if rules.quality_gap is not None:
        yield from _gaps(means, rules.quality_gap)


def _floor(means: Means, rules: HumanRules, *, closed: bool) -> PartOutcome:
    found = [(name, mean) for scales in means.values() for name, mean in scales.items()]
    for name, mean in found:
        if mean is not None and mean < rules.quality_floor:
            return PartOutcome("refused", f"quality: {name}")
    for name, mean in found:
        if mean is None:
            state: State = "refused" if closed else "disputed"
            return PartOutcome(state, f"quality: {name} cannot be judged")
    return VERIFIED


def _gaps(means: Means, limit: float) -> Iterator[PartOutcome]:
    """Every scale on which one response is better than the other by more than the limit."""
    first, *others = means.values()
    for name, mean in first.items():
        for other in (scales.get(name) for scales in others):
            if mean is not None and other is not None and abs(mean - other) > limit + _ROUNDING:
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


def aspect_outcomes(
    answers: int, shares: AspectShares, rules: HumanRules, *, control: bool
) -> Iterator[PartOutcome]:
    """The aspects are the user's, and the chosen response alone delivers most of them. `answers`
    is how many people were heard."""
    if not rules.rubric_votes:
        return
    if control:
        yield PartOutcome("control", "rubric: a control of the study, not asked about")
        return
    if answers < rules.rubric_votes or shares.supported is None:
        yield PartOutcome("waiting", f"rubric: {answers} of {rules.rubric_votes} answers")
        return
    if shares.supported < rules.aspects_supported:
        yield PartOutcome("refused", "rubric: aspects_unsupported")
    elif rules.delivered is not None and (shares.delivered or 0) < rules.delivered:
        yield PartOutcome("refused", "rubric: aspects_undelivered")
    if rules.contradicted is not None and (shares.contradicted or 0) > rules.contradicted:
        yield PartOutcome("refused", "rubric: aspect_contradicted")


def rounded(numbers: Mapping[str, float | None]) -> dict[str, float | None]:
    """As written; what is compared with the rules is exact."""
    return {name: None if x is None else round(x, 6) for name, x in numbers.items()}

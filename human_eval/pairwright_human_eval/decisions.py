"""The decision on every unit, a function of the table of answers and the rule.

A unit is verified if every part of it is: the quality of both responses, the preference for each
pair, the aspects of each pair. A twin is decided as one, and so is a placebo, which has no aspects
and for which "no difference" is the expected answer. Changed rules need no new answer: decide
again.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from pairwright.pairs import RowDelivery, RowSupport
from pairwright.records import Record
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.quality_control import entries
from pairwright_human_eval.records import SIMULATED, Label, State
from pairwright_human_eval.units import Outline, OutlinePair

_ROUNDING = 1e-9
"""A mean of thirds is not exact, and a gap that is the limit passes."""


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


class Decision(Record):
    """A line of decisions.jsonl."""

    unit: str
    state: State
    reasons: tuple[str, ...]
    """Why it is not verified: `part: what`, in the order of the parts."""
    about: dict[str, tuple[str, ...]]
    """By reason: the pairs that it is about; none for quality."""
    votes: tuple[Votes, ...]
    """By pair, the asked one first."""
    closing: tuple[Votes, ...]
    """Those of the second round."""
    disputed: tuple[str, ...]
    """Pairs whose preference is for an adjudicator."""
    simulated: bool


# The rule


Outcome = tuple[State, str]
"""What one part of a unit comes to, and why; no reason if it is well."""


def preference_outcome(
    votes: Votes, closing: Votes, rules: HumanRules, label: Label = "chosen"
) -> Outcome:
    """`votes` are those of the first round, `closing` those of the second."""
    agree, agree_closing = votes.for_label(label), closing.for_label(label)
    if votes.n < rules.votes:
        return "waiting", f"preference: {votes.n} of {rules.votes} votes"
    if votes.cannot_tell / votes.n > rules.cannot_tell:
        return "refused", "preference: cannot_tell"
    enough = votes.n // 2 + 1
    if label == "equal" and max(votes.chosen, votes.rejected) >= enough:
        return "refused", "preference: for_one_response"
    if votes.rejected >= enough:
        return "refused", "preference: for_the_other"
    if label == "chosen" and votes.equal >= enough:
        return "refused", "preference: no_difference"
    if rules.rule == "majority":
        undecided = "" if agree >= enough else "preference: no_majority"
    elif votes.n - agree > 1 or (agree < votes.n and not rules.further):
        return "refused", "preference: not_unanimous"
    else:
        undecided = "" if agree == votes.n else "preference: one_not_for_it"
    if not undecided:
        return "verified", ""
    if closing.n - agree_closing > rules.closing_misses:
        return "refused", "preference: adjudicated"
    if agree_closing >= rules.closing_votes - rules.closing_misses:
        return "verified", ""
    begun = f"preference: second round, {closing.n} of {rules.closing_votes} votes"
    return "disputed", begun if closing.n else undecided


def quality_outcomes(
    answers: int, means: Mapping[str, float | None], rules: HumanRules, *, closed: bool
) -> Iterator[Outcome]:
    """Both responses are good, and equally so. `closed`: an adjudicator has rated them, too."""
    if not rules.quality_votes:
        return
    if answers < rules.quality_votes:
        yield "waiting", f"quality: {answers} of {rules.quality_votes} answers"
        return
    by_scale = [(item.partition(" ")[0], mean) for item, mean in means.items()]
    poor = [scale for scale, mean in by_scale if mean is not None and mean < rules.quality_floor]
    unknown = [scale for scale, mean in by_scale if mean is None]
    if poor:
        yield "refused", f"quality: {poor[0]}"
    elif unknown:
        state: State = "refused" if closed else "disputed"
        yield state, f"quality: {unknown[0]} cannot be judged"
    for scale in dict.fromkeys(scale for scale, _ in by_scale):
        first, second = means.get(f"{scale} first"), means.get(f"{scale} second")
        gap = 0.0 if first is None or second is None else abs(first - second)
        if gap > rules.quality_gap + _ROUNDING:
            yield "refused", f"quality_gap: {scale}"


class AspectCounts(NamedTuple):
    """The answers on one aspect."""

    support: RowSupport
    delivery: RowDelivery

    @property
    def contradicted(self) -> float:
        """The share who say that it is contradicted."""
        given = self.support
        n = given.clearly + given.plausibly + given.no + given.contradicted
        return given.contradicted / n if n else 0.0

    @property
    def delivered(self) -> bool:
        """Whether most say that the chosen response delivers it, and not most that the rejected one
        does. "Cannot tell" is left out."""
        given = self.delivery
        n = given.chosen + given.rejected + given.both + given.neither
        return 2 * (given.chosen + given.both) > n >= 2 * (given.rejected + given.both)


def aspect_outcomes(
    people: int, aspects: Sequence[AspectCounts], rules: HumanRules
) -> Iterator[Outcome]:
    """The aspects are the user's, and the chosen response alone delivers most of them."""
    if people < rules.rubric_votes:
        yield "waiting", f"rubric: {people} of {rules.rubric_votes} answers"
    elif rules.rubric_votes:
        there = [aspect for aspect in aspects if aspect.support.most]
        delivered = sum(aspect.delivered for aspect in there) / len(there) if there else 0
        if len(there) / len(aspects) < rules.aspects_supported:
            yield "refused", "rubric: aspects_unsupported"
        elif delivered < rules.delivered:
            yield "refused", "rubric: aspects_undelivered"
        if max(aspect.contradicted for aspect in aspects) > rules.contradicted:
            yield "refused", "rubric: aspect_contradicted"


# The table

Tally = Mapping[tuple[str, str, int], Mapping[str, Counter[str]]]
"""By what is asked about (a pair; for quality a unit), kind and round: for each item, how many gave
each label."""


def tally(answers: pd.DataFrame, excluded: Iterable[str] = ()) -> Tally:
    """Count the answers that count: no repeats, no comments, nothing by people who are excluded."""
    own = answers[~answers["annotator"].isin(list(excluded)) & (answers["kind"] != "comment")]
    own = own[own["round"] > 0]
    about = own["pair"].where(own["kind"] != "quality", own["unit"]).rename("about")
    found: dict[tuple[str, str, int], dict[str, Counter[str]]] = defaultdict(dict)
    by = [about, own["kind"], own["round"], own["item"], own["label"]]
    for (one, kind, round, item, label), n in entries(own.groupby(by).size()):
        found[one, kind, round].setdefault(item, Counter())[label] = n
    return dict(found)


def aspects_of(given: Tally, pair: OutlinePair) -> tuple[AspectCounts, ...]:
    """The answers on each aspect, in the rubric's order; empty if nobody was asked."""
    support = given.get((pair.id, "support", 1), {})
    delivery = given.get((pair.id, "delivery", 1), {})
    items = [str(n) for n in range(1, pair.aspects + 1)] if support else []
    return tuple(
        AspectCounts(
            RowSupport(**{name: said[name] for name in RowSupport.model_fields}),
            RowDelivery(**{name: done[name] for name in RowDelivery.model_fields}),
        )
        for said, done in ((support.get(n, Counter()), delivery.get(n, Counter())) for n in items)
    )


def decide(
    outlines: Iterable[Outline],
    answers: pd.DataFrame,
    rules: HumanRules,
    excluded: Iterable[str] = (),
) -> dict[str, Decision]:
    """Decide every unit from its answers, by its id. `excluded` failed the attention checks."""
    left = answers[~answers["annotator"].isin(list(excluded))]
    by_program = set(left["unit"][left["source"].map(lambda name: name.startswith(SIMULATED))])
    given = tally(left)
    return {unit.id: _decision(unit, given, rules, unit.id in by_program) for unit in outlines}


def _decision(unit: Outline, given: Tally, rules: HumanRules, simulated: bool) -> Decision:
    closed = (unit.id, "quality", 2) in given
    scored = _people(given, unit.id, "quality")
    rated = quality_outcomes(scored, _means(given, unit.id), rules, closed=closed)
    parts = [(*outcome, "") for outcome in rated]
    votes = tuple(_votes_on(given, pair.id, 1) for pair in unit.pairs)
    closing = tuple(_votes_on(given, pair.id, 2) for pair in unit.pairs)
    disputed = list[str]()
    for pair, first, second in zip(unit.pairs, votes, closing, strict=True):
        preference = preference_outcome(first, second, rules, unit.label)
        if preference[0] == "disputed":
            disputed.append(pair.id)
        parts.append((*preference, pair.id))
        if pair.aspects:
            people, aspects = _people(given, pair.id, "support"), aspects_of(given, pair)
            parts += [(*one, pair.id) for one in aspect_outcomes(people, aspects, rules)]
    # One refusal refuses; what waits may still change; a dispute is for an adjudicator.
    order: tuple[State, ...] = ("refused", "waiting", "disputed")
    states = {state for state, _, _ in parts}
    state = next((state for state in order if state in states), "verified")
    about: dict[str, tuple[str, ...]] = {}
    for each, why, pair_id in parts:
        if why and each == state:
            about[why] = (*about.get(why, ()), *filter(None, [pair_id]))
    return Decision(
        unit=unit.id,
        state=state,
        reasons=tuple(about),
        about=about,
        votes=votes,
        closing=closing,
        disputed=tuple(disputed) if state == "disputed" else (),
        simulated=simulated,
    )


def _votes_on(given: Tally, pair: str, round: int) -> Votes:
    labels = given.get((pair, "preference", round), {}).get("", Counter())
    names = ("chosen", "rejected", "equal", "cannot_tell")
    return Votes(pair=pair, **{name: labels[name] for name in names})


def _people(given: Tally, about: str, kind: str) -> int:
    """How many answered in the first round: everybody answers every item."""
    return max((n.total() for n in given.get((about, kind, 1), {}).values()), default=0)


def _means(given: Tally, unit: str) -> dict[str, float | None]:
    """The mean score of each item in the first round, or in the second if nobody could judge."""
    first, closing = (given.get((unit, "quality", round), {}) for round in (1, 2))
    means: dict[str, float | None] = {}
    for item in first or closing:
        for labels in (closing.get(item, Counter()), first.get(item, Counter())):
            scores = {int(label): n for label, n in labels.items() if label.isdecimal()}
            total = sum(score * n for score, n in scores.items())
            means[item] = total / sum(scores.values()) if scores else means.get(item)
    return means

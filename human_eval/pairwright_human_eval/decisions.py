"""The decision on every unit, a function of the table of answers and the rule.

A unit is verified if every part of it is: the quality of both responses, the preference for each
pair, the aspects of each pair. A twin is decided as one, and so is a placebo, which has no aspects
and of whose pairs people are to say that there is no difference. Changed rules need no new answer:
decide again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from pairwright.pairs import RowDelivery, RowSupport
from pairwright.records import Record
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.checks import entries
from pairwright_human_eval.records import SIMULATED, Label, State
from pairwright_human_eval.units import Outline, OutlinePair

_ROUNDING = 1e-9
"""A mean of thirds is not exact, and a gap that is the limit passes."""


class PartOutcome(NamedTuple):
    """What one part of a unit comes to; no reason if it is well."""

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

    def for_label(self, label: Label) -> int:
        return self.equal if label == "equal" else self.chosen


class Decision(Record):
    """A line of decisions.jsonl."""

    unit: str
    pairs: tuple[str, ...]
    state: State
    reasons: tuple[str, ...]
    """Why it is not verified: `part: what`, in the order of the parts."""
    votes: tuple[Votes, ...]
    quality: dict[str, float | None]
    """By scale and response, such as `correctness first`: the mean score."""
    supported: dict[str, float | None]
    """By pair: the share of aspects that most found supported."""
    delivered: dict[str, float | None]
    """By pair: of these aspects, the share that most found delivered by the chosen response and not
    by the rejected one."""
    disputed: tuple[str, ...]
    """Pairs whose preference is for an adjudicator."""
    adjudicated: bool
    simulated: bool


# The rule


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


def quality_outcomes(
    answers: int, means: Mapping[str, float | None], rules: HumanRules, *, closed: bool
) -> Iterator[PartOutcome]:
    """Both responses are good, and equally so. `closed`: an adjudicator has rated them, too."""
    if not rules.quality_votes:
        return
    if answers < rules.quality_votes:
        yield PartOutcome("waiting", f"quality: {answers} of {rules.quality_votes} answers")
        return
    by_scale = [(item.partition(" ")[0], mean) for item, mean in means.items()]
    poor = [scale for scale, mean in by_scale if mean is not None and mean < rules.quality_floor]
    unknown = [scale for scale, mean in by_scale if mean is None]
    if poor:
        yield PartOutcome("refused", f"quality: {poor[0]}")
    elif unknown:
        state: State = "refused" if closed else "disputed"
        yield PartOutcome(state, f"quality: {unknown[0]} cannot be judged")
    for scale in dict.fromkeys(scale for scale, _ in by_scale):
        first, second = means.get(f"{scale} first"), means.get(f"{scale} second")
        gap = 0.0 if first is None or second is None else abs(first - second)
        if gap > rules.quality_gap + _ROUNDING:
            yield PartOutcome("refused", f"quality_gap: {scale}")


class AspectCounts(NamedTuple):
    """The answers on one aspect."""

    support: RowSupport
    delivery: RowDelivery

    @property
    def contradicted(self) -> float:
        """The share who say that it is contradicted."""
        given = self.support
        return given.contradicted / (
            given.clearly + given.plausibly + given.no + given.contradicted
        )

    @property
    def delivered(self) -> bool:
        """Whether most say that the chosen response delivers it, and not most that the rejected one
        does. "Cannot tell" is left out."""
        given = self.delivery
        n = given.chosen + given.rejected + given.both + given.neither
        return 2 * (given.chosen + given.both) > n >= 2 * (given.rejected + given.both)


class AspectShares(NamedTuple):
    """The aspects of one pair, as most people found them; None if nobody was asked."""

    supported: float | None
    """The share that the posts carry."""
    delivered: float | None
    """Of those, the share that the chosen response alone delivers; None if there are none."""
    contradicted: float | None
    """The largest share of an aspect's answers that call it contradicted."""


def aspect_shares(counts: Sequence[AspectCounts]) -> AspectShares:
    """Sum up the answers on the aspects of a pair."""
    if not counts:
        return AspectShares(None, None, None)
    there = [aspect for aspect in counts if aspect.support.most]
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


# The table


@dataclass(frozen=True)
class Counted:
    """The answers that count, summed up by what they are about. A repeat counts nowhere."""

    votes: Mapping[tuple[str, int], dict[str, int]]
    """By pair and round: how many gave each label."""
    means: Mapping[tuple[str, int], dict[str, float | None]]
    """By unit and round: the mean score of each item; None if nobody could judge."""
    support: Mapping[tuple[str, str], dict[str, int]]
    """By pair and aspect, in the first round."""
    delivery: Mapping[tuple[str, str], dict[str, int]]
    people: Mapping[tuple[str, str, int], int]
    """By unit or pair, kind and round: how many answered."""
    simulated: frozenset[str]
    """Units that a simulated annotator answered on."""

    @classmethod
    def of(cls, answers: pd.DataFrame, excluded: Iterable[str] = ()) -> "Counted":
        own = answers[(answers["round"] > 0) & ~answers["annotator"].isin(list(excluded))]
        kinds = {kind: own[own["kind"] == kind] for kind in ("preference", "quality", "support")}
        quality = kinds["quality"]
        scores = quality.assign(label=pd.to_numeric(quality["label"], errors="coerce"))
        means: dict[tuple[str, int], dict[str, float | None]] = {}
        by_item = scores.groupby(["unit", "round", "item"])["label"].mean()
        for (unit, round, item), mean in entries(by_item):
            means.setdefault((unit, round), {})[item] = None if pd.isna(mean) else float(mean)
        first = own[own["round"] == 1]
        people: dict[tuple[str, str, int], int] = {}
        for kind, about in (("preference", "pair"), ("quality", "unit"), ("support", "pair")):
            heard = kinds[kind].groupby([about, "round"])["task"].nunique()
            people |= {(name, kind, round): int(n) for (name, round), n in entries(heard)}
        simulated = own["source"].str.startswith(SIMULATED)
        return cls(
            votes=_labels(kinds["preference"], ["pair", "round"]),
            means=means,
            support=_labels(first[first["kind"] == "support"], ["pair", "item"]),
            delivery=_labels(first[first["kind"] == "delivery"], ["pair", "item"]),
            people=people,
            simulated=frozenset(own.loc[simulated, "unit"]) if len(own) else frozenset(),
        )

    def votes_on(self, pair: str, round: int = 1) -> Votes:
        given = self.votes.get((pair, round), {})
        return Votes(
            pair=pair,
            chosen=given.get("chosen", 0),
            rejected=given.get("rejected", 0),
            equal=given.get("equal", 0),
            cannot_tell=given.get("cannot_tell", 0),
        )

    def aspects_of(self, pair: OutlinePair) -> tuple[AspectCounts, ...]:
        """The answers on each aspect, in the rubric's order; empty if nobody was asked."""
        items = [(pair.id, str(n)) for n in range(1, pair.aspects + 1)]
        if not any(item in self.support for item in items):
            return ()
        return tuple(
            AspectCounts(
                RowSupport(**_filled(self.support.get(item, {}), RowSupport)),
                RowDelivery(**_filled(self.delivery.get(item, {}), RowDelivery)),
            )
            for item in items
        )

    def quality_of(self, unit: str) -> dict[str, float | None]:
        """The mean scores of the first round; those of the second if nobody else could judge."""
        first, closing = self.means.get((unit, 1), {}), self.means.get((unit, 2), {})
        return {
            item: closing.get(item) if mean is None else mean
            for item, mean in (first or closing).items()
        }


def _labels(table: pd.DataFrame, by: list[str]) -> dict[Any, dict[str, int]]:
    """How many gave each label, by what they are about."""
    found: dict[Any, dict[str, int]] = {}
    for (first, second, label), n in entries(table.groupby([*by, "label"]).size()):
        found.setdefault((first, second), {})[label] = n
    return found


def _filled(counts: Mapping[str, int], kind: type[Record]) -> dict[str, int]:
    return {name: counts.get(name, 0) for name in kind.model_fields}


def decide(
    outlines: Iterable[Outline],
    answers: pd.DataFrame,
    rules: HumanRules,
    excluded: Iterable[str] = (),
) -> dict[str, Decision]:
    """Decide every unit from its answers, by its id. `excluded` failed the attention checks."""
    counted = Counted.of(answers, excluded)
    return {unit.id: _decision(unit, counted, rules) for unit in outlines}


def _decision(unit: Outline, counted: Counted, rules: HumanRules) -> Decision:
    means = counted.quality_of(unit.id)
    closed = (unit.id, 2) in counted.means
    heard = counted.people.get((unit.id, "quality", 1), 0)
    parts = [*quality_outcomes(heard, means, rules, closed=closed)]
    votes, supported, delivered, disputed = list[Votes](), {}, {}, list[str]()
    for pair in unit.pairs:
        votes.append(counted.votes_on(pair.id))
        closing = counted.votes_on(pair.id, 2)
        closed = closed or closing.n > 0
        preference = preference_outcome(votes[-1], closing, rules, unit.label)
        if preference.state == "disputed":
            disputed.append(pair.id)
        parts.append(preference)
        if not pair.aspects:
            continue
        shares = aspect_shares(counted.aspects_of(pair))
        supported[pair.id] = _rounded(shares.supported)
        if rules.rubric_votes:
            delivered[pair.id] = _rounded(shares.delivered)
        people = counted.people.get((pair.id, "support", 1), 0)
        parts += aspect_outcomes(people, shares, rules)
    # One refusal refuses; what waits may still change; a dispute is for an adjudicator.
    order: tuple[State, ...] = ("refused", "waiting", "disputed")
    states = {part.state for part in parts}
    state = next((state for state in order if state in states), "verified")
    reasons = (part.reason for part in parts if part.reason and part.state == state)
    return Decision(
        unit=unit.id,
        pairs=tuple(pair.id for pair in unit.pairs),
        state=state,
        reasons=tuple(dict.fromkeys(reasons)),
        votes=tuple(votes),
        quality={item: _rounded(mean) for item, mean in means.items()},
        supported=supported,
        delivered=delivered,
        disputed=tuple(disputed) if state == "disputed" else (),
        adjudicated=closed,
        simulated=unit.id in counted.simulated,
    )


def _rounded(number: float | None) -> float | None:
    """As written; what is compared with the rules is exact."""
    return None if number is None else round(number, 6)

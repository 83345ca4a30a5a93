"""Decisions from answers: the decision on every unit, and what a release shows.

**Decisions.** A unit is verified if every part of it is: the quality of both responses, the
preference for each pair, the aspects of each pair. A twin is decided as one, and so is a placebo,
which has no aspects and for which "no difference" is expected.

**Releases** hold answers by pseudonym, without comments and clock times, and outlines of all units,
refused ones too. Decisions and figures follow from these.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import pandas as pd

from pairwright.lines import read_lines, read_one
from pairwright.pairs import Layout, PairVotes, RowDelivery, RowSupport, RowVotes
from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules
from pairwright.stats import Estimate, cluster_numbers, mean_points
from pairwright_human_eval.agreement import (
    SIDES,
    Agreement,
    agreement,
    annotators,
    excluded_by,
    votes_of,
)
from pairwright_human_eval.records import EQUAL, SIMULATED, Answer, Label, State, Study
from pairwright_human_eval.units import Outline, OutlinePair
from pairwright_human_eval.votes import QUESTIONS, Question, study_votes

T = TypeVar("T", bound=Record)
_ROUNDING = 1e-9  # A mean of thirds is not exact, and a gap that is the limit passes.


def table_of(answers: Iterable[Answer]) -> pd.DataFrame:
    """Answers as a data frame, with their fields as columns."""
    rows = [tuple(dict(one).values()) for one in answers]
    return pd.DataFrame(rows, columns=list(Answer.model_fields))


# The rule


class Decision(Record):
    """A line of decisions.jsonl."""

    unit: str
    state: State
    reasons: tuple[str, ...]
    """Reasons why it is not verified: `part: what`, in the order of the parts."""
    about: dict[str, tuple[str, ...]]
    """Pairs by the reason that is about them; empty for quality."""
    votes: tuple[PairVotes, ...]
    closing: tuple[PairVotes, ...]
    simulated: bool

    @property
    def disputed(self) -> tuple[str, ...]:
        """Pairs whose preference is for an adjudicator."""
        disputed = self.state == "disputed"
        return tuple(pair for pairs in self.about.values() for pair in pairs if disputed)


Outcome = tuple[State, str]
"""The state of one part of a unit, and the reason; no reason if it is verified."""
Tally = defaultdict[tuple[str, str, int], Counter[tuple[str, str]]]
"""Counts by subject (a pair; for quality a unit), kind and round: of each item and label."""
AspectCounts = tuple[RowSupport, RowDelivery]


def preference_outcome(
    votes: PairVotes, closing: PairVotes, rules: HumanRules, label: Label = "chosen"
) -> Outcome:
    """`votes` are those of the first round, `closing` those of the second."""
    agree, agree_closing = (
        counts.equal if label == EQUAL else counts.chosen for counts in (votes, closing)
    )
    if votes.n < rules.votes:
        return "waiting", f"preference: {votes.n} of {rules.votes} votes"
    if votes.cannot_tell / votes.n > rules.cannot_tell:
        return "refused", "preference: cannot_tell"
    enough = votes.n // 2 + 1
    if label == EQUAL and max(votes.chosen, votes.rejected) >= enough:
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


def quality_outcomes(unit: str, given: Tally, rules: HumanRules) -> Iterator[Outcome]:
    """Outcomes on quality: both responses must be good, and equally so. Means are of the first
    round, or of the second if no annotator could judge."""
    first, closing = (given[unit, "quality", round] for round in (1, 2))
    answers = _people(first)
    if answers < rules.quality_votes:
        yield "waiting", f"quality: {answers} of {rules.quality_votes} answers"
    if answers < rules.quality_votes or not rules.quality_votes:
        return
    means = {item: _mean(item, first, closing) for item, _ in first}
    scales = [(item.partition(" ")[0], mean) for item, mean in means.items()]
    poor = [scale for scale, mean in scales if mean is not None and mean < rules.quality_floor]
    unknown = [scale for scale, mean in scales if mean is None]
    if poor:
        yield "refused", f"quality: {poor[0]}"
    elif unknown:
        yield "refused" if closing else "disputed", f"quality: {unknown[0]} cannot be judged"
    for scale in dict.fromkeys(scale for scale, _ in scales):
        one, other = means.get(f"{scale} first"), means.get(f"{scale} second")
        gap = 0.0 if one is None or other is None else abs(one - other)
        if gap > rules.quality_gap + _ROUNDING:
            yield "refused", f"quality_gap: {scale}"


def _people(counts: Counter[tuple[str, str]]) -> int:
    """Number of people who answered: each answers every item."""
    items = Counter(item for item, _ in counts.elements())
    return max(items.values(), default=0)


def _mean(item: str, *rounds: Counter[tuple[str, str]]) -> float | None:
    """The mean score of an item in the first round in which an annotator could judge it."""
    for counts in rounds:
        labels = [label for one, label in counts.elements() if one == item]
        if scores := [int(label) for label in labels if label.isdecimal()]:
            return sum(scores) / len(scores)
    return None


def aspect_outcomes(pair: OutlinePair, given: Tally, rules: HumanRules) -> Iterator[Outcome]:
    """The aspects are the user's, and the chosen response alone delivers most of them."""
    people = _people(given[pair.id, "support", 1])
    if people < rules.rubric_votes:
        yield "waiting", f"rubric: {people} of {rules.rubric_votes} answers"
    if people < rules.rubric_votes or not rules.rubric_votes:
        return
    aspects = aspects_of(given, pair)
    there = [delivery for support, delivery in aspects if support.most]
    delivered = sum(map(chosen_delivers, there)) / len(there) if there else 0
    if len(there) / len(aspects) < rules.aspects_supported:
        yield "refused", "rubric: aspects_unsupported"
    elif delivered < rules.delivered:
        yield "refused", "rubric: aspects_undelivered"
    shares = [support.contradicted / people for support, _ in aspects]
    if max(shares) > rules.contradicted:
        yield "refused", "rubric: aspect_contradicted"


def chosen_delivers(given: RowDelivery) -> bool:
    """Whether most say that the chosen response delivers it, and not most that the other does."""
    n = given.chosen + given.rejected + given.both + given.neither
    return 2 * (given.chosen + given.both) > n >= 2 * (given.rejected + given.both)


def tally(answers: pd.DataFrame, excluded: Iterable[str] = ()) -> Tally:
    """Count the answers that count: no repeats, no comments, nothing by people who are excluded."""
    own = answers[~answers["annotator"].isin(list(excluded)) & (answers["kind"] != "comment")]
    own = own[own["round"] > 0].sort_values(["item", "label"])
    about = own["pair"].where(own["kind"] != "quality", own["unit"])
    found: Tally = defaultdict(Counter)
    columns = (own[name] for name in ("kind", "round", "item", "label"))
    for subject, kind, round, item, label in zip(about, *columns, strict=True):
        found[subject, kind, round][item, label] += 1
    return found


def aspects_of(given: Tally, pair: OutlinePair) -> tuple[AspectCounts, ...]:
    """The answers on each aspect, in the rubric's order; empty if no annotator was asked."""
    support, delivery = (given[pair.id, kind, 1] for kind in ("support", "delivery"))
    items = [str(n) for n in range(1, pair.aspects + 1)] if support else []
    return tuple(
        (_counted_as(RowSupport, support, n), _counted_as(RowDelivery, delivery, n)) for n in items
    )


def _counted_as(kind: type[T], counts: Counter[tuple[str, str]], item: str) -> T:
    """Counts of an item by label as a record that has a field for each."""
    return kind(**{label: counts[item, label] for label in kind.model_fields})


def decide(
    outlines: Iterable[Outline],
    answers: pd.DataFrame,
    rules: HumanRules,
    excluded: Iterable[str] = (),
) -> dict[str, Decision]:
    """Decide every unit from its answers, by its id. `excluded` failed the attention checks."""
    left = answers[~answers["annotator"].isin(list(excluded))]
    by_program = set(left["unit"][left["source"].astype(str).str.startswith(SIMULATED)])
    given, decisions = tally(left), dict[str, Decision]()

    def votes(pair: OutlinePair, round: int) -> PairVotes:
        counts = given[pair.id, "preference", round]
        return PairVotes(pair=pair.id, **{one: counts["", one] for one in RowVotes.model_fields})

    for unit in outlines:
        first, closing = (tuple(votes(pair, round) for pair in unit.pairs) for round in (1, 2))
        parts = [(*outcome, "") for outcome in quality_outcomes(unit.id, given, rules)]
        for pair, one, two in zip(unit.pairs, first, closing, strict=True):
            parts.append((*preference_outcome(one, two, rules, unit.label), pair.id))
            if pair.aspects:
                parts += [(*outcome, pair.id) for outcome in aspect_outcomes(pair, given, rules)]
        # One refusal refuses; what waits may still change; a dispute is for an adjudicator.
        order: tuple[State, ...] = ("refused", "waiting", "disputed")
        states = {state for state, _, _ in parts}
        state = next((state for state in order if state in states), "verified")
        about: dict[str, tuple[str, ...]] = {}
        for each, why, pair_id in parts:
            if why and each == state:
                about[why] = (*about.get(why, ()), *filter(None, [pair_id]))
        decisions[unit.id] = Decision(
            unit=unit.id, state=state, reasons=tuple(about), about=about, votes=first,
            closing=closing, simulated=unit.id in by_program,
        )  # fmt: skip
    return decisions


# Released


class PublicAnnotator(Record):
    """Result of one annotator in attention checks."""

    annotator: str
    simulated: bool
    checks: int
    passed: int


class PublicStudy(Record):
    """human/study.json."""

    policy: HumanRules
    fixed: HumanRules
    scales: tuple[Scale, ...]
    of: int
    """Units in the run, from which the study's were drawn."""
    annotators: tuple[PublicAnnotator, ...]
    left_out: int
    """Units of the study that are not in this release: people asked to be forgotten."""


@dataclass(frozen=True)
class ReleasedStudy:
    """A study as a release holds it. What is derived is derived once."""

    study: PublicStudy
    outlines: tuple[Outline, ...]
    """Outlines of all units, in the order of the run's pairs."""
    answers: tuple[Answer, ...]
    """Answers without comments, and without repeats."""

    @cached_property
    def table(self) -> pd.DataFrame:
        return table_of(self.answers)

    @property
    def excluded(self) -> frozenset[str]:
        """Annotators who failed the attention checks."""
        rows = {one.annotator: (one.passed, one.checks) for one in self.study.annotators}
        passed = pd.DataFrame.from_dict(rows, orient="index", columns=["k", "n"], dtype=int)
        return excluded_by(passed, self.study.policy.attention_floor)

    @property
    def tasks(self) -> int:
        return self.table["task"].nunique()

    @property
    def simulated(self) -> bool:
        return any(one.source.startswith(SIMULATED) for one in self.answers)

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """The decision on every unit, by its id."""
        return decide(self.outlines, self.table, self.study.policy, self.excluded)

    @cached_property
    def aspect_counts(self) -> dict[str, tuple[AspectCounts, ...]]:
        """Counted answers on each aspect, by pair; empty if no annotator was asked."""
        given = tally(self.table, self.excluded)
        return {pair.id: aspects_of(given, pair) for unit in self.outlines for pair in unit.pairs}

    @cached_property
    def counted(self) -> pd.DataFrame:
        """The answers of the first round that count, with the dyad and the label of their unit."""
        rows = [(unit.id, unit.dyad, unit.label) for unit in self.outlines]
        about = pd.DataFrame(rows, columns=["unit", "dyad", "expected"])
        own = self.table[~self.table["annotator"].isin(list(self.excluded))]
        return own[own["round"] == 1].merge(about, on="unit")

    @cached_property
    def agreement(self) -> dict[str, Agreement]:
        """Agreement by question, in the order of asking. "Cannot tell" is a missing value."""
        table, asked = study_votes(self.counted), list[Question]()
        for scale in self.study.scales:
            asked.append((f"quality: {scale.name}", range(scale.low, scale.high + 1), "ordinal"))
        return {
            name: agreement(table[table["question"] == name], levels, kind)
            for name, levels, kind in (*asked, *QUESTIONS.values())
        }

    @cached_property
    def preferred(self) -> Estimate:
        """Votes for the chosen response, of those for either, without placebos."""
        votes = votes_of(self.counted)
        either = votes[votes["label"].isin(SIDES) & (votes["expected"] != EQUAL)]
        return share_by_dyad(either["label"] == "chosen", either["dyad"])


def share_by_dyad(hits: pd.Series, dyads: pd.Series) -> Estimate:
    """The share of hits, with its interval by pair of users."""
    return mean_points(hits.to_numpy(float), cluster_numbers([*dyads]))


def read_public(layout: Layout) -> ReleasedStudy | None:
    """The study of a release; None if no annotator was asked. Raises InputError."""
    if not any(path.exists() for path in (layout.study, layout.asked, layout.answers)):
        return None
    return ReleasedStudy(
        read_one(layout.study, PublicStudy),
        tuple(read_lines(layout.asked, Outline)),
        tuple(read_lines(layout.answers, Answer)),
    )


def published(
    study: Study, rules: HumanRules, outlines: Sequence[Outline], answers: Sequence[Answer],
    leaving: Set[str] = frozenset(),
) -> ReleasedStudy:  # fmt: skip
    """Make the released part of a study by the `rules` in force, without the units `leaving`."""
    kept = tuple(unit for unit in outlines if unit.id not in leaving)
    asked = {unit.id for unit in kept}
    simulated = {one.annotator for one in answers if one.source.startswith(SIMULATED)}
    passed = annotators(table_of(answers), outlines)[["checks_n", "checks_k"]]
    people = tuple(
        PublicAnnotator(annotator=str(who), simulated=who in simulated, checks=n, passed=k)
        for who, n, k in passed.itertuples()
    )
    public = PublicStudy(
        policy=rules, fixed=study.policy, scales=study.scales,
        of=study.of, annotators=people, left_out=len(outlines) - len(kept)
    )  # fmt: skip
    # What people wrote and when they worked may show who they are.
    shown = (
        Answer(**dict(answer) | {"at": ""})
        for answer in answers
        if answer.round > 0 and answer.kind != "comment" and answer.unit in asked
    )
    return ReleasedStudy(public, kept, tuple(shown))

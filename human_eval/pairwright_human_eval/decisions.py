"""Decisions from answers: who is excluded, and the decision on every unit. Functions of the table.

**Attention.** Every vote on a side of a twin can be a check. Two groups of people see the same
question and responses, each group with the posts of one of two users. The posts decide if most of
the others who saw these posts choose one response, and most of the other group the other. At least
two people are needed in each. The right answer is then that of the others who saw the same posts.
Which side an annotator gets is drawn, so a person who does not read is right with probability 1/2,
whatever the others answer. Every second "cannot tell" counts as right, like a tossed coin. No check
can be recognised, because no task is made for it; and no label is used.

**Decisions.** A unit is verified if every part of it is: the quality of both responses, the
preference for each pair, the aspects of each pair. A twin is decided as one, and so is a placebo,
which has no aspects and for which "no difference" is expected.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import pandas as pd

from pairwright.pairs import RowDelivery, RowSupport, RowVotes
from pairwright.records import Record, Side
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.records import CANNOT_TELL, EQUAL, SIMULATED, Answer, Label, State
from pairwright_human_eval.units import Outline, OutlinePair

T = TypeVar("T", bound=Record)
FEWEST_CHECKS = 4
"""Fewest checks that exclude: with fewer, one slip would exclude an attentive annotator."""
FEWEST_OTHERS = 2
"""One other person's answer is no measure of anybody."""
SIDES: tuple[Side, ...] = ("chosen", "rejected")
_ROUNDING = 1e-9
"""A mean of thirds is not exact, and a gap that is the limit passes."""


def table_of(answers: Iterable[Answer]) -> pd.DataFrame:
    """Answers as a data frame, with their fields as columns."""
    columns = list(Answer.model_fields)
    rows = [tuple(getattr(one, name) for name in columns) for one in answers]
    return pd.DataFrame(rows, columns=columns)


def votes_of(answers: pd.DataFrame, round: int = 1) -> pd.DataFrame:
    """The preference votes of a round; `item` is the pair."""
    votes = answers[(answers["kind"] == "preference") & (answers["round"] == round)]
    return votes.assign(item=votes["pair"])


# Annotators


def majority(counts: Mapping[Any, int], fewest: int = 1) -> Any:
    """The label of more than half; empty without one, or with fewer than `fewest` votes."""
    label, most = max(counts.items(), key=lambda one: one[1], default=("", 0))
    n = sum(counts.values())
    return label if 2 * most > n >= fewest else ""


def count_labels(votes: pd.DataFrame) -> dict[str, Counter[Any]]:
    """Count each label by item. "Cannot tell" is missing."""
    counts: dict[str, Counter[Any]] = {}
    for item, label in zip(votes["item"], votes["label"], strict=True):
        counts.setdefault(item, Counter())[label] += int(label != CANNOT_TELL)
    return counts


def others_say(votes: pd.DataFrame, fewest: int = 1) -> pd.Series:
    """Label, for each vote, of more than half of the other votes on its item. It is empty without
    such a label, or with fewer than `fewest` others."""
    counts = count_labels(votes)
    said = [
        majority(counts[item] - Counter({label: 1}), fewest)
        for item, label in zip(votes["item"], votes["label"], strict=True)
    ]
    return pd.Series(said, index=votes.index, dtype=object)


def checks(answers: pd.DataFrame, outlines: Iterable[Outline]) -> pd.DataFrame:
    """Count the votes of each annotator that are attention checks (`n`), and the right ones (`k`).

    A placebo has none: nothing in its posts decides. In the words of each side, the posts decide if
    both sides have the same majority, `chosen` or `rejected`.
    """
    twins = (unit.pairs for unit in outlines if unit.label != EQUAL and len(unit.pairs) == 2)
    other_half = {pair.id: pairs[1 - n].id for pairs in twins for n, pair in enumerate(pairs)}
    votes = votes_of(answers)
    votes = votes[votes["pair"].isin(other_half)]
    said = {pair: majority(+counts, FEWEST_OTHERS) for pair, counts in count_labels(votes).items()}
    here = others_say(votes, FEWEST_OTHERS)
    across = votes["pair"].map(lambda pair: said.get(other_half[pair], ""))
    votes = votes.assign(here=here)[here.isin(SIDES) & (here == across)]
    unknown = _counted(votes["annotator"], votes["label"] == CANNOT_TELL)["k"]
    right = _counted(votes["annotator"], votes["label"] == votes["here"])
    return right.assign(k=right["k"] + (unknown + 1) // 2)


def repeats(answers: pd.DataFrame) -> pd.DataFrame:
    """Count the votes of each annotator that were asked again with the responses swapped (`n`) and
    answered as before (`k`). They exclude no annotator; "cannot tell" is missing."""
    told = answers[answers["label"] != CANNOT_TELL]
    again = votes_of(told).merge(votes_of(told, 0), on=["annotator", "pair"])
    return _counted(again["annotator"], again["label_x"] == again["label_y"])


def with_others(votes: pd.DataFrame) -> pd.DataFrame:
    """Count the votes of each annotator on items where most of the others agree (`n`), and those
    that say the same (`k`). "Cannot tell" is missing."""
    votes = votes[votes["label"] != CANNOT_TELL]
    most = others_say(votes)
    agreed = most.map(lambda label: label != "").astype(bool)
    return _counted(votes["annotator"][agreed], (votes["label"] == most)[agreed])


def _counted(who: pd.Series, hits: pd.Series) -> pd.DataFrame:
    table = pd.DataFrame({"who": who, "hit": hits.astype(int)})
    return table.groupby("who").agg(k=("hit", "sum"), n=("hit", "size"))


def excluded_by(passed: pd.DataFrame, floor: float) -> frozenset[str]:
    """Annotators who passed less than `floor` of at least `FEWEST_CHECKS` checks. None of their
    answers counts."""
    low = (passed["n"] >= FEWEST_CHECKS) & (passed["k"] / passed["n"] < floor)
    return frozenset(passed.index[low])


def annotators(answers: pd.DataFrame, outlines: Iterable[Outline]) -> pd.DataFrame:
    """Counts per annotator: checks, repeats and votes on which the others agree (`_n`), and how
    many of them are right or the same (`_k`)."""
    others = with_others(votes_of(answers)).add_prefix("others_")
    counts = (
        checks(answers, outlines).add_prefix("checks_"),
        repeats(answers).add_prefix("repeats_"),
    )
    names = sorted(set(answers["annotator"]))
    return pd.concat([*counts, others], axis=1).reindex(names).fillna(0).astype(int)


# The rule


class Votes(RowVotes):
    """The preference votes on one pair, in a round."""

    pair: str


class Decision(Record):
    """A line of decisions.jsonl."""

    unit: str
    state: State
    reasons: tuple[str, ...]
    """Reasons why it is not verified: `part: what`, in the order of the parts."""
    about: dict[str, tuple[str, ...]]
    """Pairs by the reason that is about them; empty for quality."""
    votes: tuple[Votes, ...]
    """Votes by pair, the asked one first."""
    closing: tuple[Votes, ...]
    """Votes of the second round."""
    simulated: bool

    @property
    def disputed(self) -> tuple[str, ...]:
        """Pairs whose preference is for an adjudicator."""
        disputed = self.state == "disputed"
        return tuple(pair for pairs in self.about.values() for pair in pairs if disputed)


Outcome = tuple[State, str]
"""The state of one part of a unit, and the reason; no reason if it is verified."""
Tally = Mapping[tuple[str, str, int], Mapping[str, Counter[str]]]
"""Counts by subject (a pair; for quality a unit), kind and round: for each item, how many gave each
label."""
AspectCounts = tuple[RowSupport, RowDelivery]
"""Counts of each answer on an aspect."""


def preference_outcome(
    votes: Votes, closing: Votes, rules: HumanRules, label: Label = "chosen"
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
    first, closing = (given.get((unit, "quality", round), {}) for round in (1, 2))
    answers = _people(first)
    if not rules.quality_votes:
        return
    if answers < rules.quality_votes:
        yield "waiting", f"quality: {answers} of {rules.quality_votes} answers"
        return
    means = {item: _mean(first[item], closing.get(item, {})) for item in first}
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


def _people(items: Mapping[str, Counter[str]]) -> int:
    """Number of people who answered: each answers every item."""
    return max((n.total() for n in items.values()), default=0)


def _mean(*rounds: Mapping[str, int]) -> float | None:
    """The mean score of the first round in which an annotator could judge."""
    for labels in rounds:
        scores = {int(label): n for label, n in labels.items() if label.isdecimal()}
        if scores:
            return sum(score * n for score, n in scores.items()) / sum(scores.values())
    return None


def aspect_outcomes(pair: OutlinePair, given: Tally, rules: HumanRules) -> Iterator[Outcome]:
    """The aspects are the user's, and the chosen response alone delivers most of them."""
    people = _people(given.get((pair.id, "support", 1), {}))
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
    """Whether most say that the chosen response delivers the aspect, and not most that the rejected
    one does. "Cannot tell" is left out."""
    n = given.chosen + given.rejected + given.both + given.neither
    return 2 * (given.chosen + given.both) > n >= 2 * (given.rejected + given.both)


# The decisions


def tally(answers: pd.DataFrame, excluded: Iterable[str] = ()) -> Tally:
    """Count the answers that count: no repeats, no comments, nothing by people who are excluded."""
    own = answers[~answers["annotator"].isin(list(excluded)) & (answers["kind"] != "comment")]
    own = own[own["round"] > 0]
    about = own["pair"].where(own["kind"] != "quality", own["unit"]).rename("about")
    found: dict[tuple[str, str, int], dict[str, Counter[str]]] = defaultdict(dict)
    by = [about, own["kind"], own["round"], own["item"], own["label"]]
    counts: dict[Any, int] = own.groupby(by).size().to_dict()
    for (one, kind, round, item, label), n in counts.items():
        found[one, kind, round].setdefault(item, Counter())[label] = n
    return dict(found)


def aspects_of(given: Tally, pair: OutlinePair) -> tuple[AspectCounts, ...]:
    """The answers on each aspect, in the rubric's order; empty if no annotator was asked."""
    support, delivery = (given.get((pair.id, kind, 1), {}) for kind in ("support", "delivery"))
    items = [str(n) for n in range(1, pair.aspects + 1)] if support else []
    return tuple(
        (
            _counted_as(RowSupport, support.get(n, {})),
            _counted_as(RowDelivery, delivery.get(n, {})),
        )
        for n in items
    )


def _counted_as(kind: type[T], labels: Mapping[str, int], **more: object) -> T:
    """Counts by label as a record that has a field for each."""
    counts = {name: labels.get(name, 0) for name in kind.model_fields if name not in more}
    return kind(**counts, **more)


def decide(
    outlines: Iterable[Outline],
    answers: pd.DataFrame,
    rules: HumanRules,
    excluded: Iterable[str] = (),
) -> dict[str, Decision]:
    """Decide every unit from its answers, by its id. `excluded` failed the attention checks."""
    left = answers[~answers["annotator"].isin(list(excluded))]
    by_program = set(left["unit"][left["source"].astype(str).str.startswith(SIMULATED)])
    given = tally(left)
    return {unit.id: _decision(unit, given, rules, unit.id in by_program) for unit in outlines}


def _decision(unit: Outline, given: Tally, rules: HumanRules, simulated: bool) -> Decision:
    def votes(pair: OutlinePair, round: int) -> Votes:
        items = given.get((pair.id, "preference", round), {})
        return _counted_as(Votes, items.get("", Counter()), pair=pair.id)

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
    return Decision(
        unit=unit.id, state=state, reasons=tuple(about), about=about, votes=first,
        closing=closing, simulated=simulated
    )  # fmt: skip

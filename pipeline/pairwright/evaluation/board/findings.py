"""What a leaderboard finds of its scorers beside their ranks: one test for each question, scorer
and mode, and all of them together err in at most 5 % of leaderboards.

recall    Shown the question alone, is it right on more asked halves of twins than one half? Then
          it knows the asker, or the question's own words say what its asker wants. The other halves
          are the mirror image: one half is right where the other is wrong.
overlap   Is it right on more or fewer than half of the twins where word overlap is wrong? Pairs of
          other modes are not tested, because a scorer without posts is not at one half there.
evidence  Does its accuracy change when the posts that the rubric cites are taken out?
order     Does a comparing judge prefer a place?

Each is a sign-flip test over clusters; of natural twins, whose couples and responses are crossed,
it is the test of the interval of the value. The p are adjusted by Holm's procedure over all tests
of the leaderboard (Holm 1979, Scand. J. Statist. 6, 65-70).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal, get_args

import numpy as np
from statsmodels.stats.multitest import multipletests

from pairwright.estimate import Estimate
from pairwright.evaluation.board.sign_flips import equality_p
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.accuracy import first_place_points, join_decisions
from pairwright.evaluation.measure.figure import ModeDecisions, by_mode, points, unit_name
from pairwright.evaluation.measure.slices import OVERLAP_RIGHT, OVERLAP_WRONG
from pairwright.intervals import (
    LEVEL,
    accuracy_by_cluster,
    cluster_numbers,
    difference,
    mean_points,
)  # fmt: skip
from pairwright.modes import is_own_choice, is_twin
from pairwright.records import Mode, Record

Question = Literal["recall", "overlap", "evidence", "order"]
TEST_VALUES: dict[Question, str] = {
    "recall": "asked halves right, shown the question alone",
    "overlap": "right where word overlap is wrong",
    "evidence": "accuracy less that without the cited posts",
    "order": "verdicts for the first place",
}
"""What the value of each test is: of `evidence` a difference, of the others a share."""
Meaning = Literal[
    "recalls", "against asker", "reads more", "against words", "right there", "follows words",
    "wrong there", "reads evidence", "uses evidence", "better without",
]  # fmt: skip
"""What is found of a scorer, in the order of the page; the page has a sentence for each."""


class ScorerFinding(Record):
    """One test: a value beside what it would be if there were nothing to find."""

    question: Question
    scorer: str
    condition: ConditionName
    mode: Mode | None
    value: Estimate
    """With its own 95 % interval; its n are pairs."""
    of_all: Estimate | None = None
    """For question `overlap`, the accuracy on all pairs with a score."""
    where_right: Estimate | None = None
    """For question `overlap`, the same where word overlap is right; None where it never is."""
    p: float
    """Of this test alone: see `sign_flips.equality_p`."""
    adjusted: float = 1.0
    """By Holm's procedure, over all tests of the leaderboard."""

    @property
    def null(self) -> float:
        """What the value is where there is nothing to find."""
        return 0.0 if self.question == "evidence" else 0.5

    @property
    def found(self) -> bool:
        """Whether the leaderboard says so in a sentence."""
        return self.adjusted < LEVEL

    @property
    def above(self) -> bool:
        """Whether the value is above what it would be."""
        return (self.value.value or 0.0) > self.null


def scorer_findings(
    scorer: str,
    decided: Mapping[ConditionName, Sequence[PairDecision]],
    overlap: Mapping[ConditionName, Mapping[str, str]],
) -> Iterator[ScorerFinding]:
    """The tests of one scorer, by its decisions in each condition; `overlap` has the slice of each
    unit, as `overlap_slices` gives it. Pairs without a score have no part in them."""
    for condition, decisions in decided.items():
        tested, slices = CONDITIONS[condition].finding, overlap.get(condition, {})
        for mode_pairs in by_mode(decisions):
            tests: list[tuple[Question, list[PairDecision], Callable[[PairDecision], float]]] = [
                ("order", [one for one in mode_pairs.scored if one.orders], first_place_points)
            ]
            asked = is_twin(mode_pairs.mode) and not is_own_choice(mode_pairs.mode)
            if tested == "recall" and asked:
                tests.append(("recall", [one for one in mode_pairs.scored if one.asked], points))
            if tested == "overlap" and is_twin(mode_pairs.mode):
                tests.append(("overlap", _on_slice(mode_pairs, slices, OVERLAP_WRONG), points))
            for question, some, value in tests:
                if not some:
                    continue
                values = np.array(list(map(value, some)), np.float64)
                clusters = cluster_numbers([one.clusters for one in some])
                found = ScorerFinding(
                    question=question,
                    scorer=scorer,
                    condition=condition,
                    mode=mode_pairs.mode,
                    value=mean_points(values, clusters),
                    p=equality_p(2 * values - 1, clusters),
                )
                if question == "overlap":
                    # What its sentence depends on, of scored pairs as the test is.
                    right = _on_slice(mode_pairs, slices, OVERLAP_RIGHT)
                    context = {"of_all": _right(mode_pairs.scored), "where_right": _right(right)}
                    found = found.model_copy(update=context)
                yield found
    for condition, control in product(decided, decided):
        record = CONDITIONS[condition]
        if CONDITIONS[control].finding == "evidence" and control in record.compared_with:
            yield from _evidence_findings(scorer, condition, decided[condition], decided[control])


def _on_slice(
    mode_pairs: ModeDecisions, slices: Mapping[str, str], name: str
) -> list[PairDecision]:
    """The scored pairs of the units in a slice."""
    return [one for unit in mode_pairs.whole if slices.get(unit_name(unit)) == name for one in unit]


def _right(some: Sequence[PairDecision]) -> Estimate | None:
    return accuracy_by_cluster([(one.clusters, points(one)) for one in some])


def _evidence_findings(
    scorer: str,
    condition: ConditionName,
    decisions: Sequence[PairDecision],
    control: Sequence[PairDecision],
) -> Iterator[ScorerFinding]:
    """The tests of what is lost without the posts that the rubric cites, on the units that both
    conditions have whole."""
    for mode_pairs, joined in join_decisions(decisions, control):
        if joined:
            differences = np.array([points(own) - points(other) for own, other in joined])
            clusters = cluster_numbers([own.clusters for own, _ in joined])
            yield ScorerFinding(
                question="evidence",
                scorer=scorer,
                condition=condition,
                mode=mode_pairs.mode,
                value=difference(differences, clusters),
                p=equality_p(differences, clusters),
            )


def adjust_findings(findings: Sequence[ScorerFinding]) -> tuple[ScorerFinding, ...]:
    """The tests of a leaderboard with their p adjusted together, and rounded to six digits."""
    if not findings:
        return ()
    together = multipletests([one.p for one in findings], method="holm")[1]
    return tuple(
        one.model_copy(update={"p": float(f"{one.p:.6g}"), "adjusted": float(f"{p:.6g}")})
        for one, p in zip(findings, together.tolist(), strict=True)
    )


def found_by_meaning(
    findings: Sequence[ScorerFinding], mode: Mode | None
) -> dict[Meaning, list[ScorerFinding]]:
    """What is found of scorers in a mode, by what it means, without position biases.

    A test says that a value is above or below one half, or that an accuracy changes. What this
    means may depend on another figure: a scorer that does the opposite of word overlap is right
    where word overlap is wrong, one that is wrong everywhere is wrong there, too, and one that only
    follows words loses them with the cited posts.
    """
    own = [one for one in findings if one.found and one.mode == mode and one.question != "order"]
    meanings = [(_meaning(one, own), one) for one in own]
    return {
        meaning: [one for its, one in meanings if its == meaning]
        for meaning in get_args(Meaning)
        if meaning in dict(meanings)
    }


def _meaning(one: ScorerFinding, found: Sequence[ScorerFinding]) -> Meaning:
    if one.question == "recall":
        return "recalls" if one.above else "against asker"
    if one.question == "overlap":
        return _of_words(one)
    if not one.above:
        return "better without"
    reads_more = any(
        other.question == "overlap" and _of_words(other) == "reads more"
        for other in found
        if (other.scorer, other.condition) == (one.scorer, one.condition)
    )
    return "reads evidence" if reads_more else "uses evidence"


def _of_words(one: ScorerFinding) -> Meaning:
    """What a test of word overlap means, by the intervals of the scorer's other accuracies."""
    if one.above and _side(one.of_all) == "above":
        return "reads more"
    where_right = _side(one.where_right)
    if one.above:
        return "against words" if where_right == "below" else "right there"
    return "follows words" if where_right == "above" else "wrong there"


def _side(accuracy: Estimate | None) -> Literal["above", "below", "open"]:
    """Where an interval lies to one half."""
    if accuracy is None or accuracy.low is None or accuracy.high is None:
        return "open"
    return "above" if accuracy.low > 0.5 else "below" if accuracy.high < 0.5 else "open"

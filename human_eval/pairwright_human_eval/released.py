"""The released part of a study: answers by pseudonym, without comments and clock times; outlines of
all units, refused ones too. Also the results of each annotator in checks and repeats, and the
figures that follow from these.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from pairwright.lines import read_lines, read_one
from pairwright.pairs import Layout
from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules
from pairwright.stats import Estimate, cluster_numbers, mean_points
from pairwright_human_eval import decisions as rule
from pairwright_human_eval.agreement import Agreement, Measurement, agreement
from pairwright_human_eval.decisions import SIDES, AspectCounts, Decision, excluded_by, table_of
from pairwright_human_eval.records import BOTH, EQUAL, NEITHER, SIMULATED, SUPPORT, Answer, Study
from pairwright_human_eval.units import Outline
from pairwright_human_eval.votes import study_votes


class PublicAnnotator(Record):
    """Result of one annotator in attention checks."""

    annotator: str
    simulated: bool
    checks: int
    passed: int


class PublicStudy(Record):
    """human/study.json."""

    policy: HumanRules
    """Rules in force."""
    fixed: HumanRules
    """Rules as fixed before the first answer."""
    scales: tuple[Scale, ...]
    of: int
    """Units in the run, from which the study's were drawn."""
    annotators: tuple[PublicAnnotator, ...]
    """Everyone who gave an answer, adjudicators too."""
    left_out: int
    """Units of the study that are not in this release: people asked to be forgotten."""


class Findings(Record):
    """The figures that follow from the answers."""

    agreement: dict[str, Agreement]
    """Agreement by question, in the order in which they are asked. "Cannot tell" and "cannot judge"
    are missing values."""
    preferred: Estimate
    """Votes for the chosen response, of those for either; placebos, whose chosen one is drawn, are
    left out."""


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
        """Number of answered tasks."""
        return self.table["task"].nunique()

    @property
    def simulated(self) -> bool:
        return any(one.source.startswith(SIMULATED) for one in self.answers)

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """The decision on every unit, by its id."""
        return rule.decide(self.outlines, self.table, self.study.policy, self.excluded)

    @cached_property
    def aspect_counts(self) -> dict[str, tuple[AspectCounts, ...]]:
        """Counted answers on each aspect, by pair; empty if no annotator was asked."""
        given = rule.tally(self.table, self.excluded)
        return {
            pair.id: rule.aspects_of(given, pair) for unit in self.outlines for pair in unit.pairs
        }

    @cached_property
    def findings(self) -> Findings:
        return find(self.outlines, self.table, self.study.scales, self.excluded)


def read_public(layout: Layout) -> ReleasedStudy | None:
    """The study of a release; None if no annotator was asked.

    Raises InputError naming the file and line that is not what it should be.
    """
    if not any(path.exists() for path in (layout.study, layout.asked, layout.answers)):
        return None
    return ReleasedStudy(
        read_one(layout.study, PublicStudy),
        tuple(read_lines(layout.asked, Outline)),
        tuple(read_lines(layout.answers, Answer)),
    )


def published(
    study: Study,
    outlines: Sequence[Outline],
    answers: Sequence[Answer],
    rules: HumanRules,
    leaving: Set[str] = frozenset(),
) -> ReleasedStudy:
    """Make the released part of a study. `rules` is in force, and `leaving` are units that are not
    to be in it, with every answer on them."""
    kept = tuple(unit for unit in outlines if unit.id not in leaving)
    asked = {unit.id for unit in kept}
    simulated = {one.annotator for one in answers if one.source.startswith(SIMULATED)}
    passed = rule.annotators(table_of(answers), outlines)[["checks_n", "checks_k"]]
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


# Figures


def counted_answers(
    outlines: Iterable[Outline], answers: pd.DataFrame, excluded: Iterable[str]
) -> pd.DataFrame:
    """The answers of the first round that count, with the dyad and the label of their unit."""
    rows = [(unit.id, unit.dyad, unit.label) for unit in outlines]
    about = pd.DataFrame(rows, columns=["unit", "dyad", "expected"])
    own = answers[(answers["round"] == 1) & ~answers["annotator"].isin(list(excluded))]
    return own.merge(about, on="unit")


def find(
    outlines: Sequence[Outline],
    answers: pd.DataFrame,
    scales: tuple[Scale, ...],
    excluded: Iterable[str],
) -> Findings:
    """Estimates on all `outlines`. `excluded` are annotators whose answers do not count."""
    counted = counted_answers(outlines, answers, excluded)
    votes = rule.votes_of(counted)
    either = votes[votes["label"].isin(SIDES) & (votes["expected"] != EQUAL)]
    return Findings(
        agreement=study_agreement(counted, scales),
        preferred=share_by_dyad(either["label"] == "chosen", either["dyad"]),
    )


def share_by_dyad(hits: pd.Series, dyads: pd.Series) -> Estimate:
    """The share of hits, with its interval by pair of users."""
    return mean_points(hits.to_numpy(float), cluster_numbers([*dyads]))


def study_agreement(counted: pd.DataFrame, scales: tuple[Scale, ...]) -> dict[str, Agreement]:
    """Agreement of annotators by question."""
    table = study_votes(counted)
    asked: dict[str, tuple[Sequence[object], Measurement]] = {
        f"quality: {scale.name}": (range(scale.low, scale.high + 1), "ordinal") for scale in scales
    }
    asked["preference"] = ("one", "other", EQUAL), "nominal"
    asked["aspect supported"] = SUPPORT, "ordinal"
    asked["aspect delivered by"] = ("one", "other", BOTH, NEITHER), "nominal"
    by_question = dict(iter(table.groupby("question")))
    return {
        question: agreement(by_question.get(question, table[:0]), levels, kind)
        for question, (levels, kind) in asked.items()
    }

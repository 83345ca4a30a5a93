"""Annotators whose answers suggest that they did not read.

Exact binomial tests, adjusted by Holm (1979), Scand. J. Stat. 6, 65-70, over the annotators at the
level that the check has among all comparisons of the audit.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import le
from typing import NamedTuple

from scipy.stats import binomtest

from pairwright.audit.records import Check, CheckDefinition, LimitComparison
from pairwright.estimate import Estimate, share
from pairwright.intervals import holm
from pairwright_human_eval.public_study import ReleasedStudy
from pairwright_human_eval.report.answers import abouts, answers_of
from pairwright_human_eval.report.people import first_position, with_majority

EXCLUDED_ANNOTATORS = CheckDefinition(
    family="human",
    name="excluded_annotators",
    title="Annotators who failed the attention checks",
    why="None of their answers counts.",
    todo="Find out whether the checks were clear, and whether their pairs still have enough votes.",
)

POSITION_BIAS = CheckDefinition(
    family="human",
    name="position_bias",
    title="Annotators who choose one position too often",
    why="Sides are balanced, so a share far from one half is a habit and not a judgement.",
    todo="Talk to them, and have their pairs answered again by others.",
    by_estimate=True,
)

AGAINST_THE_REST = CheckDefinition(
    family="human",
    name="against_the_rest",
    title="Annotators who disagree with the rest more often than a coin would",
    why="They may have read the question the other way round.",
    todo="Talk to them before their answers decide anything.",
    by_estimate=True,
)


ANNOTATORS = (EXCLUDED_ANNOTATORS, POSITION_BIAS, AGAINST_THE_REST)
"""The checks of this file, in the order of the report."""


def annotator_checks(public: ReleasedStudy) -> Iterator[Check | LimitComparison]:
    """Checks on the annotators whose answers count, and a note of those who were excluded."""
    counted = [one for one in public.verdicts if one.annotator not in public.excluded]
    answers = answers_of(abouts(public.outlines), counted, frozenset())
    yield _excluded_check(public)
    yield _comparison(POSITION_BIAS, first_position(counted), "two-sided", "for the first response")
    yield _comparison(AGAINST_THE_REST, with_majority(answers.votes), "less", "with the majority")


def _excluded_check(public: ReleasedStudy) -> Check:
    out = sorted(public.excluded)
    everyone = {one.annotator for one in public.study.annotators}
    return Check(
        family=EXCLUDED_ANNOTATORS.family, name=EXCLUDED_ANNOTATORS.name, status="note",
        count=len(out),
        of=len(everyone), detail=", ".join(out),
    )  # fmt: skip


class AnnotatorComparison(NamedTuple):
    """Whether the share of any annotator differs from one half."""

    definition: CheckDefinition
    counts: Mapping[str, Estimate]
    """The shares by annotator."""
    p: Sequence[float]
    """The p of each share, in the same order."""
    what: str

    def settled(self, level: float) -> bool:
        return bool(self._odd(level))

    def check(self, level: float) -> Check:
        odd = self._odd(level)
        return Check(
            family=self.definition.family, name=self.definition.name,
            status="fail" if odd else "pass", count=len(odd), of=len(self.counts), limit=0,
            detail="; ".join(odd),
        )  # fmt: skip

    def _odd(self, level: float) -> list[str]:
        levels = holm([partial(le, p) for p in self.p], level)
        return [
            f"{who}: {own_share.k} of {own_share.n} {self.what}"
            for (who, own_share), p, own_level in zip(
                self.counts.items(), self.p, levels, strict=True
            )
            if p <= own_level
        ]


def _comparison(
    definition: CheckDefinition, answers: Mapping[str, Sequence[bool]], side: str, what: str
) -> Check | AnnotatorComparison:
    counts = {
        who: share(sum(answers[who]), len(answers[who])) for who in sorted(answers) if answers[who]
    }
    if not counts:
        return Check(
            family=definition.family, name=definition.name, status="note", count=0, limit=0
        )
    p = [float(binomtest(one.k, one.n, 0.5, alternative=side).pvalue) for one in counts.values()]
    return AnnotatorComparison(definition, counts, p, what)

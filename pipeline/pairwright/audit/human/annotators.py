"""Annotators whose answers look like something other than reading.

Exact binomial tests, adjusted by Holm (1979), Scand. J. Stat. 6, 65-70, over the annotators at the
level that the check has among all comparisons of the audit.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import le
from typing import NamedTuple

from scipy.stats import binomtest

from pairwright.audit.records import Check, Comparison
from pairwright.intervals import holm
from pairwright.stats import Share, share
from pairwright_human_eval.public_study import ReleasedStudy
from pairwright_human_eval.report.annotators import first_position, with_majority
from pairwright_human_eval.report.answers import abouts, answers_of


def annotator_checks(public: ReleasedStudy) -> Iterator[Check | Comparison]:
    """Only of those whose answers count; who was excluded is told."""
    counted = [of for of in public.verdicts if of.annotator not in public.excluded]
    answers = answers_of(abouts(public.outlines), counted, frozenset())
    yield _excluded(public)
    yield _tested("position_bias", first_position(counted), "two-sided", "for the first response")
    yield _tested("against_the_rest", with_majority(answers.votes), "less", "with the majority")


def _excluded(public: ReleasedStudy) -> Check:
    out = sorted(public.excluded)
    everyone = {of.annotator for of in public.study.annotators}
    return Check(
        family="human", name="excluded_annotators", status="note", count=len(out),
        of=len(everyone), detail=", ".join(out),
    )  # fmt: skip


class AnnotatorComparison(NamedTuple):
    """Whether anyone's share differs from one half."""

    name: str
    counts: Mapping[str, Share]
    """By annotator."""
    p: Sequence[float]
    """Of each share, in the same order."""
    what: str

    def settled(self, level: float) -> bool:
        return bool(self._odd(level))

    def check(self, level: float) -> Check:
        odd = self._odd(level)
        return Check(
            family="human", name=self.name, status="fail" if odd else "pass", count=len(odd),
            of=len(self.counts), limit=0, detail="; ".join(odd),
        )  # fmt: skip

    def _odd(self, level: float) -> list[str]:
        levels = holm([partial(le, p) for p in self.p], level)
        return [
            f"{who}: {of.k} of {of.n} {self.what}"
            for (who, of), p, own in zip(self.counts.items(), self.p, levels, strict=True)
            if p <= own
        ]


def _tested(
    name: str, given: Mapping[str, Sequence[bool]], side: str, what: str
) -> Check | AnnotatorComparison:
    counts = {who: share(sum(given[who]), len(given[who])) for who in sorted(given) if given[who]}
    if not counts:
        return Check(family="human", name=name, status="note", count=0, limit=0)
    p = [float(binomtest(of.k, of.n, 0.5, alternative=side).pvalue) for of in counts.values()]
    return AnnotatorComparison(name, counts, p, what)

"""Annotators whose answers look like something other than reading.

Exact binomial tests, adjusted by Holm (1979), Scand. J. Stat. 6, 65-70, over the annotators.
"""

from collections.abc import Iterator, Mapping, Sequence

from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from pairwright.audit.records import Check, Status
from pairwright.stats import share
from pairwright_human_eval.public import Public
from pairwright_human_eval.report.annotators import first_position, with_majority
from pairwright_human_eval.report.data import abouts, answers_of

LEVEL = 0.05


def annotator_checks(public: Public) -> Iterator[Check]:
    """Only of those whose answers count; who was excluded is told."""
    counted = [of for of in public.verdicts if of.annotator not in public.excluded]
    answers = answers_of(abouts(public.outlines), counted, frozenset())
    yield _excluded(public)
    yield _tested("position_bias", first_position(counted), "two-sided", "for the first response")
    yield _tested("against_the_rest", with_majority(answers.votes), "less", "with the majority")


def _excluded(public: Public) -> Check:
    out = sorted(public.excluded)
    everyone = {of.annotator for of in public.study.annotators}
    return Check(
        family="human", name="excluded_annotators", status="note", count=len(out),
        of=len(everyone), detail=", ".join(out),
    )  # fmt: skip


def _tested(
    name: str, given: Mapping[str, Sequence[bool]], side: str, what: str
) -> Check:  # fmt: skip
    """Whether anyone's share differs from one half."""
    people = [who for who in sorted(given) if given[who]]
    counts = [share(sum(given[who]), len(given[who])) for who in people]
    odd: list[str] = []
    if people:
        p = [binomtest(of.k, of.n, 0.5, alternative=side).pvalue for of in counts]
        rejected = multipletests(p, alpha=LEVEL, method="holm")[0]
        odd = [
            f"{who}: {of.k} of {of.n} {what}"
            for who, of, found in zip(people, counts, rejected, strict=True)
            if found
        ]
    status: Status = "fail" if odd else "pass" if people else "note"
    return Check(
        family="human", name=name, status=status, count=len(odd), of=len(people), limit=0,
        detail="; ".join(odd),
    )  # fmt: skip

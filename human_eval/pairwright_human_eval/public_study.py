"""The part of a study that a release holds, and everything that can be derived from it.

Verdicts by pseudonym, without comments and clock times; outlines of all sampled subjects, refused
ones too; how each annotator did in checks and repeats, whose tasks are never released.
"""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from pairwright.dataset import Layout, read_lines, read_one
from pairwright.estimate import share
from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.attention import excluded_by, vote_checks
from pairwright_human_eval.decisions import AspectCounts, Decision, aspect_counts, decide_all
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.answers import retested
from pairwright_human_eval.report.findings import Findings, derive_findings
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline


class PublicAnnotator(Record):
    """How one annotator did in tasks that are not released."""

    annotator: str
    simulated: bool
    checks: int
    """Attention checks met."""
    passed: int
    repeats: int
    """Votes asked again with the sides swapped, and answered."""
    repeated: int
    """Answered as before."""


class PublicStudy(Record):
    """human/study.json."""

    version: str
    """Pairwright's, at export."""
    policy: HumanRules
    """In force."""
    fixed: HumanRules
    """As fixed before the first answer."""
    scales: tuple[Scale, ...]
    """The quality scales as they were asked."""
    overlap: int
    of: int
    """Subjects in the run, of which the study's were drawn."""
    annotators: tuple[PublicAnnotator, ...]
    set_aside: dict[str, int]
    """Annotations that are not verdicts, by reason."""
    left_out: int
    """Subjects of the study that are not in this release: people asked to be forgotten."""


@dataclass(frozen=True)
class ReleasedStudy:
    """A study as a release holds it. What is derived is derived once."""

    study: PublicStudy
    outlines: tuple[Outline, ...]
    """Every sampled subject, in the order of the run's pairs."""
    verdicts: tuple[Verdict, ...]
    """Votes and controls; no attention checks, no repeats."""

    @property
    def excluded(self) -> frozenset[str]:
        """Who failed the attention checks."""
        passed = {
            annotator.annotator: share(annotator.passed, annotator.checks)
            for annotator in self.study.annotators
        }
        return excluded_by(passed, self.study.policy.attention_floor)

    @property
    def simulated(self) -> bool:
        return any(verdict.simulated for verdict in self.verdicts)

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """The decision on every subject, by its id."""
        return decide_all(self.outlines, self.verdicts, self.study.policy, self.excluded)

    @cached_property
    def aspect_counts(self) -> dict[str, tuple[AspectCounts, ...]]:
        """By pair: the answers on each of its aspects that count; empty where nobody was asked."""
        by_pair: dict[str, list[Verdict]] = {}
        for verdict in self.verdicts:
            asked = verdict.purpose == "vote" and verdict.round == 1
            if asked and verdict.pair and verdict.annotator not in self.excluded:
                by_pair.setdefault(verdict.pair, []).append(verdict)
        return {
            pair.id: aspect_counts(pair, by_pair.get(pair.id, ()))
            for outline in self.outlines
            for pair in outline.pairs
        }

    @cached_property
    def findings(self) -> Findings:
        """Every figure of the report that the release can derive."""
        study = self.study
        return derive_findings(
            self.outlines, self.verdicts, study.scales,
            decisions=self.decisions, excluded=self.excluded,
        )  # fmt: skip


def read_public(layout: Layout) -> ReleasedStudy | None:
    """The study of a release; None where nobody was asked.

    Raises InputError naming the file and line that is not what it should be.
    """
    if not any(path.exists() for path in (layout.study, layout.subjects, layout.verdicts)):
        return None
    return ReleasedStudy(
        read_one(layout.study, PublicStudy),
        tuple(read_lines(layout.subjects, Outline)),
        tuple(read_lines(layout.verdicts, Verdict)),
    )


def published(
    fixed: FixedStudy,
    outlines: Sequence[Outline],
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    rules: HumanRules,
    *,
    leaving: Set[str] = frozenset(),
) -> ReleasedStudy:
    """`outlines` are the study's, `rules` is in force, and `leaving` are subjects that are not to
    be in a release, with every verdict on them."""
    study = fixed.study
    kept = tuple(outline for outline in outlines if outline.id not in leaving)
    asked = {outline.id for outline in kept}
    verdicts = sorted(
        verdicts,
        key=lambda verdict: (verdict.task, verdict.annotator),
    )
    return ReleasedStudy(
        PublicStudy(
            version=study.version,
            policy=rules,
            fixed=study.policy,
            scales=study.scales,
            overlap=study.overlap,
            of=study.of,
            annotators=_annotators(verdicts),
            set_aside=dict(sorted(Counter(line.reason for line in set_aside).items())),
            left_out=len(outlines) - len(kept),
        ),
        kept,
        tuple(
            # What people wrote and when they worked may show who they are.
            Verdict(**dict(verdict) | {"comment": "", "created": "", "updated": ""})
            for verdict in verdicts
            if verdict.purpose != "repeat" and verdict.subject in asked
        ),
    )


def _annotators(verdicts: Sequence[Verdict]) -> tuple[PublicAnnotator, ...]:
    """Everyone who gave an answer, adjudicators too."""
    checks, again = vote_checks(verdicts), retested(verdicts)
    simulated = {verdict.annotator: verdict.simulated for verdict in verdicts}
    return tuple(
        PublicAnnotator(
            annotator=who,
            simulated=simulated[who],
            checks=checks[who].n if who in checks else 0,
            passed=checks[who].k if who in checks else 0,
            repeats=len(again[who]),
            repeated=sum(again[who]),
        )
        for who in sorted(simulated)
    )

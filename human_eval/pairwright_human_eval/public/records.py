"""What is public of a study, with its decisions and findings."""

from dataclasses import dataclass
from functools import cached_property

from pairwright.records import Record
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules
from pairwright.stats import share
from pairwright_human_eval.attention import excluded_by
from pairwright_human_eval.decide import Decision, decide_all
from pairwright_human_eval.outline import Outline
from pairwright_human_eval.records import Verdict
from pairwright_human_eval.report.findings import findings
from pairwright_human_eval.report.records import Findings

REPLICATES, FEWER = 1000, 200
"""Of the bootstrap. Of very many answers the intervals are narrow, and their ends, which 200
replicates know to a tenth of their width, too."""
MANY = 100_000


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
    """Annotations that are no verdict, by reason."""
    left_out: int
    """Subjects of the study that are not in this release: people asked to be forgotten, or a
    simulated model had a part in them."""


@dataclass(frozen=True)
class Public:
    """A study as a release holds it. What is derived is derived once."""

    study: PublicStudy
    outlines: tuple[Outline, ...]
    """Every sampled subject, in the order of the run's pairs."""
    verdicts: tuple[Verdict, ...]
    """Votes and controls; no attention checks, no repeats."""

    @property
    def excluded(self) -> frozenset[str]:
        """Who failed the attention checks."""
        passed = {of.annotator: share(of.passed, of.checks) for of in self.study.annotators}
        return excluded_by(passed, self.study.policy.attention_floor)

    @property
    def simulated(self) -> bool:
        return any(verdict.simulated for verdict in self.verdicts)

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """The decision on every subject, by its id."""
        return decide_all(self.outlines, self.verdicts, self.study.policy, self.excluded)

    @cached_property
    def findings(self) -> Findings:
        """Agreement, claims and parity."""
        study = self.study
        return findings(
            self.outlines, self.verdicts, study.scales, study.policy,
            decisions=self.decisions, margin=study.fixed.parity_margin, overlap=study.overlap,
            excluded=self.excluded,
            replicates=REPLICATES if len(self.verdicts) < MANY else FEWER,
        )  # fmt: skip

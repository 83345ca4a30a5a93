"""The human verification of a release in brief, as manifest.json has it, and its tables."""

from collections import Counter

from pydantic import Field

from pairwright.estimate import Estimate
from pairwright.records import Record
from pairwright.settings.rules import HumanRules, StoredRules
from pairwright_human_eval.decisions import State
from pairwright_human_eval.public_study import ReleasedStudy
from pairwright_human_eval.report.claims import ByChance, PreferenceShares
from pairwright_human_eval.report.findings import Findings
from pairwright_human_eval.report.page import weakness_of
from pairwright_human_eval.report.quality import WITH_CANNOT_TELL, QuestionAgreement


class HumanSummary(Record):
    """A study in brief."""

    subjects: int
    """Twins and single pairs that people were asked about and that are in this release's study."""
    of: int
    """Subjects in the run, of which they were drawn."""
    left_out: int
    """Subjects of the study that are not in this release: people asked to be forgotten."""
    states: dict[State, int]
    """Subjects by what the rule decided; `verified` is those that pass it, and by the answers of
    simulated annotators nothing is verified."""
    verified: Estimate
    """Those that pass the rule, of those that could."""
    by_chance: tuple[ByChance, ...]
    """What annotators who toss a coin would have verified."""
    verdicts: int
    """Answers released, of every kind."""
    set_aside: dict[str, int]
    """Annotations that are not answers, by reason."""
    annotators: int
    simulated_annotators: int
    excluded: tuple[str, ...]
    """Below the attention floor: their answers do not count."""
    fewest_checks: int | None = Field(None, exclude_if=lambda checks: checks is None)
    """Its attention checks are votes, and by fewer nobody is excluded; None where they are
    written."""
    checked: int | None = Field(None, exclude_if=lambda annotators: annotators is None)
    """Annotators who met as many; None where checks are written."""
    preferred: PreferenceShares
    """The preference votes that count."""
    agreement: QuestionAgreement
    """On preference; "cannot tell" is missing."""
    agreement_with_cannot_tell: QuestionAgreement
    """On preference; "cannot tell" is an answer."""
    rule: StoredRules
    """In force."""
    placebos: bool = Field(False, exclude_if=lambda asked: not asked)
    """Whether people were asked about placebos."""
    rule_changed: tuple[str, ...]
    """Numbers of the rule that are not as they were fixed before the first answer."""

    @property
    def of_twins(self) -> bool:
        """Whether people were asked about twins."""
        return any(chance.halves == 2 for chance in self.by_chance)

    @property
    def weakness(self) -> str:
        """That its rule is weaker than the default one, and how weak; empty where it is not."""
        return weakness_of(self.by_chance, self.rule, self.annotators)

    @property
    def by_people(self) -> bool:
        """Whether not all annotators are a program."""
        return self.simulated_annotators < self.annotators

    @property
    def voters(self) -> str:
        """Whom its figures are about."""
        return "annotators" if self.simulated_annotators else "people"

    @property
    def kept_out(self) -> list[tuple[State, int]]:
        """What is not verified, by state."""
        return [(state, n) for state, n in self.states.items() if state != "verified" and n]


def summarise_study(public: ReleasedStudy, findings: Findings) -> HumanSummary:
    """Sum up a study from its released part and its estimates."""
    study = public.study
    states: Counter[State] = Counter(decision.state for decision in public.decisions.values())
    annotators = study.annotators
    agreement = {question.question: question for question in findings.agreement}
    return HumanSummary(
        subjects=len(public.outlines),
        of=study.of,
        left_out=study.left_out,
        states=dict(sorted(states.items())),
        verified=findings.decisions[0].of_verifiable,
        by_chance=findings.by_chance,
        verdicts=len(public.verdicts),
        set_aside=study.set_aside,
        annotators=len(annotators),
        simulated_annotators=sum(annotator.simulated for annotator in annotators),
        excluded=tuple(sorted(public.excluded)),
        fewest_checks=(fewest := study.fewest_checks),
        checked=fewest and sum(annotator.checks >= fewest for annotator in annotators),
        preferred=findings.preferred[0],
        agreement=agreement["preference"],
        agreement_with_cannot_tell=agreement[WITH_CANNOT_TELL.format("preference")],
        rule=study.policy,
        placebos=study.placebos,
        rule_changed=tuple(
            name
            for name in HumanRules.model_fields
            if getattr(study.fixed, name) != getattr(study.policy, name)
        ),
    )


Cells = tuple[str, ...]


def state_rows(findings: Findings) -> list[Cells]:
    """Group, n, the verified of those that could be, and how many ended in each other state."""
    return [
        (
            group.group.replace("_", " "), f"{group.subjects:,}", group.of_verifiable.counted(),
            *(f"{found.k:,}" for state, found in group.states.items() if state != "verified"),
        )
        for group in findings.decisions
    ]  # fmt: skip


def state_head(findings: Findings, study: HumanSummary) -> Cells:
    """The head of `state_rows`; by a program's answers nothing is verified."""
    passed = "pass the rule" if study.simulated_annotators else "verified"
    others = (state for state in findings.decisions[0].states if state != "verified")
    return ("twins and pairs", "n", f"{passed}, of those that could", *others)


def agreement_rows(findings: Findings) -> list[Cells]:
    """Question, items, answers, annotators, percent agreement, alpha."""
    return [
        (
            each.question,
            f"{each.agreement.items:,}",
            f"{each.agreement.percent.n:,}",
            f"{each.agreement.raters:,}",
            each.agreement.percent.percent(),
            each.alpha.text(2),
        )
        for each in findings.agreement
    ]


def preference_rows(findings: Findings) -> list[Cells]:
    """Group, votes, and the share for the chosen response, of choices and of all."""
    groups = [*findings.preferred, *([findings.with_excluded] if findings.with_excluded else [])]
    return [
        (
            each.group.replace("_", " "),
            f"{each.of_all.n:,}",
            each.of_choices.percent(),
            each.of_all.percent(),
        )
        for each in groups
    ]

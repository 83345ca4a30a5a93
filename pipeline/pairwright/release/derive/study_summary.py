"""The human verification of a release in brief, as manifest.json has it."""

from collections import Counter
from collections.abc import Mapping

from pairwright.estimate import Estimate
from pairwright.records import Record
from pairwright.settings.study_rules import HumanRules, StoredRules
from pairwright_human_eval.decisions import Decision, State
from pairwright_human_eval.public_study import ReleasedStudy
from pairwright_human_eval.records import StoppingRule
from pairwright_human_eval.report.quality import WITH_CANNOT_TELL
from pairwright_human_eval.report.records import (
    ByChance,
    Findings,
    PreferenceShares,
    QuestionAgreement,
)


class HumanSummary(Record):
    """A study in brief."""

    subjects: int
    """Twins and violate pairs that people were asked about and that are in this release's study."""
    of: int
    """Subjects in the run, of which they were drawn."""
    left_out: int
    """Subjects of the study that are not in this release: forgotten, or simulated in part."""
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
    preferred: PreferenceShares
    """The preference votes that count."""
    agreement: QuestionAgreement
    """On preference; "cannot tell" is missing."""
    agreement_with_cannot_tell: QuestionAgreement
    """On preference; "cannot tell" is an answer."""
    rule: StoredRules
    """In force."""
    stopping: StoppingRule | None = None
    """As fixed before the first answer; None where none was."""
    looks: int | None = None
    """How often the answers were looked at."""
    rule_changed: tuple[str, ...]
    """Numbers of the rule that are not as they were fixed before the first answer."""


def summarise_study(
    public: ReleasedStudy, findings: Findings, decisions: Mapping[str, Decision]
) -> HumanSummary:
    """Sum up a study from its released part, its estimates and its decisions by subject."""
    study = public.study
    states: Counter[State] = Counter(decision.state for decision in decisions.values())
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
        annotators=len(study.annotators),
        simulated_annotators=sum(annotator.simulated for annotator in study.annotators),
        excluded=tuple(sorted(public.excluded)),
        preferred=findings.preferred[0],
        agreement=agreement["preference"],
        agreement_with_cannot_tell=agreement[WITH_CANNOT_TELL.format("preference")],
        rule=study.policy,
        stopping=study.stopping,
        looks=study.looks,
        rule_changed=tuple(
            name
            for name in HumanRules.model_fields
            if getattr(study.fixed, name) != getattr(study.policy, name)
        ),
    )

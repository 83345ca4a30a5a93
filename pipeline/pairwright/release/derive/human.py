"""Human verification in brief: how many were asked, what was decided, how far people agree."""

from collections import Counter

from pairwright.records import Record
from pairwright.release.derive.known import Known
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.decisions import State
from pairwright_human_eval.report.findings_records import (
    ByChance,
    PreferenceShares,
    Proportion,
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
    verified: Proportion
    """Those that pass the rule, of those that could."""
    by_chance: tuple[ByChance, ...]
    """What annotators who toss a coin would have verified."""
    verdicts: int
    """Answers released, of every kind."""
    set_aside: dict[str, int]
    """Annotations that are no answer, by reason."""
    annotators: int
    simulated_annotators: int
    excluded: tuple[str, ...]
    """Below the attention floor: their answers do not count."""
    preferred: PreferenceShares
    """The preference votes that count."""
    agreement: QuestionAgreement
    """On preference."""
    rule: HumanRules
    """In force."""
    rule_changed: tuple[str, ...]
    """Numbers of the rule that are not as they were fixed before the first answer."""


def human_summary(known: Known) -> HumanSummary | None:
    """The study in brief; None where nobody was asked."""
    public, findings = known.primary.public, known.findings
    if public is None or findings is None:
        return None
    study = public.study
    fixed, now = study.fixed.model_dump(), study.policy.model_dump()
    states: Counter[State] = Counter(of.state for of in known.decisions.values())
    (preference,) = (of for of in findings.agreement if of.question == "preference")
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
        simulated_annotators=sum(of.simulated for of in study.annotators),
        excluded=tuple(sorted(public.excluded)),
        preferred=findings.preferred[0],
        agreement=preference,
        rule=study.policy,
        rule_changed=tuple(name for name in fixed if fixed[name] != now[name]),
    )

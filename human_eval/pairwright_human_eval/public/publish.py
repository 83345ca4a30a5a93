"""From a study to what is public of it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from pairwright.policy import HumanPolicy
from pairwright_human_eval.attention import checks_passed
from pairwright_human_eval.outline import outlines_of
from pairwright_human_eval.public.records import Public, PublicAnnotator, PublicStudy
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.annotators import retested
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.write import Fixed

UNRELEASED = ("attention", "repeat")


def published(
    fixed: Fixed,
    subjects: Sequence[Subject],
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    policy: HumanPolicy,
    *,
    forgotten: frozenset[str] = frozenset(),
) -> Public:
    """`subjects` are those of the study, `policy` is in force; `forgotten` are subjects that leave,
    with every verdict on them."""
    study, key = fixed
    kept = [subject for subject in subjects if subject.id not in forgotten]
    verdicts = sorted(verdicts, key=lambda of: (of.task, of.annotator))
    return Public(
        PublicStudy(
            version=study.version,
            policy=policy,
            fixed=study.policy,
            scales=study.scales,
            overlap=study.overlap,
            of=study.of,
            annotators=_annotators(fixed, verdicts),
            set_aside=dict(sorted(Counter(of.reason for of in set_aside).items())),
            left_out=len(subjects) - len(kept),
        ),
        tuple(outlines_of(kept, key)),
        tuple(
            # What people wrote and when they worked may tell who they are.
            verdict.model_copy(update={"comment": "", "created": "", "updated": ""})
            for verdict in verdicts
            if verdict.purpose not in UNRELEASED and verdict.subject not in forgotten
        ),
    )


def _annotators(fixed: Fixed, verdicts: Sequence[Verdict]) -> tuple[PublicAnnotator, ...]:
    """Everyone who gave an answer, adjudicators too."""
    checks, again = checks_passed(verdicts, fixed.key), retested(verdicts)
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

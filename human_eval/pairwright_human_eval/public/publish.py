"""From a study to what is public of it."""

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from pairwright.settings.rules import HumanRules
from pairwright_human_eval.attention import checks_passed
from pairwright_human_eval.outline import Outline
from pairwright_human_eval.public.records import Public, PublicAnnotator, PublicStudy
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.annotators import retested
from pairwright_human_eval.write import Fixed

UNRELEASED = ("attention", "repeat")


def published(
    fixed: Fixed,
    outlines: Sequence[Outline],
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    policy: HumanRules,
    *,
    leaving: Set[str] = frozenset(),
) -> Public:
    """`outlines` are the study's, `policy` is in force; `leaving` are subjects that are not to be
    in a release, with every verdict on them."""
    study = fixed.study
    kept = tuple(outline for outline in outlines if outline.id not in leaving)
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
            left_out=len(outlines) - len(kept),
        ),
        kept,
        tuple(
            # What people wrote and when they worked may tell who they are.
            verdict.model_copy(update={"comment": "", "created": "", "updated": ""})
            for verdict in verdicts
            if verdict.purpose not in UNRELEASED and verdict.subject not in leaving
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

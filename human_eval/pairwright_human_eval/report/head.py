"""What a study is and what became of its tasks: counts that add up."""

from collections import Counter
from collections.abc import Iterable, Sequence

from pairwright.settings.rules import HumanRules
from pairwright.stats import Share
from pairwright_human_eval.outline import Outline
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.records import Head, PolicyChange, Proportion, TaskCount
from pairwright_human_eval.write import Fixed


def head(
    subjects: Sequence[Outline],
    fixed: Fixed,
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    excluded: frozenset[str],
    policy: HumanRules,
) -> Head:
    """Count. A task is answered if it has a verdict."""
    study, key = fixed
    aside = Counter(of.reason for of in set_aside)
    done = {verdict.task for verdict in verdicts}
    tasks = Counter((of.round, of.kind, of.purpose) for of in key.values())
    answered = Counter((of.round, of.kind, of.purpose) for of in key.values() if of.task in done)
    return Head(
        version=study.version,
        simulated_pairs=study.simulated_pairs,
        simulated_verdicts=sum(verdict.simulated for verdict in verdicts),
        subjects=len(subjects),
        of=study.of,
        twins=sum(len(subject.pairs) == 2 for subject in subjects),
        pairs=sum(len(subject.pairs) for subject in subjects),
        annotators=len(study.annotators),
        overlap=study.overlap,
        tasks=tasks.total(),
        answered=answered.total(),
        unanswered=tasks.total() - answered.total(),
        by_sort=tuple(
            TaskCount(
                round=sort[0], kind=sort[1], purpose=sort[2], tasks=n, answered=answered[sort]
            )
            for sort, n in sorted(tasks.items())
        ),
        annotations=len(verdicts) + aside.total(),
        verdicts=len(verdicts),
        set_aside=dict(sorted(aside.items())),
        excluded=tuple(sorted(excluded)),
        changes=_changes(study.policy, policy),
    )


def proportion(share: Share) -> Proportion:
    value = None if share.value is None else round(share.value, 6)
    return Proportion(k=share.k, n=share.n, value=value, low=share.low, high=share.high)


def _changes(fixed: HumanRules, policy: HumanRules) -> tuple[PolicyChange, ...]:
    now = policy.model_dump()
    return tuple(
        PolicyChange(name=name, fixed=str(value), in_force=str(now[name]))
        for name, value in fixed.model_dump().items()
        if now[name] != value
    )

"""What a study is and what became of its tasks: counts that add up."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pairwright.estimate import Estimate
from pairwright.modes import units_in_words
from pairwright.report import Block, Table
from pairwright.settings.study_rules import HumanRules
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.aspects import foil_sentence
from pairwright_human_eval.report.findings_records import Proportion
from pairwright_human_eval.report.records import RuleChange, StudyCounts, StudyReport, TaskCount
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline


def study_counts(
    subjects: Sequence[Outline],
    fixed: FixedStudy,
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    excluded: frozenset[str],
    rules: HumanRules,
) -> StudyCounts:
    """Count. A task is answered if it has a verdict."""
    study, key = fixed
    aside = Counter(line.reason for line in set_aside)
    done = {verdict.task for verdict in verdicts}
    tasks = Counter((keyed.round, keyed.kind, keyed.purpose) for keyed in key.values())
    answered = Counter(
        (keyed.round, keyed.kind, keyed.purpose) for keyed in key.values() if keyed.task in done
    )
    return StudyCounts(
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
        changes=_changes(study.policy, rules),
    )


def proportion(share: Estimate) -> Proportion:
    value = None if share.value is None else round(share.value, 6)
    return Proportion(k=share.k, n=share.n, value=value, low=share.low, high=share.high)


def _changes(fixed: HumanRules, rules: HumanRules) -> tuple[RuleChange, ...]:
    return tuple(
        RuleChange(name=name, fixed=then, in_force=now)
        for name, then, now in _rule_rows(fixed, rules)
        if then != now
    )


def _rule_rows(fixed: HumanRules, rules: HumanRules) -> Iterator[tuple[str, str, str]]:
    """The numbers of the rule, at export and in force; `none` where it had no such limit."""
    for name in HumanRules.model_fields:
        yield name, _limit(fixed, name), _limit(rules, name)


def _limit(rules: HumanRules, name: str) -> str:
    value = getattr(rules, name)
    return "none" if value is None else str(value)


def report_warnings(report: StudyReport) -> Iterator[str]:
    """What must be known before anything is read."""
    head = report.head
    if not head.verdicts:
        yield f"Nothing is answered yet: none of the {head.tasks:,} tasks has a verdict."
    if head.simulated_verdicts:
        yield (
            f"SIMULATED ANNOTATORS: {head.simulated_verdicts:,} of {head.verdicts:,} verdicts were"
            " given by a program. No person has verified these pairs."
        )
    if head.simulated_pairs:
        yield (
            "SIMULATED PAIRS: the embedded model wrote them. This shows how the tool works and is"
            " no evidence about any model, judge or benchmark."
        )
    if head.changes:
        changes = (
            f"human.{change.name} was fixed at {change.fixed} and is now {change.in_force}"
            for change in head.changes
        )
        yield f"THE RULE WAS CHANGED AFTER EXPORT: {'; '.join(changes)}."
    if report.foils and not report.foils.aspects_ahead:
        yield foil_sentence(report.foils)
    if head.excluded:
        yield (
            f"EXCLUDED by attention checks: {', '.join(head.excluded)}. Their answers count neither"
            " in decisions nor in estimates, but where it is said."
        )


def study_section(report: StudyReport) -> Iterator[Block]:
    head = report.head
    yield Table(
        ("what", "n"),
        (
            (f"{units_in_words()} in the study, each verified as one", f"{head.subjects:,}"),
            (f"{units_in_words()} in the run", f"{head.of:,}"),
            ("twins in the study", f"{head.twins:,}"),
            ("pairs in the study (each half of a twin is one)", f"{head.pairs:,}"),
            ("annotators", f"{head.annotators:,}"),
            ("people asked about the quality and the aspects of each", f"{head.overlap:,}"),
            ("tasks", f"{head.tasks:,}"),
            ("tasks answered", f"{head.answered:,}"),
            ("tasks not answered", f"{head.unanswered:,}"),
        ),
    )
    yield Table(
        ("kind", "purpose", "round", "tasks", "answered", "not answered"),
        (
            *(
                (
                    count.kind, count.purpose, str(count.round),
                    f"{count.tasks:,}", f"{count.answered:,}",
                    f"{count.tasks - count.answered:,}",
                )
                for count in head.by_sort
            ),
            ("all", "", "", f"{head.tasks:,}", f"{head.answered:,}", f"{head.unanswered:,}"),
        ),
        left=2,
    )  # fmt: skip
    yield Table(
        ("annotations read", "n"),
        (
            ("accepted as verdicts", f"{head.verdicts:,}"),
            *((f"set aside: {reason}", f"{n:,}") for reason, n in head.set_aside.items()),
            ("all", f"{head.annotations:,}"),
        ),
    )


def rule_section(report: StudyReport) -> Iterator[Block]:
    yield Table(
        ("[human]", "fixed at export", "in force"),
        tuple(_rule_rows(report.fixed, report.policy)),
    )
    yield (
        f"Bootstrap: {report.replicates:,} replicates, seed {report.seed}. Study exported by"
        f" pairwright {report.head.version}."
    )

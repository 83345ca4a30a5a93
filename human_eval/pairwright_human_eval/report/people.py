"""The study in counts that add up: its tasks, its annotators one by one, and the second round."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from pairwright.estimate import share
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.attention import checks_passed, nonreader_pass
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.records import (
    CANNOT_TELL,
    KINDS,
    KeyedTask,
    Kind,
    PreferenceAnswer,
    SetAside,
    Verdict,
)
from pairwright_human_eval.report.answers import SubjectPair, Vote
from pairwright_human_eval.report.claims import STATES
from pairwright_human_eval.report.records import (
    Adjudication,
    AdjudicationCount,
    AnnotatorRow,
    RuleChange,
    Seconds,
    StudyCounts,
    TaskCount,
)
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


def _changes(fixed: HumanRules, rules: HumanRules) -> tuple[RuleChange, ...]:
    return tuple(
        RuleChange(name=name, fixed=then, in_force=now)
        for name, then, now in rule_rows(fixed, rules)
        if then != now
    )


def rule_rows(fixed: HumanRules, rules: HumanRules) -> Iterator[tuple[str, str, str]]:
    """The numbers of the rule, at export and in force; `none` where it had no such limit."""
    for name in HumanRules.model_fields:
        yield name, _limit(fixed, name), _limit(rules, name)


def _limit(rules: HumanRules, name: str) -> str:
    value = getattr(rules, name)
    return "none" if value is None else str(value)


Tally = defaultdict[str, list[bool]]


def annotator_rows(
    verdicts: Sequence[Verdict],
    votes: Iterable[Vote],
    key: Mapping[str, KeyedTask],
    excluded: frozenset[str],
    floor: float | None,
) -> tuple[AnnotatorRow, ...]:
    """Everyone who was given a task of the first round, and what they did in it. `floor` is that of
    attention checks that only the posts decide; None for others."""
    verdicts = [verdict for verdict in verdicts if verdict.round == 1]
    assigned = Counter(keyed.annotator for keyed in key.values() if keyed.round == 1)
    own: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        own[verdict.annotator].append(verdict)
    majority, first = with_majority(votes), first_position(verdicts)
    attention, retest = checks_passed(verdicts, key), retested(verdicts)
    rows = []
    for who in sorted(assigned):
        given = own[who]
        kinds = Counter(verdict.kind for verdict in given)
        rows.append(
            AnnotatorRow(
                annotator=who,
                excluded=who in excluded,
                simulated=any(verdict.simulated for verdict in given),
                assigned=assigned[who],
                answered=len(given),
                by_kind={kind: kinds[kind] for kind in KINDS},
                seconds=seconds_by_kind(given),
                with_majority=share(sum(majority[who]), len(majority[who])),
                first=share(sum(first[who]), len(first[who])),
                attention=(met := attention.get(who, share(0, 0))),
                nonreader=None if floor is None or not met.n else nonreader_pass(met.n, floor),
                retest=share(sum(retest[who]), len(retest[who])),
            )
        )
    return tuple(rows)


def seconds_by_kind(verdicts: Sequence[Verdict]) -> dict[Kind, Seconds]:
    """Of the first round, with checks and repeats: they take time too."""
    return {
        kind: median_seconds(
            [verdict for verdict in verdicts if verdict.round == 1 and verdict.kind == kind]
        )
        for kind in KINDS
    }


def median_seconds(verdicts: Iterable[Verdict]) -> Seconds:
    times = [verdict.seconds for verdict in verdicts if verdict.seconds is not None]
    return Seconds(median=round(median(times), 6) if times else None, n=len(times))


def with_majority(votes: Iterable[Vote]) -> Tally:
    """Whether each vote is what more than half of the others said, "cannot tell" left out."""
    by_pair: defaultdict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        if vote.purpose == "vote" and vote.choice != "cannot_tell":
            by_pair[vote.about.pair.id].append(vote)
    found: Tally = defaultdict(list)
    for own in by_pair.values():
        counts = Counter(vote.label for vote in own)
        for vote in own:
            others = counts - Counter([vote.label])
            label, most = max(others.items(), key=lambda answer: answer[1], default=("", 0))
            if 2 * most > len(own) - 1:
                found[vote.annotator].append(label == vote.label)
    return found


def first_position(verdicts: Iterable[Verdict]) -> Tally:
    """By annotator: whether each answer for a side was for the one shown as A."""
    found: Tally = defaultdict(list)
    for verdict in verdicts:
        if verdict.purpose != "attention" and isinstance(verdict.answers, PreferenceAnswer):
            choice = verdict.answers.choice
            if choice in (verdict.a, verdict.b):
                found[verdict.annotator].append(choice == verdict.a)
    return found


def retested(verdicts: Sequence[Verdict]) -> Tally:
    """By annotator: whether each repeat was answered as before. One "cannot tell" leaves it out."""
    before, again = (
        {
            (verdict.annotator, verdict.pair): verdict.answers.choice
            for verdict in verdicts
            if verdict.purpose == purpose
            and isinstance(verdict.answers, PreferenceAnswer)
            and verdict.answers.choice != CANNOT_TELL
        }
        for purpose in ("vote", "repeat")
    )
    found: Tally = defaultdict(list)
    for vote, choice in again.items():
        if vote in before:
            found[vote[0]].append(choice == before[vote])
    return found


def adjudication_counts(
    key: Mapping[str, KeyedTask],
    verdicts: Sequence[Verdict],
    decisions: Sequence[Decision],
    pairs: Mapping[str, SubjectPair],
    set_aside: Iterable[SetAside],
) -> Adjudication | None:
    """None where no task of the second round was made."""
    tasks = [keyed for keyed in key.values() if keyed.round == 2]
    if not tasks:
        return None
    last = [verdict for verdict in verdicts if verdict.round == 2]
    given = {task.subject for task in tasks}
    states = Counter(decision.state for decision in decisions if decision.subject in given)
    return Adjudication(
        adjudicators=len({task.annotator for task in tasks}),
        by_kind=tuple(
            _of_kind(kind, tasks, last, pairs)
            for kind in KINDS
            if any(task.kind == kind for task in tasks)
        ),
        subjects=len(given),
        states={state: states[state] for state in STATES if states[state]},
        voted_before=sum(line.reason == "voted_before" for line in set_aside),
    )


def _of_kind(
    kind: Kind,
    tasks: Sequence[KeyedTask],
    verdicts: Sequence[Verdict],
    pairs: Mapping[str, SubjectPair],
) -> AdjudicationCount:
    own = [verdict for verdict in verdicts if verdict.kind == kind]
    chosen = [
        verdict.answers.choice == pairs[verdict.pair].chosen
        for verdict in own
        if isinstance(verdict.answers, PreferenceAnswer) and verdict.pair
    ]
    return AdjudicationCount(
        kind=kind,
        tasks=sum(task.kind == kind for task in tasks),
        answered=len({verdict.task for verdict in own}),
        for_chosen=sum(chosen) if kind == "preference" else None,
        refused=len(chosen) - sum(chosen) if kind == "preference" else None,
        seconds=median_seconds(own),
    )

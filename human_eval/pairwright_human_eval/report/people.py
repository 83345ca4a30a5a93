"""The study in counts that add up: its tasks, its annotators one by one, and the second round."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from pairwright.estimate import Estimate, share
from pairwright.records import Record
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.attention import checks_passed, nonreader_pass
from pairwright_human_eval.decisions import Decision, State
from pairwright_human_eval.records import (
    CANNOT_TELL,
    KINDS,
    KeyedTask,
    Kind,
    PreferenceAnswer,
    Purpose,
    SetAside,
    Verdict,
)
from pairwright_human_eval.report.answers import SubjectPair, Vote, majority
from pairwright_human_eval.report.claims import STATES
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline


class RuleChange(Record):
    """A number of the rule that is not as it was fixed at export."""

    name: str
    fixed: str
    in_force: str


class TaskCount(Record):
    """Tasks of one sort, and how many of them have a verdict."""

    round: int
    kind: Kind
    purpose: Purpose
    tasks: int
    answered: int


class StudyCounts(Record):
    """What the study is, and what became of its tasks and annotations."""

    version: str
    simulated_verdicts: int
    subjects: int
    of: int
    """Subjects in the run."""
    twins: int
    """Placebos, too."""
    pairs: int
    annotators: int
    overlap: int
    tasks: int
    answered: int
    unanswered: int
    by_sort: tuple[TaskCount, ...]
    """Adds up to `tasks` and `answered`."""
    annotations: int
    """Verdicts and what was set aside."""
    verdicts: int
    set_aside: dict[str, int]
    """By reason."""
    excluded: tuple[str, ...]
    """Annotators below the attention floor: none of their answers counts below."""
    fewest_checks: int | None
    """As the study fixed it: None where its attention checks are written."""
    changes: tuple[RuleChange, ...]


class Seconds(Record):
    """The median time of a task; None where no time was recorded."""

    median: float | None
    n: int
    """Answers whose time was recorded."""


class AdjudicationCount(Record):
    """Tasks of the second round, of one kind."""

    kind: Kind
    tasks: int
    answered: int
    for_label: int | None
    """Preferences for the chosen response or, in a placebo, "no difference"; None for another
    kind."""
    refused: int | None
    """All other preferences."""
    seconds: Seconds


class Adjudication(Record):
    """The second round. Its answers close what was disputed, and count in no estimate."""

    adjudicators: int
    by_kind: tuple[AdjudicationCount, ...]
    subjects: int
    """Handed to adjudicators."""
    states: dict[State, int]
    """What is decided about them now."""
    voted_before: int
    """Answers set aside because their author had answered on the subject in the first round."""


class Recognition(Record):
    """How often people said of a preference task that they had had it before."""

    repeats: Estimate
    """Of answered repeats."""
    others: Estimate
    """Of all other answers of the first round: mistaken."""


class AnnotatorRow(Record):
    """One annotator of the first round, by pseudonym."""

    annotator: str
    excluded: bool
    simulated: bool
    assigned: int
    answered: int
    by_kind: dict[Kind, int]
    seconds: dict[Kind, Seconds]
    with_majority: Estimate
    """Preference votes that are what most of the others on the pair said, where most said one."""
    first: Estimate
    """Answers for the response shown as A, of those for A or B; written checks left out."""
    cannot_tell: Estimate
    """Answers "cannot tell", of all to what `first` counts."""
    attention: Estimate
    nonreader: float | None
    """The probability that somebody who does not read the posts passes the floor in as many checks;
    None where no check was met, or not only the posts decide them."""
    retest: Estimate
    """Swapped repeats answered as before."""


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
    tasks, answered = (
        Counter((keyed.round, keyed.kind, keyed.purpose) for keyed in counted)
        for counted in (key.values(), [keyed for name, keyed in key.items() if name in done])
    )
    return StudyCounts(
        version=study.version,
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
        fewest_checks=study.fewest_checks,
        changes=tuple(
            RuleChange(name=name, fixed=then, in_force=now)
            for name, then, now in rule_rows(study.policy, rules)
            if then != now
        ),
    )


def rule_rows(fixed: HumanRules, rules: HumanRules) -> Iterator[tuple[str, str, str]]:
    """The numbers of the rule, at export and in force; `none` where it had no such limit."""
    for name in HumanRules.model_fields:
        then, now = getattr(fixed, name), getattr(rules, name)
        yield name, "none" if then is None else str(then), "none" if now is None else str(now)


HitsByPerson = defaultdict[str, list[bool]]


def annotator_rows(
    verdicts: Sequence[Verdict],
    votes: Iterable[Vote],
    fixed: FixedStudy,
    excluded: frozenset[str],
    floor: float,
) -> tuple[AnnotatorRow, ...]:
    """Everyone who was given a task of the first round, and what they did in it. `floor` is that of
    attention checks."""
    study, key = fixed
    verdicts = [verdict for verdict in verdicts if verdict.round == 1]
    assigned = Counter(keyed.annotator for keyed in key.values() if keyed.round == 1)
    own: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        own[verdict.annotator].append(verdict)
    alike, first, unknown = with_majority(votes), first_position(verdicts), undecided(verdicts)
    attention, retest = checks_passed(verdicts, fixed), retested(verdicts)
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
                with_majority=share(sum(alike[who]), len(alike[who])),
                first=share(sum(first[who]), len(first[who])),
                cannot_tell=share(sum(unknown[who]), len(unknown[who])),
                attention=(met := attention.get(who, share(0, 0))),
                nonreader=nonreader_pass(met.n, floor, study.fewest_checks)
                if met.n and (study.fewest_checks or study.mirrored_checks)
                else None,
                retest=share(sum(retest[who]), len(retest[who])),
            )
        )
    return tuple(rows)


def seconds_by_kind(verdicts: Sequence[Verdict], turn: int = 1) -> dict[Kind, Seconds]:
    """Of one round, with checks and repeats: they take time too."""
    found = {}
    for kind in KINDS:
        own = [one.seconds for one in verdicts if (one.round, one.kind) == (turn, kind)]
        times = [seconds for seconds in own if seconds is not None]
        found[kind] = Seconds(median=round(median(times), 6) if times else None, n=len(times))
    return found


def with_majority(votes: Iterable[Vote]) -> HitsByPerson:
    """Whether each vote is what more than half of the others said, "cannot tell" left out."""
    by_pair: defaultdict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        if vote.choice != "cannot_tell":
            by_pair[vote.about.pair.id].append(vote)
    found: HitsByPerson = defaultdict(list)
    for own in by_pair.values():
        counts = Counter(vote.label for vote in own)
        for vote in own:
            if most := majority(counts - Counter([vote.label])):
                found[vote.annotator].append(most == vote.label)
    return found


def first_position(verdicts: Iterable[Verdict]) -> HitsByPerson:
    """By annotator: whether each answer for a side was for the one shown as A."""
    found: HitsByPerson = defaultdict(list)
    for verdict in verdicts:
        if verdict.purpose != "attention" and isinstance(verdict.answers, PreferenceAnswer):
            choice = verdict.answers.choice
            if choice in (verdict.a, verdict.b):
                found[verdict.annotator].append(choice == verdict.a)
    return found


def undecided(verdicts: Iterable[Verdict]) -> HitsByPerson:
    """By annotator: whether each answer was "cannot tell"."""
    found: HitsByPerson = defaultdict(list)
    for verdict in verdicts:
        if verdict.purpose != "attention" and isinstance(verdict.answers, PreferenceAnswer):
            found[verdict.annotator].append(verdict.answers.choice == CANNOT_TELL)
    return found


def retested(verdicts: Sequence[Verdict]) -> HitsByPerson:
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
    found: HitsByPerson = defaultdict(list)
    for vote, choice in again.items():
        if vote in before:
            found[vote[0]].append(choice == before[vote])
    return found


def recognition(verdicts: Iterable[Verdict]) -> Recognition:
    """Of all annotators together, in the first round."""
    seen: dict[bool, list[bool]] = {True: [], False: []}
    for verdict in verdicts:
        if verdict.round == 1 and isinstance(verdict.answers, PreferenceAnswer):
            seen[verdict.purpose == "repeat"].append(verdict.answers.seen)
    repeats, others = (share(sum(own), len(own)) for own in seen.values())
    return Recognition(repeats=repeats, others=others)


def adjudication_counts(
    key: Mapping[str, KeyedTask],
    verdicts: Sequence[Verdict],
    decisions: Iterable[Decision],
    pairs: Mapping[str, SubjectPair],
    set_aside: Iterable[SetAside],
) -> Adjudication | None:
    """None where no task of the second round was made."""
    tasks = [keyed for keyed in key.values() if keyed.round == 2]
    if not tasks:
        return None
    given = {task.subject for task in tasks}
    states = Counter(decision.state for decision in decisions if decision.subject in given)
    kinds, seconds = Counter(task.kind for task in tasks), seconds_by_kind(verdicts, 2)
    by_kind = []
    for kind in (kind for kind in KINDS if kinds[kind]):
        own = [verdict for verdict in verdicts if (verdict.round, verdict.kind) == (2, kind)]
        hits = [
            verdict.answers.choice == pairs[verdict.pair].label
            for verdict in own
            if isinstance(verdict.answers, PreferenceAnswer) and verdict.pair
        ]
        by_kind.append(
            AdjudicationCount(
                kind=kind,
                tasks=kinds[kind],
                answered=len({verdict.task for verdict in own}),
                for_label=sum(hits) if kind == "preference" else None,
                refused=len(hits) - sum(hits) if kind == "preference" else None,
                seconds=seconds[kind],
            )
        )
    return Adjudication(
        adjudicators=len({task.annotator for task in tasks}),
        by_kind=tuple(by_kind),
        subjects=len(given),
        states={state: states[state] for state in STATES if states[state]},
        voted_before=sum(line.reason == "voted_before" for line in set_aside),
    )

"""The second round: what adjudicators were asked, what they said, and what came of it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pairwright.report import Block, Table
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.records import (
    KINDS,
    KeyedTask,
    Kind,
    PreferenceAnswer,
    SetAside,
    Verdict,
)
from pairwright_human_eval.report.annotators import median_seconds
from pairwright_human_eval.report.answers import SubjectPair
from pairwright_human_eval.report.decision_states import STATES
from pairwright_human_eval.report.number_text import seconds_text
from pairwright_human_eval.report.records import Adjudication, AdjudicationCount, StudyReport


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


def adjudication_section(report: StudyReport) -> Iterator[Block]:
    found = report.adjudication
    if not found:
        yield "No task of a second round was made."
        return
    yield (
        "What is answered in the second round closes what was disputed, and counts in no estimate"
        f" and in no annotator's row. Of {report.policy.closing_votes:,} preferences for a pair,"
        f" {report.policy.closing_votes - report.policy.closing_misses:,} must be for the chosen"
        f" response. Adjudicators: {found.adjudicators:,}."
    )
    if found.voted_before:
        yield (
            "Answers set aside because their author had answered on the same twin or pair in the"
            f" first round: {found.voted_before:,}. Somebody else has to give them."
        )
    quality = any(counts.for_chosen is None for counts in found.by_kind)
    yield Table(
        (
            "kind", "tasks", "answered", "for the chosen", "not for it",
            "median seconds",
        ),
        tuple(
            (
                counts.kind, f"{counts.tasks:,}", f"{counts.answered:,}",
                _closed(counts.for_chosen), _closed(counts.refused), seconds_text(counts.seconds),
            )
            for counts in found.by_kind
        ),
        note="Scores of quality close for no response: they are held to the floor."
        if quality
        else "",
    )  # fmt: skip
    yield Table(
        ("adjudicated twins and pairs, as decided now", "n"),
        (
            *((state, f"{n:,}") for state, n in found.states.items()),
            ("all", f"{found.subjects:,}"),
        ),
    )


def _closed(n: int | None) -> str:
    return "–" if n is None else f"{n:,}"

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
from pairwright_human_eval.report.decisions import STATES
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
    tasks = [of for of in key.values() if of.round == 2]
    if not tasks:
        return None
    last = [of for of in verdicts if of.round == 2]
    given = {of.subject for of in tasks}
    states = Counter(of.state for of in decisions if of.subject in given)
    return Adjudication(
        adjudicators=len({of.annotator for of in tasks}),
        by_kind=tuple(
            _of_kind(kind, tasks, last, pairs)
            for kind in KINDS
            if any(of.kind == kind for of in tasks)
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
    own = [of for of in verdicts if of.kind == kind]
    chosen = [
        of.answers.choice == pairs[of.pair].chosen
        for of in own
        if isinstance(of.answers, PreferenceAnswer) and of.pair
    ]
    return AdjudicationCount(
        kind=kind,
        tasks=sum(of.kind == kind for of in tasks),
        answered=len({of.task for of in own}),
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
        "In the second round adjudicators see the first answers. What they say closes what was"
        " disputed, and counts in no estimate and in no annotator's row. Any preference but for the"
        f" chosen response refuses. Adjudicators: {found.adjudicators:,}."
    )
    if found.voted_before:
        yield (
            "Answers set aside because their author had answered on the same twin or pair in the"
            f" first round: {found.voted_before:,}. Somebody else has to give them."
        )
    quality = any(of.for_chosen is None for of in found.by_kind)
    yield Table(
        (
            "kind", "tasks", "answered", "closed for the chosen", "closed as refused",
            "median seconds",
        ),
        tuple(
            (
                of.kind, f"{of.tasks:,}", f"{of.answered:,}", _closed(of.for_chosen),
                _closed(of.refused), seconds_text(of.seconds),
            )
            for of in found.by_kind
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

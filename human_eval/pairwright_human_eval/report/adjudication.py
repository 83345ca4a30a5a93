"""The second round: what adjudicators were asked, what they said, and what came of it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pairwright_human_eval.decide import Decision
from pairwright_human_eval.records import (
    KINDS,
    KeyedTask,
    Kind,
    PreferenceAnswer,
    SetAside,
    Verdict,
)
from pairwright_human_eval.report.annotators import median_seconds
from pairwright_human_eval.report.data import About
from pairwright_human_eval.report.decisions import STATES
from pairwright_human_eval.report.records import Adjudicated, Adjudication


def adjudication(
    key: Mapping[str, KeyedTask],
    verdicts: Sequence[Verdict],
    decisions: Sequence[Decision],
    pairs: Mapping[str, About],
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
    pairs: Mapping[str, About],
) -> Adjudicated:
    own = [of for of in verdicts if of.kind == kind]
    chosen = [
        of.answers.choice == pairs[of.pair].chosen
        for of in own
        if isinstance(of.answers, PreferenceAnswer) and of.pair
    ]
    return Adjudicated(
        kind=kind,
        tasks=sum(of.kind == kind for of in tasks),
        answered=len({of.task for of in own}),
        for_chosen=sum(chosen) if kind == "preference" else None,
        refused=len(chosen) - sum(chosen) if kind == "preference" else None,
        seconds=median_seconds(own),
    )

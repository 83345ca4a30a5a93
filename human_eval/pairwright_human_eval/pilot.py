"""What a small study of the same kind says about a larger one: its yield, and the time of tasks."""

from collections.abc import Iterable, Mapping, Sequence, Set
from statistics import fmean
from typing import NamedTuple

import numpy as np

from pairwright.intervals import LEVEL, Interval, accuracy, mean, z_of
from pairwright.modes import Mode
from pairwright.records import Record
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.records import KINDS, Kind, Verdict
from pairwright_human_eval.subjects import Outline


class TimedTask(NamedTuple):
    """How long one person is paid for one task."""

    annotator: str
    kind: Kind
    round: int
    seconds: float


class TaskTime(Record):
    """The mean time of a task of one kind as it is paid, in seconds, with its 95 % interval by
    person."""

    kind: Kind
    seconds: float
    low: float
    high: float | None
    """None where one person alone was timed."""
    n: int
    """Tasks whose time was recorded."""


class StudyPilot(Record):
    """What is known from people's answers before a larger study."""

    verified: Interval
    """The share of subjects of the mode that were verified, of those that were decided and could
    be, with its 95 % interval by dyad. No value where none was decided."""
    times: tuple[TaskTime, ...]
    """By kind; a kind without a time is left out."""
    second_round: float | None
    """The time of the second round by that of the first, by all their tasks; 0 where nothing was
    disputed, and None where it is not known yet."""
    people: int
    simulated: bool

    @property
    def seconds(self) -> dict[Kind, float]:
        """The means by kind."""
        return {time.kind: time.seconds for time in self.times}


def study_pilot(
    subjects: Iterable[Outline],
    decisions: Mapping[str, Decision],
    verdicts: Sequence[Verdict],
    mode: Mode,
    unfinished: Set[str] = frozenset(),
    timed: Sequence[TimedTask] = (),
    tasks: Mapping[tuple[Kind, int], int] | None = None,
) -> StudyPilot:
    """Read a pilot. What waits for answers and what is a control is not decided.

    `unfinished` are subjects with open tasks. A few answers can refuse one and only all of them
    verify it, so counting what is decided of these would make the yield too small. `tasks` are
    all that were given out, by kind and round.
    """
    decided = [
        (subject, decisions[subject.id].state)
        for subject in subjects
        if subject.mode == mode and subject.aspects_asked and subject.id not in unfinished
    ]
    rows = [(s.dyad, state == "verified") for s, state in decided if state != "waiting"]
    dyads = sorted({dyad for dyad, _ in rows})
    found = accuracy(
        np.array([float(verified) for _, verified in rows]),
        np.array([dyads.index(dyad) for dyad, _ in rows], np.intp),
    )
    first = [verdict for verdict in verdicts if verdict.round == 1]
    times = (_time(kind, [t for t in timed if (t.kind, t.round) == (kind, 1)]) for kind in KINDS)
    return StudyPilot(
        verified=found.found(z_of(LEVEL))
        if found
        else Interval(value=None, low=None, high=None, n=0, clusters=0),
        times=tuple(time for time in times if time),
        second_round=_second_round(
            timed,
            tasks or {},
            bool(unfinished) or any(one.state == "disputed" for one in decisions.values()),
        ),
        people=len({verdict.annotator for verdict in first}),
        simulated=any(verdict.simulated for verdict in first),
    )


def _time(kind: Kind, timed: Sequence[TimedTask]) -> TaskTime | None:
    people = sorted({one.annotator for one in timed})
    found = mean(
        np.array([one.seconds for one in timed]),
        np.array([people.index(one.annotator) for one in timed], np.intp),
        least=0.0,
    )
    if found is None or found.value is None:
        return None
    return TaskTime(
        kind=kind, seconds=found.value, low=found.low or 0.0, high=found.high, n=found.n
    )


def _second_round(
    timed: Sequence[TimedTask], tasks: Mapping[tuple[Kind, int], int], open: bool
) -> float | None:
    """Tasks that nobody was timed on are taken to be as long as the others of their kind. `open`: a
    second round may be to come."""
    whole = {1: 0.0, 2: 0.0}
    for (kind, round), n in tasks.items():
        if own := [one.seconds for one in timed if (one.kind, one.round) == (kind, round)]:
            whole[round] += n * fmean(own)
    if not whole[1] or (open and not whole[2]):
        return None
    return whole[2] / whole[1]

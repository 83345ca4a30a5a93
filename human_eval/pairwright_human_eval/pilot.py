"""What a small study of the same kind says about a larger one: its yield, and the time of tasks."""

from collections.abc import Iterable, Mapping, Sequence, Set
from statistics import median

import numpy as np
from scipy.stats import binom

from pairwright.intervals import LEVEL, Interval, accuracy, z_of
from pairwright.modes import Mode
from pairwright.records import Record
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.records import KINDS, Kind, Verdict
from pairwright_human_eval.subjects import Outline


class TaskTime(Record):
    """The time of the median task of one kind, in seconds, with its 95 % interval."""

    kind: Kind
    seconds: float
    low: float
    high: float
    n: int
    """Answers whose time was recorded."""


class StudyPilot(Record):
    """What is known from people's answers before a larger study."""

    verified: Interval
    """The share of subjects of the mode that were verified, of those that were decided and could
    be, with its 95 % interval by dyad. No value where none was decided."""
    times: tuple[TaskTime, ...]
    """By kind; a kind without a time is left out."""
    people: int
    simulated: bool

    @property
    def seconds(self) -> dict[Kind, float]:
        """The medians by kind."""
        return {time.kind: time.seconds for time in self.times}


def study_pilot(
    subjects: Iterable[Outline],
    decisions: Mapping[str, Decision],
    verdicts: Sequence[Verdict],
    mode: Mode,
    unfinished: Set[str] = frozenset(),
) -> StudyPilot:
    """Read a pilot. What waits for answers and what is a control is not decided.

    `unfinished` are subjects with open tasks. A few answers can refuse one and only all of them
    verify it, so counting what is decided of these would make the yield too small.
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
    times = (_time(kind, [v.seconds for v in first if v.kind == kind]) for kind in KINDS)
    return StudyPilot(
        verified=found.found(z_of(LEVEL))
        if found
        else Interval(value=None, low=None, high=None, n=0, clusters=0),
        times=tuple(time for time in times if time),
        people=len({verdict.annotator for verdict in first}),
        simulated=any(verdict.simulated for verdict in first),
    )


def _time(kind: Kind, recorded: Iterable[float | None]) -> TaskTime | None:
    """The median, and the order statistics around it that hold the true one in 95 % of samples of
    independent answers (David and Nagaraja 2003, Order Statistics, section 7.1)."""
    seconds = sorted(time for time in recorded if time is not None)
    if not seconds:
        return None
    n = len(seconds)
    outside = int(binom.ppf(LEVEL / 2, n, 0.5))
    first = max(0, outside - 1)
    return TaskTime(
        kind=kind, seconds=median(seconds), low=seconds[first], high=seconds[n - 1 - first], n=n
    )

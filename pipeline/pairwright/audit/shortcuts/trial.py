"""One way of choosing, tried on the pairs of one configuration; and how it is decided."""

from typing import NamedTuple

import numpy.typing as npt
from numpy import bool_

from pairwright.audit.records import Check, Family, Flag, Status
from pairwright.intervals import LEVEL, Accuracy, Floats, Interval, Places, accuracy, z_of

EXPECTED = "This is expected in mode violate."
IDENTITY = "Whole twins give 50 % by identity."


class Trial(NamedTuple):
    """The points of one check on n pairs."""

    family: Family
    name: str
    config: str
    mode: str | None
    places: Places
    """Shape (n,): which pairs of the configuration it was tried on."""
    points: Floats
    """Shape (n,)."""
    clusters: Places
    """Shape (n,)."""
    like: npt.NDArray[bool_]
    """Shape (n,): pairs whose responses are of like length."""
    why: str = ""
    """Why it was tried on fewer pairs than there are."""
    flags: tuple[Flag, ...] | None = None
    """Rows with what the check counts, where it looks for something in rows."""


class AccuracyComparison(NamedTuple):
    """A trial's accuracy, held against the bound on max(accuracy, 1 - accuracy)."""

    trial: Trial
    accuracy: Accuracy
    bound: float

    def settled(self, level: float) -> bool:
        return self.accuracy.settles(self.bound, z_of(level)) is not None

    def check(self, level: float) -> Check:
        of, trial, z = self.accuracy, self.trial, z_of(level)
        status: Status = of.settles(self.bound, z) or "too_few"
        expected = EXPECTED if (status, trial.mode) == ("fail", "violate") else ""
        detail = _sentences(expected, trial.why, _like(trial))
        needed = of.needed(self.bound, z) if status == "too_few" else None
        return _check(trial, status, of.found(z), detail, limit=self.bound, needed=needed)


def compared(trial: Trial, bound: float) -> AccuracyComparison | Check:
    """What decides on a trial; where it has no pair, the check that says so."""
    of = accuracy(trial.points, trial.clusters)
    if of is None:
        return _check(trial, "too_few", None, trial.why, limit=bound)
    return AccuracyComparison(trial, of, bound)


def noted(trial: Trial) -> Check:
    """A check that decides nothing, with its own 95 % interval."""
    of = accuracy(trial.points, trial.clusters)
    return _check(trial, "note", of and of.found(z_of(LEVEL)), trial.why)


def identity(trial: Trial) -> Check:
    """A check on twins: what is 50 % by identity has no interval."""
    of = accuracy(trial.points, trial.clusters)
    found = of and of.found(z_of(LEVEL)).model_copy(update={"low": None, "high": None})
    return _check(trial, "note", found, _sentences(IDENTITY, trial.why))


def _check(
    trial: Trial,
    status: Status,
    found: Interval | None,
    detail: str,
    *,
    limit: float | None = None,
    needed: int | None = None,
) -> Check:
    return Check(
        family=trial.family,
        name=trial.name,
        config=trial.config,
        status=status,
        found=found,
        count=None if trial.flags is None else len({flag.row for flag in trial.flags}),
        of=len(trial.points),
        limit=limit,
        needed=needed,
        detail=detail,
        flags=trial.flags or (),
    )


def _like(trial: Trial) -> str:
    """How it does on pairs of like length, where these are not all, with its own interval."""
    of = accuracy(trial.points[trial.like], trial.clusters[trial.like])
    if of is None or trial.like.all():
        return ""
    low, high = of.interval(z_of(LEVEL))
    told = f"{100 * of.value:.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    return f"On the {of.n:,} pairs of like length {told}."


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)

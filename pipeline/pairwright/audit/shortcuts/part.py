"""The audit's first part: rows in, checks out."""

from collections.abc import Iterator

from pairwright.audit.records import Check, Comparison
from pairwright.audit.shortcuts.gaps import length_matched, twin_gaps
from pairwright.audit.shortcuts.gathered import Gathered
from pairwright.audit.shortcuts.trial import Trial, compared, identity, noted
from pairwright.audit.shortcuts.trials import BLIND, RESIDUAL, trials
from pairwright.audit.shortcuts.twins import twin_identity
from pairwright.dataset import Row

MAX_SHORTCUT = 0.58


class Shortcuts:
    """What tells the chosen response without the user, and what overlap with the user tells.

    Keeps numbers of every row, and a little more of at most `gathered.SAMPLE` rows of each
    configuration. The same rows give the same checks on every machine.
    """

    def __init__(self, *, max_shortcut: float = MAX_SHORTCUT, seed: int = 0) -> None:
        """`max_shortcut` bounds max(accuracy, 1 - accuracy): between 0.5 and 1."""
        self._bound = max_shortcut
        self._seed = seed
        self._gathered: dict[str, Gathered] = {}

    def add(self, row: Row) -> None:
        """Count one row."""
        of = self._gathered.get(row.config)
        if of is None:
            of = self._gathered[row.config] = Gathered(row.mode, self._seed)
        of.add(row)

    def checks(self) -> Iterator[Check | Comparison]:
        """By configuration."""
        tried = {
            config: list(trials(config, of, self._seed))
            for config, of in sorted(self._gathered.items())
        }
        for config, found in tried.items():
            of, by_name = self._gathered[config], {trial.name: trial for trial in found}
            for trial in found:
                yield compared(trial, self._bound) if _decides(trial) else _told(trial)
            if of.mode == "twin":
                yield twin_identity(config, of, [by_name[name] for name in BLIND])
                yield from twin_gaps(config, of, by_name["profile_overlap"])
            else:
                yield length_matched(config, of)


def _decides(trial: Trial) -> bool:
    """Blind ones where no identity makes them 50 %, and the residual where there is a profile."""
    if trial.name == RESIDUAL:
        return len(trial.points) > 0
    return trial.name in BLIND and trial.mode != "twin"


def _told(trial: Trial) -> Check:
    return identity(trial) if trial.name in BLIND else noted(trial)

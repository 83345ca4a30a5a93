"""Whether a set leans: a judge that knows nobody prefers the same side in most of its pairs."""

from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from pairwright.audit.records import Check, CheckDefinition, Definitions, LimitComparison
from pairwright.audit.shortcuts.trials import Trial, comparison, note
from pairwright.blind_preference import NOT_MEASURED, PreferenceCase, preference_case
from pairwright.dataset import Row
from pairwright.intervals import AccuracyLimits
from pairwright.modes import MODES, Mode, is_twin

BLIND_PREFERENCE = CheckDefinition(
    family="shortcuts",
    name="blind_preference",
    title="A judge that knows nobody prefers the chosen response",
    why="The judge of the build was asked in both orders which response a typical asker would"
    " rather have, without a tie. Pairs that are level one by one can lean as a set, and then"
    " taking the better answer, or avoiding it, needs no user.",
    todo="Write the weaker side better, or build more twins: there each response is chosen once.",
    by_estimate=True,
)


class PreferenceLean:
    """The share of each mode, over its configurations. It decides where pairs are no twins."""

    definitions: ClassVar[Definitions] = (BLIND_PREFERENCE,)

    def __init__(self, limits: AccuracyLimits) -> None:
        self._limits = limits
        self._cases: defaultdict[Mode | None, list[PreferenceCase]] = defaultdict(list)

    def add(self, row: Row) -> None:
        cases = self._cases[row.mode]
        if case := preference_case(row):
            cases.append(case)

    def checks(self) -> Iterator[Check | LimitComparison]:
        for mode in (*MODES, None):
            if mode in self._cases:
                trial = _trial(mode, self._cases[mode])
                decides = len(trial.points) and not is_twin(mode)
                yield comparison(trial, self._limits) if decides else note(trial)


def _trial(mode: Mode | None, cases: list[PreferenceCase]) -> Trial:
    points = [(c.cluster, c.preference / 2) for c in cases if c.preference is not None]
    _, clusters = np.unique([cluster for cluster, _ in points], return_inverse=True)
    missing = len(cases) - len(points)
    said = ["In the half of the user who asked; over both it is one half by identity."]
    if not points:
        said = [f"{NOT_MEASURED.capitalize()}."]
    elif not is_twin(mode):
        said = []
    if missing and points:
        said.append(f"Of {missing:,} more no choice could be read.")
    return Trial(
        definition=BLIND_PREFERENCE,
        config=f"mode {mode}" if mode else "",
        mode=None,
        places=np.arange(len(points)),
        points=np.array([point for _, point in points], np.float64),
        clusters=clusters,
        like=np.ones(len(points), np.bool_),
        why=" ".join(said),
    )

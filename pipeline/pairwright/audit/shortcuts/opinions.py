"""What others think of both responses: a judge that knows nobody, and of published ones the voters.

A set leans where the judge prefers the same side in most of its pairs.
"""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from pairwright.answer_traits import AnswerTraits, Trait, row_traits, trait_figures
from pairwright.audit.records import Check, LimitComparison
from pairwright.audit.shortcuts.trials import Trial, comparison, note
from pairwright.blind_preference import NOT_MEASURED, PreferenceCase, preference_case
from pairwright.dataset import Row
from pairwright.intervals import AccuracyLimits
from pairwright.modes import MODES, Mode, is_twin


class PreferenceLean:
    """The share of each mode, over its configurations. It decides where pairs are no twins."""

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
        name="blind_preference",
        config=f"mode {mode}" if mode else "",
        mode=None,
        places=np.arange(len(points)),
        points=np.array([point for _, point in points], np.float64),
        clusters=clusters,
        like=np.ones(len(points), np.bool_),
        why=" ".join(said),
    )


_BY_TRAIT: dict[Trait, str] = {"votes": "more_votes", "time": "earlier"}
"""Length has a limit in all pairs, by the check `length`."""


class PublishedAnswers:
    """The figures of both traits, in each configuration whose rows name the source of responses."""

    def __init__(self) -> None:
        self._cases: dict[str, list[tuple[str, AnswerTraits, AnswerTraits]]] = defaultdict(list)

    def add(self, row: Row) -> None:
        if traits := row_traits(row):
            self._cases[row.config].append((row.user or row.cluster, *traits))

    def checks(self) -> Iterator[Check]:
        """Notes: no limit holds for people's own choices."""
        for config, cases in sorted(self._cases.items()):
            for figure in trait_figures(cases):
                if name := _BY_TRAIT.get(figure.trait):
                    yield Check(
                        family="shortcuts",
                        name=name,
                        config=config,
                        status="note",
                        found=figure.share,
                        of=figure.share.n,
                        detail="A tie counts one half.",
                    )

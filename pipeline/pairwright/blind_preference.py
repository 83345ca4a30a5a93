"""How a set of pairs leans: which response a judge that knows nobody would rather have.

Two responses that are about level can still have one that is a little ahead. Where that is the same
side in most pairs of a set, taking or avoiding the better response needs no user. On whole twins it
is right in one half by identity, so there the figure is of the half of the user who asked.
"""

from collections.abc import Iterable
from typing import NamedTuple

from pairwright.dataset import Row
from pairwright.estimate import Estimate
from pairwright.intervals import accuracy_by_cluster
from pairwright.modes import has_no_preference, has_rubric, is_twin
from pairwright.records import BlindPreference, Mode, Record

CHOSEN, OF_ASKER = "the chosen response", "the response for the user who asked"
NOT_MEASURED = "which response a judge that knows nobody prefers was not measured"


class PreferenceCase(NamedTuple):
    """What a judge that knows nobody would rather have of one judged pair or twin."""

    mode: Mode
    cluster: str
    preference: BlindPreference | None
    """In how many orders it takes the chosen response; of a twin, that for the user who asked. None
    where it was not asked, or no reply could be read."""


class PreferenceFigure(Record):
    """How often that is the chosen response, over the pairs of one mode."""

    mode: Mode
    share: Estimate | None
    """A choice that changes with the order counts one half. Its n are pairs, or twins; None where
    nothing was measured."""
    unmeasured: int
    """Judged pairs, or twins, without a choice that could be read."""

    @property
    def side(self) -> str:
        """The response whose share it is."""
        return OF_ASKER if is_twin(self.mode) else CHOSEN

    @property
    def leans(self) -> bool:
        """Whether the 95 % interval excludes one half."""
        if self.share is None or self.share.low is None or self.share.high is None:
            return False
        return not self.share.low <= 0.5 <= self.share.high

    def __str__(self) -> str:
        """`2.5 of 10: 25 % (8 to 56)`, in percent, and how many are not measured."""
        missing = f"{self.unmeasured:,} not measured" if self.unmeasured else ""
        share = self.share
        if share is None or share.value is None:
            return missing
        # A choice that changes with the order counts one half, and the value is rounded.
        chosen = round(2 * share.value * share.n) / 2
        text = f"{chosen:g} of {share.n:,}: {share.percent()}"
        return f"{text}; {missing}" if missing else text


def preference_case(row: Row) -> PreferenceCase | None:
    """What is counted of a row; None of a pair that no judge had a part in, of a placebo, which has
    no side that it could lean to, and of the other half of a twin, whose responses are the same."""
    if row.mode is None or row.judge is None or not has_rubric(row.mode):
        return None
    if is_twin(row.mode) and not row.asked:
        return None
    return PreferenceCase(mode=row.mode, cluster=row.cluster, preference=row.blind_preference)


def preference_figures(cases: Iterable[PreferenceCase]) -> tuple[PreferenceFigure, ...]:
    """A figure of each mode that there is a case of, and whose labels say something."""
    by_mode: dict[Mode, list[PreferenceCase]] = {}
    for case in cases:
        if not has_no_preference(case.mode):
            by_mode.setdefault(case.mode, []).append(case)
    return tuple(_figure(mode, own) for mode, own in sorted(by_mode.items()))


def _figure(mode: Mode, cases: list[PreferenceCase]) -> PreferenceFigure:
    points = [(c.cluster, c.preference / 2) for c in cases if c.preference is not None]
    return PreferenceFigure(
        mode=mode,
        share=accuracy_by_cluster(points) if points else None,
        unmeasured=len(cases) - len(points),
    )


def preference_sentence(figure: PreferenceFigure) -> str:
    """The figure in a sentence, with what it means for a scorer that knows nobody."""
    share, units = figure.share, "twins" if is_twin(figure.mode) else "pairs"
    if share is None or share.value is None:
        return f"Mode {figure.mode}: {NOT_MEASURED}."
    said = (
        f"Mode {figure.mode}: a judge that knows nobody, asked for a choice without a tie in both"
        f" orders, prefers {figure.side} in {share.percent()} of {share.n:,} {units}; a choice that"
        " changes with the order counts one half."
    )
    if figure.unmeasured:
        said += f" Of {figure.unmeasured:,} more no choice could be read."
    if is_twin(figure.mode):
        return f"{said} Over both halves that is one half by identity."
    taken, avoided = 100 * share.value, 100 * (1 - share.value)
    return (
        f"{said} So always taking the better answer is right in {taken:.0f} %, and always avoiding"
        f" it in {avoided:.0f} %, without any user."
    )

"""All figures of one result."""

from collections.abc import Iterator, Sequence

from pairwright.evaluate.decision import Decision
from pairwright.evaluate.measure.accuracy import accuracies, open_ends
from pairwright.evaluate.measure.calibration import calibration
from pairwright.evaluate.measure.consistency import consistency
from pairwright.evaluate.measure.figure import Figure
from pairwright.evaluate.measure.twins import twin_figures
from pairwright.evaluate.measure.units import Counted, by_mode
from pairwright.evaluate.measure.users import users_above_chance


def measured(decisions: Sequence[Decision]) -> tuple[Figure, ...]:
    """Of each mode in turn, those of the whole mode before those of its configs."""
    return tuple(figure for of in by_mode(decisions) for figure in _of_mode(of))


def _of_mode(of: Counted) -> Iterator[Figure]:
    yield from accuracies(of)
    yield from open_ends(of)
    yield from consistency(of)
    if of.mode == "twin":
        yield from twin_figures(of)
    yield users_above_chance(of)
    yield from calibration(of)

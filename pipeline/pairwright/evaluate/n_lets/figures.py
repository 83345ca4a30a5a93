"""How often the right user of k is picked by the chosen response, and by the other as a control."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from pairwright.evaluate.decision import NOTHING_TO_SHOW
from pairwright.evaluate.n_lets.n_let import NLetLine, pick_share
from pairwright.evaluate.release import ReleaseRef
from pairwright.evaluate.results import ScorerRef
from pairwright.intervals import (
    LEVEL,
    Interval,
    Places,
    accuracy,
    cluster_numbers,
    mean,
    with_width,
    z_of,
)
from pairwright.modes import MODES
from pairwright.records import Mode, Record


class NLetFigures(Record):
    """The figures of one scorer on one mode. Shares are from 0 to 1; n are pairs."""

    mode: Mode | None
    chosen: Interval | None
    """Share of pairs whose right user has the highest score for the chosen response. A user who
    is tied with t - 1 others counts 1/t, and a pair without a score counts 0. None where no pair
    has k users."""
    rejected: Interval | None
    """The same for the rejected response: the control."""
    gain: Interval | None
    """The first less the second, over the pairs with a score."""
    pairs: int
    """Pairs of the mode."""
    unscored: dict[str, int]
    """Pairs without a score, by reason."""
    strangers: int = 0
    """Strangers in all n-lets of the mode."""
    unknown: int | None = None
    """Of people's own choices, strangers of whom the release does not say whether they took or
    refused the chosen response: some of them would have taken it. None in other modes."""
    apart: dict[str, int]
    """Pairs with too few users to show, by reason. They are part of no figure."""


class ScorerNLets(Record):
    """One scorer's n-lets."""

    scorer: ScorerRef
    simulated: bool
    figures: tuple[NLetFigures, ...]

    @property
    def due(self) -> int:
        """Pairs with enough users to show."""
        return sum(one.pairs - sum(one.apart.values()) for one in self.figures)

    @property
    def unscored(self) -> int:
        """Those of them that have no score."""
        return sum(sum(one.unscored.values()) for one in self.figures)


class NLetScores(Record):
    """The n-lets of scorers on one release."""

    release: ReleaseRef
    users: int
    """The number of users in each n-let: k. Chance picks the right one in 1/k."""
    seed: int
    """The seed of the strangers."""
    limit: int | None
    split: str | None
    scorers: tuple[ScorerNLets, ...]


def n_let_figures(lines: Sequence[NLetLine]) -> Iterator[NLetFigures]:
    """The figures of one scorer's lines, of each mode in turn."""
    for mode in (*MODES, None):
        own = [line for line in lines if line.mode == mode]
        if not own:
            continue
        due = [line for line in own if line.unscored not in NOTHING_TO_SHOW]
        scored = [line for line in due if line.chosen]
        yield NLetFigures(
            mode=mode,
            chosen=_share([pick_share(one.chosen) if one.chosen else 0.0 for one in due], due),
            rejected=_share(
                [pick_share(one.rejected) if one.rejected else 0.0 for one in due], due
            ),
            gain=_gain(scored),
            pairs=len(own),
            unscored=_reasons(line for line in due if not line.chosen),
            strangers=sum(line.strangers for line in own),
            unknown=sum(line.unknown for line in own)
            if mode is not None and MODES[mode].own_choice
            else None,
            apart=_reasons(line for line in own if line.unscored in NOTHING_TO_SHOW),
        )


def _share(values: Sequence[float], lines: Sequence[NLetLine]) -> Interval | None:
    estimate = accuracy(np.array(values, np.float64), _clusters(lines))
    return estimate and estimate.found(z_of(LEVEL))


def _gain(lines: Sequence[NLetLine]) -> Interval | None:
    gains = [pick_share(one.chosen) - pick_share(one.rejected) for one in lines]
    estimate = mean(np.array(gains, np.float64), _clusters(lines), least=-1, most=1)
    return estimate and with_width(estimate)


def _clusters(lines: Sequence[NLetLine]) -> Places:
    return cluster_numbers([line.cluster for line in lines])


def _reasons(lines: Iterator[NLetLine]) -> dict[str, int]:
    return dict(sorted(Counter(line.unscored for line in lines).items()))

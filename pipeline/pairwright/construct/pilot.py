"""What a build will cost, from a pilot: a run on a part of the users, or on other users like them.

A pilot tells what no dry run can: how many items show a signal, find a partner and pass the gates.
Users are drawn, not items, because the items of one user succeed and fail together.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairwright.construct.manifest import target_mode
from pairwright.construct.outcomes import iterate_outcomes
from pairwright.errors import InputError
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.records import Mode
from pairwright.settings.config import Config

DRAWS = 4000
QUANTITIES = ("items", "kept", "calls", "prompt_tokens", "completion_tokens", "cost")


class Expected(NamedTuple):
    """One quantity of a build, with its 95 % interval."""

    name: str
    value: float
    low: float
    high: float
    """Infinite where a draw of the pilot's users may have kept nothing."""


class PilotEstimate(NamedTuple):
    """What a build is expected to take and to give."""

    mode: Mode
    """Whose units are counted as kept: twins, or pairs where no twins are built."""
    users: int
    items: int
    kept: int
    """Those of the pilot, by which it is estimated."""
    given: str
    """The quantity that is fixed: `kept` or `items`."""
    expected: tuple[Expected, ...]
    simulated: bool


class Pilot(NamedTuple):
    """What each user of a pilot took and gave; a user is the one who asked."""

    mode: Mode
    figures: npt.NDArray[np.float64]
    """Shape (users, quantities), in the order of `QUANTITIES`."""
    simulated: bool

    def expect(self, *, kept: int | None = None, items: int | None = None) -> PilotEstimate:
        """What so many kept units, or so many items, will take: a ratio of sums over users, and
        the percentiles of that ratio over bootstrap draws of users (Efron 1979).

        Raises InputError where nothing of the pilot can be divided by.
        """
        given, n = ("kept", kept) if kept is not None else ("items", items)
        by = QUANTITIES.index(given)
        total = self.figures.sum(axis=0)
        users = len(self.figures)
        if not n or not total[by]:
            raise InputError(
                f"the pilot has {'kept nothing' if given == 'kept' else 'no items that ended'}",
                where="--pilot",
                fix="Build more items in it first: --limit N with a larger N.",
            )
        draws = np.random.default_rng(0).multinomial(users, np.full(users, 1 / users), size=DRAWS)
        sums = draws @ self.figures
        # By hand, so that no draw without a kept unit makes a warning.
        ratios = np.full_like(sums, np.inf)
        np.divide(sums, sums[:, [by]], out=ratios, where=sums[:, [by]] > 0)
        low, high = np.percentile(ratios, (2.5, 97.5), axis=0, method="inverted_cdf")
        return PilotEstimate(
            self.mode, users, int(total[0]), int(total[1]), given,
            tuple(
                Expected(name, *(float(n * x) for x in (total[k] / total[by], low[k], high[k])))
                for k, name in enumerate(QUANTITIES)
                if name != given
            ),
            self.simulated,
        )  # fmt: skip


def read_pilot(store: Store, config: Config) -> Pilot:
    """Read what each user of a run took and gave, by the prices of `config`.

    Calls count for the user whose question they are about; a call that two questions share counts
    for the first. Raises InputError where no unit has ended.
    """
    mode = target_mode(config.modes)
    prices = {endpoint.model: endpoint for endpoint in reversed(config.endpoints.values())}
    by_user: dict[str, dict[str, float]] = {}
    items, keys, simulated = set[str](), set[str](), False
    for outcome in iterate_outcomes(store):
        counts = by_user.setdefault(outcome.user, dict.fromkeys(QUANTITIES, 0))
        simulated |= outcome.simulated
        if outcome.mode == mode:
            counts["kept"] += outcome.kind == "kept"
        if outcome.item_id not in items:
            items.add(outcome.item_id)
            counts["items"] += 1
        for call in outcome.calls:
            if call.key in keys or (used := store.used_by(call.key)) is None:
                continue
            keys.add(call.key)
            model, tokens = used
            sent, received = tokens.prompt_tokens, tokens.completion_tokens
            price = (
                prices[model].cost(sent, received, tokens.cached_tokens) if model in prices else 0
            )
            added = {
                "calls": 1,
                "prompt_tokens": sent,
                "completion_tokens": received,
                "cost": price,
            }
            for name, n in added.items():
                counts[name] += n
    if not by_user:
        raise InputError(
            "no unit of it has ended",
            where=store.path.parent,
            fix="Name a run folder that was built.",
        )
    figures = [[user[name] for name in QUANTITIES] for _, user in sorted(by_user.items())]
    return Pilot(mode, np.array(figures, dtype=float), simulated)


def kept_word(mode: Mode) -> str:
    """What is counted as kept, as in `twins`."""
    return f"{mode}s" if MODES[mode].halves > 1 else "pairs"

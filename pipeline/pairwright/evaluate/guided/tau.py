"""Do rewards that rank pairs well also guide well? Kendall's tau over rewards."""

from collections.abc import Sequence

import numpy as np

from pairwright.evaluate.correlate.chance import by_chance
from pairwright.evaluate.correlate.interval import jackknife
from pairwright.evaluate.correlate.measures import Measure, kendall
from pairwright.evaluate.correlate.table import FEWEST
from pairwright.evaluate.guided.records import Line, Tau

_TAU = Measure("Kendall", kendall, True, "tau-b")


def taus(lines: Sequence[Line], seed: int) -> tuple[Tau, ...]:
    """One for each policy, beta, condition and mode: policies are not mixed, for a policy's own
    accuracy would then be taken for that of its rewards."""
    groups: dict[tuple[object, ...], dict[str, Line]] = {}
    for line in lines:
        key = (line.policy, line.beta, line.condition, line.mode)
        groups.setdefault(key, {}).setdefault(line.reward, line)
    return tuple(_tau(tuple(of.values()), seed) for of in groups.values())


def _tau(lines: tuple[Line, ...], seed: int) -> Tau:
    first = lines[0]
    bare = Tau(
        policy=first.policy,
        beta=first.beta,
        per_token=first.per_token,
        condition=first.condition,
        mode=first.mode,
        n=len(lines),
    )
    if len(lines) < FEWEST:
        return bare.model_copy(
            update={"note": f"nothing can be said of fewer than {FEWEST} rewards"}
        )
    x = np.array([of.reward_alone.value for of in lines], np.float64)
    y = np.array([of.accuracy.value for of in lines], np.float64)
    if len(set(x)) == 1 or len(set(y)) == 1:
        return bare.model_copy(update={"note": "one of the two accuracies is the same for all"})
    rewards = tuple(of.reward for of in lines)
    interval = jackknife(lambda kept: kendall(x[kept], y[kept]), rewards).interval()
    return bare.model_copy(
        update={
            "value": round(float(kendall(x, y)), 6),
            "interval": interval,
            "chance": by_chance(_TAU, x, y, seed),
        }
    )

"""Checks of an accuracy: how often a way of choosing picks the chosen response, against a limit.

An audit compares dozens of accuracies with a limit. If each were decided at 95 %, one audit in
three of pairs without a fault would fail; so Holm's method decides them together, and all of them
err in at most `LEVEL` of audits. Every other check counts rows, so chance plays no role.
"""

import math
from collections.abc import Sequence

from scipy import special
from statsmodels.stats.multitest import multipletests

from pairwright.audits.checks import DEFINITIONS
from pairwright.audits.records import Check, Status
from pairwright.stats import LEVEL, Accuracy, Floats, Places, accuracy, z_of


def accuracy_check(
    name: str,
    config: str,
    points: Floats,
    clusters: Places,
    *,
    limit: float | None = None,
    either_side: bool = True,
    chance: float | None = None,
    detail: str = "",
    rules: int = 1,
) -> Check:
    """The check of points, shape (n,). Without a limit it is a note. With one its status is what it
    is if `decide` finds its `p` small enough.

    `either_side`: whether max(accuracy, 1 - accuracy) is what counts. `rules`: the number of ways
    of choosing that this is the best of.
    """
    own = accuracy(points, clusters)
    status: Status = "note" if limit is None else "too_few"
    p = None
    if own is not None and limit is not None:
        value = max(own.value, 1 - own.value) if either_side else own.value
        status = "fail" if value > limit else "pass"
        p = min(1.0, rules * _p(own, value, limit))
    return Check(
        family=DEFINITIONS[name].family, name=name, config=config, status=status,
        found=own and own.found(z_of(LEVEL)), of=len(points), limit=limit,
        chance=None if chance is None else round(chance, 6), detail=detail, p=p,
    )  # fmt: skip


def _p(own: Accuracy, value: float, limit: float) -> float:
    """The p value of the score test of a share, with the effective number of pairs without ties.
    By Student's t; its degrees of freedom are the clusters less one. (The z^2 / 4 wins and losses
    are as in `Accuracy.effective`: with them all pairs may be ties.)"""
    if own.clusters < 2:
        return 1.0
    z = z_of(LEVEL)
    n = own.n + z * z / 2
    p = (own.value * own.n + z * z / 4) / n
    effective = own.n / own.design / (1 - own.tied * own.n / n / (4 * p * (1 - p)))
    distance = abs(value - limit) / math.sqrt(max(limit * (1 - limit), 1e-12) / effective)
    return float(2 * special.stdtr(own.clusters - 1, -distance))


def decide(checks: Sequence[Check]) -> list[Check]:
    """The checks in their order; those with a p are decided together, and have too few pairs if it
    is not small enough."""
    ps = [check.p for check in checks if check.p is not None]
    settled = iter(multipletests(ps, LEVEL, method="holm")[0] if ps else ())
    return [
        check if check.p is None or next(settled) else Check(**dict(check) | {"status": "too_few"})
        for check in checks
    ]

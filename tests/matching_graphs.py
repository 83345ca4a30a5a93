"""Random graphs of users who could be partners, and the best matching of one."""

import random
from collections import Counter

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from pairwright.construct.partners import TWIN, Couple


def random_graph(users: int, each: int, seed: int) -> dict[Couple, int]:
    """So many users, each with a question that so many others show a signal for, most of them near
    on a ring, as a build tries questions."""
    drawn = random.Random(seed)
    usable: Counter[Couple] = Counter()
    for user in range(users):
        near = [(user + step) % users for step in range(-each, each + 1) if step]
        for other in drawn.sample(near, drawn.randint(0, each)):
            first, second = sorted((f"u{user:05}", f"u{other:05}"))
            usable[first, second] += 1
    return {couple: n * TWIN + drawn.randint(1, 9) for couple, n in usable.items()}


def most_questions(worth: dict[Couple, int]) -> int:
    """The most questions that disjoint couples of a graph have, by integer programming."""
    couples = sorted(worth)
    users = sorted({user for couple in couples for user in couple})
    incidence = np.array([[user in couple for couple in couples] for user in users], dtype=float)
    found = milp(
        [-(worth[couple] // TWIN) for couple in couples],
        constraints=LinearConstraint(incidence, ub=1),
        integrality=np.ones(len(couples)),
        bounds=Bounds(0, 1),
    )
    assert found.success
    return round(-float(found.fun))


def questions_of(partners: dict[str, str], worth: dict[Couple, int]) -> int:
    return sum(worth[couple] // TWIN for couple in worth if partners.get(couple[0]) == couple[1])

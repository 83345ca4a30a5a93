"""How far the matching of partners is from the best there is, on random graphs.

python benchmarks/matching.py [GRAPHS]

Each user has a question, tried on ten near users of a ring; some of them show a signal. The best is
found by integer programming (SciPy's HiGHS). The last line has the worst and the mean share of the
best number of questions, and the seconds that a matching takes.
"""

import json
import random
import sys
import time
from collections import Counter

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from pairwright.construct.partners import Couple, Worth, match_couples

EACH = 5


def random_graph(users: int, seed: int) -> dict[Couple, Worth]:
    """Couples with how many questions they could be given."""
    drawn = random.Random(seed)
    usable: Counter[Couple] = Counter()
    for user in range(users):
        near = [(user + step) % users for step in range(-EACH, EACH + 1) if step]
        for other in drawn.sample(near, drawn.randint(0, EACH)):
            first, second = sorted((f"u{user:05}", f"u{other:05}"))
            usable[first, second] += 1
    return {couple: Worth(n, drawn.randint(1, 9999)) for couple, n in usable.items()}


def most_questions(worth: dict[Couple, Worth]) -> int:
    """The most questions that disjoint couples of a graph can be given."""
    couples = sorted(worth)
    users = sorted({user for couple in couples for user in couple})
    incidence = np.array([[user in couple for couple in couples] for user in users], dtype=float)
    found = milp(
        [-worth[couple].questions for couple in couples],
        constraints=LinearConstraint(incidence, ub=1),
        integrality=np.ones(len(couples)),
        bounds=Bounds(0, 1),
    )
    assert found.success
    return round(-float(found.fun))


def main() -> None:
    graphs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    last = {}
    for users in (12, 60, 200, 500):
        shares, seconds = [], 0.0
        for seed in range(graphs):
            worth = random_graph(users, seed)
            began = time.perf_counter()
            partners = match_couples(worth, seed)
            seconds += time.perf_counter() - began
            given = sum(worth[c].questions for c in worth if partners.get(c[0]) == c[1])
            shares.append(given / most_questions(worth))
        last = {
            "users": users,
            "graphs": graphs,
            "worst": round(min(shares), 3),
            "mean": round(sum(shares) / graphs, 3),
            "seconds": round(seconds / graphs, 4),
        }
        print(json.dumps(last))


if __name__ == "__main__":
    main()

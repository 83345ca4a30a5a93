"""How far the matching of partners is from the best there is, on random graphs.

python benchmarks/matching.py [GRAPHS]

Each user has a question, tried on ten near users of a ring; some of them show a signal. The best is
found by integer programming (SciPy's HiGHS). The last line has the worst and the mean share of the
best number of questions, and the seconds that a matching takes.
"""

import json
import sys
import time
from pathlib import Path

from pairwright.construct.partners import match_couples

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from matching_graphs import most_questions, questions_of, random_graph

EACH = 5


def main() -> None:
    graphs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    last = {}
    for users in (12, 60, 200, 500):
        shares, seconds = [], 0.0
        for seed in range(graphs):
            worth = random_graph(users, EACH, seed)
            began = time.perf_counter()
            partners = match_couples(worth, seed)
            seconds += time.perf_counter() - began
            shares.append(questions_of(partners, worth) / most_questions(worth))
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

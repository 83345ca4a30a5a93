"""What is known of natural twins of real conversations: words barely show the choice, votes do.

python benchmarks/natural.py [FOLDER]

FOLDER holds exported conversations of Polis; without it those of the shared data are taken, and the
benchmark is skipped where they are not there. `examples/polis_to_choices.py` makes tables of them,
and `pairwright build` the twins. Scorers:

- `overlap`: content words that a response shares with the user's own statements, ties half
- `neighbours`: how the other participants voted on the response, each weighed by how alike they
  and the person voted on everything else. The person's votes on the two responses are not used, nor
  is the partner, whose votes on them are known to be the reverse
- `blind`: the length of a response, which is one half by identity

Accuracies come with n and 95 % intervals by couple. By source, Cochran's Q (1954,
Biometrics 10, 101-129) says whether conversations differ by more than that. The last line is JSON.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pairwright import build
from pairwright.assets import EXAMPLES
from pairwright.construct.outcomes import iterate_pairs
from pairwright.evaluation.scorers.scorer import BASELINES, PromptContent
from pairwright.records import Pair, content_id, dyad_id
from pairwright.stats import LEVEL, Places, accuracy, cluster_numbers, z_of

CONVERSATIONS = Path(__file__).resolve().parents[2] / "shared" / "data" / "polis"
Floats = NDArray[np.float64]
Scores = list[tuple[float, float]]


class Votes(NamedTuple):
    """One conversation. Arrays have the shape (statements, participants)."""

    voted: Floats
    """1 for, -1 against, 0 where nothing was said."""
    said: Floats
    """1 where somebody voted for or against, else 0."""
    lean: Floats
    """The vote less the mean vote on the statement; 0 where there is none."""
    people: dict[str, int]
    statements: dict[str, int]
    """Rows by the statement's text."""


def read_votes(folder: Path) -> Votes:
    """The votes, read without Pairwright's own reader."""
    comments = pd.read_csv(folder / "comments.csv", dtype=str).set_index("comment-id")
    table = pd.read_csv(folder / "participants-votes.csv", dtype={"participant": str})
    columns = [name for name in table.columns if name in comments.index]
    votes = np.ascontiguousarray(table[columns].fillna(0).to_numpy(np.float64).T)
    said = np.abs(votes)
    mean = votes.sum(1) / np.maximum(said.sum(1), 1)
    texts = comments["comment-body"]
    return Votes(
        votes,
        said,
        (votes - mean[:, None]) * said,
        {name: n for n, name in enumerate(table["participant"])},
        {" ".join(texts[name].split()): n for n, name in enumerate(columns)},
    )


def neighbours(pair: Pair, partner: str, votes: Votes) -> tuple[float, float]:
    """How far those who vote like the user lean to both responses: the mean of their leanings,
    weighed by the cosine of theirs and the user's on everything else."""
    me, other = (votes.people[user.rpartition("/")[2]] for user in (pair.user, partner))
    about = [votes.statements[" ".join(side.split())] for side in (pair.chosen, pair.rejected)]
    rest = np.setdiff1d(np.flatnonzero(votes.said[:, me]), about)
    own, theirs = votes.lean[rest, me], votes.lean[rest]
    lengths = np.sqrt((theirs**2).sum(0)) * np.linalg.norm(own)
    alike = own @ theirs / np.maximum(lengths, 1e-9)
    # Of the two statements nothing is known that these two said of them, the mean vote included.
    said, voted = votes.said[about].copy(), votes.voted[about].copy()
    said[:, [me, other]] = voted[:, [me, other]] = 0
    mean = voted.sum(1) / np.maximum(said.sum(1), 1)
    weights = said @ np.abs(alike)
    chosen, rejected = (voted - mean[:, None] * said) @ alike / np.maximum(weights, 1e-9)
    return float(chosen), float(rejected)


def words(name: str, pair: Pair) -> tuple[float, float]:
    """A baseline's scores of both responses, shown the user's own statements."""
    shown = PromptContent(pair.question, pair.profile)
    return BASELINES[name](shown, pair.chosen), BASELINES[name](shown, pair.rejected)


def found(scores: Scores, clusters: Places, *, twins: bool = False) -> dict[str, float]:
    """The accuracy over halves or, of the sum of both halves' margins, over twins; ties half."""
    margins = np.array([chosen - rejected for chosen, rejected in scores])
    if twins:
        margins, clusters = margins.reshape(-1, 2).sum(1), clusters[::2]
    # Sums of floats that cancel are ties.
    points = (np.sign(np.round(margins, 9)) + 1) / 2
    estimate = accuracy(points, clusters)
    assert estimate
    low, high = estimate.interval(z_of(LEVEL))
    return {"value": estimate.value, "low": low, "high": high, "n": estimate.n}


def heterogeneity(figures: list[dict[str, float]]) -> float:
    """Cochran's Q of accuracies, each with the variance that its interval shows."""
    values = np.array([one["value"] for one in figures])
    weights = np.array([(2 * z_of(LEVEL) / (one["high"] - one["low"])) ** 2 for one in figures])
    return float(weights @ (values - weights @ values / weights.sum()) ** 2)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CONVERSATIONS
    if not folder.is_dir():
        print(json.dumps({"skipped": f"no conversations at {folder}"}))
        return
    began = time.process_time()
    with tempfile.TemporaryDirectory() as made:
        script = str(EXAMPLES / "polis_to_choices.py")
        subprocess.run([sys.executable, script, str(folder.resolve()), made], check=True)
        build(Path(made) / "pairwright.toml", Path(made) / "run")
        pairs = list(iterate_pairs(Path(made) / "run"))
    twins = {
        pair.twin_id: (pair.user, other.user)
        for pair, other in zip(pairs[::2], pairs[1::2], strict=True)
    }
    partners = [next(user for user in twins[pair.twin_id] if user != pair.user) for pair in pairs]
    dyads = [dyad_id((pair.user, other)) for pair, other in zip(pairs, partners, strict=True)]
    clusters = cluster_numbers(dyads)
    statements = [
        sorted(content_id("text", side) for side in (pair.chosen, pair.rejected)) for pair in pairs
    ]
    dyads_of: dict[str, set[str]] = {}
    for dyad, both in zip(dyads, statements, strict=True):
        for statement in both:
            dyads_of.setdefault(statement, set()).add(dyad)
    shared = float(np.mean([max(len(dyads_of[one]) for one in both) > 1 for both in statements]))
    conversations = [pair.user.rpartition("/")[0] for pair in pairs]
    inside = {name: folder / name if (folder / name).is_dir() else folder for name in conversations}
    votes = {name: read_votes(path) for name, path in inside.items()}
    scores = {
        "overlap": [words("overlap", pair) for pair in pairs],
        "similarity": [words("similarity", pair) for pair in pairs],
        "neighbours": [
            neighbours(pair, partner, votes[name])
            for pair, partner, name in zip(pairs, partners, conversations, strict=True)
        ],
        "blind": [words("longer", pair) for pair in pairs],
    }
    spent = time.process_time() - began
    figures = {name: found(both, clusters) for name, both in scores.items()}
    whole = {name: found(both, clusters, twins=True) for name, both in scores.items()}
    for unit, some in (("halves", figures), ("twins, both margins", whole)):
        for name, one in some.items():
            print(
                f"{name:11} {one['value']:.3f} ({one['low']:.3f} to {one['high']:.3f}),"
                f" n = {one['n']:,} {unit}, {len(set(dyads)):,} couples"
            )
    sources: dict[str, dict[str, dict[str, float]]] = {}
    for name in sorted(votes):
        own = np.array([name == one for one in conversations])
        sources[name] = {
            scorer: found([s for s, here in zip(both, own, strict=True) if here], clusters[own])
            for scorer, both in scores.items()
        }
        print(f"{name}: {own.sum() // 2:,} twins, {len(set(clusters[own])):,} couples")
        for scorer, one in sources[name].items():
            print(f"  {scorer:11} {one['value']:.3f} ({one['low']:.3f} to {one['high']:.3f})")
    q = heterogeneity([some["neighbours"] for some in sources.values()])
    print(f"neighbours differ by source: Q = {q:.1f} at {len(sources) - 1} df")
    print(f"{shared:.1%} of pairs share a statement with another couple")
    print(
        json.dumps(
            {
                "twins": len(pairs) // 2,
                "couples": len(set(dyads)),
                **{name: round(one["value"], 4) for name, one in figures.items()},
                "overlap_of_twins": round(whole["overlap"]["value"], 4),
                "neighbours_of_twins": round(whole["neighbours"]["value"], 4),
                "sources": {
                    name: {
                        scorer: [round(one[end], 4) for end in ("value", "low", "high")]
                        for scorer, one in some.items()
                    }
                    for name, some in sources.items()
                },
                "neighbours_q": round(q, 1),
                "pairs_with_a_shared_statement": round(shared, 4),
                "cpu_s": round(spent, 1),
            }
        )
    )


if __name__ == "__main__":
    main()

"""Whether the leaderboard's controls find what is planted, and nothing where there is nothing.

    python benchmarks/controls.py [LEADERBOARDS]

Null: leaderboards (200) of five random scorers, a random judge among them, and a random word
overlap, on 60 twins and 60 pairs of mode violate, in conditions none, profile and
profile-without-evidence. A sentence on any of them is false, and so are two rows without a common
letter in any of the ranked tables (`false_board_letters`, with Wilson's interval). Beside it, by
table: in how many of the ranked tables there are such rows.

Planted: 1,500 twins whose users state two wishes each in one post among 8 about other things. Each
response serves the wishes of one user. A reader knows a wish from its post alone; a follower scores
word overlap with noise. Both are evaluated by the evaluation's own conditions.

The last line is JSON.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from decided import board_of, judged, result, twin, violate
from pairwright.dataset import Row
from pairwright.evaluation.board.board import Leaderboard
from pairwright.evaluation.board.findings import ScorerFinding
from pairwright.evaluation.conditions import ConditionName
from pairwright.evaluation.content import ContentSources, Strangers, partners_of
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.evaluation import Evaluation, evaluate
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.scorers.scorer import (
    BASELINES,
    Baseline,
    PromptContent,
    ResponseScore,
    Scorer,
)
from pairwright.evaluation.settings import ALL_POSTS

OVERLAP = ScorerRef(name="overlap", kind="baseline")
CONDITIONS: tuple[ConditionName, ...] = ("none", "profile", "profile-without-evidence")
TWINS, PAIRS, SCORERS = 60, 60, 5
PLANTED = 1500


def main() -> None:
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    began, cpu = time.perf_counter(), time.process_time()
    null = null_leaderboards(boards)
    planted = planted_scorers()
    took = {
        "wall_s": round(time.perf_counter() - began, 1),
        "cpu_s": round(time.process_time() - cpu, 1),
    }
    print(json.dumps(null))
    print(json.dumps({**null, **planted, **took}))


def null_leaderboards(boards: int) -> dict[str, object]:
    """Of how many leaderboards of random scorers any sentence or table finds something."""
    chance = np.random.default_rng(0)
    false, false_boards, apart, tables, smallest = 0, 0, 0, 0, []
    for _ in range(boards):
        with tempfile.TemporaryDirectory() as folder:
            board = _random_board(Path(folder), chance)
        false += any(one.found for one in board.findings)
        smallest.append(min(one.p for one in board.findings))
        # Rows that share no letter in some table.
        letters = [
            len(set.union(*(set(own.split()) for own in ranking.groups.values()))) > 1
            for ranking in board.rankings
            if len(ranking.ranked) > 1
        ]
        tables += len(letters)
        apart += sum(letters)
        false_boards += any(letters)
    return {
        "leaderboards": boards,
        "tests_each": len(board.findings),
        "with_a_false_sentence": round(false / boards, 4),
        "tables": tables,
        "with_a_false_difference": round(apart / tables, 4),
        "false_board_letters": round(false_boards / boards, 4),
        "false_board_letters_interval": _wilson(false_boards, boards),
        "with_p_below_5_before_holm": round(float(np.mean(np.array(smallest) < 0.05)), 4),
    }


def _wilson(found: int, n: int) -> list[float]:
    interval = binomtest(found, n).proportion_ci(method="wilson")
    return [round(float(interval.low), 4), round(float(interval.high), 4)]


def _random_board(folder: Path, chance: np.random.Generator) -> Leaderboard:
    for condition in CONDITIONS:
        if condition != "none":
            result(folder, "overlap", _random(chance), condition, scorer=OVERLAP)
        for number in range(SCORERS - 1):
            result(folder, f"model-{number}", _random(chance), condition)
        result(folder, "judge", _random_judge(chance), condition)
    return board_of(folder)


def _random(chance: np.random.Generator) -> list[PairDecision]:
    lead = np.where(chance.random((TWINS, 2)) < 0.5, 1.0, -1.0).tolist()
    twins = [half for n, (a, b) in enumerate(lead) for half in twin(n, (a, 0.0), (b, 0.0))]
    leads = np.where(chance.random(PAIRS) < 0.5, 1.0, -1.0).tolist()
    return [*twins, *(violate(n, lead) for n, lead in enumerate(leads))]


def _random_judge(chance: np.random.Generator) -> list[PairDecision]:
    sides = np.array(["chosen", "rejected"])
    orders = sides[chance.integers(0, 2, (2 * TWINS + PAIRS, 2))].tolist()
    halves = [
        half.model_copy(update={"chosen": None, "rejected": None})
        for n in range(TWINS)
        for half in twin(n, (0.0, 0.0), (0.0, 0.0))
    ]
    twins = [
        half.model_copy(update={"orders": tuple(own)})
        for half, own in zip(halves, orders, strict=False)
    ]
    pairs = [judged(n, *own) for n, own in enumerate(orders[2 * TWINS :])]
    return [*twins, *pairs]


class Reader(NamedTuple):
    """It knows what a user wishes from posts that state a wish, and from nothing else."""

    wishes: frozenset[str]
    chance: np.random.Generator

    async def score(self, shown: PromptContent, response: str) -> ResponseScore:
        known = {word for post in shown.posts for word in post.text.split()} & self.wishes
        served = len(known & set(response.split()))
        # Where nothing is known it guesses: with ties it would be at one half exactly.
        return ResponseScore(served + 0.5 * float(self.chance.random()))


class Follower(NamedTuple):
    """Word overlap with noise."""

    chance: np.random.Generator

    async def score(self, shown: PromptContent, response: str) -> ResponseScore:
        noise = float(self.chance.normal(0, 0.8))
        return ResponseScore(BASELINES["overlap"](shown, response) + noise)


def planted_scorers() -> dict[str, object]:
    """Where a planted reader and a planted follower of words end in each condition."""
    chance = np.random.default_rng(1)
    rows, wishes = _planted_rows(chance)
    scorers: dict[str, Scorer] = {
        "overlap": Baseline("overlap"),
        "reader": Reader(wishes, chance),
        "follower": Follower(chance),
    }
    sources = ContentSources(ALL_POSTS, Strangers((), 0), partners=partners_of(rows))
    conditions: tuple[ConditionName, ...] = (
        "none", "profile", "profile-without-evidence", "evidence-only", "partner-profile",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name, scorer in scorers.items():
            for condition in conditions:
                decisions = _evaluated(rows, Evaluation(scorer, condition, sources))
                ref = OVERLAP if name == "overlap" else ScorerRef(name=name, kind="python")
                result(Path(folder), name, decisions, condition, scorer=ref)
        board = board_of(Path(folder))
    accuracies = {
        f"{name}_{condition}": _accuracy(board, f"{name}.{condition}")
        for name in ("reader", "follower")
        for condition in conditions
    }
    slices = {
        f"{one.scorer}_where_overlap_is_wrong": one.value.value
        for one in board.findings
        if one.question == "overlap"
    }
    return {
        "twins": PLANTED,
        **accuracies,
        **slices,
        "found": sorted(f"{one.scorer}: {_found(one)}" for one in board.findings if one.found),
    }


def _found(one: ScorerFinding) -> str:
    return f"{one.question} {'above' if one.above else 'below'}"


def _accuracy(board: Leaderboard, row: str) -> list[float | None]:
    figure = board.entries[row].figure("accuracy", "twin")
    assert figure
    return [None if x is None else round(x, 3) for x in (figure.value, figure.low, figure.high)]


def _evaluated(rows: Sequence[Row], evaluation: Evaluation) -> list[PairDecision]:
    return asyncio.run(
        evaluate(rows, evaluation, workers=1, stop=lambda: None, on_each=lambda _: None)
    )


def _planted_rows(chance: np.random.Generator) -> tuple[list[Row], frozenset[str]]:
    """Twins, and the words of wishes. Other posts share words with both responses by chance, so
    that word overlap is right on most halves and wrong on some."""
    rows: list[Row] = []
    wishes: set[str] = set()
    topics = [f"topic{n:03}" for n in range(200)]
    for number in range(PLANTED):
        words = [[f"wish{number:04}{side}{k}" for k in range(2)] for side in "uv"]
        wishes.update(words[0], words[1])
        about = [chance.choice(topics, 12, replace=False).tolist() for _ in range(2)]
        responses = [
            " ".join([*own[: int(chance.integers(1, 3))], *topic])
            for own, topic in zip(words, about, strict=True)
        ]
        for side, user in enumerate("uv"):
            posts = [
                {"id": f"{user}{number}-{k}",
                 "text": " ".join(chance.choice(topics, 15, replace=False).tolist())}
                for k in range(8)
            ]  # fmt: skip
            place = int(chance.integers(0, 9))
            stated = {"id": f"{user}{number}-stated", "text": "please " + " ".join(words[side])}
            aspects = [{"aspect": word, "post_ids": [stated["id"]]} for word in words[side]]
            rows.append(
                Row.model_validate(
                    {
                        "id": f"pair-{number}-{user}", "item_id": f"item-{number}", "mode": "twin",
                        "twin_id": f"twin-{number}", "asked": user == "u", "question": "What now?",
                        "user": f"{user}{number}", "dyad": f"dyad-{number}", "domain": "Home",
                        "chosen": responses[side], "rejected": responses[1 - side],
                        "profile": [*posts[:place], stated, *posts[place:]],
                        "rubric_aspects": aspects,
                    }
                )
            )  # fmt: skip
    return rows, frozenset(wishes)


if __name__ == "__main__":
    main()

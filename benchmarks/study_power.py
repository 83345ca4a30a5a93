"""Whether `pairwright human plan` knows the power of the leaderboard, by simulated studies.

A run is planned. For each size, studies are simulated as far as a leaderboard sees them: the right
and wrong answers of scorers on the twins that they verified, by a model that the plan does not know
(normal latent scores with parts common to a pair, a dyad and a scorer). The leaderboard's own tests
say in how many studies they find the differences that the plan calls detectable. The plan knows of
the model how often two scorers disagree, and how their differences correlate within a dyad.

    .venv/bin/python benchmarks/study_power.py RUN [STUDIES]

RUN is a run folder with a study that has answers, such as demo/run after `make demo`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from pairwright.construct.run_pairs import iterate_pairs
from pairwright.evaluation.board.comparisons import compare_rows
from pairwright.evaluation.board.sign_flips import SimulatedReleases
from pairwright.intervals import LEVEL, Floats, Places, accuracy, z_of
from pairwright.workflows.study_plan import cluster_sizes, plan_study
from pairwright_human_eval.subjects import subjects_of

SCORERS = 10
USUAL = 0.7
"""The accuracy around which two scorers differ."""
COMMON, DYAD = 0.48, 0.2
"""Shares of a latent score: what all scorers have in common on a pair; what a dyad's pairs have."""


class Question(NamedTuple):
    """One number of the plan."""

    name: str
    scorers: int
    accuracies: tuple[float, ...]
    planned: float
    """The power that the plan gives for it."""


def main(run: Path, studies: int) -> None:
    plan = plan_study(run, scorers=SCORERS, progress=lambda _: None)
    subjects = [s for s in subjects_of(iterate_pairs(run), run) if s.mode == plan.mode]
    worst, compared = 0.0, 0
    for size in plan.sizes:
        sizes = cluster_sizes(subjects, size.pairs // len(subjects[0].pairs))
        for question in questions(sizes):
            found = simulated_power(question, sizes, studies)
            print(
                f"{size.units} {plan.mode}s, {size.pairs} pairs in {size.clusters} clusters,"
                f" {question.name}: planned {question.planned:.3f}, found {found:.3f}",
                flush=True,
            )
            worst, compared = max(worst, abs(found - question.planned)), compared + 1
    print(json.dumps({"largest_deviation": round(worst, 3), "n": studies, "numbers": compared}))


def questions(sizes: list[int]) -> Iterator[Question]:
    """What the plan says of a release of this shape."""
    chance = np.random.default_rng(1)
    disagreement, correlation = _measured((USUAL, USUAL), chance)
    releases = SimulatedReleases(sizes, disagreement, correlation)
    for scorers in (2, SCORERS):
        least = releases.least_difference(scorers) or 0.9 * disagreement
        pair = USUAL + least / 2, USUAL - least / 2
        measured = SimulatedReleases(sizes, *_measured(pair, chance))
        accuracies = (*pair, *[USUAL] * (scorers - 2))
        power = measured.difference_power(least, scorers)
        yield Question(f"two of {scorers} scorers, {least:.3f}", scorers, accuracies, power)
    for scorers in (1, SCORERS):
        least = releases.least_accuracy(scorers) or 0.9
        measured = SimulatedReleases(sizes, 0.3, _right_correlation(least, chance))
        power = measured.chance_power(least, scorers)
        yield Question(f"one of {scorers} above 50 %, {least:.3f}", scorers, (least,), power)


def simulated_power(question: Question, sizes: list[int], studies: int) -> float:
    """The share of simulated studies in which the leaderboard finds it."""
    chance = np.random.default_rng(2)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    found = 0
    for _ in range(studies):
        right = _answers(question.accuracies, clusters, chance)
        if len(right) == 1:
            of_one = accuracy(right[0], clusters)
            assert of_one
            low, _ = of_one.interval(z_of(LEVEL / question.scorers))
            found += low > 0.5
        else:
            names = tuple(f"scorer-{n}" for n in range(len(right)))
            points = dict(zip(names, right, strict=True))
            first = compare_rows(names, points, clusters)[0][0]
            found += first.adjusted < LEVEL and first.difference > 0
    return found / studies


def _answers(
    accuracies: tuple[float, ...], clusters: Places, chance: np.random.Generator
) -> Floats:
    """Right and wrong answers, shape (scorers, pairs)."""

    def latent(rows: int) -> Floats:
        of_dyad = chance.standard_normal((rows, int(clusters.max()) + 1))[:, clusters]
        own = chance.standard_normal((rows, len(clusters)))
        mixed: Floats = np.sqrt(DYAD) * of_dyad + np.sqrt(1 - DYAD) * own
        return mixed

    scores = np.sqrt(COMMON) * latent(1) + np.sqrt(1 - COMMON) * latent(len(accuracies))
    right: Floats = (scores < ndtri(np.array(accuracies))[:, None]).astype(np.float64)
    return right


def _measured(pair: tuple[float, float], chance: np.random.Generator) -> tuple[float, float]:
    """How often two scorers disagree, and how their differences on a dyad's pairs correlate."""
    first, second = _answers(pair, np.repeat(np.arange(500_000), 2), chance)
    difference = first - second
    return float((difference != 0).mean()), _correlation(difference)


def _right_correlation(accuracy: float, chance: np.random.Generator) -> float:
    return _correlation(_answers((accuracy,), np.repeat(np.arange(500_000), 2), chance)[0])


def _correlation(values: Floats) -> float:
    errors = (values - values.mean()).reshape(-1, 2)
    return float((errors[:, 0] * errors[:, 1]).mean() / (errors**2).mean())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000)

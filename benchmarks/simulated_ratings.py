"""Three ways in which raters come to their answers, each with the agreement that follows from it.

Every study draws its own subjects and raters, and three raters answer each subject. `spread` is
how much raters differ. Truths are those of endlessly many subjects and raters.

right or wrong    one of three answers; a rater is right with a probability that a hard and an easy
                  subject change by 10 points, and that is evenly spread over the raters
two answers       a probit model: the second answer's probability depends on the subject and on how
                  much the rater leans to it, both normal
five points       a scale: the subject's place plus the rater's leniency plus noise, all normal,
                  cut at four places
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

from pairwright.stats import Floats, Places

EACH = 3
ACCURACY, SIDES = 0.85, (-0.1, 0.1)
"""Of the mean rater, and what a hard and an easy subject add to it."""
LEANING, SUBJECT = 0.6, 1.3
"""Mean and standard deviation of the subjects, in the two answers."""
CUTS, NOISE = np.array([-1.8, -0.8, 0.2, 1.2]), 0.6
"""Of the five points; the subjects' standard deviation is 1."""
POINTS, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
"""Quadrature over a standard normal variable."""


class Process(NamedTuple):
    name: str
    draw: Callable[[np.random.Generator, int, int, float], pd.DataFrame]
    """One study, by its numbers of subjects and raters and their spread."""
    truth: Callable[[float], Mapping[str, float]]
    """By coefficient."""
    spreads: tuple[float, float, float]
    """None, some, and much."""
    levels: int


def _right_or_wrong(
    rng: np.random.Generator, subjects: int, raters: int, spread: float
) -> pd.DataFrame:
    item, rater = _design(rng, subjects, raters)
    accuracy = rng.uniform(ACCURACY - spread, ACCURACY + spread, raters)[rater]
    accuracy += rng.choice(SIDES, subjects)[item]
    truth = rng.integers(3, size=subjects)[item]
    error = rng.integers(1, 3, len(item)) * (rng.random(len(item)) >= accuracy)
    return _ratings(item, rater, (truth + error) % 3)


def _of_right_or_wrong(spread: float) -> dict[str, float]:
    """A row for each side and true answer; raters on a fine grid. No probability is above 1."""
    middles = (np.arange(200) + 0.5) / 100 - 1
    right = np.minimum(ACCURACY + np.repeat(SIDES, 3)[:, None] + spread * middles, 1)[:, :, None]
    answers = np.where(np.tile(np.eye(3), (2, 1))[:, None, :] == 1, right, (1 - right) / 2)
    return _truths(answers, np.full(6, 1 / 6), np.full(200, 1 / 200))


def _two_answers(
    rng: np.random.Generator, subjects: int, raters: int, spread: float
) -> pd.DataFrame:
    item, rater = _design(rng, subjects, raters)
    place = rng.normal(LEANING, SUBJECT, subjects)[item] + rng.normal(0, spread, raters)[rater]
    value = (rng.random(len(item)) < ndtr(place)).astype(np.intp)
    return _ratings(item, rater, value)


def _of_two_answers(spread: float) -> dict[str, float]:
    second = ndtr(LEANING + SUBJECT * POINTS[:, None] + spread * POINTS)
    return _truths(np.stack([1 - second, second], axis=2), WEIGHTS, WEIGHTS)


def _five_points(
    rng: np.random.Generator, subjects: int, raters: int, spread: float
) -> pd.DataFrame:
    item, rater = _design(rng, subjects, raters)
    place = rng.normal(0, 1, subjects)[item] + rng.normal(0, spread, raters)[rater]
    value = np.searchsorted(CUTS, place + rng.normal(0, NOISE, len(item)))
    return _ratings(item, rater, value)


def _of_five_points(spread: float) -> dict[str, float]:
    below = ndtr((CUTS - POINTS[:, None, None] - spread * POINTS[:, None]) / NOISE)
    ends = np.zeros((len(POINTS), len(POINTS), 1))
    return _truths(np.diff(np.concatenate([ends, below, ends + 1], axis=2)), WEIGHTS, WEIGHTS)


PROCESSES = (
    Process("right or wrong", _right_or_wrong, _of_right_or_wrong, (0.0, 0.05, 0.1), 3),
    Process("two answers", _two_answers, _of_two_answers, (0.0, 0.25, 0.5), 2),
    Process("five points", _five_points, _of_five_points, (0.0, 0.2, 0.4), 5),
)


def _design(rng: np.random.Generator, subjects: int, raters: int) -> tuple[Places, Places]:
    """Who answers which subject."""
    who = np.argsort(rng.random((subjects, raters)), axis=1)[:, :EACH]
    return np.repeat(np.arange(subjects), EACH), np.sort(who, axis=1).ravel()


def _ratings(item: Places, rater: Places, value: Places) -> pd.DataFrame:
    return pd.DataFrame({"item": item, "annotator": rater, "label": value})


def _truths(answers: Floats, subjects: Floats, raters: Floats) -> dict[str, float]:
    """`answers` has shape (subjects, raters, levels), how probable each answer is; the others are
    how frequent each subject and rater is."""
    levels = answers.shape[2]
    # Two raters are independent, given the subject.
    by_subject = np.einsum("srk,r->sk", answers, raters)
    both = np.einsum("sk,sl,s->kl", by_subject, by_subject, subjects)
    shares = both.sum(axis=1)
    agreed, by_chance = float(np.trace(both)), float((shares**2).sum())
    by_gwet = (1 - by_chance) / (levels - 1)
    # Ordinal distances are differences of mean ranks.
    ranks = np.cumsum(shares) - shares / 2
    apart = (ranks[:, None] - ranks) ** 2
    return {
        "percent": agreed,
        "alpha_nominal": (agreed - by_chance) / (1 - by_chance),
        "alpha_ordinal": 1 - float((both * apart).sum() / (shares @ apart @ shares)),
        "gwet_ac1": (agreed - by_gwet) / (1 - by_gwet),
    }

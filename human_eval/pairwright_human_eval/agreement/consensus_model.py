"""What the raters together say of each item, and how each rater errs: Dawid and Skene (1979),
Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, Appl. Stat. 28, 20-28.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import softmax

from pairwright_human_eval.agreement.ratings import Floats, Ratings


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """The fitted model; axes in the order of the ratings' items, raters and levels."""

    posterior: Floats
    """Shape (items, levels): how probable it is that the item truly is of the level."""
    confusion: Floats
    """Shape (raters, levels, levels): by rater and true level, how probable each answer is."""
    prior: Floats
    """Shape (levels,): the share of each true level."""
    iterations: int
    converged: bool


def dawid_skene(
    ratings: Ratings, *, smoothing: float = 1.0, tolerance: float = 1e-6, most: int = 1000
) -> DawidSkene:
    """Fit by EM from the shares of the votes, until no posterior moves by more than `tolerance`.

    `smoothing` is the number of imaginary ratings, spread evenly over the answers, that each rater
    starts from for every true level (a Dirichlet prior): without it a rater who has not erred yet
    is taken to be unable to. Near 0 it is the maximum likelihood of the paper. Levels are taken as
    they come: who wants a result blind to the study's design gives neutral ones. Deterministic.
    Raises ValueError for no ratings or a smoothing not above 0.
    """
    if not len(ratings.items):
        raise ValueError("there are no ratings")
    if smoothing <= 0:
        raise ValueError(f"smoothing must be above 0, not {smoothing}")
    people, q = len(ratings.raters), len(ratings.levels)
    # Row an item, column a rater's answer: both steps are one product with it.
    answers = sparse.csr_array(
        (np.ones(len(ratings.item)), (ratings.item, ratings.rater * q + ratings.value)),
        shape=(len(ratings.items), people * q),
    )
    votes = ratings.counts()
    posterior = votes / votes.sum(axis=1, keepdims=True)
    iterations, moved = 0, np.inf
    while moved > tolerance and iterations < most:
        # Equations 2.3 and 2.4: error rates and prior, as if the posteriors were the truth.
        given = (answers.T @ posterior).reshape(people, q, q).transpose(0, 2, 1) + smoothing / q
        confusion = given / given.sum(axis=2, keepdims=True)
        prior = posterior.sum(axis=0) + smoothing / q
        prior /= prior.sum()
        # Equation 2.5: posteriors, as if those were.
        evidence = np.log(confusion).transpose(0, 2, 1).reshape(people * q, q)
        before, posterior = posterior, softmax(np.log(prior) + answers @ evidence, axis=1)
        moved = np.abs(posterior - before).max()
        iterations += 1
    return DawidSkene(posterior, confusion, prior, iterations, bool(moved <= tolerance))

"""Dawid and Skene's model, against their own paper and against planted truth."""

import numpy as np
import pytest

from pairwright_human_eval.agreement import DawidSkene, Ratings, dawid_skene
from pairwright_human_eval.agreement.models import Floats, Indices

# Dawid and Skene (1979), table 1: 45 patients, one a word; the three assessments of anaesthetist
# 1, then one each of anaesthetists 2 to 5.
TABLE_1 = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343
1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222
1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343
2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""
# Tables 2 and 4: the estimated share of each class, and the error rates of anaesthetists 1 to 4 by
# true class.
PRIOR = [0.40, 0.42, 0.11, 0.07]
ERROR_RATES = [
    [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]],
    [[0.83, 0.17, 0, 0], [0.05, 0.63, 0.31, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    [[1, 0, 0, 0], [0.11, 0.79, 0.11, 0], [0, 0.40, 0.20, 0.40], [0, 0, 0.67, 0.33]],
    [[0.94, 0.06, 0, 0], [0.05, 0.84, 0.10, 0], [0, 0, 0.80, 0.20], [0, 0, 0.33, 0.67]],
]


def anaesthetists() -> Ratings:
    """The one table with repeated ratings, which `Ratings.of` refuses, so laid out by hand."""
    words = TABLE_1.split()
    return Ratings(
        item=np.repeat(np.arange(len(words)), 7),
        rater=np.tile([0, 0, 0, 1, 2, 3, 4], len(words)),
        value=np.array([int(value) - 1 for word in words for value in word]),
        items=tuple(f"patient {place}" for place in range(1, len(words) + 1)),
        raters=tuple(f"anaesthetist {place}" for place in range(1, 6)),
        levels=(1, 2, 3, 4),
    )


def test_the_anaesthetists_are_as_published() -> None:
    fitted = dawid_skene(anaesthetists(), smoothing=1e-9)
    assert fitted.converged
    assert fitted.prior == pytest.approx(PRIOR, abs=0.005)
    for found, published in zip(fitted.confusion, ERROR_RATES, strict=False):
        assert found == pytest.approx(np.array(published), abs=0.005)


def planted(people: int = 9, items: int = 600) -> tuple[Ratings, Indices, Floats]:
    """Three votes an item by raters of known error rates; ratings, true levels, error rates."""
    rng = np.random.default_rng(11)
    truth = rng.choice(3, items, p=[0.5, 0.3, 0.2])
    accuracy = np.linspace(0.6, 0.95, people)
    confusion = np.full((people, 3, 3), 0.0) + ((1 - accuracy) / 2)[:, None, None]
    confusion[:, range(3), range(3)] = accuracy[:, None]
    rows = [
        (f"item {item:04}", f"rater {rater}", "abc"[rng.choice(3, p=confusion[rater, level])])
        for item, level in enumerate(truth)
        for rater in rng.choice(people, 3, replace=False)
    ]
    return Ratings.of(rows, "abc"), truth, confusion


def test_planted_truth_is_recovered_better_than_by_majority() -> None:
    ratings, truth, confusion = planted(items=4000)
    fitted = dawid_skene(ratings)
    by_model = np.mean(fitted.posterior.argmax(axis=1) == truth)
    by_votes = np.mean(ratings.counts().argmax(axis=1) == truth)
    assert by_model > by_votes
    assert np.abs(fitted.confusion - confusion).mean() < 0.025
    assert np.abs(fitted.prior - [0.5, 0.3, 0.2]).max() < 0.05


def test_the_posteriors_are_as_sure_as_they_are_right() -> None:
    ratings, truth, _ = planted(items=2000)
    fitted = dawid_skene(ratings)
    sure = fitted.posterior.max(axis=1)
    right = fitted.posterior.argmax(axis=1) == truth
    assert sure.mean() == pytest.approx(right.mean(), abs=0.02)


def test_everything_is_a_distribution_and_the_same_each_time() -> None:
    ratings, _, _ = planted(items=50)
    first, again = dawid_skene(ratings), dawid_skene(ratings)
    for of in (first.posterior, first.confusion, first.prior):
        assert of.sum(axis=-1) == pytest.approx(np.ones(of.shape[:-1]))
        assert of.min() >= 0
    assert np.array_equal(first.posterior, again.posterior)
    assert first.iterations == again.iterations


def test_renaming_the_levels_only_renames_them() -> None:
    ratings, _, _ = planted(items=100)
    rows = [
        (ratings.items[i], ratings.raters[r], "abc"[v])
        for i, r, v in zip(ratings.item, ratings.rater, ratings.value, strict=True)
    ]
    swapped = dawid_skene(Ratings.of(rows, "cba"))
    assert swapped.posterior[:, ::-1] == pytest.approx(dawid_skene(ratings).posterior)


def test_a_rater_who_has_not_erred_yet_may_still_err() -> None:
    rows = [(f"item {n}", rater, "a") for n in range(5) for rater in ("first", "second")]
    fitted: DawidSkene = dawid_skene(Ratings.of(rows, "ab"))
    assert fitted.converged
    assert fitted.posterior[:, 0].min() > 0.9
    assert 0 < fitted.confusion[0, 0, 1] < 0.2


def test_running_out_of_rounds_is_told() -> None:
    fitted = dawid_skene(anaesthetists(), most=2)
    assert (fitted.iterations, fitted.converged) == (2, False)


def test_no_ratings_or_no_smoothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no ratings"):
        dawid_skene(Ratings.of([], "ab"))
    with pytest.raises(ValueError, match="smoothing"):
        dawid_skene(anaesthetists(), smoothing=0)

"""Dawid and Skene's model, against their own paper, and the errors of labels by it; parity of
quality by two one-sided tests; and what coin-flip annotators verify."""

from functools import partial

import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW

from pairwright.settings.rules import HumanRules
from pairwright_human_eval.agreement.models import (
    Parity,
    Ratings,
    dawid_skene,
    parity,
)
from pairwright_human_eval.report.answers import abouts, answers_of, errors_by_pair
from pairwright_human_eval.report.claims import verified_by_chance
from pairwright_human_eval.subjects import outline_of
from small_studies import one, violate, votes

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


def test_a_rater_who_has_not_erred_yet_may_still_err() -> None:
    rows = [(f"item {n}", rater, "a") for n in range(5) for rater in ("first", "second")]
    fitted = dawid_skene(Ratings.of(rows, "ab"))
    assert fitted.converged
    assert fitted.posterior[:, 0].min() > 0.9
    assert 0 < fitted.confusion[0, 0, 1] < 0.2


def test_no_ratings_or_no_smoothing_is_an_error_and_too_few_rounds_are_told() -> None:
    fitted = dawid_skene(anaesthetists(), most=2)
    assert (fitted.iterations, fitted.converged) == (2, False)
    with pytest.raises(ValueError, match="no ratings"):
        dawid_skene(Ratings.of([], "ab"))
    with pytest.raises(ValueError, match="smoothing"):
        dawid_skene(anaesthetists(), smoothing=0)


# The errors of labels


def errors(*choices: str) -> list[float | None]:
    """Of each pair, by the choices of annotators 1, 2, 3, ..."""
    pairs = [violate(n) for n in range(len(choices))]
    verdicts = [
        votes(pair, choice, annotator=f"annotator-{n:02}")[0]
        for pair, said in zip(pairs, choices, strict=True)
        for n, choice in enumerate(said, start=1)
    ]
    asked = abouts(outline_of(one(pair)) for pair in pairs)
    found = errors_by_pair(answers_of(asked, verdicts, frozenset()).counted(), asked)
    return [found.get(pair.id) for pair in pairs]


def test_a_label_is_probably_right_where_all_agree_and_wrong_where_all_say_the_other() -> None:
    """Or that there is no difference; nothing is known where nobody can tell."""
    for other in ("---", "==="):
        *agreed, against, unknown = errors(*["+++"] * 30, other, "???")
        assert max(error or 0 for error in agreed) < 0.01
        assert (against or 0) > 0.99
        assert unknown is None


def test_the_fit_knows_who_errs() -> None:
    """Annotators 1 and 2 always agree; 3 and 4 answer at random. Two against two, the careful ones
    are believed."""
    found = errors(*["++++", "++--", "+++-", "++-+"] * 10)
    assert max(error or 1 for error in found[1::4]) < 0.05


near = partial(pytest.approx, abs=2e-6)
"""What is tested is rounded to six places."""


def scored(
    mean: float, seed: int, pairs: int = 60, people: int = 9
) -> list[tuple[str, str, float]]:
    """Three annotators a pair; pairs, annotators and answers each differ at random."""
    rng = np.random.default_rng(seed)
    of_pair, of_person = rng.normal(0, 0.4, pairs), rng.normal(0, 0.15, people)
    return [
        (
            f"pair {pair}",
            f"annotator {person}",
            mean + of_pair[pair] + of_person[person] + rng.normal(0, 0.6),
        )
        for pair in range(pairs)
        for person in rng.permutation(people)[:3]
    ]


def given(points: dict[str, list[float]]) -> list[tuple[str, str, float]]:
    """By pair: what annotators 0, 1, ... give it."""
    return [
        (pair, f"annotator {n}", value)
        for pair, values in points.items()
        for n, value in enumerate(values)
    ]


def width(of: Parity) -> float:
    assert of.low is not None
    assert of.high is not None
    return of.high - of.low


@pytest.mark.parametrize(("margin", "equivalent"), [(0.4, True), (0.1, False)])
def test_without_clusters_it_is_the_plain_tost(margin: float, equivalent: bool) -> None:
    points = np.random.default_rng(3).normal(0.1, 0.8, 50)
    rows = [(f"pair {n}", f"annotator {n}", float(x)) for n, x in enumerate(points)]
    plain = DescrStatsW(points)
    larger, above, below = plain.ttost_mean(-margin, margin)
    found = parity(rows, margin)
    assert found.mean == near(points.mean())
    assert (found.p_above, found.p_below) == near((above[1], below[1]))
    assert (found.low, found.high) == near(plain.tconfint_mean(alpha=0.1))
    assert found.equivalent is bool(larger < 0.05) is equivalent


def test_every_pair_counts_once_by_its_mean_whatever_its_annotators() -> None:
    found = parity(given({"x": [1, 1, 1], "y": [-2, 0, -1], "z": [1, 1, 0], "w": [0]}), 0.5)
    assert (found.apart.k, found.apart.n) == (2, 4)
    assert (found.pairs, found.clusters, found.annotators) == (4, 4, 3)
    assert found.mean == near((1 - 1 + 2 / 3 + 0) / 4)


def test_copies_of_a_pair_within_its_cluster_prove_nothing_more() -> None:
    rows = scored(0.1, 2)
    copies = [(f"{pair} {n}", who, points) for pair, who, points in rows for n in range(5)]
    clusters = {pair: pair[:-2] for pair, _, _ in copies}
    once, together = parity(rows, 0.4), parity(copies, 0.4, clusters=clusters)
    assert (together.pairs, together.clusters) == (300, 60)
    assert together.p_above == near(once.p_above, rel=0.1)
    assert width(parity(copies, 0.4)) <= width(together)


def test_one_annotator_gone_astray_widens_the_interval() -> None:
    rows = scored(0.0, 4)
    astray = [(pair, who, points + 2 * (who == "annotator 0")) for pair, who, points in rows]
    assert width(parity(astray, 0.5)) > 2 * width(parity(rows, 0.5))


@pytest.mark.parametrize(
    ("points", "mean", "reason"),
    [
        ({}, None, ""),
        ({"x": [1], "y": [0]}, 0.5, "it takes two pairs"),
        ({"x": [0, 0], "y": [0, 0], "z": [0, 0]}, 0, "the differences do not vary"),
    ],
)
def test_where_nothing_can_be_tested_it_says_why(
    points: dict[str, list[float]], mean: float | None, reason: str
) -> None:
    found = parity(given(points), 0.5)
    assert (found.mean, found.equivalent, found.apart.n) == (mean, None, len(points))
    assert found.reason.startswith(reason)


def test_two_scores_of_one_person_and_a_pair_without_a_cluster_are_errors() -> None:
    with pytest.raises(ValueError, match="annotator 0 scored x twice"):
        parity(given({"x": [1]}) * 2, 0.5)
    with pytest.raises(KeyError):
        parity(given({"x": [1]}), 0.5, clusters={})


RULES = {
    "default": HumanRules(),
    "majority": HumanRules(votes=1, rule="majority", further=0),
    "unanimity": HumanRules(votes=1, rule="unanimity", further=0),
    "tie": HumanRules(votes=1, rule="majority", further=3),
}


@pytest.mark.parametrize(
    ("votes", "rule", "halves", "share"),
    [
        (3, "majority", 1, 1 / 2),
        (3, "unanimity", 1, 1 / 8),
        (3, "majority", 2, 1 / 4),
        (1, "majority", 1, 1 / 2),
        (5, "majority", 1, 1 / 2),
        (8, "unanimity", 1, 1 / 256),
        # 4 or 3 of 4, or a tie, and then an adjudicator, or three further votes.
        (4, "majority", 1, 5 / 16 + 6 / 16 / 2),
        (4, "tie", 1, 5 / 16 + 6 / 16 / 8),
        # 4 of 4, or 3 of 4 and then 5 or 6 of 6.
        (3, "default", 1, 0),
        (4, "default", 1, 1 / 16 + 4 / 16 * 7 / 64),
        (4, "default", 2, (1 / 16 + 4 / 16 * 7 / 64) ** 2),
        (5, "default", 1, 1 / 32 + 5 / 32 * 7 / 64),
    ],
)
def test_coin_flips_verify_what_the_rule_lets_through(
    votes: int, rule: str, halves: int, share: float
) -> None:
    assert verified_by_chance(votes, RULES[rule], halves) == pytest.approx(share, rel=1e-12)

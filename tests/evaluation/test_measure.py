"""Figures of decisions: identities that hold by construction, and cases computed by hand;
calibration error, temperature scaling and accuracy by margin, of scorers with a known answer."""

import math
from collections.abc import Sequence
from functools import cache
from itertools import chain

import numpy as np
import pytest
from scipy.special import expit

from decided import AHEAD, Half, ends, judged, right_on, twin, twins, violate, without_score
from pairwright.estimate import share as wilson
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.accuracy import figures_of, gains
from pairwright.evaluation.measure.calibration import (
    Calibration,
    calibration_of,
    fit_slope,
    margins_of,
    scaled_probabilities,
)
from pairwright.evaluation.measure.figure import FIGURES, ScorerFigure, by_mode

EDGES = [0.0, 1.0, -1.0, 0.1, 0.2, 0.1 + 0.2, 1e-300, 1.7e308, -1.7e308, 3.3, 1e16, 1e16 + 2]


def found(decisions: Sequence[PairDecision], name: str, group: str) -> ScorerFigure:
    (one,) = [of for of in figures_of(decisions) if (of.name, of.group) == (name, group)]
    return one


def value(decisions: Sequence[PairDecision], name: str, group: str = "twin") -> float | None:
    return found(decisions, name, group).value


def values(decisions: Sequence[PairDecision], group: str, *names: str) -> list[float | None]:
    figures = {of.name: of.value for of in figures_of(decisions) if of.group == group}
    return [figures[name] for name in names]


def blind(a: float, b: float) -> tuple[Half, Half]:
    """What a scorer that cannot see the user gives a twin: each response its one score."""
    return (a, b), (b, a)


OF_TWINS = ("accuracy", "both_right", "interaction")


# Twins


def test_a_scorer_that_cannot_see_the_user_is_right_on_one_half_of_whole_twins() -> None:
    chance = np.random.default_rng(0)
    drawn = [blind(*chance.normal(size=2)) for _ in range(150)]
    edges = [blind(*chance.choice(EDGES, 2)) for _ in range(150)]
    assert values(twins([*drawn, *edges]), "twin", *OF_TWINS) == [0.5, 0, 0.5]
    # It gains nothing by leaving out.
    for _ in range(20):
        halves = twins(blind(*chance.normal(size=2)) for _ in range(20))
        kept = [half if chance.random() < 0.7 else without_score(half) for half in halves]
        for found, most in zip(values(kept, "twin", *OF_TWINS), (0.5, 0, 0.5), strict=True):
            assert found is not None
            assert found <= most


def test_half_a_twin_whose_other_half_is_not_there_changes_nothing() -> None:
    whole = twins([((n % 3, 1.0), (n % 5, 2.0)) for n in range(40)], vote_share=0.75)
    alone = twin(99, (5.0, 0.0), (None, 0.0))[:1]
    for before, after in zip(figures_of(whole), figures_of([*whole, *alone]), strict=True):
        assert after == before or after.name == "coverage"
    coverage = found([*whole, *alone], "coverage", "twin")
    assert (coverage.value, coverage.n) == (1, 40)
    assert coverage.note == "halves with a score whose other half has none: 1"


def test_leaving_out_wrong_halves_does_not_pay() -> None:
    """100 twins, of 40 of which one half is wrong; then ten of the wrong halves have no score."""
    names = ("accuracy", "accuracy_of_scored", "both_right", "both_right_of_scored", "coverage")
    rights = [float(n < 60) for n in range(100)]
    whole = twins((AHEAD, (right, 0.5)) for right in rights)
    assert values(whole, "twin", *names) == [0.8, 0.8, 0.6, 0.6, 1]
    left_out = twins((AHEAD, (right, 0.5)) for right in [*rights[:90], *[None] * 10])
    expected = [0.8, 150 / 180, 0.6, 60 / 90, 0.9]
    assert values(left_out, "twin", *names) == pytest.approx(expected, abs=1e-6)
    coverage = found(left_out, "coverage", "twin")
    why = "context_length: 10; halves with a score whose other half has none: 10"
    assert (coverage.n, coverage.note) == (100, why)


@pytest.mark.parametrize("right", [1.0, 0.9, 0.3, 0.0], ids=["all", "most", "few", "none"])
def test_both_halves_have_no_bound_above_that_of_one(right: float) -> None:
    """With few dyads and every half right, twins alone gave 56.6 % where pairs gave 46.3 %."""
    chance = np.random.default_rng(3)
    for n in (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 39):
        drawn = chance.random((n, 2)) < right
        both = [twin(k, (float(a), 0.5), (float(b), 0.5), cluster=f"dyad-{k // 2}")
                for k, (a, b) in enumerate(drawn)]  # fmt: skip
        figures = {(of.name, of.group): of for of in figures_of([*chain(*both)])}
        for group in ("twin", "Home-twin"):
            whole, one = figures["both_right", group], figures["accuracy", group]
            (low, high), of_one = ends(whole), ends(one)
            assert low <= of_one[0]
            assert high <= of_one[1]
            assert low <= (whole.value or 0) <= high


def test_pairs_that_the_release_has_nothing_to_show_of_are_not_the_scorers_fault() -> None:
    shown = right_on(6, 8)
    nobody = [violate(n, None, unscored="no_other_profile") for n in range(8, 10)]
    assert value([*shown, *nobody], "accuracy", "violate") == 0.75
    coverage = found([*shown, *nobody], "coverage", "violate")
    assert (coverage.value, coverage.n) == (1, 8)
    assert "no_other_profile: 2" in coverage.note


def test_the_interaction_looks_at_both_responses_for_both_users() -> None:
    # It prefers r_u for both users, and for u by more: each response suits its own user better.
    assert values(twin(1, (3.0, 0.0), (0.0, 1.0)), "twin", *OF_TWINS) == [0.5, 0, 1]
    assert value(twin(1, (1.0, 0.0), (0.0, 3.0)), "interaction") == 0
    assert value(twin(1, (2.0, 0.0), (3.0, 1.0)), "both_right") == 1

    # That of a comparing judge is that of its verdicts.
    def by_judge(*orders: tuple[str, str]) -> list[PairDecision]:
        halves = map(without_score, twin(1, AHEAD, AHEAD), ("", ""))
        return [half.model_copy(update={"orders": both})
                for half, both in zip(halves, orders, strict=True)]  # fmt: skip

    one_sided = by_judge(("chosen", "chosen"), ("rejected", "chosen"))
    assert values(one_sided, "twin", "interaction", "accuracy") == [1, 0.75]
    undone = by_judge(("chosen", "chosen"), ("rejected", "rejected"))
    assert value(undone, "interaction") == 0.5


def test_asked_and_counterfactual_halves_stand_apart() -> None:
    decisions = twins((AHEAD, (float(n < 3), 0.5)) for n in range(10))
    assert value(decisions, "accuracy", "twin, asked") == 1
    assert value(decisions, "accuracy", "twin, counterfactual") == 0.3
    assert value(decisions, "accuracy") == 0.65
    assert value(decisions, "both_right", "Home-twin") == 0.3


# Accuracy, and what it leaves open


def test_independent_pairs_have_wilsons_interval() -> None:
    accuracy, expected = found(right_on(30), "accuracy", "violate"), wilson(30, 40)
    assert accuracy.value == 0.75
    assert ends(accuracy) == pytest.approx(ends(expected), abs=1e-5)
    assert (accuracy.n, accuracy.clusters) == (40, 40)
    # Pairs of one user count as fewer.
    alone = [violate(n, 1.0 if n % 40 < 30 else -1.0) for n in range(80)]
    together = [one.model_copy(update={"cluster": f"user-{one.item_id[-1]}"}) for one in alone]
    one, other = (found(of, "accuracy", "violate") for of in (alone, together))
    assert other.clusters == 10
    assert ends(other)[0] < ends(one)[0]


def test_ties_and_missing_scores_are_bounded_by_the_worst_and_the_best_case() -> None:
    without = [violate(8, None), violate(9, None, unscored="not_a_number")]
    decisions = [*right_on(5, 7), violate(7, 0.0), *without]
    names = ("accuracy", "accuracy_of_scored", "worst_case", "best_case", "ties")
    assert values(decisions, "violate", *names) == pytest.approx([0.55, 5.5 / 8, 0.5, 0.8, 0.125])
    coverage = found(decisions, "coverage", "violate")
    assert (coverage.value, coverage.n) == (0.8, 10)
    assert coverage.note == "context_length: 1; not_a_number: 1"


def test_ties_that_change_with_the_order_are_named() -> None:
    decisions = [judged(1, "chosen", "rejected"), judged(2, "tie", "tie"), violate(3, 0.0)]
    note = found(decisions, "ties", "violate").note
    assert note == "1 of 3 are verdicts that change with the order"


def test_a_mode_without_a_score_is_wrong_and_has_no_accuracy_of_the_scored() -> None:
    decisions = [violate(n, None) for n in range(3)]
    assert values(decisions, "violate", "accuracy", "worst_case", "best_case") == [0, 0, 1]
    of_scored = found(decisions, "accuracy_of_scored", "violate")
    assert (of_scored.value, of_scored.low, of_scored.high, of_scored.n) == (None, None, None, 0)
    assert figures_of([]) == ()


def test_every_pair_counts_the_same_and_modes_are_never_averaged() -> None:
    decisions = [
        *(violate(n, 1.0, domain="Garden") for n in range(90)),
        *(violate(n, -1.0) for n in range(100, 110)),
        *twin(500, *blind(1.0, 0.0)),
        violate(600, 1.0, mode=None, config="Other"),
    ]
    accuracies = {of.group: of.value for of in figures_of(decisions) if of.name == "accuracy"}
    expected = {"violate": 0.9, "Garden-violate": 1, "Home-violate": 0, "twin": 0.5, "pairs": 1}
    assert accuracies.items() >= expected.items()
    assert {of.name for of in figures_of(decisions)} <= set(FIGURES)


# Calibration


def test_calibration_is_over_all_judged_pairs_and_those_split_among_them() -> None:
    decisions = [
        violate(1, 2.0, 1.0, vote_share=1.0),
        violate(2, 1.0, 1.0, vote_share=0.5),
        judged(3, "chosen", "rejected", vote_share=2 / 3),
        judged(4, "rejected", "rejected", vote_share=0.25),
        violate(5, 9.0),
        violate(6, None, vote_share=1.0),
    ]
    off = np.array([1 - expit(1.0), 0, 2 / 3 - 0.5, 0.25])
    brier = found(decisions, "brier", "violate")
    assert brier.n == 4
    assert brier.value == pytest.approx((off**2).mean(), abs=1e-6)
    half = np.array([1.0, 0.5, 2 / 3, 0.25]) - 0.5
    assert brier.note == f"always saying one half gives {(half**2).mean():.3f}"


def test_calibration_that_is_the_same_everywhere_or_without_votes_has_no_interval() -> None:
    figure = found([violate(n, 0.0, vote_share=1.0) for n in range(3)], "brier", "violate")
    assert (figure.value, figure.low, figure.high) == (0.25, None, None)
    assert figure.note.endswith("no interval: no two clusters differ")
    brier = found([violate(1, 1.0)], "brier", "violate")
    assert (brier.value, brier.note) == (None, "nobody voted on these pairs")
    # A margin too great for a number is certainty.
    sure = [violate(n, 1.7e308, -1.7e308, vote_share=1.0) for n in range(2)]
    assert value(sure, "brier", "violate") == 0


# Gains


def test_a_gain_is_paired_pair_by_pair() -> None:
    (gain, of_config) = gains(right_on(15, 20), right_on(10, 20)[::-1])
    assert (gain.name, gain.group, of_config.group) == ("gain", "violate", "Home-violate")
    assert (gain.value, gain.n, gain.clusters) == (0.25, 20, 20)
    low, high = ends(gain)
    # 5 of 20 pairs come out otherwise, all one way: that is not nothing (p = .06).
    assert -0.05 < low < 0.1
    assert 0.35 < high < 0.5
    # Ties are half a step each: that says more than wins and losses of the same mean.
    profile = [violate(n, 1.0 if n < 12 else 0.0) for n in range(15)]
    gain = gains(profile, [violate(n, 0.0) for n in range(15)])[0]
    assert gain.value == 0.4
    low, high = ends(gain)
    # 12 of 15 from a tie to right, none to wrong: the sign-flip test has p < .001.
    assert 0 < low < 0.3
    assert 0.5 < high < 0.75


def test_the_interval_of_a_gain_from_ties_holds_the_truth_in_about_95_of_100() -> None:
    chance, held, tries, truth = np.random.default_rng(6), 0, 400, 0.25
    by_step = {step: [violate(n, step) for n in range(40)] for step in (1.0, -1.0, 0.0)}
    for _ in range(tries):
        steps = chance.choice([1.0, -1.0, 0.0], 40, p=[0.6, 0.1, 0.3])
        low, high = ends(gains([by_step[step][n] for n, step in enumerate(steps)], by_step[0.0])[0])
        held += low <= truth <= high
    assert 0.92 <= held / tries <= 0.98


def test_a_gain_is_over_pairs_with_a_score_in_both() -> None:
    profile = [violate(1, 1.0), violate(2, 1.0), violate(3, None), violate(4, 1.0)]
    other = [violate(1, -1.0), violate(2, None), violate(3, 1.0)]
    gain = gains(profile, other, "gain over none")[0]
    assert (gain.name, gain.value, gain.n) == ("gain over none", 1, 1)
    assert gain.note == "3 pairs have no score in one of the two"
    # Twins have no gain, and nothing in common has no value.
    assert gains(twins([blind(1.0, 0.0)]), twins([blind(1.0, 0.0)])) == ()
    gain = gains([violate(1, 1.0)], [violate(2, 1.0)])[0]
    assert (gain.value, gain.n) == (None, 0)


def test_the_interval_of_a_gain_holds_the_truth_in_about_95_of_100() -> None:
    chance, held, tries, truth = np.random.default_rng(5), 0, 200, 0.2
    # Before: wrong where it gains, right where it loses, and right where it does neither.
    after, before = (
        {step: [violate(n, sign * step or 1.0, cluster=f"user-{n // 2}") for n in range(120)]
         for step in (1.0, -1.0, 0.0)}
        for sign in (1, -1)
    )  # fmt: skip
    for _ in range(tries):
        # The same user gains or does not, mostly: P(+1) = .3, P(-1) = .1.
        of_user = chance.choice([1.0, -1.0, 0.0], 60, p=[0.3, 0.1, 0.6])
        kept = chance.random(120) < 0.7
        own = chance.choice([1.0, -1.0, 0.0], 120, p=[0.3, 0.1, 0.6])
        ahead = np.where(kept, np.repeat(of_user, 2), own)
        profile, other = ([of[step][n] for n, step in enumerate(ahead)] for of in (after, before))
        low, high = ends(gains(profile, other)[0])
        held += low <= truth <= high
    assert 0.91 <= held / tries <= 0.99


def test_figures_are_plain_numbers() -> None:
    for of in figures_of([*twin(1, *blind(1e308, -1e308)), violate(2, math.pi)]):
        assert ScorerFigure.model_validate_json(of.model_dump_json()) == of


PAIRS = 4000
TEMPERATURE = 4.0


@cache
def scored(temperature: float) -> list[PairDecision]:
    """A scorer whose margins, divided by `temperature`, are the log-odds of being right."""
    drawn = np.random.default_rng(1)
    sizes = np.abs(drawn.normal(0, 1.5, PAIRS))
    right = drawn.random(PAIRS) < 1 / (1 + np.exp(-sizes))
    return [
        violate(n, float(temperature * (size if ok else -size)))
        for n, (size, ok) in enumerate(zip(sizes, right, strict=True))
    ]


def error_of(decisions: list[PairDecision]) -> ScorerFigure:
    return found(decisions, "ece_scaled", "violate")


def calibration(decisions: list[PairDecision]) -> Calibration:
    (mode_pairs,) = by_mode(decisions)
    found = calibration_of(mode_pairs)
    assert found is not None
    return found


def test_a_calibrated_scorer_has_no_more_error_than_chance_gives() -> None:
    figures = {one.name: one for one in figures_of(scored(1.0)) if one.group == "violate"}
    error = figures["ece_scaled"]
    assert error.value is not None
    assert error.value < 0.03
    assert error.n == error.clusters == PAIRS
    assert error.note == "a calibrated scorer has 0.017 by chance"
    # The surer half is right more often where margins tell.
    surer, every = figures["accuracy_of_surer_half"], figures["accuracy"]
    assert surer.n == PAIRS // 2
    assert ends(surer)[0] > ends(every)[1]
    by_margin = calibration(scored(1.0)).by_margin
    assert [one.coverage for one in by_margin] == pytest.approx(np.arange(1, 0, -0.1), abs=0.05)
    assert by_margin[0].accuracy == every.value


def test_temperature_scaling_mends_an_overconfident_scorer() -> None:
    decisions = scored(TEMPERATURE)
    error = value(decisions, "ece_scaled", "violate")
    assert error is not None
    assert error < 0.03
    found = calibration(decisions)
    assert found.temperature == pytest.approx(TEMPERATURE, rel=0.1)
    assert [one.n for one in found.scaled] == [PAIRS // 10] * 10
    assert all(one.low < one.confidence + 0.03 for one in found.scaled)
    assert all(one.high > one.confidence - 0.03 for one in found.scaled)


def test_no_pair_is_scaled_by_a_temperature_that_was_fitted_on_its_cluster() -> None:
    """One cluster's labels are turned about: its own probabilities must not move."""
    decisions = scored(2.0)[:200]
    turned = [decisions[0].model_copy(update={"chosen": -(decisions[0].chosen or 0.0)})]
    before, after = (
        scaled_probabilities(margins_of(next(iter(by_mode(some)))))
        for some in (decisions, turned + decisions[1:])
    )
    assert before is not None
    assert after is not None
    assert after[0] == pytest.approx(1 - before[0], abs=1e-12)
    assert not np.allclose(after[1:], before[1:], atol=1e-12)


def test_margins_that_tell_nothing_are_scaled_to_one_half() -> None:
    drawn = np.random.default_rng(3)
    sizes = np.abs(drawn.normal(0, 1, 50))
    # As a scorer that cannot see the user on twins: as sure where it is wrong as where it is right.
    margins = np.concatenate((sizes, -sizes))
    assert fit_slope(margins) == 0.0
    assert fit_slope(-sizes) == 0.0
    assert fit_slope(np.zeros(9)) == 0.0
    assert fit_slope(np.concatenate((3 * sizes, -sizes))) > 0


def test_equal_margins_share_a_bin_and_stay_together() -> None:
    """A judge that compares has three margins: its two verdicts agree, or are a tie."""
    both = [judged(n, "chosen", "chosen") for n in range(6)]
    none = [judged(n, "chosen", "rejected") for n in range(6, 10)]
    found = calibration([*both, *none])
    assert [(one.confidence, one.right, one.n) for one in found.scaled] == [
        (0.5, 0.5, 4),
        (1.0, 1.0, 6),
    ]
    assert [one.n for one in found.by_margin] == [10, 6]
    error = error_of([*both, *none])
    # Ties are right by one half, and certain verdicts leave nothing to chance.
    assert error.value == 0.0
    assert error.note.startswith("a calibrated scorer has 0.000 by chance;")
    # One cluster has nothing to be scaled by.
    error = error_of([violate(n, 1.0, cluster="all") for n in range(5)])
    assert (error.value, error.n) == (None, 0)
    assert error.note == "one cluster: nothing to fit it on"

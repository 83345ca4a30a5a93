"""Figures of decisions: identities that hold by construction, and cases computed by hand;
calibration error, temperature scaling and accuracy by margin, of scorers with a known answer."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.special import expit

from decided import judged, twin, violate
from pairwright.estimate import share as wilson
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.accuracy import figures_of, gains
from pairwright.evaluation.measure.calibration import (
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


def blind(n: int, a: float, b: float) -> tuple[PairDecision, PairDecision]:
    """What a scorer that cannot see the user gives a twin: each response its one score."""
    return twin(n, (a, b), (b, a))


# Twins


def test_a_scorer_that_cannot_see_the_user_is_right_on_one_half_of_whole_twins() -> None:
    chance = np.random.default_rng(0)
    drawn = [blind(n, *chance.normal(size=2)) for n in range(150)]
    edges = [blind(1000 + n, *chance.choice(EDGES, 2)) for n in range(150)]
    decisions = [half for both in (*drawn, *edges) for half in both]
    assert value(decisions, "accuracy") == 0.5
    assert value(decisions, "both_right") == 0
    assert value(decisions, "interaction") == 0.5


def test_half_a_twin_whose_other_half_is_not_there_changes_nothing() -> None:
    whole = [
        half for n in range(40) for half in twin(n, (n % 3, 1.0), (n % 5, 2.0), vote_share=0.75)
    ]
    alone = twin(99, (5.0, 0.0), (None, 0.0))[:1]
    for before, after in zip(figures_of(whole), figures_of([*whole, *alone]), strict=True):
        if after.name != "coverage":
            assert after == before
    coverage = found([*whole, *alone], "coverage", "twin")
    assert (coverage.value, coverage.n) == (1, 40)
    assert coverage.note == "halves with a score whose other half has none: 1"


def test_leaving_out_wrong_halves_does_not_pay() -> None:
    """100 twins, of 40 of which one half is wrong; then ten of the wrong halves have no score."""
    whole = [half for n in range(100) for half in twin(n, (1.0, 0.0), (float(n < 60), 0.5))]
    names = ("accuracy", "accuracy_of_scored", "both_right", "both_right_of_scored", "coverage")
    assert [value(whole, name) for name in names] == [0.8, 0.8, 0.6, 0.6, 1]
    left_out = [
        half
        for n in range(100)
        for half in twin(n, (1.0, 0.0), (float(n < 60) if n < 90 else None, 0.5))
    ]
    found_then = [value(left_out, name) for name in names]
    assert found_then == pytest.approx([0.8, 150 / 180, 0.6, 60 / 90, 0.9], abs=1e-6)
    coverage = found(left_out, "coverage", "twin")
    assert (coverage.n, coverage.note) == (
        100, "context_length: 10; halves with a score whose other half has none: 10",
    )  # fmt: skip


def test_a_scorer_that_cannot_see_the_user_gains_nothing_by_leaving_out() -> None:
    chance = np.random.default_rng(7)
    for _ in range(20):
        halves = [half for n in range(20) for half in blind(n, *chance.normal(size=2))]
        kept = [
            half if chance.random() < 0.7 else half.model_copy(
                update={"chosen": None, "rejected": None, "unscored": "context_length"}
            )
            for half in halves
        ]  # fmt: skip
        for name, most in (("accuracy", 0.5), ("both_right", 0), ("interaction", 0.5)):
            found_value = value(kept, name)
            assert found_value is not None
            assert found_value <= most


@pytest.mark.parametrize("right", ["all", "most", "few", "none"])
def test_both_halves_have_no_bound_above_that_of_one(right: str) -> None:
    """With few dyads and every half right, twins alone gave 56.6 % where pairs gave 46.3 %."""
    chance = np.random.default_rng(3)
    share = {"all": 1.0, "most": 0.9, "few": 0.3, "none": 0.0}[right]
    for n in (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 39):
        decisions = [
            half
            for k in range(n)
            for half in twin(
                k, *((float(chance.random() < share), 0.5) for _ in "ab"), cluster=f"dyad-{k // 2}"
            )
        ]
        for group in ("twin", "Home-twin"):
            whole, one = found(decisions, "both_right", group), found(decisions, "accuracy", group)
            assert None not in (whole.low, whole.high, one.low, one.high)
            assert (whole.low or 0) <= (one.low or 0)
            assert (whole.high or 0) <= (one.high or 0)
            assert (whole.low or 0) <= (whole.value or 0) <= (whole.high or 0)


def test_pairs_that_the_release_has_nothing_to_show_of_are_not_the_scorers_fault() -> None:
    shown = [violate(n, 1.0 if n < 6 else -1.0) for n in range(8)]
    nobody = [violate(n, None, unscored="no_other_profile") for n in range(8, 10)]
    assert value([*shown, *nobody], "accuracy", "violate") == 0.75
    coverage = found([*shown, *nobody], "coverage", "violate")
    assert (coverage.value, coverage.n) == (1, 8)
    assert "no_other_profile: 2" in coverage.note


def test_the_interaction_looks_at_both_responses_for_both_users() -> None:
    # It prefers r_u for both users, and for u by more: each response suits its own user better.
    sees = twin(1, (3.0, 0.0), (0.0, 1.0))
    assert value(sees, "accuracy") == 0.5
    assert value(sees, "both_right") == 0
    assert value(sees, "interaction") == 1
    assert value(twin(1, (1.0, 0.0), (0.0, 3.0)), "interaction") == 0
    assert value(twin(1, (2.0, 0.0), (3.0, 1.0)), "both_right") == 1


def test_the_interaction_of_a_comparing_judge_is_that_of_its_verdicts() -> None:
    def half(n: int, forward: str, backward: str) -> PairDecision:
        orders = {"orders": (forward, backward), "chosen": None, "rejected": None}
        return PairDecision(**twin(1, (1.0, 0.0), (1.0, 0.0))[n].model_dump() | orders)

    one_sided = [half(0, "chosen", "chosen"), half(1, "rejected", "chosen")]
    assert value(one_sided, "interaction") == 1
    assert value(one_sided, "accuracy") == 0.75
    undone = [half(0, "chosen", "chosen"), half(1, "rejected", "rejected")]
    assert value(undone, "interaction") == 0.5


def test_asked_and_counterfactual_halves_stand_apart() -> None:
    decisions = [half for n in range(10) for half in twin(n, (1.0, 0.0), (float(n < 3), 0.5))]
    assert value(decisions, "accuracy", "twin, asked") == 1
    assert value(decisions, "accuracy", "twin, counterfactual") == 0.3
    assert value(decisions, "accuracy") == 0.65
    assert value(decisions, "both_right", "Home-twin") == 0.3


# Accuracy, and what it leaves open


def test_independent_pairs_have_wilsons_interval() -> None:
    decisions = [violate(n, 1.0 if n < 30 else -1.0) for n in range(40)]
    accuracy, expected = found(decisions, "accuracy", "violate"), wilson(30, 40)
    assert accuracy.value == 0.75
    assert accuracy.low == pytest.approx(expected.low, abs=1e-5)
    assert accuracy.high == pytest.approx(expected.high, abs=1e-5)
    assert (accuracy.n, accuracy.clusters) == (40, 40)


def test_pairs_of_one_user_count_as_fewer() -> None:
    alone = [violate(n, 1.0 if n % 40 < 30 else -1.0) for n in range(80)]
    together = [one.model_copy(update={"cluster": f"user-{one.item_id[-1]}"}) for one in alone]
    one, other = (found(of, "accuracy", "violate") for of in (alone, together))
    assert other.clusters == 10
    assert other.low is not None
    assert one.low is not None
    assert other.low < one.low


def test_ties_and_missing_scores_are_bounded_by_the_worst_and_the_best_case() -> None:
    decisions = [
        *(violate(n, 1.0) for n in range(5)),
        *(violate(n, -1.0) for n in range(5, 7)),
        violate(7, 0.0),
        violate(8, None),
        violate(9, None, unscored="not_a_number"),
    ]
    assert value(decisions, "accuracy", "violate") == 0.55
    assert value(decisions, "accuracy_of_scored", "violate") == pytest.approx(5.5 / 8)
    assert value(decisions, "worst_case", "violate") == 0.5
    assert value(decisions, "best_case", "violate") == 0.8
    assert value(decisions, "ties", "violate") == 0.125
    coverage = found(decisions, "coverage", "violate")
    assert (coverage.value, coverage.n) == (0.8, 10)
    assert coverage.note == "context_length: 1; not_a_number: 1"


def test_ties_that_are_verdicts_which_change_with_the_order_are_named() -> None:
    decisions = [judged(1, "chosen", "rejected"), judged(2, "tie", "tie"), violate(3, 0.0)]
    note = found(decisions, "ties", "violate").note
    assert note == "1 of 3 are verdicts that change with the order"


def test_a_mode_without_a_score_is_wrong_and_has_no_accuracy_of_the_scored() -> None:
    decisions = [violate(n, None) for n in range(3)]
    assert value(decisions, "accuracy", "violate") == 0
    of_scored = found(decisions, "accuracy_of_scored", "violate")
    assert (of_scored.value, of_scored.low, of_scored.high, of_scored.n) == (None, None, None, 0)
    assert value(decisions, "worst_case", "violate") == 0
    assert value(decisions, "best_case", "violate") == 1
    assert figures_of([]) == ()


def test_every_pair_counts_the_same_and_modes_are_never_averaged() -> None:
    decisions = [
        *(violate(n, 1.0, domain="Garden") for n in range(90)),
        *(violate(n, -1.0) for n in range(100, 110)),
        *blind(500, 1.0, 0.0),
        violate(600, 1.0, mode=None, config="Other"),
    ]
    assert value(decisions, "accuracy", "violate") == 0.9
    assert value(decisions, "accuracy", "Garden-violate") == 1
    assert value(decisions, "accuracy", "Home-violate") == 0
    assert value(decisions, "accuracy", "twin") == 0.5
    assert value(decisions, "accuracy", "pairs") == 1
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
    profile = [violate(n, 1.0 if n < 15 else -1.0) for n in range(20)]
    other = [violate(n, 1.0 if n < 10 else -1.0) for n in range(20)]
    (gain, of_config) = gains(profile, list(reversed(other)))
    assert (gain.name, gain.group, of_config.group) == ("gain", "violate", "Home-violate")
    assert (gain.value, gain.n, gain.clusters) == (0.25, 20, 20)
    assert gain.low is not None
    assert gain.high is not None
    # 5 of 20 pairs come out otherwise, all one way: that is not nothing (p = .06).
    assert -0.05 < gain.low < 0.1
    assert 0.35 < gain.high < 0.5


def test_a_gain_from_ties_is_as_sure_as_it_is_even() -> None:
    """Half a step each: that says more than wins and losses of the same mean."""
    profile = [violate(n, 1.0 if n < 12 else 0.0) for n in range(15)]
    ties = [violate(n, 0.0) for n in range(15)]
    gain = gains(profile, ties)[0]
    assert gain.value == 0.4
    assert gain.low is not None
    assert gain.high is not None
    # 12 of 15 from a tie to right, none to wrong: the sign-flip test has p < .001.
    assert 0 < gain.low < 0.3
    assert 0.5 < gain.high < 0.75


def test_the_interval_of_a_gain_from_ties_holds_the_truth_in_about_95_of_100() -> None:
    chance, held, tries, truth = np.random.default_rng(6), 0, 400, 0.25
    ties = [violate(n, 0.0) for n in range(40)]
    for _ in range(tries):
        steps = chance.choice([1.0, -1.0, 0.0], 40, p=[0.6, 0.1, 0.3])
        gain = gains([violate(n, float(step)) for n, step in enumerate(steps)], ties)[0]
        assert gain.low is not None
        assert gain.high is not None
        held += gain.low <= truth <= gain.high
    assert 0.92 <= held / tries <= 0.98


def test_a_gain_is_over_pairs_with_a_score_in_both() -> None:
    profile = [violate(1, 1.0), violate(2, 1.0), violate(3, None), violate(4, 1.0)]
    other = [violate(1, -1.0), violate(2, None), violate(3, 1.0)]
    gain = gains(profile, other, "gain over none")[0]
    assert (gain.name, gain.value, gain.n) == ("gain over none", 1, 1)
    assert gain.note == "3 pairs have no score in one of the two"


def test_twins_have_no_gain_and_nothing_in_common_has_no_value() -> None:
    assert gains([*blind(1, 1.0, 0.0)], [*blind(1, 1.0, 0.0)]) == ()
    gain = gains([violate(1, 1.0)], [violate(2, 1.0)])[0]
    assert (gain.value, gain.n) == (None, 0)


def test_the_interval_of_a_gain_holds_the_truth_in_about_95_of_100() -> None:
    chance, held, tries, truth = np.random.default_rng(5), 0, 200, 0.2
    base = [violate(n, 0.0, cluster=f"user-{n // 2}") for n in range(120)]
    for _ in range(tries):
        # The same user gains or does not, mostly: P(+1) = .3, P(-1) = .1.
        of_user = chance.choice([1.0, -1.0, 0.0], 60, p=[0.3, 0.1, 0.6])
        kept = chance.random(120) < 0.7
        own = chance.choice([1.0, -1.0, 0.0], 120, p=[0.3, 0.1, 0.6])
        ahead = np.where(kept, np.repeat(of_user, 2), own)
        # Before: wrong where it gains, right where it loses.
        pairs = zip(base, ahead, strict=True)
        profile, other = [], []
        for one, step in pairs:
            profile.append(one.model_copy(update={"chosen": step if step else 1.0}))
            other.append(one.model_copy(update={"chosen": -step if step else 1.0}))
        gain = gains(profile, other)[0]
        assert gain.low is not None
        assert gain.high is not None
        held += gain.low <= truth <= gain.high
    assert 0.91 <= held / tries <= 0.99


def test_figures_are_plain_numbers() -> None:
    for of in figures_of([*blind(1, 1e308, -1e308), violate(2, math.pi)]):
        assert ScorerFigure.model_validate_json(of.model_dump_json()) == of


PAIRS = 4000
TEMPERATURE = 4.0


def scored(temperature: float, seed: int = 1) -> list[PairDecision]:
    """A scorer whose margins, divided by `temperature`, are the log-odds of being right."""
    drawn = np.random.default_rng(seed)
    sizes = np.abs(drawn.normal(0, 1.5, PAIRS))
    right = drawn.random(PAIRS) < 1 / (1 + np.exp(-sizes))
    return [
        violate(n, float(temperature * (size if ok else -size)))
        for n, (size, ok) in enumerate(zip(sizes, right, strict=True))
    ]


def figure(decisions: list[PairDecision], name: str) -> ScorerFigure:
    return next(one for one in figures_of(decisions) if (one.name, one.group) == (name, "violate"))


def test_a_calibrated_scorer_has_no_more_error_than_chance_gives() -> None:
    found = figure(scored(1.0), "ece_scaled")
    assert found.value is not None
    assert found.value < 0.03
    assert found.n == found.clusters == PAIRS
    assert found.note == "a calibrated scorer has 0.017 by chance"


def test_temperature_scaling_mends_an_overconfident_scorer() -> None:
    decisions = scored(TEMPERATURE)
    scaled = figure(decisions, "ece_scaled")
    assert scaled.value is not None
    assert scaled.value < 0.03
    (mode_pairs,) = by_mode(decisions)
    found = calibration_of(mode_pairs)
    assert found is not None
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


def test_the_surer_half_is_right_more_often_where_margins_tell() -> None:
    decisions = scored(1.0)
    surer, every = figure(decisions, "accuracy_of_surer_half"), figure(decisions, "accuracy")
    assert surer.n == PAIRS // 2
    assert surer.low is not None
    assert every.high is not None
    assert surer.low > every.high
    (mode_pairs,) = by_mode(decisions)
    found = calibration_of(mode_pairs)
    assert found is not None
    assert [round(one.coverage, 1) for one in found.by_margin] == [
        1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1,
    ]  # fmt: skip
    assert found.by_margin[0].accuracy == every.value


def test_equal_margins_share_a_bin_and_stay_together() -> None:
    """A judge that compares has three margins: its two verdicts agree, or are a tie."""
    both = [judged(n, "chosen", "chosen") for n in range(6)]
    none = [judged(n, "chosen", "rejected") for n in range(6, 10)]
    (mode_pairs,) = by_mode([*both, *none])
    found = calibration_of(mode_pairs)
    assert found is not None
    assert [(one.confidence, one.right, one.n) for one in found.scaled] == [
        (0.5, 0.5, 4),
        (1.0, 1.0, 6),
    ]
    assert [one.n for one in found.by_margin] == [10, 6]
    error = figure([*both, *none], "ece_scaled")
    # Ties are right by one half, and certain verdicts leave nothing to chance.
    assert error.value == 0.0
    assert error.note.startswith("a calibrated scorer has 0.000 by chance;")


def test_one_cluster_has_nothing_to_be_scaled_by() -> None:
    found = figure([violate(n, 1.0, cluster="all") for n in range(5)], "ece_scaled")
    assert (found.value, found.n) == (None, 0)
    assert found.note == "one cluster: nothing to fit it on"

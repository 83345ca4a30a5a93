"""Calibration error, temperature scaling and accuracy by margin, of scorers with a known answer."""

import numpy as np
import pytest

from decided import judged, violate
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.accuracy import figures_of
from pairwright.evaluation.measure.calibration import (
    calibration_of,
    fit_slope,
    margins_of,
    scaled_probabilities,
)
from pairwright.evaluation.measure.figure import ScorerFigure, by_mode

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

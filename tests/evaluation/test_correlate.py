"""Correlations of benchmarks with downstream scores, held to published tables."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from decided import ends
from pairwright.errors import InputError
from pairwright.evaluation.correlate import (
    MEASURES,
    correlations,
    ndcg,
    rbo,
    read_models,
    spearman,
    weighted_tau,
)
from pairwright.evaluation.downstream import Downstream, Figure
from reference_data import REFERENCE
from study import pairwright


def test_seventeen_reward_models_correlate_as_published() -> None:
    tables = json.loads((REFERENCE / "agreement_and_rank_metrics.json").read_bytes())
    path = REFERENCE / "rewardbench2_fig4_rbv2_ppo_bon.csv"
    for downstream, expected in tables["rewardbench2_fig4"]["recomputed"].items():
        scores = read_models(path, ("rbv2",), downstream.lower())
        for name, measure in {"spearman": spearman, "weightedtau": weighted_tau}.items():
            for n, subset in ((17, "all17"), (12, "on_policy12"), (9, "strong9")):
                if name in expected[subset]:
                    found = measure(*scores[:n].to_numpy().T)
                    assert found == pytest.approx(expected[subset][name], abs=5e-5)


def test_gains_are_ranks_and_tied_models_share_their_discounts() -> None:
    ideal = 3 + 2 / np.log2(3) + 1 / 2
    tied = 3 + (2 + 1) / 2 * (1 / np.log2(3) + 1 / 2)
    x, y = np.array([9.0, 4, 4]), np.array([0.7, 0.5, 0.1])
    assert ndcg(x, y) == pytest.approx(tied / ideal, abs=1e-12)


def test_overlap_is_the_mean_of_its_definition_over_all_orders_of_tied_models() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        x, y = random.integers(0, 3, (2, 5)).astype(float)
        every = itertools.product(orders(x), orders(y))
        expected = np.mean([overlap(a, b, 0.9) for a, b in every])
        assert rbo(x, y) == pytest.approx(expected, abs=1e-12)


def orders(of: Any) -> list[tuple[int, ...]]:
    """All rankings that ties leave open, the greatest first."""
    every = itertools.permutations(range(len(of)))
    return [order for order in every if (np.diff(of[list(order)]) <= 0).all()]


def overlap(a: tuple[int, ...], b: tuple[int, ...], p: float) -> float:
    """Webber, Moffat and Zobel 2010, eq. 4, of rankings without ties of the same items."""
    depths = range(1, len(a) + 1)
    shared = sum(p ** (d - 1) * len({*a[:d]} & {*b[:d]}) / d for d in depths)
    return (1 - p) * shared + p ** len(a)


# Intervals and chance


def of_models(x: Any, y: Any) -> dict[str, Figure]:
    """The figure of each measure."""
    scores = pd.DataFrame({"b": x, "d": y}, index=[*map(str, range(len(x)))], dtype=float)
    return {one.row[1]: one for one in correlations(scores).figures}


@pytest.mark.parametrize("noise", [0.01, 0.3, 3])
def test_the_interval_of_a_measure_holds_its_value_and_keeps_to_its_bounds(noise: float) -> None:
    """A bootstrap draws models twice, whose ties count against RBO: its interval may not."""
    random = np.random.default_rng(3)
    x = random.normal(size=12)
    figures = of_models(x, x + noise * random.normal(size=12))
    for measure in MEASURES:
        found = figures[measure.name]
        value = found.value or 0
        if found.note:  # Every model goes with every other.
            assert value == pytest.approx(1)
            continue
        low, high = ends(found)
        assert measure.least <= low <= value + 1e-6
        assert value - 1e-6 <= high <= 1


def test_if_a_model_leaves_nothing_to_compare_there_is_no_interval() -> None:
    found = of_models([1, 1, 1, 1, 1, 4], [1, 2, 3, 4, 5, 6])["Spearman"]
    assert (found.low, found.note) == (None, "no interval: undefined without 1 of 6 clusters")
    # Of two models every correlation is whole, so few would seem to agree for sure.
    for one in of_models([1, 2, 4, 5], [1, 2, 4.3, 5]).values():
        assert (one.low, one.note) == (None, "no interval: fewer than 5 clusters"), one.row


def test_what_chance_gives_is_stated_beside_each_measure() -> None:
    found = of_models([1, 2, 3, 4, 5], [1, 2, 3, 5, 4])
    # Of 120 pairings one is perfect and four have two neighbours in the other order.
    assert found["Spearman"].p == pytest.approx(5 / 120, abs=1e-6)
    assert found["Spearman"].chance == pytest.approx(0, abs=1e-6)
    assert (found["NDCG"].chance or 0) > 0.8


def table(n: int) -> str:
    """The benchmark `good` goes with `d`; `loose` has nothing to do with it."""
    random = np.random.default_rng(1)
    lines = [f"<script>{n},{n + random.normal():.3f},{random.normal():.3f},{n}" for n in range(n)]
    return "\n".join(["model,good,loose,d", *lines]) + "\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_two_benchmarks_are_compared_on_the_same_models(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", table(12))
    found = correlations(read_models(path, ("good", "loose"), "d"))
    less = found.figure("value", "good less loose", "Spearman")
    own, other = (found.figure("value", name, "Spearman").value or 0 for name in ("good", "loose"))
    assert less.value == pytest.approx(own - other, abs=1e-6)
    assert ends(less)[0] > 0


WRONG = {
    "no such column": ("model,a,d\nx,1,1\ny,2,2\nz,3,3\n", "there is no column 'b'", ":1"),
    "a word": ("model,b,d\nx,1,1\ny,two,2\nz,3,3\n", "'two' is not a number", ":3 [b]"),
    "nan": ("model,b,d\nx,1,1\ny,nan,2\nz,3,3\n", "'nan' is not a number", ":3 [b]"),
    "infinite": ("model,b,d\nx,1,1\ny,inf,2\nz,3,3\n", "'inf' is not a number", ":3 [b]"),
    "digits of Python's": ("model,b,d\nx,1,1\ny,1_0,2\nz,3,3\n", "'1_0' is not a num", ":3 [b]"),
    "an empty cell": ("model,b,d\nx,1,1\ny,2,\nz,3,3\n", "'' is not a number", ":3 [d]"),
    "a model twice": ("model,b,d\nx y,1,1\nx  y,2,2\nz,3,3\n", "is there twice", ":3 [model]"),
    "no name": ("model,b,d\nx,1,1\n\u200b,2,2\nz,3,3\n", "has no name", ":3 [model]"),
    "two models": ("model,b,d\nx,1,1\ny,2,2\n", "2 models", ".csv"),
    "constant": ("model,b,d\nx,1,1\ny,1,2\nz,1,3\n", "every model has 1", "[b]"),
    "empty": ("", "there is no column 'b'", ":1"),
}


@pytest.mark.parametrize(("text", "what", "where"), WRONG.values(), ids=WRONG)
def test_a_table_that_is_wrong_is_refused_by_line_and_column(
    text: str, what: str, where: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read_models(write(tmp_path / "models.csv", text), ("b",), "d")
    assert what in caught.value.what
    assert where in caught.value.where
    assert caught.value.fix
    with pytest.raises(InputError, match="both the benchmark and the downstream score"):
        read_models(tmp_path / "models.csv", ("b", "d"), "d")
    with pytest.raises(InputError, match=r"gone\.csv: cannot be read"):
        read_models(tmp_path / "gone.csv", ("b",), "d")


def test_the_command_prints_every_measure_and_writes_a_report(tmp_path: Path) -> None:
    path, out = write(tmp_path / "m.csv", table(6).replace(",", ";")), tmp_path / "out"
    done = pairwright(
        "downstream", "correlate", path, "--benchmark", "good", "--downstream", "d", "--out", out
    )
    assert done.code == 0, done.said
    for name in ("Spearman", "weighted", "NDCG", "RBO", "n = 6 models"):
        assert name in done.said
    found = Downstream.model_validate_json((out / "correlation.json").read_bytes())
    assert found.table[0] == ["benchmark", "measure", "value", "chance", "p", "n"]
    assert found.figures[0].row == ("good", "Spearman")
    assert "| Spearman |" in (out / "correlation.md").read_text()

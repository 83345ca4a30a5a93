"""Correlations of benchmarks with downstream scores, held to published tables."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import ndcg_score

from decided import ends
from pairwright.errors import InputError
from pairwright.evaluation.correlate import (
    MEASURES,
    ModelTable,
    correlations,
    ndcg,
    rbo,
    read_models,
    spearman,
)
from pairwright.evaluation.correlate import weighted_tau as weighted
from reference_data import REFERENCE
from study import Done, pairwright


def scores(*values: float) -> Any:
    return np.array(values, dtype=float)


def test_seventeen_reward_models_correlate_as_published() -> None:
    tables = json.loads((REFERENCE / "agreement_and_rank_metrics.json").read_bytes())
    path = REFERENCE / "rewardbench2_fig4_rbv2_ppo_bon.csv"
    for downstream, expected in tables["rewardbench2_fig4"]["recomputed"].items():
        models = read_models(path, ("rbv2",), downstream.lower(), None, None)
        x, y = models.benchmarks["rbv2"], models.downstream
        every = {"spearman": spearman}
        for name, measure in (every | {"weightedtau": weighted}).items():
            for n, subset in ((17, "all17"), (12, "on_policy12"), (9, "strong9")):
                if name in expected[subset]:
                    found = measure(x[:n], y[:n])
                    assert found == pytest.approx(expected[subset][name], abs=5e-5)


def test_measures_agree_with_scipy_and_scikit_learn_where_there_are_ties() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        x, y = random.integers(0, 6, (2, 12)).astype(float)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
        assert ndcg(x, y, "score") == pytest.approx(ndcg_score([y], [x]))


def test_overlap_is_the_mean_of_its_definition_over_all_orders_of_tied_models() -> None:
    random = np.random.default_rng(0)
    x, y = random.integers(0, 3, (2, 20, 5)).astype(float)
    for n, found in enumerate(rbo(x, y, 0.9)):
        every = itertools.product(orders(x[n]), orders(y[n]))
        assert found == pytest.approx(np.mean([overlap(a, b, 0.9) for a, b in every]))


def orders(of: Any) -> list[tuple[int, ...]]:
    """All rankings that ties leave open, the greatest first."""
    every = itertools.permutations(range(len(of)))
    return [order for order in every if (np.diff(of[list(order)]) <= 0).all()]


def overlap(a: tuple[int, ...], b: tuple[int, ...], p: float) -> float:
    """Webber, Moffat and Zobel 2010, eq. 4, of rankings without ties of the same items."""
    depths = range(1, len(a) + 1)
    shared = sum(p ** (d - 1) * len({*a[:d]} & {*b[:d]}) / d for d in depths)
    return (1 - p) * shared + p ** len(a)


# Intervals


def of_models(x: Any, y: Any) -> dict[str, Any]:
    """The figure of each measure; every model is its own lineage."""
    names = tuple(map(str, range(len(x))))
    found = correlations(ModelTable(names, {"b": x}, y, names), "d")
    return {one.row[1]: one for one in found.figures}


def test_the_interval_of_a_measure_holds_its_value_and_keeps_to_its_bounds() -> None:
    """A bootstrap draws models twice, whose ties count against RBO: its interval may not."""
    chance = np.random.default_rng(3)
    for _ in range(60):
        x = chance.normal(size=12)
        y = x + chance.choice([0.01, 0.3, 3]) * chance.normal(size=12)
        figures = of_models(x, y)
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
    found = of_models(scores(1, 1, 1, 1, 1, 4), scores(1, 2, 3, 4, 5, 6))["Spearman"]
    assert (found.low, found.note) == (None, "no interval: undefined without 1 of 6 clusters")
    # Of two models every correlation is whole, so few would seem to agree for sure.
    for one in of_models(scores(1, 2, 4, 5), scores(1, 2, 4.3, 5)).values():
        assert (one.low, one.note) == (None, "no interval: fewer than 5 clusters"), one.row


def test_two_benchmarks_are_compared_on_the_same_models(tmp_path: Path) -> None:
    models = models_of(tmp_path, 12, "good", "loose")
    found = correlations(models, "d")
    less = found.figure("value", "good less loose", "Spearman")
    own, other = (found.figure("value", name, "Spearman").value or 0 for name in ("good", "loose"))
    assert less.value == pytest.approx(own - other, abs=1e-6)
    assert ends(less)[0] > 0
    same = models._replace(benchmarks={"a": models.benchmarks["good"]} | models.benchmarks)
    none = correlations(same, "d").figure("value", "a less good", "Spearman")
    assert (none.value, none.low, none.note) == (0, None, "no interval: the clusters do not differ")
    html = found.page().html
    assert "<script>" not in html
    assert "good less loose" in html


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(path: Path, text: str | bytes, **columns: str) -> ModelTable:
    """A table with the benchmark `b` and the downstream score `d`."""
    name, lineage = columns.get("name"), columns.get("lineage")
    return read_models(write(path, text), ("b",), "d", name, lineage)


def table(n: int) -> str:
    """The benchmark `good` goes with `d`; `loose` has nothing to do with it."""
    random = np.random.default_rng(1)
    lines = [f"<script>{n},{n + random.normal():.3f},{random.normal():.3f},{n}" for n in range(n)]
    return "\n".join(["model,good,loose,d", *lines]) + "\n"


def models_of(folder: Path, n: int, *benchmarks: str) -> ModelTable:
    return read_models(write(folder / "m.csv", table(n)), benchmarks, "d", None, None)


WRONG = {
    "no such column": ("model,a,d\nx,1,1\ny,2,2\nz,3,3\n", "there is no column 'b'", ":1"),
    "a word": ("model,b,d\nx,1,1\ny,two,2\nz,3,3\n", "'two' is not a number", ":3 [b]"),
    "an underscore": ("model,b,d\nx,1,1\ny,1_0,2\nz,3,3\n", "'1_0' is not a number", ":3 [b]"),
    "nan": ("model,b,d\nx,1,1\ny,nan,2\nz,3,3\n", "'nan' is not a number", ":3 [b]"),
    "infinite": ("model,b,d\nx,1,1\ny,inf,2\nz,3,3\n", "'inf' is not a number", ":3 [b]"),
    "an empty cell": ("model,b,d\nx,1,1\ny,2,\nz,3,3\n", "'' is not a number", ":3 [d]"),
    "a model twice": ("model,b,d\nx,1,1\nx,2,2\nz,3,3\n", "there twice, first in line 2", ":3"),
    "no name": ("model,b,d\nx,1,1\n,2,2\nz,3,3\n", "has no name", ":3 [model]"),
    "two models": ("model,b,d\nx,1,1\ny,2,2\n", "2 models", ".csv"),
    "too great": ("model,b,d\nx,1,1\ny,-1e308,2\nz,1e308,3\n", "is not a number", ":3 [b]"),
    "constant": ("model,b,d\nx,1,1\ny,1,2\nz,1,3\n", "every model has 1", "[b]"),
    "short row": ("model,b,d\nx,1,1\ny\nz,3,3\n", "1 cells in 3 columns", ":3"),
    "no head": (",b,d\nx,1,1\ny,2,2\nz,3,3\n", "does not name each column", ":1"),
    "a row number twice": (",model,b,d\n0,x,1,1\n0,y,2,2\n", "does not name each column", ":1"),
    "a cell too many": ("model,b,d\nx,1,1,9\ny,2,2\nz,3,3\n", "4 cells in 3 columns", ":2"),
    "a column twice": ("model,b,b\nx,1,1\n", "two columns are named 'b'", ":1"),
    "empty": ("", "does not name each column", ":1"),
    "a quote left open": ('model,b,d\n"x,1,1\n', "a quote that is never closed", ":2"),
    "from Excel as UTF-16": (
        "\ufeffmodel,b,d\n".encode("utf-16"),
        "column names are not UTF-8",
        ".csv",
    ),
}


@pytest.mark.parametrize(("text", "what", "where"), WRONG.values(), ids=WRONG)
def test_a_table_that_is_wrong_is_refused_by_line_and_column(
    text: str | bytes, what: str, where: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path / "models.csv", text)
    assert what in caught.value.what
    assert where in caught.value.where
    assert caught.value.fix


def run(*given: object) -> Done:
    return pairwright("downstream", "correlate", *given)


def test_a_column_of_numbers_that_is_named_as_the_models_is_taken(tmp_path: Path) -> None:
    text = "Unnamed: 0,b,d\n10,1,1\n11,2,3\n12,3,2\n"
    models = read(tmp_path / "m.csv", text, name="Unnamed: 0")
    assert models.names == ("10", "11", "12")
    # Semicolons are as good.
    assert read(tmp_path / "m.csv", "model;b;d\nx;1;1\ny;2;3\nz;3;2\n").names == ("x", "y", "z")
    with pytest.raises(InputError, match="both the benchmark and the downstream score"):
        read_models(tmp_path / "m.csv", ("b", "d"), "d", None, None)
    with pytest.raises(InputError, match=r"gone\.csv: cannot be read"):
        read_models(tmp_path / "gone.csv", ("b",), "d", None, None)


def test_the_command_prints_every_measure_and_writes_a_report(tmp_path: Path) -> None:
    path, out = write(tmp_path / "m.csv", table(6)), tmp_path / "out"
    done = run(path, "--benchmark", "good", "--downstream", "d", "--out", out)
    assert done.code == 0, done.said
    for name in ("Spearman", "weighted", "NDCG", "RBO", "n = 6 models"):
        assert name in done.said
    report = json.loads((out / "correlation.json").read_bytes())
    assert report["figures"][0]["row"] == ["good", "Spearman"]
    assert "| Spearman |" in (out / "correlation.md").read_text()


def test_a_gain_below_zero_and_a_p_of_one_are_refused() -> None:
    with pytest.raises(ValueError, match="below zero"):
        ndcg(scores(1, 2, 3), scores(-1, 2, 3), "score")
    for p in (0, 1, -1, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            rbo(scores(1, 2, 3), scores(1, 2, 3), p)

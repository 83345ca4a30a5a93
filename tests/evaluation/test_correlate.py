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
from pairwright.evaluation.correlation import uncertainty
from pairwright.evaluation.correlation.correlations import (
    Correlations,
    DownstreamFacts,
    correlate,
    correlation_page,
)
from pairwright.evaluation.correlation.measures import (
    RankMeasure,
    kendall,
    ndcg,
    pearson,
    rbo,
    reported_measures,
    spearman,
)
from pairwright.evaluation.correlation.measures import weighted_tau as weighted
from pairwright.evaluation.correlation.table import ModelTable, read_models
from pairwright.evaluation.correlation.uncertainty import (
    Jackknife,
    MeasureInterval,
    compare_with_chance,
    difference_interval,
    jackknife,
)
from reference_data import REFERENCE
from study import Done, pairwright

NOTHING = DownstreamFacts()
PEARSON = RankMeasure("Pearson", pearson, True, "")
KENDALL = RankMeasure("Kendall", kendall, True, "")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough orders to see a strong correlation by."""
    monkeypatch.setattr(uncertainty, "ORDERS", 300)


def correlated(models: ModelTable) -> Correlations:
    return correlate(models, "d", NOTHING, gain="rank", p=0.9, seed=0)


def scores(*values: float) -> Any:
    return np.array(values, dtype=float)


def test_seventeen_reward_models_correlate_as_published() -> None:
    tables = json.loads((REFERENCE / "agreement_and_rank_metrics.json").read_bytes())
    path = REFERENCE / "rewardbench2_fig4_rbv2_ppo_bon.csv"
    for downstream, expected in tables["rewardbench2_fig4"]["recomputed"].items():
        models = read_models(path, ("rbv2",), downstream.lower(), None, None)
        x, y = models.benchmarks["rbv2"], models.downstream
        every = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
        for name, measure in (every | {"weightedtau": weighted}).items():
            for n, subset in ((17, "all17"), (12, "on_policy12"), (9, "strong9")):
                if name in expected[subset]:
                    found = measure(x[:n], y[:n])
                    assert found == pytest.approx(expected[subset][name], abs=5e-5)


def test_six_models_cannot_tell_the_published_figures_from_chance() -> None:
    """Personalized RewardBench prints rho .2571 and .3714, which six models can give."""
    x = scores(1, 2, 3, 4, 5, 6)
    spearmans = reported_measures("rank", 0.9)[0]
    for squares, rho, p in ((26, 0.2571, 0.66), (22, 0.3714, 0.50)):
        order = next(
            scores(*order)
            for order in itertools.permutations(x)
            if ((x - scores(*order)) ** 2).sum() == squares
        )
        assert spearman(x, order) == pytest.approx(rho, abs=5e-5)
        found = compare_with_chance(spearmans, x, order, seed=0)
        assert found.exact
        assert found.orders == 720
        assert found.p == pytest.approx(p, abs=5e-3)


def test_measures_agree_with_scipy_and_scikit_learn_where_there_are_ties() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        x, y = random.integers(0, 6, (2, 12)).astype(float)
        assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
        assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic)
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


def test_an_exact_p_is_that_of_scipy_and_a_sampled_one_is_close_and_never_zero() -> None:
    x, y = scores(1, 2, 3, 4, 5, 6, 7), scores(2, 1, 4, 3, 7, 6, 5)
    exact = stats.kendalltau(x, y, method="exact").pvalue
    assert compare_with_chance(KENDALL, x, y, seed=0).p == pytest.approx(exact)
    x = scores(*range(12))
    found = compare_with_chance(PEARSON, x, x, seed=0)
    assert 0 < found.p < 0.001
    y = scores(3, 1, 7, 2, 9, 0, 5, 11, 4, 6, 10, 8)
    expected = stats.pearsonr(x, y).pvalue
    assert compare_with_chance(PEARSON, x, y, seed=0).p == pytest.approx(expected, abs=0.03)


# Intervals


def test_models_of_one_lineage_are_left_out_together() -> None:
    kept: list[list[int]] = []

    def note(rows: Any) -> Any:
        kept.extend(rows.tolist())
        return np.zeros(len(rows))

    jackknife(note, ("a", "b", "a", "c", "c"))
    assert kept == [[0, 1, 2, 3, 4], [1, 3, 4], [0, 1, 2], [0, 2, 3, 4]]


def of_models(measure: RankMeasure, x: Any, y: Any) -> Jackknife:
    """Every model its own lineage."""
    names = tuple(map(str, range(len(x))))
    return jackknife(lambda kept: measure.compute(x[kept], y[kept]), names, measure.least)


def holds(found: MeasureInterval, truth: float) -> bool:
    low, high = ends(found)
    return low - 1e-9 <= truth <= high + 1e-9


def test_columns_that_are_the_same_agree_whole_and_so_does_the_interval() -> None:
    for n in (4, 10, 20):
        x = np.random.default_rng(n).normal(size=n)
        for measure in reported_measures("rank", 0.9):
            found = of_models(measure, x, x)
            low, high = ends(found.interval())
            assert (found.value, low, high) == pytest.approx((1, 1, 1)), measure.name
            assert ends(difference_interval(found, found)) == (0, 0)


def test_the_interval_of_a_measure_holds_its_value_and_keeps_to_its_bounds() -> None:
    """A bootstrap draws models twice, whose ties count against RBO: its interval may not."""
    chance = np.random.default_rng(3)
    for _ in range(60):
        x = chance.normal(size=12)
        y = x + chance.choice([0.01, 0.3, 3]) * chance.normal(size=12)
        for measure in reported_measures("rank", 0.9):
            found = of_models(measure, x, y)
            interval = found.interval()
            assert holds(interval, found.value)
            assert measure.least <= ends(interval)[0] <= ends(interval)[1] <= 1


def test_hinkleys_interval_of_a_correlation_is_that_of_its_formula() -> None:
    x, y = scores(1, 2, 3, 4, 6, 8), scores(2, 1, 4, 3, 9, 5)
    z = np.arctanh(pearson(x, y))
    without = [np.arctanh(pearson(np.delete(x, n), np.delete(y, n))) for n in range(6)]
    error = np.sqrt(5 / 6 * sum((of - z) ** 2 for of in without))
    width = stats.t.ppf(0.975, 5) * error
    found = ends(of_models(PEARSON, x, y).interval())
    assert found == pytest.approx((np.tanh(z - width), np.tanh(z + width)))


@pytest.mark.real
@pytest.mark.parametrize(("n", "tries"), [(10, 400), (20, 300), (50, 150)])
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_intervals_hold_the_truth_about_as_often_as_they_say(
    n: int, tries: int, rho: float
) -> None:
    """Of models whose scores are normal, and of the mean over samples of as many models."""
    uncertainty = np.random.default_rng(n)

    def sample(size: tuple[int, int]) -> Any:
        x, e = uncertainty.normal(size=(2, *size))
        return x, rho * x + np.sqrt(1 - rho**2) * e

    for measure in reported_measures("rank", 0.9):
        if measure.name == "weighted tau":
            continue  # A loop in Python: the benchmark has it.
        truth = measure.compute(*sample((4000, n))).mean()
        samples = zip(*sample((tries, n)), strict=True)
        held = sum(holds(of_models(measure, x, y).interval(), truth) for x, y in samples)
        # Three standard errors below .94.
        assert held / tries >= 0.94 - 3 * (0.06 * 0.94 / tries) ** 0.5, (measure.name, held)


def test_the_interval_of_a_difference_holds_the_truth_in_about_95_of_100() -> None:
    """Two benchmarks of .9 and .5, whose errors go together by one half."""
    uncertainty, held = np.random.default_rng(4), 0
    for _ in range(400):
        y, c, *own = uncertainty.normal(size=(4, 15))
        first, second = (
            of_models(PEARSON, rho * y + np.sqrt((1 - rho**2) / 2) * (c + e), y)
            for rho, e in zip((0.9, 0.5), own, strict=True)
        )
        held += holds(difference_interval(first, second), 0.4)
    assert 0.92 <= held / 400 <= 0.99


def test_where_a_model_leaves_nothing_to_compare_there_is_no_interval() -> None:
    x, y = scores(1, 1, 1, 4), scores(1, 2, 3, 4)
    found = of_models(PEARSON, x, y).interval()
    assert (found.low, found.high) == (None, None)
    assert "all others are equal" in found.note
    # Of two models every correlation is whole, so three would seem to agree for sure.
    x, y = scores(1, 2, 4), scores(1, 2, 4.3)
    for measure in reported_measures("rank", 0.9):
        found = of_models(measure, x, y).interval()
        assert (found.low, found.high, found.note) == (None, None, "too few models"), measure.name


def test_the_interval_that_is_printed_holds_the_value_that_is_printed() -> None:
    assert MeasureInterval(low=0.9961, high=0.9993).text() == "0.99 to 1.00"
    assert MeasureInterval(low=-0.001, high=0.071).text(sign=True) == "-0.01 to +0.08"
    assert MeasureInterval(low=1 - 1e-12, high=1.0).text() == "1.00 to 1.00"
    assert MeasureInterval(low=0.29, high=0.58).text() == "0.29 to 0.58"


def test_one_lineage_has_no_interval_and_nine_no_claim(few: None, tmp_path: Path) -> None:
    akin = models_of(tmp_path, 6, "good", "loose")._replace(lineages=("a",) * 6)
    found = correlated(akin)
    intervals = [of.interval for of in found.found["good"]]
    intervals += [of.interval for of in found.differences]
    assert {(of.low, of.high) for of in intervals} == {(None, None)}
    assert "| none: one lineage |" in correlation_page(akin, found, drawn=False).markdown
    # Nothing is claimed of nine models or of nine lineages.
    assert not correlated(models_of(tmp_path, 9, "good")).claims
    akin = models_of(tmp_path, 12, "good")._replace(lineages=(*"aaaabcdefghi",))
    assert not correlated(akin).claims


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
    "too great": ("model,b,d\nx,1,1\ny,-1e308,2\nz,1e308,3\n", "beyond 1e+100", "[b]"),
    "constant": ("model,b,d\nx,1,1\ny,1,2\nz,1,3\n", "every model has 1", "[b]"),
    "short row": (",model,b,d\n0,x,1,1\n1\n2,z,3,3\n", "1 cells in 4 columns", ":3"),
    "no head": (",b,d\nx,1,1\ny,2,2\nz,3,3\n", "does not name each column", ":1"),
    "a row number twice": (",model,b,d\n0,x,1,1\n0,y,2,2\n", "does not name each column", ":1"),
    "a cell too many": ("model,b,d\nx,1,1,9\ny,2,2\nz,3,3\n", "4 cells in 3 columns", ":2"),
    "a column twice": ("model,b,b\nx,1,1\n", "two columns are named 'b'", ":1"),
    "empty": ("", "does not name each column", ":1"),
    "a quote left open": ('model,b,d\n"x,1,1\n', "a quote that is never closed", ":2"),
    "from Excel as UTF-16": ("\ufeffmodel,b,d\n".encode("utf-16"), "UTF-16, not UTF-8", ".csv"),
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


@pytest.mark.parametrize("head", ["", "Unnamed: 0"])
def test_row_numbers_as_pandas_writes_them_are_ignored(tmp_path: Path, head: str) -> None:
    same = read(tmp_path / "plain.csv", "model,b,d\nx,1,1\ny,2,3\nz,3,2\n")
    path = tmp_path / "m.csv"
    models = read(path, f"{head},model,b,d\n0,x,1,1\n4,y,2,3\n7,z,3,2\n")
    assert models.names == same.names
    assert (models.benchmarks["b"] == same.benchmarks["b"]).all()
    assert (models.has_row_numbers, same.has_row_numbers) == (True, False)
    done = run(path, "--benchmark", "b", "--downstream", "d")
    assert done.code == 0, done.said
    assert "The first column numbers the rows" in done.said


def run(*given: object) -> Done:
    return pairwright("downstream", "correlate", *given)


def test_a_column_of_numbers_that_is_named_as_the_models_is_taken(tmp_path: Path) -> None:
    text = "Unnamed: 0,b,d\n10,1,1\n11,2,3\n12,3,2\n"
    models = read(tmp_path / "m.csv", text, name="Unnamed: 0")
    assert (models.names, models.has_row_numbers) == (("10", "11", "12"), False)
    # Semicolons are as good.
    assert read(tmp_path / "m.csv", "model;b;d\nx;1;1\ny;2;3\nz;3;2\n").names == ("x", "y", "z")
    with pytest.raises(InputError, match="both the benchmark and the downstream score"):
        read_models(tmp_path / "m.csv", ("b", "d"), "d", None, None)
    with pytest.raises(InputError, match=r"gone\.csv: cannot be read"):
        read_models(tmp_path / "gone.csv", ("b",), "d", None, None)


def test_a_column_named_like_markup_is_printed_as_it_is(few: None, tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "model,a[/b]\x1b\u202e,[red]d\nx\u202e,1,1\ny,2,3\nz,3,2\n")
    out = tmp_path / "out"
    options = ["--benchmark", "a[/b]\x1b\u202e", "--downstream", "[red]d", "--out", out]
    done = run(path, *options)
    assert done.code == 0, done.said
    assert "a[/b] against [red]d, n = 3 models" in done.said
    for name in ("report.html", "report.md"):
        text = (out / name).read_text(encoding="utf-8")
        assert not {"\x1b", "\u202e"} & set(text), name


def test_what_goes_with_the_downstream_score_is_claimed(few: None, tmp_path: Path) -> None:
    models = models_of(tmp_path, 12, "good", "loose")
    found = correlated(models)
    first, second, third = found.claims
    assert first.startswith("good goes with d by Spearman, weighted tau")
    assert second.startswith("By Spearman, weighted tau")
    assert "loose cannot be distinguished" in second
    assert third.startswith("good and loose differ by")
    assert correlated(models) == found
    html = correlation_page(models, found).html
    assert "<script>" not in html
    assert "Not stated: who judged the downstream outputs." in html
    # A p without an interval is no claim.
    wide = MeasureInterval(low=-0.2, high=1.0)
    good = tuple(of.model_copy(update={"interval": wide}) for of in found.found["good"])
    first = found.model_copy(update={"found": {"good": good}}).claims[0]
    assert first.startswith("By Spearman, weighted tau")
    assert "nothing is claimed of good: p (Holm) is below .05" in first
    # A p below a thousandth is not printed as 0.
    spearman = found.found["good"][0]
    least = spearman.chance.model_copy(update={"p": 0.0005})
    tiny = spearman.model_copy(update={"chance": least})
    one = found.model_copy(update={"found": {"good": (tiny,)}})
    assert "| &lt; 0.001 (" in correlation_page(models, one, drawn=False).markdown


def test_models_of_one_lineage_are_not_orders_of_their_own(few: None, tmp_path: Path) -> None:
    """Fifteen models of one lineage go with `d`; nine others, each its own lineage, go against it.
    As models of their own they would go together."""
    kin = [f"a{n},{n},{n},a" for n in range(15)]
    others = [f"b{n},{n},{8 - n},b{n}" for n in range(9)]
    text = "\n".join(["model,b,d,lineage", *kin, *others]) + "\n"
    alone = correlated(read(tmp_path / "m.csv", text))
    assert "b goes with d by Spearman" in alone.claims[0]
    models = read(tmp_path / "m.csv", text, lineage="lineage")
    together = correlated(models)
    assert not any("goes with" in claim for claim in together.claims)
    far = [of.measure for of in together.found["b"] if of.is_significant]
    assert not {"Spearman", "NDCG", "RBO"} & set(far)
    page = correlation_page(models, together, drawn=False).markdown
    assert "orders of the means of lineages" in page


def test_nothing_is_claimed_where_means_of_lineages_go_the_other_way(few: None) -> None:
    """Within each of twelve lineages both scores rise together; the lineages' means do not."""
    kin, step = np.repeat(np.arange(12.0), 3), np.tile([-30.0, 0.0, 30.0], 12)
    names = tuple(f"m{n}" for n in range(36))
    table = ModelTable(names, {"b": kin + step}, step - kin, tuple(map(str, kin)))
    found = correlated(table)
    spearman = found.found["b"][0]
    assert spearman.value > 0.7
    assert spearman.chance.lineage_value == pytest.approx(-1.0)
    assert spearman.is_significant
    assert spearman.beyond_chance
    assert not any("goes" in claim for claim in found.claims)
    assert "the means of lineages go one way and the models the other" in found.claims[0]
    page = correlation_page(table, found, drawn=False).markdown
    assert "of lineage means" in page
    assert "-1.0000" in page


def opening(table: ModelTable, found: Correlations) -> str:
    return " ".join(correlation_page(table, found, drawn=False).opening)


def test_the_command_prints_every_measure_and_writes_a_report(few: None, tmp_path: Path) -> None:
    path, out = write(tmp_path / "m.csv", table(6)), tmp_path / "out"
    options = ["--benchmark", "good", "--downstream", "d", "--judge", "one who reads"]
    done = run(path, *options, "--out", out)
    assert done.code == 0, done.said
    for name in ("Spearman", "weighted", "NDCG", "RBO"):
        assert name in done.said
    assert "Nothing is claimed: 6 models" in done.said
    assert "Not stated: which models descend" in done.said
    report = json.loads((out / "report.json").read_bytes())
    assert report["stated"]["judge"] == "one who reads"
    assert report["found"]["good"][0]["chance"]["orders"] == 720
    assert "one who reads" in (out / "report.md").read_text()


def test_a_gain_below_zero_and_a_p_of_one_are_refused(few: None, tmp_path: Path) -> None:
    models = read(tmp_path / "m.csv", "model,b,d\nx,1,-1\ny,2,2\nz,3,3\n")
    with pytest.raises(ValueError, match="below zero"):
        correlate(models, "d", NOTHING, gain="score", p=0.9, seed=0)
    for p in (0, 1, -1, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            correlate(models, "d", NOTHING, gain="rank", p=p, seed=0)

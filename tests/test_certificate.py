"""`pairwright downstream certify`: the same scorers on generated twins and on natural ones."""

import json
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decided import RELEASE, result, twin
from pairwright.errors import InputError
from pairwright.evaluate.certificate import Certificate
from pairwright.evaluate.certificate.certificate import scorers_needed
from pairwright.evaluate.certificate.report_page import certificate_page, claims
from pairwright.evaluate.correlation import uncertainty
from pairwright.evaluate.correlation.measures import spearman
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.results import ScorerRef
from pairwright.report import to_html
from pairwright.workflows.certificate import certify
from study import Done, pairwright

NATURAL = {"mode": "natural", "config": "Home-natural"}
TWINS = 40


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncertainty, "ORDERS", 200)


def decisions(both_right: int, **changes: Any) -> list[PairDecision]:
    """Twins of which so many have both halves right; of the others one half is."""
    scores = [((2.0, 1.0), (2.0, 1.0 if n < both_right else 3.0)) for n in range(TWINS)]
    return list(chain.from_iterable(twin(n, *both, **changes) for n, both in enumerate(scores)))


def results(folder: Path, generated: dict[str, int], natural: dict[str, int]) -> tuple[Path, Path]:
    """Results of scorers by how many twins they have whole."""
    own, other = folder / "generated", folder / "natural"
    people = RELEASE.model_copy(update={"name": "choices", "digest": "b2:11"})
    for name, right in generated.items():
        result(own, name, decisions(right))
    for name, right in natural.items():
        result(other, name, decisions(right, **NATURAL), release=people)
    return own, other


def test_scorers_that_go_together_are_found_to(tmp_path: Path) -> None:
    ranks = {f"s{n:02}": 2 * n for n in range(14)}
    found = certify(*results(tmp_path, ranks, {name: n // 2 for name, n in ranks.items()}))
    assert found.correlations is not None
    (measures,) = found.correlations.found.values()
    assert {one.measure: one.value for one in measures}["Spearman"] == pytest.approx(1.0)
    assert any(
        "goes with accuracy on natural twins by Pearson" in s for s in claim_sentences(found)
    )
    best = found.scorers[0]
    assert (best.scorer, best.generated.value) == ("s13", 0.5 + 26 / 80)
    assert best.difference == pytest.approx((13 - 26) / 80)
    assert best.low is not None
    assert best.low < best.difference < 0


def claim_sentences(found: Certificate) -> list[str]:
    return list(claims(found))


def test_few_scorers_carry_no_claim_and_the_page_says_how_many_are_needed(tmp_path: Path) -> None:
    own = {"a": 4, "b": 8, "c": 20}
    found = certify(*results(tmp_path, own, own), tmp_path / "out")
    assert "Nothing is claimed: 3 scorers" in claim_sentences(found)[0]
    stored = json.loads((tmp_path / "out" / "certificate.json").read_bytes())
    assert stored["condition"] == "profile"
    page = to_html(certificate_page(found))
    assert "How many scorers it takes" in page
    assert page.count("<svg") == 1


def test_two_scorers_have_no_correlation(tmp_path: Path) -> None:
    found = certify(*results(tmp_path, {"a": 4, "b": 8}, {"a": 4, "b": 8}))
    assert found.correlations is None
    assert "2 scorers are ranked on both: there are too few" in claim_sentences(found)[0]
    assert "<svg" in to_html(certificate_page(found))


def test_what_is_not_the_same_scorer_on_both_is_left_out_with_its_reason(tmp_path: Path) -> None:
    own, other = results(tmp_path, {"a": 4, "b": 8, "overlap": 9}, {"a": 4, "c": 8, "overlap": 9})
    people = RELEASE.model_copy(update={"name": "choices", "digest": "b2:11"})
    newer = ScorerRef(name="d", kind="classifier", revision="2")
    result(own, "d", decisions(4))
    result(other, "d", decisions(4, **NATURAL), scorer=newer, release=people)
    found = certify(own, other)
    assert [one.scorer for one in found.scorers] == ["a"]
    assert found.left_out == {
        "b": "has a result on generated twins alone",
        "c": "has a result on natural twins alone",
        "d": "another model, revision or settings on the other release",
        "overlap": "a baseline",
    }


def test_scorers_of_one_family_do_not_count_for_several(tmp_path: Path) -> None:
    own = {f"s{n:02}": 2 * n for n in range(12)}
    folders = results(tmp_path, own, own)
    families = tmp_path / "families.csv"
    kin = "\n".join(f"s{n:02},f{n // 3}" for n in range(12))
    families.write_text(f"scorer,family\n{kin}\n")
    found = certify(*folders, families=families)
    assert found.families == 4
    assert "Nothing is claimed: 12 scorers of 4 families" in claim_sentences(found)[0]


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("scorer;family\n", ":1", "does not begin with the columns"),
        ("scorer,family\na\n", ":2", "is not one scorer with its family"),
        ("scorer,family\na,x\na,y\n", ":3", "is there twice"),
        ("scorer,family\na,y\nz,x\n", ":3", "'z' is not a scorer of these results"),
    ],
)
def test_families_that_cannot_be_used_are_refused(
    tmp_path: Path, text: str, where: str, words: str
) -> None:
    folders = results(tmp_path, {"a": 4}, {"a": 4})
    path = tmp_path / "families.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=words) as refusal:
        certify(*folders, families=path)
    assert where in str(refusal.value)


def test_a_release_of_another_mode_is_refused(tmp_path: Path) -> None:
    own, other = results(tmp_path, {"a": 4}, {"a": 4})
    done = run(other, own)
    assert done.code == 2
    assert "no result on pairs of mode twin in condition profile" in done.err


def run(*given: object) -> Done:
    return pairwright("downstream", "certify", *given)


def test_the_command_prints_what_may_be_said(tmp_path: Path) -> None:
    own = {"a": 4, "b": 8, "c": 20}
    done = run(*results(tmp_path, own, own), "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "0.750 (" in done.out
    assert "Nothing is claimed" in done.out
    assert f"Open: {tmp_path / 'out' / 'certificate.html'}" in done.out
    unknown = run(tmp_path / "generated", tmp_path / "natural", "--condition", "posts")
    assert unknown.code == 2
    assert "there is no condition 'posts'" in unknown.err


def test_so_many_scorers_find_a_correlation_as_often_as_is_said() -> None:
    rho, chance = 0.7, np.random.default_rng(0)
    n = scorers_needed(rho)
    # Pearson's r of normal scores whose Spearman correlation is rho.
    r = 2 * np.sin(np.pi * rho / 6)
    x, e = chance.normal(size=(2, 4000, n))
    found = spearman(x, r * x + np.sqrt(1 - r * r) * e)
    nothing = spearman(*chance.normal(size=(2, 20_000, n)))
    bound = np.quantile(np.abs(nothing), 0.95)
    assert (np.abs(found) > bound).mean() == pytest.approx(0.8, abs=0.03)

"""`pairwright downstream certify`: the same scorers on generated twins and on natural ones."""

import importlib
import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from decided import RELEASE, ends, result, twin
from pairwright import certify
from pairwright.errors import InputError
from pairwright.evaluation.certificate import SCORERS_NEEDED, Certificate, certificate_page
from pairwright.evaluation.correlation import uncertainty
from pairwright.evaluation.correlation.correlations import CLAIMS_FROM
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.release import BuildModel
from pairwright.evaluation.results import ScorerRef
from study import Done, pairwright

NATURAL = {"mode": "natural", "config": "Home-natural"}
TWINS = 40
PEOPLE = RELEASE.model_copy(update={"name": "choices", "digest": "b2:11"})


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncertainty, "ORDERS", 100)


def decisions(both_right: int, **changes: Any) -> list[PairDecision]:
    """Twins of which so many have both halves right; of the others one half is."""
    scores = [((2.0, 1.0), (2.0, 1.0 if n < both_right else 3.0)) for n in range(TWINS)]
    return list(chain.from_iterable(twin(n, *both, **changes) for n, both in enumerate(scores)))


def results(folder: Path, generated: dict[str, int], natural: dict[str, int]) -> tuple[Path, Path]:
    """Results of scorers by how many twins they have whole."""
    own, other = folder / "generated", folder / "natural"
    for name, right in generated.items():
        result(own, name, decisions(right))
    for name, right in natural.items():
        result(other, name, decisions(right, **NATURAL), release=PEOPLE)
    return own, other


def both(
    folder: Path, name: str, right: int, of_generated: dict[str, Any], **changes: Any
) -> tuple[Path, Path]:
    """Results of one scorer, with these changes of both summaries and of the first one's."""
    own, other = folder / "generated", folder / "natural"
    result(own, name, decisions(right), **of_generated, **changes)
    result(other, name, decisions(right, **NATURAL), **{"release": PEOPLE, **changes})
    return own, other


def test_scorers_that_go_together_are_found_to(tmp_path: Path) -> None:
    ranks = {f"s{n:02}": 2 * n for n in range(14)}
    found = certify(*results(tmp_path, ranks, {name: n // 2 for name, n in ranks.items()}))
    assert found.primary is not None
    assert found.primary.value == pytest.approx(1.0)
    assert found.primary.adjusted == found.primary.chance.p, "the primary measure is outside Holm"
    alike = "Generated and natural twins rank these scorers alike (Spearman 1.00"
    assert alike in claim_sentences(found)[0]
    best = found.scorers[0]
    assert (best.scorer, best.generated.value) == ("s13", 0.5 + 26 / 80)
    assert best.difference == pytest.approx((13 - 26) / 80)
    assert ends(best)[0] < best.difference < 0


def claim_sentences(found: Certificate) -> list[str]:
    """The opening of the page, a paragraph each."""
    return list(certificate_page(found, drawn=False).opening)


def test_what_is_not_the_same_scorer_on_both_is_left_out_with_its_reason(tmp_path: Path) -> None:
    own, other = results(tmp_path, {"a": 4, "b": 8, "overlap": 9}, {"a": 4, "c": 8, "overlap": 9})
    newer = ScorerRef(name="d", kind="classifier", revision="2")
    result(own, "d", decisions(4))
    result(other, "d", decisions(4, **NATURAL), scorer=newer, release=PEOPLE)
    found = certify(own, other)
    assert [one.scorer for one in found.scorers] == ["a"]
    assert found.left_out == {
        "b": "has a result on generated twins alone",
        "c": "has a result on natural twins alone",
        "d": "another model, revision or settings on the other release",
        "overlap": "a baseline",
    }


def test_who_had_a_part_in_the_release_is_set_apart_and_named(tmp_path: Path) -> None:
    judge = BuildModel(role="judge", model="org/Referee-70B")
    built = RELEASE.model_copy(update={"builders": (judge,)})
    models = {"a": "x/one", "own": "referee-70b", "akin": "x/referee-8b"}
    for name, model in models.items():
        scorer = ScorerRef(name=name, kind="pairwise", model=model)
        own, other = both(tmp_path, name, 9, {"release": built}, scorer=scorer)
    found = certify(own, other)
    assert [one.scorer for one in found.scorers] == ["a"]
    assert found.apart == {"akin": "family of the build's judge", "own": "the build's judge"}
    assert found.left_out.keys() == found.apart.keys()
    assert (
        "Set apart, because a model prefers what it wrote or accepted itself: akin (family of the"
        " build's judge), own (the build's judge)."
    ) in " ".join(claim_sentences(found))


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
        ("scorer,lineage\n", ":1", "does not begin with the columns"),
        ("scorer,family\na\n", ":2", "1 cells in 2 columns"),
        ("scorer;family\na;\n", ":2", "is not one scorer with its family"),
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


def run(*given: object) -> Done:
    return pairwright("downstream", "certify", *given)


def test_the_command_prints_what_may_be_said(tmp_path: Path) -> None:
    own = {"a": 4, "b": 8, "c": 20}
    done = run(*results(tmp_path, own, own), "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "0.750 (" in done.out
    out = tmp_path / "out"
    assert json.loads((out / "certificate.json").read_bytes())["condition"] == "profile"
    html = (out / "certificate.html").read_text()
    assert "How many scorers it takes" in html
    assert html.count("<svg") == 1
    page = (out / "certificate.md").read_text()
    assert "n = 80 pairs, 40 twins, 40 clusters" in " ".join(page.split())
    assert "Nothing is claimed: 3 scorers" in done.out
    assert "Of 3 scorers" not in done.out
    assert "independent scorers" in page
    assert f"Open: {out / 'certificate.html'}" in done.out
    generated, natural = tmp_path / "generated", tmp_path / "natural"
    unknown = run(generated, natural, "--condition", "posts")
    assert unknown.code == 2
    assert "there is no condition 'posts'" in unknown.err
    turned = run(natural, generated)
    assert turned.code == 2
    assert "no result on pairs of mode twin in condition profile" in turned.err


@pytest.mark.real
@pytest.mark.parametrize("rho", [0.9, 0.7])
def test_so_many_scorers_find_a_correlation_as_often_as_is_said(
    rho: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    n = SCORERS_NEEDED[rho]
    assert n >= CLAIMS_FROM
    # 400 tries have a standard error of two points.
    power = importlib.import_module("correlations").power(rho, n, 400)
    assert power == pytest.approx(0.8, abs=0.08)


def test_nothing_found_is_no_evidence_and_differences_are_adjusted(tmp_path: Path) -> None:
    """Twelve scorers without an order on natural twins, of whom one is a little less accurate."""
    own = {f"s{n:02}": 12 + n % 3 for n in range(12)} | {"s00": 14}
    other = {name: 12 + (n * 5 + n // 3) % 3 for n, name in enumerate(own)} | {"s00": 0}
    found = certify(*results(tmp_path, own, other))
    outside = [one for one in found.scorers if one.high is not None and one.high < 0]
    assert [one.scorer for one in outside] == ["s00"]
    opening = " ".join(claim_sentences(found))
    assert "No rank correlation was found (Spearman" in opening
    assert "12 independent scorers find" in opening
    assert "Of 12 scorers, 0 can be said to be less accurate on natural twins" in opening
    page = " ".join(certificate_page(found, drawn=False).markdown.split())
    assert "On natural twins the scorers differ hardly more than by the errors" in page
    assert "n = 80 pairs in 40 clusters" in page


@pytest.mark.parametrize(
    ("own", "other", "words"),
    [
        ({"a": 4}, {"b": 4}, "No scorer is ranked on both releases"),
        ({"a": 4, "b": 8}, {"a": 4, "b": 8},
         "2 scorers are ranked on both releases, and a correlation takes 3"),
        ({"a": 4, "b": 5, "c": 6}, {"a": 4, "b": 4, "c": 4},
         "All 3 scorers have the same accuracy on natural twins"),
    ],
)  # fmt: skip
def test_why_there_is_no_correlation_is_said(
    tmp_path: Path, own: dict[str, int], other: dict[str, int], words: str
) -> None:
    folders = results(tmp_path, own, other)
    found = certify(*folders)
    assert found.correlations is None
    assert ("<svg" in certificate_page(found).html) == (len(found.scorers) > 0)
    done = run(*folders)
    assert words in " ".join(done.out.split())
    assert done.code == (1 if "No scorer" in words else 0)
    assert "Traceback" not in done.said


@pytest.mark.parametrize("part", [{"limit": 9}, {"split": "validation"}])
def test_other_parts_of_the_releases_are_refused(tmp_path: Path, part: dict[str, Any]) -> None:
    own, other = both(tmp_path, "a", 4, part)
    with pytest.raises(InputError, match=f"are of {next(iter(part))} "):
        certify(own, other)


def test_what_each_side_was_shown_is_said_and_where_it_differs(tmp_path: Path) -> None:
    own, other = both(tmp_path, "a", 4, {"history": "b2:f1", "as_people": True})
    found = certify(own, other)
    page = " ".join(certificate_page(found, drawn=False).markdown.split())
    assert (
        "Posts that the scorers were shown: on generated twins those that people saw in the study,"
        " on natural twins all of each history that fit."
    ) in page
    said = " ".join(run(own, other).out.split())
    assert "The scorers were shown posts by another rule" in said
    # Both releases of these tests have the same made-up users.
    assert f"{2 * TWINS} users are in both releases" in page

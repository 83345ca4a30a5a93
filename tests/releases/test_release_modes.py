"""Twins, placebos and violate pairs in one release; older studies asked about no placebo."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.dataset import Layout, Row, parts_of, read_rows
from pairwright.errors import Difference, InputError
from pairwright.releases.verify import verify_release
from pairwright.workflows.pair_audit import write_audit
from pairwright.workflows.tasks import export_tasks
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.study_files import read_study
from released import gathered, placebo, released, rows, run_of, twinned, violated
from tampering import Tampered, copy_of

AGAINST = [2, 12, 22]
PAIRS = [pair for n in range(6) for pair in (*twinned(n), violated(10 + n), *placebo(20 + n))]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People verified all but the twin of question 2, the pair of 12 and the placebo of 22."""
    base = tmp_path_factory.mktemp("modes")
    run = run_of(base / "run", PAIRS, against=AGAINST)
    return released(run, base / "release", "1.0.0", "--validation", "30%").root


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release without a split for validation, of a study that asked about no placebo."""
    base = tmp_path_factory.mktemp("older")
    run = run_of(base / "run", PAIRS, against=AGAINST, placebos=False)
    return released(run, base / "release").root


def said(release: Path, page: str = "README.md") -> str:
    return " ".join((release / page).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("asked", [True, False])
def test_placebos_are_verified_or_not_asked_about(asked: bool, release: Path, older: Path) -> None:
    verify_release(release if asked else older, write_audit=write_audit)
    found = rows(Layout(release if asked else older))
    assert Counter(row.config for row in found) == {
        "Home-twin": 10, "Home-violate": 5, "Home-placebo": 10 if asked else 12
    }  # fmt: skip
    for row in found:
        is_placebo = row.mode == "placebo"
        assert row.verified == (asked or not is_placebo)
        votes = row.votes and (row.votes.chosen, row.votes.equal)
        assert votes == (((0, 3) if asked else None) if is_placebo else (3, 0))
        assert bool(row.rubric_aspects) != is_placebo
        assert row.aspects_origin == (None if is_placebo else "planner")


def test_no_user_is_in_two_splits_and_a_violate_pair_is_about_one(
    release: Path,
) -> None:
    splits: dict[str, set[str]] = {}
    users: dict[str, set[str | None]] = {}
    for part in parts_of(release):
        for row in read_rows(Layout(release).part(part)):
            splits.setdefault(row.user or "", set()).add(part.split)
            users.setdefault(row.subject, set()).add(row.user)
            assert len(users[row.subject]) <= (1 if row.mode == "violate" else 2)
    assert {len(where) for where in splits.values()} == {1}
    assert set[str]().union(*splits.values()) == {"test", "validation"}


def _first(**changes: object) -> Callable[[list[Row]], list[Row]]:
    return lambda found: [found[0].model_copy(update=changes), *found[1:]]


@pytest.mark.parametrize(
    ("config", "change", "what"),
    [
        ("Home-placebo", _first(verified=True), "verified, where nobody was asked,"),
        ("Home-placebo", lambda found: found[1:], "asked is"),
        ("Home-placebo", lambda found: found[:-1], "half a twin"),
        ("Home-placebo", lambda found: found[2:], "belongs into this release"),
        (
            "Home-violate",
            _first(twin_id="twin-0123456789abcdef"),
            "is not a kept unit of the build",
        ),
        ("Home-violate", lambda found: found[1:], "belongs into this release"),
    ],
    ids=["a verdict", "a first half", "a last half", "a placebo", "a twin", "a pair"],
)
def test_what_is_not_verified_is_held_to_the_build(
    config: str, change: Callable[[list[Row]], list[Row]], what: str, older: Path, tmp_path: Path
) -> None:
    bad = Tampered(copy_of(older, tmp_path / "bad"))
    bad.rows(config, change)
    bad.seal()
    with pytest.raises(Difference, match=what):
        verify_release(bad.root)


def test_placebos_alone_need_no_study_and_a_pair_beside_them_does(tmp_path: Path) -> None:
    alone = run_of(tmp_path / "alone", [*placebo(1), *placebo(2)], study=False)
    release = released(alone, tmp_path / "release").root
    assert verify_release(release).subjects == 2
    assert "no pair is verified by people" in said(release)
    beside = run_of(tmp_path / "beside", [*placebo(1), violated(2)], study=False)
    with pytest.raises(InputError, match="nobody has verified its pairs"):
        gathered(beside)


def test_a_study_asks_about_every_mode_and_no_aspect_of_a_placebo(tmp_path: Path) -> None:
    many = [pair for n in range(20) for pair in (*twinned(n), violated(40 + n), *placebo(80 + n))]
    run = run_of(tmp_path / "run", many, study=False, wrong_profile=0.1)
    made = export_tasks(run, annotators=9, seed=1)
    assert made.units == {"twin": 20, "placebo": 20, "violate": 20}
    assert (made.study.of, made.study.sampled) == (60, 60)
    assert made.stranger is not None
    assert made.stranger.subjects == 4
    modes = {pair.twin_id or pair.id: pair.mode for pair in many}
    tasks = read_study(HumanFolder(run)).key.values()
    found = Counter((modes[one.subject], one.kind, one.purpose) for one in tasks if one.pair)
    assert {asked: n for asked, n in found.items() if asked[0] == "placebo"} == {
        ("placebo", "preference", "vote"): 20 * 2 * 3,
        ("placebo", "preference", "repeat"): found["placebo", "preference", "repeat"],
    }
    placebos = [one for one in tasks if modes.get(one.subject) == "placebo"]
    assert {one.expected for one in placebos} == {None}

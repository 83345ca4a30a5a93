"""Twins, placebos and violate pairs in one release."""

from collections import Counter
from pathlib import Path

import pytest

from pairwright.pairs import Layout, parts_of, read_rows
from pairwright.releases.check import check
from pairwright_human_eval.opened import read_study
from pairwright_human_eval.study import export_tasks
from released import placebo, released, rows, run_of, twinned, violated

AGAINST = [2, 12, 22]
PAIRS = [pair for n in range(6) for pair in (*twinned(n), violated(10 + n), *placebo(20 + n))]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People verified all but the twin of question 2, the pair of 12 and the placebo of 22."""
    base = tmp_path_factory.mktemp("modes")
    run = run_of(base / "run", PAIRS, against=AGAINST)
    return released(run, base / "release", "1.0.0", "--validation", "30%").root


def test_a_placebo_is_verified_by_equal_votes_and_has_no_rubric(release: Path) -> None:
    check(release)
    found = rows(Layout(release))
    assert Counter(row.config for row in found) == {
        "Home-twin": 10, "Home-violate": 5, "Home-placebo": 10
    }  # fmt: skip
    for row in found:
        is_placebo = row.mode == "placebo"
        assert row.verified
        assert row.votes
        assert (row.votes.chosen, row.votes.equal) == ((0, 3) if is_placebo else (3, 0))
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


def test_a_study_asks_about_every_mode_and_no_aspect_of_a_placebo(tmp_path: Path) -> None:
    many = [pair for n in range(20) for pair in (*twinned(n), violated(40 + n), *placebo(80 + n))]
    run = run_of(tmp_path / "run", many, study=False)
    made = export_tasks(run, annotators=9, seed=1)
    assert sum(made.units.values()) == 60
    assert made.study.of == 60
    modes = {pair.twin_id or pair.id: pair.mode for pair in many}
    tasks = read_study(run).key.values()
    found = Counter((modes[one.unit], one.kind, one.purpose) for one in tasks if one.pair)
    assert {asked: n for asked, n in found.items() if asked[0] == "placebo"} == {
        ("placebo", "preference", "vote"): 20 * 2 * 3,
        ("placebo", "preference", "repeat"): found["placebo", "preference", "repeat"],
    }
    placebos = [one for one in tasks if modes.get(one.unit) == "placebo"]
    assert {one.expected for one in placebos} == {None}

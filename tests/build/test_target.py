"""Commands that end when enough is kept; `test_steps.py` has which units they take."""

from pathlib import Path
from typing import Any

import pytest
from test_batch import answered

from endpoint import double, in_thread
from pairwright.construct import session
from study import Done, Study, pairwright

ITEMS = 8


@pytest.fixture(autouse=True)
def _small_waves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "WAVE", 4)


def study_in(folder: Path, url: str | None = None, **changes: Any) -> Study:
    return Study.make(folder, url, limit=ITEMS, **changes)


def built(study: Study, target: int, *options: object) -> Done:
    return study.build("--target", target, *options)


def twins(study: Study) -> set[str]:
    return {row["twin_id"] for row in study.rows("pairs.jsonl") if row["mode"] == "twin"}


def test_as_many_twins_are_kept_as_asked_for_and_files_say_what_is_left(tmp_path: Path) -> None:
    study = study_in(tmp_path / "s")
    done = built(study, 3)
    assert done.code == 0, done.said
    assert len(twins(study)) == 3
    assert study.manifest["state"] == "target"
    target = study.manifest["target"]
    assert (target["n"], target["mode"], target["kept"]) == (3, "twin", 3)
    assert target["items_left"] == ITEMS - study.manifest["funnel"]["twin"]["items"] > 0
    status = pairwright("status", study.run)
    assert status.code == 0
    assert f"twins; {target['items_left']} items not needed" in status.out
    # A second wave was not begun.
    surveyed = {row["item_id"] for row in study.rows("pairs.jsonl")}
    assert surveyed <= {row["id"] for row in study.rows("items.jsonl")[:4]}


@pytest.mark.real
def test_a_larger_target_goes_on_and_a_smaller_one_drops_nothing(tmp_path: Path) -> None:
    with in_thread(double()) as endpoint:
        study = study_in(tmp_path / "s", endpoint.url)
        assert built(study, 2).code == 0
        first, calls = twins(study), endpoint.n
        assert built(study, 2).code == 0
        assert endpoint.n == calls, "nothing is asked again"
        assert built(study, 6).code == 0
        more = twins(study)
        assert first < more
        assert len(more) == 6
        assert len(endpoint.by_identity) == endpoint.n, "no call was sent twice"
        before = endpoint.n
        assert built(study, 2).code == 0
        assert twins(study) == more
        assert endpoint.n == before
        at_once = study_in(tmp_path / "at-once", endpoint.url)
        assert built(at_once, 6).code == 0
    assert at_once.rows("pairs.jsonl") == study.rows("pairs.jsonl")


@pytest.mark.real
def test_a_target_that_the_source_cannot_reach_is_said(tmp_path: Path) -> None:
    study = study_in(tmp_path / "s")
    done = built(study, 99)
    assert done.code == 1
    assert f"{99 - len(twins(study))} are missing" in done.err
    assert study.manifest["state"] == "short"
    assert study.manifest["target"]["items_left"] == 0
    assert pairwright("status", study.run).code == 1


@pytest.mark.real
def test_without_twins_pairs_are_counted_in_source_order(tmp_path: Path) -> None:
    study = study_in(tmp_path / "s", modes=["violate"])
    assert built(study, 5).code == 0
    items = [row["id"] for row in study.rows("items.jsonl")]
    assert [row["item_id"] for row in study.rows("pairs.jsonl")] == items[:5]
    assert study.manifest["target"]["mode"] == "violate"


@pytest.mark.real
def test_several_processes_keep_the_same(tmp_path: Path) -> None:
    alone, shared = (study_in(tmp_path / str(n), processes=n) for n in (1, 2))
    assert built(alone, 3).code == built(shared, 3).code == 0
    assert alone.outcomes() == shared.outcomes()


@pytest.mark.real
def test_by_files_the_same_is_kept(tmp_path: Path) -> None:
    live, study = study_in(tmp_path / "live"), study_in(tmp_path / "s")
    assert built(live, 3).code == 0
    for number in range(1, 40):
        done = built(study, 3, "--batch-out", study.folder / "out")
        if done.code != 3:
            break
        assert "--target 3" in done.out
        assert answered(study, number).code == 0
    assert done.code == 0, done.said
    assert study.rows("pairs.jsonl") == live.rows("pairs.jsonl")

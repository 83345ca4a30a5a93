"""Killed, interrupted, refused or out of disk: no finished call is lost, and none is sent twice."""

import json
import signal
from pathlib import Path

import pytest
import tenacity
from aiohttp import web
from own_process import disk_full, ending, stored, until

from endpoint import Asked, double, drop, fail, in_thread, truncate
from model_double import share
from pairwright.models import client
from study import OUTCOMES, Study, pairwright

ITEMS = 8
UNITS = 2 * ITEMS


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """What a run that nobody disturbs leaves, and how many calls it takes."""
    with in_thread(double()) as endpoint:
        study = Study.make(tmp_path_factory.mktemp("whole") / "s", endpoint.url, limit=ITEMS)
        assert study.build().code == 0
    return study.outcomes(), endpoint.n


def kept(study: Study) -> set[str]:
    """Every request in the store, as `Asked.identity` says it."""
    bodies = (asked.body("max_tokens") for asked, _ in stored(study.run).values())
    return {json.dumps(body, sort_keys=True) for body in bodies}


def no_outcomes(study: Study) -> bool:
    return not any((study.run / name).exists() for name in OUTCOMES)


@pytest.mark.real
def test_killed_again_and_again_no_stored_call_is_sent_twice_and_the_files_come_out_the_same(
    tmp_path: Path, undisturbed: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = undisturbed
    with in_thread(double(delay_s=0.03)) as endpoint:
        study = Study.make(tmp_path / "s", endpoint.url, limit=ITEMS, served__concurrency=8)
        lost = 0
        for part in (0.2, 0.7):
            before = kept(study) if (study.run / "run.sqlite").exists() else set()
            endpoint.forget()
            with ending(study.start_build()) as process:
                until(lambda: len(before) + endpoint.n > part * calls, process)  # noqa: B023
                process.send_signal(signal.SIGKILL)
                process.wait()
            assert before.isdisjoint(endpoint.by_identity)
            assert no_outcomes(study)
            assert len(kept(study)) > len(before)
            lost += len(before) + endpoint.n - len(kept(study))
        assert lost <= 2 * 8, "what was in flight, and nothing more"
        before = kept(study)
        endpoint.forget()
        assert study.build().code == 0
        assert before.isdisjoint(endpoint.by_identity)
        assert endpoint.n == calls - len(before)
    assert study.outcomes() == whole


def test_asked_to_stop_it_stores_what_is_in_flight_and_claims_nothing(
    tmp_path: Path, undisturbed: tuple[dict[str, bytes], int]
) -> None:
    whole, calls = undisturbed
    slow = double(delay_s=0.4)

    async def slower_later(asked: Asked) -> web.StreamResponse:
        return await (double() if asked.number < 60 else slow)(asked)

    with in_thread(slower_later) as endpoint:
        study = Study.make(tmp_path / "s", endpoint.url, limit=ITEMS, served__concurrency=4)
        with ending(study.start_build()) as process:
            until(lambda: endpoint.n > 64 and endpoint.in_flight == 4, process)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        asked = endpoint.n
        assert process.returncode == 130
        assert "Traceback" not in out + err
        assert "run again" in out + err
        assert len(endpoint.answered) == asked <= 72
        assert len(kept(study)) == asked
        assert no_outcomes(study)
        assert not list(study.run.glob("*.partial"))
        assert "not finished" in pairwright("status", study.run).out
        endpoint.handler = double()
        assert study.build().code == 0
        assert endpoint.n == calls
    assert study.outcomes() == whole


FAULTS = (fail(429, headers={"Retry-After": "0.01"}), fail(500), drop, truncate)


def test_on_a_bad_line_units_end_with_reasons_and_failed_ones_are_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_JITTERED", tenacity.wait_none())
    good = double()

    async def on_a_bad_line(asked: Asked) -> web.StreamResponse:
        if share("permanent_500", asked.identity, 0) < 0.02:
            return await fail(500, "this request kills the engine")(asked)
        tries = endpoint.by_identity[asked.identity]
        bad = (one for n, one in enumerate(FAULTS) if share(n, asked.identity, tries) < 0.1)
        return await next(bad, good)(asked)

    with in_thread(on_a_bad_line) as endpoint:
        study = Study.make(tmp_path / "s", endpoint.url, limit=ITEMS, served__attempts=30)
        assert study.build().code == 1
        assert 1 < max(endpoint.by_identity.values()) <= 30
        study.assert_whole(UNITS)
        failed, pairs = study.failed(), study.rows("pairs.jsonl")
        assert 0 < len(failed) < UNITS, "else this test shows nothing"
        assert {row["reason"] for row in failed} == {"http_500"}
        assert all("kills the engine" in row["detail"] for row in failed)
        answered = kept(study)
        endpoint.forget()
        endpoint.handler = double()
        assert study.build().code == 0
        assert endpoint.n > 0
        assert answered.isdisjoint(endpoint.by_identity)
    assert len(study.rows("pairs.jsonl")) > len(pairs)


@pytest.mark.parametrize("at", [400_000, 40_000], ids=("among the calls", "among the items"))
def test_a_full_disk_ends_the_build_in_a_sentence_and_it_goes_on_later(
    tmp_path: Path, undisturbed: tuple[dict[str, bytes], int], at: int
) -> None:
    whole, calls = undisturbed
    with in_thread(double()) as endpoint:
        study = Study.make(tmp_path / "s", endpoint.url, limit=ITEMS)
        with disk_full(at):
            done = study.build()
        before = kept(study)
        endpoint.forget()
        assert study.build().code == 0
        assert endpoint.n == calls - len(before)
        assert study.outcomes() == whole
    assert done.code == 2
    assert str(study.run) in done.err

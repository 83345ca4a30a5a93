"""Recordings: a run's replies in one file, and a build that is answered by them."""

import asyncio
import gzip
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from own_process import stored

from endpoint import ask, double_url
from model_double import DOUBLE
from pairwright.construct.partners import Survey, SurveyOutcome
from pairwright.errors import CallFailed, InputError
from pairwright.models import Completion, completion_of
from pairwright.models.recorded import (
    RecordedCall,
    RecordedModel,
    Recording,
    RecordingHead,
    Replay,
    read_recording,
    write_recording,
)
from pairwright.models.store import Store
from pairwright.workflows.recording import RecordedRun, record_run
from study import Study, pairwright

FILE = "replies.jsonl.gz"
LIGHT: dict[str, Any] = {"modes": ["violate"], "limit": 3}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A run of which some drafts were refused."""
    folder = tmp_path_factory.mktemp("built") / "s"
    study = Study.make(folder, gates__length_ratio=1.03, **LIGHT)
    assert study.build().code == 0
    return study


@pytest.fixture(scope="module")
def recorded(built: Study) -> RecordedRun:
    return record_run(built.run, built.folder / FILE, note="Made for a test")


@pytest.fixture
def replaying(built: Study, recorded: RecordedRun, tmp_path: Path) -> Study:
    """The study in another folder, answered by the recording beside it."""
    study = Study.make(
        tmp_path / "replaying", f"recording:{FILE}", gates__length_ratio=1.03, **LIGHT
    )
    (study.folder / FILE).write_bytes(recorded.path.read_bytes())
    return study


def histories(study: Study) -> list[str]:
    return (study.folder / "histories.jsonl").read_text(encoding="utf-8").splitlines()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_a_recording_answers_a_build_to_the_same_bytes(
    built: Study, replaying: Study, recorded: RecordedRun, tmp_path: Path
) -> None:
    done = replaying.build()
    assert done.code == 0
    before, after = built.outcomes(), replaying.outcomes()
    for name in ("pairs.jsonl", "rejected.jsonl", "failed.jsonl"):
        assert after[name] == before[name]
    assert before["pairs.jsonl"]
    assert stored(replaying.run).keys() == stored(built.run).keys()
    assert f"Replies come from a recording, {FILE}: " in done.err
    assert "Made for a test" in done.err
    assert f"Recorded: replies written by a language model ({DOUBLE})" in done.out
    manifest = replaying.manifest
    assert manifest["recorded"] == [DOUBLE]
    assert built.manifest["recorded"] == []
    # A recording of the replay says the same.
    again = record_run(replaying.run, tmp_path / "again.jsonl.gz", note="Made for a test")
    assert again.path.read_bytes() == recorded.path.read_bytes()
    assert again.head.models[DOUBLE].calls == again.calls > 0


def test_only_what_the_last_build_and_its_survey_used_is_recorded(
    built: Study, tmp_path: Path
) -> None:
    study = built.copy(tmp_path / "fewer")
    assert study.build("--limit", "1").code == 0
    made = record_run(study.run, tmp_path / "a.jsonl.gz")
    assert 0 < made.calls < len(stored(study.run))
    question = json.loads(histories(study)[0])["question"]
    used = lines(made.path)[1:]
    assert {line["topic"][:60] for line in used} == {question[:60]}
    extra = min(stored(study.run).keys() - {line["key"] for line in used})
    survey = SurveyOutcome(
        unit="survey:x", item_id="x", user="u", result=Survey(signal=False), calls=(extra,)
    )
    with closing(Store(study.run / "calls.sqlite")) as store:
        store.add_outcome(survey.row(-1))
    made = record_run(study.run, tmp_path / "b.jsonl.gz")
    expected = {extra, *(line["key"] for line in used)}
    assert {line["key"] for line in lines(made.path)[1:]} == expected


def test_a_recording_has_the_calls_of_refused_drafts_and_says_nothing_of_the_machine(
    recorded: RecordedRun, built: Study
) -> None:
    assert built.manifest["counts"]["refused_drafts"]
    assert {line["key"] for line in lines(recorded.path)[1:]} == stored(built.run).keys()
    text = gzip.decompress(recorded.path.read_bytes()).decode()
    assert str(built.folder.parent) not in text
    assert "base_url" not in text
    assert "api_key" not in text
    post = json.loads(histories(built)[0])["profile"][0]["text"]
    assert post[:40] not in text, "requests are not in it"


def test_a_changed_prompt_is_not_in_the_recording(replaying: Study) -> None:
    prompt = replaying.folder / "prompts" / "write_adhering.md"
    prompt.write_text(prompt.read_text(encoding="utf-8") + "\nThank you.\n", encoding="utf-8")
    done = replaying.build()
    assert done.code == 1
    assert "write_adhering.md changed (a prompt)" in done.err
    assert "Ask for them again" not in done.err
    failures = replaying.rows("failed.jsonl")
    assert [failure["reason"] for failure in failures] == ["not_recorded"] * 3
    question = json.loads(histories(replaying)[0])["question"]
    assert failures[0]["detail"].startswith(
        f"{FILE} has no reply to this call of the prompt write_"
    )
    assert question[:60] in failures[0]["detail"]
    assert replaying.rows("pairs.jsonl") == []
    # With an endpoint that answers, only what is missing is sent.
    known = len(stored(replaying.run))
    replaying.change(served__base_url=double_url())
    assert replaying.build().code == 0
    assert 0 < known < len(stored(replaying.run))


def test_a_missing_call_without_a_change_says_so(replaying: Study) -> None:
    path = replaying.folder / FILE
    rows = lines(path)
    rows[0]["models"][DOUBLE]["calls"] -= 1
    body = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows[:-1])
    path.write_bytes(gzip.compress(body.encode()))
    done = replaying.build()
    assert done.code == 1
    assert f"The settings are those of {FILE}" in done.err


def test_the_model_must_be_one_of_the_recording_and_doctor_reads_it(replaying: Study) -> None:
    done = pairwright("doctor", replaying.config)
    assert (done.code, "can be read, and has replies of this model" in done.out) == (0, True)
    replaying.change(served__model="another")
    done = replaying.build()
    assert done.code == 2
    assert "[endpoints.served.model]" in done.err
    assert f"It has those of: {DOUBLE}." in done.err
    assert not replaying.run.exists()
    (replaying.folder / FILE).unlink()
    done = pairwright("doctor", replaying.config)
    assert (done.code, "No such file" in done.out) == (2, True)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda rows: rows[1:], "is not a recording"),
        (lambda rows: [*rows, rows[-1]], "the call is in it twice"),
        (lambda rows: rows[:-1], "and its first line says"),
        (lambda rows: [*rows[:-1], b'{"key": 1}\n'], "[key]: Input should be a valid string"),
        (lambda rows: [rows[0].replace(b'"recording":1', b'"recording":2')], ":1 [recording]"),
    ],
)
def test_a_damaged_recording_is_refused(
    recorded: RecordedRun, tmp_path: Path, harm: Callable[[list[bytes]], list[bytes]], words: str
) -> None:
    path = tmp_path / "harmed.jsonl"
    rows = gzip.decompress(recorded.path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(b"".join(harm(rows)))
    with pytest.raises(InputError, match="harmed") as refused:
        read_recording(path)
    assert words in str(refused.value)


def test_a_recording_that_was_cut_short_is_refused(recorded: RecordedRun, tmp_path: Path) -> None:
    path, whole = tmp_path / "cut.jsonl.gz", recorded.path.read_bytes()
    for size in (len(whole) // 2, 5, 0):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"cut\.jsonl\.gz"):
            read_recording(path)


def test_recording_refuses_what_is_there_and_what_has_not_ended(
    built: Study, recorded: RecordedRun, tmp_path: Path
) -> None:
    done = pairwright("batch", "record", built.run, "--out", recorded.path)
    assert (done.code, "exists" in done.err) == (2, True)
    study = Study.make(tmp_path / "waiting", **LIGHT)
    assert study.build("--batch-out", tmp_path / "out").code == 3
    done = pairwright("batch", "record", study.run, "--out", tmp_path / "new.jsonl")
    assert (done.code, "its build has not ended" in done.err) == (2, True)


def test_the_command_says_what_it_wrote(built: Study, tmp_path: Path) -> None:
    done = pairwright("batch", "record", built.run, "--out", tmp_path / "r.jsonl", "--note", "Us")
    assert done.code == 0
    n = len(stored(built.run))
    assert f"{DOUBLE}: {n} calls" in done.out
    assert read_recording(tmp_path / "r.jsonl").head.note == "Us"


def test_a_reply_keeps_all_that_is_recorded_and_answers_no_other_request(tmp_path: Path) -> None:
    asked = ask("<question>\nWhich bread?\n</question>", model="a-model")
    call = RecordedCall(
        key=asked.key, prompt="plan", topic="Which bread?", model="a-model", finish="length",
        text="Rye, pérhaps.", reasoning="Bread. </think>", prompt_tokens=7, completion_tokens=5,
        cached_tokens=3, thinking_tokens=2,
    )  # fmt: skip
    body = asyncio.run(Replay(recording_of(tmp_path, call)).post(b"", asked)).body
    assert completion_of(asked.key, body) == Completion(
        key=asked.key, text="Rye, pérhaps.", finish="length", reasoning="Bread. </think>",
        prompt_tokens=7, completion_tokens=5, cached_tokens=3, thinking_tokens=2, recorded=True,
        served="a-model",
    )  # fmt: skip
    replay = Replay(recording_of(tmp_path, call))
    for changes in ({"draw": 1}, {"revision": "b"}, {"extra": '{"n":1}'}):
        with pytest.raises(CallFailed, match="prompt plan: 'Which bread"):
            asyncio.run(replay.post(b"", replace(asked, **changes)))


def recording_of(folder: Path, *calls: RecordedCall) -> Recording:
    head = RecordingHead(
        pairwright="0", models={"a-model": RecordedModel(calls=len(calls))}, made_with={}
    )
    write_recording(folder / FILE, head, calls)
    return read_recording(folder / FILE)

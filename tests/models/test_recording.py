"""Recordings: a run's replies in one file, and a build that is answered by them."""

import asyncio
import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from own_process import stored

from endpoint import ask, double_url
from model_double import DOUBLE
from pairwright.errors import CallFailed, InputError
from pairwright.models import Completion
from pairwright.models.client import Meter
from pairwright.models.connect import client_of
from pairwright.models.recording import read_recording
from pairwright.settings.endpoints import Endpoint
from study import Study, pairwright

FILE = "replies.jsonl.gz"
LIGHT: dict[str, Any] = {"modes": ["violate"], "limit": 3, "gates__length_ratio": 1.03}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A run of which some drafts were refused, with its recording."""
    study = Study.make(tmp_path_factory.mktemp("built") / "s", **LIGHT)
    assert study.build().code == 0
    out = study.folder / FILE
    done = pairwright("batch", "record", study.run, "--out", out, "--note", "Made for a test")
    assert (done.code, f"{len(stored(study.run))} calls" in done.out) == (0, True)
    return study


@pytest.fixture
def replaying(built: Study, tmp_path: Path) -> Study:
    """The study in another folder, answered by the recording beside it."""
    study = Study.make(tmp_path / "replaying", f"recording:{FILE}", **LIGHT)
    (study.folder / FILE).write_bytes((built.folder / FILE).read_bytes())
    return study


def test_a_recording_answers_a_build_to_the_same_bytes(built: Study, replaying: Study) -> None:
    done = replaying.build()
    assert done.code == 0, done.said
    assert f"Replies come from {FILE}. Made for a test" in done.err
    assert "of them by this command. All come from a recording." in " ".join(done.out.split())
    before, after = built.outcomes(), replaying.outcomes()
    assert before.pop("manifest.json") != after.pop("manifest.json")
    assert before == after
    assert (replaying.manifest["recorded"], built.manifest["recorded"]) == ([DOUBLE], [])
    again = replaying.folder / "again.jsonl.gz"
    done = pairwright("batch", "record", replaying.run, "--out", again, "--note", "Made for a test")
    assert done.code == 0
    assert again.read_bytes() == (built.folder / FILE).read_bytes()


def test_a_recording_says_nothing_of_prompts_and_the_machine(built: Study) -> None:
    assert read_recording(built.folder / FILE)[1].keys() == stored(built.run).keys()
    text = gzip.decompress((built.folder / FILE).read_bytes()).decode()
    post = built.rows("items.jsonl")[0]["profile"][0]["text"]
    for never in (str(built.folder.parent), "base_url", "api_key", post[:40]):
        assert never not in text


def test_a_changed_prompt_is_not_in_the_recording(replaying: Study) -> None:
    prompt = replaying.folder / "prompts" / "write_adhering.md"
    prompt.write_text(prompt.read_text(encoding="utf-8") + "\nThank you.\n", encoding="utf-8")
    done = replaying.build()
    assert done.code == 1
    assert "3 units failed: a call is not in the recording" in done.err
    assert "Ask for them again" not in done.err
    failures = replaying.failed()
    assert [failure["reason"] for failure in failures] == ["not_recorded"] * 3
    assert replaying.rows("pairs.jsonl") == []
    # With an endpoint that answers, only what is missing is sent.
    known = len(stored(replaying.run))
    replaying.change(served__base_url=double_url())
    assert replaying.build().code == 0
    assert 0 < known < len(stored(replaying.run))


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda rows: rows[1:], "is not a recording"),
        (lambda rows: [*rows[:-1], b'{"key": 1}\n'], "[key]: Input should be a valid string"),
        (lambda rows: [*rows[:-1], rows[-1][:40]], "harmed.jsonl:"),
    ],
)
def test_a_damaged_recording_is_refused(
    built: Study, tmp_path: Path, harm: Callable[[list[bytes]], list[bytes]], words: str
) -> None:
    path = tmp_path / "harmed.jsonl"
    whole = gzip.decompress((built.folder / FILE).read_bytes())
    path.write_bytes(b"".join(harm(whole.splitlines(keepends=True))))
    with pytest.raises(InputError, match="harmed") as refused:
        read_recording(path)
    assert words in str(refused.value)


def test_a_reply_keeps_all_that_is_recorded_and_answers_no_other_request(tmp_path: Path) -> None:
    asked = ask("Which bread?", model="a-model")
    said: dict[str, Any] = {
        "key": asked.key, "finish": "length", "text": "Rye, pérhaps.", "reasoning": "Bread.",
        "prompt_tokens": 7, "completion_tokens": 5, "cached_tokens": 3, "thinking_tokens": 2,
    }  # fmt: skip
    path = tmp_path / "replies.jsonl"
    path.write_text(f'{{"recording":1}}\n{json.dumps({**said, "prompt": "plan", "model": "b"})}\n')
    client = client_of("near", Endpoint(base_url=f"recording:{path}", model="a-model"), Meter())
    reply = asyncio.run(client.complete(asked))
    assert reply == Completion(**said, recorded=True, served="b", body=reply.body)
    for changes in ({"draw": 1}, {"revision": "b"}, {"extra": '{"n":1}'}):
        with pytest.raises(CallFailed, match="prompt plan"):
            asyncio.run(client.complete(replace(asked, **changes)))

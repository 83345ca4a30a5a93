"""Submitting to a Batch API and taking in what comes, against a stand-in for one."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from batch_stand_in import BatchApi, Body, batch_api, ok, refused, refused_by_vllm
from pairwright.models import batch
from pairwright.models import batch_service as commands
from study import KEY_VARIABLE, Done, Study, pairwright

ITEMS = 4
KEY = "sk-test-0123456789abcdefghij"


@pytest.fixture(scope="module", autouse=True)
def _two_lines_a_file() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batch, "MOST_LINES", 2)
        yield


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchApi]:
    monkeypatch.setattr(commands, "POLL_EVERY_S", 0.01)
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with batch_api(KEY) as there:
        yield there


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study whose first round is written, as two files of two requests each."""
    study = Study.make(
        tmp_path_factory.mktemp("begun") / "s", "http://127.0.0.1:1/v1", limit=ITEMS,
        served__api_key_env=KEY_VARIABLE,
    )  # fmt: skip
    assert write(study).code == 3
    return study


@pytest.fixture
def study(begun: Study, tmp_path: Path, api: BatchApi) -> Study:
    """The same with the stand-in as its endpoint."""
    copied = begun.copy(tmp_path / "s")
    copied.change(served__base_url=api.url)
    config = copied.run / "config.toml"
    text = config.read_text(encoding="utf-8").replace("http://127.0.0.1:1/v1", api.url)
    config.write_text(text, encoding="utf-8")
    return copied


def write(study: Study) -> Done:
    return study.build("--batch")


def submit(study: Study, *options: str) -> Done:
    return pairwright("batch", "submit", study.run, *options)


def keys(study: Study, number: int) -> list[str]:
    """Of all requests of a round, in order."""
    folder = study.run / "batch" / f"round-{number}"
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("0??.jsonl")))
    return [json.loads(line)["custom_id"] for line in text.splitlines()]


def test_replies_come_through_the_api_into_the_next_round(study: Study, api: BatchApi) -> None:
    done = submit(study)
    assert done.code == 3, done.said
    assert "001.jsonl: 2 requests to served as batch_0, 2 under way" in done.out
    assert submit(study).out == done.out
    assert (len(api.batches), len(api.files)) == (2, 2)
    done = submit(study, "--wait")
    assert done.code == 0, done.said
    assert "001.jsonl: 2 requests to served as batch_0\n" in done.out
    assert "4 lines: 4 stored; 0 stored before; 0 without a reply." in done.out
    assert "round-2/" in write(study).out
    assert {batch["completion_window"] for batch in api.batches.values()} == {"24h"}
    assert {batch["endpoint"] for batch in api.batches.values()} == {"/v1/chat/completions"}


def test_replies_of_an_expired_batch_stay_and_the_rest_is_asked(
    study: Study, api: BatchApi
) -> None:
    api.ends, api.unanswered = "expired", 1
    submit(study)
    done = submit(study, "--wait")
    assert done.code == 1
    assert "2 stored; 0 stored before; 2 without a reply" in done.out
    assert "failed, to be asked again: http_500: could not be executed in time" in done.out
    assert "round-2/" in write(study).out
    first, second = (keys(study, number) for number in (1, 2))
    assert {first[1], first[3]} <= set(second)
    assert not {first[0], first[2]} & set(second)


@pytest.mark.parametrize(
    ("line", "again"),
    [
        (lambda key: refused(key, 400, message="Invalid schema"), False),
        (lambda key: refused_by_vllm(key, 400, message="Invalid schema"), False),
        (lambda key: ok(key, {"error": {"message": "Invalid schema", "code": 400}}), False),
        (lambda key: refused(key, 500, message="Invalid schema"), True),
    ],
    ids=("in the body", "in the line", "in the body of a 200", "a server error"),
)
def test_a_batch_of_which_every_line_failed_is_told_each_time_and_refusals_are_not_asked_again(
    study: Study, api: BatchApi, line: Callable[[str], Body], again: bool
) -> None:
    api.failing = line
    submit(study)
    for done in (submit(study, "--wait"), submit(study), submit(study)):
        assert done.code == 1
        assert "001.jsonl: 2 requests to served as batch_0, 2 without a reply (http_" in done.out
        assert "Invalid schema" in done.out
    done = write(study)
    assert done.code == (3 if again else 1), done.said
    assert ("round-2/" in done.out) == again
    if not again:
        failed = study.failed()
        assert {row["reason"] for row in failed} == {"http_400"}
        assert all("Invalid schema" in row["detail"] for row in failed)


def test_a_batch_whose_making_was_interrupted_is_found_and_not_made_twice(
    study: Study, api: BatchApi
) -> None:
    api.lost = True
    done = submit(study)
    assert done.code == 2
    assert "nothing is submitted twice" in done.err
    assert write(study).code == 2, "it may be under way"
    assert submit(study).code == 3
    assert (len(api.batches), len(api.files)) == (2, 2)
    assert submit(study, "--wait").code == 0


def test_a_refused_key_ends_with_what_to_do_and_without_one_nothing_is_sent(
    study: Study, api: BatchApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.refuse = (401, {"message": f"Incorrect API key provided: {KEY}"})
    done = submit(study)
    assert done.code == 2
    assert f"[endpoints.served] {api.url}" in done.err
    assert "api_key_env" in done.err
    assert KEY not in done.said
    api.asked.clear()
    monkeypatch.delenv(KEY_VARIABLE)
    done = submit(study)
    assert done.code == 2
    assert KEY_VARIABLE in done.err
    assert api.asked == []

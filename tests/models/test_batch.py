"""A build by files: its rounds, the same pairs as over the wire, and a stand-in for a Batch API."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from batch_stand_in import BatchApi, Body, answer, batch_api, ok, refused, refused_by_vllm
from endpoint import ask, double, in_thread
from pairwright.models import batch
from pairwright.models.client import Meter
from pairwright.models.store import Store
from study import KEY_VARIABLE, OUTCOMES, Done, Study, pairwright

ITEMS = 4
UNITS = 2 * ITEMS
KEY = "sk-test-0123456789abcdefghij"
NOWHERE = "http://127.0.0.1:1/v1"


def write(study: Study) -> Done:
    return study.build("--batch")


def shards(study: Study, number: int) -> list[Path]:
    return sorted((study.run / "batch" / f"round-{number}").glob("[0-9][0-9][0-9].jsonl"))


def lines(study: Study, number: int) -> list[dict[str, Any]]:
    """All requests of a round, in order."""
    text = "".join(file.read_text(encoding="utf-8") for file in shards(study, number))
    return [json.loads(line) for line in text.splitlines()]


def answered(study: Study, number: int, **rates: float) -> Done:
    """Have one round answered by the model's double, and ingest the replies."""
    replies = [
        answer(file, file.with_suffix(".replies"), **rates) for file in shards(study, number)
    ]
    return pairwright("batch", "ingest", study.run, *replies)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study whose first round is written, as two files of two requests each."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batch, "MOST_LINES", 2)
        folder = tmp_path_factory.mktemp("begun") / "s"
        study = Study.make(folder, NOWHERE, limit=ITEMS, served__api_key_env=KEY_VARIABLE)
        assert write(study).code == 3
    return study


# --- rounds ---


def test_by_files_or_over_the_wire_the_same_replies_give_the_same_files(tmp_path: Path) -> None:
    """With refusals at the gates and unusable replies, so that drafts and draws come again."""
    rates = {"leaked_rubric": 0.5, "unparseable_json": 0.1}
    with in_thread(double(**rates)) as endpoint:
        live = Study.make(tmp_path / "live", endpoint.url, limit=ITEMS)
        assert live.build().code == 0
    study = Study.make(tmp_path / "s", limit=ITEMS)
    rounds = 0
    while (done := write(study)).code == 3:
        rounds += 1
        assert answered(study, rounds, **rates).code == 0
    assert (done.code, 5 < rounds <= 24) == (0, True), done.said
    assert study.outcomes() == live.outcomes()
    study.assert_whole(UNITS)
    assert study.manifest["counts"]["refused_drafts"], "otherwise no draft came again"


def test_the_first_round_says_what_waits_and_asks_for_each_call_once(begun: Study) -> None:
    done = pairwright("status", begun.run)
    assert done.code == 3
    assert f"{UNITS} units wait for the replies of a batch" in done.out
    assert not any((begun.run / name).exists() for name in OUTCOMES)
    first = json.loads((begun.run / "items.jsonl").read_text("utf-8").splitlines()[0])["id"]
    assert "waiting" in pairwright("show", begun.run, f"twin:{first}").out
    written = lines(begun, 1)
    keys = [line["custom_id"] for line in written]
    assert len(set(keys)) == len(keys) == ITEMS, "a plan for each asker: partners are found later"
    for line in written:
        assert set(line) == {"custom_id", "method", "url", "body"}
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        assert line["body"]["model"] == "pairwright-double"
        assert line["body"]["max_tokens"] == 1024
    # Those that share a history follow one another.
    prompts = [json.dumps(line["body"]["messages"]) for line in written]
    assert prompts == sorted(prompts)


def test_an_interrupted_round_leaves_the_files_of_the_last_one(
    begun: Study, tmp_path: Path
) -> None:
    study = begun.copy(tmp_path / "s")
    with closing(Store(study.run / "run.sqlite")) as store:
        requests = batch.Requests(store)
        there = requests.files()
        requests.begin()
        requests.need("served", ask("further"), Meter())
        assert there
        assert requests.files() == there


def test_files_hold_no_more_lines_and_no_more_bytes_than_the_api_takes(
    begun: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = begun.copy(tmp_path / "s")
    assert [len(file.read_bytes().splitlines()) for file in shards(study, 1)] == [2, 2]
    whole = b"".join(file.read_bytes() for file in shards(study, 1))
    most = max(map(len, whole.splitlines(keepends=True)))
    monkeypatch.setattr(batch, "MOST_BYTES", most)
    assert write(study).code == 3
    parts = [file.read_bytes() for file in shards(study, 2)]
    assert len(parts) == ITEMS
    assert all(len(part) <= most for part in parts)
    assert b"".join(parts) == whole


def test_calls_that_are_written_count_towards_the_budget(tmp_path: Path) -> None:
    study = Study.make(tmp_path / "s", limit=ITEMS, budget__max_calls=2)
    done = write(study)
    assert done.code == 3
    assert len(lines(study, 1)) == 2
    assert "the budget is spent" in " ".join(done.said.split())
    assert answered(study, 1).code == 0
    assert write(study).code == 1, "nothing waits: the rest failed for want of calls"
    assert {row["reason"] for row in study.failed()} == {"budget_spent"}


# --- a Batch API ---


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchApi]:
    monkeypatch.setattr(batch, "POLL_EVERY_S", 0.01)
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with batch_api(KEY) as there:
        yield there


@pytest.fixture
def study(begun: Study, tmp_path: Path, api: BatchApi) -> Study:
    """The begun study with the stand-in as its endpoint."""
    copied = begun.copy(tmp_path / "s")
    copied.change(served__base_url=api.url)
    config = copied.run / "config.toml"
    text = config.read_text(encoding="utf-8").replace(NOWHERE, api.url)
    config.write_text(text, encoding="utf-8")
    return copied


def submit(study: Study, *options: str) -> Done:
    return pairwright("batch", "submit", study.run, *options)


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
    first, second = ([line["custom_id"] for line in lines(study, n)] for n in (1, 2))
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
def test_a_batch_whose_every_line_failed_is_told_each_time_and_refusals_are_not_asked_again(
    study: Study, api: BatchApi, line: Callable[[str], Body], again: bool
) -> None:
    api.failing = line
    submit(study)
    for done in (submit(study, "--wait"), submit(study)):
        assert done.code == 1
        assert "001.jsonl: 2 requests to served as batch_0, 2 without a reply (http_" in done.out
        assert "Invalid schema" in done.out
    done = write(study)
    assert done.code == (3 if again else 1), done.said
    assert ("round-2/" in done.out) == again
    failed = [] if again else study.failed()
    assert {row["reason"] for row in failed} == (set() if again else {"http_400"})
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

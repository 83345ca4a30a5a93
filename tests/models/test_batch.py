"""A build by files: its rounds, the same pairs as over the wire, a stand-in for a Batch API; and
lines of replies, of which each is stored, known already, or named with its file and line."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from batch_stand_in import BatchApi, answer, batch_api, ok, refused, refused_by_vllm
from endpoint import Body, ask, completion, double, in_thread
from pairwright.errors import CallFailed
from pairwright.models import CONTEXT_LENGTH, Completion, batch, batch_service, completion_of
from pairwright.models.batch import Ingest, Requests
from pairwright.models.call import Secrets
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.settings.endpoints import Endpoint
from study import KEY_VARIABLE, OUTCOMES, Done, Study, pairwright

ITEMS = 4
UNITS = 2 * ITEMS
API_KEY = "sk-test-0123456789abcdefghij"
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


def test_files_hold_no_more_than_the_api_takes_and_stay_until_the_next_are_written(
    begun: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = begun.copy(tmp_path / "s")
    assert [len(file.read_bytes().splitlines()) for file in shards(study, 1)] == [2, 2]
    # What a round that was interrupted noted leaves the files of the last one.
    with closing(Store(study.run / "run.sqlite")) as store:
        requests = Requests(store)
        there = requests.files()
        requests.begin()
        requests.need("served", ask("further"), Meter())
        assert requests.files() == there
    whole = b"".join(file.read_bytes() for file in shards(study, 1))
    most = max(map(len, whole.splitlines(keepends=True)))
    monkeypatch.setattr(batch, "MOST_BYTES", most)
    assert write(study).code == 3
    parts = [file.read_bytes() for file in shards(study, 3)]
    assert len(parts) == ITEMS
    assert all(len(part) <= most for part in parts)
    assert b"".join(parts) == whole


def test_calls_that_are_written_count_towards_the_budget(tmp_path: Path) -> None:
    study = Study.make(tmp_path / "s", limit=ITEMS, budget__max_calls=2)
    done = write(study)
    assert (done.code, len(lines(study, 1))) == (3, 2)
    assert "the budget is spent" in " ".join(done.said.split())
    assert answered(study, 1).code == 0
    assert write(study).code == 1, "nothing waits: the rest failed for want of calls"
    assert {row["reason"] for row in study.failed()} == {"budget_spent"}


# --- a Batch API ---


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchApi]:
    monkeypatch.setattr(batch_service, "POLL_EVERY_S", 0.01)
    monkeypatch.setenv(KEY_VARIABLE, API_KEY)
    # Of no concern to a server on this machine.
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:9")
    with batch_api(API_KEY) as there:
        yield there


@pytest.fixture
def study(begun: Study, tmp_path: Path, api: BatchApi) -> Study:
    """The begun study with the stand-in as its endpoint."""
    copied = begun.copy(tmp_path / "s")
    copied.change(served__base_url=api.url)
    config = copied.run / "config.toml"
    config.write_text(config.read_text("utf-8").replace(NOWHERE, api.url), "utf-8")
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
    ("ends", "line", "why", "again"),
    [
        ("completed", lambda key: refused(key, 400, message="No schema"), "http_400: No s", False),
        ("completed", lambda key: refused_by_vllm(key, 400, message="No"), "http_400: No", False),
        ("completed", lambda key: ok(key, {"error": {"message": "No", "code": 400}}), "No", False),
        ("completed", lambda key: refused(key, 500, message="oh"), "http_500: oh", True),
        ("failed", None, "no_reply: the batch failed; token_limit_exceeded: Enqueued", True),
    ],
    ids=("in the body", "in the line", "in the body of a 200", "a server error", "the whole batch"),
)
def test_a_batch_of_which_nothing_came_is_told_each_time_and_refusals_are_not_asked_again(
    study: Study, api: BatchApi, ends: str, line: Any, why: str, again: bool
) -> None:
    api.ends, api.failing = ends, line
    submit(study)
    for done in (submit(study, "--wait"), submit(study)):
        assert done.code == 1
        assert "001.jsonl: 2 requests to served as batch_0, 2 without a reply (" in done.out
        assert why in done.out
    done = write(study)
    assert done.code == (3 if again else 1), done.said
    assert ("round-2/" in done.out) == again
    failed = [] if again else study.failed()
    assert {row["reason"] for row in failed} == (set() if again else {"http_400"})
    assert all(why.removeprefix("http_400: ") in row["detail"] for row in failed)


@pytest.mark.parametrize("status", [504, 400], ids=("lost", "refused"))
def test_a_batch_whose_making_went_wrong_is_never_made_twice(
    study: Study, api: BatchApi, status: int
) -> None:
    api.next_status = status
    done = submit(study)
    assert done.code == 2
    assert "nothing is submitted twice" in done.err
    if status == 504:
        assert write(study).code == 2, "it may be under way"
    assert submit(study).code == 3
    assert len(api.batches) == 2
    assert submit(study, "--wait").code == 0


def test_a_refused_key_ends_with_what_to_do_and_without_one_nothing_is_sent(
    study: Study, api: BatchApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.key = "another"
    done = submit(study)
    assert done.code == 2
    assert f"[endpoints.served] {api.url}" in done.err
    assert "api_key_env" in done.err
    assert API_KEY not in done.said
    before = api.asked
    monkeypatch.delenv(KEY_VARIABLE)
    done = submit(study)
    assert (done.code, KEY_VARIABLE in done.err, api.asked) == (2, True, before)


# --- lines of replies ---

NEAR = {"near": Endpoint(base_url=NOWHERE, model="m")}
KEYS = [ask(f"question {number}").key for number in range(4)]
KEY = KEYS[0]


class There(NamedTuple):
    """A run that asked for four calls."""

    folder: Path
    asked: Requests

    def ingest(self, *lines: Body | str, secrets: tuple[str, ...] = ()) -> Ingest:
        """Take a file of these lines in."""
        file = self.folder / "replies.jsonl"
        text = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        file.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
        taking = Ingest(self.asked, Secrets(*secrets))
        taking.file(file)
        return taking

    def reply(self, number: int) -> Completion | None:
        """The stored reply to a request, read as one that came over the wire."""
        call = self.asked.store.call(KEYS[number])
        return call and completion_of(call[0].key, call[1])

    def is_refused(self, number: int) -> bool:
        """Whether the next round leaves a request out."""
        self.asked.begin()
        try:
            self.asked.need("near", ask(f"question {number}"), Meter())
        except CallFailed:
            return True
        return False


@pytest.fixture
def there(tmp_path: Path) -> Iterator[There]:
    with closing(Store(tmp_path / "run.sqlite")) as store:
        started = There(tmp_path, Requests(store))
        started.asked.begin()
        for number in range(4):
            started.asked.need("near", ask(f"question {number}"), Meter())
        started.asked.write(NEAR)
        yield started


TOO_LONG = "This model's maximum context length is 10 tokens. However, your prompt is longer."


def test_replies_are_stored_without_secrets_and_the_same_file_twice_changes_nothing(
    there: There,
) -> None:
    secret, further = "plain-secret-0123456789", "sk-abcdefghijkl"
    said = (
        ok(KEY, completion(f"fine is {secret}")),
        # A refusal about the request itself is an answer.
        refused(KEYS[1], 400, message="filtered", code="content_filter"),
        refused_by_vllm(KEYS[2], 400, message=TOO_LONG, code=400, param="input_tokens"),
        refused(KEYS[3], 401, message=f"Incorrect key {further}"),
    )
    first = there.ingest(*said, secrets=(secret, "fine", ""))
    assert (first.stored, first.known, first.lines) == (3, 0, 4)
    assert further not in first.problems[0]
    replies = [reply for n in range(4) if (reply := there.reply(n))]
    assert replies[0].text == "fine is ***"
    assert [reply.finish for reply in replies] == ["stop", "content_filter", CONTEXT_LENGTH]
    before = there.asked.store.totals(), there.asked.files()
    again = there.ingest(*said)
    assert (again.stored, again.known, again.lines) == (0, 3, 4)
    assert (there.asked.store.totals(), there.asked.files()) == before
    assert before[0].prompt_tokens == 12


UNREAD, FAILED, REFUSED = "no usable reply", "failed, to be asked again", "refused for good"
LATE = {"code": "batch_expired", "message": "late"}
GONE = {"message": "The model `x` does not exist.", "code": 404}
BAD: dict[str, tuple[Body | str, str, str]] = {
    "not JSON": ("}{", UNREAD, "Invalid JSON"),
    "deep nesting": ("[" * 100_000, UNREAD, "Invalid JSON"),
    "no custom_id": ({"response": None}, UNREAD, "custom_id: Field required"),
    "a key of nobody": (ok("../../x", completion()), UNREAD, "asked for nothing"),
    "a request": ({"custom_id": KEY, "method": "POST", "body": {}}, UNREAD,
                  "a request, or a line without response and error"),
    "true as status": (ok(KEY, completion(), True), FAILED, "http_500"),
    "an embedding": (ok(KEY, {"object": "list", "data": [{"embedding": [0.1]}]}), FAILED,
                     "not a chat completion"),
    "an engine that gave up": (ok(KEY, completion(finish="abort")), FAILED, "broken_off"),
    "a redirection": (ok(KEY, None, 302), FAILED, "http_500"),
    "a server error": (refused_by_vllm(KEY, 500, message="oh"), FAILED, "http_500"),
    "a bad request": (refused(KEY, 400, message="odd"), REFUSED, "http_400: odd"),
    "a refused request": (refused(KEY, 403, message="not you"), REFUSED, "http_403"),
    "an error as a text": ({"custom_id": KEY, "error": "lost"}, FAILED, "lost"),
    "an expired batch": ({"custom_id": KEY, "response": None, "error": LATE}, FAILED, "late"),
    "a wrong key": (refused(KEY, 401, message="Incorrect API key"), FAILED,
                    "[endpoints.near]: 401 Incorrect API key"),
    "no such model": (refused_by_vllm(KEY, 404, **GONE), REFUSED, "404 The model `x` does not"),
    "no quota": (refused(KEY, 429, message="pay", code="insufficient_quota"), FAILED,
                 "no quota left"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "kind", "message"), BAD.values(), ids=BAD)
def test_a_bad_line_is_told_with_file_and_line_and_the_others_are_stored(
    there: There, line: Body | str, kind: str, message: str
) -> None:
    result = there.ingest(ok(KEYS[1], completion()), line, ok(KEYS[2], completion()))
    assert (result.stored, result.known, result.lines) == (2, 0, 3)
    (problem,) = result.problems
    assert problem.startswith(f"{there.folder / 'replies.jsonl'}:2")
    assert kind in problem
    assert message in problem
    problem.encode()
    assert there.reply(0) is None
    assert sum(one.failed for one in there.asked.files()) == (kind != UNREAD)
    assert there.is_refused(0) == (kind == REFUSED)


def test_the_command_counts_every_line_and_refuses_what_is_no_run_of_files(
    begun: Study, tmp_path: Path
) -> None:
    study, file = begun.copy(tmp_path / "s"), tmp_path / "r.jsonl"
    file.write_text("".join(f'{{"custom_id": "b2:{n}", "error": "x"}}\n' for n in range(30)))
    done = pairwright("batch", "ingest", study.run, file)
    assert done.code == 1
    assert "30 lines: 0 stored; 0 stored before; 30 without a reply." in done.out
    assert f"{file}:1: 'b2:0' no usable reply: this run asked for nothing" in done.out
    assert "and 10 more" in done.out
    config = study.run / "config.toml"
    live = begun.copy(tmp_path / "over the wire").run
    (live / "run.sqlite").unlink()
    config.write_bytes(config.read_bytes()[:40])
    for run, said in (
        (study.run, str(config)),
        (tmp_path / "nowhere", "--run"),
        (live, "no requests were written to files"),
    ):
        done = pairwright("batch", "ingest", run, file)
        assert (done.code, said in done.err) == (2, True)
    assert not (tmp_path / "nowhere").exists()

"""Files of replies: every line is stored, known already, or named with its file and line."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from batch_stand_in import Body, ok, refused, refused_by_vllm, write_lines
from endpoint import ask, completion, double, in_thread
from pairwright.errors import CallFailed
from pairwright.models import CONTEXT_LENGTH, Completion, Request, completion_of
from pairwright.models.batch import Ingest, Requests
from pairwright.models.call import Secrets
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.settings.endpoints import Endpoint
from study import Study, pairwright

NEAR = {"near": Endpoint(base_url="http://127.0.0.1:1/v1", model="org/model-7b")}


def request(number: int) -> Request:
    return ask(f"question {number}", model="org/model-7b")


def good(number: int, text: str = "fine", **changes: Any) -> Body:
    return ok(request(number).key, completion(text, model="org/model-7b", **changes))


@dataclass
class There:
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
        call = self.asked.store.call(request(number).key)
        return call and completion_of(call[0].key, call[1])

    def is_refused(self, number: int) -> bool:
        """Whether the next round leaves a request out."""
        self.asked.begin()
        try:
            self.asked.need("near", request(number), Meter())
        except CallFailed:
            return True
        return False


@pytest.fixture
def there(tmp_path: Path) -> Iterator[There]:
    with closing(Store(tmp_path / "run.sqlite")) as store:
        begun = There(tmp_path, Requests(store))
        begun.asked.begin()
        for number in range(4):
            begun.asked.need("near", request(number), Meter())
        begun.asked.write(NEAR)
        yield begun


# --- what is stored ---


def test_replies_are_stored_as_over_the_wire_and_the_same_file_twice_changes_nothing(
    there: There,
) -> None:
    lines = good(0, "text 0"), good(1, "text 1"), refused(request(2).key, 400, message="no")
    first = there.ingest(*lines)
    assert (first.stored, first.known, first.lines) == (2, 0, 3)
    store = there.asked.store
    for number in (0, 1):
        call = store.call(request(number).key)
        assert call is not None
        assert (call[0].purpose, call[0].canonical) == ("plan", request(number).canonical)
        assert completion_of("k", call[1]).text == f"text {number}"
    before = store.totals(), there.asked.files()
    again = there.ingest(*lines)
    assert (again.stored, again.known, again.lines) == (0, 2, 3)
    assert (store.totals(), there.asked.files()) == before
    assert store.totals().prompt_tokens == 24
    assert there.is_refused(2)


TOO_LONG = "This model's maximum context length is 10 tokens. However, your prompt is longer."


@pytest.mark.parametrize("shape", [refused, refused_by_vllm])
@pytest.mark.parametrize(
    ("error", "finish"),
    [
        ({"message": "too long", "code": "context_length_exceeded"}, CONTEXT_LENGTH),
        ({"message": TOO_LONG, "code": 400, "param": "input_tokens"}, CONTEXT_LENGTH),
        ({"message": "filtered", "code": "content_filter"}, "content_filter"),
    ],
    ids=("OpenAI's context", "vLLM's context", "a filter"),
)
def test_a_refusal_about_the_request_itself_is_an_answer(
    there: There, error: Body, finish: str, shape: Callable[..., Body]
) -> None:
    assert there.ingest(shape(request(0).key, 400, **error)).stored == 1
    reply = there.reply(0)
    assert reply is not None
    assert reply.finish == finish


# --- what is not ---

KEY = request(0).key


def response(**changes: Any) -> str:
    """A line whose response has something changed."""
    line = good(0)
    return json.dumps(line | {"response": line["response"] | changes})


UNREAD, FAILED, REFUSED = "no usable reply", "failed, to be asked again", "refused for good"
BAD: dict[str, tuple[str, str, str]] = {
    "not JSON": ("}{", UNREAD, "Invalid JSON"),
    "a list": ("[1, 2]", UNREAD, "should be an object"),
    "deep nesting": ("[" * 100_000, UNREAD, "Invalid JSON"),
    "no custom_id": ('{"response": null}', UNREAD, "custom_id: Field required"),
    "a key of nobody": (json.dumps(ok("b2:00", completion())), UNREAD, "asked for nothing"),
    "a path as key": (json.dumps(ok("../../x", completion())), UNREAD, "asked for nothing"),
    "a request": (json.dumps({"custom_id": KEY, "method": "POST", "body": {}}),
                  UNREAD, "a request, or a line without response and error"),
    "true as status": (response(status_code=True), FAILED, "http_500"),
    "no body": (response(body=None), FAILED, "not a chat completion"),
    "an embedding": (response(body={"object": "list", "data": [{"embedding": [0.1]}]}),
                     FAILED, "not a chat completion"),
    "another model": (response(body=completion(model="model-70b")), UNREAD, "'model-70b'"),
    "a smaller model": (response(body=completion(model="model-7b-mini")), UNREAD, "mini"),
    "an engine that gave up": (response(body=completion(finish="abort", model="model-7b")),
                               FAILED, "broken_off"),
    "a redirection": (response(status_code=302, body=None), FAILED, "http_500"),
    "a rate limit": (json.dumps(refused(KEY, 429, message="slow down")), FAILED, "http_429"),
    "a server error": (json.dumps(refused_by_vllm(KEY, 500, message="oh")), FAILED, "http_500"),
    "a bad request": (json.dumps(refused(KEY, 400, message="odd")), REFUSED, "http_400: odd"),
    "a refused request": (json.dumps(refused(KEY, 403, message="not you")), REFUSED, "http_403"),
    "an error without a status": (
        json.dumps({"custom_id": KEY, "response": None, "error": {"message": "lost"}}),
        FAILED, "lost"),
    "an error as a text": (json.dumps({"custom_id": KEY, "error": "lost"}), FAILED, "lost"),
    "an expired batch": (
        json.dumps({"custom_id": KEY, "response": None,
                    "error": {"code": "batch_expired", "message": "late"}}),
        FAILED, "late"),
    "a wrong key": (json.dumps(refused(KEY, 401, message="Incorrect API key")),
                    FAILED, "[endpoints.near]: 401 Incorrect API key"),
    "no such model": (
        json.dumps(refused_by_vllm(KEY, 404, message="The model `x` does not exist.", code=404)),
        REFUSED, "404 The model `x` does not exist"),
    "no quota": (json.dumps(refused(KEY, 429, message="pay", code="insufficient_quota")),
                 FAILED, "no quota left"),
    "an error in the body of a 200": (
        response(body={"error": {"message": "Invalid schema", "code": 400}}),
        REFUSED, "http_400: "),
}  # fmt: skip


@pytest.mark.parametrize(("line", "kind", "message"), BAD.values(), ids=BAD)
def test_a_bad_line_is_told_with_file_and_line_and_the_others_are_stored(
    there: There, line: str, kind: str, message: str
) -> None:
    result = there.ingest(good(1), line, good(2))
    assert (result.stored, result.known, result.lines) == (2, 0, 3)
    (problem,) = result.problems
    assert problem.startswith(f"{there.folder / 'replies.jsonl'}:2")
    assert kind in problem
    assert message in problem
    problem.encode()
    assert there.reply(0) is None
    assert sum(one.failed for one in there.asked.files()) == (kind != UNREAD)
    assert there.is_refused(0) == (kind == REFUSED)


def test_keys_of_environment_and_messages_are_not_kept(there: There) -> None:
    secret = "plain-secret-0123456789"
    leaking = refused(request(1).key, 401, message="Incorrect key sk-abcdefghijkl")
    leaked = there.ingest(good(0, f"fine is {secret}"), leaking, secrets=(secret, "fine", ""))
    reply = there.reply(0)
    assert reply is not None
    assert reply.text == "fine is ***"
    assert "abcdefghijkl" not in leaked.problems[0]


# --- the command ---


def test_the_command_counts_every_line_and_refuses_what_is_no_run_of_files(tmp_path: Path) -> None:
    study = Study.make(tmp_path / "s", limit=2)
    assert study.build("--batch").code == 3
    file = write_lines(tmp_path / "r.jsonl", [ok(f"b2:{n}", completion()) for n in range(30)])
    done = pairwright("batch", "ingest", study.run, file)
    assert done.code == 1
    assert "30 lines: 0 stored; 0 stored before; 30 without a reply." in done.out
    assert f"{file}:1: 'b2:0' no usable reply: this run asked for nothing" in done.out
    assert "and 10 more" in done.out
    with in_thread(double()) as endpoint:
        live = Study.make(tmp_path / "over the wire", endpoint.url, limit=1, modes=["violate"])
        assert live.build().code == 0
    config = study.run / "config.toml"
    config.write_bytes(config.read_bytes()[:40])
    for run, said in (
        (study.run, str(config)),
        (tmp_path / "nowhere", "--run"),
        (live.run, "no requests of this run were written to files"),
    ):
        done = pairwright("batch", "ingest", run, file)
        assert (done.code, said in done.err) == (2, True)
    assert not (tmp_path / "nowhere").exists()

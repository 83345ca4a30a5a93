"""Files of replies: every line is stored, known already, or named with its file and line."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from batch_stand_in import Body, ok, refused, refused_by_vllm, write_lines
from endpoint import ask, completion
from pairwright.models import CONTEXT_LENGTH, Request, completion_of
from pairwright.models.batch import PendingCalls, RequestFile
from pairwright.models.batch_service import Ingest, LineProblem
from pairwright.models.refusals import Secrets
from pairwright.models.store import Store
from study import Study, pairwright

N = 4


def request(number: int, **changes: Any) -> Request:
    return ask(f"question {number}", model="org/model-7b", **changes)


@dataclass
class There:
    """A run that asked for N calls, and what was told while replies came in."""

    folder: Path
    asked: PendingCalls
    store: Store
    problems: list[LineProblem] = field(default_factory=list)

    def ingest(self, *files: Path, secrets: tuple[str, ...] = ()) -> Ingest:
        taking = Ingest(self.asked, self.store, Secrets(*secrets))
        for file in files:
            taking.file(file)
        self.problems = taking.problems
        return taking

    def file(self, *lines: Body, name: str = "replies.jsonl") -> Path:
        return write_lines(self.folder / name, list(lines))

    def text_of(self, key: str) -> str:
        stored = self.store.get(key)
        assert stored is not None
        return completion_of(key, stored).text

    def text(self, text: str | bytes) -> Path:
        path = self.folder / "replies.jsonl"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path


@pytest.fixture
def there(tmp_path: Path) -> Iterator[There]:
    with (
        closing(Store(tmp_path / "run.sqlite")) as store,
        closing(PendingCalls(tmp_path / "batch.sqlite", create=True)) as asked,
    ):
        asked.begin()
        for number in range(N):
            asked.need("near", request(number))
        asked.written([RequestFile(1, "001.jsonl", "near", "org/model-7b", N)])
        yield There(tmp_path, asked, store)


def good(number: int, text: str = "fine", **changes: Any) -> Body:
    return ok(request(number).key, completion(text, model="org/model-7b", **changes))


# --- what is stored ---


def test_a_request_is_the_same_after_a_stay_in_the_file(there: There) -> None:
    whole = request(
        9, revision="r", temperature=0.5, top_p=0.9, seed=3, draw=2, extra='{"a":1}',
        schema_name="plan", schema_json='{"type":"object"}',
    )  # fmt: skip
    there.asked.need("near", whole)
    assert there.asked.call(whole.key) == ("near", whole)
    assert whole in list(there.asked.needed_of("near"))


def test_replies_are_stored_as_over_the_wire_with_request_purpose_and_model(there: There) -> None:
    result = there.ingest(there.file(*(good(n, f"text {n}") for n in range(N))))
    assert (result.stored, result.known, result.lines) == (N, 0, N)
    for n in range(N):
        call = there.store.call(request(n).key)
        assert call is not None
        assert (call.purpose, call.request) == ("plan", request(n).canonical)
        assert completion_of(call.key, call.reply).text == f"text {n}"
    assert there.store.totals().prompt_tokens == 12 * N


def test_the_same_file_twice_changes_nothing(there: There) -> None:
    file = there.file(good(0), refused(request(1).key, 500, message="no"))
    there.ingest(file)
    before = there.store.totals()
    again = there.ingest(file)
    assert (again.stored, again.known, again.lines) == (0, 1, 2)
    assert there.store.totals() == before
    assert there.asked.given_up(request(1).key, attempts=1)
    assert not there.asked.given_up(request(1).key, attempts=2), "one failure, taken in twice"


TOO_LONG = "This model's maximum context length is 10 tokens. However, your prompt is longer."
AS_ANSWERS: dict[str, tuple[Body, str]] = {
    "a context of OpenAI's": ({"message": "too long", "code": "context_length_exceeded"},
                              CONTEXT_LENGTH),
    "a context of vLLM's": ({"message": TOO_LONG, "code": 400, "param": "input_tokens"},
                            CONTEXT_LENGTH),
    "a content filter": ({"message": "filtered", "code": "content_filter"}, "content_filter"),
}  # fmt: skip


@pytest.mark.parametrize(("error", "finish"), AS_ANSWERS.values(), ids=AS_ANSWERS)
@pytest.mark.parametrize("shape", [refused, refused_by_vllm])
def test_a_refusal_about_the_request_itself_is_an_answer(
    there: There, error: Body, finish: str, shape: Callable[..., Body]
) -> None:
    result = there.ingest(there.file(shape(request(0).key, 400, **error)))
    assert result.stored == 1
    stored = there.store.get(request(0).key)
    assert stored is not None
    assert completion_of("k", stored).finish == finish


# --- what is not ---

KEY = request(0).key


def response(**changes: Any) -> str:
    """A line whose response has something changed."""
    line = good(0)
    return json.dumps(line | {"response": line["response"] | changes})


BAD: dict[str, tuple[str, str, str]] = {
    "not JSON": ("}{", "unreadable", "Invalid JSON"),
    "a list": ("[1, 2]", "unreadable", "should be an object"),
    "deep nesting": ("[" * 100_000, "unreadable", "Invalid JSON"),
    "no custom_id": ('{"response": null}', "unreadable", "custom_id: Field required"),
    "a key of nobody": (json.dumps(ok("b2:00", completion())), "unknown", "no request with"),
    "a request": (json.dumps({"custom_id": KEY, "method": "POST", "body": {}}),
                  "unreadable", "a request, or a line without response and error"),
    "true as status": (response(status_code=True), "unreadable", "response.status_code: "),
    "no body": (response(body=None), "unreadable", "not a chat completion"),
    "an embedding": (response(body={"object": "list", "data": [{"embedding": [0.1]}]}),
                     "unreadable", "not a chat completion"),
    "another model": (response(body=completion(model="model-70b")), "unreadable", "'model-70b'"),
    "a smaller model": (response(body=completion(model="model-7b-mini")), "unreadable", "mini"),
    "an engine that gave up": (response(body=completion(finish="abort", model="model-7b")),
                               "failed", "broken_off"),
    "a redirection": (response(status_code=302, body=None), "failed", "http_302"),
    "a rate limit": (json.dumps(refused(KEY, 429, message="slow down")), "failed", "http_429"),
    "a server error": (json.dumps(refused_by_vllm(KEY, 500, message="oh")), "failed", "http_500"),
    "a bad request": (json.dumps(refused(KEY, 400, message="odd")), "refused", "http_400: odd"),
    "a refused request": (json.dumps(refused(KEY, 403, message="not you")), "refused", "http_403"),
    "an error without a status": (
        json.dumps({"custom_id": KEY, "response": None, "error": {"message": "lost"}}),
        "failed", "batch_error: lost"),
    "an error as a text": (json.dumps({"custom_id": KEY, "error": "lost"}), "failed", "lost"),
    "an expired batch": (
        json.dumps({"custom_id": KEY, "response": None,
                    "error": {"code": "batch_expired", "message": "late"}}),
        "failed", "batch_expired: late"),
    "a wrong key": (json.dumps(refused(KEY, 401, message="Incorrect API key")),
                    "failed", "[endpoints.near]: 401 Incorrect API key"),
    "no such model": (
        json.dumps(refused_by_vllm(KEY, 404, message="The model `x` does not exist.", code=404)),
        "refused", "404 The model `x` does not exist"),
    "no quota": (json.dumps(refused(KEY, 429, message="pay", code="insufficient_quota")),
                 "failed", "no quota left"),
    "an error in the body of a 200": (
        response(body={"error": {"message": "Invalid schema", "code": 400}}),
        "refused", "http_400: "),
}  # fmt: skip


@pytest.mark.parametrize(("line", "kind", "message"), BAD.values(), ids=BAD)
def test_a_bad_line_is_told_with_file_and_line_and_the_others_are_stored(
    there: There, line: str, kind: str, message: str
) -> None:
    file = there.text(f"{json.dumps(good(1))}\n{line}\n{json.dumps(good(2))}\n")
    result = there.ingest(file)
    assert (result.stored, result.known, result.lines) == (2, 0, 3)
    (problem,) = there.problems
    assert problem.where.startswith(f"{file}:2")
    assert problem.kind == kind
    assert message in problem.detail
    problem.detail.encode()
    assert there.store.get(KEY) is None
    assert bool(there.asked.given_up(KEY, attempts=9)) == (kind == "refused")


def test_of_two_replies_to_one_request_the_first_stays(there: There) -> None:
    first, failed = good(0, "first"), refused(KEY, 500, message="no")
    result = there.ingest(there.file(first, good(0, "second"), failed))
    assert (result.stored, result.known, result.lines) == (1, 2, 3)
    assert there.text_of(KEY) == "first"


def test_keys_of_environment_and_messages_are_not_kept(there: There) -> None:
    secret = "plain-secret-0123456789"
    leaking = refused(request(1).key, 401, message="Incorrect key sk-abcdefghijkl")
    there.ingest(there.file(good(0, f"fine is {secret}"), leaking), secrets=(secret, "fine", ""))
    assert there.text_of(KEY) == "fine is ***"
    assert "abcdefghijkl" not in there.problems[0].detail


# --- the command ---


def test_the_command_counts_every_line_and_lists_every_problem(tmp_path: Path) -> None:
    study = Study.make(tmp_path / "s", limit=2)
    assert study.build("--batch-out", tmp_path / "out").code == 3
    file = write_lines(tmp_path / "r.jsonl", [ok(f"b2:{n}", completion()) for n in range(30)])
    done = pairwright("batch", "ingest", study.run, file)
    assert done.code == 1
    assert "30 lines: 0 stored; 0 stored before; 30 to nothing that this run asked." in done.out
    assert f"{file}:1: 'b2:0' to nothing that this run asked" in done.err
    assert "and 10 more" in done.err
    config = study.run / "config.toml"
    whole = config.read_bytes()
    config.write_bytes(whole[:40])
    done = pairwright("batch", "ingest", study.run, file)
    assert (done.code, str(config) in done.err) == (2, True)
    config.write_bytes(whole)
    # A run that never wrote requests, and a folder that is no run, are left as they are.
    (study.run / "batch.sqlite").unlink()
    done = pairwright("batch", "ingest", study.run, file)
    assert done.code == 2
    assert "no requests of this run were written" in done.err
    assert not (study.run / "batch.sqlite").exists()
    assert pairwright("batch", "ingest", tmp_path / "nowhere", file).code == 2
    assert not (tmp_path / "nowhere").exists()

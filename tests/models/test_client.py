"""The client against a real server: what it sends, what it asks again, and where it stops."""

import asyncio
import base64
import gzip
import json
import time
import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import tenacity
from aiohttp import web

from endpoint import (
    Asked,
    Handler,
    ask,
    drop,
    echo,
    fail,
    hang,
    raw,
    say,
    script,
    serving,
    trickle,
    truncate,
)
from pairwright.errors import BudgetSpent, CallFailed, ConfigError, EndpointRefused, Interrupted
from pairwright.models import CONTEXT_LENGTH, Completion, Request, client
from pairwright.models.call import Response, Transient, read_reply
from pairwright.models.client import Meter, Server, proxy_for
from pairwright.settings.endpoints import Endpoint

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


class Talk(NamedTuple):
    """What came of calls, what the server saw, how many it held at once, and what people learn."""

    outcomes: list[Completion | BaseException]
    asked: list[Asked]
    most: int
    said: list[str]

    @property
    def error(self) -> Any:
        assert isinstance(self.outcomes[-1], Exception)
        return self.outcomes[-1]

    @property
    def reply(self) -> Completion:
        assert isinstance(self.outcomes[-1], Completion)
        return self.outcomes[-1]


def talk(
    handler: Handler,
    *rounds: int | Request,
    key: str = KEY,
    meter: Meter | None = None,
    through: Callable[[str], str] = str,
    stop_after_s: float | None = None,
    **changes: Any,
) -> Talk:
    """Rounds of so many calls at once, one after the other; one call if there are none. `through`
    turns the server's address into the client's."""

    async def scenario() -> Talk:
        said, outcomes = list[str](), list[Completion | BaseException]()
        async with serving(handler) as server:
            given = {"model": "m", "attempts": 3, "timeout_s": 5, **changes}
            endpoint = Endpoint(base_url=through(server.url), **given)
            async with Server("near", endpoint, meter or Meter(), api_key=key, say=said.append) as (
                sender
            ):
                if stop_after_s:
                    asyncio.get_running_loop().call_later(stop_after_s, sender.stop)
                for one in rounds or (1,):
                    requests = [ask(str(n)) for n in range(one)] if isinstance(one, int) else [one]
                    calls = map(sender.fetch, requests)
                    outcomes += await asyncio.gather(*calls, return_exceptions=True)
            return Talk(outcomes, server.asked, server.most_in_flight, said)

    return asyncio.run(scenario())


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between attempts, but for what Retry-After asks. And no proxy of the machine."""
    monkeypatch.setattr(client, "_JITTERED", tenacity.wait_none())
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


# --- what goes out ---


PLAIN = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
SAMPLED: dict[str, Any] = {"temperature": 0.0, "top_p": 0.9, "seed": 0}
FORMAT = {"type": "json_schema", "json_schema": {"name": "plan", "schema": SCHEMA, "strict": True}}
EVERYTHING = SAMPLED | {
    "schema_name": "plan", "schema_json": json.dumps(SCHEMA), "draw": 7, "revision": "r1",
    "extra": '{"reasoning_effort":"low"}',
}  # fmt: skip


@pytest.mark.parametrize(
    ("asked_for", "parameter", "sent"),
    [
        ({}, "max_tokens", {}),
        (EVERYTHING, "max_completion_tokens",
         {**SAMPLED, "reasoning_effort": "low", "response_format": FORMAT}),
    ],
    ids=("plain", "everything"),
)  # fmt: skip
def test_a_request_is_sent_as_it_is_and_nothing_more(
    asked_for: dict[str, Any], parameter: str, sent: dict[str, Any]
) -> None:
    found = talk(say("hello you"), ask(**asked_for), token_parameter=parameter)
    assert (found.reply.text, found.reply.finish) == ("hello you", "stop")
    assert (found.reply.prompt_tokens, found.reply.completion_tokens) == (12, 3)
    (asked,) = found.asked
    assert asked.body == PLAIN | sent | {parameter: 50}
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.headers["Content-Type"] == "application/json"
    assert asked.wire.path == "/v1/chat/completions"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # The SDK's own.
def test_another_machine_is_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    def through(url: str) -> str:
        monkeypatch.setenv("HTTP_PROXY", url.removesuffix("/v1").replace("//", "//me:secret@"))
        return "http://model.example:8000/v1"

    found = talk(say("by proxy"), through=through)
    assert found.reply.text == "by proxy"
    headers = found.asked[0].headers
    assert (headers["Host"], headers["Authorization"]) == ("model.example:8000", f"Bearer {KEY}")
    login = base64.b64encode(b"me:secret").decode()
    assert headers["Proxy-Authorization"] == f"Basic {login}"
    for near in ("http://[::1]:8000/v1", "http://127.8.9.1/v1"):
        assert proxy_for(near) is None
    # As a desktop sets it for all addresses.
    monkeypatch.setenv("HTTP_PROXY", "socks://127.0.0.1:1080/")
    with pytest.raises(ConfigError, match=r"not an HTTP proxy\n.* or model\.example in NO_PROXY"):
        proxy_for("http://model.example:8000/v1")
    monkeypatch.setenv("NO_PROXY", "model.example")
    assert proxy_for("http://model.example:8000/v1") is None


# --- what is asked again ---


NGINX = "<html>\r\n<head><title>{0}</title></head>\r\n<body><h1>{0}</h1></body></html>"
SIGN_IN = f"<!DOCTYPE html>\n{NGINX.format('Sign in to the <b>campus</b> network')}"
EVENTS = 'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: [DONE]\n\n'
GZIP = {"Content-Encoding": "gzip"}
TRANSIENT: dict[str, tuple[Handler, str, str]] = {
    "429": (fail(429, "slow down"), "http_429", "slow down"),
    "502": (raw(NGINX.format("502 Bad Gateway"), status=502), "http_502",
            "a web page: 502 Bad Gateway"),
    "503 without a word": (raw("", status=503), "http_503", "HTTP 503 without a word"),
    "dropped": (drop, "timeout_or_dropped", "Server disconnected"),
    "truncated": (truncate, "timeout_or_dropped", "not completed"),
    "silence": (hang, "timeout_or_dropped", "no whole reply in 0.2 s"),
    "a byte at a time": (trickle, "timeout_or_dropped", "no whole reply in 0.2 s"),
    "half a JSON": (raw('{"choices": [{"mess'), "malformed_body", "not JSON"),
    "events": (raw(EVENTS), "malformed_body", "not JSON: 'data:"),
    "error in a 200": (raw('{"error": {"message": "upstream broke \\ud83d"}}'), "malformed_body",
                       "upstream broke ?"),
    "half an emoji": (fail(500, "no \ud83d"), "http_500", "no ?"),
    "no gzip": (raw(b"not gzip", headers=GZIP), "malformed_body", ""),
    "half a gzip": (raw(gzip.compress(b"{}" * 900, mtime=0)[:40], headers=GZIP), "malformed_body",
                    ""),
    "an endless header": (raw("{}", headers={"X-Long": "x" * 100_000}), "malformed_body", ""),
}  # fmt: skip


@pytest.mark.parametrize(("handler", "reason", "said"), TRANSIENT.values(), ids=TRANSIENT)
def test_what_may_pass_is_asked_again_and_fails_with_its_reason_after_all_attempts(
    handler: Handler, reason: str, said: str
) -> None:
    meter = Meter()
    timeout = 0.2 if "0.2 s" in said else 5.0  # Of a whole try, and not of a pause.
    error = talk(handler, meter=meter, timeout_s=timeout).error
    assert isinstance(error, CallFailed)
    assert error.reason == reason
    assert said in error.detail
    assert "<h" not in error.detail
    assert "3 attempts" in error.detail
    assert (meter.sent, meter.calls, meter.in_flight) == (3, 0, 0)
    found = talk(script(handler, say("at last")), timeout_s=timeout)
    assert (found.reply.text, len(found.asked)) == ("at last", 2)


def test_an_endpoint_that_never_answered_stops_the_run_and_one_that_did_fails_a_call() -> None:
    found = talk(raw(SIGN_IN))
    assert isinstance(found.error, EndpointRefused)
    for words in ("[endpoints.near]", "a web page: Sign in to the campus network", "base_url"):
        assert words in str(found.error)
    assert len(found.asked) == 3
    assert talk(script(say(), raw(SIGN_IN)), 1, 1).error.reason == "web_page"
    # Of a server that is not there people hear once, before the wait.
    refused = "[endpoints.near] http://127.0.0.1:9/v1: Cannot connect to host 127.0.0.1:9"
    found = talk(say(), 3, through=lambda _: "http://127.0.0.1:9/v1")
    for outcome in found.outcomes:
        assert isinstance(outcome, EndpointRefused)
        for words in (refused, "3 attempts", "Is the server running"):
            assert words in str(outcome)
    (line,) = found.said
    assert line.startswith(refused)
    assert line.endswith("; trying again after 0 s, 3 attempts in all")


def test_a_wait_beyond_max_wait_fails_at_once_for_all_calls() -> None:
    found = talk(fail(429, "Busy.", headers={"Retry-After": "1000000000"}), 2, 1, attempts=9)
    assert len(found.asked) <= 2
    for error in found.outcomes:
        assert isinstance(error, CallFailed)
        assert error.reason == "rate_limited"
        assert error.detail.startswith("[endpoints.near] Busy.; the server asks to be left alone")
        assert error.detail.endswith("for 1,000,000,000 s, and the longest wait is 300 s")


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("7", 7), (" 7.5 ", 7.5), ("Fri, 15 Jan 2027 08:00:30 GMT", 30),
        # What makes no sense. The loop's clock has no order for the `nan` that float() takes.
        *((odd, None) for odd in (
            "", "soon", "-5", "nan", "Fri, 31 Dec 1999 23:59:59 GMT",
            "Mon, 01 Jan 0001 00:00:00 +2359", "Sun, 22 Nov 2026 12:00:00 +99999999999",
        )),
    ],
)  # fmt: skip
def test_what_wait_a_refusal_asks_for(
    asked: str, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    with pytest.raises(Transient) as busy:
        read_reply("b2:1", Response(429, b"", {"Retry-After": asked}), "here", known_key=True)
    assert busy.value.retry_after == (seconds and pytest.approx(seconds))


BOMB = gzip.compress(bytes(16 * 2**20))


def test_a_reply_beyond_all_measure_is_not_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LARGEST_REPLY", 4 * 2**20)
    tracemalloc.start()
    try:
        found = talk(raw(BOMB, headers=GZIP))
        assert tracemalloc.get_traced_memory()[1] < 12 * 2**20
    finally:
        tracemalloc.stop()
    assert (found.error.reason, len(found.asked)) == ("reply_too_large", 3)
    assert "HTTP 200 with more than 4 MiB" in found.error.detail


# --- where it stops ---


NO_TOKENS = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens'."
NO_SEED = "[{'loc': ('body', 'seed'), 'msg': 'Extra inputs are not permitted'}]"
NO_SCHEMA = "The provided JSON schema contains features not supported by xgrammar."
NO_ROOM = "max_tokens=5000 cannot be greater than max_model_len=max_total_tokens=1024."
"""Dropping posts would not help, so it is not taken for a long prompt."""
ELSEWHERE = {"Location": "http://else.example/v1/chat?there"}
OF_ALL_CALLS: dict[str, tuple[Handler, str, str]] = {
    "401": (fail(401, "Incorrect API key provided."), "Incorrect", "api_key_env"),
    "404": (fail(404, "The model `m` does not exist.", code=404, param="model"), "`m`", "doctor"),
    "no quota": (fail(429, "Over your quota.", code="insufficient_quota"), "quota", "account"),
    "407": (raw(SIGN_IN, status=407), "407 a web page: Sign in", "HTTPS_PROXY"),
    "max_tokens": (fail(400, NO_TOKENS, code="unsupported_parameter", param="max_tokens"),
                   "max_tokens", "[sampling]"),
    "seed": (fail(400, NO_SEED, code=400), "seed", "[sampling]"),
    "no schema": (fail(400, NO_SCHEMA), "xgrammar", "structured = false"),
    "no room": (fail(400, NO_ROOM, code=400, param="max_tokens"), "=5000", "[sampling]"),
    # Posts and a key go to nobody else, and another server's reply is not the model's.
    "a redirect": (raw("", status=307, headers=ELSEWHERE),
                   "307 redirects calls to http://else.example/v1/chat\n", "base_url"),
    "a redirect to nowhere": (raw("", status=308), "308 redirects calls to nowhere\n", "base_url"),
    "what would steer the terminal": (fail(401, "no \x1b[2J\x1b]0;title\x07key\u202e"),
                                      "no [2J]0;titlekey", "api_key_env"),
}  # fmt: skip


@pytest.mark.parametrize(("handler", "words", "advice"), OF_ALL_CALLS.values(), ids=OF_ALL_CALLS)
def test_what_concerns_all_calls_stops_the_run(handler: Handler, words: str, advice: str) -> None:
    found = talk(handler)
    assert isinstance(found.error, EndpointRefused)
    assert (found.error.exit_code, len(found.asked)) == (2, 1)
    for said in ("[endpoints.near]", "http://127.0.0.1:", words, advice):
        assert said in str(found.error)


VLLM = "This model's maximum context length is 1024 tokens."
LLAMA_CPP = "the request exceeds the available context size."
ANTHROPIC = "prompt is too long: 210000 tokens > 200000 maximum"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        # vLLM's batch files nest `error` twice; an engine in process has no HTTP around it.
        ({"error": {"error": {"message": VLLM, "code": 400}}}, VLLM),
        ({"error": None, "message": VLLM}, VLLM),
        ({"detail": VLLM}, VLLM),
        ({"error": VLLM}, VLLM),
        (VLLM, VLLM),
        ({"error": {"message": "Too much.", "code": "context_length_exceeded"}}, "Too much."),
        ({"error": {"code": 400, "message": LLAMA_CPP}}, LLAMA_CPP),
        ({"error": {"message": ANTHROPIC}}, ANTHROPIC),
    ],
)
def test_a_prompt_over_the_context_is_stored_however_it_is_said(body: object, words: str) -> None:
    said = Response(400, json.dumps(body).encode())
    stored = read_reply("b2:1", said, "here", known_key=True)
    assert (stored.finish, stored.text) == (CONTEXT_LENGTH, words)


# --- secrets ---


CUSTOM = "X-Team: team-secret-0123456789\nX-Login: Basic dXNlcjpwYXNzd29yZA==\nX-Short: abc"
SECRETS = (KEY, "team-secret-0123456789", "dXNlcjpwYXNzd29yZA==")
WORDS = f"maximum context length is 5 for {' '.join(SECRETS)} abc"


@pytest.mark.parametrize(
    "handler",
    [
        say(WORDS), fail(400, WORDS), raw(json.dumps({"detail": WORDS}), status=401),
        *(fail(status, WORDS) for status in (401, 404, 429, 500)), raw(WORDS, status=401),
    ],
    ids=("reply", "too long", "detail", "401", "404", "429", "500", "text"),
)  # fmt: skip
def test_what_is_secret_and_a_server_repeats_is_in_no_exception_and_not_stored(
    handler: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", CUSTOM)
    found = talk(handler, attempts=1)
    assert all(secret in str(found.asked[0].headers) for secret in SECRETS)
    outcome = found.outcomes[0]
    shown = f"{outcome!r} {outcome} {getattr(outcome, '__dict__', '')}"
    assert not [secret for secret in SECRETS if secret in shown]
    assert "abc" in shown
    if isinstance(outcome, BaseException):
        assert outcome.__cause__ is None


# --- how fast, budgets and stopping ---


@pytest.mark.parametrize("limit", [1, 5])
def test_no_more_calls_are_in_flight_than_the_limit_says_retries_included(limit: int) -> None:
    async def flaky(asked: Asked) -> web.StreamResponse:
        await asyncio.sleep(0.01)
        return await (fail(500) if asked.number % 3 == 0 else say())(asked)

    found = talk(flaky, 20, concurrency=limit, attempts=20)
    assert found.most == limit
    assert all(isinstance(outcome, Completion) for outcome in found.outcomes)


def test_max_calls_is_never_passed_and_the_rest_is_told() -> None:
    meter = Meter(max_calls=10)
    found = talk(echo(0.01), 40, meter=meter, concurrency=4)
    spent = [outcome for outcome in found.outcomes if isinstance(outcome, BudgetSpent)]
    assert (len(found.asked), len(spent), meter.calls) == (10, 30, 10)
    assert spent[0].reason == "budget_spent"
    assert "max_calls = 10" in str(spent[0])


def test_after_stop_nothing_new_is_sent_and_what_is_in_flight_is_answered() -> None:
    found = talk(echo(0.3), 20, 1, concurrency=3, stop_after_s=0.1)
    assert len(found.asked) == 3
    assert sum(isinstance(outcome, Completion) for outcome in found.outcomes) == 3
    assert sum(isinstance(outcome, Interrupted) for outcome in found.outcomes) == 18
    assert "run again to go on" in str(found.error)

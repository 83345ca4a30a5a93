"""What `pairwright doctor` makes of servers, good and bad."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any, TypeVar

import pytest
from aiohttp import web
from exchanges import KEY, described, exchange
from rich.console import Console

from endpoint import Asked, Handler, Page, completion, drop, fail, hang, raw, say, thinks
from pairwright import assets
from pairwright.cli.endpoints import print_server
from pairwright.models.client import Client
from pairwright.settings.config import validate
from pairwright.settings.endpoints import Sampling
from pairwright.settings.prompt import Prompts
from pairwright.workflows.doctor import ServerReport
from pairwright.workflows.doctor.examination import (
    _findings,
    check_context,
    check_served,
    context_needed,
)
from pairwright.workflows.doctor.replies import (
    check_backend,
    check_prefix_cache,
    check_schema,
    check_seeds,
    check_thinking,
)
from pairwright.workflows.doctor.server import (
    ServerFinding,
    ServerQuestions,
    cache_metrics,
    list_models,
    read_metrics,
)
from pairwright.workflows.run_models import MeterCounts

T = TypeVar("T")
Look = Callable[[ServerQuestions], Awaitable[ServerFinding]]
PROMPTS = Prompts.load(assets.PROMPTS)
PLAN = '{"aspects": ["how to store it"]}'
GUIDANCE = ('"backend": "guidance"',)
# As vLLM 0.32 writes it, shortened.
VLLM = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 0.0
# HELP vllm:cache_config_info Information of the LLMEngine CacheConfig
# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{enable_prefix_caching="True",kv_cache_size_tokens="4096",x="\\"a\\" }"} 1
"""


def page(text: str, status: int = 200, **headers: str) -> Page:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status, headers=headers)

    return answer


def examined(
    handler: Handler,
    look: Callable[[ServerQuestions], Awaitable[T]],
    *,
    sampling: Sampling | None = None,
    **changes: Any,
) -> tuple[T, list[Asked]]:
    """What `look` finds about a server, and what the server was asked."""

    async def use(client: Client) -> T:
        return await look(
            ServerQuestions(client, client._endpoint, sampling or Sampling(), PROMPTS)
        )

    found, asked, _ = exchange(handler, use, **{"attempts": 1, **changes})
    return found, asked


def told_of(models: Page, **changes: Any) -> ServerFinding:
    """What the list of models of a server comes to."""

    async def look(questions: ServerQuestions) -> ServerFinding:
        url = str(questions.endpoint.base_url)
        return (await list_models(url, KEY, questions.endpoint)).finding

    return examined(say(), look, pages={"/v1/models": models}, **changes)[0]


def by_seed(asked: Asked) -> str:
    return f"a text of seed {asked.body['seed']}"


def answering(*texts: Callable[[Asked], str], **usage: Any) -> Handler:
    """Answer by functions of the request, one a request; the last for all that follow."""

    async def handler(asked: Asked) -> web.StreamResponse:
        text = texts[min(asked.number, len(texts) - 1)](asked)
        body = completion(text)
        body["usage"] |= usage
        return web.json_response(body)

    return handler


def vllm(name: str) -> Handler:
    """A vLLM that holds replies to schemas with one of its backends, as 0.32 does."""

    async def handler(asked: Asked) -> web.StreamResponse:
        schema = json.dumps(asked.body.get("response_format", ""))
        if name == "guidance" and '"not"' in schema:
            message = 'Grammar error: Unimplemented keys: ["not"]'
            return await fail(400, message)(asked)
        if name == "xgrammar" and "maxLength" in schema:
            return web.json_response(completion('{"aspects": ["how\nto store it"]}'))
        return web.json_response(completion(PLAN))

    return handler


# What a server tells


def test_the_list_of_models_tells_context_and_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for with the headers of every call."""
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: north")
    sent: list[str | None] = []

    async def models(request: web.Request) -> web.StreamResponse:
        sent.extend((request.headers.get("X-Gateway"), request.headers.get("Authorization")))
        model = {"id": "m", "max_model_len": 4096, "owned_by": "vllm"}
        return web.json_response({"data": [model]})

    async def look(questions: ServerQuestions) -> Any:
        return await list_models(f"{questions.endpoint.base_url}/", KEY, questions.endpoint)

    found, _ = examined(say(), look, pages={"/v1/models": models})
    assert (found.finding.state, found.context, found.vllm) == ("ok", 4096, True)
    assert sent == ["north", f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("models", "state", "said"),
    [
        (page("<html><title>Welcome</title></html>"), "note", "<html>"),
        (page("{}"), "note", "something else"),
        (page("[" * 100_000), "note", "something else"),
        (page('{"data": [["m"]]}'), "note", "something else"),
        (page('{"data": [null]}'), "note", "something else"),
        (page("not found", 404), "note", "404"),
        (page("down", 503), "note", "503"),
        (page("who are you?", 401), "stop", "401"),
        (page("not you", 403), "stop", "403"),
        (page("", 302, Location="https://else.example/v1/models"), "note", "else.example"),
        (page("", 308, Location="/v1/models/"), "note", "/v1/models/"),
        (page('{"data": []}'), "stop", "there are: none"),
        (page('{"data": [{"id": "n"}, {"id": "a/b"}]}'), "stop", "there are: a/b, n"),
        (page('{"data": [{"id": "m", "max_model_len": "long"}]}'), "ok", "serves m"),
    ],
    ids=count(),
)
def test_another_answer_than_a_list_of_models_is_told(models: Page, state: str, said: str) -> None:
    found = told_of(models)
    assert (found.state, said in found.found) == (state, True), found
    assert found.advice or state == "ok"
    assert KEY not in found.found


def test_a_server_that_never_answers_or_is_not_there_is_named_so() -> None:
    async def silent(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    nowhere = "http://127.0.0.1:9/v1"
    slow = told_of(silent, timeout_s=0.3)
    assert "no whole reply in 0.3 s" in str(slow)
    gone = asyncio.run(list_models(nowhere, None, described(nowhere))).finding
    assert "/v1" in gone.advice
    for found in (slow, gone):
        assert (found.state, "not reachable" in found.found) == ("stop", True)


def test_metrics_of_vllm_tell_of_its_cache() -> None:
    assert read_metrics(VLLM) == (True, 4096)
    off = VLLM.replace('caching="True"', 'caching="False"').replace('"4096"', '"None"')
    assert read_metrics(off) == (False, None)
    without = "\n".join(line for line in VLLM.splitlines() if "cache_config" not in line)
    assert read_metrics(without) == (None, None)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (page("sglang:num_running_reqs 0\n"), None),
        (page("<html>vllm: no</html>"), None),
        (page("", 404), None),
        (page(VLLM, 500), None),
        (page("", 302, Location="/login"), None),
        (page(VLLM), (True, 4096)),
    ],
    ids=("another server", "html", "none", "error", "redirect", "vllm"),
)
def test_metrics_stand_beside_v1_or_tell_nothing(
    answer: Page, told: tuple[bool | None, int | None] | None
) -> None:
    async def look(questions: ServerQuestions) -> tuple[bool | None, int | None] | None:
        return await cache_metrics(f"{questions.endpoint.base_url}/")

    assert examined(say(), look, pages={"/metrics": answer})[0] == told


# Context


def needs(**changes: Any) -> int:
    config = {
        "source": {"path": "x.jsonl"},
        "endpoints": {
            name: {"base_url": "http://127.0.0.1:9/v1", "model": "m"} for name in ("a", "b")
        },
        "roles": {"planner": "a", "generator": "b", "judge": "b"},
    }
    return context_needed(validate(config | changes, assets.EXAMPLES / "x.toml"), "a")


def test_a_planner_needs_room_for_history_instructions_and_reply() -> None:
    assert needs() == 6000 + 1000 + 2048
    assert needs(planner={"history_tokens": 2000}) == 2000 + 1000 + 2048
    assert needs(preset="paper", planner={"retrieval": "bm25"}) == 1000 + 2048


def test_a_context_that_is_too_short_is_told_with_what_to_set() -> None:
    found = check_context(4096, 8024)
    assert found.state == "note"
    assert "--max-model-len 8024" in found.advice
    assert check_context(8024, 8024).state == "ok"
    assert "not reported" in check_context(None, 8024).found


# What single checks find


def backend(is_vllm: bool) -> Look:
    return lambda questions: check_backend(questions, vllm=is_vllm)


def prefix(metrics: tuple[bool | None, int | None] | None) -> Look:
    return lambda questions: check_prefix_cache(questions, metrics)


def reusing(details: object) -> Handler:
    return answering(by_seed, prompt_tokens_details=details)


TOO_SHORT = fail(400, "This model's maximum context length is 1024 tokens.")
USAGE = {"completion_tokens": 500, "completion_tokens_details": {"reasoning_tokens": 480}}
APART = ("--reasoning-parser", "enable_thinking = false")
FOUND: dict[str, tuple[Handler, Look, str, tuple[str, ...], tuple[str, ...], int]] = {
    "schemas are ignored": (say("Certainly! Here you go."), check_schema, "stop",
                            ("not followed",), ("structured = false",), Sampling().attempts),
    "no thinking": (say(PLAN), check_thinking, "ok", ("none seen before a reply",), (), 2),
    "thinking without end": (thinks(100_000, PLAN), check_thinking, "note",
                             ("no reply by a schema came",), (), 4),
    "a schema stops thinking": (thinks(200, PLAN, by_schema="never"), check_thinking, "note",
                                ("with a schema it replies without thinking",), APART, 2),
    "a schema swallows it": (thinks(200, PLAN, by_schema="swallowed"), check_thinking, "note",
                             ("all of the reply is taken for thinking",), APART, 2),
    "only the usage tells": (answering(lambda _: PLAN, **USAGE), check_thinking, "note",
                             ("about 480 tokens",), ("thinking_tokens = 1024",), 2),
    "guidance": (vllm("guidance"), backend(True), "ok", ("guidance",), (), 4),
    "xgrammar": (vllm("xgrammar"), backend(True), "note",
                 ("xgrammar; control characters in 3 of",), GUIDANCE, 4),
    # Its fault is warned of before it is seen, and found on any server by what it writes.
    "xgrammar unseen": (say(PLAN), backend(True), "note", ("xgrammar",), GUIDANCE, 4),
    "its fault elsewhere": (vllm("xgrammar"), backend(False), "note",
                            ("control characters in 3",), GUIDANCE, 3),
    "a schema refused": (fail(400, "maxLength is not permitted"), backend(False), "ok",
                         ("not known",), (), 1),
    "a cache by its usage": (reusing({"cached_tokens": 1536}), prefix(None), "ok",
                             ("1,536 of 12 tokens",), (), 2),
    "and its size": (reusing({"cached_tokens": 1536}), prefix((True, 4096)), "ok",
                     ("holds 4,096 tokens",), (), 2),
    "a cache by metrics": (reusing(None), prefix((True, 4096)), "ok",
                           ("own account",), (), 2),
    "a cache that is off": (reusing(None), prefix((False, None)), "note",
                            ("off",), (), 2),
    "a cache not used": (reusing({"cached_tokens": 0}), prefix(None), "note", ("again",), (), 2),
    "nothing of a cache": (reusing(None), prefix(None), "note", ("not known",), (), 2),
    "no number": (reusing({"cached_tokens": "many"}), prefix(None), "note",
                  ("not known",), (), 2),
    "no table": (reusing([]), prefix((None, None)), "note", ("not known",), (), 2),
    "no room for a history": (TOO_SHORT, prefix(None), "note",
                              ("maximum context length",), (), 1),
    "seeds repeat": (answering(by_seed), check_seeds, "ok", ("repeats",), (), 3),
    "seeds are ignored": (say("always this"), check_seeds, "note",
                          ("two seeds gave the same text",), (), 3),
    "random texts": (answering(lambda asked: f"text {asked.number}"), check_seeds, "note",
                     ("same seed gave two texts",), (), 3),
    "empty texts": (say(""), check_seeds, "note", ("empty replies",), (), 3),
    "thinking alone": (say(message={"content": None, "reasoning_content": "hm"}), check_seeds,
                       "note", ("two seeds",), (), 3),
    "no seeds": (fail(400, "Unsupported: seed", param="seed"), check_seeds, "note",
                 ("not found out",), (), 1),
}  # fmt: skip
"""A server and a check of it: the state that is found, what is said, what is advised, and how many
requests it takes."""


@pytest.mark.parametrize(
    ("handler", "look", "state", "said", "advised", "n"), FOUND.values(), ids=FOUND
)
def test_what_a_check_finds(
    handler: Handler,
    look: Look,
    state: str,
    said: tuple[str, ...],
    advised: tuple[str, ...],
    n: int,
) -> None:
    found, asked = examined(handler, look)
    assert found.state == state, found
    assert [words for words in said if words not in found.found] == [], found
    assert [words for words in advised if words not in found.advice] == [], found
    assert (GUIDANCE[0] in found.advice) == (advised == GUIDANCE)
    assert len(asked) == n


def test_a_reply_in_a_fence_is_told_of() -> None:
    found, asked = examined(say(f"```json\n{PLAN}\n```"), check_schema, structured=False)
    assert (found.state, "fence" in found.found) == ("note", True)
    assert len(asked) == 1
    assert "response_format" not in asked[0].body


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "inline"])
def test_thinking_is_measured_and_the_key_for_its_room_is_named(field: str) -> None:
    found, asked = examined(thinks(600, PLAN, field=field), check_thinking)
    assert (found.state, "replies by a schema come after thinking" in found.found) == ("note", True)
    assert re.search(r"about 60\d tokens|about 59\d tokens", found.found), found.found
    assert found.advice.startswith("Set thinking_tokens = 1280 under [endpoints.near].")
    assert ("--reasoning-parser" in found.advice) == (field == "inline")
    assert ["response_format" in one.body for one in asked] == [False, True]


def test_thinking_with_enough_room_is_fine_and_what_uses_it_up_is_measured_with_more() -> None:
    found, asked = examined(thinks(600, PLAN), check_thinking, thinking_tokens=1280)
    assert (found.state, found.advice) == ("ok", "")
    assert {one.body["max_tokens"] for one in asked} == {Sampling().max_tokens + 1280}
    found, asked = examined(thinks(3000, PLAN), check_thinking)
    assert "1,024 tokens of room ran out" in found.found
    assert "about 2,997 tokens" in found.found
    assert "thinking_tokens = 6" in found.advice
    assert [one.body["max_tokens"] for one in asked] == [1024, 8192, 1024, 8192]


def test_a_prefix_is_asked_twice_and_seeds_are_hot_and_differ_where_they_are_sent() -> None:
    _, (one, again) = examined(reusing(None), prefix(None))
    assert one.identity == again.identity
    assert 5000 < len(one.said) < 11_000
    _, asked = examined(answering(by_seed), check_seeds)
    assert [(a.body["seed"], a.body["temperature"]) for a in asked] == [(0, 1), (0, 1), (1, 1)]
    found, asked = examined(say(), check_seeds, sampling=Sampling(seed=None))
    assert (found.state, asked) == ("ok", [])


# The whole


def whole(handler: Handler, **changes: Any) -> tuple[list[ServerFinding], list[Asked]]:
    async def look(questions: ServerQuestions) -> list[ServerFinding]:
        endpoint = questions.endpoint
        return await _findings(questions, str(endpoint.base_url), KEY, 8024)

    return examined(handler, look, **changes)


def test_a_server_is_examined_in_about_twelve_requests() -> None:
    found, asked = whole(vllm("guidance"), pages={"/metrics": page(VLLM)})
    assert [f.about for f in found] == [
        "server", "context", "structured output", "thinking", "schema backend", "prefix cache",
        "seeds",
    ]  # fmt: skip
    assert len(asked) == 12


def test_a_server_that_refuses_the_first_request_is_asked_no_more() -> None:
    found, asked = whole(fail(401, f"no such key: {KEY}"))
    assert (found[-1].state, "no such key" in found[-1].found) == ("stop", True)
    assert len(asked) == 1
    assert KEY not in repr(found)


@pytest.mark.parametrize(
    ("failing", "said"),
    [
        (fail(500, "EngineDeadError"), "EngineDeadError"),
        (raw("<html>"), "a web page"),
        (hang, "no whole reply in 0.5"),
        (drop, "not answered"),
    ],
    ids=("500", "html", "slow", "dropped"),
)
def test_a_server_that_fails_on_a_long_prompt_cannot_be_used(failing: Handler, said: str) -> None:
    async def handler(asked: Asked) -> web.StreamResponse:
        return await (failing if len(asked.said) > 5000 else say(PLAN))(asked)

    found, asked = whole(handler, timeout_s=0.5)
    assert [f.about for f in found][-2:] == ["schema backend", "requests"]
    assert (found[-1].state, said in found[-1].found) == ("stop", True), found[-1]
    assert len(asked) == 7


def test_words_of_a_server_can_neither_colour_nor_clear_the_screen() -> None:
    console = Console(width=60, record=True)
    found = ServerFinding("note", "server", "[bold red]x[/]\x1b[2J\x07", "[/] \x9b1m")
    with console.capture() as captured:
        print_server(console, ServerReport("near", "m\x1b[0m", "http://x", (found,), MeterCounts()))
    assert "[bold red]x[/]" in captured.get()
    assert not set("\x1b\x07\x9b") & set(captured.get())


def test_a_server_that_answers_as_another_model_is_noted() -> None:
    async def handler(asked: Asked) -> web.StreamResponse:
        return web.json_response(completion(PLAN) | {"model": "m-mini"})

    async def look(questions: ServerQuestions) -> list[ServerFinding]:
        await check_schema(questions)
        return check_served(questions.client, "m")

    (found,) = examined(handler, look)[0]
    assert (found.state, found.about) == ("note", "model")
    assert found.found == "replies name m-mini, not m"
    assert examined(say(PLAN), look)[0] == []

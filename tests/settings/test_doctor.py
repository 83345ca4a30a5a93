"""What `pairwright doctor` makes of servers, good and bad."""

import asyncio
from itertools import count
from typing import Any

import pytest
from aiohttp import web

from endpoint import Asked, Handler, Page, drop, fail, hang, raw, say, serving, thinks
from pairwright import assets
from pairwright.cli.runs import print_examination
from pairwright.models.doctor import (
    ServerFinding,
    ServerReport,
    examine,
)
from pairwright.settings.config import Config, validate

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
PLAN = '{"aspects": ["how to store it"]}'


def page(text: str, status: int = 200, **headers: str) -> Page:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status, headers=headers)

    return answer


SERVES = page('{"data": [{"id": "m", "max_model_len": 16384}]}')


def config_of(url: str, endpoint: dict[str, Any] | None = None, **changes: Any) -> Config:
    one = {"base_url": url, "model": "m", "api_key_env": "NEAR_KEY", **(endpoint or {})}
    config = {
        "source": {"path": "x.jsonl"},
        "endpoints": {"near": one, "far": {"base_url": "http://127.0.0.1:9/v1", "model": "m"}},
        "roles": {"planner": "near", "generator": "far", "judge": "far"},
    }
    return validate(config | changes, assets.EXAMPLES / "x.toml")


def examined(
    handler: Handler, models: Page | None = SERVES, **endpoint: Any
) -> tuple[dict[str, ServerFinding], list[Asked]]:
    """What is found about a server, by what it is about, and what the server was asked."""

    async def scenario() -> tuple[dict[str, ServerFinding], list[Asked]]:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("NEAR_KEY", KEY)
            pages = {"/v1/models": models} if models else {}
            async with serving(handler, pages=pages) as server:
                config = config_of(server.url, endpoint)
                found = await examine(config, "near", KEY)
                return {one.about: one for one in found}, server.asked

    return asyncio.run(scenario())


def test_a_good_server_is_found_good_with_one_request() -> None:
    found, asked = examined(say(PLAN))
    assert {about: one.state for about, one in found.items()} == {
        "server": "ok", "context": "ok", "structured output": "ok",
    }  # fmt: skip
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("models", "state", "said"),
    [
        (page("<html><title>Welcome</title></html>"), "note", "no list of models"),
        (page("[" * 100_000), "note", "no list of models"),
        (page("down", 503), "note", "503"),
        (page("who are you?", 401), "stop", "401"),
        (page('{"data": [{"id": "n"}, {"id": "a/b"}]}'), "stop", "there are: a/b, n"),
        (page('{"data": [{"id": "m", "max_model_len": "long"}]}'), "ok", "serves m"),
    ],
    ids=count(),
)
def test_another_answer_than_a_list_of_models_is_told(models: Page, state: str, said: str) -> None:
    found, asked = examined(say(PLAN), models)
    first = next(iter(found.values()))
    assert (first.state, said in first.found) == (state, True), first
    assert first.advice or state == "ok"
    assert len(asked) == (state != "stop")
    assert KEY not in repr(found)


def test_a_reply_that_follows_no_schema_stops_and_one_in_a_fence_does_not() -> None:
    found, asked = examined(say("Certainly! Here you go."))
    one = found["structured output"]
    assert (one.state, "not followed" in one.found) == ("stop", True)
    assert "structured = false" in one.advice
    assert len(asked) == 3
    found, asked = examined(say(f"```json\n{PLAN}\n```"), structured=False)
    one = found["structured output"]
    assert (one.state, one.found) == ("ok", "follows the schema in the prompt")
    assert "response_format" not in asked[0].body


def test_a_reply_that_takes_more_than_one_draw_is_noted_with_the_keys_to_set() -> None:
    one = examined(thinks(3000, PLAN))[0]["structured output"]
    assert (one.state, one.found) == ("note", "follows the schema at draw 3")
    assert "thinking_tokens" in one.advice
    assert examined(thinks(600, PLAN))[0]["structured output"].state == "ok"
    found = examined(thinks(9000, PLAN))[0]["structured output"]
    assert (found.state, "thinking_tokens" in found.found) == ("stop", True)


@pytest.mark.parametrize(
    ("failing", "said"),
    [
        (fail(401, f"no such key: {KEY}"), "no such key"),
        (fail(500, "EngineDeadError"), "EngineDeadError"),
        (raw("<html>"), "a web page"),
        (hang, "no whole reply in 0.5"),
        (drop, "not answered"),
    ],
    ids=("401", "500", "html", "slow", "dropped"),
)
def test_a_server_that_does_not_answer_cannot_be_used(failing: Handler, said: str) -> None:
    found, _ = examined(failing, timeout_s=0.5)
    one = found["requests"]
    assert (one.state, said in one.found) == ("stop", True), one
    assert KEY not in repr(found)


def test_words_of_a_server_can_neither_colour_nor_clear_the_screen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = ServerFinding("note", "server", "[bold red]x[/]\x1b[2J\x07", "[/] \x9b1m")
    assert print_examination((ServerReport("near", "m\x1b[0m", "http://x", (found,)),)) == 0
    shown = capsys.readouterr().out
    assert "[bold red]x[/]" in shown
    assert not set("\x1b\x07\x9b") & set(shown)

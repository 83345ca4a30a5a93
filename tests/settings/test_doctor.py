"""What `pairwright doctor` makes of servers, good and bad."""

import asyncio
from typing import Any

import pytest
from aiohttp import web

from endpoint import Handler, Page, drop, fail, hang, say, script, serving, thinks
from pairwright import assets
from pairwright.cli.runs import print_examination
from pairwright.models.doctor import ServerFinding, ServerReport, examine
from pairwright.settings.config import validate

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
PLAN = '{"aspects": ["how to store it"]}'


def page(text: str, status: int = 200) -> Page:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status)

    return answer


def examined(
    handler: Handler,
    models: Page,
    role: str = "planner",
    aspects: str = "planner",
    **endpoint: Any,
) -> tuple[dict[str, ServerFinding], list[Any]]:
    """What is found about the server of a role, by what it is about, and the bodies that it was
    sent."""

    async def scenario() -> tuple[dict[str, ServerFinding], list[Any]]:
        async with serving(handler, models=models) as server:
            near = {"base_url": server.url, "model": "m", **endpoint}
            far = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}
            config = {
                "source": {"path": "x.jsonl"},
                "endpoints": {"near": near, "far": far},
                "roles": {"planner": "far", "generator": "far", "judge": "far", role: "near"},
                "paper_writers": True,
                "aspects": aspects,
            }
            found = await examine(validate(config, assets.EXAMPLES / "x.toml"), "near", KEY)
            return {one.about: one for one in found}, [asked.body for asked in server.asked]

    return asyncio.run(scenario())


SERVES = page('{"data": [{"id": "m", "max_model_len": 16384}]}')
SHORT = page('{"data": [{"id": "m", "max_model_len": 4096}]}')
OTHERS = page('{"data": [{"id": "n"}, {"id": "a/b"}]}')
FENCED = say(f"```json\n{PLAN}\n```")
FOUND: dict[str, tuple[Handler, Page, str, str, str, str, int]] = {
    "reachable": (say(PLAN), SERVES, "server", "ok", "serves m", "", 1),
    "less room": (say(PLAN), SHORT, "context", "note", "4,096 tokens", "--max-model-len", 1),
    # Another answer than a list of models.
    "a web page": (say(PLAN), page("<html><title>Hi</title></html>"), "server", "note",
                   "no list of models", "/v1?", 1),
    "deep nesting": (say(PLAN), page("[" * 100_000), "server", "note", "no list", "/v1?", 1),
    "401": (say(PLAN), page("who are you?", 401), "server", "stop", "401", "api_key_env", 0),
    "other models": (say(PLAN), OTHERS, "model", "stop", "there are: a/b, n", "`model`", 0),
    # Replies.
    "schema": (say(PLAN), SERVES, "structured output", "ok", "follows the schema", "", 1),
    "no schema": (say("Certainly! Here you go."), SERVES, "structured output", "stop",
                  "not followed", "structured = false", 3),
    "late": (script(say("No."), say("No."), say(PLAN)), SERVES, "structured output", "note",
             "follows the schema at draw 3", "thinking_tokens", 3),
    "thinking alone": (thinks(9000, PLAN), SERVES, "structured output", "stop",
                       "thinking_tokens", "", 3),
    # No replies.
    "a key refused": (fail(401, f"no such key: {KEY}"), SERVES, "requests", "stop",
                      "no such key", "", 1),
    "500": (fail(500, "EngineDeadError"), SERVES, "requests", "stop", "EngineDeadError", "", 2),
    "slow": (hang, SERVES, "requests", "stop", "no whole reply in 0.5", "", 2),
    "dropped": (drop, SERVES, "requests", "stop", "not answered", "", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_server_is_told_with_what_to_change(name: str) -> None:
    handler, models, about, state, said, advice, requests = FOUND[name]
    found, asked = examined(handler, models, timeout_s=0.5 if handler is hang else 30)
    one = found[about]
    assert (one.state, said in one.found, advice in one.advice) == (state, True, True), one
    assert len(asked) == requests
    assert KEY not in repr(found)
    stops = [one.about for one in found.values() if one.state == "stop"]
    assert stops == [about] * (state == "stop")


@pytest.mark.parametrize(
    ("role", "aspects", "state"),
    [("planner", "gold", "ok"), ("generator", "gold", "note"), ("judge", "planner", "ok")],
)
def test_room_for_a_history_is_needed_where_one_is_read(
    role: str, aspects: str, state: str
) -> None:
    assert examined(say(PLAN), SHORT, role, aspects)[0]["context"].state == state


def test_without_schemas_the_reply_may_stand_in_a_fence() -> None:
    found, asked = examined(FENCED, SERVES, structured=False)
    one = found["structured output"]
    assert (one.state, one.found) == ("ok", "follows the schema in the prompt")
    assert "response_format" not in asked[0]


def test_words_of_a_server_can_neither_colour_nor_clear_the_screen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = ServerFinding("note", "server", "[bold red]x[/]\x1b[2J\x07", "[/] \x9b1m")
    assert print_examination((ServerReport("near", "m\x1b[0m", "http://x", (found,)),)) == 0
    shown = capsys.readouterr().out
    assert "[bold red]x[/]" in shown
    assert not set("\x1b\x07\x9b") & set(shown)

"""The model seam: keys, replies that cannot be used, draws, and calls made together."""

import asyncio
import importlib
import json
import pkgutil
from collections.abc import Iterator
from typing import Any, Literal
from unittest import mock

import pytest

from pairwright import stages
from pairwright.errors import CallFailed, EndpointRefused, Unanswered
from pairwright.models import (
    Reply,
    Request,
    Unread,
    completion_of,
    key_of,
    parse,
    schema_of,
    together,
)
from pairwright.models.model import work_through
from pairwright.settings.prompt import Ask, Message
from pairwright.stages.judges import AdherenceReply, _quality_reply
from scripted import Said, Scripted, expect, good, model, refused, scored, wait

ASK = Ask("adherence", (Message("system", "You judge."), Message("user", "How far?")))
WRITE = Ask("write_plain", (Message("system", "You write."), Message("user", "Bread?")))


# Keys


def test_a_key_is_the_tagged_hash_of_the_documented_canonical_form() -> None:
    messages = Message("system", "Säge"), Message("user", "Wie?\n")
    request = Request(
        model="m", messages=messages, max_tokens=64, revision="r1", temperature=0.9, top_p=0.95,
        seed=3, schema_name="plan", schema_json='{"type":"object"}',
        extra='{"reasoning_effort":"low"}', draw=2, purpose="plan",
    )  # fmt: skip
    canonical = (
        '{"draw":2,"extra":"{\\"reasoning_effort\\":\\"low\\"}","max_tokens":64,'
        '"messages":[{"content":"Säge","role":"system"},{"content":"Wie?\\n","role":"user"}],'
        '"model":"m","revision":"r1","schema":"{\\"type\\":\\"object\\"}",'
        '"schema_name":"plan","seed":3,"temperature":0.9,"top_p":0.95}'
    )
    assert request.canonical == canonical
    assert request.key == key_of(canonical) == "b2:6f23e30c527bf204aeed5b9473db5ab1171cbce2"


# Bodies


def body(message: dict[str, Any] | None = None, **choice: Any) -> dict[str, Any]:
    return {"choices": [{"message": message or {"content": "hi"}, **choice}]}


def read(data: dict[str, Any]) -> Any:
    return completion_of("b2:1", json.dumps(data).encode())


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": "Bread.", "reasoning_content": "Hm."}, "Bread.", "Hm."),
        ({"content": "Bread.", "reasoning": "Hm."}, "Bread.", "Hm."),
        ({"content": "\n<think>Hm.</think>Bread."}, "Bread.", "Hm."),
        ({"content": "Hm.</think>Bread."}, "Bread.", "Hm."),
        # Thinking that names its own tag, and a tag inside an answer.
        ({"content": "<think>I close it with </think> later.</think>Bread."}, "Bread.", None),
        ({"content": '<think>x</think>{"a": "quotes </think> here"}'},
         '{"a": "quotes </think> here"}', "x"),
        ({"content": "Write <think> in the prompt."}, "Write <think> in the prompt.", ""),
        # Thinking that was cut short.
        ({"content": "<think>Hm, the user"}, "", "Hm, the user"),
        ({"content": None, "refusal": "I can't help with that."}, "I can't help with that.", ""),
        ({"content": None}, "", ""),
        ({"tool_calls": []}, "", ""),
        ({"content": [
            {"type": "text", "text": "one "}, {"type": "image_url", "image_url": {}},
            {"type": "output_text", "text": "two"},
        ]}, "one two", ""),
    ],
)  # fmt: skip
def test_the_text_of_a_reply_is_read_and_reasoning_never_becomes_part_of_it(
    message: dict[str, Any], text: str, reasoning: str | None
) -> None:
    reply = read(body(message, finish_reason="length"))
    assert reply.text.strip() == text
    assert reasoning is None or reply.reasoning.strip() == reasoning


TOOL: dict[str, Any] = {"content": None, "tool_calls": [{"function": {"name": "search"}}]}
DECLINED: dict[str, Any] = {"content": None, "refusal": "I cannot help."}


@pytest.mark.parametrize(
    ("message", "finish", "reason", "told"),
    [
        ({"content": None, "reasoning": "Hm."}, "length", "cut_in_thinking", "thinking_tokens"),
        ({"content": "", "reasoning": "Hm."}, "stop", "unusable_reply", "--reasoning-parser"),
        ({"content": '{"asp'}, "length", "cut_short", "max_tokens = 1024"),
        (TOOL, "tool_calls", "tool_call", "called a tool"),
        (DECLINED, "stop", "model_refused", "I cannot help."),
    ],
)
def test_a_reply_that_cannot_be_used_is_dropped_with_what_to_set(
    message: dict[str, Any], finish: str, reason: str, told: str
) -> None:
    llm = mock.Mock(complete=mock.AsyncMock(return_value=read(body(message, finish_reason=finish))))
    of = model(llm, attempts=1)
    for rejected in (refused(of.write(WRITE)), refused(of.answer(ASK, AdherenceReply))):
        assert (rejected.reason, "Hm." in rejected.detail) == (reason, False)
        assert told in rejected.detail


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"null", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}', b'{"choices": [{"message": {"content": 5}}]}',
        b'{"choices": [{"message": {"content": [{"type": "text", "text": 5}]}}]}',
        b'{"choices": [{"message": {"content": ["hi"]}}]}',
        b'{"choices": [{"mess', b"<html>502 Bad Gateway</html>", b"\xff\xfe",
    ],
)  # fmt: skip
def test_a_body_that_is_no_completion_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        completion_of("b2:1", raw)


# Replies as objects


class Sample(Reply):
    reason: str
    score: Literal[0, 1, 2]


PLAIN, BROKEN = '{"reason": "r", "score": 2}', '{"reason": "a\n\tb", "score": 2}'


@pytest.mark.parametrize(
    "text",
    [
        f"\n  {PLAIN}\n", json.dumps(json.loads(PLAIN), indent=2),
        '{"reason": "\u200b \u00a0", "score": 2}', f"``` {PLAIN} ```", BROKEN,
        BROKEN.replace("\n", "\x00"), f"```json\n{BROKEN}\n```",
    ],
)  # fmt: skip
def test_a_fence_and_control_characters_are_overlooked_in_a_reply(text: str) -> None:
    reply = expect(Sample, parse(text, Sample))
    assert reply.score == 2
    assert BROKEN not in text or reply.reason == "a\n\tb"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not JSON"), (f"```json\n{PLAIN}", "not JSON"), (BROKEN + "}", "not JSON"),
        ("[" * 100_000 + "\n", "not JSON"), ('{"reason": "r", "score": 2', "not JSON"),
        (f"{PLAIN} And more.", "not JSON"), ("[]", "the reply"), ("{}", "reason"),
        ('{"reason": "r"}', "score"), ('{"reason": "r", "score": 1.5}', "score"),
        ('{"reason": "r", "score": "high"}', "score"),
        ('{"reason": "r", "score": 1, "note": ""}', "note"),
    ],
)  # fmt: skip
def test_a_reply_that_is_not_the_object_is_told_why(text: str, complaint: str) -> None:
    assert complaint in expect(Unread, parse(text, Sample)).why


# Schemas

_quality_reply(("correctness", "relevance", "helpfulness"))  # Makes its class.
for found in pkgutil.iter_modules(stages.__path__):
    importlib.import_module(f"{stages.__name__}.{found.name}")
REPLIES = sorted(
    # Others only read what was asked for before.
    (reply for reply in Reply.__subclasses__() if reply.__module__.startswith(stages.__name__)),
    key=lambda reply: reply.__name__,
)
KEYWORDS = set("type properties required additionalProperties items enum $ref $defs".split())


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.__name__)
def test_a_schema_is_closed_and_holds_only_what_strict_endpoints_take(reply: type[Reply]) -> None:
    nodes = [json.loads(schema_of(reply)[1])]
    for node in nodes:  # It grows.
        assert set(node) <= KEYWORDS
        for name in ("properties", "$defs"):
            nodes += node.get(name, {}).values()
        nodes += [node["items"]] if "items" in node else []
        if "properties" in node:
            # In the order of its fields, so that reasons come before verdicts.
            assert list(node["properties"]) == node["required"]
            assert (node["type"], node["additionalProperties"]) == ("object", False)


# Draws


def two(reply: AdherenceReply) -> str | None:
    return None if len(reply.scores) == 2 else f"{len(reply.scores)} scores for 2 aspects"


def test_a_malformed_reply_is_asked_again_as_the_next_draw_with_another_seed() -> None:
    llm = Scripted(adherence=["I would say two.", '{"scores": []}', scored(1, 1)])
    reply = good(model(llm).answer(ASK, AdherenceReply, two))
    assert len(reply.scores) == 2
    assert [(r.draw, r.seed) for r in llm.requests] == [(0, 7), (1, 8), (2, 9)]
    assert len({r.key for r in llm.requests}) == 3
    # One that never parses is refused with the last complaint.
    never = Scripted(adherence=["no JSON", '{"scores": 5}', scored(1)])
    rejected = refused(model(never).answer(ASK, AdherenceReply, two))
    assert (rejected.stage, rejected.reason) == ("adherence", "unparseable")
    assert rejected.detail == "1 scores for 2 aspects"
    # Without a seed no draw has one, and no more are made than allowed.
    seedless = Scripted(adherence="no JSON")
    refused(model(seedless, attempts=2, seed=None).answer(ASK, AdherenceReply))
    assert [r.seed for r in seedless.requests] == [None, None]


def test_a_reply_cut_short_is_never_read() -> None:
    llm = Scripted(write_plain=[Said("Bread is", "length"), "Bread."])
    assert good(model(llm, max_tokens=10).write(WRITE, 1)) == "Bread."
    assert [(r.draw, r.max_tokens) for r in llm.requests] == [(1, 10), (1001, 10)]
    whole = json.dumps(scored(2))
    llm = Scripted(adherence=[Said(whole, "length"), whole])
    good(model(llm).answer(ASK, AdherenceReply))
    assert len(llm.requests) == 2


@pytest.mark.parametrize("finish", ["content_filter", "context_length"])
def test_a_filtered_or_too_long_prompt_is_a_refusal_that_no_draw_can_mend(finish: str) -> None:
    llm = Scripted(adherence=Said("why " * 1000, finish), write_plain=Said("why", finish))
    rejected = refused(model(llm).answer(ASK, AdherenceReply))
    assert (rejected.stage, rejected.reason) == ("adherence", finish)
    assert 0 < len(rejected.detail) <= 500
    assert refused(model(llm).write(WRITE)).reason == finish
    assert llm.purposes == ["adherence", "write_plain"]


def test_an_endpoint_without_schemas_is_told_the_schema_in_the_prompt() -> None:
    llm = Scripted(adherence=scored(1))
    good(model(llm, structured=False).answer(ASK, AdherenceReply))
    (request,) = llm.requests
    assert (request.schema_json, request.schema_name) == (None, None)
    system, user = request.messages
    assert system == ASK.messages[0]
    assert user.content.startswith("How far?")
    assert schema_of(AdherenceReply)[1] in user.content


def test_an_empty_text_is_drawn_again_without_taking_a_draw_of_the_writers() -> None:
    empty = Scripted(write_plain="")
    rejected = refused(model(empty).write(WRITE))
    assert (rejected.stage, rejected.reason) == ("write_plain", "unusable_reply")
    assert len(empty.requests) == 3
    llm = Scripted(write_plain=["", " \n ", "Bread."])
    assert good(model(llm).write(WRITE, 1)) == "Bread."
    assert not {r.draw for r in llm.requests[1:]} & set(range(100))
    assert len({r.seed for r in llm.requests}) == 3


# Work on many units


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_every_unit_is_worked_on_once_and_never_more_are_alive_than_workers(workers: int) -> None:
    alive, most = set[int](), list[int]()

    def units() -> Iterator[int]:
        for unit in range(20):
            alive.add(unit)
            most.append(len(alive))
            yield unit

    async def work(unit: int) -> int:
        await asyncio.sleep(0.001 * (unit % 4))
        alive.remove(unit)
        return -unit

    done = wait(work_through(units(), work, workers=workers, stop=lambda: None))
    assert done == [-unit for unit in range(20)]
    assert max(most) == min(workers, 20)


def test_the_first_error_stops_the_others_which_finish_what_they_have_begun() -> None:
    begun, ended, stops = list[int](), list[int](), list[str]()

    async def work(unit: int) -> None:
        begun.append(unit)
        await asyncio.sleep(0.001)
        if unit == 2:
            raise EndpointRefused("401")
        await asyncio.sleep(0.02)
        ended.append(unit)

    with pytest.raises(EndpointRefused, match="401"):
        wait(work_through(range(100), work, workers=4, stop=lambda: stops.append("stop")))
    assert (begun, ended, stops) == ([0, 1, 2, 3], [0, 1, 3], ["stop"])


@pytest.mark.parametrize("error", [CallFailed("http_500", "no"), Unanswered("plan")])
def test_siblings_are_awaited_and_a_bug_is_raised_before_a_call_that_failed(
    error: BaseException,
) -> None:
    ended = list[str]()

    async def call(error: BaseException | None) -> None:
        await asyncio.sleep(0 if error else 0.01)
        if error:
            raise error
        ended.append("whole")

    with pytest.raises(AssertionError, match="a bug"):
        wait(together(*map(call, (error, AssertionError("a bug"), None))))
    assert ended == ["whole"]

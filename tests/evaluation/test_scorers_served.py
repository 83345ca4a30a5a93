"""Reward models that vLLM serves: what `/classify` is asked, and what its replies mean.

The replies are those of vLLM 0.32; test_real_reward.py asks the real one.
"""

import asyncio
import json
import math
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import tenacity

from endpoint import Asked, Handler, fail, raw, serving
from pairwright.errors import CallFailed, EndpointRefused, PairwrightError
from pairwright.evaluation.scorers.score_models import RewardModel
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore, Unscored
from pairwright.models import CONTEXT_LENGTH, Unstored
from pairwright.models.client import Classify, Client, Meter, client
from pairwright.models.client.scores import score_of
from pairwright.models.store import Durable, Store
from pairwright.records import Post
from pairwright.settings.endpoints import Endpoint

SHOWN = PromptContent("Which flour?", (Post(id="p1", text="I bake.", category="cooking"),))
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


def told(*probs: float | None, **changes: Any) -> dict[str, Any]:
    """A reply as vLLM gives it."""
    found = {"index": 0, "label": "LABEL_0", "probs": probs, "num_classes": len(probs)} | changes
    usage = {"prompt_tokens": 22, "total_tokens": 22, "completion_tokens": 0}
    return {"id": "classify-1", "object": "list", "model": "rm", "data": [found], "usage": usage}


def says(*probs: float | None, **changes: Any) -> Handler:
    return raw(json.dumps(told(*probs, **changes)))


def asked(
    handler: Handler,
    *,
    store: Store | None = None,
    address: Callable[[str], str] = str,
) -> tuple[ResponseScore | Unscored | PairwrightError, list[Asked]]:
    """One score, or how the call ended; the requests the server saw."""

    async def scenario() -> tuple[ResponseScore | Unscored | PairwrightError, list[Asked]]:
        async with serving(handler, path="/classify") as server:
            url = address(server.url)
            endpoint = Endpoint(base_url=url, model="rm", attempts=2, timeout_s=5)
            wire = Classify(url, KEY, endpoint.timeout_s)
            async with Client("near", endpoint, KEY, Meter(), wire) as sender:
                llm = Durable(store, sender) if store else Unstored(sender)
                try:
                    found = await RewardModel(llm, "rm").score(SHOWN, "Rye.")
                except (CallFailed, EndpointRefused) as error:
                    return error, server.asked
                return found, server.asked

    return asyncio.run(scenario())


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_JITTERED", tenacity.wait_none())


@pytest.mark.parametrize(
    "address",
    [str, lambda url: f"{url}/", lambda url: url.removesuffix("/v1")],
    ids=["up to v1", "with a slash", "without v1"],
)
def test_the_raw_logit_of_the_conversation_is_the_score(address: Callable[[str], str]) -> None:
    score, sent = asked(says(-3.25), address=address)
    assert score == ResponseScore(-3.25, tokens=22)
    (request,) = sent
    assert request.body.keys() == {"model", "messages", "use_activation"}
    assert request.body["use_activation"] is False
    assert [message["role"] for message in request.body["messages"]] == ["user", "assistant"]
    assert "> I bake." in request.body["messages"][0]["content"]
    assert request.said == "Rye."
    assert request.headers["Authorization"] == f"Bearer {KEY}"


def test_two_classes_give_the_log_odds_of_the_last() -> None:
    score, _ = asked(says(0.5, 2.75))
    assert score == ResponseScore(2.25, tokens=22)
    p = math.exp(2.75) / (math.exp(2.75) + math.exp(0.5))
    assert score_of((0.5, 2.75)) == pytest.approx(math.log(p / (1 - p)))


def test_more_classes_are_refused_for_none_of_them_is_the_score() -> None:
    error, sent = asked(says(0.1, 0.2, 0.3))
    assert isinstance(error, EndpointRefused)
    assert "3 outputs" in str(error)
    assert len(sent) == 1


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(json.dumps(told() | {"data": []}), id="no data"),
        pytest.param(json.dumps(told(num_classes=1)), id="no number"),
        pytest.param(json.dumps(told(0.5, num_classes=2)), id="a number too few"),
        pytest.param(json.dumps(told(None)), id="null"),
        pytest.param(json.dumps(told(0.5)).replace("0.5", '"0.5"'), id="text"),
        pytest.param(json.dumps(told(0.5) | {"data": [{}, {}]}), id="two conversations"),
        pytest.param('{"object": "list"', id="half a body"),
        pytest.param("<html>", id="no JSON"),
        pytest.param("[]", id="no object"),
        pytest.param(json.dumps({"choices": [{"message": {"content": "7"}}]}), id="a chat"),
    ],
)
def test_a_reply_without_a_number_for_each_class_is_a_failed_call(body: str) -> None:
    error, sent = asked(raw(body))
    assert isinstance(error, CallFailed)
    assert error.reason == "malformed_body"
    assert len(sent) == 2


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_score_that_is_no_number_is_no_score(number: str) -> None:
    found, _ = asked(raw(json.dumps(told(0.5)).replace("0.5", number)))
    assert isinstance(found, Unscored)
    assert found.reason == "not_a_number"


def test_any_server_can_say_that_a_conversation_does_not_fit() -> None:
    found, sent = asked(raw('{"error": {"code": "context_length_exceeded"}}', status=400))
    assert isinstance(found, Unscored)
    assert found.reason == CONTEXT_LENGTH
    assert len(sent) == 1


def test_the_least_that_a_server_may_answer_is_a_score() -> None:
    found, _ = asked(raw('{"data": [{"probs": [0.73], "num_classes": 1}]}'))
    assert found == ResponseScore(0.73)


def test_a_conversation_that_does_not_fit_says_so_and_is_not_asked_again(tmp_path: Path) -> None:
    refused = fail(
        400,
        "This model's maximum context length is 1024 tokens. However, your prompt contains at"
        " least 1025 input tokens.",
        param="input_tokens",
    )
    with closing(Store(tmp_path / "calls.sqlite")) as store:
        for requests in (1, 0):
            found, sent = asked(refused, store=store)
            assert isinstance(found, Unscored)
            assert found.reason == CONTEXT_LENGTH
            assert len(sent) == requests


def test_a_score_is_stored_to_its_last_digit(tmp_path: Path) -> None:
    logit = 0.1 + 0.2
    with closing(Store(tmp_path / "calls.sqlite")) as store:
        first, _ = asked(says(logit), store=store)
        again, sent = asked(says(7.0), store=store)
    assert first == again == ResponseScore(logit, tokens=22)
    assert sent == []


def test_a_server_that_does_not_classify_ends_the_run() -> None:
    error, _ = asked(raw('{"detail":"Not Found"}', status=404))
    assert isinstance(error, EndpointRefused)
    assert "/classify" in str(error)


def test_the_servers_of_an_endpoint_share_its_calls() -> None:
    async def scenario() -> list[int]:
        async with (
            serving(says(1.0), path="/classify") as near,
            serving(says(1.0), path="/classify") as far,
        ):
            urls = (near.url, far.url)
            wires = [Classify(url, None, 5) for url in urls]
            endpoint = Endpoint(base_url=urls, model="rm")
            async with Client("both", endpoint, None, Meter(), *wires) as sender:
                model = RewardModel(Unstored(sender), "rm")
                await asyncio.gather(*(model.score(SHOWN, f"{n}") for n in range(8)))
            return [near.n, far.n]

    assert asyncio.run(scenario()) == [4, 4]

"""Models that are served: what they are asked for a score, and what their replies mean. Reward
models are asked at `/classify`, language models for the log-probabilities of their prompts.

The replies are those of vLLM 0.32; test_real_reward.py asks the real one.
"""

import asyncio
import json
import math
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import tenacity

from endpoint import Asked, Body, Handler, fail, raw, replying, serving
from pairwright.errors import CallFailed, EndpointRefused
from pairwright.evaluation.scorers.score_models import GuidedPolicy, LanguageModel, RewardModel
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore, Unscored
from pairwright.models import CONTEXT_LENGTH, LLM, client
from pairwright.models.client import Meter
from pairwright.models.scores import (
    Classify,
    PromptLogprobs,
    score_of,
)
from pairwright.models.store import Store
from pairwright.records import Post
from pairwright.settings.endpoints import Endpoint

SHOWN = PromptContent("Which flour?", (Post(id="p1", text="I bake.", category="cooking"),))
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_JITTERED", tenacity.wait_none())


def asked(
    handler: Handler,
    response: str = "Rye.",
    *,
    wire: Any = Classify,
    model: Callable[[LLM, str], Any] = RewardModel,
    store: Store | None = None,
) -> tuple[Any, list[Asked]]:
    """One score, or how the call ended; the requests the server saw."""

    async def scenario() -> tuple[Any, list[Asked]]:
        async with serving(handler, path="/{path:.*}") as server:
            endpoint = Endpoint(base_url=server.url, model="m", attempts=2, timeout_s=5)
            async with wire("near", endpoint, Meter(), store, api_key=KEY) as llm:
                try:
                    return await model(llm, "m").score(SHOWN, response), server.asked
                except (CallFailed, EndpointRefused) as error:
                    return error, server.asked

    return asyncio.run(scenario())


# Reward models


def classified(*probs: float | None, **changes: Any) -> dict[str, Any]:
    """A reply as vLLM gives it."""
    found = {"index": 0, "label": "LABEL_0", "probs": probs, "num_classes": len(probs)} | changes
    usage = {"prompt_tokens": 22, "total_tokens": 22, "completion_tokens": 0}
    return {"id": "classify-1", "object": "list", "model": "rm", "data": [found], "usage": usage}


def says(*probs: float | None) -> Handler:
    return raw(json.dumps(classified(*probs)))


def test_the_raw_logit_of_the_conversation_is_the_score() -> None:
    score, (request,) = asked(says(-3.25))
    assert score == ResponseScore(-3.25, tokens=22)
    assert request.wire.path == "/classify"
    assert request.body.keys() == {"model", "messages", "use_activation"}
    assert request.body["use_activation"] is False
    assert [message["role"] for message in request.body["messages"]] == ["user", "assistant"]
    assert "> I bake." in request.body["messages"][0]["content"]
    assert request.said == "Rye."
    assert request.headers["Authorization"] == f"Bearer {KEY}"


def test_two_classes_give_the_log_odds_of_the_last() -> None:
    assert asked(says(0.5, 2.75))[0] == ResponseScore(2.25, tokens=22)
    p = math.exp(2.75) / (math.exp(2.75) + math.exp(0.5))
    assert score_of((0.5, 2.75)) == pytest.approx(math.log(p / (1 - p)))
    # The least that a server may answer.
    found, _ = asked(raw('{"data": [{"probs": [0.73], "num_classes": 1}]}'))
    assert found == ResponseScore(0.73)
    # Of more classes none is the score.
    error, sent = asked(says(0.1, 0.2, 0.3))
    assert isinstance(error, EndpointRefused)
    assert "3 outputs" in str(error)
    assert len(sent) == 1


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(classified(num_classes=1)),
        json.dumps(classified(0.5) | {"data": [{}, {}]}),
    ],
    ids=["no number", "two conversations"],
)
def test_a_reply_without_a_number_for_each_class_is_a_failed_call(body: str) -> None:
    error, sent = asked(raw(body))
    assert isinstance(error, CallFailed)
    assert (error.reason, len(sent)) == ("malformed_body", 2)


def test_a_score_that_is_no_number_is_no_score() -> None:
    for number in ("NaN", "-Infinity"):
        found, _ = asked(raw(json.dumps(classified(0.5)).replace("0.5", number)))
        assert found.reason == "not_a_number"


TOO_LONG = (
    "This model's maximum context length is 1024 tokens. However, your prompt contains at least"
    " 1025 input tokens."
)


@pytest.mark.parametrize(
    "refused",
    [
        pytest.param(fail(400, TOO_LONG, param="input_tokens"), id="vLLM"),
        pytest.param(raw('{"error": {"code": "context_length_exceeded"}}', status=400), id="any"),
    ],
)
def test_scores_are_stored_to_the_last_digit_and_so_is_what_does_not_fit(
    tmp_path: Path, refused: Handler
) -> None:
    with closing(Store(tmp_path / "run.sqlite")) as store:
        for requests in (1, 0):
            found, sent = asked(refused, store=store)
            assert (found.reason, len(sent)) == (CONTEXT_LENGTH, requests)
            found, sent = asked(says(0.1 + 0.2 if requests else 7.0), "Other.", store=store)
            assert (found, len(sent)) == (ResponseScore(0.1 + 0.2, tokens=22), requests)


# Language models


def likelihood(
    handler: Handler, response: str = "ab", *, store: Store | None = None
) -> tuple[Any, list[Asked]]:
    return asked(handler, response, wire=PromptLogprobs, model=LanguageModel, store=store)


def answers(change: Callable[[Body], Body] = lambda body: body, longest: int = 4096) -> Handler:
    """The replies of vLLM 0.32, those of `/v1/completions` changed. A token is a character, with
    the log-probability -1 for a, -2 for b, and so on; what opens an answer is the token 1."""

    def make(asked: Asked) -> Body:
        given = asked.body
        if asked.wire.path == "/tokenize":
            opening = "messages" in given
            texts = [m["content"] for m in given["messages"]] if opening else [given["prompt"]]
            ids = [*map(ord, "".join(texts)), *[1] * opening]
            return {"count": len(ids), "max_model_len": longest, "tokens": ids, "token_strs": None}
        assert asked.wire.path == "/v1/completions"
        found = [{str(id): {"logprob": float(96 - id), "rank": 1}} for id in given["prompt"]]
        choice = {"index": 0, "text": "a", "logprobs": None, "finish_reason": "length"}
        return change({"choices": [choice | {"prompt_logprobs": [None, *found[1:]]}]})

    return replying(make)


def test_a_response_has_the_sum_of_its_tokens_and_not_of_the_prompts() -> None:
    score, sent = likelihood(answers())
    assert score.value == -3.0
    opening, answer, completion = (of.body for of in sent)
    assert opening["add_generation_prompt"] is True
    assert [message["role"] for message in opening["messages"]] == ["user"]
    assert answer == {"model": "m", "prompt": "ab", "add_special_tokens": False}
    assert completion["prompt"][-3:] == [1, 97, 98]
    assert (completion["prompt_logprobs"], completion["max_tokens"]) == (0, 1)
    assert score.tokens == len(completion["prompt"])


class Said(NamedTuple):
    """Has one score for every response."""

    found: ResponseScore | Unscored

    async def score(self, _: PromptContent, __: str) -> ResponseScore | Unscored:
        return self.found


@pytest.mark.parametrize(
    ("policy", "reward", "found"),
    [
        (ResponseScore(-3.0, 5), ResponseScore(4.0, 2), ResponseScore(-1.0, 7)),
        (Unscored("context_length"), ResponseScore(4.0), Unscored("context_length")),
        (ResponseScore(-3.0), Unscored("no_score"), Unscored("no_score")),
    ],
)
def test_a_guided_policy_adds_its_reward_over_beta(policy: Any, reward: Any, found: Any) -> None:
    guided = GuidedPolicy(Said(policy), Said(reward), beta=2.0)
    assert asyncio.run(guided.score(SHOWN, "ab")) == found


def test_what_cannot_have_a_score_is_not_sent() -> None:
    found, sent = likelihood(answers(longest=5))
    assert found.reason == CONTEXT_LENGTH
    assert "and the model reads 5" in found.detail
    assert [of.wire.path for of in sent] == ["/tokenize", "/tokenize"]
    nothing = Unscored("no_tokens", "the response is empty")
    assert likelihood(answers(), "") == (nothing, [])


def of_choice(change: Callable[[list[Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    def changed(body: dict[str, Any]) -> dict[str, Any]:
        found = body["choices"][0]["prompt_logprobs"]
        return {"choices": [{"prompt_logprobs": change(found)}]}

    return changed


@pytest.mark.parametrize(
    "change",
    [
        of_choice(lambda found: found[:-1]),
        of_choice(lambda found: [*found[:-1], {"5": {"logprob": -1.0}}]),
        of_choice(lambda found: [*found[:-1], {"98": {"logprob": None}}]),
    ],
    ids=["fewer tokens", "another token", "null"],
)
def test_a_reply_that_does_not_cover_what_was_sent_is_a_failed_call(
    change: Callable[[dict[str, Any]], Any],
) -> None:
    error, sent = likelihood(answers(change))
    assert isinstance(error, CallFailed)
    assert error.reason == "malformed_body"
    assert "not the scores of what was sent" in error.detail
    assert [of.wire.path for of in sent].count("/v1/completions") == 2


@pytest.mark.parametrize(
    ("ask", "handler", "words", "requests"),
    [
        (asked, raw('{"detail":"Not Found"}', status=404), ["/classify"], 1),
        (likelihood, raw('{"detail":"Not Found"}', status=404), ["404 for /tokenize"], 1),
        (likelihood, answers(of_choice(lambda _: None)),
         ["no prompt_logprobs", "vllm serve MODEL"], 3),
    ],
    ids=["does not classify", "is not vLLM", "gives no log-probabilities"],
)  # fmt: skip
def test_a_server_that_cannot_give_scores_ends_the_run_at_once(
    ask: Any, handler: Handler, words: list[str], requests: int
) -> None:
    error, sent = ask(handler)
    assert isinstance(error, EndpointRefused)
    assert [word for word in words if word not in str(error)] == []
    assert len(sent) == requests

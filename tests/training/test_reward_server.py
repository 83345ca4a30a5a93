"""The reward server, its client, and the reward functions of TRL and verl."""

import asyncio
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from aiohttp import web
from pydantic import ValidationError

from endpoint import double, in_thread
from pairwright.errors import CallFailed, ConfigError, EndpointRefused, InputError
from pairwright.evaluation.content import ContentSources, Strangers
from pairwright.evaluation.release import Release
from pairwright.evaluation.scorers.score_models import RewardModel
from pairwright.evaluation.settings import Scorers
from pairwright.models import Answer, Request, completion_of
from pairwright.models.client import Meter
from pairwright.models.client.scores import score_reply
from pairwright.models.store import Durable, RecentReplies
from pairwright.settings.rules import HistoryRules
from pairwright.training import rewards
from pairwright.training.reward_server import RewardServer, listening
from pairwright.training.rewards import Batch, Health, Reward, RewardClient, Rewards, RewardSample
from pairwright.workflows.reward_service import ScorerRewards, open_rewards, release_pairs, warm_up
from pairwright.workflows.scoring import prompts_of
from study import pairwright

NOBODY = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def release(small_release: Path) -> Path:
    return small_release


class Scripted(NamedTuple):
    """Rewards that a function gives; an exception is raised."""

    given: Callable[[RewardSample], Reward | Exception]
    held: asyncio.Event | None = None
    """Waited for before each reward."""

    async def score(self, sample: RewardSample) -> Reward:
        if self.held:
            await self.held.wait()
        given = self.given(sample)
        if isinstance(given, Exception):
            raise given
        return given


def length(sample: RewardSample) -> Reward:
    return Reward(score=float(len(sample.response)))


def asked(*responses: str) -> list[RewardSample]:
    return [prompt("Q", response) for response in responses]


def prompt(question: str, response: str) -> RewardSample:
    given = {"prompt": [{"role": "user", "content": question}], "response": response}
    return RewardSample.model_validate(given)


@asynccontextmanager
async def serving(
    scoring: Any, queue: int = 100, *, ready: bool = True, told: list[str] | None = None
) -> AsyncIterator[tuple[str, RewardServer]]:
    tell = ([] if told is None else told).append
    server = RewardServer(scoring, Health(status="loading", scorer="toy"), queue, tell)
    async with listening(server, "127.0.0.1", 0) as url:
        if ready:
            server.ready()
        yield url, server


async def post(url: str, *samples: dict[str, Any]) -> httpx2.Response:
    return await asyncio.to_thread(httpx2.post, f"{url}/score", content=body(*samples))


async def health_of(url: str, **headers: str) -> httpx2.Response:
    return await asyncio.to_thread(httpx2.get, f"{url}/health", headers=headers)


def posted(scoring: Any, body: bytes, queue: int = 100, *, ready: bool = True) -> httpx2.Response:
    async def run() -> httpx2.Response:
        async with serving(scoring, queue, ready=ready) as (url, _):
            return await asyncio.to_thread(httpx2.post, f"{url}/score", content=body)

    return asyncio.run(run())


def body(*samples: dict[str, Any]) -> bytes:
    return json.dumps({"samples": samples}).encode()


SAMPLE = {"id": "pair-1", "response": "fine"}


# The server


def test_scores_come_in_the_order_of_the_samples() -> None:
    async def run() -> list[Reward]:
        async with serving(Scripted(length)) as (url, _):
            client = RewardClient(url)
            return await asyncio.to_thread(client.rewards, asked("a", "abc", "", "ab"))

    assert [reward.score for reward in asyncio.run(run())] == [1, 3, 0, 2]


def test_one_sample_without_a_score_keeps_the_others() -> None:
    def given(sample: RewardSample) -> Reward:
        return length(sample) if sample.response else Reward(error="context_length", detail="9000")

    reply = posted(Scripted(given), body(SAMPLE, {**SAMPLE, "response": ""}))
    assert reply.json()["rewards"] == [
        {"score": 4.0, "error": "", "detail": ""},
        {"score": None, "error": "context_length", "detail": "9000"},
    ]


def test_nothing_is_scored_before_the_model_is_loaded() -> None:
    async def run() -> None:
        async with serving(Scripted(length), ready=False) as (url, server):
            assert (await health_of(url)).status_code == 503
            assert (await post(url, SAMPLE)).status_code == 503
            server.ready()
            health = await health_of(url)
            assert (health.status_code, health.json()["status"]) == (200, "ready")

    asyncio.run(run())


def test_health_counts_scores_empty_responses_and_errors() -> None:
    def given(sample: RewardSample) -> Reward:
        return Reward(error="not_a_number") if sample.response == "x" else length(sample)

    async def run() -> Health:
        async with serving(Scripted(given)) as (url, server):
            await asyncio.to_thread(RewardClient(url).rewards, asked("x", "", " ", "ab"))
            assert Health.model_validate_json((await health_of(url)).content) == server.health
            return server.health

    health = asyncio.run(run())
    assert (health.scored, health.empty, health.errors) == (3, 2, {"not_a_number": 1})
    assert health.waiting == 0


def test_a_full_queue_says_when_to_come_again() -> None:
    async def run() -> None:
        go_on = asyncio.Event()
        async with serving(Scripted(length, go_on), queue=2) as (url, server):
            first = asyncio.create_task(post(url, SAMPLE, SAMPLE))
            while server.health.waiting < 2:
                await asyncio.sleep(0.01)
            full = await post(url, SAMPLE)
            assert full.status_code == 503
            assert int(full.headers["Retry-After"]) >= 1
            go_on.set()
            assert (await first).status_code == 200

    asyncio.run(run())


def test_more_samples_than_the_queue_holds_are_too_many_for_good() -> None:
    reply = posted(Scripted(length), body(SAMPLE, SAMPLE, SAMPLE), queue=2)
    assert reply.status_code == 413
    assert "3 samples, and --queue is 2" in reply.text
    assert "larger --queue" in reply.text


def test_a_page_of_another_name_cannot_talk_to_the_server() -> None:
    async def run() -> list[int]:
        async with serving(Scripted(length)) as (url, _):
            hosts = ("rebound.example", "localhost")
            return [(await health_of(url, Host=host)).status_code for host in hosts]

    assert asyncio.run(run()) == [403, 200]


def test_of_a_body_of_a_million_faults_one_is_kept() -> None:
    with pytest.raises(ValidationError) as caught:
        Batch.model_validate_json(b'{"samples": [' + b"{}," * 100_000 + b"{}]}")
    assert caught.value.error_count() < 10


@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        pytest.param(b"{", 400, "not JSON", id="half of it"),
        pytest.param(b"\xff\xfe", 400, "not JSON", id="no text"),
        pytest.param(b"[]", 422, "the body", id="a list"),
        pytest.param(b"{}", 422, "samples: Field required", id="nothing"),
        pytest.param(body(), 422, "samples: ", id="no samples"),
        pytest.param(body({"id": "a"}), 422, "samples.0.response", id="no response"),
        pytest.param(body({"response": "a"}), 422, "either `id` or `prompt`", id="no question"),
        pytest.param(
            body(SAMPLE, {**SAMPLE, "prompt": [{"role": "user", "content": "Q"}]}),
            422, "samples.1: ", id="two questions",
        ),
        pytest.param(body({**SAMPLE, "prompt": []}), 422, "samples.0.prompt", id="no message"),
        pytest.param(
            body({"prompt": [{"role": "system", "content": "Q"}], "response": "a"}),
            422, "samples.0.prompt.0.role", id="a system message",
        ),
        pytest.param(body({**SAMPLE, "response": 3}), 422, "samples.0.response", id="a number"),
        pytest.param(body({**SAMPLE, "reward": 1}), 422, "samples.0.reward", id="unknown key"),
    ],
)  # fmt: skip
def test_a_body_that_is_no_batch_is_told_what_is_wrong(
    sent: bytes, status: int, message: str
) -> None:
    reply = posted(Scripted(length), sent)
    assert reply.status_code == status
    assert message in reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        pytest.param(CallFailed("timeout", "no reply"), 503, id="its endpoint is down"),
        pytest.param(EndpointRefused("no quota"), 500, id="its endpoint refuses"),
        pytest.param(ConfigError("no GPU", where="w", fix="f"), 500, id="the model is unusable"),
        pytest.param(InputError("no such pair", where="w", fix="f"), 422, id="unknown id"),
    ],
)
def test_what_no_sample_gets_a_score_for_is_an_error_of_the_batch(
    error: Exception, status: int
) -> None:
    def given(sample: RewardSample) -> Reward | Exception:
        return error if sample.response == "bad" else length(sample)

    reply = posted(Scripted(given), body(SAMPLE, {**SAMPLE, "response": "bad"}))
    assert reply.status_code == status
    assert "rewards" not in reply.json()
    assert str(error) in reply.json()["error"]["message"]


def test_failed_requests_are_counted_and_told_when_they_begin_and_end() -> None:
    errors = {
        "down": CallFailed("connection", "refused\n\x1b[2Jby the host"),
        "refused": EndpointRefused("401"),
        "broken": ConfigError("no GPU", where="w", fix="f"),
        "nobody": InputError("no such pair", where="w", fix="f"),
    }
    told: list[str] = []

    def given(sample: RewardSample) -> Reward | Exception:
        return errors.get(sample.response) or length(sample)

    async def run() -> list[tuple[bool, int]]:
        async with serving(Scripted(given), told=told) as (url, server):
            seen = []
            for said in ("nobody", "down", "down", "refused", "broken", "fine", "fine", "down"):
                await post(url, SAMPLE, {**SAMPLE, "response": said})
                seen.append((server.health.failing, len(told)))
            health = Health.model_validate_json((await health_of(url)).content)
            assert health.status == "ready"
            assert health.failed == {"connection": 3, "refused": 1, "unknown_id": 1, "unusable": 1}
            return seen

    failing = [(True, 1)] * 4
    assert asyncio.run(run()) == [(False, 0), *failing, (False, 2), (False, 2), (True, 3)]
    assert told[0].startswith("Requests fail, and the server goes on: connection: refused")
    assert "\x1b" not in told[0]
    assert told[1] == "Requests get rewards again, after 4 requests that failed."


def test_a_request_from_before_an_outage_does_not_end_it() -> None:
    told: list[str] = []

    async def run() -> None:
        go_on = asyncio.Event()

        class Late(NamedTuple):
            async def score(self, sample: RewardSample) -> Reward:
                if sample.response == "down":
                    raise CallFailed("connection", "refused")
                await go_on.wait()
                return length(sample)

        async with serving(Late(), told=told) as (url, server):
            early = asyncio.create_task(post(url, SAMPLE))
            while not server.health.waiting:
                await asyncio.sleep(0.01)
            await post(url, {**SAMPLE, "response": "down"})
            go_on.set()
            assert (await early).status_code == 200
            assert server.health.failing
            await post(url, SAMPLE)
            assert not server.health.failing

    asyncio.run(run())
    assert len(told) == 2


def test_a_bug_is_no_reward() -> None:
    reply = posted(Scripted(lambda _: ValueError("zip() argument 2 is shorter")), body(SAMPLE))
    assert reply.status_code == 500
    assert "rewards" not in reply.text


def test_a_stopping_server_answers_what_is_under_way() -> None:
    async def run() -> httpx2.Response:
        go_on = asyncio.Event()
        async with serving(Scripted(length, go_on)) as (url, server):
            under_way = asyncio.create_task(post(url, SAMPLE))
            while not server.health.waiting:
                await asyncio.sleep(0.01)
            server.stopping()
            late = await post(url, SAMPLE)
            assert late.status_code == 503
            asyncio.get_running_loop().call_later(0.1, go_on.set)
        return await under_way

    assert asyncio.run(run()).json()["rewards"][0]["score"] == 4.0


# The client


@contextmanager
def answering(
    *replies: Callable[[web.Request], web.StreamResponse], port: int = 0
) -> Iterator[Any]:
    """A stand-in for the server that gives these replies in turn, the last one for ever; yields its
    address and the times of the requests."""
    times: list[float] = []
    started: list[str] = []
    up, done = threading.Event(), threading.Event()

    async def score(request: web.Request) -> web.StreamResponse:
        await request.read()
        times.append(time.monotonic())
        return replies[min(len(times), len(replies)) - 1](request)

    async def serve() -> None:
        app = web.Application()
        app.router.add_post("/score", score)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        started.append(f"http://127.0.0.1:{runner.addresses[0][1]}")
        up.set()
        while not done.is_set():
            await asyncio.sleep(0.01)
        await runner.cleanup()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert up.wait(10)
    try:
        yield started[0], times
    finally:
        done.set()
        thread.join(10)


def says(text: str, status: int = 200, **headers: str) -> Callable[[web.Request], web.Response]:
    return lambda _: web.Response(
        text=text, status=status, headers=headers, content_type="application/json"
    )


def gives(*scores: float) -> Callable[[web.Request], web.Response]:
    return says(Rewards(rewards=tuple(Reward(score=of) for of in scores)).model_dump_json())


def drops(request: web.Request) -> web.Response:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


def test_a_dropped_connection_is_asked_again() -> None:
    with answering(drops, drops, gives(0.5)) as (url, times):
        assert RewardClient(url).rewards(asked("a"))[0].score == 0.5
        assert len(times) == 3


def test_a_server_that_is_away_in_mid_run_is_waited_for() -> None:
    with answering(gives(1.0)) as (url, _):
        client = RewardClient(url, patience_s=30)
        assert client.rewards(asked("a"))[0].score == 1.0
    back = threading.Event()

    def later() -> None:
        time.sleep(0.4)
        with answering(gives(2.0), port=int(url.rsplit(":", 1)[1])):
            back.wait(20)

    thread = threading.Thread(target=later)
    thread.start()
    try:
        assert client.rewards(asked("a"))[0].score == 2.0
    finally:
        back.set()
        thread.join()


def test_a_server_that_stays_away_ends_the_training() -> None:
    began = time.monotonic()
    with pytest.raises(CallFailed, match=r"gave no rewards for 0.5 s.*\n.*reward-server") as failed:
        RewardClient(NOBODY, patience_s=0.5).rewards(asked("a"))
    assert time.monotonic() - began < 5
    # verl takes a TimeoutError for the reward 0.
    assert not isinstance(failed.value, TimeoutError)


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    busy = says('{"error": {"message": "full"}}', 503, **{"Retry-After": "1"})
    with answering(busy, gives(1.0)) as (url, times):
        assert RewardClient(url).rewards(asked("a"))[0].score == 1.0
        assert times[1] - times[0] >= 0.9


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        pytest.param(gives(1.0), "1 rewards for 2 samples", id="too few"),
        pytest.param(gives(1.0, 2.0, 3.0), "3 rewards for 2 samples", id="too many"),
        pytest.param(
            says('{"rewards": [{"score": 1.0}, {"score": NaN}]}'), "rewards.1.score", id="NaN"
        ),
        pytest.param(
            says('{"rewards": [{"score": 1.0}, {"score": Infinity}]}'), "rewards.1.score", id="inf"
        ),
        pytest.param(says('{"rewards": [{}, {}]}'), "a score or an error", id="neither"),
        pytest.param(
            says('{"rewards": [{"score": 0.5, "error": "timeout"}, {"score": 1}]}'),
            "a score or an error", id="a score for an error",
        ),
        pytest.param(says("<html>"), "Invalid JSON", id="another server"),
    ],
)  # fmt: skip
def test_what_is_no_reward_ends_the_training_at_once(reply: Any, message: str) -> None:
    with answering(reply) as (url, times):
        with pytest.raises(CallFailed, match=message):
            RewardClient(url).rewards(asked("a", "b"))
        assert len(times) == 1


@pytest.mark.parametrize("status", [400, 404, 422, 500])
def test_what_the_server_will_never_answer_is_raised_at_once(status: int) -> None:
    with answering(says('{"error": {"message": "no such pair"}}', status)) as (url, times):
        with pytest.raises(EndpointRefused, match=f"{status} no such pair"):
            RewardClient(url).rewards(asked("a"))
        assert len(times) == 1


def test_an_address_with_a_path_is_told_to_have_none() -> None:
    with answering(gives(1.0)) as (url, _), pytest.raises(EndpointRefused, match="without a path"):
        RewardClient(f"{url}/score").rewards(asked("a"))


@pytest.mark.parametrize("url", ["127.0.0.1:8600", "http://", "http://127.0.0.1:port"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="not an address"):
        RewardClient(url)


def test_many_samples_are_sent_in_parts_and_come_back_in_order() -> None:
    async def run() -> list[Reward]:
        async with serving(Scripted(length), queue=256) as (url, _):
            texts = ["x" * (n % 7) for n in range(600)]
            return await asyncio.to_thread(RewardClient(url).rewards, asked(*texts))

    assert [reward.score for reward in asyncio.run(run())] == [n % 7 for n in range(600)]


# One scorer behind it


class Sent(NamedTuple):
    """A reward model in place of one, whose score is the last number in the response."""

    requests: list[Request]
    limit: int = 10**6
    """Characters of the longest conversation."""

    async def send(self, request: Request) -> Answer:
        self.requests.append(request)
        await asyncio.sleep(0)
        said = [message.content for message in request.messages]
        if sum(map(len, said)) > self.limit:
            choice = {"message": {"content": "too long"}, "finish_reason": "context_length"}
            answer = json.dumps({"choices": [choice]}).encode()
        else:
            answer = score_reply(float(said[-1].split()[-1]), 5)
        return Answer(answer, completion_of(request.key, answer))


def bound(sender: Sent, release: Path | None = None, condition: Any = "profile") -> ScorerRewards:
    policy = HistoryRules(posts=100, history_tokens=10**6)
    conditions = ContentSources(policy, Strangers((), 0))
    model = RewardModel(Durable(RecentReplies(1000), sender), "toy")
    return ScorerRewards(model, conditions, release_pairs(release, condition))


def test_a_sample_that_is_asked_again_is_computed_once() -> None:
    sender = Sent([])
    rewards = bound(sender)

    async def run() -> list[float | None]:
        first = await asyncio.gather(*(rewards.score(prompt("Q", "is 2")) for _ in range(3)))
        again = await rewards.score(prompt("Q", "is 2"))
        return [reward.score for reward in [*first, again]]

    assert asyncio.run(run()) == [2.0] * 4
    assert len(sender.requests) == 1


def test_only_the_latest_replies_are_kept() -> None:
    sender = Sent([])
    kept = RecentReplies(2)
    model = RewardModel(Durable(kept, sender), "toy")
    rewards = ScorerRewards(model, bound(sender).conditions, None)

    async def run() -> None:
        for n in (1, 2, 3):
            await rewards.score(prompt("Q", f"is {n}"))

    asyncio.run(run())
    assert [kept.get(of.key) is not None for of in sender.requests] == [False, True, True]


@pytest.mark.parametrize("condition", ["none", "profile", "rubric"])
def test_a_pair_named_by_id_is_shown_in_the_condition(release: Path, condition: str) -> None:
    row = next(iter(Release(release).rows()))
    sender = Sent([])
    rewards = bound(sender, release, condition)
    reward = asyncio.run(rewards.score(RewardSample(id=row.id, response="is 3")))
    assert reward.score == 3.0
    [said] = [request.messages[0].content for request in sender.requests]
    assert row.question in said
    assert (row.profile[0].text in said) == (condition == "profile")
    assert (row.rubric_aspects[0].aspect in said) == (condition == "rubric")


def test_a_planner_s_aspects_can_be_shown_and_are_inferred_once(release: Path) -> None:
    row = next(iter(Release(release).rows()))
    with in_thread(double()) as endpoint:
        toy = {"base_url": endpoint.url, "model": "toy"}
        given = Scorers.model_validate(
            {
                "endpoints": {"toy": toy},
                "planner": {"endpoint": "toy"},
                "scorers": {"rater": {"kind": "pointwise", "endpoint": "toy"}},
            }
        )

        async def run() -> list[Reward]:
            prompts, held = prompts_of(given, release), release_pairs(release, "planner")
            async with open_rewards(given, "rater", prompts, held, Meter()) as (rewards, about):
                assert about.condition == "planner"
                samples = [RewardSample(id=row.id, response=text) for text in (row.chosen, "No.")]
                return [await rewards.score(sample) for sample in samples]

        assert all(reward.score is not None for reward in asyncio.run(run()))
        # One plan, two ratings.
        assert endpoint.n == 3
        assert all(row.profile[0].text not in asked.said for asked in endpoint.asked[1:])


def test_a_history_that_does_not_fit_loses_posts(release: Path) -> None:
    row = next(iter(Release(release).rows()))
    whole = Sent([])
    asyncio.run(bound(whole, release).score(RewardSample(id=row.id, response="is 3")))
    room = sum(len(message.content) for message in whole.requests[0].messages) - 1
    sender = Sent([], room)
    reward = asyncio.run(bound(sender, release).score(RewardSample(id=row.id, response="is 3")))
    assert reward.score == 3.0
    assert len(sender.requests) == 2


def test_a_completion_over_the_context_has_no_score(release: Path) -> None:
    row = next(iter(Release(release).rows()))
    rewards = bound(Sent([], 1000), release)
    reward = asyncio.run(rewards.score(RewardSample(id=row.id, response="x " * 1000 + "1")))
    assert (reward.score, reward.error) == (None, "context_length")


def test_a_score_that_is_no_number_is_an_error() -> None:
    reward = asyncio.run(bound(Sent([])).score(prompt("Q", "is nan")))
    assert (reward.score, reward.error) == (None, "not_a_number")


@pytest.mark.parametrize("held", [True, False], ids=["another release", "no release"])
def test_an_id_that_is_not_known_is_named(release: Path, held: bool) -> None:
    rewards = bound(Sent([]), release if held else None)
    with pytest.raises(InputError, match="pair-of-nobody"):
        asyncio.run(rewards.score(RewardSample(id="pair-of-nobody", response="1")))


def test_a_scorer_that_compares_gives_no_rewards(tmp_path: Path) -> None:
    endpoint = {"base_url": f"{NOBODY}/v1", "model": "m"}
    judge = {"kind": "pairwise", "endpoint": "e"}
    given = Scorers.model_validate({"endpoints": {"e": endpoint}, "scorers": {"judge": judge}})

    async def run() -> None:
        async with open_rewards(given, "judge", prompts_of(given, tmp_path), None, Meter()):
            pass

    with pytest.raises(ConfigError, match="compares two responses"):
        asyncio.run(run())


def test_a_scorer_that_scores_nothing_does_not_start() -> None:
    with pytest.raises(ConfigError, match="context_length"):
        asyncio.run(warm_up(bound(Sent([], 3))))


# The reward functions


def trl_rewards(given: Callable[[RewardSample], Reward], responses: list[Any], **more: Any) -> Any:
    async def run() -> Any:
        async with serving(Scripted(given)) as (url, _):
            reward = rewards.reward_func(url)
            prompts = [[{"role": "user", "content": f"Q{n}"}] for n in range(len(responses))]
            return await asyncio.to_thread(reward, prompts, responses, **more)

    return asyncio.run(run())


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


def test_trl_asks_by_the_column_id() -> None:
    def given(sample: RewardSample) -> Reward:
        return Reward(score={"pair-a": 1.0, "pair-b": 2.0}[sample.id or ""])

    rewards = trl_rewards(given, [said("x"), said("y")], id=["pair-b", "pair-a"], config=["", ""])
    assert rewards == [2.0, 1.0]


def test_trl_gets_none_for_a_completion_that_has_no_score() -> None:
    metrics: dict[str, int] = {}
    extra: dict[str, list[str]] = {}

    def given(sample: RewardSample) -> Reward:
        return length(sample) if sample.response else Reward(error="context_length")

    rewards = trl_rewards(
        given, [said("ab"), said("")], id=["a", "b"],
        log_metric=metrics.__setitem__, log_extra=extra.__setitem__,
    )  # fmt: skip
    assert rewards == [2.0, None]
    assert metrics == {"unscored": 1}
    assert extra == {"id": ["a", "b"]}


def test_a_reward_that_is_no_number_ends_trl_s_training() -> None:
    broken = Reward(error="not_a_number", detail="nan")
    with pytest.raises(CallFailed, match="nan"):
        trl_rewards(lambda _: broken, [said("x")], id=["a"])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        pytest.param({}, "the column `id` is missing", id="other data"),
        pytest.param({"id": ["a"], "responses": [2 * said("")]}, "one message of text", id="tools"),
        pytest.param(
            {"id": ["a"], "responses": [[{"role": "assistant", "content": [{"type": "image"}]}]]},
            "one message of text", id="an image",
        ),
    ],
)  # fmt: skip
def test_what_trl_s_reward_function_cannot_read_is_named(
    more: dict[str, Any], message: str
) -> None:
    responses = more.pop("responses", [said("a")])
    with pytest.raises(InputError, match=message):
        trl_rewards(length, responses, **more)


@pytest.mark.parametrize(
    ("found", "fine"),
    [("1.5.1", False), ("0.29.1", False), ("1.6.0", True), ("1.16.0", True), ("2.0.0rc1", True)],
)
def test_a_trl_that_makes_a_zero_of_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, found: str, fine: bool
) -> None:
    monkeypatch.setattr(rewards, "version", lambda _: found)
    if fine:
        rewards.reward_func(NOBODY)
    else:
        with pytest.raises(ConfigError, match=r"trl>=1\.6"):
            rewards.reward_func(NOBODY)


def test_verl_asks_by_the_ground_truth() -> None:
    def given(sample: RewardSample) -> Reward:
        assert sample.id == "pair-a"
        return length(sample)

    async def run() -> float:
        async with serving(Scripted(given)) as (url, _):
            # As verl does: sent to another process, and called with names.
            score = pickle.loads(pickle.dumps(partial(rewards.compute_score, url=url)))
            return float(
                await asyncio.to_thread(
                    score, data_source="pairwright/x", solution_str="abc", ground_truth="pair-a",
                    extra_info={"index": 0, "num_turns": None},
                )
            )  # fmt: skip

    assert asyncio.run(run()) == 3.0


def test_verl_s_training_ends_at_a_response_without_a_score() -> None:
    reply = says('{"rewards": [{"error": "context_length"}]}')
    with answering(reply) as (url, _), pytest.raises(CallFailed, match="no reward for pair-a"):
        rewards.compute_score("d", "abc", "pair-a", url=url)


# The command


@contextmanager
def process(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`pairwright train reward-server` in a process of its own, once it is ready."""
    command = [
        sys.executable,
        "-c",
        "from pairwright.cli import main; main()",
        "train",
        "reward-server",
    ]
    server = subprocess.Popen(
        [*command, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert server.stdout
        server.stdout.readline()
        ready = server.stdout.readline()
        assert "is ready" in ready, server.stderr and server.stderr.read()
        yield server, ready.split()[0]
    finally:
        server.kill()
        server.communicate()


@pytest.mark.real
def test_the_command_serves_a_scorer_and_ends_cleanly_on_a_signal(release: Path) -> None:
    row = next(iter(Release(release).rows()))
    with process("--scorer", "overlap", "--release", release, "--port", 0) as (server, url):
        health = Health.model_validate_json(httpx2.get(f"{url}/health").content)
        assert (health.status, health.scorer, health.condition) == ("ready", "overlap", "profile")
        assert health.release.startswith("small-pairs 1.0.0 sha256:")
        own = row.profile[0].text
        rewards = RewardClient(url).rewards(
            [RewardSample(id=row.id, response=text) for text in (own, "zzz", "")]
        )
        assert [reward.score for reward in rewards][1:] == [0.0, 0.0]
        assert rewards[0].score
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=20)
    assert server.returncode == 0, err
    assert "3 responses scored, 1 of them empty" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--scorer", "nobody"], "there is no scorer 'nobody'", id="unknown scorer"),
        pytest.param(["--scorer", "longer", "--port", "99999"], "--port 99999", id="no port"),
        pytest.param(["--scorer", "longer", "--release", "/"], "not a release", id="no release"),
        pytest.param(
            ["--scorer", "longer", "--condition", "planner"],
            "Name the release with --release",
            id="no release to show anything of",
        ),
        pytest.param(["--scorer", "longer", "--scorers", "/no.toml"], "/no.toml", id="no file"),
    ],
)
def test_what_the_command_cannot_serve_is_named(arguments: list[str], message: str) -> None:
    done = pairwright("train", "reward-server", *arguments)
    assert done.code == 2
    assert message in done.err


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = pairwright("train", "reward-server", "--scorer", "longer", "--port", port)
    assert done.code == 2
    assert f"--port {port}" in done.err
    assert "Give another port" in done.err

"""The reward server, its client, and the reward functions of TRL and verl."""

import asyncio
import json
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from endpoint import Asked, Handler, beside, drop, fail, in_thread, raw, script
from pairwright.errors import CallFailed, ConfigError, EndpointRefused, InputError
from pairwright.evaluation.benchmark import Benchmark
from pairwright.evaluation.conditions import ContentSources, Strangers
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore, Unscored
from pairwright.pairs import Row
from pairwright.settings.rules import HistoryRules
from pairwright.training import rewards
from pairwright.training.reward_server import (
    RewardServer,
    ScoreSample,
    listening,
    reward_scoring,
)
from pairwright.training.rewards import Reward, Rewards, RewardSample, ask_rewards
from study import pairwright

NOBODY = "http://127.0.0.1:9"
Given = Callable[[RewardSample], Reward | Exception]


@pytest.fixture(scope="module")
def release(small_release: Path) -> Path:
    return small_release


def scripted(given: Given) -> ScoreSample:
    """Rewards that a function gives; an exception is raised."""

    async def score(sample: RewardSample) -> Reward:
        found = given(sample)
        if isinstance(found, Exception):
            raise found
        return found

    return score


def length(sample: RewardSample) -> Reward:
    return Reward(score=float(len(sample.response)))


def asked(*responses: str) -> list[RewardSample]:
    return [RewardSample(prompt="Q", response=response) for response in responses]


@asynccontextmanager
async def _serving(score: ScoreSample) -> AsyncIterator[tuple[str, RewardServer]]:
    server = RewardServer(score, {"scorer": "toy"})
    async with listening(server, "127.0.0.1", 0) as url:
        yield url, server


def serving(score: ScoreSample) -> AbstractContextManager[tuple[str, RewardServer]]:
    """The address of a server, in a thread of its own."""
    return beside(_serving(score))


def post(url: str, body: bytes) -> httpx2.Response:
    return httpx2.post(f"{url}/score", content=body)


def health_of(url: str, **headers: str) -> httpx2.Response:
    return httpx2.get(f"{url}/health", headers=headers)


def body(*samples: dict[str, Any]) -> bytes:
    return json.dumps({"samples": samples}).encode()


SAMPLE = {"id": "pair-1", "response": "fine"}


# The server


def test_many_samples_are_sent_in_parts_and_scores_come_in_their_order() -> None:
    with serving(scripted(length)) as (url, _):
        found = ask_rewards(url, asked(*("x" * (n % 7) for n in range(600))))
    assert [reward.score for reward in found] == [n % 7 for n in range(600)]


def test_one_sample_without_a_score_keeps_the_others_and_is_counted() -> None:
    def given(sample: RewardSample) -> Reward:
        return length(sample) if sample.response else Reward(score=None, error="context_length")

    with serving(scripted(given)) as (url, server):
        reply = post(url, body(SAMPLE, {**SAMPLE, "response": ""}))
        health = health_of(url).json()
        assert health == server.health
    assert reply.json()["rewards"] == [
        {"score": 4.0, "error": "", "detail": ""},
        {"score": None, "error": "context_length", "detail": ""},
    ]
    assert (health["scored"], health["unscored"]) == (1, {"context_length": 1})


@pytest.mark.parametrize(
    ("name", "status"),
    [("localhost", 200), ("127.0.0.1:80", 200), ("[::1]:80", 200), ("rebound.example", 403)],
)
def test_a_page_of_another_name_cannot_talk_to_the_server(name: str, status: int) -> None:
    with serving(scripted(length)) as (url, _):
        assert health_of(url, Host=name).status_code == status


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"{", "Invalid JSON"),
        (b"[]", "the body: "),
        (b"{}", "samples: Field required"),
        (body({"id": "a"}), "samples.0.response"),
        (body({"response": "a"}), "either `id` or `prompt`"),
        (body(SAMPLE, {**SAMPLE, "prompt": "Q"}), "samples.1: "),
    ],
)
def test_what_is_wrong_with_a_body_is_told(sent: bytes, message: str) -> None:
    with serving(scripted(length)) as (url, _):
        reply = post(url, sent)
    assert reply.status_code == 422
    assert message in reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (CallFailed("timeout", "no reply"), 503),
        (EndpointRefused("no quota"), 500),
        (ConfigError("no GPU", where="w", fix="f"), 500),
        (InputError("no such pair", where="w", fix="f"), 422),
    ],
    ids=["its endpoint is down", "its endpoint refuses", "no usable model", "unknown id"],
)
def test_what_leaves_no_score_is_an_error_of_the_batch(error: Exception, status: int) -> None:
    def given(sample: RewardSample) -> Reward | Exception:
        return error if sample.response == "bad" else length(sample)

    with serving(scripted(given)) as (url, _):
        reply = post(url, body(SAMPLE, {**SAMPLE, "response": "bad"}))
    assert reply.status_code == status
    assert "rewards" not in reply.json()
    assert str(error) in reply.json()["error"]["message"]


def test_a_stopping_server_answers_what_is_under_way() -> None:
    arrived, go_on = threading.Event(), threading.Event()

    async def score(sample: RewardSample) -> Reward:
        arrived.set()
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        return length(sample)

    with ThreadPoolExecutor() as requests, serving(score) as (url, _):
        under_way = requests.submit(post, url, body(SAMPLE))
        arrived.wait(10)
        threading.Timer(0.1, go_on.set).start()
    assert under_way.result().json()["rewards"][0]["score"] == 4.0


# The client


@contextmanager
def answering(*replies: Handler, port: int = 0) -> Iterator[tuple[str, list[Asked]]]:
    """A stand-in for the server that gives these replies in turn, the last one for ever; yields its
    address and the requests."""
    with in_thread(script(*replies), port=port, path="/score") as endpoint:
        yield endpoint.url.removesuffix("/v1"), endpoint.asked


def gives(*scores: float) -> Handler:
    return raw(Rewards(rewards=tuple(Reward(score=of) for of in scores)).model_dump_json())


def test_a_dropped_connection_is_asked_again() -> None:
    with answering(drop, drop, gives(0.5)) as (url, requests):
        assert ask_rewards(url, asked("a"))[0].score == 0.5
        assert len(requests) == 3


def test_a_server_that_stays_away_ends_the_training() -> None:
    with pytest.raises(CallFailed, match=r"gave no rewards for 0.5 s.*\n.*reward-server") as failed:
        ask_rewards(NOBODY, asked("a"), patience_s=0.5)
    # verl takes a TimeoutError for the reward 0.
    assert not isinstance(failed.value, TimeoutError)


@pytest.mark.parametrize(
    ("reply", "error", "message"),
    [
        (gives(1.0), CallFailed, "1 rewards for 2 samples"),
        (raw('{"rewards": [{"score": 1.0}, {"score": NaN}]}'), CallFailed, "rewards.1.score"),
        (raw("<html>"), CallFailed, "Invalid JSON"),
        (fail(404, "no such page"), EndpointRefused, "404 no such page\n.*without a path"),
        (fail(422, "no such pair"), EndpointRefused, "422 no such pair"),
        (fail(500, "no GPU"), EndpointRefused, "500 no GPU"),
    ],
    ids=["too few", "NaN", "another server", "404", "422", "500"],
)
def test_what_is_no_reward_ends_the_training_at_once(
    reply: Handler, error: type[Exception], message: str
) -> None:
    with answering(reply) as (url, requests):
        with pytest.raises(error, match=message):
            ask_rewards(url, asked("a", "b"))
        assert len(requests) == 1


# One scorer behind it


class Toy:
    """A scorer that counts words, and has no room for more than `room` posts."""

    def __init__(self, room: int = 100) -> None:
        self.room, self.shown = room, list[PromptContent]()

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        self.shown.append(shown)
        if len(shown.posts) > self.room:
            return Unscored("context_length", "too long")
        return ResponseScore(float(len(response.split())))


def rewarded(toy: Toy, sample: RewardSample, release: Path | None, condition: Any) -> Reward:
    sources = ContentSources(HistoryRules(posts=100, history_tokens=10**6), Strangers((), 0))
    pairs = Benchmark.built(release) if release else None
    return asyncio.run(reward_scoring(toy, sources, pairs, condition)(sample))


@pytest.fixture(scope="module")
def pair(release: Path) -> Row:
    return next(iter(Benchmark(release).rows()))


@pytest.mark.parametrize(
    ("condition", "room", "posts", "error"),
    [
        ("none", 0, 0, ""),
        ("rubric", 0, 0, ""),
        ("profile", 100, None, ""),
        ("profile", 1, 1, ""),
        ("profile", 0, 1, "context_length"),
    ],
    ids=["none", "rubric", "profile", "fewer posts than there are", "no room for one"],
)
def test_a_pair_is_shown_in_the_condition_with_the_posts_that_fit(
    release: Path, pair: Row, condition: str, room: int, posts: int | None, error: str
) -> None:
    toy = Toy(room)
    reward = rewarded(toy, RewardSample(id=pair.id, response="so be it"), release, condition)
    assert (reward.score, reward.error) == (None if error else 3.0, error)
    shown = toy.shown[-1]
    assert shown.question == pair.question
    assert len(shown.posts) == (len(pair.profile) if posts is None else posts)
    assert bool(shown.aspects) == (condition == "rubric")


def test_a_prompt_is_shown_as_it_is() -> None:
    toy = Toy()
    assert rewarded(toy, asked("so be it")[0], None, "profile").score == 3.0
    assert toy.shown == [PromptContent("Q")]


@pytest.mark.parametrize("held", [True, False], ids=["another release", "no release"])
def test_an_id_that_is_not_known_is_named(release: Path, held: bool) -> None:
    sample = RewardSample(id="pair-of-nobody", response="1")
    with pytest.raises(InputError, match="pair-of-nobody"):
        rewarded(Toy(), sample, release if held else None, "none")


# The reward functions


def test_trl_asks_by_the_column_id_and_gets_none_for_what_has_no_score() -> None:
    def given(sample: RewardSample) -> Reward:
        assert sample.id == f"pair-{sample.response}"
        return length(sample) if sample.response else Reward(score=None, error="context_length")

    metrics: dict[str, int] = {}
    said = [[{"role": "assistant", "content": text}] for text in ("ab", "")]
    columns = {"id": ["pair-ab", "pair-"], "log_metric": metrics.__setitem__}
    with serving(scripted(given)) as (url, _):
        assert rewards.reward_func(url)([], said, **columns) == [2.0, None]
        with pytest.raises(InputError, match="column `id` is missing"):
            rewards.reward_func(url)([], said)
    assert metrics == {"unscored": 1}


def test_verl_asks_by_the_ground_truth() -> None:
    def given(sample: RewardSample) -> Reward:
        assert sample.id == "pair-a"
        return length(sample)

    with serving(scripted(given)) as (url, _):
        # As verl does: sent to another process, and called with names.
        score = pickle.loads(pickle.dumps(partial(rewards.compute_score, url=url)))
        found = score(
            data_source="pairwright/x", solution_str="abc", ground_truth="pair-a",
            extra_info={"index": 0, "num_turns": None},
        )  # fmt: skip
    assert found == 3.0


# The command


@contextmanager
def process(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`pairwright train reward-server` in a process of its own, once it is ready."""
    command = [sys.executable, "-c", "from pairwright.cli import main; main()"]
    server = subprocess.Popen(
        [*command, "train", "reward-server", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stderr
        yield server, next(line for line in server.stderr if line.startswith("http")).split()[0]
    finally:
        server.kill()
        server.communicate()


@pytest.mark.real
def test_the_command_serves_a_scorer_and_ends_cleanly_on_a_signal(release: Path, pair: Row) -> None:
    with process("--scorer", "overlap", "--release", release, "--port", 0) as (server, url):
        health = health_of(url).json()
        assert (health["scorer"], health["condition"]) == ("overlap", "profile")
        assert health["release"].startswith("small-pairs 1.0.0 sha256:")
        said = (pair.profile[0].text, "zzz", "")
        rewards = ask_rewards(url, [RewardSample(id=pair.id, response=text) for text in said])
        assert [reward.score for reward in rewards][1:] == [0.0, 0.0]
        assert rewards[0].score
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=20)
    assert server.returncode == 0, err
    assert "3 responses scored." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scorer", "nobody"], "there is no scorer 'nobody'"),
        (["--scorer", "longer", "--port", "99999"], "--port 99999"),
        (["--scorer", "longer", "--release", "/"], "not a release"),
        (["--scorer", "longer", "--scorers", "/no.toml"], "/no.toml"),
    ],
)
def test_what_the_command_cannot_serve_is_named(arguments: list[str], message: str) -> None:
    done = pairwright("train", "reward-server", *arguments)
    assert done.code == 2
    assert message in done.err

"""The reward server, its client, and the reward functions of TRL and verl."""

import asyncio
import json
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from endpoint import Asked, Handler, beside, drop, fail, in_thread, raw, script
from pairwright.errors import CallFailed, ConfigError, EndpointRefused, InputError
from pairwright.evaluation.benchmark import Benchmark
from pairwright.evaluation.scorers.scorer import (
    PromptContent,
    ResponseScore,
    ScorerRef,
    Unscored,
)
from pairwright.evaluation.session import OpenScorer
from pairwright.pairs import Row
from pairwright.settings.rules import HistoryRules
from pairwright.training import rewards
from pairwright.training.reward_server import RewardServer, Shown, listening
from pairwright.training.rewards import Reward, Rewards, RewardSample, ask_rewards
from study import pairwright

NOBODY = "http://127.0.0.1:9"
TOO_LONG = Unscored("context_length", "too long")


class Toy:
    """A scorer that counts characters and has no room for more than `room` posts. It gives what
    `answers` has for a response, and raises it if it is an error."""

    def __init__(self, room: int = 100, **answers: Unscored | Exception) -> None:
        self.room, self.answers, self.shown = room, answers, list[PromptContent]()
        self.go_on = threading.Event()
        self.go_on.set()

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        self.shown.append(shown)
        while not self.go_on.is_set():
            await asyncio.sleep(0.01)
        found = self.answers.get(response)
        if isinstance(found, Exception):
            raise found
        if len(shown.posts) > self.room:
            return TOO_LONG
        return found or ResponseScore(float(len(response)))


def server_of(toy: Toy, release: Path | None = None, condition: Shown = "profile") -> RewardServer:
    opened = OpenScorer(toy, ScorerRef(name="toy", kind=""))
    pairs = Benchmark.built(release) if release else None
    return RewardServer(opened, HistoryRules(posts=100, history_tokens=10**6), pairs, condition)


def serving(toy: Toy, release: Path | None = None) -> AbstractContextManager[str]:
    """The address of a server, in a thread of its own."""
    return beside(listening(server_of(toy, release), "127.0.0.1", 0))


def asked(*responses: str) -> list[RewardSample]:
    return [RewardSample(prompt="Q", response=response) for response in responses]


def post(url: str, *samples: dict[str, Any]) -> httpx2.Response:
    return httpx2.post(f"{url}/score", content=body(*samples))


def health_of(url: str, **headers: str) -> httpx2.Response:
    return httpx2.get(f"{url}/health", headers=headers)


def body(*samples: dict[str, Any]) -> bytes:
    return json.dumps({"samples": samples}).encode()


SAMPLE, BAD = {"prompt": "Q", "response": "fine"}, {"prompt": "Q", "response": "bad"}


@pytest.fixture(scope="module")
def pair(small_release: Path) -> Row:
    return next(iter(Benchmark(small_release).rows()))


# The server


def test_many_samples_are_sent_in_parts_and_scores_come_in_their_order() -> None:
    with serving(Toy()) as url:
        found = ask_rewards(url, asked(*("x" * (n % 7) for n in range(600))))
    assert [reward.score for reward in found] == [n % 7 for n in range(600)]


def test_one_sample_without_a_score_keeps_the_others_and_is_counted() -> None:
    with serving(Toy(bad=TOO_LONG)) as url:
        reply, health = post(url, SAMPLE, BAD), health_of(url).json()
    assert reply.json()["rewards"] == [
        {"score": 4.0, "error": "", "detail": ""},
        {"score": None, "error": "context_length", "detail": "too long"},
    ]
    assert (health["scored"], health["unscored"]) == (1, {"context_length": 1})


@pytest.mark.parametrize(
    ("name", "status"),
    [("localhost", 200), ("127.0.0.1:80", 200), ("[::1]:80", 200), ("rebound.example", 403)],
)
def test_a_page_of_another_name_cannot_talk_to_the_server(name: str, status: int) -> None:
    with serving(Toy()) as url:
        assert health_of(url, Host=name).status_code == status


@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        (b"{", 422, "Invalid JSON"),
        (b"[]", 422, "the body: "),
        (b"{}", 422, "samples: Field required"),
        (body({"id": "a"}), 422, "samples.0.response"),
        (body({"response": "a"}), 422, "either `id` or `prompt`"),
        (body(SAMPLE, {**SAMPLE, "id": "pair-1"}), 422, "samples.1: "),
        (body(SAMPLE, {"id": "nobody", "response": "1"}), 422, "id 'nobody'"),
        (body(SAMPLE, {"prompt": "Q", "response": "down"}), 503, "no reply"),
        (body(SAMPLE, {"prompt": "Q", "response": "refused"}), 500, "no quota"),
        (body(SAMPLE, {"prompt": "Q", "response": "unusable"}), 500, "no GPU"),
    ],
)
def test_what_leaves_a_batch_without_scores_is_told(
    small_release: Path, sent: bytes, status: int, message: str
) -> None:
    toy = Toy(
        down=CallFailed("timeout", "no reply"),
        refused=EndpointRefused("no quota"),
        unusable=ConfigError("no GPU", where="w", fix="f"),
    )
    for release in (None, small_release):
        with serving(toy, release) as url:
            reply = httpx2.post(f"{url}/score", content=sent)
        assert reply.status_code == status
        assert "rewards" not in reply.json()
        assert message in reply.json()["error"]["message"]


def test_a_stopping_server_answers_what_is_under_way() -> None:
    toy = Toy()
    toy.go_on.clear()
    with ThreadPoolExecutor() as requests, serving(toy) as url:
        under_way = requests.submit(post, url, SAMPLE)
        while not toy.shown:
            time.sleep(0.01)
        threading.Timer(0.1, toy.go_on.set).start()
    assert under_way.result().json()["rewards"][0]["score"] == 4.0


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
    small_release: Path, pair: Row, condition: Shown, room: int, posts: int | None, error: str
) -> None:
    toy = Toy(room)
    server = server_of(toy, small_release, condition)
    reward = asyncio.run(server.reward(RewardSample(id=pair.id, response="fine")))
    assert (reward.score, reward.error) == (None if error else 4.0, error)
    shown = toy.shown[-1]
    assert shown.question == pair.question
    assert len(shown.posts) == (len(pair.profile) if posts is None else posts)
    assert bool(shown.aspects) == (condition == "rubric")
    asyncio.run(server.reward(asked("fine")[0]))
    assert toy.shown[-1] == PromptContent("Q"), "a prompt is shown as it is"


# The client


@contextmanager
def answering(*replies: Handler) -> Iterator[tuple[str, list[Asked]]]:
    """A stand-in for the server that gives these replies in turn, the last one for ever; yields its
    address and the requests."""
    with in_thread(script(*replies), path="/score") as endpoint:
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
        (raw('{"detail": "Not Found"}', status=404), EndpointRefused, "404 .*Not Found"),
        (fail(422, "no such pair"), EndpointRefused, "422 no such pair"),
        (fail(500, "no GPU"), EndpointRefused, "500 no GPU"),
    ],
    ids=["too few", "NaN", "another server", "404", "in other words", "422", "500"],
)
def test_what_is_no_reward_ends_the_training_at_once(
    reply: Handler, error: type[Exception], message: str
) -> None:
    with answering(reply) as (url, requests):
        with pytest.raises(error, match=message):
            ask_rewards(url, asked("a", "b"))
        assert len(requests) == 1


# The reward functions


def test_trl_asks_by_the_column_id_and_verl_by_the_ground_truth(
    small_release: Path, pair: Row
) -> None:
    metrics: dict[str, int] = {}
    said = [[{"role": "assistant", "content": text}] for text in ("ab", "bad")]
    columns = {"id": [pair.id, pair.id], "log_metric": metrics.__setitem__}
    with serving(Toy(bad=TOO_LONG), small_release) as url:
        assert rewards.reward_func(url)([], said, **columns) == [2.0, None]
        with pytest.raises(InputError, match="column `id` is missing"):
            rewards.reward_func(url)([], said)
        # As verl does: sent to another process, and called with names.
        score = pickle.loads(pickle.dumps(partial(rewards.compute_score, url=url)))
        asked = {"data_source": "pairwright/x", "ground_truth": pair.id, "extra_info": {"index": 0}}
        assert score(solution_str="abc", **asked) == 3.0
        with pytest.raises(CallFailed, match="context_length"):
            score(solution_str="bad", **asked)
    assert metrics == {"unscored": 1}


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
def test_the_command_serves_a_scorer_and_ends_cleanly_on_a_signal(
    small_release: Path, pair: Row
) -> None:
    with process("--scorer", "overlap", "--release", small_release, "--port", 0) as (server, url):
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

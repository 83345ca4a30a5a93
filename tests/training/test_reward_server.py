"""The reward server, its client, and the reward functions of TRL and verl."""

import asyncio
import json
import pickle
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import httpx2
import pytest
from rewarding import reward_server

from endpoint import Handler, beside, drop, fail, in_thread, raw, script
from pairwright.errors import CallFailed, ConfigError, EndpointRefused, InputError
from pairwright.evaluation.benchmark import Benchmark
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore, ScorerRef, Unscored
from pairwright.evaluation.session import OpenScorer
from pairwright.pairs import Row
from pairwright.settings.rules import HistoryRules
from pairwright.training import rewards
from pairwright.training.reward_server import RewardServer, Shown, listening
from pairwright.training.rewards import RewardSample, ask_rewards
from study import pairwright

ANSWERS: dict[str, Unscored | Exception] = {
    "bad": Unscored("context_length", "too long"),
    "down": CallFailed("timeout", "no reply"),
    "refused": EndpointRefused("no quota"),
    "unusable": ConfigError("no GPU", where="w", fix="f"),
}


class Toy:
    """A scorer that counts characters and has no room for more than `room` posts. For some
    responses it gives what ANSWERS has, or raises it."""

    def __init__(self, room: int = 100) -> None:
        self.room, self.shown, self.go_on = room, list[PromptContent](), threading.Event()
        self.go_on.set()

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        self.shown.append(shown)
        while not self.go_on.is_set():
            await asyncio.sleep(0.01)
        found = ANSWERS.get("bad" if len(shown.posts) > self.room else response)
        if isinstance(found, Exception):
            raise found
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


def body(response: str, **about: str) -> bytes:
    """A batch of two samples."""
    first = {"response": "fine", "prompt": "Q"}
    return json.dumps({"samples": [first, {"response": response, **about}]}).encode()


@pytest.fixture(scope="module")
def pair(small_release: Path) -> Row:
    return next(iter(Benchmark(small_release).rows()))


# The server


def test_scores_come_in_the_order_of_many_samples_and_what_has_none_has_a_reason() -> None:
    with serving(Toy()) as url:
        found = ask_rewards(url, asked("bad", *("x" * (n % 7) for n in range(600))))
        health = httpx2.get(f"{url}/health").json()
    assert [reward.score for reward in found] == [None, *(n % 7 for n in range(600))]
    assert (found[0].error, found[0].detail) == ("context_length", "too long")
    assert (health["scored"], health["unscored"]) == (600, {"context_length": 1})


@pytest.mark.parametrize(
    ("name", "status"),
    [("localhost", 200), ("127.0.0.1:80", 200), ("[::1]:80", 200), ("rebound.example", 403)],
)
def test_a_page_of_another_name_cannot_talk_to_the_server(name: str, status: int) -> None:
    with serving(Toy()) as url:
        assert httpx2.get(f"{url}/health", headers={"Host": name}).status_code == status


@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        (b"{", 422, "Invalid JSON"),
        (b"[]", 422, "the body: "),
        (body("a"), 422, "either `id` or `prompt`"),
        (body("a", prompt="Q", id="pair-1"), 422, "samples.1: "),
        (body("a", id="nobody"), 422, "id 'nobody'"),
        (body("down", prompt="Q"), 503, "no reply"),
        (body("refused", prompt="Q"), 500, "no quota"),
        (body("unusable", prompt="Q"), 500, "no GPU"),
    ],
)
def test_what_leaves_a_batch_without_scores_is_told(
    small_release: Path, sent: bytes, status: int, message: str
) -> None:
    for release in (None, small_release):
        with serving(Toy(), release) as url:
            reply = httpx2.post(f"{url}/score", content=sent)
        assert (reply.status_code, [*reply.json()]) == (status, ["error"])
        assert message in reply.json()["error"]["message"]


def test_a_stopping_server_answers_what_is_under_way() -> None:
    toy = Toy()
    toy.go_on.clear()
    with ThreadPoolExecutor() as requests, serving(toy) as url:
        under_way = requests.submit(ask_rewards, url, asked("fine"))
        while not toy.shown:
            time.sleep(0.01)
        threading.Timer(0.1, toy.go_on.set).start()
    assert under_way.result()[0].score == 4.0


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


@pytest.mark.parametrize(
    ("replies", "n", "error", "message"),
    [
        # A dropped connection is asked again, and what is no reward ends the training at once.
        ([drop, drop, raw('{"rewards": [{"score": 0.5}]}')], 3, CallFailed, "1 rewards for 2"),
        ([raw('{"rewards": [{"score": 1.0}, {"score": NaN}]}')], 1, CallFailed, "rewards.1.score"),
        ([raw("<html>")], 1, CallFailed, "Invalid JSON"),
        ([fail(404, "no such page")], 1, EndpointRefused, "404 no such page\n.*without a path"),
        ([raw('{"detail": "Not Found"}', status=404)], 1, EndpointRefused, "404 .*Not Found"),
        ([fail(422, "no such pair")], 1, EndpointRefused, "422 no such pair"),
        ([fail(500, "no GPU")], 1, EndpointRefused, "500 no GPU"),
    ],
    ids=["too few", "NaN", "another server", "404", "in other words", "422", "500"],
)
def test_what_is_no_reward_ends_the_training(
    replies: list[Handler], n: int, error: type[Exception], message: str
) -> None:
    with in_thread(script(*replies), path="/score") as endpoint:
        with pytest.raises(error, match=message):
            ask_rewards(endpoint.url.removesuffix("/v1"), asked("a", "b"))
        assert len(endpoint.asked) == n


def test_a_server_that_stays_away_ends_the_training() -> None:
    with pytest.raises(CallFailed, match=r"gave no rewards for 0.3 s.*\n.*reward-server") as failed:
        ask_rewards("http://127.0.0.1:9", asked("a"), patience_s=0.3)
    # verl takes a TimeoutError for the reward 0.
    assert not isinstance(failed.value, TimeoutError)


def test_trl_asks_by_the_column_id_and_verl_by_the_ground_truth(
    small_release: Path, pair: Row
) -> None:
    metrics: dict[str, int] = {}
    chats = [[{"role": "assistant", "content": text}] for text in ("ab", "bad")]
    columns = {"id": [pair.id, pair.id], "log_metric": metrics.__setitem__}
    with serving(Toy(), small_release) as url:
        assert rewards.reward_func(url)([], chats, **columns) == [2.0, None]
        with pytest.raises(InputError, match="column `id` is missing"):
            rewards.reward_func(url)([], chats)
        # As verl does: sent to another process, and called with names.
        score = pickle.loads(pickle.dumps(partial(rewards.compute_score, url=url)))
        about = {"data_source": "pairwright/x", "ground_truth": pair.id, "extra_info": {"index": 0}}
        assert score(solution_str="abc", **about) == 3.0
        with pytest.raises(CallFailed, match="context_length"):
            score(solution_str="bad", **about)
    assert metrics == {"unscored": 1}


# The command


@pytest.mark.real
def test_the_command_serves_a_scorer_and_ends_cleanly_on_a_signal(
    small_release: Path, pair: Row
) -> None:
    options = ("--scorer", "overlap", "--release", small_release)
    with reward_server(sys.executable, *options) as (server, url):
        health = httpx2.get(f"{url}/health").json()
        assert (health["scorer"], health["condition"]) == ("overlap", "profile")
        assert health["release"].startswith("small-pairs 1.0.0 sha256:")
        texts = (pair.profile[0].text, "zzz", "")
        found = ask_rewards(url, [RewardSample(id=pair.id, response=text) for text in texts])
        assert [reward.score for reward in found][1:] == [0.0, 0.0]
        assert found[0].score
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=20)
    assert server.returncode == 0, err
    assert "3 responses scored." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scorer", "nobody"], "there is no scorer 'nobody'"),
        (["--scorer", "longer", "--port", "99999"], "--port 99999"),
    ],
)
def test_what_the_command_cannot_serve_is_named(arguments: list[str], message: str) -> None:
    done = pairwright("train", "reward-server", *arguments)
    assert (done.code, message in done.err) == (2, True)

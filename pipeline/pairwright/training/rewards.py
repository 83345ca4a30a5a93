"""Rewards from a server, for trainers: what is posted to it, what it says, asking it, and the
reward functions of TRL and of verl.

A call is repeated while the server is away, loading or full. Repeating is safe: a reward depends on
what is asked alone, and the server computes the same sample once. What it will never answer is
raised at once, so that no training goes on without rewards.

TRL (GRPO, RLOO):

    GRPOTrainer(..., reward_funcs=reward_func("http://127.0.0.1:8600"))

verl:

    reward.custom_reward_function.path=pkg://pairwright.training.rewards
    +reward.custom_reward_function.reward_kwargs.url=http://127.0.0.1:8600

verl knows no completion without a reward, so one that the scorer cannot judge ends the training
like any other error. Its reward managers `limited` and `prime` turn every error into the reward 0:
use `naive` or `remote`, which let it through.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

import httpx2
import tenacity
from pydantic import FailFast, Field, ValidationError, model_validator
from pydantic_core import to_json

from pairwright.errors import CallFailed, ConfigError, EndpointRefused, InputError, first_invalid
from pairwright.models.calls import Transient, wait_asked
from pairwright.models.server import proxy_for
from pairwright.records import Record


class UserMessage(Record):
    """What a policy was asked."""

    role: Literal["user"]
    content: str


class RewardSample(Record):
    """A response that is to be rewarded: to a pair's question, or to a prompt that comes with it.

    A pair of the server's release is shown to the scorer in the server's condition, with fewer
    posts where all do not fit. A prompt is shown as it is.
    """

    response: str
    id: str | None = Field(None, description="of a pair of the release")
    prompt: tuple[UserMessage] | None = None

    @model_validator(mode="after")
    def _one(self) -> "RewardSample":
        if (self.id is None) == (self.prompt is None):
            raise ValueError("give either `id` or `prompt`")
        return self


class Batch(Record):
    """The body of a POST to /score."""

    # Of a body with many faults only the first is kept: each takes far more memory than its bytes.
    samples: Annotated[tuple[RewardSample, ...], FailFast()] = Field(min_length=1)


class Reward(Record):
    """A score, or why there is none."""

    score: float | None = None
    error: str = ""
    """The reason in one word, such as `context_length`; empty where there is a score."""
    detail: str = ""

    @model_validator(mode="after")
    def _one(self) -> "Reward":
        if (self.score is None) != bool(self.error):
            raise ValueError("either a score or an error")
        return self


class Rewards(Record):
    """The reply: a reward for each sample, in the order of the samples."""

    rewards: tuple[Reward, ...]


class Health(Record):
    """The reply to GET /health; status 200 where `status` is `ready`, 503 otherwise."""

    status: Literal["loading", "ready", "stopping"]
    scorer: str
    model: str = ""
    revision: str | None = None
    release: str = ""
    """The release whose pairs can be named by id: name, version and digest; empty: none."""
    condition: str = ""
    """What the scorer is shown of the user of such a pair."""
    waiting: int = 0
    """Samples that are not answered yet."""
    scored: int = 0
    empty: int = 0
    """The number of these that were empty responses."""
    errors: dict[str, int] = Field(default={})
    """Samples without a score, by reason."""
    failed: dict[str, int] = Field(default={})
    """Requests whose samples all went without a reward, by reason: the scorer's endpoint is down or
    refuses, the scorer cannot be used, or an id is unknown."""


PATIENCE_S = 300.0
TIMEOUT_S = 600.0
AT_ONCE = 256
"""Samples of one call."""
_JITTERED = tenacity.wait_exponential(multiplier=0.2, max=15) + tenacity.wait_random(0, 0.2)
_BUSY = (429, 502, 503, 504)
_NO_SERVER = "\n  Give the address that `pairwright train reward-server` prints, without a path."


class RewardClient:
    """One reward server. Threads may share it."""

    def __init__(
        self, url: str, *, patience_s: float = PATIENCE_S, timeout_s: float = TIMEOUT_S
    ) -> None:
        """`patience_s`: how long a call is repeated; `timeout_s`: how long one reply may take.

        Raises ConfigError for what is not a URL.
        """
        try:
            parts = httpx2.URL(url)
        except httpx2.InvalidURL:
            parts = httpx2.URL("")
        if parts.scheme not in ("http", "https") or not parts.host:
            raise ConfigError(
                f"{url!r} is not an address",
                where="url",
                fix="Give one such as http://127.0.0.1:8600.",
            )
        self.url = url.rstrip("/")
        self._patience_s = patience_s
        self._http = httpx2.Client(
            timeout=httpx2.Timeout(timeout_s, connect=10),
            # A trainer never says that it is done, so no connection is kept for later.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
            verify=httpx2.create_ssl_context(),
            # Not its own look at the environment: it takes passwords from ~/.netrc.
            trust_env=False,
            proxy=proxy_for(url),
        )

    def rewards(self, samples: Sequence[RewardSample]) -> list[Reward]:
        """One for each sample, in their order.

        Raises CallFailed where no whole answer came within the patience, or one that is not a
        reward (not a number, too few), and EndpointRefused where the server will not answer."""
        parts = (samples[start : start + AT_ONCE] for start in range(0, len(samples), AT_ONCE))
        return [reward for part in parts for reward in self._asked(part)]

    def _asked(self, samples: Sequence[RewardSample]) -> tuple[Reward, ...]:
        body = to_json(Batch(samples=tuple(samples)), exclude_none=True)
        repeating = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Transient),
            stop=tenacity.stop_after_delay(self._patience_s),
            wait=_wait,
            reraise=True,
        )
        try:
            rewards: tuple[Reward, ...] = repeating(self._sent, body)
        except Transient as error:
            raise CallFailed(
                error.reason,
                f"{self.url} gave no rewards for {self._patience_s:g} s: {error.detail}\n"
                "  Start `pairwright train reward-server` again, then the training from its last"
                " checkpoint.",
            ) from None
        if len(rewards) != len(samples):
            detail = f"{self.url} gave {len(rewards)} rewards for {len(samples)} samples"
            raise CallFailed("not_as_many_rewards", detail)
        return rewards

    def _sent(self, body: bytes) -> tuple[Reward, ...]:
        headers = {"Content-Type": "application/json"}
        try:
            reply = self._http.post(f"{self.url}/score", content=body, headers=headers)
        except httpx2.TransportError as error:
            raise Transient("connection", str(error) or type(error).__name__) from None
        if reply.status_code in _BUSY:
            wait = wait_asked(reply.headers)
            raise Transient(f"http_{reply.status_code}", _said(reply), wait)
        if reply.status_code != 200:
            fix = _NO_SERVER if reply.status_code == 404 else ""
            raise EndpointRefused(f"{self.url}: {reply.status_code} {_said(reply)}{fix}")
        try:
            return Rewards.model_validate_json(reply.content).rewards
        except ValidationError as error:
            at, why = first_invalid(error)
            raise CallFailed("not_a_reward", f"{self.url}: {at}: {why}") from None


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    retry_after = error.retry_after if isinstance(error, Transient) else None
    return min(retry_after, 60.0) if retry_after is not None else _JITTERED(state)


def _said(reply: httpx2.Response) -> str:
    try:
        return str(reply.json()["error"]["message"])[:1000]
    except (ValueError, KeyError, TypeError):
        return reply.text[:300]


Messages = Sequence[Mapping[str, Any]]
RewardFunc = Callable[..., list[float | None]]


def reward_func(url: str, *, patience_s: float = PATIENCE_S) -> RewardFunc:
    """A function `(prompts, completions, **columns) -> rewards`, one for each completion.

    It asks by the column `id` of what `pairwright train export-rl` wrote, and the server holds the
    release. A completion that the scorer cannot judge, such as one that does not fit, has None: TRL
    leaves it out of its group and it moves nothing. Their number is logged as `unscored`, and the
    ids in the completions that TRL writes down. Whatever else goes wrong raises an error and ends
    the training: see `RewardClient.rewards`.
    """
    client = RewardClient(url, patience_s=patience_s)

    def pairwright_reward(
        prompts: object,  # noqa: ARG001 - TRL names its arguments
        completions: Sequence[str | Messages],
        **columns: Any,
    ) -> list[float | None]:
        if "id" not in columns:
            raise InputError(
                "the column `id` is missing",
                where="the training data",
                fix="Train on what `pairwright train export-rl` wrote.",
            )
        ids = list(columns["id"])
        samples = [
            RewardSample(id=id, response=_text(completion))
            for id, completion in zip(ids, completions, strict=True)
        ]
        rewards = []
        for reward in client.rewards(samples):
            if reward.error == "not_a_number":
                # The model is broken, not this one completion.
                raise CallFailed(reward.error, f"the reward model's score is {reward.detail}")
            rewards.append(reward.score)
        if log_metric := columns.get("log_metric"):
            log_metric("unscored", rewards.count(None))
        if log_extra := columns.get("log_extra"):
            log_extra("id", ids)
        return rewards

    return pairwright_reward


def _text(completion: str | Messages) -> str:
    if isinstance(completion, str):
        return completion
    if len(completion) == 1 and isinstance(text := completion[0].get("content"), str):
        return text
    raise InputError(
        "a completion is not one message of text",
        where="the trainer",
        fix="Train without tools and images: the scorer reads one response.",
    )


def compute_score(
    data_source: str,  # noqa: ARG001 - verl names its arguments
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,  # noqa: ARG001
    *,
    url: str,
    patience_s: float = PATIENCE_S,
) -> float:
    """The reward of one response; `ground_truth` is the id that `pairwright train export-rl` wrote.

    Raises CallFailed and EndpointRefused, never TimeoutError, of which verl makes a 0.
    """
    [reward] = _client(url, patience_s).rewards(
        [RewardSample(id=ground_truth, response=solution_str)]
    )
    if reward.score is None:
        raise CallFailed(reward.error, f"no reward for {ground_truth}: {reward.detail}")
    return reward.score


@lru_cache
def _client(url: str, patience_s: float) -> RewardClient:
    # verl sends this function to other processes, each of which has its own connections.
    return RewardClient(url, patience_s=patience_s)

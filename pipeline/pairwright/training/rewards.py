"""Asking a reward server, and the reward functions of TRL and of verl.

A call is repeated while the server is away or loading. What the server will never answer is raised
at once, so no training goes on without rewards.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

import httpx2
import tenacity
from pydantic import FailFast, Field, ValidationError, model_validator
from pydantic_core import to_json

from pairwright.errors import CallFailed, EndpointRefused, InputError, first_invalid
from pairwright.models.call import Transient, error_of
from pairwright.models.client import proxy_for
from pairwright.records import Record

PATIENCE_S = 300.0
"""The time during which a call is repeated, in seconds."""
AT_ONCE = 256
"""The greatest number of samples in one call."""
_WAIT = tenacity.wait_exponential(multiplier=0.2, max=15) + tenacity.wait_random(0, 0.2)


class RewardSample(Record):
    """A response to the question of a pair of the server's release, or to a prompt of its own."""

    response: str
    id: str | None = None
    """The id of a pair: the scorer is shown its question and user in the server's condition."""
    prompt: str | None = None
    """The scorer is shown it as it is."""

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
    """A score, or the reason that it is missing."""

    score: float | None
    error: str = ""
    """The reason in one word, such as `context_length`; empty if there is a score."""
    detail: str = ""


class Rewards(Record):
    """The reply: a reward for each sample, in the order of the samples."""

    rewards: tuple[Reward, ...]


def ask_rewards(
    url: str, samples: Sequence[RewardSample], *, patience_s: float = PATIENCE_S
) -> list[Reward]:
    """Ask a server for one reward for each sample, in their order.

    Raises CallFailed if no whole answer came within the patience, or one with a wrong number
    of rewards or an invalid one. Raises EndpointRefused if the server refuses to answer.
    """
    repeating = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(Transient),
        stop=tenacity.stop_after_delay(patience_s),
        wait=_WAIT,
        reraise=True,
    )
    parts = (tuple(samples[start : start + AT_ONCE]) for start in range(0, len(samples), AT_ONCE))
    try:
        return [one for part in parts for one in repeating(_sent, url.rstrip("/"), part)]
    except Transient as error:
        raise CallFailed(
            error.reason,
            f"{url} gave no rewards for {patience_s:g} s: {error.detail}\n  Start `pairwright train"
            " reward-server` again, then the training from its last checkpoint.",
        ) from None


def _sent(url: str, samples: tuple[RewardSample, ...]) -> tuple[Reward, ...]:
    body, headers = to_json(Batch(samples=samples)), {"Content-Type": "application/json"}
    try:
        reply = _http(url).post(f"{url}/score", content=body, headers=headers)
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol):
        fix = "Give one such as http://127.0.0.1:8600."
        raise InputError("is not an address", where=f"url {url!r}", fix=fix) from None
    except httpx2.TransportError as error:
        raise Transient("connection", str(error) or type(error).__name__) from None
    if (status := reply.status_code) != 200:
        said = str(error_of(reply.content).get("message") or reply.text)[:1000]
        if status in (429, 502, 503, 504):
            raise Transient(f"http_{status}", said)
        fix = "\n  Give the address that `pairwright train reward-server` prints, without a path."
        raise EndpointRefused(f"{url}: {status} {said}{fix if status == 404 else ''}")
    try:
        rewards = Rewards.model_validate_json(reply.content).rewards
    except ValidationError as error:
        at, why = first_invalid(error)
        raise CallFailed("not_a_reward", f"{url}: {at}: {why}") from None
    if len(rewards) != len(samples):
        detail = f"{url} gave {len(rewards)} rewards for {len(samples)} samples"
        raise CallFailed("not_as_many_rewards", detail)
    return rewards


@lru_cache
def _http(url: str) -> httpx2.Client:
    return httpx2.Client(
        timeout=httpx2.Timeout(600, connect=10),
        # A trainer never says that it is done, so no connection is kept for later.
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
        # Not its own look at the environment: it takes passwords from ~/.netrc.
        trust_env=False,
        proxy=proxy_for(url),
    )


def reward_func(url: str, *, patience_s: float = PATIENCE_S) -> Callable[..., list[float | None]]:
    """Make TRL's function `(prompts, completions, **columns) -> rewards`, one per completion.

    It asks by the column `id` of what `pairwright train export-rl` wrote, and the server holds the
    release. A completion that the scorer cannot judge, such as one that does not fit, has None: TRL
    leaves it out of its group. Their number is logged as `unscored`. Anything else that goes wrong
    ends the training: see `ask_rewards`.
    """

    def pairwright_reward(
        prompts: object,  # noqa: ARG001 - TRL names its arguments
        completions: Sequence[str | Sequence[Mapping[str, Any]]],
        **columns: Any,
    ) -> list[float | None]:
        if "id" not in columns:
            fix = "Train on what `pairwright train export-rl` wrote."
            raise InputError("the column `id` is missing", where="the training data", fix=fix)
        given = zip(columns["id"], completions, strict=True)
        samples = [
            RewardSample(id=id, response=said if isinstance(said, str) else said[-1]["content"])
            for id, said in given
        ]
        rewards = ask_rewards(url, samples, patience_s=patience_s)
        if broken := [one for one in rewards if one.error == "not_a_number"]:
            # The model is broken, not this one completion.
            raise CallFailed("not_a_number", f"the reward model's score is {broken[0].detail}")
        scores = [reward.score for reward in rewards]
        if log_metric := columns.get("log_metric"):
            log_metric("unscored", scores.count(None))
        return scores

    return pairwright_reward


def compute_score(
    data_source: str,  # noqa: ARG001 - verl names its arguments
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,  # noqa: ARG001
    *,
    url: str,
    patience_s: float = PATIENCE_S,
) -> float:
    """Ask for verl's reward of one response; `ground_truth` is the id of a pair.

    Raises CallFailed and EndpointRefused, never TimeoutError, which verl turns into a 0; its reward
    managers `limited` and `prime` do that to every error: use `naive` or `remote`.
    """
    sample = RewardSample(id=ground_truth, response=solution_str)
    [reward] = ask_rewards(url, [sample], patience_s=patience_s)
    if reward.score is None:
        raise CallFailed(reward.error, f"no reward for {ground_truth}: {reward.detail}")
    return reward.score

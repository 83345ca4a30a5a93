"""The reward function of verl.

    reward.custom_reward_function.path=pkg://pairwright.train.rl.verl_reward
    +reward.custom_reward_function.reward_kwargs.url=http://127.0.0.1:8600

verl knows no completion without a reward, so one that the scorer cannot judge ends the training
like any other error. Its reward managers `limited` and `prime` turn every error into the reward 0:
use `naive` or `remote`, which let it through.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pairwright.errors import CallFailed
from pairwright.train.rl.client import PATIENCE_S, RewardClient
from pairwright.train.rl.wire import RewardSample


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

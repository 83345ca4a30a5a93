"""The reward function of TRL's trainers (GRPO, RLOO).

GRPOTrainer(..., reward_funcs=reward_func("http://127.0.0.1:8600"))
"""

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from pairwright.errors import CallFailed, ConfigError, InputError
from pairwright.train.rl.client import PATIENCE_S, RewardClient
from pairwright.train.rl.wire import Reward, RewardSample, UserMessage

Messages = Sequence[Mapping[str, Any]]
RewardFunc = Callable[..., list[float | None]]
OLDEST = (1, 6)
"""Before this version of TRL, a completion without a reward had the reward 0."""


def reward_func(
    url: str, *, by: Literal["id", "prompt"] = "id", patience_s: float = PATIENCE_S
) -> RewardFunc:
    """A function `(prompts, completions, **columns) -> rewards`, one for each completion.

    `by="id"` asks by the column `id` of what `pairwright train export-rl` wrote, and the server
    holds the release; `by="prompt"` sends the prompts. A completion that the scorer cannot
    judge, such as one that does not fit, has None: TRL leaves it out of its group and it moves
    nothing. Their number is logged as `unscored`, and the ids in the completions that TRL writes
    down. Whatever else goes wrong raises an error and ends the training: see
    `RewardClient.rewards`.
    """
    _check_trl()
    client = RewardClient(url, patience_s=patience_s)

    def pairwright_reward(
        prompts: Sequence[str | Messages], completions: Sequence[str | Messages], **columns: Any
    ) -> list[float | None]:
        named: Sequence[Any] = _ids(columns) if by == "id" else [_prompt(p) for p in prompts]
        samples = [
            RewardSample.model_validate({by: name, "response": _text(completion)})
            for name, completion in zip(named, completions, strict=True)
        ]
        rewards = [_number(reward) for reward in client.rewards(samples)]
        if log_metric := columns.get("log_metric"):
            log_metric("unscored", rewards.count(None))
        if "id" in columns and (log_extra := columns.get("log_extra")):
            log_extra("id", list(columns["id"]))
        return rewards

    return pairwright_reward


def _number(reward: Reward) -> float | None:
    if reward.error == "not_a_number":
        # The model is broken, not this one completion.
        raise CallFailed(reward.error, f"the reward model's score is {reward.detail}")
    return reward.score


def _ids(columns: Mapping[str, Any]) -> Sequence[str]:
    if "id" in columns:
        return list(columns["id"])
    raise InputError(
        "the column `id` is missing",
        where="the training data",
        fix="Train on what `pairwright train export-rl` wrote, or give reward_func by='prompt'.",
    )


def _prompt(prompt: str | Messages) -> tuple[UserMessage]:
    if isinstance(prompt, str):
        return (UserMessage(role="user", content=prompt),)
    if [message.get("role") for message in prompt] != ["user"]:
        raise InputError(
            "a prompt is not one message of the user",
            where="the training data",
            fix="Train on what `pairwright train export-rl` wrote.",
        )
    return (UserMessage(role="user", content=prompt[0]["content"]),)


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


def _check_trl() -> None:
    try:
        installed = version("trl")
    except PackageNotFoundError:
        return
    numbers = tuple(int(part) for part in installed.split(".")[:2] if part.isdecimal())
    if numbers < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        raise ConfigError(
            f"version {installed} gives a completion without a reward the reward 0",
            where="trl",
            fix=f"pip install 'trl>={wanted}'",
        )

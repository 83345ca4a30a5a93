"""Token log-probabilities for real, of random weights and on a CPU: Pairwright in batches, plain
transformers one text at a time, and vLLM's `prompt_logprobs` agree. It shows plumbing: what random
weights prefer says nothing.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engines.fixtures import engines, found_by, mixed_texts, reward_models
from engines.served import NAME, serving_vllm
from pairwright.errors import ConfigError, EndpointRefused
from pairwright.evaluation.scorers.score_models import GuidedPolicy, LanguageModel
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore
from pairwright.models import CONTEXT_LENGTH, Completion, Request
from pairwright.models.client import Meter
from pairwright.models.scores import PromptLogprobs, of_text
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import Message
from scripted import Scripted

pytestmark = pytest.mark.real
__all__ = ["engines", "reward_models"]

CONTEXT = 2048


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    """Of mixed length; one response begins and ends with a line end."""
    return [("Why?", "\nSo.\n"), *mixed_texts()]


@pytest.fixture(scope="module")
def found(
    engines: str,
    reward_models: Path,
    texts: list[tuple[str, str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    folder = tmp_path_factory.mktemp("likelihoods")
    return found_by("likelihoods.py", engines, reward_models, texts, folder)


@pytest.mark.parametrize("name", ["policy", "reference", "other-tokens"])
def test_log_probabilities_of_a_batch_are_those_of_transformers_one_text_at_a_time(
    name: str, found: Any
) -> None:
    ours = [of_text(of["text"]) for of in found[name]["ours"]]
    furthest = 0.0
    for mine, (ids, told) in zip(ours, found[name]["alone"], strict=True):
        assert list(mine.ids) == ids
        assert mine.finite
        pairs = zip(mine.log_probabilities, told, strict=True)
        furthest = max(furthest, *(abs(a - b) for a, b in pairs))
    assert len({of.total for of in ours}) == len(ours)
    assert furthest < 1e-4


def test_log_probabilities_are_those_of_vllm(
    engines: str, reward_models: Path, found: Any, texts: list[tuple[str, str]], tmp_path: Path
) -> None:
    flags = ("--max-model-len", str(CONTEXT))
    too_long = ("bread " * 500, "Rye.")
    with serving_vllm(engines, reward_models / "policy", tmp_path, *flags) as server:
        *there, long = asyncio.run(_told(server.url, [*texts, too_long]))
    assert long.finish == CONTEXT_LENGTH
    assert str(CONTEXT) in long.text
    for ours, theirs in zip(found["policy"]["ours"], there, strict=True):
        mine, other = of_text(ours["text"]), of_text(theirs.text)
        assert mine.ids == other.ids
        assert mine.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-3)
        assert ours["tokens"] == theirs.prompt_tokens


def test_a_reward_model_that_vllm_serves_has_no_log_probabilities(
    engines: str, reward_models: Path, tmp_path: Path
) -> None:
    flags = ("--runner", "pooling", "--max-model-len", str(CONTEXT))
    with (
        serving_vllm(engines, reward_models / "plain", tmp_path, *flags) as server,
        pytest.raises(EndpointRefused),
    ):
        asyncio.run(_told(server.url, [("Why?", "So.")]))


def test_a_conversation_over_the_limit_is_not_cut(found: Any) -> None:
    whole, short = found["policy"]["ours"], found["short"]
    over = [of["tokens"] > 300 for of in whole]
    assert 0 < sum(over) < len(over)
    assert [of["finish"] == CONTEXT_LENGTH for of in short] == over


def test_a_guided_policy_is_the_sum_of_both_if_they_have_one_tokenizer(found: Any) -> None:
    policy, reward = (found[name]["alone"][1][1] for name in ("policy", "reference"))
    score = asyncio.run(_guided(found, "reference", beta=0.5))
    assert isinstance(score, ResponseScore)
    assert score.value == pytest.approx(sum(policy) + sum(reward) / 0.5, abs=1e-2)
    with pytest.raises(ConfigError, match="different tokenizers"):
        asyncio.run(_guided(found, "other-tokens", beta=0.5))


async def _guided(found: Any, reward: str, beta: float) -> object:
    """Of the second text, from what the models said of it."""
    policy, guide = (
        LanguageModel(Scripted(log_probabilities=found[name]["ours"][1]["text"]), name)
        for name in ("policy", reward)
    )
    return await GuidedPolicy("[scorers.g]", policy, guide, beta).score(
        PromptContent("Why?"), "So."
    )


async def _told(url: str, texts: list[tuple[str, str]]) -> list[Completion]:
    endpoint = Endpoint(base_url=url, model=NAME)
    async with PromptLogprobs("served", endpoint, Meter()) as llm:
        asked = [
            Request(NAME, (Message("user", prompt), Message("assistant", response)), 1)
            for prompt, response in texts
        ]
        return list(await asyncio.gather(*(llm.complete(request) for request in asked)))

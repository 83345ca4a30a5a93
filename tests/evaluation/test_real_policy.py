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
from pairwright.models import CONTEXT_LENGTH, Completion, Request
from pairwright.models.client import Meter
from pairwright.models.scores import PromptLogprobs, TokenLogprobs
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import Message

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


def test_log_probabilities_of_vllm_are_those_of_transformers(
    engines: str, reward_models: Path, found: Any, texts: list[tuple[str, str]], tmp_path: Path
) -> None:
    flags = ("--max-model-len", str(CONTEXT))
    too_long = ("bread " * 500, "Rye.")
    with serving_vllm(engines, reward_models / "policy", tmp_path, *flags) as server:
        *there, long = asyncio.run(_told(server.url, [*texts, too_long]))
    assert long.finish == CONTEXT_LENGTH
    assert str(CONTEXT) in long.text
    for (ids, told), theirs in zip(found["policy"], there, strict=True):
        served = TokenLogprobs.model_validate_json(theirs.text)
        assert list(served.ids) == ids
        assert served.log_probabilities == pytest.approx(told, abs=1e-3)


async def _told(url: str, texts: list[tuple[str, str]]) -> list[Completion]:
    endpoint = Endpoint(base_url=url, model=NAME)
    async with PromptLogprobs("served", endpoint, Meter()) as llm:
        asked = [
            Request(NAME, (Message("user", prompt), Message("assistant", response)), 1)
            for prompt, response in texts
        ]
        return list(await asyncio.gather(*(llm.complete(request) for request in asked)))

"""Reward models and log-probabilities for real, of random weights and on a CPU: against plain
transformers, one text at a time, and against vLLM's `/classify` and `prompt_logprobs`.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.fixtures import engines, mixed_texts, reward_models, run_program
from engines.served import NAME, serving_vllm
from pairwright.errors import EndpointRefused
from pairwright.models import CONTEXT_LENGTH, Completion, Request
from pairwright.models.client import Meter
from pairwright.models.scores import Classify, PromptLogprobs, TokenLogprobs, score_of
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import Message

pytestmark = pytest.mark.real
__all__ = ["engines", "reward_models"]

SCORED = (
    "plain", "no-pad", "pad-is-end", "tokenizer-alone-pads", "pad-out-of-range", "two-classes",
    "encoder",
)  # fmt: skip
CONTEXT = 2048
TOO_LONG = ("bread " * 500, "Rye.")
TEXTS = mixed_texts()


@pytest.fixture(scope="module")
def found(engines: str, reward_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """By model: the scores of TEXTS by our scorer and by plain transformers, or an error."""
    folder = tmp_path_factory.mktemp("scores")
    given, out = folder / "texts.json", folder / "found.json"
    given.write_text(json.dumps(TEXTS), encoding="utf-8")
    run_program(engines, "scoring.py", reward_models, given, out)
    return json.loads(out.read_bytes())


@pytest.mark.parametrize("case", SCORED)
def test_scores_of_a_batch_are_those_of_transformers_for_each_text(case: str, found: Any) -> None:
    ours = [float(of["text"]) for of in found[case]["ours"]]
    alone = [score_of(logits) for logits in found[case]["alone"]]
    assert len(set(alone)) == len(alone)
    max_abs_diff = max(abs(a - b) for a, b in zip(ours, alone, strict=True))
    assert max_abs_diff < 1e-4


def test_a_model_in_bfloat16_gives_finer_scores_than_its_weights(found: Any) -> None:
    whole, half = (
        np.array([of["text"] for of in found[case]["ours"]], dtype=np.float32)
        for case in ("plain", "bfloat16")
    )
    assert np.abs(whole - half).max() < 0.1
    # A number of bfloat16 has nothing in the lower half of its bits.
    assert (half.view(np.uint32) & 0xFFFF).any()


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("three-classes", "the model has 3 outputs"),
        ("policy", "its files lack weights of such a model: score.weight"),
        ("no-folder", "cannot be loaded"),
    ],
)
def test_a_model_that_cannot_score_is_refused(case: str, message: str, found: Any) -> None:
    assert message in found[case]["error"]
    assert "[scorers.mine]" in found[case]["error"]


@pytest.mark.parametrize("case", ["plain", "two-classes"])
def test_scores_are_those_of_vllms_classify(
    case: str, engines: str, reward_models: Path, found: Any, tmp_path: Path
) -> None:
    flags = ("--runner", "pooling", "--max-model-len", str(CONTEXT))
    with serving_vllm(engines, reward_models / case, tmp_path, *flags) as server:
        *there, long = asked(Classify, server.url, [*TEXTS, TOO_LONG])
    assert (long.finish, str(CONTEXT) in long.text) == (CONTEXT_LENGTH, True)
    for ours, theirs in zip(found[case]["ours"], there, strict=True):
        assert float(ours["text"]) == pytest.approx(float(theirs.text), abs=1e-3)
        assert ours["tokens"] == theirs.prompt_tokens


def test_log_probabilities_of_vllm_are_those_of_transformers(
    engines: str, reward_models: Path, found: Any, tmp_path: Path
) -> None:
    flags = ("--max-model-len", str(CONTEXT))
    with serving_vllm(engines, reward_models / "policy", tmp_path, *flags) as server:
        there = asked(PromptLogprobs, server.url, [*TEXTS, TOO_LONG])
        # A chat model is no scorer.
        with pytest.raises(EndpointRefused):
            asked(Classify, server.url, [("Why?", "So.")])
    *there, long = there
    assert (long.finish, str(CONTEXT) in long.text) == (CONTEXT_LENGTH, True)
    for (ids, told), theirs in zip(found["likelihoods"], there, strict=True):
        served = TokenLogprobs.model_validate_json(theirs.text)
        assert list(served.ids) == ids
        assert served.log_probabilities == pytest.approx(told, abs=1e-3)


def asked(
    kind: type[Classify] | type[PromptLogprobs], url: str, texts: list[tuple[str, str]]
) -> list[Completion]:
    """What a client of vLLM's server replies to each prompt with its response."""

    async def replies() -> list[Completion]:
        async with kind("served", Endpoint(base_url=url, model=NAME), Meter()) as llm:
            both = [(Message("user", prompt), Message("assistant", said)) for prompt, said in texts]
            calls = (llm.complete(Request(NAME, messages, 1)) for messages in both)
            return list(await asyncio.gather(*calls))

    return asyncio.run(replies())

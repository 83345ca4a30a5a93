"""Scorers by name: which there are, what each is bound to, and what decides their scores."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from pairwright.assets import PROMPTS
from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.scorer import Pointwise, PromptContent, ResponseScore, ScorerRef
from pairwright.evaluation.session import OpenScorer, Role, ScorerSession, ScoringCalls
from pairwright.evaluation.settings import Scorers, scorer_settings
from pairwright.models.client import Meter
from pairwright.progress import Stop, log_notes

URL = "http://127.0.0.1:9/v1"
SERVED = {"kind": "served", "endpoint": "near"}


def session(**tables: Any) -> ScorerSession:
    scorers, prompts = scorer_settings(Scorers.model_validate(tables))
    return ScorerSession(scorers, prompts, ScoringCalls(None, Meter(), log_notes, Stop()))


def bound(*names: str, **tables: Any) -> dict[str, OpenScorer]:
    """Scorers of a file with these tables; nothing is connected or loaded."""
    given = session(**tables)
    return {name: given.bound(name) for name in names}


def test_baselines_are_there_without_a_file_and_an_unknown_name_lists_them() -> None:
    found = bound("longer", "constant")
    assert [of.ref.kind for of in found.values()] == ["baseline", "baseline"]
    longer = found["longer"].target
    assert isinstance(longer, Pointwise)
    assert asyncio.run(longer.score(PromptContent("Why?"), "two words")) == ResponseScore(2.0)
    with pytest.raises(ConfigError, match="no scorer 'yours'") as caught:
        bound("yours", scorers={"mine": {"kind": "classifier", "model": "org/rm"}})
    assert "mine, constant, longer, overlap, similarity" in caught.value.fix


def test_each_kind_is_bound_to_its_model_before_it_is_loaded_or_connected() -> None:
    likely = SERVED | {"kind": "served-likelihood"}
    found = bound(
        "here", "there", "likely", "guided",
        endpoints={"near": {"base_url": URL, "model": "org/rm"}},
        scorers={
            "here": {"kind": "classifier", "model": "nowhere"},
            "there": SERVED,
            "likely": likely,
            "guided": likely | {"reward": "there"},
        },
    )  # fmt: skip
    assert [(of.ref.kind, of.ref.model) for of in found.values()] == [
        ("classifier", "nowhere"),
        ("served", "org/rm"),
        ("served-likelihood", "org/rm"),
        ("served-likelihood", "org/rm"),
    ]
    assert found["likely"].ref.settings != found["guided"].ref.settings
    assert [len(of.clients) for of in found.values()] == [1, 1, 1, 2]


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"batch_tokens": 100}, True),
        ({"revision": "r2"}, True),  # The reference has it beside the settings.
        ({"dtype": "float16"}, False),
    ],
    ids=str,
)
def test_what_decides_a_score_is_in_its_settings(changes: dict[str, Any], same: bool) -> None:
    plain = {"kind": "classifier", "model": "org/rm"}
    found = bound("a", "b", scorers={"a": plain, "b": plain | changes})
    assert (found["a"].ref.settings == found["b"].ref.settings) is same


LIKELY = SERVED | {"kind": "served-likelihood"}


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (LIKELY | {"beta": 0.5}, "name one as `reward`"),
        (LIKELY | {"reward": "longr"}, "no scorer of this file and no baseline"),
        (LIKELY | {"reward": "guided"}, "has a reward itself"),
        (SERVED | {"reward": "longer"}, "kind = 'served-likelihood'"),
    ],
)
def test_a_reward_that_would_not_count_is_an_error_of_the_file(
    keys: dict[str, Any], why: str
) -> None:
    guided, near = LIKELY | {"reward": "longer"}, {"base_url": URL, "model": "org/rm"}
    with pytest.raises(ValueError, match=why):
        session(endpoints={"near": near}, scorers={"guided": guided, "mine": keys})


@pytest.mark.parametrize(
    ("role", "prompt", "same"),
    [
        ("judge", "adherence", False),
        ("judge", "sample", True),
        ("policy", "sample", False),
        ("policy", "history", False),
        ("policy", "adherence", True),
    ],
)
def test_a_judge_or_policy_with_another_prompt_is_another(
    tmp_path: Path, role: Role, prompt: str, same: bool
) -> None:
    async def ref(prompts: Path) -> ScorerRef:
        endpoint = {"near": {"base_url": URL, "model": "m"}}
        tables = {"endpoints": endpoint, role: {"endpoint": "near"}, "prompts": str(prompts)}
        async with session(**tables).role(role) as opened:
            return opened.ref

    changed = tmp_path / "prompts"
    shutil.copytree(PROMPTS, changed)
    (file,) = changed.glob(f"{prompt}.*")
    file.write_text(file.read_text() + "\nBe brief.\n")
    assert (asyncio.run(ref(PROMPTS)) == asyncio.run(ref(changed))) is same


@pytest.mark.parametrize("where", [{"engine": "vllm"}, {"base_url": "recording:r.jsonl.gz"}])
def test_an_endpoint_that_cannot_classify_is_refused(where: dict[str, str]) -> None:
    endpoints = {"near": where | {"model": "org/rm"}}
    with pytest.raises(ConfigError, match="no server of vLLM") as caught:
        bound("there", endpoints=endpoints, scorers={"there": SERVED})
    assert "[endpoints.near], which [scorers.there] names" in caught.value.where
    assert "--runner pooling" in caught.value.fix

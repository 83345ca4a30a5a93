"""A training by TRL for real, with a tiny policy and a tiny reward model of random weights on a
CPU: from a release to prompts, rewards, a trained policy and judged outputs.

It learns nothing: what is shown is that every part takes what the one before it gives.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rewarding import release, reward_server

from engines.fixtures import engines, environment, reward_models, run_program, tiny_chat
from pairwright.construct.folder import to_toml
from study import pairwright

pytestmark = pytest.mark.real
__all__ = ["engines", "release", "reward_models", "tiny_chat"]


@pytest.fixture(scope="module")
def server(
    engines: str, reward_models: Path, release: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of `pairwright train reward-server` with a reward model."""
    scorers = tmp_path_factory.mktemp("scorers") / "scorers.toml"
    tiny = {"kind": "classifier", "model": str(reward_models / "plain")}
    scorers.write_text(to_toml({"scorers": {"tiny": tiny}}), encoding="utf-8")
    options = ("--scorers", scorers, "--scorer", "tiny", "--release", release)
    with reward_server(engines, *options, variables=environment()) as (_, url):
        yield url


@pytest.fixture(scope="module")
def trained(
    engines: str,
    tiny_chat: Path,
    release: Path,
    server: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The folder of a training's outputs, with what engines/trl_run.py found."""
    folder = tmp_path_factory.mktemp("training")
    data, out = folder / "data", folder / "out"
    done = pairwright("train", "export-rl", release, "--format", "trl", "--out", data)
    assert done.code == 0, done.said
    out.mkdir()
    cache = str(folder / "cache")
    run_program(engines, "trl_run.py", data, tiny_chat, server, out, HF_DATASETS_CACHE=cache)
    return out


@pytest.fixture(scope="module")
def found(trained: Path) -> Any:
    return json.loads((trained / "found.json").read_bytes())


def test_grpo_trains_a_policy_on_the_server_s_rewards(found: Any) -> None:
    assert len(found["grpo"]) == 3
    assert found["moved"]
    rewards = [reward for _, _, reward in found["seen"]]
    assert len(rewards) == 3 * 4
    assert len(set(rewards)) > 1
    # TRL logs a step's mean, and every step has four completions.
    means = [sum(rewards[n : n + 4]) / 4 for n in (0, 4, 8)]
    assert found["grpo"] == pytest.approx(means, abs=1e-4)
    assert all(line["unscored"] == 0 for line in found["logged"])


def test_rloo_trains_with_the_same_function(found: Any) -> None:
    assert len(found["rloo"]) == 3


@pytest.mark.parametrize("trainer", ["none-grpo", "none-rloo"])
def test_trl_leaves_out_a_completion_without_a_reward(trainer: str, found: Any) -> None:
    assert found[trainer] == [5.0] * 3

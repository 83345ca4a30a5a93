"""Fixtures of the engines' environment: vLLM on a CPU, Ray, and a tiny model.

A test file takes them by import: `from engines.fixtures import engines, tiny_chat`.
"""

import os
import subprocess
from pathlib import Path

import pytest

from own_environment import prepare
from pairwright.cli.answers import cache_folder

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[1]
# These are built for CUDA, and transformers imports them where they are.
NOT_ON_A_CPU = ("torchvision", "torchaudio", "torchcodec")


@pytest.fixture(scope="session")
def engines() -> str:
    """The Python that has vLLM, Ray and what Pairwright needs."""
    pins = HERE / "requirements.txt"
    return str(prepare(cache_folder(), "engines", pins, "4.5 GB", NOT_ON_A_CPU))


@pytest.fixture(scope="session")
def tiny_chat(engines: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a chat model of random weights."""
    folder = tmp_path_factory.mktemp("models") / "tiny-chat"
    command = [engines, str(HERE / "tiny_model.py"), str(folder)]
    subprocess.run(command, check=True, env=environment())
    return folder


@pytest.fixture(scope="session")
def reward_models(engines: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of reward models of random weights, one for each of tiny_reward.py's names."""
    folder = tmp_path_factory.mktemp("models")
    command = [engines, str(HERE / "tiny_reward.py"), str(folder)]
    subprocess.run(command, check=True, env=environment())
    return folder


def environment(**more: str) -> dict[str, str]:
    """Variables for a process of the engines' environment: offline, on loopback, our sources."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "PYTHONPATH": ":".join(str(SOURCES / of) for of in ("pipeline", "human_eval", "tests")),
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_HOST_IP": "127.0.0.1",
        "RAY_USAGE_STATS_ENABLED": "0",
        # Ray would listen on the machine's own address otherwise.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        **more,
    }

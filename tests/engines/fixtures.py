"""Fixtures of the engines' environment: vLLM on a CPU, Ray, and a tiny model.

A test file takes them by import: `from engines.fixtures import engines, tiny_chat`.
"""

import os
import random
import subprocess
from pathlib import Path

import pytest

from own_environment import cache_folder, prepare
from pairwright.pairs.conversion import user_message
from scripted import posts

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
    run_program(engines, "tiny_model.py", folder)
    return folder


@pytest.fixture(scope="session")
def reward_models(engines: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of reward models of random weights, one for each of tiny_reward.py's names."""
    folder = tmp_path_factory.mktemp("models")
    run_program(engines, "tiny_reward.py", folder)
    return folder


def run_program(python: str, name: str, *arguments: object, **variables: str) -> None:
    """Run a program of this folder to its end."""
    command = [python, HERE / name, *arguments]
    subprocess.run([*map(str, command)], check=True, env=environment(**variables))


def mixed_texts() -> list[tuple[str, str]]:
    """Prompts and responses of mixed length, one of them of thousands of tokens, and one response
    that begins and ends with a line end."""
    chance = random.Random(0)
    words = (
        "rye bread crust bicycle chain lamp <|end|> film <b> 中文 😀 why how slowly never".split()
    )

    def some(n: int) -> str:
        return " ".join(chance.choice(words) for _ in range(n))

    made = [("Why?", "\nSo.\n")]
    for history in (0, 1, 0, 3, 6, 2, 0, 5, 1, 4):
        known = posts(*(some(chance.randint(5, 40)) for _ in range(history)))
        made.append((user_message(some(chance.randint(1, 20)), known), some(chance.randint(1, 60))))
    return made


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

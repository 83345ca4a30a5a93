"""The examples that use a release in other tools: a task for Inspect, a training by TRL."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from aiohttp import web

from endpoint import Asked, Handler, completion, in_thread, say
from engines.fixtures import engines, environment, reward_models
from own_environment import cache_folder, prepare
from study import pairwright

pytestmark = pytest.mark.real
__all__ = ["engines", "reward_models"]
HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of the demo, with a third of its questions in the split `validation`."""
    folder = tmp_path_factory.mktemp("demo") / "study"
    run = folder / "run"
    for line in (
        f"init {folder}",
        f"build {folder}/pairwright.toml --run {run}",
        f"human export {run} --seed 0",
        f"human simulate {run}",
        f"release {run} --out {folder}/release --version 1.0.0 --trial --validation 0.3",
    ):
        done = pairwright(*line.split())
        assert done.code == 0, done.said
    return folder / "release"


def rows(release: Path) -> list[dict[Any, Any]]:
    frames = [pd.read_parquet(path) for path in release.glob("data/*/*.parquet")]
    return [row for frame in frames for row in frame.to_dict("records")]


@pytest.mark.parametrize(
    ("reads", "accuracy", "twins", "flips"), [(False, 0.5, 0, 0), (True, 1, 1, 1)]
)
def test_inspect_counts_twins_and_flips(
    release: Path, tmp_path: Path, reads: bool, accuracy: float, twins: float, flips: float
) -> None:
    python = prepare(cache_folder(), "inspect", HERE / "inspect.txt", "0.6 GB")
    with in_thread(labels(release) if reads else say("ANSWER: A", model="any")) as endpoint:
        address = {"DOUBLE_API_KEY": "none", "DOUBLE_BASE_URL": endpoint.url}
        done = subprocess.run(
            [
                python, "-m", "inspect_ai", "eval", "inspect_task.py", "-T", f"release={release}",
                "--model", "openai-api/double/any", "--display", "none", "--log-format", "json",
                "--log-dir", tmp_path,
            ],
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **address},
            cwd=EXAMPLES, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    (log,) = tmp_path.glob("*.json")
    (score,) = json.loads(log.read_bytes())["results"]["scores"]
    found = {name: one["value"] for name, one in score["metrics"].items()}
    assert found == {
        "accuracy": accuracy, "twin_accuracy": twins, "placebo_flips": flips, "unanswered": 0,
    }  # fmt: skip


def labels(release: Path) -> Handler:
    """Answers with the label of the row whose posts and question are asked about."""
    known = [
        (row["chosen"], [row["question"], *(post["text"] for post in row["profile"])])
        for row in rows(release)
    ]

    async def handle(asked: Asked) -> web.StreamResponse:
        (chosen,) = {text for text, shown in known if all(one in asked.said for one in shown)}
        letter = "A" if f"A) {chosen}" in asked.said else "B"
        return web.json_response(completion(f"ANSWER: {letter}", model="any"))

    return handle


TRAIN = """
import sys
sys.path.append(sys.argv[1])
from train_reward_model import train
train(*sys.argv[2:], max_steps=2, per_device_train_batch_size=2, use_cpu=True, bf16=False,
      max_length=8192, logging_steps=1, disable_tqdm=True)
"""


def test_trl_trains_a_reward_model_on_a_release(
    release: Path, engines: str, reward_models: Path, tmp_path: Path
) -> None:
    program = [engines, "-c", TRAIN, EXAMPLES, release, reward_models / "plain", tmp_path / "out"]
    done = subprocess.run(
        [*map(str, program)], env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    assert (tmp_path / "out" / "model.safetensors").exists()
    assert "'loss'" in done.stdout

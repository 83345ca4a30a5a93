"""A planner trained for real, by TRL and PEFT on a CPU, from a tiny model of random weights.

It learns one plan by heart, which says nothing about planning. What must hold: the loss counts the
target alone, a training that is killed and one that is stopped go on to the same weights, and the
adapter writes a plan that is one.
"""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from engines.fixtures import HERE, engines, environment
from golden import TOPICS, row, write
from label_studio_process import wait_for
from pairwright import assets
from pairwright.lines import read_one
from pairwright.models import parse
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import SourceRules
from pairwright.stages.planner import PlanReply, sifted
from pairwright.training.planner_data import Training, load_settings, planner_prompt, read_gold
from pairwright.training.train_planner import TrainingReport
from scripted import domains

pytestmark = pytest.mark.real
__all__ = ["engines"]

SETTINGS = """
model = "tiny"
prompts = "prompts"
[source]
path = "train.jsonl"
[validation]
path = "validation.jsonl"
[steps]
max_steps = 80
save_steps = 40
gradient_accumulation_steps = 1
warmup_steps = 5
learning_rate = 1e-2
[lora]
lora_dropout = 0.01
"""
REPLY = (
    '{"aspects":[{"aspect":"","reason":"The user says so.","evidence":[{"post":"p1",'
    '"passage":""}],"follows":"stated"},{"aspect":"","evidence":[{"post":"p2","passage":""}],'
    '"follows":"inferred"}]}'
)
"""How a plan looks, for the tokens of the tiny model to be as long as those of a real one."""
WAIT_S = 300
ENVIRONMENT = environment(OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")


@pytest.fixture(scope="module")
def folder(engines: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Settings, items and a tiny model whose tokens are about as long as those of real ones."""
    folder = tmp_path_factory.mktemp("train")
    # What the tiny model learns in 80 steps depends on every word, so its prompt stays as it is.
    prompts = shutil.copytree(assets.PROMPTS, folder / "prompts")
    shutil.copy(HERE / "plan.md", prompts / "plan.md")
    parts = [prompts / "plan.md", prompts / "system_planning.md"]
    said = [f"{post} {aspect}" for post, aspect in TOPICS]
    text = "\n".join([*(path.read_text(encoding="utf-8") for path in parts), *said, REPLY])
    (folder / "text.txt").write_text(text, encoding="utf-8")
    command = [engines, str(HERE / "tiny_model.py"), str(folder / "tiny"), str(folder / "text.txt")]
    subprocess.run(command, check=True, env=ENVIRONMENT, capture_output=True)
    (folder / "planner.toml").write_text(SETTINGS)
    short = row("q-0")["rubric_aspects"][:1]
    learned = row("q-0", rubric_aspects=short)
    write(folder / "train.jsonl", [learned, row("bare", rubric_aspects=[])])
    longer = row("q-1", question="How do I bake good bread, and what about rolls, this week?")
    write(folder / "two.jsonl", [row("q-0"), longer])
    two = SETTINGS.replace("train.jsonl", "two.jsonl").replace(
        "[steps]", "[steps]\nper_device_train_batch_size = 2"
    )
    (folder / "two.toml").write_text(two)
    write(folder / "validation.jsonl", [{**learned, "user": "somebody else"}])
    return folder


Process: TypeAlias = "subprocess.Popen[str]"


@pytest.fixture
def start(engines: str, folder: Path) -> Iterator[Callable[[str], Process]]:
    """Start `pairwright train planner`; what still runs at the test's end is killed."""
    started: list[Process] = []

    def begin(out: str) -> Process:
        cli = "from pairwright.cli import main; main()"
        command = [engines, "-c", cli, "train", "planner", "planner.toml", "--out", out]
        started.append(
            subprocess.Popen(
                command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, start_new_session=True,
            )
        )  # fmt: skip
        return started[-1]

    yield begin
    for training in started:
        if training.poll() is None:
            os.killpg(training.pid, signal.SIGKILL)
        if training.stdout and not training.stdout.closed:
            training.communicate()


def looked_at(engines: str, folder: Path, *arguments: str, given: str = "") -> Any:
    command = [engines, str(HERE / "planner.py"), *arguments]
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, input=given, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_loss_counts_the_targets_tokens_and_nothing_else(engines: str, folder: Path) -> None:
    batch = looked_at(engines, folder, "labels", "two.toml")
    assert len(batch) == 2
    assert any(of["padding"] for of in batch)
    for of in batch:
        assert of["counted_padding"] == 0
        prompt, starts, answer = of["text"].rpartition("<|start|>assistant\n")
        assert starts
        assert "<task>plan</task>" in prompt
        # The end that stops the model is learned.
        assert of["learned"] == answer
        assert isinstance(parse(answer.removesuffix("<|end|>\n"), PlanReply), PlanReply)


def test_a_training_that_is_killed_and_stopped_ends_in_the_same_weights(
    folder: Path, start: Callable[[str], Process]
) -> None:
    whole, out = start("whole"), folder / "broken"
    killed = start("broken")
    saved = out / "checkpoint-40" / "trainer_state.json"
    wait_for(saved.name, lambda: saved.exists() or killed.poll() is not None, WAIT_S)
    os.killpg(killed.pid, signal.SIGKILL)
    told, _ = killed.communicate()
    assert saved.exists(), told
    # What a machine that fails leaves of a checkpoint it was writing.
    shutil.copytree(out / "checkpoint-40", out / "checkpoint-70", dirs_exist_ok=True)
    (out / "checkpoint-70" / "trainer_state.json").unlink()

    stopped = start("broken")
    assert stopped.stdout is not None
    first = [next(line for line in stopped.stdout if "Going on" in line)]
    os.kill(stopped.pid, signal.SIGTERM)
    told = "".join([*first, *stopped.stdout])
    stopped.stdout.close()
    assert stopped.wait(timeout=WAIT_S) == 130, told
    assert "Going on from checkpoint-40, of 80 steps" in told
    assert "Stopped after step 41, which is saved" in told

    last = start("broken")
    told, _ = last.communicate(timeout=WAIT_S)
    assert last.returncode == 0, told
    assert "Going on from checkpoint-41" in told
    told, _ = whole.communicate(timeout=WAIT_S)
    assert whole.returncode == 0, told
    assert "no_gold_aspects 1" in told
    report, other = (
        read_one(folder / run / "report.json", TrainingReport) for run in ("whole", "broken")
    )
    assert (sorted(report.losses), report.chosen) == ([40, 80], 80)
    assert report == other
    assert not (folder / "whole" / "README.md").exists(), "TRL's card, which is wrong about all"
    weights = [
        (folder / run / place / "adapter_model.safetensors").read_bytes()
        for run in ("whole", "broken")
        for place in ("checkpoint-80", "adapter")
    ]
    assert len(set(weights)) == 1


def test_the_adapter_writes_a_plan_that_stands(engines: str, folder: Path) -> None:
    source = read_gold(SourceRules(path="train.jsonl"), domains(), folder, "[source]")
    prompts = Prompts.load(folder / "prompts")
    item, settings = source.items[0], load_settings(Training, folder / "planner.toml")
    shown, ask = planner_prompt(item, settings, prompts, domains())
    messages = [of._asdict() for of in ask.messages]
    said = looked_at(engines, folder, "serve", "broken", given=json.dumps(messages))
    reply = parse(said, PlanReply)
    assert isinstance(reply, PlanReply), said
    plan = sifted(reply, item.question, shown, "en")
    assert [of.aspect for of in plan.aspects] == [of.aspect for of in item.rubric_aspects]

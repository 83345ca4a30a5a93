"""What a training leaves in its folder.

training.json        what is trained, on what: written first, and compared when it goes on
checkpoint-N/        the adapter after N steps, and what going on needs
checkpoint-N/validation.json   how its plans match the gold aspects of validation items
adapter/             the chosen checkpoint's adapter
merged/              the model with the adapter in its weights, where that was asked for
report.json          what came of it: written last
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from pairwright.dataset import read_one, write_one
from pairwright.errors import ConfigError, on_disk
from pairwright.records import Record
from pairwright.settings.config import differences
from pairwright.train.planner.data import TrainingData
from pairwright.train.planner.settings import Lora, Steps, TrainingHistory
from pairwright.train.planner.training_target import Form

BEGUN = "training.json"
ADAPTER = "adapter_config.json"
STATE = "trainer_state.json"
"""What transformers writes last into a checkpoint."""


class TrainingStart(Record):
    """All that decides what is trained. What is chosen afterwards is not in it."""

    model: str
    revision: str | None
    fingerprint: str
    target: Form
    prompt: str
    """Hash of the prompt."""
    max_tokens: int
    seed: int
    words: int
    dtype: str
    history: TrainingHistory
    lora: Lora
    steps: Steps
    data: TrainingData


def begin(out: Path, begun: TrainingStart) -> None:
    """Write what is trained; or, where that was begun before, see that it is the same.

    Raises ConfigError for a folder of another training.
    """
    path = out / BEGUN
    if not path.exists():
        if next(checkpoints(out), None):
            raise ConfigError(
                "holds checkpoints, and no training.json that says of what",
                where=out,
                fix="Give another --out.",
            )
        write_one(path, begun)
        return
    before = read_one(path, TrainingStart)
    if changed := differences(before.model_dump(mode="json"), begun.model_dump(mode="json")):
        raise ConfigError(
            f"is the folder of another training: {'; '.join(changed[:3])}",
            where=out,
            fix="Give another --out, or the settings that it was begun with.",
        )


def checkpoints(out: Path) -> Iterator[tuple[int, Path]]:
    """Checkpoints that are whole, by step. One that was being written when the machine failed is
    written again when its step is reached."""
    by_step = {
        int(number): path
        for path in out.glob("checkpoint-*")
        if (number := path.name.removeprefix("checkpoint-")).isdecimal()
    }
    for step, path in sorted(by_step.items()):
        if _whole(path / STATE) and _whole(path / ADAPTER):
            yield step, path


def check_base(checkpoint: Path, model: str) -> None:
    """Raises ConfigError for a checkpoint that adapts another model."""
    named = json.loads((checkpoint / ADAPTER).read_text(encoding="utf-8"))
    base = named.get("base_model_name_or_path")
    if base != model:
        raise ConfigError(
            f"the checkpoint is of another base model: {base}",
            where=checkpoint,
            fix=f"Remove it, or name that model instead of {model}.",
        )


def losses(checkpoint: Path) -> list[tuple[int, float]]:
    """Steps up to the checkpoint with their losses."""
    state = json.loads((checkpoint / STATE).read_text(encoding="utf-8"))
    return [(entry["step"], entry["loss"]) for entry in state["log_history"] if "loss" in entry]


def keep_adapter(checkpoint: Path, out: Path) -> Path:
    """Copy the chosen checkpoint's adapter and tokenizer, without what only training needs."""
    adapter, partial = out / "adapter", out / "adapter.partial"
    with on_disk(out):
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        for path in sorted(checkpoint.iterdir()):
            if path.is_file() and path.name.startswith(_SERVING):
                shutil.copy2(path, partial / path.name)
        shutil.rmtree(adapter, ignore_errors=True)
        partial.replace(adapter)
    return adapter


_SERVING = ("adapter_", "tokenizer", "special_tokens", "chat_template", "vocab", "merges", "added_")


def _whole(path: Path) -> bool:
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True

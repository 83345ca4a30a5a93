"""What a training leaves in its folder, and which checkpoint is chosen: by how its plans match the
gold aspects of validation items.

training.json        what is trained, on what: written first, and compared when it goes on
checkpoint-N/        the adapter after N steps, and what going on needs
checkpoint-N/validation.json   how its plans match the gold aspects of validation items
adapter/             the chosen checkpoint's adapter
report.json          what came of it: written last
"""

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pairwright.errors import ConfigError, on_disk
from pairwright.lines import read_one, write_one
from pairwright.records import Item, Record
from pairwright.settings.config import differences
from pairwright.stats import Estimate, mean_by_user
from pairwright.training.gold import AspectAgreement, aspect_agreement
from pairwright.training.plan_settings import Training
from pairwright.training.planner_data import PlannerPrompt, TrainingData, aspects_of


class CheckpointScore(Record):
    """One checkpoint over the sample of validation items."""

    step: int
    sample: str
    """Hash of all that decides these numbers, beside the checkpoint."""
    items: int
    unreadable: int
    """Items whose plan could not be read."""
    precision: Estimate | None
    """Over items with a plan of at least one aspect."""
    recall: Estimate | None
    f1: Estimate | None
    worst: float
    """Mean F1 over all items, 0 for each plan that could not be read: by this is chosen, for a
    planner that cannot be read is of no use."""


def apart(training: Iterable[Item], validation: Iterable[Item], where: str) -> None:
    """Raises ConfigError where somebody is in both: their posts would be known by heart."""
    users = {item.user for item in training}
    if both := sorted({item.user for item in validation} & users):
        raise ConfigError(
            f"{len(both):,} of its users are among those that are trained on: {both[0]}",
            where=where,
            fix="Split by user: validation users must be none of those in [source].",
        )


def sample_items(items: Sequence[Item], most: int, seed: int) -> list[Item]:
    """At most so many, drawn by their ids, in the source's order."""
    order = sorted(items, key=lambda item: _digest(str(seed), item.id))
    drawn = {item.id for item in order[:most]}
    return [item for item in items if item.id in drawn]


def sample_hash(items: Sequence[Item], *settings: str) -> str:
    """Of everything about the sample that decides what comes of it."""
    return f"b2:{_digest(*settings, *(item.model_dump_json() for item in items))}"


def score_checkpoint(
    step: int,
    sample: str,
    prompts: Sequence[PlannerPrompt],
    said: Sequence[str],
) -> CheckpointScore:
    """What the plans are worth that a checkpoint `said`, one for each of `prompts`."""
    read: list[tuple[Item, AspectAgreement]] = []
    for (item, shown, _), text in zip(prompts, said, strict=True):
        planned = aspects_of(text, item.question, shown)
        if planned is not None:
            gold = [rubric_aspect.aspect for rubric_aspect in item.rubric_aspects]
            read.append((item, aspect_agreement(planned, gold)))
    return CheckpointScore(
        step=step,
        sample=sample,
        items=len(prompts),
        unreadable=len(prompts) - len(read),
        precision=mean_by_user([(i.user, a.precision) for i, a in read if a.precision is not None]),
        recall=mean_by_user([(item.user, plan.recall) for item, plan in read]),
        f1=mean_by_user([(item.user, plan.f1) for item, plan in read]),
        worst=round(sum(plan.f1 for _, plan in read) / len(prompts), 6),
    )


def best(scores: Iterable[CheckpointScore]) -> CheckpointScore:
    """The one whose plans match best; of equal ones the earliest."""
    return max(scores, key=lambda plan: (plan.worst, -plan.step))


def _digest(*parts: str) -> str:
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


BEGUN = "training.json"
ADAPTER = "adapter_config.json"
STATE = "trainer_state.json"
"""What transformers writes last into a checkpoint."""


class TrainingStart(Record):
    """What is trained, on what."""

    settings: Training
    fingerprint: str
    """Identifies the model by its configuration and tokens."""
    prompt: str
    """Hash of the prompt."""
    data: TrainingData

    def decides(self) -> dict[str, Any]:
        """All that decides what is trained. What is chosen afterwards is not in it, nor where files
        are."""
        beside = {"source", "validation", "selection", "prompts", "rubrics"}
        told = self.model_dump(mode="json", exclude={"settings": beside})
        return {**told.pop("settings"), **told}


class TrainingReport(Record):
    """What came of a training."""

    begun: TrainingStart
    refused: dict[str, int]
    """Rows of the validation source that were not used, by reason."""
    checkpoints: tuple[CheckpointScore, ...]
    chosen: int

    @property
    def best(self) -> CheckpointScore:
        """The score of the chosen checkpoint."""
        return next(score for score in self.checkpoints if score.step == self.chosen)

    @property
    def readable(self) -> bool:
        """Whether any checkpoint wrote a plan that can be read."""
        return any(score.unreadable < score.items for score in self.checkpoints)


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
    if changed := differences(before.decides(), begun.decides()):
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

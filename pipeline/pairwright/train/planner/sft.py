"""Fine-tuning by TRL, with a LoRA adapter by PEFT."""

import gc
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import PrinterCallback, TrainerCallback
from trl import SFTConfig, SFTTrainer

from pairwright.errors import ConfigError, Interrupted
from pairwright.train.planner.base_model import Words, load
from pairwright.train.planner.examples import SplitPrompt
from pairwright.train.planner.settings import Training


def train(
    settings: Training,
    words: Words,
    rows: Sequence[SplitPrompt],
    out: Path,
    resume: Path | None,
    *,
    on_step: Callable[[int, float], None],
    stopped: Callable[[], bool],
) -> None:
    """Train to the last step, with checkpoints in `out`, from `resume` on if there is one.

    `on_step` is called with each step and its loss; once `stopped`, the step under way is saved.
    Raises Interrupted then, and ConfigError for a loss that is not a number and a checkpoint that
    is not of this model."""
    trainer = _trainer(settings, words, rows, out)
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(_Steps(on_step, stopped))
    try:
        trainer.train(resume_from_checkpoint=str(resume) if resume else None)
    except RuntimeError as error:
        if "size mismatch" not in str(error):
            raise
        raise ConfigError(
            "the checkpoint is of another base model: its weights have other shapes",
            where=str(resume),
            fix=f"Remove it, or name the model that it is of instead of {settings.model}.",
        ) from None
    reached = trainer.state.global_step
    # Its model has to leave before another is loaded.
    del trainer
    gc.collect()
    torch.cuda.empty_cache()
    if reached < settings.steps.most:
        raise Interrupted(f"Stopped after step {reached}, which is saved; run again to go on.")


def _trainer(settings: Training, words: Words, rows: Sequence[SplitPrompt], out: Path) -> Any:
    steps, lora, gpu = settings.steps, settings.lora, torch.cuda.is_available()
    data = Dataset.from_list(
        [
            {"input_ids": [*row.prompt, *row.completion], "labels": row.labels}
            for row in rows
        ]
    )  # fmt: skip
    arguments = SFTConfig(
        output_dir=str(out),
        max_steps=steps.most,
        learning_rate=steps.learning_rate,
        warmup_steps=steps.warmup,
        per_device_train_batch_size=steps.batch,
        gradient_accumulation_steps=steps.accumulation,
        weight_decay=steps.weight_decay,
        save_steps=steps.save_every,
        # Rows were fitted before, so that no target is cut.
        max_length=None,
        bf16=gpu,
        use_cpu=not gpu,
        seed=settings.seed,
        # A loss that is not a number is to be seen before the step is saved.
        logging_steps=1,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        report_to="none",
        dataloader_pin_memory=gpu,
    )
    modules = lora.modules if isinstance(lora.modules, str) else list(lora.modules)
    adapter = LoraConfig(
        r=lora.r, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=modules,
        task_type="CAUSAL_LM", revision=settings.revision,
    )  # fmt: skip
    return _Trainer(
        model=load(settings),
        args=arguments,
        train_dataset=data,
        processing_class=words.tokenizer,
        peft_config=adapter,
    )


class _Trainer(SFTTrainer):  # type: ignore[misc]
    def create_model_card(self, *_: Any, **__: Any) -> None:
        """TRL's names no base model and shows how to ask something else; report.html says more."""


class _Steps(TrainerCallback):  # type: ignore[misc]
    """Tells of steps, and ends a training that is stopped or learns nothing."""

    def __init__(self, on_step: Callable[[int, float], None], stopped: Callable[[], bool]) -> None:
        self._on_step = on_step
        self._stopped = stopped

    def on_step_end(self, _args: Any, _state: Any, control: Any, **_: Any) -> None:
        if self._stopped():
            control.should_save = control.should_training_stop = True

    def on_log(self, _args: Any, state: Any, _control: Any, logs: Any = None, **_: Any) -> None:
        if not logs or "loss" not in logs:
            return
        for name in ("loss", "grad_norm"):
            if not math.isfinite(float(logs.get(name, 0.0))):
                raise ConfigError(
                    f"{name} is not a number any more at step {state.global_step}",
                    where="[steps] learning_rate",
                    fix="Lower it, or set dtype = 'float32'; the checkpoints before it are whole.",
                )
        self._on_step(state.global_step, float(logs["loss"]))

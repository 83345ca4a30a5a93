"""Fine-tuning by TRL and PEFT. Nothing else imports the libraries of the extra [train]."""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset, disable_progress_bars
from peft import LoraConfig
from transformers import AutoTokenizer, PrinterCallback, TrainerCallback
from transformers.utils import logging as transformers_logging
from trl import SFTConfig, SFTTrainer

from pairwright.errors import ConfigError, Interrupted
from pairwright.training.planner_data import Conversation, Training


@contextmanager
def _loading(model: str) -> Iterator[None]:
    """Raise what the libraries and the model's files raise as a ConfigError naming the model."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    transformers_logging.disable_progress_bar()
    disable_progress_bars()
    try:
        yield
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise ConfigError(
            f"cannot be loaded: {lines[0][:500]}",
            where=f"[model] {model}",
            fix="Name a folder or a Hugging Face id of an instruction-tuned model.",
        ) from None


def tokenizer_of(settings: Training) -> Any:
    """Load the model's tokenizer. Raises ConfigError, also if it has no chat template."""
    with _loading(settings.model):
        tokenizer = AutoTokenizer.from_pretrained(settings.model, revision=settings.revision)
        if not tokenizer.chat_template:
            raise ValueError("its tokenizer has no chat template")
    return tokenizer


def length_of(tokenizer: Any, conversation: Conversation) -> int:
    """The tokens of a conversation as the model reads it."""
    messages = [*conversation["prompt"], *conversation["completion"]]
    return len(tokenizer.apply_chat_template(messages, return_dict=True)["input_ids"])


def train(
    settings: Training,
    tokenizer: Any,
    examples: Mapping[str, Sequence[Conversation]],
    out: Path,
    resume: Path | None,
    *,
    on_step: Callable[[int, float], None],
    stopped: Callable[[], bool],
) -> dict[int, float]:
    """Train to the last step, with checkpoints in `out`; go on from `resume` if there is one. The
    adapter with the least validation loss is left in `out`/adapter; returns all losses by step.

    `on_step` is called with each step and its loss. After `stopped`, the step under way is saved
    and Interrupted is raised. Raises ConfigError if the loss is no longer a number.
    """
    trainer = trainer_of(settings, tokenizer, examples, out)
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(_Steps(on_step, stopped))
    trainer.train(resume_from_checkpoint=str(resume) if resume else None)
    reached = trainer.state.global_step
    if reached < settings.steps.max_steps:
        raise Interrupted(f"Stopped after step {reached}, which is saved; run again to go on.")
    trainer.save_model(str(out / "adapter"))
    logged = trainer.state.log_history
    return {line["step"]: line["eval_loss"] for line in logged if "eval_loss" in line}


def trainer_of(
    settings: Training, tokenizer: Any, examples: Mapping[str, Sequence[Conversation]], out: Path
) -> Any:
    """Load the model and make TRL's trainer for it, whose loss counts the completions alone.
    Raises ConfigError."""
    gpu, steps = torch.cuda.is_available(), settings.steps
    if torch.cuda.device_count() > 1:
        raise ConfigError(
            f"{torch.cuda.device_count()} GPUs are seen, and each would take a batch of its own",
            where="CUDA_VISIBLE_DEVICES",
            fix="Set it to the number of one GPU.",
        )
    kwargs = {"revision": settings.revision, "dtype": "bfloat16" if gpu else "float32"}
    arguments = SFTConfig(
        **steps.model_dump(),
        output_dir=str(out),
        model_init_kwargs=kwargs,
        per_device_eval_batch_size=steps.per_device_train_batch_size,
        eval_strategy="steps",
        eval_steps=steps.save_steps,
        load_best_model_at_end=True,
        # Examples were fitted before, so that no target is cut.
        max_length=None,
        bf16=gpu,
        use_cpu=not gpu,
        seed=settings.seed,
        # A loss that is not a number is seen before the step is saved.
        logging_steps=1,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        report_to="none",
        dataloader_pin_memory=gpu,
    )
    lora = LoraConfig(
        **settings.lora.model_dump(mode="json"), task_type="CAUSAL_LM", revision=settings.revision
    )
    data = (Dataset.from_list([*examples[table]]) for table in ("[source]", "[validation]"))
    with _loading(settings.model):
        return _Trainer(settings.model, arguments, None, *data, tokenizer, peft_config=lora)


class _Trainer(SFTTrainer):  # type: ignore[misc]
    def create_model_card(self, *_: Any, **__: Any) -> None:
        """Write none: TRL's names no base model, and shows how to ask something else."""


class _Steps(TrainerCallback):  # type: ignore[misc]
    """Reports steps, and ends a training that is stopped or whose loss is not a number."""

    def __init__(self, on_step: Callable[[int, float], None], stopped: Callable[[], bool]) -> None:
        self._on_step, self._stopped = on_step, stopped

    def on_step_end(self, _args: Any, state: Any, control: Any, **_: Any) -> None:
        # transformers saves the last step, and evaluates it only if the schedule has it.
        control.should_evaluate |= state.global_step >= state.max_steps
        if self._stopped():
            control.should_save = control.should_training_stop = True

    def on_log(self, _args: Any, state: Any, _control: Any, logs: Any = None, **_: Any) -> None:
        if "loss" not in logs:
            return
        if not all(math.isfinite(float(logs.get(name, 0.0))) for name in ("loss", "grad_norm")):
            raise ConfigError(
                f"the loss is not a number any more at step {state.global_step}",
                where="[steps] learning_rate",
                fix="Lower it, and give another --out.",
            )
        self._on_step(state.global_step, float(logs["loss"]))

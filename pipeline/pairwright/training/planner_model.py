"""The model that is trained, by transformers; its fine-tuning with a LoRA adapter, by TRL and PEFT;
and the model with an adapter, which writes plans."""

import gc
import json
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    PrinterCallback,
    TrainerCallback,
)
from transformers.utils import logging as transformers_logging
from trl import SFTConfig, SFTTrainer

from pairwright.errors import ConfigError, Interrupted
from pairwright.models.local_model import ChatTokens, load_weights
from pairwright.settings.prompt import Ask, Message
from pairwright.training.plan_settings import Training
from pairwright.training.planner_data import SplitPrompt, learned_text


class Words:
    """The model's tokens, and what tells it from others."""

    def __init__(self, settings: Training) -> None:
        """Raises ConfigError where there are none that can be used."""
        where = f"[model] {settings.model}"
        with loading(where):
            self.tokenizer, self._config = (
                kind.from_pretrained(
                    settings.model, revision=settings.revision, trust_remote_code=False
                )
                for kind in (AutoTokenizer, AutoConfig)
            )
        self._chat = ChatTokens(self.tokenizer, partial(_unusable, where))
        self._chat.check()
        if self.tokenizer.eos_token is None:
            raise _unusable(where, "its tokenizer has no token that ends an answer")
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token

    def tokens(self, ask: Ask, target: str) -> SplitPrompt:
        """Raises ConfigError for a template that cannot be used."""
        written = self._chat.answer_text((*ask.messages, Message("assistant", target)))
        learned = learned_text(written, self.tokenizer.eos_token)
        if target not in learned:
            raise self._chat.unusable("its chat template changes what a model says")
        return SplitPrompt(self.prompt(ask), self._chat.ids(learned))

    def prompt(self, ask: Ask) -> tuple[int, ...]:
        """What a model reads before it writes."""
        return self._chat.prompt(ask.messages)

    def fingerprint(self) -> str:
        """What another model in the same place would not have: its configuration, its tokens."""
        config = self._config.to_dict()
        for volatile in ("_name_or_path", "transformers_version"):
            config.pop(volatile, None)
        parts = [config, self.tokenizer.get_vocab(), self.tokenizer.chat_template]
        text = json.dumps(parts, sort_keys=True, default=str).encode()
        return f"b2:{blake2b(text, digest_size=16).hexdigest()}"


def _unusable(where: str, what: str) -> ConfigError:
    return ConfigError(what, where=where, fix="Name an instruction-tuned model.")


def load(settings: Training) -> Any:
    """The model that is adapted. Raises ConfigError."""
    transformers_logging.disable_progress_bar()
    if torch.cuda.device_count() > 1:
        raise ConfigError(
            f"{torch.cuda.device_count()} GPUs are seen, and each would take a batch of its own",
            where="CUDA_VISIBLE_DEVICES",
            fix="Set it to the one that is to be used.",
        )
    where = f"[model] {settings.model}"
    with loading(where):
        return load_weights(
            AutoModelForCausalLM, settings.model, settings.revision, dtype=settings.dtype,
            device="cuda" if torch.cuda.is_available() else "cpu",
            unusable=partial(_unusable, where),
        )  # fmt: skip


@contextmanager
def loading(where: str) -> Iterator[None]:
    """What torch, transformers, PEFT and the files raise, as a ConfigError that names the place."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    try:
        yield
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise ConfigError(
            f"cannot be loaded: {lines[0][:500]}",
            where=where,
            fix="Name a folder or a Hugging Face id of a chat model, and an adapter of that model.",
        ) from None


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


class PlanWriter:
    """The base model with one adapter after the other."""

    def __init__(self, settings: Training, words: Words) -> None:
        """Raises ConfigError for a model that cannot be loaded."""
        self._words = words
        self._batch = settings.selection.batch
        self._model = load(settings)
        tokenizer, new_tokens = words.tokenizer, settings.selection.new_tokens
        ends = self._model.generation_config.eos_token_id
        ends = [] if ends is None else ends if isinstance(ends, list) else [ends]
        self._settings = GenerationConfig(
            do_sample=False, max_new_tokens=new_tokens, pad_token_id=tokenizer.pad_token_id,
            eos_token_id=sorted({*ends, tokenizer.eos_token_id}),
        )  # fmt: skip

    def write(self, adapter: Path, asks: Sequence[Ask], count: Callable[[], None]) -> Iterator[str]:
        """What the model with this adapter writes to each prompt, one most likely token after the
        other. `count` is called with each. Raises ConfigError for an adapter of another model."""
        with loading(str(adapter)):
            model = PeftModel.from_pretrained(self._model, str(adapter)).eval()
        try:
            for first in range(0, len(asks), self._batch):
                prompts = [
                    list(self._words.prompt(ask)) for ask in asks[first : first + self._batch]
                ]
                for text in self._written(model, prompts):
                    count()
                    yield text
        finally:
            model.unload()

    def _written(self, model: Any, prompts: list[list[int]]) -> list[str]:
        tokenizer = self._words.tokenizer
        # Padded on the left: what is written follows the prompt.
        padded = tokenizer.pad({"input_ids": prompts}, padding_side="left", return_tensors="pt")
        with torch.inference_mode():
            written = model.generate(**padded.to(model.device), generation_config=self._settings)
        longest = padded["input_ids"].shape[1]
        return [str(tokenizer.decode(row[longest:], skip_special_tokens=True)) for row in written]

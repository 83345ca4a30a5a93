"""The model that is adapted and its tokenizer, by transformers."""

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

import jinja2
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

from pairwright.errors import ConfigError
from pairwright.settings.prompt_variables import Ask, Message
from pairwright.train.planner.examples import SplitPrompt, split
from pairwright.train.planner.settings import Training


class Words:
    """The model's tokenizer, by its chat template alone: the tokenizer adds no token to what that
    wrote, as vLLM adds none."""

    def __init__(self, settings: Training) -> None:
        """Raises ConfigError where there is none that can be used."""
        self._where = f"[model] {settings.model}"
        with loading(self._where):
            self.tokenizer = AutoTokenizer.from_pretrained(
                settings.model, revision=settings.revision, trust_remote_code=False
            )
            self._config = AutoConfig.from_pretrained(
                settings.model, revision=settings.revision, trust_remote_code=False
            )
        if not self.tokenizer.chat_template:
            raise self._unusable("it has no chat template, which says how a conversation is read")
        if self.tokenizer.eos_token is None:
            raise self._unusable("its tokenizer has no token that ends an answer")
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token

    def tokens(self, ask: Ask, target: str) -> SplitPrompt:
        """Raises ConfigError for a template that cannot be used."""
        prompt = self._rendered(ask.messages, add_generation_prompt=True)
        answered = (*ask.messages, Message("assistant", target))
        whole = self._rendered(answered)
        read, learned = split(prompt, whole, self.tokenizer.eos_token, self._where)
        if target not in learned:
            raise self._unusable("its chat template changes what a model says")
        return SplitPrompt(self._ids(read), self._ids(learned))

    def prompt_length(self, ask: Ask) -> int:
        return len(self.prompt(ask))

    def prompt(self, ask: Ask) -> tuple[int, ...]:
        """What a model reads before it writes."""
        return self._ids(self._rendered(ask.messages, add_generation_prompt=True))

    def fingerprint(self) -> str:
        """What another model in the same place would not have: its configuration, its tokens."""
        config = self._config.to_dict()
        for volatile in ("_name_or_path", "transformers_version"):
            config.pop(volatile, None)
        parts = [config, self.tokenizer.get_vocab(), self.tokenizer.chat_template]
        text = json.dumps(parts, sort_keys=True, default=str).encode()
        return f"b2:{blake2b(text, digest_size=16).hexdigest()}"

    def _rendered(self, messages: Sequence[Message], **more: bool) -> str:
        conversation = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return str(self.tokenizer.apply_chat_template(conversation, tokenize=False, **more))
        except jinja2.TemplateError as error:
            raise self._unusable(f"its chat template fails: {error}") from None

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _unusable(self, what: str) -> ConfigError:
        return ConfigError(what, where=self._where, fix="Name an instruction-tuned model.")


def load(settings: Training) -> Any:
    """The model that is adapted. Raises ConfigError."""
    transformers_logging.disable_progress_bar()
    gpu = torch.cuda.is_available()
    if torch.cuda.device_count() > 1:
        raise ConfigError(
            f"{torch.cuda.device_count()} GPUs are seen, and each would take a batch of its own",
            where="CUDA_VISIBLE_DEVICES",
            fix="Set it to the one that is to be used.",
        )
    auto = "bfloat16" if gpu else "float32"
    where = f"[model] {settings.model}"
    with loading(where):
        model, loaded = AutoModelForCausalLM.from_pretrained(
            settings.model, revision=settings.revision, trust_remote_code=False,
            dtype=getattr(torch, auto if settings.dtype == "auto" else settings.dtype),
            output_loading_info=True,
        )  # fmt: skip
    if missing := sorted(loaded["missing_keys"]):
        raise ConfigError(
            f"its files lack weights: {missing[0]}", where=where, fix="Name another model."
        )
    return model.to("cuda" if gpu else "cpu")


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

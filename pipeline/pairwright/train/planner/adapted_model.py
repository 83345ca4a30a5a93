"""The base model with an adapter: it writes plans, and is merged with the adapter, by PEFT."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from transformers import GenerationConfig

from pairwright.settings.prompt_variables import Ask
from pairwright.train.planner.base_model import Words, load, loading
from pairwright.train.planner.settings import Training


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

    def write(
        self, adapter: Path, asks: Sequence[Ask], count: Callable[[int], None]
    ) -> Iterator[str]:
        """What the model with this adapter writes to each prompt, one most likely token after the
        other. `count` is called with how many were written. Raises ConfigError for an adapter of
        another model."""
        with loading(str(adapter)):
            model = PeftModel.from_pretrained(self._model, str(adapter)).eval()
        try:
            for first in range(0, len(asks), self._batch):
                some = [self._words.prompt(ask) for ask in asks[first : first + self._batch]]
                yield from self._written(model, some)
                count(len(some))
        finally:
            model.unload()

    def _written(self, model: Any, prompts: list[tuple[int, ...]]) -> list[str]:
        tokenizer, longest = self._words.tokenizer, max(map(len, prompts))
        # Padded on the left: what is written follows the prompt.
        room = [longest - len(ids) for ids in prompts]
        pad = tokenizer.pad_token_id
        ids = [[pad] * more + [*own] for own, more in zip(prompts, room, strict=True)]
        mask = [[0] * more + [1] * len(own) for own, more in zip(prompts, room, strict=True)]
        device = model.device
        with torch.inference_mode():
            written = model.generate(
                input_ids=torch.tensor(ids, device=device),
                attention_mask=torch.tensor(mask, device=device),
                generation_config=self._settings,
            )
        return [
            str(tokenizer.decode(row[longest:], skip_special_tokens=True)) for row in written
        ]  # fmt: skip


def merge(settings: Training, words: Words, adapter: Path, out: Path) -> None:
    """Write the model with the adapter in its weights, and the tokenizer, to `out`."""
    model = load(settings)
    with loading(str(adapter)):
        merged = PeftModel.from_pretrained(model, str(adapter)).merge_and_unload()
    merged.save_pretrained(str(out))
    words.tokenizer.save_pretrained(str(out))

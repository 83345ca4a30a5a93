"""Reward models of random weights, for what can be odd about one: tiny_reward.py FOLDER.

Run by the engines' environment. `MODELS` names them; each is a folder in FOLDER.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from tokenizers import processors
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    LlamaForCausalLM,
    LlamaForSequenceClassification,
)

from engines.tiny_model import TEMPLATE, shape, tokenizer

BEGUN = "{{ bos_token }}" + TEMPLATE


def words(**changes: Any) -> Any:
    """A tokenizer that puts <s> before every text itself, as Llama's does."""
    made = tokenizer(None)
    first = [("<s>", made.bos_token_id)]
    made.backend_tokenizer.post_processor = processors.TemplateProcessing("<s> $A", None, first)
    made.chat_template = BEGUN
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def write(
    folder: Path, made: Any, kind: Any = LlamaForSequenceClassification, **changes: Any
) -> None:
    torch.manual_seed(changes.pop("seed", 0))
    save(folder, made, kind(shape(made, **{"num_labels": 1, **changes})))


def write_encoder(folder: Path) -> None:
    """A model whose tokens see what comes after them."""
    torch.manual_seed(0)
    made = words()
    small = BertConfig(
        vocab_size=320, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=2, max_position_embeddings=4096, num_labels=1,
        pad_token_id=made.pad_token_id,
    )  # fmt: skip
    save(folder, made, BertForSequenceClassification(small))


def save(folder: Path, made: Any, model: Any) -> None:
    for weights in model.parameters():
        # Random weights of the usual size give scores that differ in their fourth digit.
        weights.data *= 3 if weights.dim() > 1 else 1
    model.save_pretrained(folder)
    made.save_pretrained(folder)


def end_is_pad() -> Any:
    """Its texts end with the token that pads them."""
    return words(pad_token="<|end|>", chat_template=BEGUN.replace("<|end|>\n", "<|end|>"))


MODELS: dict[str, Callable[[Path], None]] = {
    "plain": lambda folder: write(folder, words()),
    "no-pad": lambda folder: write(folder, words(pad_token=None), pad_token_id=None),
    "pad-is-end": lambda folder: write(folder, end_is_pad()),
    "tokenizer-alone-pads": lambda folder: write(folder, end_is_pad(), pad_token_id=None),
    "pad-out-of-range": lambda folder: write(folder, words(), pad_token_id=-1),
    "encoder": write_encoder,
    "two-classes": lambda folder: write(folder, words(), num_labels=2),
    "three-classes": lambda folder: write(folder, words(), num_labels=3),
    "policy": lambda folder: write(folder, words(), LlamaForCausalLM, seed=1),
}


if __name__ == "__main__":
    for name, make in MODELS.items():
        make(Path(sys.argv[1]) / name)

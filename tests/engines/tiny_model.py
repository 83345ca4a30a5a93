"""A chat model of random weights, made in a folder without a download: tiny_model.py FOLDER [TEXT].
With `thinks` in place of a text its vocabulary has the tags between which models think.

Run by the engines' environment. Its words mean nothing: what it shows is that the wire, the
sampling and the schemas work. A token is a byte; with a TEXT file tokens are learned from it, and
are about as long as those of real models.
"""

import sys
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

LONGEST = 16384
LEARNED = 4096
SPECIAL = ["<pad>", "<s>", "<|start|>", "<|end|>"]
TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m['role'] }}\n{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)


def tokenizer(text: str | None) -> PreTrainedTokenizerFast:
    """Bytes and what is learned of a text, so that every text can be read and written."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: place for place, token in enumerate([*SPECIAL, *alphabet])}
    made = Tokenizer(models.BPE(vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    if text:
        learning = trainers.BpeTrainer(
            vocab_size=LEARNED, special_tokens=SPECIAL, initial_alphabet=alphabet,
            show_progress=False,
        )  # fmt: skip
        made.train_from_iterator([text], learning)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", bos_token="<s>", eos_token="<|end|>",
        additional_special_tokens=["<|start|>"], model_max_length=LONGEST,
        chat_template=TEMPLATE, model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip


def shape(words: Any, **changes: Any) -> LlamaConfig:
    """Two layers."""
    return LlamaConfig(
        **{
            "vocab_size": -(-len(words) // 64) * 64, "hidden_size": 64, "intermediate_size": 128,
            "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2,
            "max_position_embeddings": LONGEST, "tie_word_embeddings": False,
            "pad_token_id": words.pad_token_id, "bos_token_id": words.bos_token_id,
            "eos_token_id": words.eos_token_id, **changes,
        }
    )  # fmt: skip


if __name__ == "__main__":
    given = sys.argv[2] if len(sys.argv) > 2 else "thinks"
    made = tokenizer(None if given == "thinks" else Path(given).read_text("utf-8"))
    if sys.argv[2:] == ["thinks"]:
        # Not special ones, which a server leaves out of what it writes.
        tags = [AddedToken(tag, special=False, normalized=False) for tag in ("<think>", "</think>")]
        made.add_tokens(tags)
    made.save_pretrained(sys.argv[1])
    torch.manual_seed(0)
    LlamaForCausalLM(shape(made, head_dim=32)).to(torch.float32).save_pretrained(sys.argv[1])

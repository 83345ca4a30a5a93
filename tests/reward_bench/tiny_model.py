"""A reward model of random weights, made in a folder without a download: tiny_model.py FOLDER.

Run by RewardBench's environment, whose transformers must be able to read it.
"""

import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForSequenceClassification,
    PreTrainedTokenizerFast,
)

LONGEST = 8192
TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}</s>{% endfor %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    """One token a byte, so that every text can be written."""
    special = ["<pad>", "<s>", "</s>"]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: place for place, token in enumerate([*special, *alphabet])}
    made = Tokenizer(models.BPE(vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        model_max_length=LONGEST, chat_template=TEMPLATE,
        # A Llama takes no token types.
        model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip


def model(words: PreTrainedTokenizerFast) -> LlamaForSequenceClassification:
    """Two layers, one score."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, max_position_embeddings=LONGEST, num_labels=1,
        pad_token_id=words.pad_token_id, bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
    )  # fmt: skip
    return LlamaForSequenceClassification(config)


if __name__ == "__main__":
    made = tokenizer()
    made.save_pretrained(sys.argv[1])
    model(made).save_pretrained(sys.argv[1])

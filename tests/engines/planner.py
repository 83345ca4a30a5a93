"""What tests look at in a training of a planner, by the engines' environment. Prints JSON.

planner.py labels SETTINGS.toml         one collated batch: what is read, what the loss counts
planner.py serve OUT < MESSAGES         what the adapter writes, by PEFT
"""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import torch
from peft import AutoPeftModelForCausalLM
from transformers import AutoTokenizer

from pairwright.training import planner_model
from pairwright.training.planner_data import Training, load_settings
from pairwright.training.train_planner import read_examples


def labels(path: Path) -> list[dict[str, Any]]:
    """Each row of the first batch: the whole text, what the loss counts of it, and padding."""
    settings = load_settings(Training, path)
    words = planner_model.tokenizer_of(settings)
    length = partial(planner_model.length_of, words)
    examples, _ = read_examples(settings, path.parent, length)
    trainer = planner_model.trainer_of(settings, words, examples, path.parent / "unused")
    batch = next(iter(trainer.get_train_dataloader()))
    found = []
    for row in zip(
        *(batch[name] for name in ("input_ids", "attention_mask", "labels")), strict=True
    ):
        ids, there, counted = row[0], row[1] == 1, row[2] != -100
        found.append(
            {
                "text": words.decode(ids[there].tolist()),
                "learned": words.decode(ids[counted].tolist()),
                "padding": int((~there).sum()),
                "counted_padding": int((counted & ~there).sum()),
            }
        )
    return found


def serve(out: Path, messages: list[dict[str, str]]) -> str:
    """What the base with the adapter writes."""
    model = AutoPeftModelForCausalLM.from_pretrained(str(out / "adapter")).eval()
    words = AutoTokenizer.from_pretrained(str(out / "adapter"))
    asked = words.apply_chat_template(
        messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    with torch.inference_mode():
        written = model.generate(**asked, do_sample=False, max_new_tokens=200)
    read = asked["input_ids"].shape[1]
    return str(words.decode(written[0, read:], skip_special_tokens=True))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["labels", settings]:
            print(json.dumps(labels(Path(settings))))
        case ["serve", out]:
            print(json.dumps(serve(Path(out), json.load(sys.stdin))))

"""Token log-probabilities by plain transformers: likelihoods.py MODELS TEXTS OUT.

Run by the engines' environment. TEXTS is a JSON list of [prompt, response]; OUT gets a JSON object
by model: [ids, log-probabilities] of each text.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from engines.scoring import Texts

MODELS = ("policy",)


def alone(folder: Path, texts: Texts) -> list[tuple[list[int], list[float]]]:
    """One text at a time, the log-probability of each token read off the whole distribution."""
    words = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    found = []
    for prompt, response in texts:
        asked = [{"role": "user", "content": prompt}]
        before = words.apply_chat_template(asked, add_generation_prompt=True, return_dict=True)
        after = words(response, add_special_tokens=False)["input_ids"]
        ids = [*before["input_ids"], *after]
        told = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        first = len(before["input_ids"])
        places = range(first, len(ids))
        found.append((after, [float(told[place - 1, ids[place]]) for place in places]))
    return found


def main(models: Path, texts: Texts) -> dict[str, Any]:
    with torch.inference_mode():
        return {name: alone(models / name, texts) for name in MODELS}


if __name__ == "__main__":
    folder, given, out = map(Path, sys.argv[1:])
    texts = [(prompt, response) for prompt, response in json.loads(given.read_text("utf-8"))]
    out.write_text(json.dumps(main(folder, texts)), encoding="utf-8")

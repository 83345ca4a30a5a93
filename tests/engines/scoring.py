"""Scores of reward models by Pairwright and by plain transformers: scoring.py MODELS TEXTS OUT.

Run by the engines' environment. TEXTS is a JSON list of [prompt, response]; OUT gets a JSON object
by case: `ours` and `alone`, or `error` where a model is refused. `likelihoods` has [ids,
log-probabilities] of each response under a language model, by plain transformers.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.in_process import Classifier, InProcess
from pairwright.models import Request
from pairwright.models.client import Meter
from pairwright.settings.prompt import Message

Texts = list[tuple[str, str]]
SCORED = (
    "plain", "no-pad", "pad-is-end", "tokenizer-alone-pads", "pad-out-of-range", "two-classes",
    "encoder",
)  # fmt: skip
REFUSED = ("three-classes", "policy")


async def answered(spec: Classifier, texts: Texts) -> list[dict[str, Any]]:
    """What Pairwright stores of all of them, asked at once, so that they are batched."""
    async with InProcess("mine", spec, Meter(), None, lambda _: None) as llm:
        asked = [
            Request(spec.model, (Message("user", prompt), Message("assistant", response)), 1)
            for prompt, response in texts
        ]
        found = await asyncio.gather(*(llm.complete(request) for request in asked))
    return [{"text": of.text, "finish": of.finish, "tokens": of.prompt_tokens} for of in found]


def alone(folder: str, texts: Texts) -> list[list[float]]:
    """Logits, one text at a time, as a model's card has it done."""
    words = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
    model.eval()
    if model.config.pad_token_id == -1:
        model.config.pad_token_id = None
    found = []
    for prompt, response in texts:
        ids = words.apply_chat_template(
            [{"role": "user", "content": prompt}, {"role": "assistant", "content": response}],
            return_tensors="pt", return_dict=True,
        )["input_ids"]  # fmt: skip
        assert int((ids == words.bos_token_id).sum()) == 1
        found.append(model(ids).logits[0].tolist())
    return found


def likelihoods(folder: Path, texts: Texts) -> list[tuple[list[int], list[float]]]:
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
        places = range(len(before["input_ids"]), len(ids))
        found.append((after, [float(told[place - 1, ids[place]]) for place in places]))
    return found


def attempt(spec: Classifier, texts: Texts) -> dict[str, Any]:
    try:
        return {"ours": asyncio.run(answered(spec, texts))}
    except ConfigError as error:
        return {"error": str(error)}


def main(models: Path, texts: Texts) -> dict[str, Any]:
    def classifier(name: str, **more: Any) -> Classifier:
        return Classifier(kind="classifier", model=str(models / name), **more)

    small: dict[str, Any] = {"batch_tokens": 1500}
    found: dict[str, Any] = {
        name: attempt(classifier(name, **small), texts) for name in SCORED + REFUSED
    }
    with torch.inference_mode():
        for name in SCORED:
            found[name]["alone"] = alone(str(models / name), texts)
        found["likelihoods"] = likelihoods(models / "policy", texts)
    found["bfloat16"] = attempt(classifier("plain", dtype="bfloat16"), texts)
    found["no-folder"] = attempt(classifier("nowhere"), texts)
    return found


if __name__ == "__main__":
    folder, given, out = map(Path, sys.argv[1:])
    texts = [(prompt, response) for prompt, response in json.loads(given.read_text("utf-8"))]
    out.write_text(json.dumps(main(folder, texts)), encoding="utf-8")

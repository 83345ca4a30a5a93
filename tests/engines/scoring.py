"""Scores of reward models by Pairwright and by plain transformers: scoring.py MODELS TEXTS OUT.

Run by the engines' environment. TEXTS is a JSON list of [prompt, response]; OUT gets a JSON object
by case: `ours` and `alone`, or `error` where a model is refused.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.in_process import InProcess
from pairwright.evaluation.settings import Classifier, Dpo, Likelihood
from pairwright.models import Request
from pairwright.models.client import Meter
from pairwright.settings.prompt import Message

Texts = list[tuple[str, str]]
SCORED = (
    "plain", "no-pad", "pad-is-end", "tokenizer-alone-pads", "pad-out-of-range", "two-classes",
    "encoder",
)  # fmt: skip
REFUSED = ("three-classes", "no-template", "half-template", "policy")


async def answered(spec: Classifier | Dpo | Likelihood, texts: Texts) -> list[dict[str, Any]]:
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


def implicit(policy: str, reference: str, beta: float, texts: Texts) -> list[list[float]]:
    """The implicit reward, token by token."""
    words = AutoTokenizer.from_pretrained(policy)
    models = [AutoModelForCausalLM.from_pretrained(name).eval() for name in (policy, reference)]
    found = []
    for prompt, response in texts:
        opening = f"<s><|start|>user\n{prompt}<|end|>\n<|start|>assistant\n"
        before = words(opening, add_special_tokens=False)["input_ids"]
        after = words(f"{response}<|end|>\n", add_special_tokens=False)["input_ids"]
        ids = torch.tensor([before + after])
        told = []
        for model in models:
            rows = torch.log_softmax(model(ids).logits[0], dim=-1)
            places = range(len(before), len(before) + len(after))
            told.append(sum(float(rows[place - 1, ids[0, place]]) for place in places))
        found.append([beta * (told[0] - told[1])])
    return found


def attempt(spec: Classifier | Dpo, texts: Texts) -> dict[str, Any]:
    try:
        return {"ours": asyncio.run(answered(spec, texts))}
    except ConfigError as error:
        return {"error": str(error)}


def main(models: Path, texts: Texts) -> dict[str, Any]:
    def classifier(name: str, **more: Any) -> Classifier:
        return Classifier(kind="classifier", model=str(models / name), **more)

    def dpo(reference: str, policy: str = "policy", **more: Any) -> Dpo:
        named = {"model": str(models / policy), "reference": str(models / reference)}
        return Dpo(kind="dpo", **named, **more)

    small: dict[str, Any] = {"batch_tokens": 1500}
    found = {name: attempt(classifier(name, **small), texts) for name in SCORED + REFUSED}
    for name in SCORED:
        with torch.inference_mode():
            found[name]["alone"] = alone(str(models / name), texts)
    found["dpo"] = attempt(dpo("reference", beta=0.3, **small), texts)
    reference = str(models / "reference")
    with torch.inference_mode():
        found["dpo"]["alone"] = implicit(str(models / "policy"), reference, 0.3, texts)
    found["other-tokens"] = attempt(dpo("other-tokens"), texts)
    found["one-token-more"] = attempt(dpo("reference", "one-token-more"), texts)
    found["bfloat16"] = attempt(classifier("plain", dtype="bfloat16"), texts)
    found["short"] = attempt(classifier("plain", max_length=300), texts)
    found["too-long"] = attempt(classifier("plain", max_length=20_000), texts)
    found["no-folder"] = attempt(classifier("nowhere"), texts)
    found["no-device"] = attempt(classifier("plain", device="cuda:7"), texts)
    return found


if __name__ == "__main__":
    folder, given, out = map(Path, sys.argv[1:])
    texts = [(prompt, response) for prompt, response in json.loads(given.read_text("utf-8"))]
    out.write_text(json.dumps(main(folder, texts)), encoding="utf-8")

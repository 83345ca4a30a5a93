"""Scores a second of a reward model in this process, against a plain transformers loop.

The texts are pairs of responses to questions with histories whose length is log-normal (sigma 0.75;
of 24 real users of a Stack Exchange site it was 0.77). The loop takes them in fixed batches in
their order, each padded to its longest. Ours is the whole way of `pairwright evaluate` below the
release: requests, store, batches. Both have the model loaded, and they take turns. A model has
random weights and reads bytes: what is measured does not depend on what it has learned.

    python benchmarks/scoring.py                                   # on a CPU
    python benchmarks/scoring.py --size 8b --pairs 512             # on a GPU, in bfloat16

Without torch it goes on in the environment of the real tier. The last line is JSON: `speedup` is
the median over the turns, `max_abs_diff` is against transformers with one text at a time.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.evaluation.scorers.in_process import Classifier, InProcess
from pairwright.evaluation.scorers.score_models import RewardModel
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore
from pairwright.models import Completion, Request
from pairwright.models.client import Client, Meter
from pairwright.models.store import Store
from pairwright.pairs.conversion import user_message
from pairwright.records import Post


class Shape(NamedTuple):
    """Of a Llama."""

    hidden: int
    inner: int
    layers: int
    heads: int
    keys: int


SIZES = {
    "tiny": Shape(256, 704, 6, 4, 4),
    "1b": Shape(2048, 8192, 16, 32, 8),
    "3b": Shape(3072, 8192, 28, 24, 8),
    "8b": Shape(4096, 14336, 32, 32, 8),
}
LONGEST = 8192
SIGMA = 0.75
POST = 120
"""Words of a post at most."""


class Pair(NamedTuple):
    shown: PromptContent
    responses: tuple[str, str]


def pairs(n: int, words: int) -> list[Pair]:
    """With histories of about so many words in the middle."""
    chance = random.Random(0)
    made = []
    for number in range(n):
        room = min(int(words * chance.lognormvariate(0, SIGMA)), LONGEST // 8)
        lengths = [min(POST, room - start) for start in range(0, room, POST)]
        posts = tuple(
            Post(id=f"p{place}", text=_text(chance, length), category="c")
            for place, length in enumerate(lengths)
        )
        responses = (_text(chance, chance.randint(15, 35)), _text(chance, chance.randint(15, 35)))
        made.append(Pair(PromptContent(f"{_text(chance, 8)} {number}?", posts), responses))
    return made


def _text(chance: random.Random, words: int) -> str:
    letters = "etaoinshrdlu"
    return " ".join("".join(chance.choices(letters, k=chance.randint(2, 7))) for _ in range(words))


def write_model(folder: Path, shape: Shape, device: str) -> None:
    import torch
    from transformers import LlamaConfig, LlamaForSequenceClassification

    from engines.tiny_model import tokenizer

    words = tokenizer(None)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=-(-len(words) // 64) * 64, hidden_size=shape.hidden,
        intermediate_size=shape.inner, num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads, num_key_value_heads=shape.keys,
        max_position_embeddings=LONGEST, num_labels=1, pad_token_id=words.pad_token_id,
        bos_token_id=words.bos_token_id, eos_token_id=words.eos_token_id,
    )  # fmt: skip
    with torch.device(device):
        model = LlamaForSequenceClassification(config)
    model.to(torch.bfloat16 if device == "cuda" else torch.float32).save_pretrained(folder)
    words.save_pretrained(folder)


class Plain:
    """transformers as its documentation has it."""

    def __init__(self, folder: Path, device: str) -> None:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        dtype = torch.bfloat16 if device == "cuda" else torch.float32
        self.torch = torch
        self.words = AutoTokenizer.from_pretrained(folder)
        model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=dtype)
        self.model = model.to(device).eval()

    def scores(self, texts: list[tuple[str, str]], batch: int) -> tuple[list[float], int]:
        """Also the tokens that went through the model, padding included."""
        found: list[float] = []
        computed = 0
        for start in range(0, len(texts), batch):
            chats = [
                self.words.apply_chat_template(
                    [{"role": "user", "content": a}, {"role": "assistant", "content": b}],
                    tokenize=False,
                )
                for a, b in texts[start : start + batch]
            ]
            encoded = self.words(
                chats, return_tensors="pt", padding=True, add_special_tokens=False
            ).to(self.model.device)
            computed += encoded["input_ids"].numel()
            with self.torch.inference_mode():
                found += self.model(**encoded).logits[:, 0].float().tolist()
        return found, computed

    @property
    def parameters(self) -> int:
        return sum(weights.numel() for weights in self.model.parameters())


class Above(Client):
    """A client above a store of its own, so that nothing is stored yet."""

    def __init__(self, client: Client, store: Store) -> None:
        super().__init__(client.meter, store)
        self._client = client

    async def fetch(self, request: Request) -> Completion:
        return await self._client.fetch(request)


async def measured(
    folder: Path, given: list[Pair], runs: int, plain: Callable[[], float]
) -> tuple[list[float], list[float], list[ResponseScore]]:
    """Seconds of ours and of the loop in each turn, and our scores."""
    spec = Classifier(kind="classifier", model=str(folder))
    ours, loops, found = [], [], list[ResponseScore]()
    async with InProcess("mine", spec, Meter(), None, lambda _: None) as client:
        with tempfile.TemporaryDirectory() as scratch:
            for turn in range(-1, runs):
                with closing(Store(Path(scratch) / f"{turn}.sqlite")) as store:
                    model = RewardModel(Above(client, store), str(folder))
                    if turn < 0:  # Loads the model.
                        await model.score(PromptContent("Why?"), "So.")
                        continue
                    first = [plain()] if turn % 2 else []
                    began = time.monotonic()
                    found = await _all(model, given)
                    ours.append(time.monotonic() - began)
                    loops += first or [plain()]
                print(f"turn {turn}: ours {ours[-1]:.1f} s, loop {loops[-1]:.1f} s", flush=True)
    return ours, loops, found


async def _all(model: RewardModel, given: list[Pair]) -> list[ResponseScore]:
    calls = [model.score(shown, response) for shown, both in given for response in both]
    found = await asyncio.gather(*calls)
    assert all(isinstance(of, ResponseScore) for of in found), "every text fits"
    return [of for of in found if isinstance(of, ResponseScore)]


def main(options: argparse.Namespace) -> None:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    given = pairs(options.pairs, options.words)
    texts = [
        (user_message(of.shown.question, of.shown.posts), b) for of in given for b in of.responses
    ]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        write_model(folder, SIZES[options.size], device)
        plain = Plain(folder, device)
        plain.scores(texts[:2], 2)
        computed = 0

        def loop() -> float:
            nonlocal computed
            began = time.monotonic()
            computed = plain.scores(texts, options.batch)[1]
            return time.monotonic() - began

        ours, loops, found = asyncio.run(measured(folder, given, options.runs, loop))
        alone = plain.scores(texts, 1)[0]
    tokens = sum(of.tokens for of in found)
    lengths = sorted(of.tokens for of in found)
    per_s = tokens / statistics.median(ours)
    report: dict[str, Any] = {
        "speedup": round(statistics.median(b / a for a, b in zip(ours, loops, strict=True)), 2),
        "max_abs_diff": max(abs(a.value - b) for a, b in zip(found, alone, strict=True)),
        "texts_per_s": round(len(found) / statistics.median(ours), 2),
        "loop_texts_per_s": round(len(found) / statistics.median(loops), 2),
        "tokens_per_s": round(per_s),
        # Two operations for each weight and token, without attention.
        "tflops": round(2 * plain.parameters * per_s / 1e12, 3),
        "loop_padding": round(1 - tokens / computed, 3),
        "texts": len(found),
        "tokens": {"least": lengths[0], "median": lengths[len(found) // 2], "most": lengths[-1]},
        "parameters": plain.parameters,
        "loop_batch": options.batch,
        "turns": options.runs,
        "device": torch.cuda.get_device_name() if device == "cuda" else f"{os.cpu_count()} cores",
    }
    if options.peak_tflops:
        report["share_of_peak"] = round(report["tflops"] / options.peak_tflops, 3)
    print(json.dumps(report))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="tiny", help="of the model")
    parser.add_argument("--pairs", type=int, default=32)
    parser.add_argument("--words", type=int, default=120, help="of a history in the middle")
    parser.add_argument("--batch", type=int, default=8, help="texts of a batch of the loop")
    parser.add_argument("--runs", type=int, default=5, help="turns of each")
    parser.add_argument("--peak-tflops", type=float, help="what the card can do at most")
    return parser.parse_args()


def go_on_elsewhere() -> None:
    """In the real tier's environment, which has torch and no pytest."""
    from engines.fixtures import HERE, NOT_ON_A_CPU, environment
    from own_environment import cache_folder, prepare

    pins = HERE / "requirements.txt"
    python = str(prepare(cache_folder(), "engines", pins, "4.5 GB", NOT_ON_A_CPU))
    os.execve(python, [python, *sys.argv], environment())


if __name__ == "__main__":
    options = parsed()
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    if find_spec("torch") is None:
        go_on_elsewhere()
    main(options)

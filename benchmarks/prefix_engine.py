"""vLLM computes conversations for `prefix_cache.py`: prefix_engine.py MODEL TOKENS RUNNING.

Run by the engines' environment. Each line of the standard input is a JSON list of conversations,
sent in this order with at most RUNNING at once, to a cache that holds TOKENS and is empty at first.
Each line of the standard output is JSON: `cost`, prompt tokens and tokens found in the cache of
each conversation, and `queries` and `hits`, vLLM's own count of them.
"""

import json
import os
import sys
from collections.abc import Iterable

# One process: a model this small spends its time on talk between processes otherwise.
os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
from vllm import LLM, SamplingParams

BLOCK = 32
"""Tokens of a block of the cache, the least that vLLM takes on a CPU."""


def computed(model: str, tokens: int, running: int, lines: Iterable[str]) -> None:
    engine = LLM(
        model=model, dtype="float32", enforce_eager=True, max_model_len=8192,
        max_num_seqs=running, block_size=BLOCK, num_gpu_blocks_override=tokens // BLOCK,
        enable_prefix_caching=True, disable_log_stats=False,
    )  # fmt: skip
    one = SamplingParams(max_tokens=1, temperature=0)
    before = counted(engine)
    for line in lines:
        engine.reset_prefix_cache()
        outputs = engine.chat(json.loads(line), one, use_tqdm=False)
        after = counted(engine)
        queries, hits = (late - early for late, early in zip(after, before, strict=True))
        cost = [[len(of.prompt_token_ids), of.num_cached_tokens or 0] for of in outputs]
        print(json.dumps({"cost": cost, "queries": queries, "hits": hits}), flush=True)
        before = after


def counted(engine: LLM) -> tuple[int, int]:
    """Tokens asked of the prefix cache, and found in it, since the engine started."""
    found = {
        metric.name: metric.value for metric in engine.get_metrics() if "prefix" in metric.name
    }
    return found["vllm:prefix_cache_queries"], found["vllm:prefix_cache_hits"]


if __name__ == "__main__":
    computed(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.stdin)

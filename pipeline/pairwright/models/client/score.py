"""What a reward model says of one conversation, as the number it is stored as."""

import json
import math
from collections.abc import Sequence


def score_of(logits: Sequence[float]) -> float:
    """The one logit of a model with one output; of a classifier with two classes the log-odds of
    the last, log p - log (1 - p), which order as its probability does and do not stop at 1.

    More outputs are ratings or several aims, and which number of them is the reward only their
    maker knows: ValueError.
    """
    if len(logits) == 1:
        return logits[0]
    if len(logits) == 2:
        return logits[1] - logits[0]
    raise ValueError(f"the model has {len(logits)} outputs, and none of them is the score")


def scored(score: float, prompt_tokens: int) -> bytes:
    """The body of a chat completion that says it. A score that is no number stays none."""
    return said(repr(score) if math.isfinite(score) else "nan", prompt_tokens)


def said(text: str, prompt_tokens: int) -> bytes:
    """The body of a chat completion that says it, of a model that reads and writes nothing."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 0}
    return json.dumps({"object": "score", "choices": [choice], "usage": usage}).encode()

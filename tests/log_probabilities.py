"""A stand-in for what vLLM 0.32 tells of a given text: `/tokenize`, and `prompt_logprobs` of
`/v1/completions`. test_real_reward.py asks the real one.

A token is a character; what opens an answer is the token 1.
"""

from collections.abc import Callable
from typing import Any

from aiohttp import web

from endpoint import Asked, Handler

ANY_PATH = "/{path:.*}"
LONGEST = 4096


def told(of: Callable[[int], float | None], longest: int = LONGEST, shift: int = 0) -> Handler:
    """A model that gives each token its log-probability; `shift` makes another tokenizer."""

    async def handler(asked: Asked) -> web.StreamResponse:
        if asked.wire.path == "/tokenize":
            return web.json_response(tokenized(asked.body, longest, shift))
        assert asked.wire.path == "/v1/completions"
        return web.json_response(completed(asked.body["prompt"], of))

    return handler


def tokenized(body: dict[str, Any], longest: int = LONGEST, shift: int = 0) -> dict[str, Any]:
    opening = "messages" in body
    text = "".join(m["content"] for m in body["messages"]) if opening else body["prompt"]
    ids = [ord(letter) + shift for letter in text] + [1] * opening
    return {"count": len(ids), "max_model_len": longest, "tokens": ids, "token_strs": None}


def completed(ids: list[int], of: Callable[[int], float | None]) -> dict[str, Any]:
    found: list[Any] = [{str(id): {"logprob": of(id), "rank": 1}} for id in ids]
    choice = {"index": 0, "text": "a", "logprobs": None, "finish_reason": "length"}
    return {"choices": [choice | {"prompt_logprobs": [None, *found[1:]]}]}

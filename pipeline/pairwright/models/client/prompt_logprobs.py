"""vLLM's log-probabilities of a given response, as if a chat completion had said them.

The last message is the response. Prompt and response are tokenized apart and put together, as when
the policy writes: the prompt with the chat template and what opens an answer, the response as it
is. Then one token is asked for after both, with `prompt_logprobs`, which are those of what was
given. The end of the answer is not part of it: what a template writes there differs, and some of it
no policy writes.
"""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import from_json

from pairwright.errors import EndpointRefused
from pairwright.models import CONTEXT_LENGTH, Request
from pairwright.models.client.connection import Connection
from pairwright.models.client.headers import headers_for
from pairwright.models.client.openai_body import bytes_of
from pairwright.models.client.refusals import stand_in
from pairwright.models.client.stored_scores import TokenLogprobs, chat_reply, to_text
from pairwright.models.client.wire import Response, Transient

_FIX = (
    "  Log-probabilities of a given text are asked of vLLM: give the base_url of `vllm serve"
    " MODEL`, or use kind = 'likelihood' for a model in this process."
)


class _Tokenized(BaseModel, strict=True):
    tokens: list[int]
    max_model_len: int


class _TokenLogprob(BaseModel):
    logprob: float


class _Choice(BaseModel):
    prompt_logprobs: list[dict[int, _TokenLogprob] | None] | None = None


class _Completed(BaseModel):
    choices: list[_Choice] = Field(min_length=1)


_T = TypeVar("_T", bound=BaseModel)


class PromptLogprobs:
    """The `Wire` to one vLLM server's log-probabilities."""

    def __init__(self, base_url: str, api_key: str | None, timeout_s: float) -> None:
        self.where = base_url.rstrip("/")
        root = self.where.removesuffix("/v1")
        headers = headers_for(api_key)
        self._tokenize = Connection(root, headers, timeout_s, "tokenize")
        self._complete = Connection(self.where, headers, timeout_s, "completions")

    async def post(self, body: bytes, request: Request | None = None) -> Response:  # noqa: ARG002
        """Raises Transient for a reply that does not cover what was sent, EndpointRefused for an
        endpoint without such log-probabilities."""
        asked = from_json(body)
        model, messages = asked["model"], asked["messages"]
        prompt, response = messages[:-1], messages[-1]["content"]
        opening = await self._tokens(
            {"model": model, "messages": prompt, "add_generation_prompt": True}
        )
        if isinstance(opening, Response):
            return opening
        answer = await self._tokens(
            {"model": model, "prompt": response, "add_special_tokens": False}
        )
        if isinstance(answer, Response):
            return answer
        ids = opening.tokens + answer.tokens
        if len(ids) >= opening.max_model_len:
            detail = (
                f"{len(ids)} tokens, and the model reads {opening.max_model_len} and writes one"
            )
            return Response(200, stand_in(CONTEXT_LENGTH, detail))
        return await self._logprobs(model, ids, len(opening.tokens))

    async def _tokens(self, body: dict[str, Any]) -> _Tokenized | Response:
        reply = await self._tokenize.post(bytes_of(body))
        if reply.status in (404, 405) and b"does not exist" not in reply.body:
            raise EndpointRefused(f"{self.where}: {reply.status} for /tokenize\n{_FIX}")
        if not 200 <= reply.status < 300:
            return reply
        return self._read(_Tokenized, reply)

    async def _logprobs(self, model: str, ids: list[int], first: int) -> Response:
        body = {
            "model": model, "prompt": ids, "prompt_logprobs": 0, "max_tokens": 1,
            "temperature": 0.0,
        }  # fmt: skip
        reply = await self._complete.post(json.dumps(body).encode())
        if not 200 <= reply.status < 300:
            return reply
        logprobs = self._read(_Completed, reply).choices[0].prompt_logprobs
        if logprobs is None:
            raise EndpointRefused(f"{self.where}: its replies have no prompt_logprobs\n{_FIX}")
        if len(logprobs) != len(ids):
            raise self._broken(
                f"log-probabilities of {len(logprobs)} tokens, and {len(ids)} were sent"
            )
        logprobs_of_reply = [
            (logprobs[place] or {}).get(ids[place]) for place in range(first, len(ids))
        ]
        if None in logprobs_of_reply:
            missing = first + logprobs_of_reply.index(None)
            raise self._broken(f"no log-probability of token {missing}, which is {ids[missing]}")
        values = tuple(finding.logprob for finding in logprobs_of_reply if finding is not None)
        return Response(
            reply.status, chat_reply(to_text(TokenLogprobs(tuple(ids[first:]), values)), len(ids))
        )

    def _read(self, kind: type[_T], reply: Response) -> _T:
        try:
            return kind.model_validate_json(reply.body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise self._broken(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None

    def _broken(self, what: str) -> Transient:
        return Transient("malformed_body", f"{self.where}: {what}")

    async def close(self) -> None:
        await self._tokenize.close()
        await self._complete.close()

"""vLLM's scores as if they were chat completions: the number that a reward model gives a
conversation (`Classify`), and the log-probabilities that a language model gives a text, token by
token (`PromptLogprobs`). The text of such a reply is the score.
"""

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import from_json

from pairwright.errors import EndpointRefused, first_invalid
from pairwright.models import CONTEXT_LENGTH, Request
from pairwright.models.client.connection import Connection
from pairwright.models.client.wire import Response, Transient, headers_for, stand_in
from pairwright.models.model import bytes_of


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


def score_reply(score: float, prompt_tokens: int) -> bytes:
    """The body of a chat completion that says it. A score that is not a number is stored as
    `nan`."""
    return chat_reply(repr(score) if math.isfinite(score) else "nan", prompt_tokens)


def chat_reply(text: str, prompt_tokens: int) -> bytes:
    """The body of a chat completion that says it, of a model that reads and writes nothing."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 0}
    return json.dumps({"object": "score", "choices": [choice], "usage": usage}).encode()


LEAST = -9999.0
"""What vLLM puts in place of minus infinity and of NaN: JSON has neither."""


class TokenLogprobs(NamedTuple):
    """The tokens of a response, each with its log-probability after all before it (base e)."""

    ids: tuple[int, ...]
    log_probabilities: tuple[float, ...]

    @property
    def total(self) -> float:
        """log pi(y|x): the sum, exactly rounded."""
        return math.fsum(self.log_probabilities)

    @property
    def finite(self) -> bool:
        """Whether every one is a number."""
        return all(math.isfinite(value) and value > LEAST for value in self.log_probabilities)


class _Stored(BaseModel, strict=True):
    ids: tuple[int, ...]
    log_probabilities: tuple[float | None, ...]
    """None: no number."""


def to_text(tokens: TokenLogprobs) -> str:
    """JSON: a value that is not a number is null."""
    values = (round(one, 9) if math.isfinite(one) else None for one in tokens.log_probabilities)
    return _Stored(ids=tokens.ids, log_probabilities=tuple(values)).model_dump_json()


def of_text(text: str) -> TokenLogprobs:
    """What `to_text` wrote; null is NaN. Raises ValueError for anything else."""
    try:
        stored = _Stored.model_validate_json(text)
    except ValidationError:
        raise ValueError("no list of tokens") from None
    ids, values = stored.ids, stored.log_probabilities
    if len(ids) != len(values):
        raise ValueError(f"{len(values)} log-probabilities of {len(ids)} tokens")
    return TokenLogprobs(ids, tuple(math.nan if one is None else one for one in values))


_T = TypeVar("_T", bound=BaseModel)


async def _posted(connection: Connection, where: str, body: bytes, kind: type[_T]) -> _T | Response:
    """The reply as a record; what came where it is a refusal. Raises Transient for another body."""
    reply = await connection.post(body)
    if not 200 <= reply.status < 300:
        return reply
    try:
        return kind.model_validate_json(reply.body)
    except ValidationError as error:
        raise _broken(where, ": ".join(first_invalid(error))) from None


def _broken(where: str, what: str) -> Transient:
    return Transient("malformed_body", f"{where}: {what}")


class Classify:
    """The `Wire` to one server's `/classify`, which is beside `/v1`.

    A chat completion's messages go in, and the served model's own chat template is put around them.
    By default vLLM gives probabilities, which are equal for very good responses; with
    `use_activation: false` it gives the raw logits, in the field called `probs`.
    """

    def __init__(self, base_url: str, api_key: str | None, timeout_s: float) -> None:
        root = base_url.rstrip("/").removesuffix("/v1")
        self._connection = Connection(root, headers_for(api_key), timeout_s, "classify")
        self.where = f"{root}/classify"

    async def post(self, body: bytes, request: Request | None = None) -> Response:  # noqa: ARG002
        """Raises Transient for a reply without a number for each class, EndpointRefused for a model
        whose classes are not a score."""
        asked = from_json(body)
        sent = {"model": asked["model"], "messages": asked["messages"], "use_activation": False}
        classified = await _posted(self._connection, self.where, bytes_of(sent), _ClassReply)
        if isinstance(classified, Response):
            return classified
        classes = classified.data[0]
        if len(classes.probs) != classes.num_classes:
            wanted = f"{len(classes.probs)} scores for {classes.num_classes} classes"
            raise _broken(self.where, wanted)
        try:
            score = score_of(classes.probs)
        except ValueError as error:
            raise EndpointRefused(
                f"{self.where}: {asked['model']}: {error}\n"
                "  Serve a reward model with one output, or a classifier of good and bad."
            ) from None
        return Response(200, score_reply(score, classified.usage.prompt_tokens))

    async def close(self) -> None:
        await self._connection.close()


class _Class(BaseModel, strict=True):
    probs: list[float] = Field(min_length=1)
    num_classes: int


class _Usage(BaseModel, strict=True):
    prompt_tokens: int = 0


class _ClassReply(BaseModel, strict=True):
    data: list[_Class] = Field(min_length=1, max_length=1)
    usage: _Usage = _Usage()


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


class PromptLogprobs:
    """The `Wire` to one vLLM server's log-probabilities of a given response, the last message.

    Prompt and response are tokenized apart and put together, as when the policy writes: the prompt
    with the chat template and what opens an answer, the response as it is. Then one token is asked
    for after both, with `prompt_logprobs`, which are those of what was given. The end of the answer
    is not part of it: what a template writes there differs, and some of it no policy writes.
    """

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
        found = await _posted(self._tokenize, self.where, bytes_of(body), _Tokenized)
        if isinstance(found, _Tokenized):
            return found
        if found.status in (404, 405) and b"does not exist" not in found.body:
            raise EndpointRefused(f"{self.where}: {found.status} for /tokenize\n{_FIX}")
        return found

    async def _logprobs(self, model: str, ids: list[int], first: int) -> Response:
        body = {
            "model": model, "prompt": ids, "prompt_logprobs": 0, "max_tokens": 1,
            "temperature": 0.0,
        }  # fmt: skip
        asked = bytes_of(body)
        completed = await _posted(self._complete, self.where, asked, _Completed)
        if isinstance(completed, Response):
            return completed
        found = completed.choices[0].prompt_logprobs
        if found is None:
            raise EndpointRefused(f"{self.where}: its replies have no prompt_logprobs\n{_FIX}")
        if len(found) != len(ids):
            what = f"log-probabilities of {len(found)} tokens, and {len(ids)} were sent"
            raise _broken(self.where, what)
        values = list[float]()
        for place in range(first, len(ids)):
            token = (found[place] or {}).get(ids[place])
            if token is None:
                what = f"no log-probability of token {place}, which is {ids[place]}"
                raise _broken(self.where, what)
            values.append(token.logprob)
        tokens = TokenLogprobs(tuple(ids[first:]), tuple(values))
        return Response(200, chat_reply(to_text(tokens), len(ids)))

    async def close(self) -> None:
        await self._tokenize.close()
        await self._complete.close()

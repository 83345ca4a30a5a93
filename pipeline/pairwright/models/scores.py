"""vLLM's scores as if they were chat completions: the number that a reward model gives a
conversation (`Classify`), and the log-probabilities that a language model gives a text, token by
token (`PromptLogprobs`). The text of such a reply is the score.
"""

import json
import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, Field, ValidationError

from pairwright.errors import EndpointRefused, first_invalid
from pairwright.models.model import Request
from pairwright.models.refusals import Response, Transient, stand_in
from pairwright.models.reply import CONTEXT_LENGTH
from pairwright.models.server import Server


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


def to_text(tokens: TokenLogprobs) -> str:
    """JSON: a value that is not a number is null."""
    values = [round(one, 9) if math.isfinite(one) else None for one in tokens.log_probabilities]
    return json.dumps({"ids": tokens.ids, "log_probabilities": values}, separators=(",", ":"))


def of_text(text: str) -> TokenLogprobs:
    """What `to_text` wrote; null is NaN. Raises ValueError for anything else."""
    try:
        stored = json.loads(text)
        pairs = tuple(zip(stored["ids"], stored["log_probabilities"], strict=True))
        return TokenLogprobs(
            tuple(int(token) for token, _ in pairs),
            tuple(math.nan if value is None else float(value) for _, value in pairs),
        )
    except (TypeError, LookupError) as error:
        raise ValueError(f"no list of tokens: {error}") from None


_T = TypeVar("_T", bound=BaseModel)


class _Refused(Exception):
    """What came in place of a reply."""

    def __init__(self, reply: Response) -> None:
        super().__init__()
        self.reply = reply


class ScoringServer(Server):
    """A client of vLLM's server whose replies are no chat completions."""

    async def post(self, request: Request) -> Response:
        try:
            return Response(200, await self.scored(request))
        except _Refused as refused:
            return refused.reply

    @abstractmethod
    async def scored(self, request: Request) -> bytes:
        """The score as a chat completion. Raises Transient for a reply that does not answer the
        request, EndpointRefused for an endpoint that has no such scores."""

    async def _asked(self, url: str, body: dict[str, Any], kind: type[_T]) -> _T:
        """The reply as a record. Raises _Refused for a refusal, Transient for another body."""
        reply = await self.exchange(url, body)
        if not 200 <= reply.status < 300:
            raise _Refused(reply)
        try:
            return kind.model_validate_json(reply.body)
        except ValidationError as error:
            raise self._broken(": ".join(first_invalid(error))) from None

    def _broken(self, what: str) -> Transient:
        return Transient("malformed_body", f"{self.where}: {what}")

    @property
    def _root(self) -> str:
        return self._base_url.removesuffix("/v1")


class _Class(BaseModel, strict=True):
    probs: list[float] = Field(min_length=1)
    num_classes: int


class _Usage(BaseModel, strict=True):
    prompt_tokens: int = 0


class _ClassReply(BaseModel, strict=True):
    data: list[_Class] = Field(min_length=1, max_length=1)
    usage: _Usage = _Usage()


class Classify(ScoringServer):
    """A client of one server's `/classify`, which is beside `/v1`.

    Messages go in, and the served model's own chat template is put around them. By default vLLM
    gives probabilities, which are equal for very good responses; with `use_activation: false` it
    gives the raw logits, in the field called `probs`.
    """

    @property
    def where(self) -> str:
        return f"{self._root}/classify"

    async def scored(self, request: Request) -> bytes:
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        sent = {"model": request.model, "messages": messages, "use_activation": False}
        classified = await self._asked(self.where, sent, _ClassReply)
        classes = classified.data[0]
        if len(classes.probs) != classes.num_classes:
            raise self._broken(f"{len(classes.probs)} scores for {classes.num_classes} classes")
        try:
            score = score_of(classes.probs)
        except ValueError as error:
            raise EndpointRefused(
                f"{self.where}: {request.model}: {error}\n"
                "  Serve a reward model with one output, or a classifier of good and bad."
            ) from None
        return score_reply(score, classified.usage.prompt_tokens)


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


class PromptLogprobs(ScoringServer):
    """A client of one vLLM server's log-probabilities of a given response, the last message.

    Prompt and response are tokenized apart and put together, as when the policy writes: the prompt
    with the chat template and what opens an answer, the response as it is. Then one token is asked
    for after both, with `prompt_logprobs`, which are those of what was given. The end of the answer
    is not part of it: what a template writes there differs, and some of it no policy writes.
    """

    async def scored(self, request: Request) -> bytes:
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        model, response = request.model, messages[-1]["content"]
        opening = await self._tokens(
            {"model": model, "messages": messages[:-1], "add_generation_prompt": True}
        )
        answer = await self._tokens(
            {"model": model, "prompt": response, "add_special_tokens": False}
        )
        ids, most = opening.tokens + answer.tokens, opening.max_model_len
        if len(ids) >= most:
            said = f"{len(ids)} tokens, and the model reads {most} and writes one"
            return stand_in(CONTEXT_LENGTH, said)
        tokens = await self._logprobs(model, ids, len(opening.tokens))
        return chat_reply(to_text(tokens), len(ids))

    async def _tokens(self, body: dict[str, Any]) -> _Tokenized:
        try:
            return await self._asked(f"{self._root}/tokenize", body, _Tokenized)
        except _Refused as refused:
            status, said, _ = refused.reply
            if status in (404, 405) and b"does not exist" not in said:
                raise EndpointRefused(f"{self.where}: {status} for /tokenize\n{_FIX}") from None
            raise

    async def _logprobs(self, model: str, ids: list[int], first: int) -> TokenLogprobs:
        body = {
            "model": model, "prompt": ids, "prompt_logprobs": 0, "max_tokens": 1,
            "temperature": 0.0,
        }  # fmt: skip
        completed = await self._asked(f"{self._base_url}/completions", body, _Completed)
        found = completed.choices[0].prompt_logprobs
        if found is None:
            raise EndpointRefused(f"{self.where}: its replies have no prompt_logprobs\n{_FIX}")
        if len(found) != len(ids):
            raise self._broken(
                f"log-probabilities of {len(found)} tokens, and {len(ids)} were sent"
            )
        values = list[float]()
        for place in range(first, len(ids)):
            token = (found[place] or {}).get(ids[place])
            if token is None:
                raise self._broken(f"no log-probability of token {place}, which is {ids[place]}")
            values.append(token.logprob)
        return TokenLogprobs(tuple(ids[first:]), tuple(values))

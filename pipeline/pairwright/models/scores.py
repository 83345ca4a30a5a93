"""vLLM's scores as if they were chat completions: the number that a reward model gives a
conversation (`Classify`), and the log-probabilities that a language model gives a text, token by
token (`PromptLogprobs`). The text of such a reply is the score.
"""

import json
import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from pairwright.errors import EndpointRefused
from pairwright.models.call import CONTEXT_LENGTH, Request, Response, Transient, body_of
from pairwright.models.client import Server
from pairwright.records import Record

LEAST = -9999.0
"""The values that vLLM writes for minus infinity and NaN: JSON has neither."""


def score_of(logits: Sequence[float]) -> float:
    """The one logit of a model with one output; of a classifier with two classes the log-odds of
    the last, log p - log (1 - p), which order as its probability does and do not stop at 1.

    More outputs are ratings or several aims, and which of them is the reward only their maker
    knows: ValueError.
    """
    if len(logits) == 1:
        return logits[0]
    if len(logits) == 2:
        return logits[1] - logits[0]
    raise ValueError(f"the model has {len(logits)} outputs, and none of them is the score")


def score_reply(score: float, prompt_tokens: int) -> bytes:
    """The body of a chat completion that says it. A score that is not a number is stored as
    `nan`."""
    text = repr(score) if math.isfinite(score) else "nan"
    return body_of(text, kind="score", prompt_tokens=prompt_tokens)


class TokenLogprobs(Record):
    """The tokens of a response, each with its log-probability after all before it (base e); None
    for one that is not a number. Its JSON is the text of a reply."""

    ids: tuple[int, ...]
    log_probabilities: tuple[float | None, ...]

    @property
    def total(self) -> float | None:
        """log pi(y|x): the sum, exactly rounded; None if a token has none."""
        values = [one for one in self.log_probabilities if one is not None]
        return math.fsum(values) if len(values) == len(self.ids) else None


class _Refused(Exception):
    def __init__(self, reply: Response) -> None:
        super().__init__(reply.status)
        self.reply = reply


class ScoringServer(Server):
    """A client of vLLM's server whose replies are no chat completions."""

    async def post(self, request: Request) -> Response:
        try:
            return Response(200, await self.scored(request))
        except _Refused as refused:
            return refused.reply
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            why = f"({type(error).__name__}: {error})"
        said = f"{self.where}: not the scores of what was sent {why:.500}"
        raise Transient("malformed_body", said)

    @abstractmethod
    async def scored(self, request: Request) -> bytes:
        """The score as a chat completion. Raises EndpointRefused for an endpoint that has none, and
        ValueError and its like for a reply that does not answer the request."""

    async def _asked(self, path: str, model: str, **body: Any) -> Any:
        url = f"{self._base_url.removesuffix('/v1')}{path}"
        reply = await self.exchange(url, {"model": model, **body})
        if not 200 <= reply.status < 300:
            raise _Refused(reply)
        return json.loads(reply.body)


class Classify(ScoringServer):
    """A client of one server's `/classify`, which is beside `/v1`.

    Messages go in, and the served model's own chat template is put around them. By default vLLM
    gives probabilities, which are equal for very good responses; with `use_activation: false` it
    gives the raw logits, in the field called `probs`.
    """

    @property
    def where(self) -> str:
        return f"{self._base_url.removesuffix('/v1')}/classify"

    async def scored(self, request: Request) -> bytes:
        reply = await self._asked(
            "/classify", request.model, messages=request.spoken, use_activation=False
        )
        (classes,) = reply["data"]
        logits = [float(value) for value in classes["probs"]]
        if not 0 < len(logits) == classes["num_classes"]:
            raise ValueError(f"{len(logits)} scores for {classes['num_classes']} classes")
        try:
            score = score_of(logits)
        except ValueError as error:
            raise EndpointRefused(
                f"{self.where}: {request.model}: {error}\n"
                "  Serve a reward model with one output, or a classifier of good and bad."
            ) from None
        return score_reply(score, reply.get("usage", {}).get("prompt_tokens", 0))


_FIX = "  Log-probabilities are asked of vLLM: give the base_url of `vllm serve MODEL`."


class PromptLogprobs(ScoringServer):
    """A client of one vLLM server's log-probabilities of a given response, the last message.

    Prompt and response are tokenized apart and put together, as when the policy writes: the prompt
    with the chat template and what opens an answer, the response as it is. Then one token is asked
    for after both, with `prompt_logprobs`, which are those of what was given. The end of the answer
    is not part of it: what a template writes there differs, and some of it no policy writes.
    """

    async def scored(self, request: Request) -> bytes:
        (*messages, last), model, path = request.spoken, request.model, "/tokenize"
        try:
            opening = await self._asked(path, model, messages=messages, add_generation_prompt=True)
            text = last["content"]
            answer = await self._asked(path, model, prompt=text, add_special_tokens=False)
        except _Refused as refused:
            reply = refused.reply
            if reply.status in (404, 405) and b"does not exist" not in reply.body:
                said = f"{self.where}: {reply.status} for /tokenize\n{_FIX}"
                raise EndpointRefused(said) from None
            raise
        ids, most = [*opening["tokens"], *answer["tokens"]], opening["max_model_len"]
        if len(ids) >= most:
            why = f"{len(ids)} tokens, and the model reads {most} and writes one"
            return body_of(why, CONTEXT_LENGTH, kind="error")
        reply = await self._asked(
            "/v1/completions", model, prompt=ids, prompt_logprobs=0, max_tokens=1, temperature=0.0
        )
        found = reply["choices"][0].get("prompt_logprobs")
        if found is None:
            raise EndpointRefused(f"{self.where}: its replies have no prompt_logprobs\n{_FIX}")
        if len(found) != len(ids):
            raise ValueError(f"log-probabilities of {len(found)} tokens, and {len(ids)} were sent")
        given = list(zip(ids, found, strict=True))[len(opening["tokens"]) :]
        told = [float(one[str(token)]["logprob"]) for token, one in given]
        tokens = TokenLogprobs(
            ids=tuple(token for token, _ in given),
            log_probabilities=tuple(round(one, 9) if one > LEAST else None for one in told),
        )
        return body_of(tokens.model_dump_json(), kind="score", prompt_tokens=len(ids))

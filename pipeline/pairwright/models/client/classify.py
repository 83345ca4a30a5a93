"""vLLM's `/classify` as if it were chat completions: the text of a reply is the model's score.

A chat completion's messages go in, and the served model's own chat template is put around them.
By default vLLM gives probabilities, which are equal for very good responses; with
`use_activation: false` it gives the raw logits, in the field called `probs`.
"""

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import from_json

from pairwright.errors import EndpointRefused
from pairwright.models import Request
from pairwright.models.client.connection import Connection
from pairwright.models.client.headers import headers_for
from pairwright.models.client.openai_body import bytes_of
from pairwright.models.client.stored_scores import score_of, score_reply
from pairwright.models.client.wire import Response, Transient


class Classify:
    """The `Wire` to one server's `/classify`, which is beside `/v1`."""

    def __init__(self, base_url: str, api_key: str | None, timeout_s: float) -> None:
        root = base_url.rstrip("/").removesuffix("/v1")
        self._connection = Connection(root, headers_for(api_key), timeout_s, "classify")
        self.where = f"{root}/classify"

    async def post(self, body: bytes, request: Request | None = None) -> Response:  # noqa: ARG002
        """Raises Transient for a reply without a number for each class, EndpointRefused for a model
        whose classes are not a score."""
        asked = from_json(body)
        sent = {"model": asked["model"], "messages": asked["messages"], "use_activation": False}
        reply = await self._connection.post(bytes_of(sent))
        if not 200 <= reply.status < 300:
            return reply
        try:
            classified = _Found.model_validate_json(reply.body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise Transient("malformed_body", f"{self.where}: {place}: {first['msg']}") from None
        classes = classified.data[0]
        if len(classes.probs) != classes.num_classes:
            wanted = f"{len(classes.probs)} scores for {classes.num_classes} classes"
            raise Transient("malformed_body", f"{self.where}: {wanted}")
        try:
            score = score_of(classes.probs)
        except ValueError as error:
            raise EndpointRefused(
                f"{self.where}: {asked['model']}: {error}\n"
                "  Serve a reward model with one output, or a classifier of good and bad."
            ) from None
        return Response(reply.status, score_reply(score, classified.usage.prompt_tokens))

    async def close(self) -> None:
        await self._connection.close()


class _Class(BaseModel, strict=True):
    probs: list[float] = Field(min_length=1)
    num_classes: int


class _Usage(BaseModel, strict=True):
    prompt_tokens: int = 0


class _Found(BaseModel, strict=True):
    data: list[_Class] = Field(min_length=1, max_length=1)
    usage: _Usage = _Usage()

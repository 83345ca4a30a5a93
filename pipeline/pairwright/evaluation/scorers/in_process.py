"""Scorers in this process behind the model seam: requests come one by one, and are answered in
batches.

While a scorer is busy others gather; what has gathered goes through a model sorted by length. The
model is loaded at the first request, so that a run over stored scores needs neither torch nor a
GPU.
"""

import asyncio
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

import jinja2
from pydantic import Field

from pairwright.assets import DOCS, install
from pairwright.errors import ConfigError, PairwrightError
from pairwright.evaluation.scorers.score_models import RewardModel
from pairwright.evaluation.session import (
    IN_PROCESS_PAIRS,
    Opened,
    OpenScorer,
    ScorerSession,
    canonical,
    ref_of,
)
from pairwright.models import CONTEXT_LENGTH, Completion, Request, completion_of
from pairwright.models.call import body_of
from pairwright.models.client import Client, Meter
from pairwright.models.connect import Say
from pairwright.models.scores import score_reply
from pairwright.models.store import Store
from pairwright.records import Record
from pairwright.settings.prompt import Message

SHORTEST = 0.8
"""The least length in a batch, as a share of its longest: no more than a fifth of what is computed
is padding."""
TORCH_MODELS = "pairwright.evaluation.scorers.torch_models"
GATHER_S = 0.005
"""The time that the first call of a batch waits for others, in seconds."""


class Classifier(Record):
    """A sequence-classification reward model, by transformers in this process (extra
    `[evaluate]`)."""

    kind: Literal["classifier"]
    model: str = Field(description="a folder or a Hugging Face id")
    revision: str | None = Field(None, description="revision of the model")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        "auto", description="'auto': bfloat16 on a GPU, float32 on a CPU"
    )
    batch_tokens: int = Field(
        16_384, ge=1, description="maximum tokens of one forward pass, padding included"
    )

    def open(self, name: str, session: ScorerSession) -> OpenScorer:
        """Bind the model, which is loaded at the first request."""
        local = InProcess(name, self, session.calls.meter, session.calls.store, session.calls.say)
        decides = canonical(self.model_dump(include={"kind", "dtype"}))
        scorer = RewardModel(local, self.model, self.revision, decides)
        ref = ref_of(name, self.kind, self.model, self.revision, decides)
        return Opened(scorer, ref, IN_PROCESS_PAIRS, (local,))


class BatchClient(Client):
    """A client with a queue: while some requests are answered, others gather, and are answered
    next."""

    def __init__(self, meter: Meter, store: Store | None) -> None:
        super().__init__(meter, store)
        self._waiting: list[tuple[Request, asyncio.Future[bytes]]] = []
        self._working: asyncio.Task[None] | None = None

    async def __aexit__(self, *_: object) -> None:
        # A batch under way in its thread cannot be broken off; it is waited for.
        self.stop()
        if self._working:
            await self._working

    async def fetch(self, request: Request) -> Completion:
        """Wait for a score as a stored reply. Raises BudgetSpent, Interrupted, and what answering
        raises."""
        with self.meter.sending():
            reply: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
            self._waiting.append((request, reply))
            if self._working is None or self._working.done():
                self._working = asyncio.create_task(self._work())
            body = await reply
        return completion_of(request.key, body)

    @abstractmethod
    def answers(self, requests: Sequence[Request]) -> AsyncIterator[tuple[int, bytes]]:
        """Give each request's place with the body of its reply, in any order; what it raises, all
        requests without a reply raise."""

    async def _work(self) -> None:
        """Answer what is waiting, until nothing is."""
        await asyncio.sleep(GATHER_S)
        while self._waiting:
            gathered, self._waiting = self._waiting, []
            try:
                async for place, body in self.answers([request for request, _ in gathered]):
                    if not gathered[place][1].done():  # The asker may have been cancelled.
                        gathered[place][1].set_result(body)
            except Exception as error:
                # Each asker hears of it; nobody awaits this task but the end.
                for _, reply in gathered:
                    if not reply.done():
                        reply.set_exception(error)


TokenizedText = tuple[int, ...]


class ChatTokens(NamedTuple):
    """The tokens of conversations, as transformers' `apply_chat_template` and vLLM have them: the
    chat template alone says them, so a beginning-of-text token is there once or not at all."""

    tokenizer: Any
    """The tokenizer of transformers."""
    where: str
    model: str

    def check(self) -> None:
        """Check that a conversation can be read whole. Raises ConfigError."""
        probe = self._text((Message("user", "asked"), Message("assistant", "answered")))
        if "asked" not in probe or "answered" not in probe:
            why = "it has no chat template with both messages of a conversation"
            raise unusable_model(self.where, self.model, why)

    def whole(self, messages: Sequence[Message]) -> TokenizedText:
        """The tokens of a whole conversation."""
        # Verbose, it warns of texts over its limit, which are counted elsewhere.
        whole = self._text(messages)
        return tuple(self.tokenizer(whole, add_special_tokens=False, verbose=False)["input_ids"])

    def _text(self, messages: Sequence[Message]) -> str:
        if not self.tokenizer.chat_template:
            return ""
        conversation = [message._asdict() for message in messages]
        try:
            return str(self.tokenizer.apply_chat_template(conversation, tokenize=False))
        except jinja2.TemplateError as error:
            why = f"its chat template fails: {error}"
            raise unusable_model(self.where, self.model, why) from None


def batch_places(texts: Sequence[TokenizedText], tokens: int) -> Iterator[list[int]]:
    """Places of all texts, in groups of at most `tokens` tokens, padding included.

    The longest come first: what does not fit into memory is known at once. A text that is longer
    than `tokens` goes alone.
    """
    batch: list[int] = []
    for place in sorted(range(len(texts)), key=lambda place: -len(texts[place])):
        longest = len(texts[batch[0]]) if batch else 0
        full = (len(batch) + 1) * longest > tokens
        if batch and (full or len(texts[place]) < SHORTEST * longest):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def unusable_model(where: str, model: str, what: str) -> ConfigError:
    """The error for a model that cannot score."""
    here, fix = Path(model).resolve(), f"Name another; {DOCS / 'evaluate.md'} says which score."
    taken = "" if here.is_dir() else f" There is no folder {here}: it is taken for an id."
    return ConfigError(f"{model}: {what}", where=where, fix=f"{fix}{taken}")


class InProcess(BatchClient):
    """One reward model in this process."""

    def __init__(
        self, name: str, spec: Classifier, meter: Meter, store: Store | None, say: Say
    ) -> None:
        """`say` tells people that the model is being loaded, and when it is ready."""
        super().__init__(meter, store)
        self._where, self._spec, self._say = f"[scorers.{name}]", spec, say
        self._model: Any = None

    async def __aexit__(self, *_: object) -> None:
        await super().__aexit__()
        self._model = None

    async def answers(self, requests: Sequence[Request]) -> AsyncIterator[tuple[int, bytes]]:
        """Score the conversations, or say that one does not fit. Raises ConfigError where the model
        cannot be used."""
        self.go_on()
        model = self._model = self._model or await self._load()
        texts = await asyncio.to_thread(lambda: [model.read(one.messages) for one in requests])
        fitting = [place for place, text in enumerate(texts) if len(text) <= model.limit]
        for place in set(range(len(texts))) - set(fitting):
            detail = f"{len(texts[place])} tokens, and the model reads {model.limit}"
            yield place, body_of(detail, CONTEXT_LENGTH, kind="error")
        for batch in batch_places([texts[place] for place in fitting], self._spec.batch_tokens):
            self.go_on()
            places = [fitting[place] for place in batch]
            scores = await asyncio.to_thread(model.scores, [texts[place] for place in places])
            # All are there before the first is handed on.
            for place, score in list(zip(places, scores, strict=True)):
                yield place, score_reply(score, len(texts[place]))

    async def _load(self) -> Any:
        if find_spec("torch") is None or find_spec("transformers") is None:
            fix = f"Run {install('evaluate')}; or have vLLM serve it and use kind = 'served'."
            where = f"{self._where} kind = {self._spec.kind!r}"
            raise ConfigError("torch and transformers are not installed", where=where, fix=fix)
        self._say(f"{self._where} {self._spec.model} is being loaded")
        began = time.monotonic()
        try:
            # To import torch takes seconds.
            models = await asyncio.to_thread(import_module, TORCH_MODELS)
            loaded = await asyncio.to_thread(models.load, self._where, self._spec)
        except PairwrightError:
            raise
        except Exception as error:  # What torch, transformers, the files and the machine raise.
            what = f"cannot be loaded: {str(error) or type(error).__name__}"
            raise unusable_model(self._where, self._spec.model, what) from None
        self._say(f"{self._where} is ready after {time.monotonic() - began:.0f} s")
        return loaded

"""A reward model in this process behind the model seam.

Requests come one by one and are answered in batches: while the model is busy others gather, and
what has gathered goes through it sorted by length. The model is loaded at the first request, so
that a run over stored scores needs neither torch nor a GPU.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Protocol

from pairwright.errors import ConfigError, Interrupted, PairwrightError
from pairwright.evaluate.local.conversation import TokenizedText, batch_places
from pairwright.evaluate.local.gathering import Gathering, QueuedCall
from pairwright.evaluate.scorers.spec import Classifier, Dpo, Likelihood
from pairwright.extras import install
from pairwright.models import CONTEXT_LENGTH, Answer, Request, completion_of
from pairwright.models.client import Meter
from pairwright.models.client.scores import TokenLogprobs, chat_reply, score_reply, to_text
from pairwright.models.client.wire import stand_in
from pairwright.settings.prompt_variables import Message


class LocalModel(Protocol):
    """A model that is ready. Both methods are called in a thread, one at a time."""

    limit: int
    """Tokens of the longest text that it reads."""

    def read(self, messages: tuple[Message, ...]) -> TokenizedText:
        """The tokens of a conversation. Raises ConfigError for a model without a usable chat
        template."""
        ...

    def scores(self, texts: list[TokenizedText]) -> Sequence[float | TokenLogprobs]:
        """A score for each text. Raises ConfigError where one alone does not fit into memory."""
        ...


class InProcess:
    """The `Sender` of one reward model in this process. Use as an async context manager."""

    def __init__(
        self,
        name: str,
        spec: Classifier | Dpo | Likelihood,
        meter: Meter,
        say: Callable[[str], None],
    ) -> None:
        """`say` tells people that the model is being loaded, and when it is ready."""
        self._where = f"[scorers.{name}]"
        self._spec = spec
        self._meter = meter
        self._say = say
        self._gathering = Gathering[Request](self._answer)
        self._model: LocalModel | None = None
        self._stopped = False

    async def __aenter__(self) -> "InProcess":
        return self

    async def __aexit__(self, *_: object) -> None:
        """A batch under way in its thread cannot be broken off; it is waited for."""
        self.stop()
        await self._gathering.finished()
        self._model = None

    def stop(self) -> None:
        """Let the batch under way finish, and begin no other."""
        self._stopped = True

    async def send(self, request: Request) -> Answer:
        """A score, or that the conversation does not fit.

        Raises ConfigError where the model cannot be used, BudgetSpent and Interrupted.
        """
        self._meter.admit()
        self._meter.sent += 1
        self._meter.in_flight += 1
        try:
            body = await self._gathering.ask(request)
        finally:
            self._meter.in_flight -= 1
        completion = completion_of(request.key, body)
        self._meter.answered(completion.prompt_tokens, 0, 0.0)
        return Answer(body, completion)

    async def _answer(self, gathered: list[QueuedCall[Request]]) -> None:
        model = await self._started()
        conversations = [waiting.call.messages for waiting in gathered]
        read = await asyncio.to_thread(lambda: [model.read(messages) for messages in conversations])
        fitting = []
        for waiting, text in zip(gathered, read, strict=True):
            if len(text.ids) > model.limit:
                detail = f"{len(text.ids)} tokens, and the model reads {model.limit}"
                waiting.answer(stand_in(CONTEXT_LENGTH, detail))
            else:
                fitting.append((waiting, text))
        texts = [text for _, text in fitting]
        for places in batch_places(texts, self._spec.batch_tokens):
            self._go_on()
            began = time.monotonic()
            scores = await asyncio.to_thread(model.scores, [texts[place] for place in places])
            # While a text waited for its batch, others were computed.
            self._meter.seconds += len(places) * (time.monotonic() - began)
            # All are there before the first is handed on.
            for place, score in list(zip(places, scores, strict=True)):
                waiting, text = fitting[place]
                waiting.answer(_body(score, len(text.ids)))

    def _go_on(self) -> None:
        if self._stopped:
            raise Interrupted("interrupted; every finished call is stored, run again to go on")

    async def _started(self) -> LocalModel:
        self._go_on()
        if self._model is None:
            self._model = await self._load()
        return self._model

    async def _load(self) -> LocalModel:
        if find_spec("torch") is None or find_spec("transformers") is None:
            raise ConfigError(
                "torch and transformers are not installed",
                where=f"{self._where} kind = {self._spec.kind!r}",
                fix=f"Run {install('evaluate')}; or have vLLM serve the model and use"
                " kind = 'served'.",
            )
        self._say(f"{self._where} {self._spec.model} is being loaded")
        began = time.monotonic()
        try:
            models = await asyncio.to_thread(_imported)
            loaded: LocalModel = await asyncio.to_thread(models.load, self._where, self._spec)
        except PairwrightError:
            raise
        except Exception as error:  # What torch, transformers, the files and the machine raise.
            raise ConfigError(
                f"{self._spec.model!r} cannot be loaded: {str(error) or type(error).__name__}",
                where=self._where,
                fix="Name the folder or Hugging Face id of such a model, and a device that is"
                f" there.{self._no_folder()}",
            ) from None
        self._say(f"{self._where} is ready after {time.monotonic() - began:.0f} s")
        return loaded

    def _no_folder(self) -> str:
        here = Path(self._spec.model).resolve()
        return "" if here.is_dir() else f" (There is no folder {here}, so it is taken for an id.)"


def _body(score: float | TokenLogprobs, prompt_tokens: int) -> bytes:
    if isinstance(score, TokenLogprobs):
        return chat_reply(to_text(score), prompt_tokens)
    return score_reply(score, prompt_tokens)


def _imported() -> ModuleType:
    """Takes seconds, and does so beside the loop."""
    from pairwright.evaluate.local import models

    return models

"""A reward model in this process behind the model seam.

Requests come one by one and are answered in batches: while the model is busy others gather, and
what has gathered goes through it sorted by length. The model is loaded at the first request, so
that a run over stored scores needs neither torch nor a GPU.
"""

import asyncio
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Generic, NamedTuple, Protocol, TypeVar

from pairwright.assets import DOCS
from pairwright.errors import ConfigError, PairwrightError
from pairwright.evaluation.settings import Classifier, Dpo, Likelihood
from pairwright.extras import install
from pairwright.models import CONTEXT_LENGTH, Answer, Request, completion_of
from pairwright.models.client import Client, Meter
from pairwright.models.local_model import TokenizedText
from pairwright.models.refusals import stand_in
from pairwright.models.scores import TokenLogprobs, chat_reply, score_reply, to_text
from pairwright.models.store import Store
from pairwright.settings.prompt import Message

SHORTEST = 0.8
"""The least length in a batch, as a share of its longest: no more than a fifth of what is computed
is padding."""


def batch_places(texts: list[TokenizedText], tokens: int) -> Iterator[list[int]]:
    """Places of all texts, in groups of at most `tokens` tokens, padding included.

    The longest come first: what does not fit into memory is known at once. A text that is longer
    than `tokens` goes alone.
    """
    order = sorted(range(len(texts)), key=lambda place: -len(texts[place].ids))
    batch: list[int] = []
    for place in order:
        longest = len(texts[batch[0]].ids) if batch else 0
        full = (len(batch) + 1) * longest > tokens
        if batch and (full or len(texts[place].ids) < SHORTEST * longest):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def unusable_model(where: str, model: str, what: str) -> ConfigError:
    """The error for a model that cannot score."""
    fix = f"Name another model; {DOCS / 'scorers.md'} says which can be used."
    return ConfigError(f"{model}: {what}", where=where, fix=fix)


T = TypeVar("T")
GATHER_S = 0.005
"""How long the first call waits for those that come with it."""


class QueuedCall(NamedTuple, Generic[T]):
    """A call, and the place of its answer."""

    call: T
    reply: asyncio.Future[bytes]

    def answer(self, body: bytes) -> None:
        """Give the answer to the caller, if it still waits."""
        # The asker may have been cancelled.
        if not self.reply.done():
            self.reply.set_result(body)


class BatchClient(Client, Generic[T]):
    """A client with a queue: while some calls are answered, others gather, and are answered
    next."""

    def __init__(self, meter: Meter, store: Store | None) -> None:
        super().__init__(meter, store)
        self._waiting: list[QueuedCall[T]] = []
        self._working: asyncio.Task[None] | None = None

    async def __aexit__(self, *_: object) -> None:
        # A batch under way in its thread cannot be broken off; it is waited for.
        self.stop()
        if self._working:
            await self._working

    async def _ask(self, call: T) -> bytes:
        """The answer to a call. Raises BudgetSpent, Interrupted, and what answering it raises."""
        with self.meter.sending():
            waiting = QueuedCall(call, asyncio.get_running_loop().create_future())
            self._waiting.append(waiting)
            if self._working is None or self._working.done():
                self._working = asyncio.create_task(self._work())
            return await waiting.reply

    @abstractmethod
    async def _answer(self, gathered: list[QueuedCall[T]]) -> None:
        """Answer all that is given; what it raises, each of them raises."""

    async def _work(self) -> None:
        """Answer what is waiting, until nothing is."""
        await asyncio.sleep(GATHER_S)
        while self._waiting:
            gathered, self._waiting = self._waiting, []
            try:
                await self._answer(gathered)
            except Exception as error:
                # Each asker hears of it; nobody awaits this task but the end.
                for waiting in gathered:
                    if not waiting.reply.done():
                        waiting.reply.set_exception(error)


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


class InProcess(BatchClient[Request]):
    """One reward model in this process."""

    def __init__(
        self,
        name: str,
        spec: Classifier | Dpo | Likelihood,
        meter: Meter,
        store: Store | None,
        say: Callable[[str], None],
    ) -> None:
        """`say` tells people that the model is being loaded, and when it is ready."""
        super().__init__(meter, store)
        self._where = f"[scorers.{name}]"
        self._spec = spec
        self._say = say
        self._model: LocalModel | None = None

    async def __aexit__(self, *_: object) -> None:
        await super().__aexit__()
        self._model = None

    async def fetch(self, request: Request) -> Answer:
        """A score, or that the conversation does not fit.

        Raises ConfigError where the model cannot be used, BudgetSpent and Interrupted.
        """
        body = await self._ask(request)
        return Answer(body, completion_of(request.key, body))

    async def _answer(self, gathered: list[QueuedCall[Request]]) -> None:
        self.go_on()
        if self._model is None:
            self._model = await self._load()
        model = self._model
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
            self.go_on()
            scores = await asyncio.to_thread(model.scores, [texts[place] for place in places])
            # All are there before the first is handed on.
            for place, score in list(zip(places, scores, strict=True)):
                waiting, text = fitting[place]
                n = len(text.ids)
                if isinstance(score, TokenLogprobs):
                    waiting.answer(chat_reply(to_text(score), n))
                else:
                    waiting.answer(score_reply(score, n))

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
                f" there.{_no_folder(self._spec.model)}",
            ) from None
        self._say(f"{self._where} is ready after {time.monotonic() - began:.0f} s")
        return loaded


def _no_folder(model: str) -> str:
    here = Path(model).resolve()
    return "" if here.is_dir() else f" (There is no folder {here}, so it is taken for an id.)"


def _imported() -> ModuleType:
    """Takes seconds, and does so beside the loop."""
    from pairwright.evaluation.scorers import torch_models

    return torch_models

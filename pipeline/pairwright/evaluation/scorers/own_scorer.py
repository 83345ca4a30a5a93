"""A scorer of your own as any other: asked one by one, answered in batches, stored like a call.

    class Short:
        def __init__(self, words: int = 100) -> None: ...
        def score(self, candidates: Sequence[Candidate]) -> Sequence[float | None]: ...

`score` gives one finite number for each candidate, in their order: higher is better, None if it has
no score. It is a plain method, which runs in a thread, or an async one. The object is made once,
with the options as keyword arguments.

The class needs nothing of Pairwright: any object with such a method will do. It is found by
`object = "module:Class"`, and known by a hash of the file that holds it.
"""

import asyncio
import importlib
import inspect
import re
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple, SupportsFloat

from pydantic import Field, JsonValue, field_validator

from pairwright.assets import DOCS
from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.in_process import BatchClient, QueuedCall
from pairwright.evaluation.scorers.opening import (
    IN_PROCESS_PAIRS,
    Opening,
    OpenScorer,
    canonical,
    ref_of,
)
from pairwright.evaluation.scorers.score_models import RewardModel
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore, Unscored
from pairwright.models import Completion
from pairwright.models.client import Meter
from pairwright.models.reply import body_of
from pairwright.models.scores import score_reply
from pairwright.models.store import Store
from pairwright.pairs.conversion import user_message
from pairwright.records import Record

_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_SHAPE = f'{DOCS / "evaluate.md"}, "A class of your own", shows one.'
_NUMBERS = "It must give one finite number, or None, for each candidate, in their order."
_NONE = "none"


class PythonScorer(Record):
    """A scorer of your own: a Python class with a method `score`."""

    kind: Literal["python"]
    object: str = Field(description="module:Class, of a file in `folder` or of what is installed")
    options: dict[str, JsonValue] = Field(
        default={}, description="its keyword arguments; they are part of each stored score's key"
    )
    revision: str | None = Field(
        None, description="any word for what its file does not show, such as weights it loads"
    )
    folder: str = Field(".", description="where the module is, relative to this file's folder")
    batch: int = Field(64, ge=1, description="most responses that it is given at once")

    @field_validator("object")
    @classmethod
    def _a_class(cls, name: str) -> str:
        if not _CLASS.fullmatch(name):
            raise ValueError(f"{name!r} does not name a class: write module:Class")
        return name

    def open(self, name: str, opening: Opening) -> OpenScorer:
        """Find the class. Raises ConfigError as `find_class` does."""
        found = find_class(name, self)
        own = OwnObject(found, self.options, self.batch, opening.meter, opening.store)
        # The hash of the file that defines it is part of what decides its scores.
        decides = canonical({"kind": self.kind, "options": self.options, "code": found.code})
        ref = ref_of(name, self.kind, self.object, self.revision, decides)
        scorer = OwnReward(own, self.object, self.revision, decides, own=own)
        return OpenScorer(scorer, ref, IN_PROCESS_PAIRS, (own,))


class OwnClass(NamedTuple):
    """A class that was found, checked as far as it can be without making an object of it."""

    where: str
    """The class's place in the file of scorers, and its own file; for messages."""
    cls: type
    file: Path
    code: str
    """sha256 of the file that defines it."""


def find_class(name: str, spec: PythonScorer) -> OwnClass:
    """Import the module and look the class up; nothing is made of it yet.

    Raises ConfigError, naming file and class, for a module that cannot be imported, a class that is
    not in it or has no method `score`, and options that it does not take.
    """
    where = f'[scorers.{name}] object = "{spec.object}"'
    module_name, _, class_name = spec.object.partition(":")
    module = _module(where, module_name, Path(spec.folder))
    file = getattr(module, "__file__", None) or module_name
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        known = [key for key, value in vars(module).items() if isinstance(value, type)]
        fix = f"Name one of its classes: {', '.join(known) or 'it has none'}."
        raise ConfigError(f"{file} has no class {class_name}", where=where, fix=fix)
    where = f"{where} ({file}, class {class_name})"
    if not callable(getattr(found, "score", None)):
        raise ConfigError("has no method score(self, candidates)", where=where, fix=_SHAPE)
    signature = inspect.signature(found)
    try:
        signature.bind(**spec.options)
    except TypeError as error:
        fix = f"It takes {signature}; options = {{ NAME = VALUE }} gives them."
        raise ConfigError(f"does not take these options: {error}", where=where, fix=fix) from None
    source = Path(inspect.getfile(found))
    return OwnClass(where, found, source, sha256(source.read_bytes()).hexdigest())


def _module(where: str, name: str, folder: Path) -> ModuleType:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # Anything that the user's module raises.
        raise ConfigError(
            f"the module {name} cannot be imported: {place_of(error, folder)}",
            where=where,
            fix=f'It is looked for in {folder} (folder = "..." names another), then among what is'
            " installed.",
        ) from None


def place_of(error: BaseException, place: Path) -> str:
    """What an exception says, and the line of a file at this place that led to it, or the line that
    raised it."""
    message = f"{type(error).__name__}: {error}".rstrip(": ")
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) or not frames:
        return message
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(place)]
    last = (own or frames)[-1]
    return f"{message} ({last.filename}, line {last.lineno})"


class Candidate(NamedTuple):
    """One response, with what is shown of the person in this condition."""

    question: str
    posts: tuple[str, ...]
    """Earlier posts of the person, oldest first; empty if none are shown."""
    aspects: tuple[str, ...]
    """What the person expects in an answer; empty if none are shown."""
    prompt: str
    """All three as one user's message, as the other reward models read it."""
    response: str


class OwnObject(BatchClient):
    """One such object, which is made at the first request."""

    def __init__(
        self, own: OwnClass, options: dict[str, Any], batch: int, meter: Meter, store: Store | None
    ) -> None:
        """`batch` is the most candidates that it is given at once."""
        super().__init__(meter, store)
        self._own, self._options, self._batch = own, options, batch
        self._object: Any = None
        self.candidates: dict[str, Candidate] = {}
        """What is asked for just now, by the key of its request."""

    async def answer(self, gathered: list[QueuedCall]) -> None:
        """Answer with the object's scores. Raises ConfigError for what the object raises or gives
        back instead of scores."""
        for at in range(0, len(gathered), self._batch):
            self.go_on()
            lot = gathered[at : at + self._batch]
            # A tuple: a class that sorted the candidates in place would mix up their scores.
            candidates = tuple(self.candidates[one.request.key] for one in lot)
            for waiting, score in zip(lot, await self._scores(candidates), strict=True):
                waiting.answer(body_of(_NONE) if score is None else score_reply(score, 0))

    async def _scores(self, candidates: tuple[Candidate, ...]) -> list[float | None]:
        try:
            if self._object is None:
                self._object = await asyncio.to_thread(self._own.cls, **self._options)
            if inspect.iscoroutinefunction(self._object.score):
                reply = await self._object.score(candidates)
            else:
                reply = await asyncio.to_thread(self._object.score, candidates)
        except (Exception, SystemExit) as error:  # Anything that the user's code raises.
            what, fix = place_of(error, self._own.file), "Fix it; what was scored is stored."
            raise ConfigError(what, where=self._own.where, fix=fix) from error
        if wrong := _fault(reply, len(candidates)):
            raise ConfigError(f"score() gave {wrong}", where=self._own.where, fix=_NUMBERS)
        return [None if one is None else float(one) for one in reply]


def _fault(reply: Any, n: int) -> str:
    """What is wrong with a reply that should be n scores; empty if nothing is."""
    # A set has no order, and a mapping's would be that of its keys.
    ordered = hasattr(reply, "__len__") and hasattr(reply, "__getitem__")
    if not ordered or isinstance(reply, str | bytes | Mapping):
        return f"{type(reply).__name__}, and not a list of scores"
    if len(reply) != n:
        return f"{len(reply)} scores for {n} candidates"
    wrong = [one for one in reply if one is not None and not _is_number(one)]
    return f"{wrong[0]!r:.60} as a score" if wrong else ""


def _is_number(score: object) -> bool:
    if isinstance(score, bool | str | bytes) or not isinstance(score, SupportsFloat):
        return False
    try:
        float(score)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


@dataclass(frozen=True)
class OwnReward(RewardModel):
    """A class of your own as a scorer."""

    own: OwnObject = field(kw_only=True)

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """The score of a response. Raises ConfigError for what the object raises, or gives back in
        place of scores."""
        key, posts = self.request(shown, response).key, tuple(post.text for post in shown.posts)
        prompt = user_message(shown.question, shown.posts, shown.aspects)
        self.own.candidates[key] = Candidate(shown.question, posts, shown.aspects, prompt, response)
        try:
            return await super().score(shown, response)
        finally:
            self.own.candidates.pop(key, None)

    def read(self, completion: Completion) -> ResponseScore | Unscored:
        """The score that a stored reply says; a reply without one says so."""
        if completion.text == _NONE:
            return Unscored("no_score", "the scorer gives none")
        return super().read(completion)

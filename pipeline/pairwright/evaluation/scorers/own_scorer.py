"""A scorer of your own is a class with one method:

    class Short:
        def __init__(self, words: int = 100) -> None: ...
        def score(self, candidates: Sequence[Candidate]) -> Sequence[float | None]: ...

`score` gives one finite number for each candidate, in their order: higher is better, None if it has
no score. It is a plain method, which runs in a thread, or an async one. The object is made once,
with the options as keyword arguments. It is found by `object = "module:Class"`, and known by a
hash of the file that holds it.
"""

import asyncio
import inspect
import sys
import traceback
from collections.abc import AsyncIterator, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, JsonValue

from pairwright.assets import DOCS
from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.in_process import BatchClient
from pairwright.evaluation.scorers.score_models import NO_SCORE, RewardModel
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore, Unscored
from pairwright.evaluation.session import (
    IN_PROCESS_PAIRS,
    InFolder,
    Opened,
    OpenScorer,
    ScorerSession,
    ScoringCalls,
    canonical,
    ref_of,
)
from pairwright.models import Request
from pairwright.models.call import body_of
from pairwright.models.scores import score_reply
from pairwright.pairs.conversion import user_message
from pairwright.records import Record


class PythonScorer(Record):
    """A scorer of your own: a Python class with a method `score`."""

    kind: Literal["python"]
    object: str = Field(
        pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$",
        description="module:Class, of a file in `folder` or of what is installed",
    )
    options: dict[str, JsonValue] = Field(
        default={}, description="keyword arguments of the class, part of each score's key"
    )
    revision: str | None = Field(
        None, description="version of what the file does not show, such as weights"
    )
    folder: InFolder = Field(
        ".",
        validate_default=True,
        description="folder of the module, relative to this file",
    )
    batch: int = Field(64, ge=1, description="maximum responses per call of the class")

    def open(self, name: str, session: ScorerSession) -> OpenScorer:
        """Import the module and find the class; nothing is made of it yet. Raises ConfigError,
        naming file and class, for a module that cannot be imported, and a class that is not in it
        or has no method `score`."""
        where = f"scorer {name}, {self.object}"
        module, _, class_name = self.object.partition(":")
        folder = Path(self.folder).resolve()
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        try:
            imported = import_module(module)
        except (Exception, SystemExit) as error:  # Anything that the user's module raises.
            what = f"the module {module} cannot be imported: {place_of(error, folder)}"
            fix = f"It is looked for in {folder}, then among what is installed. A file of scorers"
            fix += ' can name another folder: folder = "...".'
            raise ConfigError(what, where=where, fix=fix) from None
        file, found = (
            getattr(imported, "__file__", None) or module,
            getattr(imported, class_name, None),
        )
        where = f"{where} ({file}, class {class_name})"
        if not isinstance(found, type) or not callable(getattr(found, "score", None)):
            what = "is no class with a method score(self, candidates)"
            fix = f'{DOCS / "evaluate.md"}, "A class of your own", shows one.'
            raise ConfigError(what, where=where, fix=fix)
        try:
            inspect.signature(found).bind(**self.options)
        except TypeError as error:
            what, fix = (
                f"does not take these options: {error}",
                f"It takes {inspect.signature(found)}.",
            )
            raise ConfigError(what, where=where, fix=fix) from None
        # The hash of the file that defines it is part of what decides its scores.
        code = sha256(Path(inspect.getfile(found)).read_bytes()).hexdigest()
        decides = canonical({"kind": self.kind, "options": self.options, "code": code})
        own = OwnScorer(found, where, self, decides, session.calls)
        ref = ref_of(name, self.kind, self.object, self.revision, decides)
        return Opened(own, ref, IN_PROCESS_PAIRS, (own,))


def place_of(error: BaseException, place: Path) -> str:
    """The text of an exception, and the line of a file at this place that led to it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if Path(one.filename).is_relative_to(place)]
    line = f" ({own[-1].filename}, line {own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}".rstrip(": ") + line


class Candidate(NamedTuple):
    """One response, with what is shown of the person in this condition."""

    question: str
    posts: tuple[str, ...]
    """Earlier posts of the person, oldest first; empty if none are shown."""
    aspects: tuple[str, ...]
    """Aspects that the person expects in an answer; empty if none are shown."""
    prompt: str
    """All three as one user's message, as the other reward models read it."""
    response: str


class OwnScorer(BatchClient):
    """One object of such a class, which is made at the first request, as a scorer."""

    def __init__(
        self, cls: type, where: str, spec: PythonScorer, decides: str, calls: ScoringCalls
    ) -> None:
        super().__init__(calls.meter, calls.store)
        self._cls, self._where, self._spec = cls, where, spec
        self._stored = RewardModel(self, spec.object, spec.revision, decides)
        self._object: Any = None
        self._candidates: dict[str, Candidate] = {}
        """The candidates of calls in flight, by the key of the request."""

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        """The score of a response. Raises ConfigError for what the object raises, or gives back in
        place of scores."""
        key = self._stored.request(shown, response).key
        posts = tuple(post.text for post in shown.posts)
        prompt = user_message(shown.question, shown.posts, shown.aspects)
        self._candidates[key] = Candidate(shown.question, posts, shown.aspects, prompt, response)
        try:
            return await self._stored.score(shown, response)
        finally:
            self._candidates.pop(key, None)

    async def answers(self, requests: Sequence[Request]) -> AsyncIterator[tuple[int, bytes]]:
        """Ask the object. Raises ConfigError as `score` does."""
        for at in range(0, len(requests), self._spec.batch):
            self.go_on()
            lot = requests[at : at + self._spec.batch]
            # A tuple: a class that sorted the candidates in place would mix up their scores.
            scores = await self._scores(tuple(self._candidates[one.key] for one in lot))
            for place, score in enumerate(scores, start=at):
                none = body_of("the scorer gives none", NO_SCORE, kind="error")
                yield place, none if score is None else score_reply(score, 0)

    async def _scores(self, candidates: tuple[Candidate, ...]) -> list[float | None]:
        try:
            if self._object is None:
                self._object = await asyncio.to_thread(self._cls, **self._spec.options)
            reply = await asyncio.to_thread(self._object.score, candidates)
            if inspect.isawaitable(reply):
                reply = await reply
        except (Exception, SystemExit) as error:  # Anything that the user's code raises.
            file, given = Path(inspect.getfile(self._cls)), ", ".join(Candidate._fields)
            fix = f"score() is given a tuple of candidates, each with {given}."
            raise ConfigError(place_of(error, file), where=self._where, fix=fix) from error
        try:
            return scores_in(reply, len(candidates))
        except (TypeError, ValueError, OverflowError) as error:
            fix = "It must give one finite number, or None, for each candidate, in their order."
            raise ConfigError(f"score() gave {error}", where=self._where, fix=fix) from None


def scores_in(reply: Any, n: int) -> list[float | None]:
    """The n scores of a reply. Raises TypeError, ValueError or OverflowError for anything else."""
    # A set has no order, and a mapping's would be that of its keys.
    ordered = hasattr(reply, "__len__") and hasattr(reply, "__getitem__")
    if not ordered or isinstance(reply, str | bytes | Mapping):
        raise TypeError(f"{type(reply).__name__}, and not a list of scores")
    if len(reply) != n:
        raise ValueError(f"{len(reply)} scores for {n} candidates")
    for one in reply:
        if isinstance(one, bool | str | bytes):
            raise TypeError(f"{one!r:.60} as a score")
    return [None if one is None else float(one) for one in reply]

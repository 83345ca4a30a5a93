"""Scorers by name, each bound to what answers for it. What each kind needs is with its class: its
table of a file of scorers, and its method `open`."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple, Protocol

from pydantic import AfterValidator, ValidationInfo

from pairwright.errors import ConfigError, near
from pairwright.evaluation.scorers.baselines import BASELINES, Baseline
from pairwright.evaluation.scorers.scorer import ByPair, Pointwise, Scorer, ScorerRef
from pairwright.models import key_of
from pairwright.models.client import Client, Meter
from pairwright.models.connect import Say, say
from pairwright.models.store import Store
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import Prompts

IN_PROCESS_PAIRS = 256
"""Enough texts at once that those of about the same length fill a batch."""


def _placed(path: str, info: ValidationInfo) -> str:
    return str(Path((info.context or {}).get("folder", "")) / path)


InFolder = Annotated[str, AfterValidator(_placed)]
"""A path in a file of settings: relative to its folder."""


class OpenScorer(NamedTuple):
    """A scorer that can be asked."""

    scorer: Scorer
    ref: ScorerRef
    workers: int = 1
    """The number of pairs to score at the same time."""
    clients: tuple[Client, ...] = ()
    """The connections and loaded models, which are closed at the end."""

    def stop(self) -> None:
        """Let what is in flight finish, and send nothing more."""
        for client in self.clients:
            client.stop()


class ScorerTable(Protocol):
    """The table of a scorer in a file of scorers."""

    def open(self, name: str, opening: "Opening", /) -> OpenScorer:
        """Bind the scorer to what answers for it. Raises ConfigError."""


@dataclass(frozen=True)
class Opening:
    """The settings and services with which scorers are opened."""

    scorers: Mapping[str, ScorerTable]
    endpoints: Mapping[str, Endpoint]
    prompts: Prompts
    store: Store | None
    meter: Meter
    say: Say = say

    def bound(self, name: str) -> OpenScorer:
        """Bind a scorer of the file or a baseline; nothing is connected or loaded before it is
        asked for what is not stored. Raises ConfigError for a name that is not there, a key that
        is not set and an endpoint that cannot score."""
        if name in BASELINES:
            return OpenScorer(Baseline(name), ScorerRef(name=name, kind="baseline"))
        if spec := self.scorers.get(name):
            return spec.open(name, self)
        names = [*sorted(self.scorers), *sorted(BASELINES)]
        raise ConfigError(
            f"there is no scorer {name!r}",
            where="--scorer",
            fix=f"Name one of: {', '.join(names)}; or add [scorers.NAME] to the file of"
            f" scorers.{near(name, names)}",
        )

    @asynccontextmanager
    async def scorer(self, name: str) -> AsyncIterator[OpenScorer]:
        """Open a scorer, and close at the end what is connected or loaded. Raises ConfigError.

        A model in this process stays in memory until the block ends, so open one at a time.
        """
        async with AsyncExitStack() as stack:
            opened = self.bound(name)
            for client in opened.clients:
                await stack.enter_async_context(client)
            yield opened

    def check_pointwise(self, names: Iterable[str]) -> None:
        """Check that scorers give a score of a single response, before anything is connected or
        loaded. Raises ConfigError."""
        for name in names:
            pointwise(name, self.bound(name).scorer)


def canonical(decides: object) -> str:
    """JSON of all settings, without the model, that decide a scorer's replies."""
    return json.dumps(decides, sort_keys=True, separators=(",", ":"))


def ref_of(name: str, kind: str, model: str, revision: str | None, decides: str) -> ScorerRef:
    """The exact identity of a scorer."""
    settings = key_of(decides)
    return ScorerRef(name=name, kind=kind, model=model, revision=revision, settings=settings)


def pointwise(name: str, scorer: Scorer) -> Pointwise:
    """A scorer that gives a score of any one response. Raises ConfigError for one that does not."""
    if isinstance(scorer, Pointwise):
        return scorer
    why = "compares two responses, and a score of a single one is wanted"
    if isinstance(scorer, ByPair):
        why = "is a file of scores of pairs, and has none of other responses"
    fix = "Name a scorer of another kind, such as pointwise."
    raise ConfigError(why, where=f"[scorers.{name}]", fix=fix)

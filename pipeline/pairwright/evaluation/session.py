"""Opened scorers, judge and policy of a file of scorers; and the calls to them, stored, counted,
reported and stopped."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import AfterValidator, ValidationInfo

from pairwright.errors import ConfigError, near, on_disk
from pairwright.evaluation.scorers.scorer import (
    BASELINES,
    Baseline,
    ByPair,
    Pointwise,
    Scorer,
    ScorerRef,
)
from pairwright.files import CALLS
from pairwright.models import Model, key_of
from pairwright.models.client import Client, Meter
from pairwright.models.connect import client_of
from pairwright.models.model import work_through
from pairwright.models.store import Store
from pairwright.progress import Note, Progress, Stop, counter
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import COMPLETING, SAMPLING, Prompts

if TYPE_CHECKING:
    from pairwright.evaluation.settings import Scorers

T = TypeVar("T")
R = TypeVar("R")
Target = TypeVar("Target", covariant=True)
Role = Literal["judge", "policy"]
_PROMPTS: dict[Role, tuple[str, ...]] = {
    "judge": ("adherence", "system_judging"),
    "policy": tuple(sorted({"history", *SAMPLING, *COMPLETING})),
}
"""The prompts that a role is asked with."""
IN_PROCESS_PAIRS = 256
"""Enough texts at once that those of about the same length fill a batch."""


def _placed(path: str, info: ValidationInfo) -> str:
    return str(Path((info.context or {}).get("folder", "")) / path)


InFolder = Annotated[str, AfterValidator(_placed)]
"""A path in a file of settings: relative to its folder."""


class Opened(NamedTuple, Generic[Target]):
    """A scorer, or the model of a judge or policy, that can be asked."""

    target: Target
    ref: ScorerRef
    workers: int = 1
    """The number of pairs or texts to ask about at the same time."""
    clients: tuple[Client, ...] = ()
    """The connections and loaded models, which are closed at the end."""


OpenScorer: TypeAlias = Opened[Scorer]


@dataclass(frozen=True, slots=True)
class ScoringCalls:
    """The calls of a command: where they are stored, counted, reported and stopped."""

    store: Store | None
    meter: Meter
    progress: Progress
    stop: Stop
    clients: list[Client] = field(default_factory=list)
    """What answers calls now."""

    def say(self, text: str) -> None:
        """Show a line to the person who waits."""
        self.progress(Note(text))

    @asynccontextmanager
    async def connected(self, clients: Iterable[Client]) -> AsyncIterator[None]:
        """Connect or load what answers, and close it at the end. Raises ConfigError."""
        async with AsyncExitStack() as stack:
            for client in clients:
                self.clients.append(await stack.enter_async_context(client))
                stack.callback(self.clients.remove, client)
            yield

    async def each(
        self,
        name: str,
        units: Iterable[T],
        work: Callable[[T], Awaitable[R]],
        workers: int,
        total: int | None = None,
    ) -> list[R]:
        """Do `work` on every unit, reported as a step, and return what it gives in their order. At
        a wish to stop what is in flight finishes, and nothing more is sent. Raises Interrupted,
        EndpointRefused and StoreError: finished calls are stored."""
        total = len(units) if isinstance(units, Sequence) else total
        count = counter(self.progress, name, total)

        async def counted(unit: T) -> R:
            done = await work(unit)
            count()
            return done

        def stop() -> None:
            for client in self.clients:
                client.stop()

        with self.stop.heard_by(stop):
            return await work_through(units, counted, workers=workers, stop=stop)


class ScorerSession(NamedTuple):
    """Opens what a file of scorers names, and holds the calls to it."""

    settings: "Scorers"
    prompts: Prompts
    calls: ScoringCalls

    def client(self, endpoint: str) -> tuple[Endpoint, Client]:
        """The settings and the client of an endpoint. Raises as `client_of` does."""
        given, calls = self.settings.endpoints[endpoint], self.calls
        return given, client_of(endpoint, given, calls.meter, calls.store, calls.say)

    def bound(self, name: str) -> OpenScorer:
        """Bind a scorer of the file or a baseline to what answers for it; nothing is connected or
        loaded before it is asked for what is not stored. Raises ConfigError for a name that is not
        there, a key that is not set and an endpoint that cannot score."""
        if name in BASELINES:
            return Opened(Baseline(name), ScorerRef(name=name, kind="baseline"))
        if spec := self.settings.scorers.get(name):
            return spec.open(name, self)
        names = [*sorted(self.settings.scorers), *sorted(BASELINES)]
        fix = f"Name one of: {', '.join(names)}; or add [scorers.NAME] to the file of scorers."
        fix += near(name, names)
        raise ConfigError(f"there is no scorer {name!r}", where="--scorer", fix=fix)

    @asynccontextmanager
    async def scorer(self, name: str) -> AsyncIterator[OpenScorer]:
        """Open a scorer, and close at the end what is connected or loaded. Raises ConfigError.

        A model in this process stays in memory until the block ends, so open one at a time.
        """
        opened = self.bound(name)
        async with self.calls.connected(opened.clients):
            yield opened

    @asynccontextmanager
    async def role(self, role: Role) -> AsyncIterator[Opened[Model]]:
        """Connect the judge or the policy. Raises ConfigError if the file has none."""
        spec = self.settings.judge if role == "judge" else self.settings.policy
        if spec is None:
            raise no_table(role)
        endpoint, client = self.client(spec.endpoint)
        decides = canonical(
            [
                spec.model_dump(mode="json", exclude={"endpoint"}),
                endpoint.structured,
                [self.prompts.hashes[name] for name in _PROMPTS[role]],
            ]
        )
        ref = ref_of(role, role, endpoint.model, endpoint.revision, decides)
        async with self.calls.connected((client,)):
            yield Opened(Model(client, endpoint, spec.sampling), ref, endpoint.concurrency)


def no_table(role: Role) -> ConfigError:
    """The error of a file without the table of a role."""
    what = f"there is no {role}: the file of scorers has no table [{role}]"
    fix = f"Give it a file with a table [{role}] that names an endpoint."
    return ConfigError(what, where="--scorers", fix=fix)


@contextmanager
def open_calls(out: Path, progress: Progress, stop: Stop | None) -> Iterator[ScoringCalls]:
    """Make the folder `out` and open its `run.sqlite`, where every finished call is stored.

    Raises StoreError.
    """
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with closing(Store(out / CALLS)) as store:
        yield ScoringCalls(store, Meter(), progress, stop or Stop())


def canonical(decides: object) -> str:
    """JSON of all settings, without the model, that decide a scorer's replies."""
    return json.dumps(decides, sort_keys=True, separators=(",", ":"))


def ref_of(name: str, kind: str, model: str, revision: str | None, decides: str) -> ScorerRef:
    """The exact identity of a scorer, judge or policy."""
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

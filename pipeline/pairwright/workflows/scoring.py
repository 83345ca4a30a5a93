"""What the workflows that ask models share: settings, stored calls, progress and stopping; and the
models beside the scorers in a file of scorers, connected: planner, judge and policy.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias, TypeVar

from typer import Option

from pairwright import assets
from pairwright.errors import ConfigError, on_disk
from pairwright.evaluation.content import PlannerUnderTest
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.scorers.scorer import Pointwise
from pairwright.evaluation.settings import OutputJudge, Policy, Scorers, load_scorers
from pairwright.files import CALLS
from pairwright.models import Model, key_of
from pairwright.models.client import Meter
from pairwright.models.connect import client_of
from pairwright.models.store import Store
from pairwright.models.work import work_through
from pairwright.progress import Note, Progress, Stop, counter
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import PROMPTS, Prompts
from pairwright.workflows.scorers import OpenScorer, open_scorers, pointwise

T = TypeVar("T")
R = TypeVar("R")
ScorersFile: TypeAlias = Annotated[
    Path | str | Scorers,
    Option(help="The file of scorers, endpoints, [policy] and [judge].", metavar="FILE.toml"),
]


def scorer_settings(scorers: str | Path | Scorers | None) -> tuple[Scorers, Prompts]:
    """Read a file of scorers with its prompts; None has the baselines alone.

    Paths in a `Scorers` record start from the current folder. Raises ConfigError and InputError.
    """
    base = Path.cwd()
    if isinstance(scorers, str | Path):
        base, scorers = Path(scorers).resolve().parent, load_scorers(Path(scorers))
    settings = scorers or Scorers()
    return settings, prompts_of(settings, base)


def prompts_of(scorers: Scorers, base: Path) -> Prompts:
    """The prompts that a file of scorers names, with paths relative to `base`, or those that ship.

    Raises ConfigError and InputError.
    """
    folder = settings_folder("prompts", scorers.prompts, base, assets.PROMPTS)
    return Prompts.load(folder, PROMPTS)


def settings_folder(key: str, name: str | None, base: Path, shipped: Path) -> Path:
    """The folder that a key of the settings names, relative to `base`, or the one that ships.

    Raises ConfigError where it is not there.
    """
    folder = base / name if name else shipped
    if not folder.is_dir():
        raise ConfigError(
            f"there is no folder {folder}",
            where=f"[{key}]",
            fix="Name a folder, or leave the key out.",
        )
    return folder


def policy_of(scorers: Scorers, samples: int) -> Policy:
    """The policy of a file of scorers.

    Raises ConfigError where the file has none, or where the policy would write the same text
    `samples` times.
    """
    if scorers.policy is None:
        raise ConfigError(
            "there is no policy to sample from",
            where="--scorers",
            fix="Give it a file with a table [policy] that names an endpoint.",
        )
    if scorers.policy.sampling.temperature == 0 and samples > 1:
        raise ConfigError(
            f"at temperature 0 the {samples} samples of a question are one and the same",
            where="[policy.sampling] temperature",
            fix="Give it a temperature such as 1.0, or leave the key out.",
        )
    return scorers.policy


class OpenPlanner(NamedTuple):
    """A planner under test that can be asked."""

    planner: PlannerUnderTest
    ref: ScorerRef
    stop: Callable[[], None]


@asynccontextmanager
async def open_planner(
    scorers: Scorers, prompts: Prompts, store: Store | None, meter: Meter
) -> AsyncIterator[OpenPlanner]:
    """Connect the planner of a file of scorers. Raises ConfigError where it has none."""
    spec = scorers.planner
    if spec is None:
        raise ConfigError(
            "no planner is under test",
            where="--condition planner",
            fix="Give --scorers a file with a table [planner] that names an endpoint.",
        )
    endpoint = scorers.endpoints[spec.endpoint]
    deciding = [
        spec.model_dump_json(exclude={"endpoint"}),
        [prompts.hashes[name] for name in ("history", "plan", "system_planning")],
        endpoint.structured,
        endpoint.history_tokens,
    ]
    ref = ScorerRef(
        name="planner",
        kind="planner",
        model=endpoint.model,
        revision=endpoint.revision,
        settings=key_of(json.dumps(deciding)),
    )
    async with client_of(spec.endpoint, endpoint, meter, store) as client:
        model = Model(client, endpoint, spec.sampling)
        domains = Domains.load(assets.RUBRICS)
        planner = PlannerUnderTest(model, prompts, spec.rules, domains, spec.words)
        yield OpenPlanner(planner, ref, client.stop)


class OpenModel(NamedTuple):
    """A judge of outputs or a policy that can be asked."""

    model: Model
    ref: ScorerRef
    workers: int
    stop: Callable[[], None]


class ScoringCalls(NamedTuple):
    """The calls of a workflow: where they are stored, counted, reported and stopped."""

    store: Store
    meter: Meter
    progress: Progress
    stop: Stop

    @contextmanager
    def step(
        self, name: str, total: int, end: Callable[[], object]
    ) -> Iterator[Callable[[], None]]:
        """Report a step and yield what counts one more as done.

        Until the block ends, a wish to stop calls `end`.
        """
        with self.stop.heard_by(end, self.meter):
            yield counter(self.progress, name, total)

    async def each(
        self,
        name: str,
        units: Sequence[T],
        work: Callable[[T], Awaitable[R]],
        *,
        workers: int,
        stop: Callable[[], None],
    ) -> list[R]:
        """What `work` gives of every unit, in their order, reported as a step. A wish to stop calls
        `stop`. Raises Interrupted, EndpointRefused and StoreError: finished calls are stored."""
        with self.step(name, len(units), stop) as count:

            async def counted(unit: T) -> R:
                done = await work(unit)
                count()
                return done

            return await work_through(units, counted, workers=workers, stop=stop)


class ScorerSession(NamedTuple):
    """Opens what a file of scorers names, and holds the calls to it."""

    settings: Scorers
    prompts: Prompts
    calls: ScoringCalls

    @asynccontextmanager
    async def scorer(self, name: str) -> AsyncIterator[OpenScorer]:
        """Open one scorer. Raises ConfigError.

        A model in this process stays in memory until the block ends, so open one at a time.
        """
        async with self.scorers(name) as opened:
            yield opened[name]

    def scorers(self, *names: str) -> AbstractAsyncContextManager[dict[str, OpenScorer]]:
        """Open scorers by name. Raises ConfigError."""
        store, meter, progress, _ = self.calls
        return open_scorers(
            self.settings, names, self.prompts, store, meter, lambda text: progress(Note(text))
        )

    async def check_pointwise(self, names: Iterable[str]) -> None:
        """Check that scorers give a score of a single response, before anything is asked.

        Nothing is connected or loaded. Raises ConfigError for a scorer that is not there, or that
        does not.
        """
        async with self.scorers(*names) as opened:
            for name, one in opened.items():
                pointwise(name, one.scorer)

    async def score(
        self,
        name: str,
        units: Sequence[T],
        work: Callable[[T, str, Pointwise], Awaitable[R]],
        *,
        responses: int,
    ) -> tuple[ScorerRef, list[R]]:
        """What `work` makes of every unit with one scorer; a unit has so many responses.

        A model in this process is in memory for as long as this takes. Raises ConfigError, and as
        `ScoringCalls.each` does.
        """
        async with self.scorer(name) as opened:
            scorer = pointwise(name, opened.scorer)
            lines = await self.calls.each(
                f"scored by {name}",
                units,
                lambda unit: work(unit, name, scorer),
                workers=max(1, opened.workers // responses),
                stop=opened.stop,
            )
        return opened.ref, lines

    def planner(self) -> AbstractAsyncContextManager[OpenPlanner]:
        """Open the planner under test. Raises ConfigError where the file has none."""
        return open_planner(self.settings, self.prompts, self.calls.store, self.calls.meter)

    def judge(self) -> AbstractAsyncContextManager[OpenModel]:
        """Open the judge of outputs. Raises ConfigError where the file has none."""
        if self.settings.judge is None:
            raise ConfigError(
                "there is no judge of outputs",
                where="--scorers",
                fix="Give it a file with a table [judge] that names an endpoint.",
            )
        return self._open("judge", self.settings.judge, ("adherence", "system_judging"))

    def policy(self, prompts: tuple[str, ...]) -> AbstractAsyncContextManager[OpenModel]:
        """Open the policy, which is asked with the `prompts` of these names. Raises ConfigError
        where the file has none."""
        spec = policy_of(self.settings, 1)
        return self._open("policy", spec, prompts, spec.history.model_dump_json(), str(spec.words))

    @asynccontextmanager
    async def _open(
        self, kind: str, spec: OutputJudge | Policy, prompts: tuple[str, ...], *deciding: str
    ) -> AsyncIterator[OpenModel]:
        """Connect the model of a role; `deciding` is what else its replies depend on."""
        endpoint, sampling = self.settings.endpoints[spec.endpoint], spec.sampling
        taken = [endpoint.structured, endpoint.history_tokens]
        hashes = [self.prompts.hashes[name] for name in prompts]
        settings = [sampling.model_dump(mode="json"), *taken, *hashes, *deciding]
        ref = ScorerRef(
            name=kind,
            kind=kind,
            model=endpoint.model,
            revision=endpoint.revision,
            settings=key_of(json.dumps(settings, sort_keys=True)),
        )
        meter, store = self.calls.meter, self.calls.store
        async with client_of(spec.endpoint, endpoint, meter, store) as client:
            model = Model(client, endpoint, sampling)
            yield OpenModel(model, ref, endpoint.concurrency, client.stop)


@contextmanager
def open_calls(out: Path, progress: Progress, stop: Stop | None) -> Iterator[ScoringCalls]:
    """Make the folder `out` and open its `run.sqlite`, where every finished call is stored.

    Raises StoreError.
    """
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with closing(Store(out / CALLS)) as store:
        yield ScoringCalls(store, Meter(), progress, stop or Stop())


@contextmanager
def open_session(
    scorers: Scorers, prompts: Prompts, out: Path, progress: Progress, stop: Stop | None
) -> Iterator[ScorerSession]:
    """Open the calls of `out` for what a file of scorers names. Raises as `open_calls` does."""
    with open_calls(out, progress, stop) as calls:
        yield ScorerSession(scorers, prompts, calls)

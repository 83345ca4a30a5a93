"""The models that a file of scorers names, connected: its scorers, judge and policy; and the calls
to them, stored, counted, reported and stopped."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeAlias, TypeVar

from typer import Option

from pairwright import assets
from pairwright.errors import ConfigError, on_disk
from pairwright.evaluation.scorers.opening import Opening
from pairwright.evaluation.scorers.scorer import ScorerRef
from pairwright.evaluation.settings import Policy, Scorers, load_scorers
from pairwright.files import CALLS
from pairwright.models import Model, key_of
from pairwright.models.client import Meter
from pairwright.models.connect import client_of
from pairwright.models.model import work_through
from pairwright.models.store import Store
from pairwright.progress import Note, Progress, Stop, counter
from pairwright.settings.prompt import COMPLETING, PROMPTS, SAMPLING, Prompts

T = TypeVar("T")
R = TypeVar("R")
ScorersFile: TypeAlias = Annotated[
    Path | str | Scorers,
    Option(help="The file of scorers, endpoints, [policy] and [judge].", metavar="FILE.toml"),
]
Role = Literal["judge", "policy"]
_PROMPTS: dict[Role, tuple[str, ...]] = {
    "judge": ("adherence", "system_judging"),
    "policy": tuple(sorted({"history", *SAMPLING, *COMPLETING})),
}
"""The prompts that a role is asked with."""


def scorer_settings(scorers: str | Path | Scorers | None) -> tuple[Scorers, Prompts]:
    """Read a file of scorers with its prompts; None has the baselines alone.

    Paths in a `Scorers` record start from the current folder. Raises ConfigError and InputError.
    """
    if isinstance(scorers, str | Path):
        scorers = load_scorers(Path(scorers))
    settings = scorers or Scorers()
    folder = settings_folder("prompts", settings.prompts, Path(), assets.PROMPTS)
    return settings, Prompts.load(folder, PROMPTS)


def settings_folder(key: str, name: str | None, base: Path, shipped: Path) -> Path:
    """Find the folder that a key of the settings names, relative to `base`, or the shipped one.

    Raises ConfigError where it is not there.
    """
    folder = base / name if name else shipped
    if not folder.is_dir():
        fix = "Name a folder, or leave the key out."
        raise ConfigError(f"there is no folder {folder}", where=f"[{key}]", fix=fix)
    return folder


def policy_of(scorers: Scorers, samples: int) -> Policy:
    """Find the policy. Raises ConfigError if it is missing, or would write the same text `samples`
    times."""
    if scorers.policy is None:
        raise _no_table("policy")
    if scorers.policy.sampling.temperature == 0 and samples > 1:
        raise ConfigError(
            f"at temperature 0 the {samples} samples of a question are one and the same",
            where="[policy.sampling] temperature",
            fix="Give it a temperature such as 1.0, or leave the key out.",
        )
    return scorers.policy


def _no_table(role: Role) -> ConfigError:
    what = f"there is no {role}: the file of scorers has no table [{role}]"
    fix = f"Give it a file with a table [{role}] that names an endpoint."
    return ConfigError(what, where="--scorers", fix=fix)


class OpenModel(NamedTuple):
    """A judge or policy that can be asked."""

    model: Model
    ref: ScorerRef
    workers: int
    stop: Callable[[], None]


class ScoringCalls(NamedTuple):
    """The calls of a command: where they are stored, counted, reported and stopped."""

    store: Store
    meter: Meter
    progress: Progress
    stop: Stop

    async def each(
        self,
        name: str,
        units: Iterable[T],
        work: Callable[[T], Awaitable[R]],
        *,
        workers: int,
        stop: Callable[[], None],
        total: int | None = None,
    ) -> list[R]:
        """Do `work` on every unit, reported as a step, and return what it gives in their order. A
        wish to stop calls `stop`. Raises Interrupted, EndpointRefused and StoreError: finished
        calls are stored."""
        with self.stop.heard_by(stop, self.meter):
            total = len(units) if isinstance(units, Sequence) else total
            count = counter(self.progress, name, total)

            async def counted(unit: T) -> R:
                done = await work(unit)
                count()
                return done

            return await work_through(units, counted, workers=workers, stop=stop)


@dataclass(frozen=True)
class ScorerSession(Opening):
    """Opens what a file of scorers names, and holds the calls to it."""

    settings: Scorers = field(kw_only=True)
    calls: ScoringCalls = field(kw_only=True)

    @asynccontextmanager
    async def role(self, role: Role) -> AsyncIterator[OpenModel]:
        """Connect the judge or the policy. Raises ConfigError if the file has none."""
        spec = self.settings.judge if role == "judge" else self.settings.policy
        if spec is None:
            raise _no_table(role)
        endpoint = self.settings.endpoints[spec.endpoint]
        decides = [
            spec.model_dump(mode="json", exclude={"endpoint"}),
            endpoint.structured,
            [self.prompts.hashes[name] for name in _PROMPTS[role]],
        ]
        ref = ScorerRef(
            name=role,
            kind=role,
            model=endpoint.model,
            revision=endpoint.revision,
            settings=key_of(json.dumps(decides, sort_keys=True)),
        )
        async with client_of(spec.endpoint, endpoint, self.meter, self.store, self.say) as client:
            model = Model(client, endpoint, spec.sampling)
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
        yield ScorerSession(
            scorers.scorers, scorers.endpoints, prompts, calls.store, calls.meter,
            lambda text: progress(Note(text)), settings=scorers, calls=calls,
        )  # fmt: skip

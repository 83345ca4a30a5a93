"""What stated.json says of the build, as far as pages tell it. The manifest has all of it."""

from pydantic import ConfigDict, Field, JsonValue, ValidationError

from pairwright.dataset import Layout
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.release.records import Stated


class _Told(Record):
    """Part of a run's manifest: what is not told on pages is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Source(_Told):
    """Where the items came from."""

    path: str
    hash: str
    items: int
    refused: dict[str, int] = Field(default={})
    repaired: dict[str, int] = Field(default={})


class Model(_Told):
    model: str
    revision: str | None = None


class Roles(_Told):
    """By the name of an endpoint."""

    planner: str
    generator: tuple[str, ...]
    judge: str


class Calls(_Told):
    n: int
    prompt_tokens: int
    completion_tokens: int
    simulated: int = 0


class Sampling(_Told):
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None


class Configuration(_Told):
    """Of the run, resolved."""

    preset: str = ""
    seed: int | None = None
    words: int | None = None
    strategies: tuple[str, ...] = ()
    sampling: dict[str, Sampling] = Field(default={})
    content: dict[str, JsonValue] = Field(default={})
    """Hashes of prompts, rubrics and source."""


class Built(_Told):
    """How the pairs were made."""

    source: Source | None = None
    roles: Roles | None = None
    endpoints: dict[str, Model] = Field(default={})
    calls: Calls | None = None
    prompts: dict[str, str] = Field(default={})
    """Hash by name."""
    config: Configuration = Configuration()

    def model(self, endpoint: str) -> str:
        """The model behind an endpoint, with its revision."""
        found = self.endpoints.get(endpoint)
        if found is None:
            return endpoint
        return f"{found.model} ({found.revision})" if found.revision else found.model


def built(stated: Stated, layout: Layout) -> Built:
    """Read it; raises InputError naming the field that a build would not have written."""
    try:
        return Built.model_validate(stated.build)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise InputError(
            first["msg"],
            where=f"{layout.stated} [build.{at}]",
            fix="Take this file anew from where it came from.",
        ) from None

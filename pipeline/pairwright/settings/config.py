"""The run's configuration: one TOML file, read once, every key known.

The page `config.md` is generated from these classes.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, field_validator, model_validator

from pairwright.records import Origin, Record
from pairwright.settings import read_toml, validated
from pairwright.settings.endpoints import Endpoint, Sampling, check_endpoints
from pairwright.settings.rules import (
    GateRules,
    HumanRules,
    NaturalRules,
    PlanRules,
    ReleaseInfo,
    SourceRules,
    Strategy,
    TwinRules,
    asked_length,
)


class Roles(Record):
    """The endpoint of each role. Pairs are spread over several generators by their id."""

    planner: str = Field(description="endpoint that infers and matches aspects")
    generator: tuple[str, ...] = Field(
        min_length=1, description="writes both sides of a pair; one name or several"
    )
    judge: tuple[str, ...] = Field(
        min_length=1,
        description='judges support, adherence and quality; `["a", "b"]`: each judges every draft,'
        " which all of them must accept, and the first does the rest",
    )

    @field_validator("generator", "judge", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @property
    def all(self) -> tuple[str, ...]:
        named = (self.planner, *self.generator, *self.judge)
        return tuple(dict.fromkeys(name for name in named if name))


_WRITING: dict[str, Any] = {"temperature": 0.9, "top_p": 0.95, "max_tokens": 400}


class SamplingByRole(Record):
    planner: Sampling = Sampling()
    generator: Sampling = Sampling(**_WRITING)
    judge: Sampling = Sampling()

    @field_validator("generator", mode="before")
    @classmethod
    def _with_defaults(cls, given: Any) -> Any:
        """A table that sets one key keeps the generator's other defaults."""
        return _WRITING | given if isinstance(given, dict) else given


class Budget(Record):
    """Over the whole run folder, earlier runs included."""

    max_calls: int | None = Field(None, ge=0, description="maximum number of calls")
    max_cost: float | None = Field(None, ge=0, description="maximum cost, by the endpoints' prices")


class Config(Record):
    """A whole run."""

    model_config = ConfigDict(hide_input_in_errors=True)

    seed: int = Field(0, description="seed for drawing partners")
    modes: tuple[str, ...] = Field(
        ("twin", "placebo"),
        min_length=1,
        description="the kinds of pairs to build: twin, placebo, violate, or natural alone",
    )
    aspects: Origin = Field("planner", description="where rubrics come from")
    words: int = Field(
        100,
        ge=20,
        description="most words of a response, enforced; in scripts without spaces the characters"
        " that make as many ([words](statistics.md#what-a-word-is))",
    )
    draws: int = Field(
        5,
        ge=1,
        description="maximum drafts of a pair; rejected sides are written again, until a judge"
        " rejects two drafts for the same reason",
    )
    strategies: tuple[Strategy, ...] = Field(
        ("omit", "contradict"), min_length=1, description="violate: how the rejected side is made"
    )
    paper_writers: bool = Field(
        False,
        description="violate as in the paper: writers see posts; expected and avoided aspects",
    )
    gated: bool = Field(True, description="judge and gate drafts; false keeps every pair")
    prompts: str | None = Field(None, description="folder of prompts; none: the built-in ones")
    rubrics: str | None = Field(None, description="folder of domains; none: the built-in ones")
    processes: int = Field(
        1, ge=1, strict=True, description="number of Ray actors of a build; 1: none"
    )
    source: SourceRules
    endpoints: dict[str, Endpoint] = Field(
        description="what answers; of users' own choices nothing does, and roles are left out, too"
    )
    roles: Roles
    sampling: SamplingByRole = SamplingByRole()
    planner: PlanRules = PlanRules()
    twin: TwinRules = TwinRules()
    natural: NaturalRules = NaturalRules()
    gates: GateRules = GateRules()
    human: HumanRules = HumanRules()
    release: ReleaseInfo = ReleaseInfo()
    budget: Budget = Budget()

    def beside(self, folder: Path, columns: Mapping[str, str] | None = None) -> "Config":
        """The config with the paths of its recordings starting from a folder, and with these
        columns of its source, by what they hold."""
        named = {**self.source.columns, **(columns or {})}
        source = SourceRules.model_validate({**dict(self.source), "columns": named})
        endpoints = {name: endpoint.beside(folder) for name, endpoint in self.endpoints.items()}
        return Config.model_validate({**dict(self), "source": source, "endpoints": endpoints})

    @property
    def own_choices(self) -> bool:
        """Whether labels are the users' own choices: then no model is asked."""
        return self.source.format == "choices"

    @field_validator("modes")
    @classmethod
    def _distinct(cls, modes: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(modes)) < len(modes):
            raise ValueError("one mode is named twice")
        return modes

    @model_validator(mode="before")
    @classmethod
    def _without_models(cls, data: Any) -> Any:
        """Nothing is asked of a model if labels are the users' own choices."""
        source = data.get("source") if isinstance(data, dict) else None
        if isinstance(source, dict) and source.get("format") == "choices":
            nobody = {"planner": "", "generator": [""], "judge": [""]}
            return {"endpoints": {}, "roles": nobody} | data
        return data

    @model_validator(mode="after")
    def _consistent(self) -> "Config":
        if self.own_choices:
            return self
        for name in (self.roles.planner, *self.roles.generator, *self.roles.judge):
            check_endpoints({"roles": name}, self.endpoints)
        least, _ = asked_length(self.words)
        if self.gated and not self.paper_writers and least < self.gates.min_words:
            raise ValueError(
                f"words = {self.words} asks writers for {least} words at least, but [gates]"
                f" min_words is {self.gates.min_words}: lower it, or raise words"
            )
        return self


def load(path: Path) -> Config:
    """Read a run's TOML. Raises ConfigError naming the file, the key, and what to do."""
    return validate(read_toml(path, "`pairwright init DIR` writes one to start from."), path)


def validate(data: dict[str, Any], path: Path) -> Config:
    """A Config from parsed TOML. Raises ConfigError."""
    return validated(Config, data, path)


# What a second run in the same folder must agree with

OPERATIONAL = (
    "engine", "base_url", "api_key_env", "concurrency", "attempts", "timeout_s", "token_parameter",
    "price_in", "price_out",
)  # fmt: skip
"""Keys of an endpoint that change how a run is carried out, and not its outcomes."""


def essential(resolved: dict[str, Any]) -> dict[str, Any]:
    """A resolved config without the keys that do not decide the outcomes of a run."""
    roles, endpoints = resolved["roles"], dict[str, Any]()
    for name, endpoint in resolved["endpoints"].items():
        if name in (roles["planner"], *roles["generator"], *roles["judge"]):
            endpoints[name] = _without(endpoint, *OPERATIONAL)
    models = resolved["source"]["format"] != "choices"
    beside = ("processes", "budget", "human", "release", *["natural"] * models)
    # One hash of scales and domains together is beside them.
    content = _without(resolved.get("content", {}), "scales", "domains")
    return {**_without(resolved, *beside), "endpoints": endpoints, "content": content}


def _without(table: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in keys}


def differences(old: dict[str, Any], new: dict[str, Any], prefix: str = "") -> list[str]:
    """The dotted keys in which two nested dicts differ, with both values."""
    keys = []
    for key in sorted(old.keys() | new.keys()):
        a, b = old.get(key), new.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            keys += differences(a, b, f"{prefix}{key}.")
        elif a != b:
            keys.append(f"{prefix}{key}: {a!r} before, {b!r} now")
    return keys

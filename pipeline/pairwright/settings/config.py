"""The run's configuration: one TOML file, read once, every key known.

    preset = "pairwright"        # or "paper"
    modes = ["twin", "violate"]
    [source]      where items come from          -> rules.SourceRules
    [endpoints.NAME]  what answers               -> Endpoint
    [roles]       which endpoint plays what      -> Roles
    [sampling.ROLE]   temperature, seed, ...     -> Sampling
    [planner] [twin] [gates] [human]  what is decided by -> rules
    [release]     what its pages say             -> rules.ReleaseInfo
    [budget]      when to stop

docs/config.md is generated from these classes.
"""

import json
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    Field,
    JsonValue,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from pairwright.errors import ConfigError, near
from pairwright.records import Mode, Origin, Record
from pairwright.settings.rules import (
    GateRules,
    HumanRules,
    PlanRules,
    ReleaseInfo,
    SourceRules,
    Strategy,
    TwinRules,
)
from pairwright.settings.tables import read_toml, validated

SIMULATED_URL = "simulated"


class Endpoint(Record):
    """One OpenAI-compatible endpoint, or vLLM in this process."""

    engine: Literal["http", "vllm"] = Field(
        "http", description="a server at `base_url`, or vLLM in this process"
    )
    base_url: str | tuple[str, ...] | None = Field(
        None,
        validate_default=True,
        description="address up to /v1, or a list of equal servers, or 'simulated';"
        " required, but for engine = 'vllm'",
    )
    model: str = Field(description="model id as the endpoint knows it")
    revision: str | None = Field(None, description="revision of the model; part of each call's key")
    api_key_env: str | None = Field(
        None, description="environment variable that holds the API key; never the key itself"
    )
    concurrency: Annotated[int, Field(strict=True, ge=1)] | Literal["auto"] = Field(
        64, description="calls in flight, or 'auto' to find out"
    )
    attempts: int = Field(6, ge=1, description="tries of one call before it fails")
    timeout_s: float = Field(600, gt=0, description="seconds one try may take")
    rpm: float | None = Field(None, ge=0.1, description="most calls per minute")
    tpm: float | None = Field(None, ge=1, description="most tokens per minute")
    token_parameter: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens", description="how the endpoint calls its limit of new tokens"
    )
    structured: bool = Field(
        True, description="send JSON schemas; false where the endpoint takes none"
    )
    history_tokens: int | None = Field(
        None, ge=100, description="most tokens of history this model is shown, if fewer"
    )
    price_in: float = Field(0, ge=0, description="price of a million prompt tokens")
    price_out: float = Field(0, ge=0, description="price of a million completion tokens")
    vllm: dict[str, JsonValue] = Field(
        default={}, description="engine = 'vllm': flags of `vllm serve`, as `max_model_len = 8192`"
    )

    @field_validator("base_url")
    @classmethod
    def _somewhere(
        cls, value: str | tuple[str, ...] | None, info: ValidationInfo
    ) -> str | tuple[str, ...] | None:
        if info.data.get("engine") == "vllm":
            if value is not None:
                raise ValueError("engine = 'vllm' has no address: leave out one of the two")
            return value
        if value is None:
            raise PydanticCustomError("missing", "Field required")
        addresses = (value,) if isinstance(value, str) else value
        if not addresses:
            raise ValueError("an address is missing")
        for address in addresses:
            if address == SIMULATED_URL and len(addresses) == 1:
                continue
            parts = urlsplit(address)  # Raises ValueError for half an IPv6 address.
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
                raise ValueError(f"{address!r} is not an address such as http://127.0.0.1:8000/v1")
            if "@" in parts.netloc:
                raise ValueError(
                    f"the address of {parts.hostname} holds a user or a password, which would be"
                    " written to files and messages; a key belongs in `api_key_env`'s variable"
                )
        return value

    @field_validator("api_key_env", "rpm", "tpm", "token_parameter")
    @classmethod
    def _only_of_servers(cls, value: object, info: ValidationInfo) -> object:
        default = cls.model_fields[str(info.field_name)].default
        if info.data.get("engine") == "vllm" and value != default:
            raise ValueError("is for servers: leave it out with engine = 'vllm'")
        return value

    @field_validator("vllm")
    @classmethod
    def _only_in_process(
        cls, flags: dict[str, JsonValue], info: ValidationInfo
    ) -> dict[str, JsonValue]:
        if flags and info.data.get("engine") == "http":
            raise ValueError("is for engine = 'vllm': a server is given its flags when it starts")
        for name in ("served_model_name", "revision"):
            if name in flags:
                raise ValueError(f"{name!r} has its own place: `model` and `revision` beside it")
        return flags

    @property
    def base_urls(self) -> tuple[str, ...]:
        """The servers; none for an engine in this process."""
        return (self.base_url,) if isinstance(self.base_url, str) else self.base_url or ()

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.price_in + completion_tokens * self.price_out) / 1e6


class Roles(Record):
    """Which endpoint plays which role. Pairs are spread over several generators by their id."""

    planner: str = Field(description="infers and matches aspects")
    generator: tuple[str, ...] = Field(
        min_length=1, description="writes both sides of a pair; one name or several"
    )
    judge: str = Field(description="judges support, adherence and quality")

    @field_validator("generator", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.planner, *self.generator, self.judge)))


class Sampling(Record):
    """How one role samples. Write "none" for what the endpoint should decide itself."""

    temperature: float | None = Field(0.0, ge=0, description="'none': the endpoint's default")
    top_p: float | None = Field(None, gt=0, le=1, description="'none': the endpoint's default")
    max_tokens: int = Field(1024, ge=16, description="room for a reply; doubled if cut short")
    seed: int | None = Field(0, description="draw n uses seed + n; 'none' where seeds are refused")
    attempts: int = Field(3, ge=1, description="draws until a reply can be used")
    extra: dict[str, JsonValue] = Field(
        default={}, description="further body fields, such as reasoning_effort"
    )

    @field_validator("extra")
    @classmethod
    def _not_ours(cls, extra: dict[str, JsonValue]) -> dict[str, JsonValue]:
        ours = {"model", "messages", "max_tokens", "max_completion_tokens", "response_format"}
        if taken := sorted(extra.keys() & ours):
            raise ValueError(f"{taken[0]!r} has its own place and cannot be in extra")
        return extra

    @field_validator("temperature", "top_p", "seed", mode="before")
    @classmethod
    def _none(cls, value: object) -> object:
        # TOML has no null.
        return None if value == "none" else value

    @property
    def extra_json(self) -> str:
        return json.dumps(self.extra, sort_keys=True, separators=(",", ":"))


class Planner(PlanRules):
    """A planner under test, outside of a build."""

    endpoint: str = Field(description="which of [endpoints]")
    sampling: Sampling = Sampling()
    words: int = Field(100, ge=20, description="words of an answer, as the prompt says")

    @property
    def rules(self) -> PlanRules:
        """The same without what is not about planning."""
        return PlanRules.model_validate(self.model_dump(include=set(PlanRules.model_fields)))


class SamplingByRole(Record):
    planner: Sampling = Sampling()
    generator: Sampling = Sampling(temperature=0.9, top_p=0.95, max_tokens=400)
    judge: Sampling = Sampling()


class Budget(Record):
    """Over the whole run folder, earlier runs included."""

    max_calls: int | None = Field(None, ge=0, description="most calls")
    max_cost: float | None = Field(None, ge=0, description="most cost, by the endpoints' prices")


class Config(Record):
    """A whole run."""

    preset: Literal["pairwright", "paper"] = Field(
        "pairwright", description="the defaults that the rest of the file changes"
    )
    seed: int = Field(0, description="partners and others are drawn with it")
    modes: tuple[Mode, ...] = Field(
        ("twin", "violate"), min_length=1, description="the kinds of pairs to build"
    )
    aspects: Origin = Field("planner", description="where rubrics come from")
    words: int = Field(100, ge=20, description="most words of a response, enforced")
    draws: int = Field(3, ge=1, description="drafts of a pair, both sides together")
    strategies: tuple[Strategy, ...] = Field(
        ("omit", "contradict"), min_length=1, description="violate: how the rejected side is made"
    )
    paper_writers: bool = Field(
        False,
        description="violate as in the paper: writers see posts; expected and avoided aspects",
    )
    gated: bool = Field(True, description="judge and gate drafts; false keeps every pair")
    prompts: str | None = Field(None, description="folder of prompts; none: those that ship")
    rubrics: str | None = Field(None, description="folder of domains; none: those that ship")
    processes: int = Field(
        1, ge=1, strict=True, description="how many processes share the work of a build"
    )
    source: SourceRules
    endpoints: dict[str, Endpoint] = Field(min_length=1)
    roles: Roles
    sampling: SamplingByRole = SamplingByRole()
    planner: PlanRules = PlanRules()
    twin: TwinRules = TwinRules()
    gates: GateRules = GateRules()
    human: HumanRules = HumanRules()
    release: ReleaseInfo = ReleaseInfo()
    budget: Budget = Budget()

    @field_validator("modes")
    @classmethod
    def _distinct(cls, modes: tuple[Mode, ...]) -> tuple[Mode, ...]:
        if len(set(modes)) < len(modes):
            raise ValueError("one mode is named twice")
        return modes

    @model_validator(mode="after")
    def _consistent(self) -> "Config":
        for role in self.roles.all:
            if role not in self.endpoints:
                known = ", ".join(sorted(self.endpoints))
                raise ValueError(
                    f"[roles] name the endpoint {role!r}, but there are only: {known}."
                    + near(role, self.endpoints)
                )
        if "twin" in self.modes and self.aspects != "planner":
            raise ValueError(
                "twins need aspects = 'planner': no gold or narrative aspects exist for a partner"
            )
        most = self.planner.per_100_words * self.words // 100
        if (self.aspects == "planner" or self.gated) and most < self.planner.min_aspects:
            raise ValueError(
                f"words = {self.words} leaves room for {most} aspects, but [planner] min_aspects is"
                f" {self.planner.min_aspects}: no item could be kept"
            )
        if self.paper_writers and self.modes != ("violate",):
            raise ValueError("paper_writers goes with modes = ['violate']")
        return self


# A table that sets one key of a role's sampling keeps the role's other defaults.
_DEFAULTS: dict[str, Any] = {
    "sampling": {
        role: sampling.model_dump(exclude_none=True) for role, sampling in SamplingByRole()
    }
}

# What a preset changes. The paper's setting as far as its repository shows it (arXiv 2604.07343):
# the prompts, 100 words, ten posts ranked by Contriever; its construction code was not released.
PRESETS: dict[str, dict[str, Any]] = {
    "pairwright": {},
    "paper": {
        "modes": ["violate"],
        "aspects": "gold",
        "words": 100,
        "draws": 1,
        "paper_writers": True,
        "gated": False,
        "planner": {"posts": 10, "history_tokens": 1_000_000, "retrieval": "dense"},
    },
}

# Keys that change how a run is carried out, not what comes of it: a second run may differ in them.
OPERATIONAL = frozenset(
    {
        "engine", "base_url", "api_key_env", "concurrency", "attempts", "timeout_s", "rpm", "tpm",
        "token_parameter", "price_in", "price_out",
    }
)  # fmt: skip
# Flags of an engine in this process that can change what it says. The others are about speed and
# memory, or say where things lie.
DECIDING = frozenset(
    {
        "dtype", "quantization", "kv_cache_dtype", "max_model_len", "tokenizer", "hf_overrides",
        "chat_template", "default_chat_template_kwargs", "reasoning_parser", "generation_config",
        "override_generation_config", "structured_outputs_config",
    }
)  # fmt: skip

_BESIDE = frozenset({"processes", "budget", "human", "release"})
"""The same of whole tables, and of keys outside them."""


def essential(resolved: dict[str, Any]) -> dict[str, Any]:
    """A resolved config without the keys that do not decide what comes of a run."""
    roles = resolved["roles"]
    used = {roles["planner"], *roles["generator"], roles["judge"]}
    endpoints = {
        name: _deciding(endpoint)
        for name, endpoint in resolved["endpoints"].items()
        if name in used
    }
    kept = {k: v for k, v in resolved.items() if k not in _BESIDE}
    # One hash of scales and domains together is beside them.
    content = {
        k: v for k, v in resolved.get("content", {}).items() if k not in ("scales", "domains")
    }
    return kept | {"endpoints": endpoints, "content": content}


def _deciding(endpoint: dict[str, Any]) -> dict[str, Any]:
    kept = {k: v for k, v in endpoint.items() if k not in OPERATIONAL and k != "vllm"}
    flags = {k: v for k, v in endpoint.get("vllm", {}).items() if k in DECIDING}
    return {**kept, "vllm": flags} if flags else kept


def load(path: Path) -> Config:
    """Read a run's TOML. Raises ConfigError naming the file, the key, and what to do."""
    return validate(read_toml(path, "`pairwright init DIR` writes one to start from."), path)


def validate(data: dict[str, Any], path: Path) -> Config:
    """A Config from parsed TOML, with its preset's defaults under it."""
    preset = data.get("preset", "pairwright")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise ConfigError(
            f"unknown preset {preset!r}",
            where=f"{path} [preset]",
            fix=f"One of: {', '.join(PRESETS)}.{near(str(preset), PRESETS)}",
        )
    return validated(Config, data, path, _over(_over(_DEFAULTS, PRESETS[preset]), data))


def _over(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in changes.items():
        both = isinstance(merged.get(key), dict) and isinstance(value, dict)
        merged[key] = _over(merged[key], value) if both else value
    return merged


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

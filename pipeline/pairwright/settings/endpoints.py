"""The endpoints of a config: what answers calls, and with which sampling; and what may be a key."""

import json
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator

from pairwright.errors import near
from pairwright.records import Record

RECORDING_URL = "recording:"
"""The prefix of a recording's path."""
_OF_SERVERS = ("base_url", "api_key_env", "token_parameter")
_OWN_FIELDS = frozenset(
    {"model", "messages", "max_tokens", "max_completion_tokens", "response_format"}
)
_REVOKE = (
    "Revoke that key, because it was written to a file. Put the new one into an environment"
    " variable, and write the variable's name, such as OPENAI_API_KEY, as api_key_env."
)


class Endpoint(Record):
    """One OpenAI-compatible endpoint, or vLLM in this process."""

    # Pydantic's own message would repeat a key that was pasted in place of a variable's name.
    model_config = ConfigDict(hide_input_in_errors=True)

    engine: Literal["http", "vllm"] = Field(
        "http", description="a server at `base_url`, or vLLM in this process"
    )
    base_url: str | None = Field(None, description="address up to /v1, or 'recording:FILE'")
    model: str = Field(description="model id as the endpoint knows it")
    revision: str | None = Field(None, description="revision of the model; part of each call's key")
    api_key_env: str | None = Field(
        None, description="environment variable that holds the API key; never the key itself"
    )
    concurrency: int = Field(64, strict=True, ge=1, description="calls in flight")
    attempts: int = Field(6, ge=1, description="tries of one call before it fails")
    timeout_s: float = Field(600, gt=0, description="seconds one try may take")
    token_parameter: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens", description="how the endpoint calls its limit of new tokens"
    )
    structured: bool = Field(
        True, description="send JSON schemas; false if the endpoint takes none"
    )
    thinking_tokens: int | None = Field(
        None, ge=16, description="room to think before a reply, added to `max_tokens` of each call"
    )
    price_in: float = Field(0, ge=0, description="price of a million prompt tokens")
    price_out: float = Field(0, ge=0, description="price of a million completion tokens")
    vllm: dict[str, JsonValue] = Field(
        default={}, description="engine = 'vllm': flags of `vllm serve`, as `max_model_len = 8192`"
    )

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, address: str | None) -> str | None:
        if address is None:
            return None
        if address.startswith(RECORDING_URL):
            if not address.removeprefix(RECORDING_URL).strip():
                raise ValueError("a recording needs its file: 'recording:replies.jsonl.gz'")
            return address
        parts = urlsplit(address)  # Raises ValueError for half an IPv6 address.
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError(f"{address!r} is not an address such as http://127.0.0.1:8000/v1")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError(
                f"the address of {parts.hostname} holds a user, or goes on behind a '?' or '#':"
                " it would be written to files; a key belongs in `api_key_env`'s variable"
            )
        return address

    @field_validator("api_key_env")
    @classmethod
    def _no_key(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(r"[A-Z_][A-Z0-9_]{0,79}", name):
            raise ValueError(
                "must be the name of an environment variable, in capitals; what is there may be a"
                f" key, and is not repeated here. {_REVOKE}"
            )
        return name

    @field_validator("vllm")
    @classmethod
    def _flags(cls, flags: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted(flags.keys() & {"served_model_name", "revision"}):
            raise ValueError(
                f"{taken[0]!r} has its own place: `model` or `revision` of the endpoint"
            )
        return _without_keys(flags)

    @model_validator(mode="after")
    def _of_the_engine(self) -> "Endpoint":
        strange = ("vllm",) if self.engine == "http" else _OF_SERVERS
        for name in strange:
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(
                    f"{name} does not go with engine = {self.engine!r}: leave out one of the two"
                )
        if self.engine == "http" and self.base_url is None:
            raise ValueError("base_url is required and missing: add the address up to /v1")
        return self

    @property
    def recording(self) -> str | None:
        """The file of the recording that answers, if one does."""
        first = self.base_url or ""
        return first.removeprefix(RECORDING_URL) if first.startswith(RECORDING_URL) else None

    def beside(self, folder: Path) -> "Endpoint":
        """The endpoint with the path of its recording starting from a folder."""
        if self.recording is None:
            return self
        address = f"{RECORDING_URL}{folder / self.recording}"
        return Endpoint.model_validate({**dict(self), "base_url": address})

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """By the prices, as if no prompt token came from a cache."""
        return (prompt_tokens * self.price_in + completion_tokens * self.price_out) / 1e6


class Sampling(Record):
    """The sampling of one role. Write "none" for values that the endpoint should decide itself."""

    model_config = ConfigDict(hide_input_in_errors=True)

    temperature: float | None = Field(0.0, ge=0, description="'none': the endpoint's default")
    top_p: float | None = Field(None, gt=0, le=1, description="'none': the endpoint's default")
    max_tokens: int = Field(1024, ge=16, description="room for a reply; doubled if cut short")
    seed: int | None = Field(0, description="draw n uses seed + n; 'none' if seeds are refused")
    attempts: int = Field(3, ge=1, description="draws until a reply can be used")
    extra: dict[str, JsonValue] = Field(
        default={}, description="further body fields, such as reasoning_effort"
    )

    @field_validator("extra")
    @classmethod
    def _not_ours(cls, extra: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted(extra.keys() & _OWN_FIELDS):
            raise ValueError(f"{taken[0]!r} has its own place and cannot be in extra")
        return _without_keys(extra)

    @field_validator("temperature", "top_p", "seed", mode="before")
    @classmethod
    def _none(cls, value: object) -> object:
        # TOML has no null.
        return None if value == "none" else value

    @cached_property
    def extra_json(self) -> str:
        return json.dumps(self.extra, sort_keys=True, separators=(",", ":"))


# Keys that change how a run is carried out, not its outcomes: a second run may differ in them.
OPERATIONAL = frozenset(
    {
        "engine", "base_url", "api_key_env", "concurrency", "attempts", "timeout_s",
        "token_parameter", "price_in", "price_out",
    }
)  # fmt: skip
# Flags of an engine in this process that can change its replies. The others are about speed and
# memory, or say where things lie.
DECIDING = frozenset(
    {
        "dtype", "quantization", "kv_cache_dtype", "max_model_len", "tokenizer", "hf_overrides",
        "chat_template", "default_chat_template_kwargs", "reasoning_parser", "generation_config",
        "override_generation_config", "structured_outputs_config",
    }
)  # fmt: skip


def deciding_settings(endpoint: dict[str, Any]) -> dict[str, Any]:
    """The keys of a resolved endpoint that decide the outcomes of a run."""
    deciding = {k: v for k, v in endpoint.items() if k not in OPERATIONAL and k != "vllm"}
    flags = {k: v for k, v in endpoint.get("vllm", {}).items() if k in DECIDING}
    return {**deciding, "vllm": flags} if flags else deciding


def check_endpoints(tables: Mapping[str, object], endpoints: Mapping[str, Endpoint]) -> None:
    """Raises ValueError for a table of settings, named by its place, whose `endpoint` is not
    there."""
    for place, table in tables.items():
        name = getattr(table, "endpoint", None)
        if name is not None and name not in endpoints:
            known = ", ".join(sorted(endpoints)) or "none"
            what = f"[{place}] names the endpoint {name!r}; there are: {known}."
            raise ValueError(what + near(name, endpoints))


_KEY = re.compile(
    r"(?:sk|pk|hf|gsk|xai|csk|nvapi|pplx|fw|r8|tgp|gh[oprsu]|github_pat)[-_][\w-]{16,}"
    r"|AIza[\w-]{16,}|Bearer "
)
"""The forms of keys of well-known services."""
_KEY_NAME = re.compile(
    r"(?:.*[_-])?(?:api[_-]?key|authorization|credentials?|passw(?:or)?d|secret|bearer)"
    r"|(?:(?:hf|api|auth|access|bearer)[_-])?token|key",
    re.IGNORECASE,
)
"""Names under which people write keys; `eos_token` is not among them."""


def _without_keys(values: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The same values. Raises ValueError if any text inside begins like a key, or has the name of
    one."""
    if _holds_key(values):
        raise ValueError(f"holds what looks like a key, which is not repeated here. {_REVOKE}")
    return values


def _holds_key(value: JsonValue, name: str = "") -> bool:
    if isinstance(value, str):
        named = bool(value) and _KEY_NAME.fullmatch(name) is not None
        return named or _KEY.match(value) is not None
    if isinstance(value, dict):
        return any(_holds_key(one, inner) for inner, one in value.items())
    return isinstance(value, list) and any(map(_holds_key, value))

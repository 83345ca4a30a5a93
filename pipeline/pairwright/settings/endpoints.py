"""The endpoints of a config: what answers calls, and with which sampling; and what may be a key."""

import json
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, field_validator, model_validator

from pairwright.errors import near
from pairwright.records import Record

RECORDING_URL = "recording:"
"""The prefix of a recording's path."""
_OF_SERVERS = ("base_url", "api_key_env", "token_parameter")
_FIELDS = ("model", "messages", "max_tokens", "max_completion_tokens", "response_format")
_REVOKE = (
    "Revoke that key, because it was written to a file. Put the new one into an environment"
    " variable, and write the variable's name, such as OPENAI_API_KEY, as api_key_env."
)
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


def _further_keys(*taken: str) -> AfterValidator:
    """A check of a table: it has none of the keys `taken`, which are set elsewhere, and no text
    that begins like an API key or has the name of one."""

    def holds_key(value: JsonValue, name: str = "") -> bool:
        if isinstance(value, dict):
            return any(holds_key(one, inner) for inner, one in value.items())
        if isinstance(value, list):
            return any(map(holds_key, value))
        written = isinstance(value, str) and value
        return bool(written and (_KEY_NAME.fullmatch(name) or _KEY.match(written)))

    def check(values: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if found := min(values.keys() & {*taken}, default=None):
            raise ValueError(f"{found!r} cannot be here: the endpoint or its sampling sets it")
        if holds_key(values):
            raise ValueError(f"holds what looks like a key, which is not repeated here. {_REVOKE}")
        return values

    return AfterValidator(check)


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
    concurrency: int = Field(64, strict=True, ge=1, description="maximum calls at the same time")
    attempts: int = Field(6, ge=1, description="tries of one call before it fails")
    timeout_s: float = Field(600, gt=0, description="timeout of one try, in seconds")
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
    vllm: Annotated[dict[str, JsonValue], _further_keys("served_model_name", "revision")] = Field(
        default={}, description="engine = 'vllm': flags of `vllm serve`, as `max_model_len = 8192`"
    )

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, address: str | None) -> str | None:
        if address is None or address.startswith(RECORDING_URL):
            return address
        parts = urlsplit(address)  # Raises ValueError for half an IPv6 address.
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            # It may be a key that was pasted into the wrong line.
            raise ValueError("this is not an address such as http://127.0.0.1:8000/v1")
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

    @model_validator(mode="after")
    def _of_the_engine(self) -> "Endpoint":
        for name in ("vllm",) if self.engine == "http" else _OF_SERVERS:
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
    max_tokens: int = Field(1024, ge=16, description="room for a reply; it is cut short there")
    seed: int | None = Field(0, description="draw n uses seed + n; 'none' if seeds are refused")
    attempts: int = Field(3, ge=1, description="maximum draws for a usable reply")
    extra: Annotated[dict[str, JsonValue], _further_keys(*_FIELDS)] = Field(
        default={}, description="further body fields, such as reasoning_effort"
    )

    @field_validator("temperature", "top_p", "seed", mode="before")
    @classmethod
    def _none(cls, value: object) -> object:
        # TOML has no null.
        return None if value == "none" else value

    @cached_property
    def extra_json(self) -> str:
        return json.dumps(self.extra, sort_keys=True, separators=(",", ":"))


def check_endpoints(tables: Mapping[str, object], endpoints: Mapping[str, Endpoint]) -> None:
    """Raise ValueError for an endpoint that is not there. `tables` are by their place in the file,
    which the message names; each is the name of an endpoint, or has it in its field `endpoint`."""
    for place, table in tables.items():
        name = table if isinstance(table, str) else getattr(table, "endpoint", None)
        if name is not None and name not in endpoints:
            known = ", ".join(sorted(endpoints)) or "none"
            what = f"[{place}] names the endpoint {name!r}; there are: {known}."
            raise ValueError(what + near(name, endpoints))

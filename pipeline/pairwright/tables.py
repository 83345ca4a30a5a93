"""TOML that people write, as a record: every key known, and errors that name it."""

import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pairwright.errors import ConfigError

M = TypeVar("M", bound=BaseModel)


def read_toml(path: Path, otherwise: str) -> dict[str, Any]:
    """The tables of a file; `otherwise` says what to do where there is none. Raises ConfigError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError("no such file", where=path, fix=otherwise) from None
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}", where=path, fix="Give a TOML file."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"not TOML: {error}", where=path, fix="Mend the line it names.") from None


def validated(
    kind: type[M],
    data: dict[str, Any],
    path: Path,
    over_defaults: dict[str, Any] | None = None,
    docs: str = "docs/config.md",
) -> M:
    """`data` as a record; `over_defaults` is the same with what is to stand where it is silent.

    Raises ConfigError naming the key as the file has it.
    """
    try:
        return kind.model_validate(data if over_defaults is None else over_defaults)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        what, key = errors[0]["type"], _key(errors[0]["loc"], errors[0]["type"], data)
        # A value that fits no member of a union has an error for each of them.
        told = [_in_toml(e["msg"]) for e in errors if _key(e["loc"], e["type"], data) == key]
        told = [told[0], *(other.removeprefix("Input should be ") for other in told[1:])]
        raise ConfigError(
            " or ".join(dict.fromkeys(told)).removeprefix("Value error, "),
            where=f"{path} [{key or 'the whole file'}]",
            fix=_remedy(what, key, docs),
        ) from None


def _in_toml(message: str) -> str:
    told = re.sub("valid dictionary.*", "table", message).replace("valid tuple", "list")
    told = re.sub(r"Unable to extract tag using discriminator '(\w+)'", r"has no \1", told)
    return re.sub(
        r"Input tag ('.*') found using '(\w+)' does not match any of the expected tags: ",
        r"\2 is \1, and must be one of ",
        told,
    )


def _key(loc: tuple[int | str, ...], kind: str, data: Any) -> str:
    """The dotted key an error is about, as the file has it."""
    found = []
    for place, part in enumerate(loc, start=1):
        inside = part < len(data) if isinstance(data, list) and isinstance(part, int) else False
        if inside or (isinstance(data, dict) and part in data):
            data = data[part]
        elif kind != "missing" or place < len(loc):
            # A union names the member that did not fit, which is no key of the file.
            continue
        found.append(str(part))
    return ".".join(found)


def _remedy(kind: str, key: str, docs: str) -> str:
    if kind == "extra_forbidden":
        return f"There is no such key as {key}; {docs} lists them all."
    if kind == "missing":
        return f"Add {key}; {docs} says what it means."
    return f"{docs} lists every key with its values."

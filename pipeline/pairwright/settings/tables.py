"""TOML that people write, as a record: every key known, and errors that name it."""

import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pairwright.errors import ConfigError, near

M = TypeVar("M", bound=BaseModel)


def read_toml(path: Path, otherwise: str) -> dict[str, Any]:
    """The tables of a file; `otherwise` says what to do where there is none. Raises ConfigError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError("no such file", where=path, fix=otherwise) from None
    except IsADirectoryError:
        named = next(iter(sorted(path.glob("*.toml"))), path / "pairwright.toml")
        raise ConfigError(
            "is a folder, not a TOML file", where=path, fix=f"Name a file in it, such as {named}."
        ) from None
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
        # A key that is misspelt leaves another one missing, and is what is to be mended.
        errors = sorted(error.errors(include_url=False), key=lambda e: not _is_unknown(kind, e))
        what, key = errors[0]["type"], _key(errors[0]["loc"], errors[0]["type"], data)
        # A value that fits no member of a union has an error for each of them.
        messages = [_in_toml(e["msg"]) for e in errors if _key(e["loc"], e["type"], data) == key]
        messages = [messages[0], *(m.removeprefix("Input should be ") for m in messages[1:])]
        raise ConfigError(
            " or ".join(dict.fromkeys(messages)).removeprefix("Value error, "),
            where=f"{path} [{key or 'the whole file'}]",
            fix=_remedy(what, key, _keys_beside(kind, errors[0]["loc"]), docs),
        ) from None


def _in_toml(message: str) -> str:
    words = re.sub("valid dictionary.*", "table", message).replace("valid tuple", "list")
    words = words.replace("Extra inputs are not permitted", "unknown key")
    words = words.replace("Field required", "is required and missing")
    words = re.sub(r"Unable to extract tag using discriminator '(\w+)'", r"has no \1", words)
    return re.sub(
        r"Input tag ('.*') found using '(\w+)' does not match any of the expected tags: ",
        r"\2 is \1, and must be one of ",
        words,
    )


def _key(loc: tuple[int | str, ...], kind: str, data: Any) -> str:
    """The dotted key an error is about, as the file has it."""
    found = []
    for place, part in enumerate(loc, start=1):
        inside = part < len(data) if isinstance(data, list) and isinstance(part, int) else False
        if inside or (isinstance(data, dict) and part in data):
            data = data[part]
        elif kind != "missing" or place < len(loc):
            # A union names the member that did not fit, which is not a key of the file.
            continue
        found.append(str(part))
    return ".".join(found)


def _is_unknown(kind: type[BaseModel], error: ErrorDetails) -> bool:
    """Whether the error is about a key that no table of its place has. In a union, a key that fits
    one member is unknown to the others."""
    loc = error["loc"]
    return error["type"] == "extra_forbidden" and loc[-1] not in _keys_beside(kind, loc)


def _keys_beside(kind: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys that may stand in the table where an error is."""
    tables = [kind]
    for part in loc[:-1]:
        inner = [
            table
            for outer in tables
            if part in outer.model_fields
            for table in _tables(outer.model_fields[str(part)].annotation)
        ]
        # A name in a table of tables, a place in a list and a union's member have no field.
        tables = inner or tables
    return sorted({name for table in tables for name in table.model_fields})


def _tables(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [table for inner in get_args(annotation) for table in _tables(inner)]


def _remedy(kind: str, key: str, known: list[str], docs: str) -> str:
    if kind == "extra_forbidden":
        guess = near(key.rpartition(".")[2], known)
        return f"There is no such key as {key}.{guess} {docs} lists them all."
    if kind == "missing":
        return f"Add {key}; {docs} says what it means."
    return f"{docs} lists every key with its values."

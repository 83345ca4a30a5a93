"""TOML that people write, read as a record; an error names the key and what it nearly is."""

import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pairwright.assets import DOCS
from pairwright.errors import ConfigError, InputError, near

M = TypeVar("M", bound=BaseModel)


def read_toml(path: Path, otherwise: str, error: type[InputError] = ConfigError) -> dict[str, Any]:
    """Read the tables of a file; `otherwise` says what to do where there is none.

    Raises `error`.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise error("no such file", where=path, fix=otherwise) from None
    except IsADirectoryError:
        example = next(iter(sorted(path.glob("*.toml"))), path / "pairwright.toml")
        raise error(
            "is a folder, not a TOML file", where=path, fix=f"Name a file in it, such as {example}."
        ) from None
    except OSError as failure:
        raise error(
            f"cannot be read: {failure.strerror}", where=path, fix="Give a TOML file."
        ) from None
    except RecursionError:
        raise error(
            "not TOML: nested too deeply", where=path, fix="Write it with fewer brackets."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as failure:
        raise error(f"not TOML: {failure}", where=path, fix="Mend the line it names.") from None


def validated(
    kind: type[M],
    data: dict[str, Any],
    path: Path,
    over_defaults: dict[str, Any] | None = None,
    docs: Path = DOCS / "config.md",
    error: type[InputError] = ConfigError,
) -> M:
    """Read `data`, the tables of the file `path`, as a record.

    `over_defaults` is the same with defaults where the file says nothing. `docs` is the page that
    has all keys. Raises `error`, which names the key as the file has it and what it nearly is.
    """
    try:
        return kind.model_validate(data if over_defaults is None else over_defaults)
    except ValidationError as invalid:
        # A key that is misspelt leaves another one missing, and is what is to be mended.
        errors = sorted(invalid.errors(include_url=False), key=lambda e: not _is_unknown(kind, e))
        key = _key(errors[0], data)
        # A value that fits no member of a union has an error for each of them.
        messages = [_in_toml(e["msg"]) for e in errors if _key(e, data) == key]
        messages = [messages[0], *(one.removeprefix("Input should be ") for one in messages[1:])]
        raise error(
            " or ".join(dict.fromkeys(messages)).removeprefix("Value error, "),
            where=f"{path} [{key or 'the whole file'}]",
            fix=_remedy(errors[0], key, _keys_beside(kind, errors[0]["loc"]), docs),
        ) from None


def _in_toml(message: str) -> str:
    message = re.sub("valid dictionary.*", "table", message).replace("valid tuple", "list")
    message = message.replace("Extra inputs are not permitted", "unknown key")
    message = message.replace("Field required", "is required and missing")
    message = re.sub(r"Unable to extract tag using discriminator '(\w+)'", r"has no \1", message)
    return re.sub(
        r"Input tag ('.*') found using '(\w+)' does not match any of the expected tags: ",
        r"\2 is \1, and must be one of ",
        message,
    )


def _key(error: ErrorDetails, data: Any) -> str:
    """The dotted key an error is about, as the file has it."""
    parts, loc = [], error["loc"]
    for place, part in enumerate(loc, start=1):
        if place < len(loc) and _is_tag(part, data):
            continue
        inside = part < len(data) if isinstance(data, list) and isinstance(part, int) else False
        if inside or (isinstance(data, dict) and part in data):
            data = data[part]
        elif error["type"] != "missing" or place < len(loc):
            # A union names the member that did not fit, which is not a key of the file.
            continue
        parts.append(str(part))
    return ".".join(parts)


def _is_tag(part: int | str, data: Any) -> bool:
    """Whether a part of an error's place is the `kind` of the table, which may be called as one of
    its keys is: kind = "endpoint" has a key `endpoint`."""
    return isinstance(data, dict) and data.get("kind") == part


def _is_unknown(kind: type[BaseModel], error: ErrorDetails) -> bool:
    """Whether the error is about a key that no table of its place has. In a union, a key that fits
    one member is unknown to the others."""
    loc = error["loc"]
    return error["type"] == "extra_forbidden" and loc[-1] not in _keys_beside(kind, loc)


def _keys_beside(kind: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys that the table may have in which an error is."""
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


def _remedy(error: ErrorDetails, key: str, keys: list[str], docs: Path) -> str:
    what, value = error["type"], error["input"]
    if what == "extra_forbidden":
        guess = near(key.rpartition(".")[2], keys)
        return f"There is no such key as {key}.{guess} {docs} lists them all."
    if what == "missing":
        return f"Add {key}; {docs} says what it means."
    guess = ""
    if what == "union_tag_not_found" and isinstance(value, dict):
        # The discriminator of every union here is `kind`.
        guess = next((near(name, ["kind"]) for name in value if near(name, ["kind"])), "")
    elif what == "union_tag_invalid":
        guess = near(str(error["ctx"]["tag"]), _quoted(error["ctx"]["expected_tags"]))
    elif what == "literal_error":
        guess = near(str(value), _quoted(error["ctx"]["expected"]))
    return f"{guess} {docs} lists every key with its values.".strip()


def _quoted(words: str) -> list[str]:
    return re.findall(r"'([^']*)'", words)

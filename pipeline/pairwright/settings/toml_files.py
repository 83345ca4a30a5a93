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
_WORDS = (
    ("valid dictionary.*", "table"),
    ("valid tuple", "list"),
    ("^Value error, ", ""),
    ("Extra inputs are not permitted", "unknown key"),
    ("Field required", "is required and missing"),
    (r"Unable to extract tag using discriminator '(\w+)'", r"has no \1"),
    (
        r"Input tag ('.*') found using '(\w+)' does not match any of the expected tags: ",
        r"\2 is \1, and must be one of ",
    ),
)
"""What pydantic says, as somebody knows it who writes TOML."""


def read_toml(path: Path, otherwise: str, error: type[InputError] = ConfigError) -> dict[str, Any]:
    """Read the tables of a file; `otherwise` says what to do if there is none.

    Raises `error`.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        what, fix = "no such file", otherwise
    except IsADirectoryError:
        example = next(iter(sorted(path.glob("*.toml"))), path / "pairwright.toml")
        what, fix = "is a folder, not a TOML file", f"Name a file in it, such as {example}."
    except OSError as failure:
        what, fix = f"cannot be read: {failure.strerror}", "Give a TOML file."
    except RecursionError:
        what, fix = "not TOML: nested too deeply", "Write it with fewer brackets."
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as failure:
        what, fix = f"not TOML: {failure}", "Correct the line it names."
    raise error(what, where=path, fix=fix)


def validated(
    kind: type[M],
    data: dict[str, Any],
    path: Path,
    over_defaults: dict[str, Any] | None = None,
    docs: Path = DOCS / "config.md",
    error: type[InputError] = ConfigError,
) -> M:
    """Read `data`, the tables of the file `path`, as a record.

    `over_defaults` is the same with defaults for what the file leaves out. `docs` is the page that
    has all keys. Raises `error`, which names the key as the file has it and what it nearly is.
    """
    try:
        return kind.model_validate(data if over_defaults is None else over_defaults)
    except ValidationError as invalid:
        # A key that is misspelt leaves another one missing, and is what is to be corrected.
        errors = sorted(invalid.errors(include_url=False), key=lambda e: not _is_unknown(kind, e))
        key = _key(errors[0], data)
        # A value that fits no member of a union has an error for each of them.
        messages = [_in_toml(one["msg"]) for one in errors if _key(one, data) == key]
        messages = [messages[0], *(one.removeprefix("Input should be ") for one in messages[1:])]
        raise error(
            " or ".join(dict.fromkeys(messages)),
            where=f"{path} [{key or 'the whole file'}]",
            fix=_remedy(errors[0], key, _keys_beside(kind, errors[0]), docs),
        ) from None


def _in_toml(message: str) -> str:
    for pattern, words in _WORDS:
        message = re.sub(pattern, words, message)
    return message


def _keys_beside(kind: type[BaseModel], error: ErrorDetails) -> set[str]:
    """The keys that the table may have in which an error is; of a union those of all members."""
    tables = [kind]
    for part in map(str, error["loc"][:-1]):
        fields = [table.model_fields[part] for table in tables if part in table.model_fields]
        # A name in a table of tables, a place in a list and a union's member have no field.
        tables = [inner for field in fields for inner in _tables(field.annotation)] or tables
    return {name for table in tables for name in table.model_fields}


def _tables(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [table for inner in get_args(annotation) for table in _tables(inner)]


def _is_unknown(kind: type[BaseModel], error: ErrorDetails) -> bool:
    """In a union, a key that fits one member is unknown to the others."""
    unknown = error["type"] == "extra_forbidden"
    return unknown and error["loc"][-1] not in _keys_beside(kind, error)


def _key(error: ErrorDetails, data: Any) -> str:
    """The dotted key that an error is about, as the file has it."""
    parts, loc = [], error["loc"]
    for place, part in enumerate(loc, start=1):
        last = place == len(loc)
        # kind = "endpoint" is the tag of a table, which may have a key `endpoint`.
        tag = isinstance(data, dict) and data.get("kind") == part and not last
        inside = part < len(data) if isinstance(data, list) and isinstance(part, int) else False
        if not tag and (inside or (isinstance(data, dict) and part in data)):
            data = data[part]
            parts.append(str(part))
        elif error["type"] == "missing" and last:
            # Any other name is that of a member of a union, which is not a key of the file.
            parts.append(str(part))
    return ".".join(parts)


def _remedy(error: ErrorDetails, key: str, known: set[str], docs: Path) -> str:
    what, value = error["type"], error["input"]
    if what == "extra_forbidden":
        guess = near(key.rpartition(".")[2], sorted(known))
        return f"There is no such key as {key}.{guess} {docs} lists them all."
    if what == "missing":
        return f"Add {key}; {docs} says what it means."
    guess = ""
    if what == "union_tag_not_found" and isinstance(value, dict):
        # The discriminator of every union here is `kind`.
        guess = next(filter(None, (near(name, ["kind"]) for name in value)), "")
    elif what == "union_tag_invalid":
        guess = near(str(error["ctx"]["tag"]), _quoted(error["ctx"]["expected_tags"]))
    elif what == "literal_error":
        guess = near(str(value), _quoted(error["ctx"]["expected"]))
    return f"{guess} {docs} lists every key with its values.".strip()


def _quoted(words: str) -> list[str]:
    return re.findall(r"'([^']*)'", words)

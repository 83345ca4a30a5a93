"""Settings in TOML, read as records; an error names the key and the closest valid key.

config.py endpoints.py    a run's config, and its endpoints
rules.py        the tables by which a build, a study and a release decide
prompt.py       the prompts of a run, and what a file of them may hold
domains.py      domains with their categories, and the quality scales
"""

import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pairwright.assets import DOCS
from pairwright.errors import ConfigError, InputError, near

M = TypeVar("M", bound=BaseModel)
_SHORT = 16
"""Characters of the longest value that a message repeats; API keys are longer."""


def read_toml(path: Path, otherwise: str, error: type[InputError] = ConfigError) -> dict[str, Any]:
    """Read the tables of a file; `otherwise` says what to do without the file.

    Raises `error`.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        what, fix = "no such file", otherwise
    except OSError as failure:
        what, fix = f"cannot be read: {failure.strerror}", f"Give a TOML file. {otherwise}"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as failure:
        what, fix = f"not TOML: {failure}", "Correct the line it names, or give a TOML file."
    raise error(what, where=path, fix=fix)


def validated(
    kind: type[M],
    data: dict[str, Any],
    path: Path,
    docs: Path = DOCS / "config.md",
    error: type[InputError] = ConfigError,
) -> M:
    """Read `data`, the tables of the file `path`, as a record.

    `docs` is the page that has all keys. Raises `error`, which names the key as the file has it and
    what it nearly is.
    """
    try:
        return kind.model_validate(data, context={"folder": path.resolve().parent})
    except ValidationError as invalid:
        # A misspelt key leaves another one missing, and is what is to be corrected.
        errors = invalid.errors(include_url=False)
        first = min(errors, key=lambda one: one["type"] != "extra_forbidden")
        key = _key(first, data)
        # The members of a union each have an error.
        alike = (one["msg"] for one in errors if _key(one, data) == key)
        said = " or ".join(dict.fromkeys(one.removeprefix("Value error, ") for one in alike))
        said = re.sub("valid dictionary[^,]*", "table", said).replace("valid tuple", "list")
        given = first["input"]
        # A number or a short word, never where people write API keys.
        short = isinstance(given, (int, float, str)) and len(str(given)) <= _SHORT
        if short and not re.match(r"endpoints\b|.*\bextra\b", key):
            said = said.replace("Input should", f"{given!r} should")
        raise error(
            "there is no such key" if first["type"] == "extra_forbidden" else said,
            where=f"{path} [{key or 'the whole file'}]",
            fix=f"{_remedy(kind, first, key)} {docs} lists every key.".lstrip(),
        ) from None


def settings_folder(key: str, name: str | None, base: Path, shipped: Path) -> Path:
    """Find the folder that a key of the settings names, relative to `base`, or the shipped one.

    Raises ConfigError where it is not there.
    """
    folder = base / name if name else shipped
    if not folder.is_dir():
        fix = "Name a folder, or leave the key out."
        raise ConfigError(f"there is no folder {folder}", where=f"[{key}]", fix=fix)
    return folder


def _key(error: ErrorDetails, data: Any) -> str:
    """The dotted key that an error is about, without the members of unions that pydantic names
    between, which the file has not."""
    parts = list[str]()
    for place, part in enumerate(error["loc"], start=1):
        last = place == len(error["loc"])
        # kind = "endpoint" is the tag of a table, which may have a key `endpoint`.
        if isinstance(data, dict) and data.get("kind") == part and not last:
            continue
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            if not last or error["type"] != "missing":
                continue
        parts.append(str(part))
    return ".".join(parts)


def _remedy(kind: type[BaseModel], error: ErrorDetails, key: str) -> str:
    """The remedy for an error, with the closest valid key or word."""
    if error["type"] == "missing":
        return f"Add {key}."
    if error["type"] == "extra_forbidden":
        schema, own = kind.model_json_schema(), key.rpartition(".")[2]
        tables = [schema, *schema.get("$defs", {}).values()]
        keys = {name for table in tables for name in table.get("properties", {})}
        return near(own, keys - {own}).lstrip()
    context = error.get("ctx", {})
    words = re.findall(r"'([^']*)'", context.get("expected_tags") or str(context.get("expected")))
    return near(str(context.get("tag", error["input"])), words).strip()

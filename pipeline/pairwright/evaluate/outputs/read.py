"""A file of outputs, held to the questions of a release."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from pairwright.errors import InputError
from pairwright.evaluate.asked import Asked, Questions
from pairwright.evaluate.outputs.records import Output
from pairwright.sources.fields import kind
from pairwright.sources.problems import excerpt

_FORM = 'One JSON object a line: {"id": ITEM_OR_PAIR, "model": NAME, "output": TEXT}.'


class Found(NamedTuple):
    """An output with the question that it answers."""

    output: Output
    asked: Asked


def read_outputs(path: Path, questions: Questions) -> list[Found]:
    """In the file's order.

    Raises InputError, naming the line, for what is no output, an id that the release does not have,
    and a second output of one model for one question; and for a file without any.
    """
    found, seen = [], dict[tuple[str, str], int]()
    for number, output in _lines(path):
        where = f"{path}:{number}"
        asked = questions.find(output.id)
        if isinstance(asked, str):
            raise InputError(asked, where=where, fix="Give outputs for this release's questions.")
        before = seen.setdefault((asked.pair, output.model), number)
        if before != number:
            raise InputError(
                f"{output.model!r} has an output for this question in line {before} already",
                where=where,
                fix="Keep one of the two, or give each its own model name.",
            )
        found.append(Found(output, asked))
    if not found:
        raise InputError("holds no outputs", where=path, fix=_FORM)
    return found


def _lines(path: Path) -> Iterator[tuple[int, Output]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, _output(f"{path}:{number}", line)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", where=path, fix="Give a JSONL file."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 at byte {error.start}", where=path, fix="Save the file as UTF-8."
        ) from None


def _output(where: str, line: str) -> Output:
    try:
        return Output.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(
            _missing(line) or first["msg"], where=f"{where} [{key}]" if key else where, fix=_FORM
        ) from None


def _missing(line: str) -> str:
    """Which keys an object lacks and which it has; empty where that is not what is wrong."""
    try:
        fields = json.loads(line)
    except ValueError:
        return "" if line.lstrip()[:1] in ("{", "[") else "is not JSON"
    if not isinstance(fields, dict):
        return f"is {kind(fields)}, not an object"
    absent = [name for name in Output.model_fields if name not in fields]
    further = [name for name in fields if name not in Output.model_fields]
    if not absent and not further:
        return ""
    said = [f"no key {', '.join(absent)}"] if absent else []
    said += [f"unknown key {', '.join(map(excerpt, further))}"] if further else []
    return f"{'; '.join(said)}; the line has {', '.join(map(excerpt, fields)) or 'no keys'}"

"""Reading files of replies, line by line, as the OpenAI Batch API and `vllm run-batch` write them.

{"custom_id": KEY, "response": {"status_code": 200, "body": {...}}, "error": null}
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.errors import InputError

_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line of a file that is not blank."""

    number: int
    text: bytes
    ended: bool
    """False for a last line without a line end, which may be half a line."""


class Reply(NamedTuple):
    """What a line says. `status` is None where the request came to no response at all."""

    custom_id: str
    status: int | None
    body: JsonValue
    error: JsonValue


def lines_of(path: Path) -> Iterator[Line]:
    """The lines of a file; raises InputError for what cannot be read as lines of text."""
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                text = raw.removeprefix(_BOM) if number == 1 else raw
                if number == 1 and text.startswith(b"\x1f\x8b"):
                    raise InputError(
                        "compressed with gzip", where=path, fix="Unpack it with gunzip first."
                    )
                if text.strip():
                    yield Line(number, text.strip(), raw.endswith(b"\n"))
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=path,
            fix="Name files of replies: the outputs of a Batch API or of vllm run-batch.",
        ) from None


def check_readable(path: Path) -> None:
    """Raise InputError for what cannot be read as lines of text."""
    next(lines_of(path), None)


def reply_of(line: Line) -> Reply:
    """Raises ValueError with a sentence for a line that is no reply."""
    try:
        data = json.loads(line.text)
    except (ValueError, RecursionError) as error:
        if not line.ended:
            raise ValueError("the line breaks off: the file is not whole") from None
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")
    custom_id = data.get("custom_id")
    if not isinstance(custom_id, str):
        raise ValueError("there is no custom_id")
    if "response" not in data and "error" not in data:
        what = "a request, not a reply" if "body" in data else "neither response nor error"
        raise ValueError(what)
    response, failure = data.get("response"), data.get("error")
    if response is None:
        if not failure:
            raise ValueError("neither response nor error")
        return Reply(custom_id, None, None, failure)
    if not isinstance(response, dict):
        raise ValueError("the response is not an object")
    status = response.get("status_code")
    if not isinstance(status, int) or isinstance(status, bool) or not 100 <= status <= 599:
        raise ValueError("the response has no status_code")
    return Reply(custom_id, status, response.get("body"), failure)

"""Files of JSON and JSON Lines as rows: each row is one object."""

import json
from collections.abc import Iterator
from pathlib import Path

from pairwright.errors import SourceError
from pairwright.sources.fields import kind
from pairwright.sources.problems import SourceProblem
from pairwright.sources.source_table import (
    SourceRow,
    SourceTable,
    check_text,
    numbered,
    refused,
    table_row,
    text_lines,
    unpacked,
)


def jsonl(path: Path) -> SourceTable:
    """One object a line; a line that is not one is a SourceProblem, and the next one is read."""
    check_text(path)
    return SourceTable(str(path), None, _lines(path))


def json_array(path: Path) -> SourceTable:
    """One array of objects, loaded whole."""
    check_text(path)
    try:
        with unpacked(path) as file:
            data = file.read()
        values = json.loads(data.decode("utf-8-sig"))
    except MemoryError:
        raise SourceError(
            "the array does not fit into memory",
            where=path,
            fix="Write one object a line, and name the file .jsonl.",
        ) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"not UTF-8: {error.reason}", where=f"{path}:{line}", fix="Save the file as UTF-8."
        ) from None
    except json.JSONDecodeError as error:
        raise SourceError(
            f"not JSON: {error.msg}",
            where=f"{path}:{error.lineno}",
            fix="Mend the line. If the file holds one object a line, name it .jsonl.",
        ) from None
    except (ValueError, RecursionError) as error:
        raise SourceError(
            f"not JSON: {error}", where=path, fix="Write it again, from where it came."
        ) from None
    if not isinstance(values, list):
        raise SourceError(
            f"the file holds {kind(values)}, not an array of objects",
            where=path,
            fix="Write [{...}, {...}], or one object a line in a .jsonl file.",
        )
    return SourceTable(str(path), None, numbered(path.name, values))


def _lines(path: Path) -> Iterator[SourceRow | SourceProblem]:
    for number, line in enumerate(text_lines(path), start=1):
        where = f"{path.name}:{number}"
        if not line.strip():
            continue
        try:
            yield table_row(where, json.loads(line.decode("utf-8")))
        except UnicodeDecodeError as error:
            yield refused("invalid_utf8", where, f"byte {error.start + 1}: {error.reason}")
        except (ValueError, RecursionError) as error:
            yield refused("bad_json", where, str(error))

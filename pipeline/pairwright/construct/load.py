"""Reading pairs back."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from pairwright.dataset import Layout, Row, parts_of, read_rows
from pairwright.errors import InputError
from pairwright.records import Pair


def load_release(path: str | Path) -> list[Pair] | list[Row]:
    """The rows of a release; the pairs of a run folder or of a `pairs.jsonl`, which hold more.

    Raises InputError where there is none, or something is neither. What a simulated model had a
    part in carries `simulated = True`.
    """
    root = Path(path)
    if parts := parts_of(root):
        layout = Layout(root)
        return [row for part in parts for row in read_rows(layout.part(part))]
    return list(iterate_pairs(root))


def iterate_pairs(path: Path) -> Iterator[Pair]:
    """The same, one pair at a time."""
    file = path / "pairs.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "no such file",
            where=file,
            fix="Name a release, or a run folder whose build has finished.",
        )
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield Pair.model_validate_json(line)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                raise InputError(
                    f"not a pair: {'.'.join(map(str, first['loc']))}: {first['msg']}",
                    where=f"{file}:{number}",
                    fix="Build again: pairs.jsonl is derived from the run folder's store.",
                ) from None

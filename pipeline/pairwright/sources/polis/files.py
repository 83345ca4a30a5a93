"""The conversations of a folder: their files, their tables, and what a summary says."""

import csv
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import SourceError
from pairwright.settings.rules import SourceRules
from pairwright.sources.delimited import comma_separated
from pairwright.sources.problems import SourceProblem
from pairwright.sources.source_table import SourceRow, SourceTable

STATEMENTS = "comments.csv"
VOTES = ("participants-votes.csv", "participant-votes.csv")
"""Its name in published data, and in what a conversation's own report page exports."""
SUMMARY = "summary.csv"
LARGEST_SUMMARY = 1_000_000


class Conversation(NamedTuple):
    """One conversation's files."""

    name: str
    """The name of its folder."""
    statements: Path
    votes: Path
    summary: Path | None
    prefix: str
    """The folder in front of its files' names, where the source holds several conversations."""

    @property
    def files(self) -> list[Path]:
        return [self.statements, self.votes, *([self.summary] if self.summary else [])]


def locate_conversations(rules: SourceRules, folder: Path) -> list[Conversation]:
    """The conversations of the folder that the rules name, by name. Raises SourceError."""
    path = folder / Path(rules.path).expanduser()
    if not path.is_dir():
        raise SourceError(
            "is not a folder" if path.exists() else "no such folder",
            where=path,
            fix="Name the folder of a conversation's exported files, or a folder of such folders;"
            f" `path` is relative to {folder}.",
        )
    if (path / STATEMENTS).is_file():
        return [_conversation(path, "")]
    folders = sorted(one for one in path.iterdir() if (one / STATEMENTS).is_file())
    if not folders:
        raise SourceError(
            f"holds no {STATEMENTS}, and no folder in it does",
            where=path,
            fix=f"Name the folder of a conversation: {STATEMENTS}, {VOTES[0]}, {SUMMARY}.",
        )
    return [_conversation(one, f"{one.name}/") for one in folders]


def conversations_hash(conversations: list[Conversation]) -> str:
    """`b2:` and a hash of the files that are read, with their names."""
    digest = blake2b(digest_size=16)
    for conversation in conversations:
        for path in conversation.files:
            digest.update(f"{conversation.name}/{path.name}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as file:
                while chunk := file.read(1 << 20):
                    digest.update(chunk)
    return f"b2:{digest.hexdigest()}"


def _conversation(path: Path, prefix: str) -> Conversation:
    votes = next((path / name for name in VOTES if (path / name).is_file()), None)
    if votes is None:
        raise SourceError(
            f"holds {STATEMENTS} and no {VOTES[0]}",
            where=path,
            fix="Export the conversation again with its votes.",
        )
    summary = path / SUMMARY
    return Conversation(
        path.resolve().name,
        path / STATEMENTS,
        votes,
        summary if summary.is_file() else None,
        prefix,
    )


def read_summary(path: Path) -> dict[str, str]:
    """The names and values of a summary. Raises SourceError."""
    fix = "Export it again, or leave it out."
    if path.stat().st_size > LARGEST_SUMMARY:
        raise SourceError(f"has more than {LARGEST_SUMMARY:,} bytes", where=path, fix=fix)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
        return {row[0].strip(): row[1] for row in csv.reader(lines, strict=True) if len(row) == 2}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"is not CSV in UTF-8: {error}", where=path, fix=fix) from None


def statement_rows(path: Path, prefix: str) -> Iterator[SourceRow | SourceProblem]:
    """The rows of a table of statements. Raises SourceError."""
    table = open_exported(path)
    needed = ("comment-id", "author-id", "comment-body")
    missing = [name for name in needed if name not in (table.columns or ())]
    if missing:
        raise SourceError(
            f"no column {', '.join(missing)}",
            where=f"{path}:1",
            fix="Export the conversation's statements again; the first line names the columns.",
        )
    return prefix_rows(table, prefix)


def open_exported(path: Path) -> SourceTable:
    """An exported table. Raises SourceError."""
    try:
        return comma_separated(path)
    except OSError as error:
        raise SourceError(
            f"cannot be read: {error.strerror}", where=path, fix="Check its permissions."
        ) from None


def prefix_rows(table: SourceTable, prefix: str) -> Iterator[SourceRow | SourceProblem]:
    """The rows, with the folder in front of their places."""
    for row in table.rows:
        where = prefix + row.where
        if isinstance(row, SourceProblem):
            yield row.model_copy(update={"where": where})
        else:
            yield row._replace(where=where)

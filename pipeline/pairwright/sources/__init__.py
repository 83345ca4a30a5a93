"""Reading of user histories: files, Hub datasets and dumps as items, and what was wrong with them.

A row that cannot be used is a SourceProblem and reading goes on; a file that cannot be used is a
SourceError. `reasons.toml` has every rule by which a row or post is refused or repaired.

tables.py       the table that a path names, as rows with their lines
fields.py       the fields of a row, cleaned
items.py        rows that are items, and rows that are posts, become items
choices.py      the choices of users
dumps.py        dumps of Stack Exchange
problems.py     rows and posts that are refused or repaired
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import SourceError
from pairwright.records import Item
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import choices, dumps, items, tables
from pairwright.sources.choices import Chooser
from pairwright.sources.items import Source
from pairwright.sources.problems import Problems, SourceProblem

__all__ = [
    "Chooser", "Problems", "SourceItems", "SourceProblem", "nothing_usable", "read",
    "read_choosers", "read_whole", "source_hash",
]  # fmt: skip

_READERS = {
    "items": items.read_items, "posts": items.read_posts, "stackexchange": dumps.read_dump,
}  # fmt: skip


def read(rules: SourceRules, domains: Domains, folder: Path, problems: Problems) -> Iterator[Item]:
    """The source's items in its order, each after its problems; a relative path starts at `folder`.
    Raises SourceError, also at the end if there is no item."""
    if rules.format == "choices":
        raise SourceError(
            "format = 'choices' holds people's own choices, and not questions to answer",
            where=rules.path,
            fix="Build natural twins of it: modes = ['natural'].",
        )
    item = None
    for item in _READERS[rules.format](Source(rules, domains, folder, problems)):
        yield item
    if item is None:
        raise nothing_usable(rules, folder, problems)


class SourceItems(NamedTuple):
    """Items of a source in its order, the rows and posts that are not used by reason, and the
    identity of the source's content."""

    items: tuple[Item, ...]
    refused: dict[str, int]
    hash: str


def read_whole(rules: SourceRules, domains: Domains, folder: Path) -> SourceItems:
    """Read a whole source at once. Raises SourceError."""
    problems = Problems()
    found = tuple(read(rules, domains, folder, problems))
    return SourceItems(found, problems.counts("refused"), source_hash(rules, folder))


def read_choosers(
    rules: SourceRules, domains: Domains, folder: Path, problems: Problems
) -> Iterator[Chooser]:
    """Each user's choices in a table of choices that have a history. Raises SourceError."""
    return choices.read_choices(Source(rules, domains, folder, problems))


def source_hash(rules: SourceRules, folder: Path) -> str:
    """Identity of the source's content: `b2:` and a hash of its bytes, or `id@commit`."""
    if rules.format == "stackexchange":
        return tables.content_hash(dumps.locate_dump(rules, folder)[0])
    return " ".join(tables.table_hash(path, folder) for path in (rules.path, rules.texts) if path)


def nothing_usable(rules: SourceRules, folder: Path, problems: Problems) -> SourceError:
    """The error of a source without an item: with the reasons, and advice on the most frequent one
    that has any."""
    if rules.format == "stackexchange":
        where = str(dumps.locate_dump(rules, folder)[0])
    else:
        where = str(tables.locate(rules.path, folder) or rules.path)
    refused = problems.of("refused")
    if not refused:
        return SourceError("no rows", where=where, fix=tables.AGAIN)
    reasons = ", ".join(f"{count.phrase} ({count.n:,})" for count in refused)
    one = next((count for count in refused if count.remedy), refused[0])
    what = f"not one usable row: {reasons}; {one.first.where}: {one.said}"
    return SourceError(what, where=where, fix=one.remedy or "Correct the row named.")

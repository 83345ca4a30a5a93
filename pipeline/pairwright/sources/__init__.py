"""How user histories come in: files, Hub datasets and dumps as items, and what was wrong with them.

    for record in read(rules, domains, folder):
        match record:
            case Item(): ...
            case SourceProblem(): ...      # a row or post, refused or repaired, with its place

A row that cannot be used is a SourceProblem and reading goes on; a file that cannot be used is a
SourceError. `reasons.toml` has every rule by which a row or post is refused or repaired.

source_table.py opening.py    rows with their places; formats, and the table that a path names
table_files.py      a table of each kind of file
fields.py markup.py    one field of a row, read and cleaned
items.py posts.py    rows that are items and what items are held to, and rows that are posts
choosers.py choices.py choice_rows.py    who chose what; a table of choices, and its rows
problems.py reasons.toml    what is said of rows and posts that are refused or repaired; the rules
stackexchange/    dumps of Stack Exchange
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import SourceError
from pairwright.records import Item
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import choices, items, posts
from pairwright.sources.choosers import Chooser
from pairwright.sources.opening import Choosers, Items, table_hash
from pairwright.sources.problems import ProblemCounts, SourceProblem
from pairwright.sources.source_table import content_hash
from pairwright.sources.stackexchange import histories
from pairwright.sources.stackexchange.dump import locate_dump

__all__ = [
    "Chooser",
    "SourceItems",
    "SourceProblem",
    "read",
    "read_choosers",
    "read_whole",
    "source_hash",
    "with_items",
]


_READERS = {"items": items.read, "posts": posts.read, "stackexchange": histories.read}


def read(rules: SourceRules, domains: Domains, folder: Path) -> Items:
    """The source's items, each after its problems, in the source's order.

    `folder` is the config's: a relative path starts there. Raises SourceError where the source
    is of no use as a whole: also at the end, where not one item came of it.
    """
    if rules.format == "choices":
        raise SourceError(
            "format = 'choices' holds people's own choices, and not questions to answer",
            where=rules.path,
            fix="Build natural twins of it: modes = ['natural'].",
        )
    yield from with_items(*_READERS[rules.format](rules, domains, folder))


class SourceItems(NamedTuple):
    """All items of a source, in its order."""

    items: tuple[Item, ...]
    refused: dict[str, int]
    """Rows and posts that are not used, by reason."""
    hash: str
    """Identifies the source's content."""
    without: frozenset[str] = frozenset()
    """Ids of items without gold aspects, where only items with such are wanted."""


def read_whole(rules: SourceRules, domains: Domains, folder: Path) -> SourceItems:
    """The same at once. Raises SourceError."""
    items, refused = list[Item](), Counter[str]()
    for one in read(rules, domains, folder):
        if isinstance(one, Item):
            items.append(one)
        elif one.action == "refused":
            refused[one.reason] += 1
    counts = dict(sorted(refused.items()))
    return SourceItems(tuple(items), counts, source_hash(rules, folder))


def read_choosers(rules: SourceRules, domains: Domains, folder: Path) -> tuple[str, Choosers]:
    """A table of choices, as messages name it, and each user's choices after their problems, those
    without a history too. Raises SourceError, also while it is read."""
    return choices.read(rules, domains, folder)


def source_hash(rules: SourceRules, folder: Path) -> str:
    """What identifies the source's content: `b2:` and a hash of its bytes, or `id@commit`."""
    if rules.format == "stackexchange":
        return content_hash([locate_dump(rules, folder).posts])
    return " ".join(table_hash(path, folder) for path in (rules.path, rules.texts) if path)


def with_items(source: str, rows: Iterable[Item | SourceProblem]) -> Iterator[Item | SourceProblem]:
    """The same rows. Raises SourceError at the end, where there is no item among them."""
    problems, found = ProblemCounts(), False
    for one in rows:
        if isinstance(one, SourceProblem):
            problems.add(one)
        else:
            found = True
        yield one
    if not found:
        raise _nothing_left(source, problems)


def _nothing_left(source: str, problems: ProblemCounts) -> SourceError:
    """The error of a source without one usable row: the reasons, and what to do about the one that
    most were refused for."""
    refused = problems.of("refused")
    if not refused:
        return SourceError("no rows", where=source, fix="Write or download it again.")
    reasons = ", ".join(f"{count.reason} {count.n}" for count in refused)
    most = refused[0]
    file, _, line = most.where.rpartition(":")
    # A table of texts lies beside that of choices, and has a name of its own.
    return SourceError(
        f"not one usable row: {reasons}; here: {most.said}",
        where=f"{source}:{line}" if source.endswith(file) else most.where,
        fix=most.remedy or "Mend the row named.",
    )

"""How user histories come in: files and Hub datasets as items, and what was wrong with them.

    for found in read(policy, domains, folder):
        match found:
            case Item(): ...
            case Problem(): ...      # a row or post that was refused or repaired, with its place

A row that cannot be used is a Problem and reading goes on; a file that cannot be used is a
SourceError. `problem.REASONS` has every rule by which a row or post is refused or repaired.
"""

from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b, file_digest
from pathlib import Path

from pairwright.errors import SourceError
from pairwright.policy import SourcePolicy
from pairwright.records import Item
from pairwright.rubric import Domains
from pairwright.sources import hub, items, posts
from pairwright.sources.opening import locate, open_table
from pairwright.sources.problem import Problem

__all__ = ["Problem", "read", "source_hash"]

_REMEDIES = {
    "missing_user": "Give each row its user; for posts, name the column in `user`.",
    "bad_time": "Write ISO 8601 or seconds since 1970; for posts, name the column in `created`.",
    "empty_text": "For posts, name the column of the text in `text`.",
    "empty_question": "Give each item a `question`.",
    "missing_id": "Give each item and each post an `id`.",
    "missing_category": "Set `default_category`, or name the column in `category`.",
    "unknown_category": "Add the category to `also` in a file of rubrics/, or add a domain file.",
    "too_few_posts": "Bring longer histories, or lower `min_posts`.",
    "bad_json": "Write one object a line; an array belongs in a .json file.",
    "not_an_object": "Write one object a line; an array belongs in a .json file.",
    "bad_csv": "Is it separated by commas (.csv) or tabs (.tsv), its quotes written twice?",
    "ragged_row": "Is it separated by commas (.csv) or tabs (.tsv), its quotes written twice?",
    "invalid_utf8": "Save the file as UTF-8.",
}


def read(policy: SourcePolicy, domains: Domains, folder: Path) -> Iterator[Item | Problem]:
    """The source's items, each after its Problems, in the source's order.

    `folder` is the config's: a relative path starts there. Raises SourceError where the source
    is of no use as a whole: also at the end, where not one item came of it.
    """
    table = open_table(policy, folder)
    read_items = items.items if policy.format == "items" else posts.items
    refused: Counter[str] = Counter()
    first: dict[str, str] = {}
    kept = 0
    for found in read_items(table.rows, domains, policy):
        if isinstance(found, Item):
            kept += 1
        elif found.action == "refused":
            refused[found.reason] += 1
            first.setdefault(found.reason, found.where)
        yield found
    if not kept:
        raise _nothing_left(table.source, refused, first)


def source_hash(policy: SourcePolicy, folder: Path) -> str:
    """What stands for the source's content: `b2:` and a hash of its bytes, or `id@commit`."""
    path = locate(policy, folder)
    if path is None:
        return hub.fingerprint(policy.path)
    with path.open("rb") as file:
        digest = file_digest(file, lambda: blake2b(digest_size=16))
    return f"b2:{digest.hexdigest()}"


def _nothing_left(source: str, refused: Counter[str], first: dict[str, str]) -> SourceError:
    """The error of a source without one usable row: the reasons, and what to do about the first."""
    if not refused:
        return SourceError("no rows", where=source, fix="Write or download it again.")
    ordered = refused.most_common()
    reasons = ", ".join(f"{reason} {count}" for reason, count in ordered)
    line = first[ordered[0][0]].rpartition(":")[2]
    remedy = next((_REMEDIES[r] for r, _ in ordered if r in _REMEDIES), "Mend the row named.")
    return SourceError(f"not one usable row: {reasons}", where=f"{source}:{line}", fix=remedy)

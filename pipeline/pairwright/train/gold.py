"""Items with gold aspects, and how many rows of a source are none."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from pairwright.assets import DOCS
from pairwright.errors import SourceError
from pairwright.records import Item
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import SourceProblem, read, source_hash

NO_GOLD = "no_gold_aspects"


class Gold(NamedTuple):
    """The items of a source that have gold aspects, in its order."""

    items: tuple[Item, ...]
    refused: dict[str, int]
    """Rows that are not used, by reason."""
    repaired: dict[str, int]
    hash: str
    """Stands for the source's content."""
    without: frozenset[str]
    """Ids of items without gold aspects."""


def read_gold(rules: SourceRules, domains: Domains, folder: Path, where: str) -> Gold:
    """Raises SourceError for a source without one usable item."""
    items, refused, repaired = [], Counter[str](), Counter[str]()
    without: set[str] = set()
    for found in read(rules, domains, folder):
        match found:
            case SourceProblem(action="refused"):
                refused[found.reason] += 1
            case SourceProblem():
                repaired[found.reason] += 1
            case Item(rubric_aspects=()):
                refused[NO_GOLD] += 1
                without.add(found.id)
            case Item():
                items.append(found)
    if not items:
        raise SourceError(
            f"not one of {refused[NO_GOLD]:,} items has gold aspects",
            where=f"{where} {rules.path}",
            fix=f"Give items a list `rubric_aspects`, as LaMP-QA's have: {DOCS / 'sources.md'}.",
        )
    digest = source_hash(rules, folder)
    return Gold(tuple(items), _sorted(refused), _sorted(repaired), digest, frozenset(without))


def _sorted(counted: Counter[str]) -> dict[str, int]:
    return dict(sorted(counted.items()))

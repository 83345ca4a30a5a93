"""Who is to be forgotten of a run, and with whom its pairs leave.

Where the address of a post is named, a decoy leaves whose rejected response was written to the
rubric of the post's author. Which posts that rubric rests on is not known: any of them counts.
"""

from pathlib import Path

from pairwright.dataset import read_lines
from pairwright.dataset.address import ForgetList
from pairwright.records import Item, pseudonym


def with_authors(forgotten: ForgetList, items: Path) -> ForgetList:
    """The same with the authors of the posts whose addresses are named. `items` is the run's file
    of items."""
    if not forgotten.urls:
        return forgotten
    concerned = (item for item in read_lines(items, Item) if forgotten.holds(None, item.profile))
    return forgotten._replace(authors=frozenset(pseudonym(item.user) for item in concerned))

"""Which subjects of a run leave with somebody whom their pairs do not name.

A unit of two users has both in its pairs, but for a decoy: its one pair names the user that it is
about, and its rejected response is written to the rubric of another, from what their posts show.
Only the store knows who that is.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pairwright.construct.run_pairs import UnitResult
from pairwright.dataset import read_lines
from pairwright.dataset.address import ForgetList
from pairwright.modes import MODES
from pairwright.records import Item, pseudonym


def unnamed_partners(results: Iterable[UnitResult]) -> dict[str, str]:
    """By subject, the second user of a kept unit whose one pair names the first alone."""
    return {
        unit.subject: unit.users[1]
        for unit in results
        if unit.subject and MODES[unit.mode].halves < len(unit.users)
    }


def leaving_with_partners(
    partners: Mapping[str, str], items: Path, forgotten: ForgetList
) -> frozenset[str]:
    """The subjects whose unnamed partner is to be forgotten, or has a post that is. `items` is the
    run's file of items. Which posts a rubric rests on is not known here: any of that user counts.
    """
    users = {user for user in partners.values() if pseudonym(user) in forgotten.users}
    if partners and forgotten.urls:
        concerned = (
            item for item in read_lines(items, Item) if forgotten.holds(None, item.profile)
        )
        users |= {item.user for item in concerned}
    return frozenset(subject for subject, user in partners.items() if user in users)

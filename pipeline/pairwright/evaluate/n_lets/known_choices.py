"""What a release's rows say that other users chose.

Of people's own choices a stranger may have taken the same response as the user. Such a stranger is
as right as the user is, and no scorer could tell the two apart by the response.
"""

from collections import defaultdict
from collections.abc import Iterable, Set

from pairwright.dataset import Row
from pairwright.modes import MODES


class KnownChoices:
    """Who took and who refused a response to a question, by the rows of people's own choices."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._taken: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._refused: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in rows:
            if of_own_choice(row) and row.user:
                self._taken[row.question, row.chosen].add(row.user)
                self._refused[row.question, row.rejected].add(row.user)

    def took_chosen(self, row: Row) -> Set[str]:
        """The users who are known to have taken a row's chosen response."""
        return self._taken.get((row.question, row.chosen), set())

    def refused_chosen(self, row: Row) -> Set[str]:
        """The users who are known to have refused it."""
        return self._refused.get((row.question, row.chosen), set())


def of_own_choice(row: Row) -> bool:
    """Whether a row's label is the user's own choice."""
    return row.mode is not None and MODES[row.mode].own_choice

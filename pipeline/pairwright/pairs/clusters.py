"""Which rows depend on each other: those of one dyad, user or prompt, and mirrored rows, which have
one prompt and the same two responses with the sides swapped."""

from collections import defaultdict

from networkx.utils import UnionFind

from pairwright.pairs.row import Row


class Clusters:
    """The clusters of rows. Users of mirrored rows share one, because what is right for the one is
    wrong for the other; a row with a dyad has that."""

    def __init__(self) -> None:
        self._union = UnionFind()
        # By prompt and responses, the clusters of the rows of either order.
        self._sides: defaultdict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))

    def add(self, row: Row) -> None:
        """Count one row."""
        if not row.dyad and row.chosen != row.rejected:
            sides = self._sides[hash((row.question, *sorted((row.chosen, row.rejected))))]
            sides[row.chosen < row.rejected].append(row.cluster)
            if all(sides):
                self._union.union(*sides[0], *sides[1])

    def name(self, cluster: str) -> str:
        """The name of the cluster that a row's own is part of, after the last row."""
        return str(self._union[cluster])

    @property
    def mirrored(self) -> bool:
        """Whether each row has its mirrored row: a scorer without the user is right in one."""
        even = all(len(one) == len(other) for one, other in self._sides.values())
        return bool(self._sides) and even

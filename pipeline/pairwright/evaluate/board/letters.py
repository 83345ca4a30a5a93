"""The letters of rows: rows that share one cannot be distinguished."""

from collections.abc import Iterable, Sequence
from string import ascii_lowercase


def group_letters(
    rows: Sequence[str], differing_pairs: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """The letters of each row, from the pairs of rows that differ; `a` is the first row's group."""
    groups = [frozenset(rows)]
    for first, second in differing_pairs:
        split = [group for group in groups if first in group and second in group]
        left = [group for group in groups if group not in split]
        for group in split:
            left += [group - {first}, group - {second}]
        left = list(dict.fromkeys(left))
        groups = [group for group in left if not any(group < other for other in left)]
    place = {row: n for n, row in enumerate(rows)}
    groups.sort(key=lambda group: sorted(place[row] for row in group))
    return {
        row: " ".join(_letter(n) for n, group in enumerate(groups) if row in group) for row in rows
    }


def _letter(n: int) -> str:
    """a to z, then a2 to z2 and so on."""
    turn, place = divmod(n, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(turn + 1) if turn else "")

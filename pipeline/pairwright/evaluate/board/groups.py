"""Significance groups: rows that share a letter cannot be told apart.

The compact letter display of Piepho (2004, J. Comput. Graph. Stat. 13, 456-466): insert and absorb.
"""

from collections.abc import Iterable, Sequence

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def letters(rows: Sequence[str], apart: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Each row's letters, `a` the group of the first row; `apart` are the pairs that differ."""
    groups = [frozenset(rows)]
    for first, second in apart:
        split = [of for of in groups if first in of and second in of]
        kept = [of for of in groups if of not in split]
        for of in split:
            kept += [of - {first}, of - {second}]
        kept = list(dict.fromkeys(kept))
        groups = [of for of in kept if not any(of < other for other in kept)]
    place = {row: n for n, row in enumerate(rows)}
    groups.sort(key=lambda of: sorted(place[row] for row in of))
    return {row: " ".join(_letter(n) for n, of in enumerate(groups) if row in of) for row in rows}


def _letter(n: int) -> str:
    """a to z, then a2 to z2 and so on."""
    turn, place = divmod(n, len(LETTERS))
    return LETTERS[place] + (str(turn + 1) if turn else "")

"""The questions of a release as prompts: what a policy is shown, who asks, and in which split.

A user's pairs are all in one split, and so are those of partners of a twin.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from pairwright.dataset import Row
from pairwright.dataset.splits import places_of

Split = Literal["train", "validation"]
SPLITS: tuple[Split, ...] = ("train", "validation")


class Prompted(NamedTuple):
    """A pair with the prompt that it answers."""

    row: Row
    prompt: str
    split: Split
    first: bool
    """Whether no pair before it has the same question of the same user."""


def prompted(
    rows: Sequence[Row], shown: Callable[[Row], str], validation_share: float
) -> list[Prompted]:
    """All pairs, in their order; `shown` gives the one message of the user that a policy reads.

    `validation_share` is of groups of users that must stay together; above 0 it is one at least,
    and one stays for training.
    """
    places = places_of(_users(rows), "rl")
    held = _held(sorted(set(places.values())), validation_share)
    seen: set[tuple[str, str]] = set()
    made: list[Prompted] = []
    for row in rows:
        key = (row.item_id, row.user or row.cluster)
        split: Split = "validation" if places[key[1]] in held else "train"
        made.append(Prompted(row, shown(row), split, key not in seen))
        seen.add(key)
    return made


def _held(groups: Sequence[int], share: float) -> set[int]:
    wanted = max(1, round(share * len(groups))) if share else 0
    return set(groups[: min(wanted, len(groups) - 1)])


def _users(rows: Iterable[Row]) -> list[Sequence[str]]:
    """Of each pair or twin, whose it is."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        found[row.subject][row.user or row.cluster] = None
    return [list(users) for users in found.values()]

"""How much of a set of pairs those solve who count words that a response shares with the posts: in
words, for the verdict of an audit on its page, on a terminal and on the card of its release.

It is no fault of one pair, and no check fails by it. But a set of which it solves most measures the
matching of words as much as the reading of people, so no verdict is given without it.
"""

from collections.abc import Iterable

from pairwright.estimate import Estimate
from pairwright.modes import MODES
from pairwright.text import number_of

NAMES = OVERLAP, WEIGHED = "profile_overlap", "profile_tfidf"
"""The checks that count shared words; the second weighs them by how rare they are."""
_OF_MODE = "mode "


def of_mode(mode: str | None) -> str:
    """What a check names as its configuration that is of all pairs of a mode: for other people's
    pairs, which have none, that it is of all."""
    return f"{_OF_MODE}{mode}" if mode else ""


def is_of_mode(config: str) -> bool:
    """Whether that is what it names."""
    return not config or config.startswith(_OF_MODE)


def overlap_clauses(figures: Iterable[tuple[str, str, Estimate | None]]) -> tuple[str, ...]:
    """`figures` are accuracies: the name of a check, the mode or configuration of the pairs, and
    what was found. A clause for each mode that is measured: `word overlap with the posts is right
    in 70 % (60 to 79) of 92 pairs in twins, tf-idf in 74 % (65 to 82)`, `of 40 violate pairs in
    52 % (37 to 67)`."""
    by_config: dict[str, dict[str, Estimate]] = {}
    for name, config, found in figures:
        if name in NAMES and is_of_mode(config) and found and found.value is not None:
            by_config.setdefault(config, {})[name] = found
    clauses = list[str]()
    for config, by_name in by_config.items():
        if overlap := by_name.get(OVERLAP):
            share, pairs = overlap.percent(), _pairs(overlap.n, config)
            first = f"word overlap with the posts is right in {share} of {pairs}"
            weighed = by_name.get(WEIGHED)
            clauses.append(
                (f"of {pairs} in {share}" if clauses else first)
                + (f", tf-idf in {weighed.percent()}" if weighed else "")
            )
    return tuple(clauses)


def _pairs(n: int, config: str) -> str:
    """`92 pairs in twins`, `40 violate pairs`, or `92 pairs`."""
    mode = next((one for one in MODES.values() if of_mode(one.name) == config), None)
    if mode is None or mode.halves == 2:
        return number_of(n, "pair") + (f" in {mode.units}" if mode else "")
    return number_of(n, mode.unit)

"""The sentences on floor and ceiling, and on the share of the way between them."""

from collections.abc import Iterator

from pairwright.evaluate.board.band import CEILINGS, OTHERS, Band, ceiling_name
from pairwright.evaluate.board.board import Leaderboard
from pairwright.evaluate.board.ranking import Ranking
from pairwright.intervals import Interval, interval_text
from pairwright.modes import MODES, mode_pairs
from pairwright.records import Mode
from pairwright.text import number_of

_CLUSTERS: dict[Mode | None, str] = {
    "twin": "dyad", "natural": "couple", "violate": "user", "accepted": "user",
}  # fmt: skip
"""What a mode's pairs are clustered by: what is independent."""


def band_sentences(ranking: Ranking) -> Iterator[str]:
    """Floor and ceiling of a ranking, where people are shown the same."""
    if ranking.band:
        yield _band_sentence(ranking.mode, ranking.band)


def way_sentences(board: Leaderboard) -> Iterator[str]:
    """What the share of the way is, where any row has one."""
    modes = dict.fromkeys(
        ranking.mode for ranking in board.rankings if ranking.band and ranking.band.shares
    )
    if not modes:
        return
    ceilings = dict.fromkeys(CEILINGS[ceiling_name(mode)] for mode in modes)
    yield (
        "Of the way is (scorer - floor) / (ceiling - floor), with Fieller's interval (1954) for"
        " the errors of all three. The floor is the higher one of word overlap and an embedding's"
        f" cosine on the same pairs, the ceiling {'; '.join(ceilings)}."
    )
    names = dict.fromkeys(map(ceiling_name, modes))
    if "people" in names:
        yield (
            "People are held to the majority of the other readers, and scorers to the labels that"
            " people verified, so 100 % is where one reader is, and not the most there is."
        )
    if OTHERS in names:
        yield (
            "The choices of others are data that no scorer is shown, of people who chose between"
            " the same responses. They are a point of comparison: nobody knows whether texts can"
            " tell as much, and they may tell more."
        )


def _band_sentence(mode: Mode | None, band: Band) -> str:
    """Floor and ceiling in words, and why there are no shares where there are none."""
    parts = [f"Floor: {_words('word overlap', band.floor, mode)}"] if band.floor else []
    parts += [
        _words(f"the cosine of {name}", one, mode) for name, one in band.meaning_floors.items()
    ]
    if band.ceiling:
        unit = "pairs" if mode and MODES[mode].own_choice else "votes"
        parts.append(f"ceiling: {_words(ceiling_name(mode), band.ceiling, mode, unit)}")
    text = f"{'; '.join(parts)}." if parts else ""
    if band.shares and band.base:
        floor = f" The share of the way is from the higher floor, {band.base[0]}."
        return text + (floor if band.meaning_floors else "")
    return f"{text} {mode_pairs(mode).capitalize()} have no share of the way: {band.why}.".strip()


def _words(name: str, interval: Interval, mode: Mode | None, unit: str = "pairs") -> str:
    n = f"n = {interval.n:,} {unit}, {clusters_in_words(interval.clusters, mode)}"
    percent = [
        None if x is None else 100 * x for x in (interval.value, interval.low, interval.high)
    ]
    if any(x is None for x in percent):
        return f"{name} {interval_text(interval)} ({n})"
    value, low, high = percent
    return f"{name} {value:.1f} % ({low:.1f} to {high:.1f}, {n})"


def clusters_in_words(n: int, mode: Mode | None) -> str:
    """How many units of a mode are independent: `12 couples`."""
    return number_of(n, _CLUSTERS.get(mode, "cluster"))

"""The sentences on floor and ceiling, and on the share of the way between them."""

from collections.abc import Iterator

from pairwright.evaluate.board.band import CEILINGS, OTHERS, Band, ceiling_name
from pairwright.evaluate.board.board import Leaderboard
from pairwright.evaluate.board.ranking import Ranking
from pairwright.intervals import Interval, interval_text
from pairwright.modes import MODES, mode_pairs
from pairwright.records import Mode


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
        " the errors of all three. The floor is word overlap on the same pairs, the ceiling"
        f" {'; '.join(ceilings)}."
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
    parts = [f"Floor: {_words('word overlap', band.floor)}"] if band.floor else []
    parts += [_words(f"the cosine of {name}", one) for name, one in band.meaning_floors.items()]
    if band.ceiling:
        unit = "pairs" if mode and MODES[mode].own_choice else "votes"
        parts.append(f"ceiling: {_words(ceiling_name(mode), band.ceiling, unit)}")
    text = f"{'; '.join(parts)}." if parts else ""
    if band.shares:
        return text
    return f"{text} {mode_pairs(mode).capitalize()} have no share of the way: {band.why}.".strip()


def _words(name: str, interval: Interval, unit: str = "pairs") -> str:
    percent = [
        None if x is None else 100 * x for x in (interval.value, interval.low, interval.high)
    ]
    if any(x is None for x in percent):
        return f"{name} {interval_text(interval)} (n = {interval.n:,} {unit})"
    value, low, high = percent
    return f"{name} {value:.1f} % ({low:.1f} to {high:.1f}, n = {interval.n:,} {unit})"

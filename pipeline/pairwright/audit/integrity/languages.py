"""Responses in another language than the question, on a sample."""

import random
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from pairwright.audit.found import clipped
from pairwright.audit.records import Check, Flag, Status
from pairwright.dataset import Row
from pairwright.gates.language import language
from pairwright.intervals import Interval
from pairwright.stats import share

SAMPLE = 1000
"""Rows of a configuration; classifying each would take longer than all else here."""
LIMIT = 0.05
"""Of rows; a classifier of 97 languages is not right about every short text."""
ENOUGH = 100
"""Letters that tell a language."""
_Z = 1.959964


class _Sampled(NamedTuple):
    order: int
    row: str
    cluster: int
    asked: str
    sides: tuple[str, str]


class Languages:
    """`other_language`: rows with a side in another language than the question and the posts."""

    def __init__(self) -> None:
        self._chance = random.Random(0)
        self._rows: defaultdict[str, int] = defaultdict(int)
        self._samples: defaultdict[str, list[_Sampled]] = defaultdict(list)

    def add(self, row: Row) -> None:
        """Reservoir sampling (Vitter 1985, algorithm R): every row has the same chance."""
        config = row.config
        number = self._rows[config]
        self._rows[config] += 1
        sample = self._samples[config]
        place = number if number < SAMPLE else self._chance.randrange(number + 1)
        if place >= SAMPLE:
            return
        asked = " ".join((row.question[:450], *(post.text[:100] for post in row.profile[:5])))
        sides = row.chosen[:200], row.rejected[:200]
        taken = _Sampled(number, row.id, hash(row.cluster), asked[:450], sides)
        if place == len(sample):
            sample.append(taken)
        else:
            sample[place] = taken

    def checks(self) -> Iterator[Check]:
        for config in sorted(self._samples):
            yield self._check(config, sorted(self._samples[config]))

    def _check(self, config: str, sample: list[_Sampled]) -> Check:
        told = [(taken, said) for taken in sample if (said := _said(taken)) is not None]
        wrong = [(taken, said) for taken, said in told if said]
        of = share(len(wrong), len(told))
        value = None if of.value is None else round(of.value, 6)
        return Check(
            family="integrity",
            name="other_language",
            config=config,
            status=_status(of.low, of.high),
            found=Interval(
                value=value, low=of.low, high=of.high, n=len(told),
                clusters=len({taken.cluster for taken, _ in told}),
            ),
            count=len(wrong),
            of=len(told),
            limit=LIMIT,
            needed=_needed(value) if _status(of.low, of.high) == "too_few" else None,
            detail=f"a sample of {len(sample):,} of {self._rows[config]:,} rows, of which "
            f"{len(told):,} are long enough to tell",
            flags=tuple(Flag(row=taken.row, detail=clipped(said)) for taken, said in wrong),
        )  # fmt: skip


def _said(taken: _Sampled) -> str | None:
    """Which side is in which language; empty where all agree, None where nothing can be told."""
    if _letters(taken.asked) < ENOUGH:
        return None
    sides = [side for side in taken.sides if _letters(side) >= ENOUGH]
    if not sides:
        return None
    asked = language(taken.asked, enough=450)
    spoken = {language(side) for side in sides}
    return f"{', '.join(sorted(spoken))} on a question in {asked}" if spoken != {asked} else ""


def _letters(passage: str) -> int:
    return sum(map(str.isalpha, passage))


def _status(low: float | None, high: float | None) -> Status:
    if low is None or high is None:
        return "note"
    return "fail" if low > LIMIT else "pass" if high <= LIMIT else "too_few"


def _needed(value: float | None) -> int | None:
    """Rows at which Wilson's interval around this share leaves the limit out: the score test's
    n = z^2 L (1 - L) / (p - L)^2."""
    if value is None or value == LIMIT:
        return None
    return int(_Z**2 * LIMIT * (1 - LIMIT) / (value - LIMIT) ** 2) + 1

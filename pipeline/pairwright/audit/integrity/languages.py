"""Responses in another language than the question, on a sample."""

import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal, NamedTuple

from pairwright.audit.read.source import ReadRow
from pairwright.audit.records import Check, Flag, LimitComparison
from pairwright.audit.row_check import clip
from pairwright.estimate import Estimate
from pairwright.intervals import MOST, exact
from pairwright.text import is_character_run, language

SAMPLE = 1000
"""Rows of a configuration: classifying each would take longer than the rest of the audit."""
LIMIT = 0.05
"""The share of rows that may differ: a classifier of 142 languages errs on some short texts."""
LEAST_LETTERS = 100
"""Letters that tell a language."""
LEAST_LETTERS_UNSPACED = 30
"""The same in a script without spaces, or of Korean: about as many words."""


class _SampledRow(NamedTuple):
    order: int
    row: str
    cluster: int
    own_words: str
    sides: tuple[str, str]


class Languages:
    """`other_language`: rows with a side in another language than the question and the posts."""

    names = ("other_language",)

    def __init__(self) -> None:
        self._chance = random.Random(0)
        self._rows: defaultdict[str, int] = defaultdict(int)
        self._samples: defaultdict[str, list[_SampledRow]] = defaultdict(list)

    def add(self, line: ReadRow) -> None:
        """Reservoir sampling (Vitter 1985, algorithm R): every row has the same chance."""
        row, config = line.row, line.row.config
        number = self._rows[config]
        self._rows[config] += 1
        sample = self._samples[config]
        place = number if number < SAMPLE else self._chance.randrange(number + 1)
        if place >= SAMPLE:
            return
        own_words = " ".join((row.question[:450], *(post.text[:100] for post in row.profile[:5])))
        sides = row.chosen[:200], row.rejected[:200]
        taken = _SampledRow(number, row.id, hash(row.cluster), own_words[:450], sides)
        if place == len(sample):
            sample.append(taken)
        else:
            sample[place] = taken

    def checks(self) -> Iterator[Check | LimitComparison]:
        for config in sorted(self._samples):
            yield self._comparison(config, sorted(self._samples[config]))

    def _comparison(self, config: str, sample: list[_SampledRow]) -> "Check | LanguageComparison":
        judged = [(one, detail) for one in sample if (detail := _detail(one)) is not None]
        wrong = [(one, detail) for one, detail in judged if detail]
        check = Check(
            family="integrity",
            name="other_language",
            config=config,
            status="note",
            count=len(wrong),
            of=len(judged),
            limit=LIMIT,
            detail=f"a sample of {len(sample):,} of {self._rows[config]:,} rows, of which "
            f"{len(judged):,} are long enough to detect a language",
            flags=tuple(Flag(row=one.row, detail=clip(detail)) for one, detail in wrong),
        )
        clusters = {one.cluster for one, _ in judged}
        return LanguageComparison(check, len(clusters)) if judged else check


class LanguageComparison(NamedTuple):
    """The share of rows with a side in another language, against LIMIT, by its exact interval."""

    found: Check
    clusters: int

    def settled(self, level: float) -> bool:
        return _settled(self._wrong, self.found.of, level) is not None

    def check(self, level: float) -> Check:
        wrong, n = self._wrong, self.found.of
        low, high = exact(wrong, n, level)
        status = _settled(wrong, n, level)
        return self.found.model_copy(
            update={
                "status": status or "too_few",
                "found": Estimate(
                    value=round(wrong / n, 6), low=round(low, 6), high=round(high, 6), n=n,
                    clusters=self.clusters,
                ),
                "needed": None if status else _needed(wrong / n, n, level),
            }
        )  # fmt: skip

    @property
    def _wrong(self) -> int:
        return self.found.count or 0


def _settled(wrong: float, n: int, level: float) -> Literal["pass", "fail"] | None:
    low, high = exact(wrong, n, level)
    return "fail" if low > LIMIT else "pass" if high <= LIMIT else None


def _detail(sampled: _SampledRow) -> str | None:
    """Which side is in which language; empty if all agree, None if it cannot be told, as of
    short texts."""
    if not _enough(sampled.own_words):
        return None
    sides = [side for side in sampled.sides if _enough(side)]
    if not sides:
        return None
    language_asked = language(sampled.own_words, enough=450)
    spoken = {code for side in sides if (code := language(side))}
    if language_asked is None or not spoken:
        return None
    return (
        f"{', '.join(sorted(spoken))} on a question in {language_asked}"
        if spoken != {language_asked}
        else ""
    )


def _enough(passage: str) -> bool:
    """Whether the letters of a passage are enough to tell its language."""
    letters = list(filter(str.isalpha, passage))
    unspaced = sum(map(is_character_run, letters))
    return (len(letters) - unspaced) / LEAST_LETTERS + unspaced / LEAST_LETTERS_UNSPACED >= 1


def _needed(share: float, least: int, level: float) -> int | None:
    """The fewest rows that settle this share; None where MOST do not."""

    def settled(n: int) -> bool:
        return _settled(share * n, n, level) is not None

    return bisect_left(range(MOST), True, lo=least, key=settled) if settled(MOST) else None

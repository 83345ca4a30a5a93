"""Every pair of one configuration in a few numbers, and some of its pairs in more."""

import math
from array import array
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pairwright.audit.records import Flag
from pairwright.audit.shortcuts.learnable import Learnable, learnable
from pairwright.audit.shortcuts.response import Response, response
from pairwright.audit.shortcuts.sample import Sample
from pairwright.audit.shortcuts.shared import Shared, shared
from pairwright.dataset import Row
from pairwright.intervals import Floats, Places
from pairwright.records import Mode

SAMPLE = 5_000
"""Pairs of a configuration that classifiers and informed baselines see."""
OF_TWINS = 500
"""Halves of twins that classifiers see: they are right on one half of any whole twins, whatever
they learn."""
LIKE = 1.1
"""Most words of the longer response over those of the shorter for the two to be of like length."""
PHRASE = 80
"""Characters shown of a phrase that was found."""
COUNTED = (
    "length",
    "lists",
    "headings",
    "bold",
    "question_overlap",
    "lexical_diversity",
    "persona_words",
    "refusal_words",
)
"""The blind checks that need no fitting, each in favour of the response that has more."""


class Half(NamedTuple):
    """A row of mode twin as a half: hashes that hold within this process, and are never shown."""

    row: str
    texts: int
    mirrored: int
    """What `texts` of the other half must be."""


class Gathered:
    """The pairs of one configuration, in the order of the source."""

    def __init__(self, mode: Mode | None, seed: int) -> None:
        self.mode = mode
        self.twins: dict[str, list[Half]] = {}
        self.talk: dict[str, list[Flag]] = {"persona_words": [], "refusal_words": []}
        self.shared: Sample[tuple[int, Shared]] = Sample(SAMPLE, seed)
        self.learnable: Sample[tuple[int, Learnable]] = Sample(
            min(SAMPLE, OF_TWINS) if mode == "twin" else SAMPLE, seed
        )
        self._points = bytearray()
        self._words = array("L")
        self._quality = array("d")
        self._people = array("d")
        self._clusters = array("L")
        self._places: dict[str, int] = {}

    def add(self, row: Row) -> None:
        """Count one row."""
        sides = response(row.question, row.chosen), response(row.question, row.rejected)
        cluster = row.cluster
        if self.shared.has_room(cluster):
            self.shared.add(cluster, (len(self), shared(row)))
        if self.learnable.has_room(cluster):
            self.learnable.add(cluster, (len(self), learnable(row)))
        if row.mode == "twin":
            texts = hash((row.question, row.chosen, row.rejected))
            mirrored = hash((row.question, row.rejected, row.chosen))
            self.twins.setdefault(row.subject, []).append(Half(row.id, texts, mirrored))
        self._flag(row.id, *sides)
        self._points.extend(_points(*sides))
        self._words.extend(side.length for side in sides)
        self._quality.append(_quality_gap(row))
        self._people.append(_majority(row))
        self._clusters.append(self._places.setdefault(cluster, len(self._places)))

    def __len__(self) -> int:
        return len(self._clusters)

    @property
    def points(self) -> Floats:
        """Shape (n, len(COUNTED)): 1 where more is chosen, 0 where it is rejected, or one half."""
        given = np.frombuffer(bytes(self._points), np.uint8).reshape(-1, len(COUNTED))
        return given / 2

    @property
    def clusters(self) -> Places:
        """Shape (n,): the number of each pair's cluster."""
        return np.array(self._clusters, np.intp)

    @property
    def like(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the two responses are of like length."""
        return self.ratio <= LIKE + 1e-9

    @property
    def quality(self) -> Floats:
        """Shape (n,): distance of the judge's mean scores of both sides; NaN where not judged."""
        return np.array(self._quality, np.float64)

    @property
    def people(self) -> Floats:
        """Shape (n,): 1 where most votes for a response are for the chosen one, 0 where they are
        for the other, or one half; NaN without such votes."""
        return np.array(self._people, np.float64)

    @property
    def ratio(self) -> Floats:
        """Shape (n,): words of the longer response over those of the shorter, at least one."""
        words = np.maximum(np.array(self._words, np.float64).reshape(-1, 2), 1)
        ratio: Floats = words.max(axis=1) / words.min(axis=1)
        return ratio

    def _flag(self, row: str, chosen: Response, rejected: Response) -> None:
        for side, of in (("chosen", chosen), ("rejected", rejected)):
            for name, phrase in (("persona_words", of.persona), ("refusal_words", of.refusal)):
                if phrase:
                    detail = f"{side}: {phrase[:PHRASE]}"
                    self.talk[name].append(Flag(row=row, detail=detail))


def _points(chosen: Response, rejected: Response) -> Iterator[int]:
    """Twice the points of every check of `COUNTED`."""
    for a, b in zip(_scores(chosen), _scores(rejected), strict=True):
        yield (a > b) - (a < b) + 1


def _scores(of: Response) -> tuple[float, ...]:
    return (
        of.length,
        of.lists,
        of.headings,
        of.bold,
        of.question_overlap,
        of.lexical_diversity,
        of.persona is not None,
        of.refusal is not None,
    )


def _quality_gap(row: Row) -> float:
    """Distance of the judge's mean scores of the two responses; NaN where it gave none."""
    gaps = [of.chosen - of.rejected for of in row.quality]
    return abs(sum(gaps)) / len(gaps) if gaps else math.nan


def _majority(row: Row) -> float:
    if row.votes is None or not row.votes.chosen + row.votes.rejected:
        return math.nan
    return float(np.sign(row.votes.chosen - row.votes.rejected) + 1) / 2

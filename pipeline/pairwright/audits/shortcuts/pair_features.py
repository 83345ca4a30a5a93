"""Every pair of one configuration in a few numbers, and a sample of its pairs in more."""

import hashlib
import heapq
import math
from array import array
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pairwright import text
from pairwright.audits.read.source import OptionKey
from pairwright.audits.records import Flag
from pairwright.audits.shortcuts.classifiers import LearnablePair, learnable_pair
from pairwright.audits.shortcuts.informed import (
    AuditWords,
    PairOverlap,
    PostWords,
    pair_overlap,
    post_words,
    word_leads,
)
from pairwright.audits.shortcuts.questions import Questions
from pairwright.audits.shortcuts.response import COUNT_CHECKS, response_counts, text_stems
from pairwright.dataset import Row
from pairwright.intervals import Floats, Places
from pairwright.modes import is_twin
from pairwright.records import Mode

T = TypeVar("T")


class ClusterSample(Generic[T]):
    """At most `most` pairs: those of the clusters whose hashes come first, whatever the order in
    which the pairs come."""

    def __init__(self, most: int, seed: int) -> None:
        self._most = most
        self._seed = seed
        self._below = 1 << 64
        self._kept: dict[int, list[T]] = {}
        self._last: list[int] = []
        """Hashes of what is kept, negative: the last one first."""
        self._pairs = 0

    def has_room(self, cluster: str) -> bool:
        """Whether a pair of this cluster would be kept for now."""
        return self._hash(cluster) < self._below

    def add(self, cluster: str, pair: T) -> None:
        """Keep a pair, and let the last clusters go while there are more pairs than `most`."""
        place = self._hash(cluster)
        if place >= self._below:
            return
        if place not in self._kept:
            self._kept[place] = []
            heapq.heappush(self._last, -place)
        self._kept[place].append(pair)
        self._pairs += 1
        while self._pairs > self._most:
            self._below = -heapq.heappop(self._last)
            self._pairs -= len(self._kept.pop(self._below))

    def __len__(self) -> int:
        return self._pairs

    def __iter__(self) -> Iterator[T]:
        """Cluster by cluster in the order of the hashes; in a cluster as they came."""
        for place in sorted(self._kept):
            yield from self._kept[place]

    def _hash(self, cluster: str) -> int:
        name = f"{self._seed}:{cluster}".encode(errors="replace")
        return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest())


SAMPLE = 5_000
"""Pairs of a configuration that classifiers and informed baselines see."""
TWIN_SAMPLE = 500
"""Halves of twins that classifiers see: on whole twins they are right on exactly one half, whatever
they learn."""
LIKE = 1.1
"""Most words of the longer response over those of the shorter for the two to be of like length."""
PHRASE = 80
"""Characters shown of a phrase that was found."""


class TwinHalf(NamedTuple):
    """A row of mode twin as a half: hashes that hold within this process, and are never shown."""

    row: str
    place: int
    """Among the pairs of the configuration."""
    texts: int
    mirrored: int
    """What `texts` of the other half must be."""
    echo: float | None
    """The `text.echo` of its chosen response and its own aspects."""


class PairFeatures:
    """The pairs of one configuration, in the order of the source."""

    def __init__(self, config: str, mode: Mode | None, seed: int, words: AuditWords) -> None:
        self.config, self.mode = config, mode
        self.words = words
        """Of all configurations."""
        self.questions = Questions()
        self.twins: dict[str, list[TwinHalf]] = {}
        self.phrases: dict[str, list[Flag]] = {"persona_words": [], "refusal_words": []}
        """By check, the rows with such a phrase."""
        self.shared: list[tuple[int, PairOverlap, PostWords]] = []
        """What the pairs of the sample share with their users, by their places: after `measure`."""
        self.word_leads: dict[int, tuple[float, float]] = {}
        """By place, of twins with posts, the `word_leads` of those whose language is told: after
        `measure`."""
        self.learnable: list[tuple[int, LearnablePair]] = []
        """Those that classifiers see: after `measure`."""
        self._sample: ClusterSample[tuple[int, str | None, str]] = ClusterSample(SAMPLE, seed)
        """Places of rows, their languages, which take long to tell, and the rows as JSON, in
        a quarter of their memory."""
        learnt = min(SAMPLE, TWIN_SAMPLE) if is_twin(mode) else SAMPLE
        self._learnt: ClusterSample[int] = ClusterSample(learnt, seed)
        self._points = bytearray()
        self._words = array("L")
        self._quality, self._people, self._others = array("d"), array("d"), array("d")
        self.sources: dict[str, array[int]] = {}
        """Of natural twins: the places of the pairs of each source."""
        self._clusters = array("L")
        self._places: dict[str, int] = {}

    def add(self, row: Row, choice: OptionKey | None = None) -> None:
        """Count one row, of a question with options if `choice` says so."""
        place, cluster = len(self), row.cluster
        if choice:
            self.questions.add(place, choice)
        if self._sample.has_room(cluster):
            self._sample.add(cluster, (place, row.language, row.model_dump_json()))
        self._learnt.add(cluster, place)
        if is_twin(row.mode):
            texts = hash((row.question, row.chosen, row.rejected))
            mirrored = hash((row.question, row.rejected, row.chosen))
            aspects = (one.aspect for one in row.rubric_aspects)
            echo = text.echo(row.chosen, aspects, row.question, row.language)
            half = TwinHalf(row.id, place, texts, mirrored, echo)
            self.twins.setdefault(row.subject, []).append(half)
        self._count(row)
        gaps = [scale.chosen - scale.rejected for scale in row.quality]
        self._quality.append(abs(sum(gaps)) / len(gaps) if gaps else math.nan)
        voted = row.votes is not None and row.votes.chosen + row.votes.rejected > 0
        more = row.votes.chosen - row.votes.rejected if row.votes and voted else math.nan
        self._people.append((np.sign(more) + 1) / 2)
        if row.mode == "natural":
            self.sources.setdefault(row.source, array("L")).append(place)
            self._others.append(row.neighbours.point if row.neighbours else math.nan)
        self._clusters.append(self._places.setdefault(row.cluster, len(self._places)))

    def measure(self) -> None:
        """Measure the rows of the sample, after the last row; most rows are in it for a while only,
        so none is measured before."""
        learnt = set(self._learnt)
        for place, language, line in self._sample:
            row = Row.of_language(line, language)
            profile = text.terms_of((post.text for post in row.profile), language)
            sides = text_stems(row.chosen, language), text_stems(row.rejected, language)
            self.words.add(row, profile, sides)
            shared = pair_overlap(row, profile), post_words(row, profile, self.words)
            self.shared.append((place, *shared))
            difference = shared[0].differences["profile_overlap"]
            if row.mode == "twin" and row.profile and (leads := word_leads(row, difference)):
                self.word_leads[place] = leads
            if place in learnt:
                self.learnable.append((place, learnable_pair(row)))
        self._sample = ClusterSample(0, 0)

    def _count(self, row: Row) -> None:
        """Twice the points of every check of `COUNT_CHECKS`, and phrases as flags."""
        chosen = response_counts(row.question, row.chosen, row.language)
        rejected = response_counts(row.question, row.rejected, row.language)
        self._words.extend((chosen.length, rejected.length))
        self._points.extend(
            (a > b) - (a < b) + 1 for a, b in zip(chosen.scores, rejected.scores, strict=True)
        )
        for side, counts in (("chosen", chosen), ("rejected", rejected)):
            phrases = {"persona_words": counts.persona_words, "refusal_words": counts.refusal_words}
            for name, phrase in phrases.items():
                if phrase:
                    flag = Flag(row=row.id, detail=f"{side}: {phrase[:PHRASE]}")
                    self.phrases[name].append(flag)

    def __len__(self) -> int:
        return len(self._quality)

    @property
    def points(self) -> Floats:
        """Shape (n, len(COUNT_CHECKS)): 1 where more is chosen, 0 where it is rejected, or one
        half."""
        points = np.frombuffer(bytes(self._points), np.uint8).reshape(-1, len(COUNT_CHECKS))
        return points / 2

    @property
    def clusters(self) -> Places:
        """The clusters of the pairs: see `intervals.Places`."""
        return np.array(self._clusters, np.intp)

    @property
    def cluster_names(self) -> tuple[str, ...]:
        """What the numbers in `clusters` stand for."""
        return tuple(self._places)

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
    def others(self) -> Floats:
        """Shape (n,), of natural twins: the points of what the choices of others tell, or NaN."""
        return np.array(self._others, np.float64)

    @property
    def ratio(self) -> Floats:
        """Shape (n,): words of the longer response over those of the shorter, at least one."""
        words = np.maximum(np.array(self._words, np.float64).reshape(-1, 2), 1)
        ratio: Floats = words.max(axis=1) / words.min(axis=1)
        return ratio

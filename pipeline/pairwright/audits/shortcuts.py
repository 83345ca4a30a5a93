"""Shortcuts: ways to pick the chosen response without knowing the user, or by word overlap."""

from array import array
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from pairwright.audits.accuracies import Questions, accuracy_check
from pairwright.audits.blind import COUNTS, LEAST_CLUSTERS, bag_points, counts
from pairwright.audits.catalogue import note_check
from pairwright.audits.informed import BASELINES, baseline_points
from pairwright.audits.records import Check, Flag
from pairwright.audits.sample import ClusterSample
from pairwright.modes import MODES, halves_of, label_of
from pairwright.pairs import MAX_SHORTCUT, ReadRow, Row
from pairwright.pairs.clusters import Clusters
from pairwright.pairs.read import NO_INFO
from pairwright.settings.rules import ReleaseInfo
from pairwright.stats import Floats, Places, mean
from pairwright.text import number_of

OVERLAP = ("profile_overlap", "profile_tfidf")
"""The checks that are given over all configurations of a mode, too."""
SAMPLE = 5_000
"""Pairs of a configuration that the bag of words and informed baselines see."""
MIRRORED = "Mirrored: 50 % by arithmetic, because each pair is there with swapped sides, too."
NAMED = 20
"""Twins that a check names."""


class _Pairs:
    """The pairs of one configuration: numbers of every pair, and a sample of rows as JSON, in a
    quarter of their memory."""

    def __init__(self, config: str, mode: str | None) -> None:
        self.config, self.mode = config, mode
        self.questions = Questions()
        self.twins: dict[str, list[tuple[int, str]]] = {}
        """By twin, the places and ids of its halves."""
        self._sample: ClusterSample[tuple[int, str | None, str]] = ClusterSample(SAMPLE)
        """Places of rows, their languages, which take long to tell, and the rows."""
        self._points = bytearray()
        self._clusters = array("L")
        self.depend = Clusters()
        self.numbers: dict[str, int] = {}
        """Of clusters, by name."""

    def add(self, line: ReadRow) -> None:
        row, place = line.row, len(self._clusters)
        if line.choice:
            self.questions.add(place, line.choice)
        if self._sample.has_room(row.cluster):
            self._sample.add(row.cluster, (place, row.language, row.model_dump_json()))
        if row.twin_id:
            self.twins.setdefault(row.subject, []).append((place, row.id))
        chosen, rejected = (
            counts(row.question, side, row.language) for side in (row.chosen, row.rejected)
        )
        self._points.extend((a > b) - (a < b) + 1 for a, b in zip(chosen, rejected, strict=True))
        self.depend.add(row)
        self._clusters.append(self.numbers.setdefault(row.cluster, len(self.numbers)))

    @property
    def clusters(self) -> Places:
        joined = [self.numbers[self.depend.name(one)] for one in self.numbers]
        return np.array(joined, np.intp)[np.array(self._clusters, np.intp)]

    @property
    def points(self) -> Floats:
        """Shape (n, len(COUNTS)): 1 where more is chosen, 0 where it is rejected, or one half."""
        return np.frombuffer(bytes(self._points), np.uint8).reshape(-1, len(COUNTS)) / 2

    def sample(self) -> tuple[Places, list[Row], str]:
        """The places and rows of the sample, and in a sentence that it is one."""
        drawn = list(self._sample)
        n, every = len(drawn), len(self._clusters)
        said = f"Whole clusters drawn by hash: {n:,} of {every:,} pairs." if n < every else ""
        rows = [Row.of_language(row, language) for _, language, row in drawn]
        return np.array([place for place, _, _ in drawn], np.intp), rows, said


Overlap = tuple[str | None, Floats, Places, dict[str, int]]
"""Points of a baseline in one configuration, its mode, and the clusters with their names."""


class Shortcuts:
    """The part of an audit on shortcuts and informed baselines."""

    def __init__(
        self,
        max_shortcut: float = MAX_SHORTCUT,
        max_overlap: float | None = None,
        study: ReleaseInfo = NO_INFO,
    ) -> None:
        """`max_shortcut` bounds max(accuracy, 1 - accuracy) of blind checks: between 0.5 and 1.
        `max_overlap` bounds the accuracy of word overlap with the posts; None: as the study did, or
        not at all."""
        self._bound = max_shortcut
        self._max_overlap = study.max_overlap if max_overlap is None else max_overlap
        self._pairs: dict[str, _Pairs] = {}
        self._preferences: defaultdict[str, list[tuple[str, int | None]]] = defaultdict(list)
        """Clusters and choices of pairs that a judge saw; of a twin, of the half that asked."""

    def add(self, line: ReadRow) -> None:
        """Count one row."""
        row = line.row
        if row.config not in self._pairs:
            self._pairs[row.config] = _Pairs(row.config, row.mode)
        self._pairs[row.config].add(line)
        if row.mode and row.judge and row.asked and label_of(row.mode) != "equal":
            self._preferences[row.mode].append((row.cluster, row.blind_preference))

    def checks(self) -> Iterator[Check]:
        """All checks of each configuration, after the last row."""
        overlaps: dict[str, list[Overlap]] = {name: [] for name in OVERLAP}
        for config, pairs in sorted(self._pairs.items()):
            clusters = pairs.clusters
            # Labels of placebos are drawn: what picks the chosen response says nothing.
            if label_of(pairs.mode) == "equal":
                continue
            if not pairs.twins:
                # On whole twins each is 50 % by identity.
                for name, points in zip(COUNTS, pairs.points.T, strict=True):
                    yield self._blind(name, pairs, np.arange(len(clusters)), points)
            if place := pairs.questions.key_place(config, clusters, self._bound):
                yield place
            yield from self._sampled(pairs, overlaps)
        yield from self._by_mode(overlaps)
        for mode, cases in sorted(self._preferences.items()):
            yield self._preference(mode, cases)

    def _blind(
        self, name: str, pairs: _Pairs, places: Places, points: Floats, detail: str = ""
    ) -> Check:
        clusters = pairs.clusters[places]
        if pairs.depend.mirrored:
            return accuracy_check(name, pairs.config, points, clusters, detail=MIRRORED)
        if pairs.questions:
            return pairs.questions.check(name, pairs.config, places, points, clusters, self._bound)
        return accuracy_check(
            name, pairs.config, points, clusters, limit=self._bound, detail=detail
        )

    def _sampled(self, pairs: _Pairs, overlaps: dict[str, list[Overlap]]) -> Iterator[Check]:
        places, rows, sampled = pairs.sample()
        clusters = pairs.clusters[places]
        if not pairs.twins:
            few = len(np.unique(clusters)) < LEAST_CLUSTERS
            points = np.empty(0) if few else bag_points(rows, clusters)
            detail = (
                f"Nothing is learnt from fewer than {LEAST_CLUSTERS} clusters." if few else sampled
            )
            yield self._blind("bag_of_words", pairs, places[: len(points)], points, detail)
        found, shared = baseline_points(rows)
        for name, points in found.items():
            there = ~np.isnan(points)
            missing = int(len(there) - there.sum())
            needs = f"{missing:,} pairs have no {BASELINES[name]}." if missing else ""
            detail = " ".join(filter(None, (sampled, needs)))
            yield self._informed(name, pairs, places[there], points[there], detail)
            if name in OVERLAP:
                own = (pairs.mode, points[there], clusters[there], pairs.numbers)
                overlaps[name].append(own)
        if pairs.twins:
            yield _shared_words(pairs, places, shared)

    def _informed(
        self, name: str, pairs: _Pairs, places: Places, points: Floats, detail: str
    ) -> Check:
        clusters = pairs.clusters[places]
        if pairs.questions and len(places):
            return pairs.questions.check(name, pairs.config, places, points, clusters, None)
        limit = self._max_overlap if name == "profile_overlap" else None
        return accuracy_check(
            name, pairs.config, points, clusters, limit=limit, either_side=False, detail=detail
        )

    def _by_mode(self, overlaps: dict[str, list[Overlap]]) -> Iterator[Check]:
        """Word overlap with the posts over all configurations of a mode, where they have names."""
        for mode in (*MODES, None):
            for name, every in overlaps.items():
                own = [overlap for overlap in every if overlap[0] == mode and len(overlap[1])]
                # A rule's choices of pairs are none of questions.
                asked = any(pairs.questions for pairs in self._pairs.values())
                if not own or (mode is None and (asked or "" in self._pairs)):
                    continue
                numbers: dict[str, int] = {}
                clusters = [
                    np.array([numbers.setdefault(one, len(numbers)) for one in names], np.intp)[
                        places
                    ]
                    for _, _, places, names in own
                ]
                points = np.concatenate([points for _, points, _, _ in own])
                config = f"mode {mode}" if mode else ""
                yield accuracy_check(name, config, points, np.concatenate(clusters))

    def _preference(self, mode: str, cases: list[tuple[str, int | None]]) -> Check:
        """How often a judge that knows nobody prefers the chosen response. It decides where pairs
        are no twins: of twins it is of the half of the user who asked."""
        points = [(cluster, choice / 2) for cluster, choice in cases if choice is not None]
        _, clusters = np.unique([cluster for cluster, _ in points], return_inverse=True)
        missing = len(cases) - len(points)
        detail = f"Of {number_of(missing, 'pair')} no choice could be read." if missing else ""
        return accuracy_check(
            "blind_preference", f"mode {mode}", np.array([point for _, point in points]), clusters,
            limit=None if halves_of(mode) == 2 or not points else self._bound,
            detail=detail if points else "It was not measured.",
        )  # fmt: skip


def _shared_words(pairs: _Pairs, places: Places, shared: Floats) -> Check:
    """Over whole twins whose halves both have posts, the sum of both halves; the detail has in how
    many words tell. It names the twins with the most."""
    more = dict(zip(places.tolist(), shared.tolist(), strict=True))
    both = [
        (halves[0], sum(more.get(place, np.nan) for place, _ in halves))
        for halves in pairs.twins.values()
        if len(halves) == 2
    ]
    both = [(first, words) for first, words in both if not np.isnan(words)]
    if not both:
        none = "Not applicable: no twin with two histories."
        return note_check("twin_shared_words", pairs.config, detail=none)
    sums = np.array([words for _, words in both], np.float64)
    clusters = pairs.clusters[np.array([place for (place, _), _ in both], np.intp)]
    signs = f"more than 0 in {(sums > 0).sum():,} of them, less in {(sums < 0).sum():,}"
    found = mean(sums, clusters, least=-np.inf)
    largest = sorted(np.argsort(-sums, kind="stable")[:NAMED].tolist())
    return Check(
        family="shortcuts", name="twin_shared_words", config=pairs.config, status="note",
        found=found, of=found.n, detail=f"In words a twin: {signs}.",
        flags=tuple(
            Flag(row=both[n][0][1], detail=f"sum {sums[n]:g}") for n in largest if sums[n] > 0
        ),
    )  # fmt: skip

"""Shortcuts: ways to pick the chosen response without knowing the user, or by word overlap."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pandas as pd

from pairwright.audits.accuracies import accuracy_check
from pairwright.audits.facts import ClusterSample, Facts
from pairwright.audits.records import Check, Flag
from pairwright.audits.ways import (
    COUNTS,
    LEAST_CLUSTERS,
    PairWords,
    Vocabulary,
    bag_points,
    baseline_points,
    pair_words,
)
from pairwright.modes import MODES, halves_of, label_of
from pairwright.pairs import ReadRow, blind_bound
from pairwright.pairs.row import Clusters
from pairwright.stats import Floats, Places, mean
from pairwright.text import number_of

SAMPLE = 5_000
"""Pairs of a configuration that the bag of words and informed baselines see."""
MIRRORED = "Mirrored: 50 % by arithmetic, because each pair is there with swapped sides, too."
NAMED = 20
"""Twins that a check names."""
PICKS = {
    "length": ("the longest", "the shortest"),
    "markup": ("the one with the most markup", "the one with the least markup"),
    "breaks_off": ("one that breaks off", "one that does not break off"),
}
OTHER = ("the one with the highest score", "the one with the lowest score")
"""The picks of the two rules, by check."""


class Shortcuts:
    """The part of an audit on shortcuts and informed baselines."""

    def __init__(self, max_shortcut: float, max_overlap: float | None) -> None:
        """`max_shortcut` bounds max(accuracy, 1 - accuracy) of blind checks: between 0.5 and 1.
        `max_overlap` bounds the accuracy of word overlap with the posts; None: nothing does."""
        self._bound, self._max_overlap = max_shortcut, max_overlap
        self._vocabulary = Vocabulary()
        self._samples: defaultdict[str, ClusterSample[tuple[int, PairWords]]]
        self._samples = defaultdict(lambda: ClusterSample(SAMPLE))
        """By configuration, numbers of rows and their words."""
        self._depend: defaultdict[str, Clusters] = defaultdict(Clusters)

    def add(self, number: int, line: ReadRow) -> None:
        """Count one row."""
        row, sample = line.row, self._samples[line.row.config]
        if label_of(row.mode) != "equal":
            sample.offer(row.cluster, lambda: (number, pair_words(row, self._vocabulary)))
        self._depend[row.config].add(row)

    def checks(self, facts: Facts) -> Iterator[Check]:
        """All checks of each configuration, after the last row."""
        overlaps: list[pd.DataFrame] = []
        for name, own in facts.table.groupby("config"):
            # Labels of placebos are drawn: what picks the chosen response says nothing.
            if label_of(own["mode"].iloc[0]) == "equal":
                continue
            config = _Config(str(name), own, self._depend[str(name)], self._bound)
            if not config.twins:
                # On whole twins each is 50 % by identity.
                for count in COUNTS:
                    points = (own[count].to_numpy() + 1) / 2
                    yield config.blind(count, points, np.arange(len(own)))
            yield from config.key_place()
            yield from self._sampled(config, overlaps)
        yield from _by_mode(overlaps)
        yield from _preferences(facts.table, self._bound)

    def _sampled(self, config: "_Config", overlaps: list[pd.DataFrame]) -> Iterator[Check]:
        drawn = list(self._samples[config.name])
        pairs = [words for _, words in drawn]
        places = config.own.index.get_indexer(pd.Index([number for number, _ in drawn]))
        n, every = len(drawn), len(config.own)
        said = f"Whole clusters drawn by hash: {n:,} of {every:,} pairs." if n < every else ""
        if not config.twins:
            clusters = config.clusters[places]
            few = len(np.unique(clusters)) < LEAST_CLUSTERS
            points = np.empty(0) if few else bag_points(pairs, clusters, self._vocabulary)
            nothing = f"Nothing is learnt from fewer than {LEAST_CLUSTERS} clusters."
            detail = nothing if few else said
            yield config.blind("bag_of_words", points, places[: len(points)], detail)
        found = baseline_points(pairs, self._vocabulary)
        for name, points in found.items():
            there = ~np.isnan(points)
            missing = int(len(there) - there.sum())
            needs = f"{missing:,} pairs have no profile." if missing else ""
            detail = " ".join(filter(None, (said, needs)))
            limit = self._max_overlap if name == "profile_overlap" else None
            yield config.informed(name, points[there], places[there], detail, limit)
            own = pd.DataFrame({"name": name, "points": points[there]})
            own["cluster"] = config.names[config.clusters[places[there]]]
            overlaps.append(
                own.assign(mode=config.mode or "", asks=config.asks, config=config.name)
            )
        if config.twins:
            shared = np.array([words.more for words in pairs])
            yield _shared_words(config, places, shared)


class _Config:
    """The pairs of one configuration, with their clusters."""

    def __init__(self, name: str, own: pd.DataFrame, depend: Clusters, bound: float) -> None:
        self.name, self.own, self.bound = name, own, bound
        self.mode: str | None = own["mode"].iloc[0]
        self.twins, self.mirrored = bool(own["twin"].notna().any()), depend.mirrored
        self.asks = bool((own["options"] > 2).any())
        """Whether it has questions with options."""
        codes, self.names = pd.factorize(own["cluster"])
        numbers = {one: n for n, one in enumerate(self.names)}
        joined = [numbers[depend.name(one)] for one in self.names]
        self.clusters: Places = np.array(joined, np.intp)[codes]

    def blind(self, name: str, points: Floats, places: Places, detail: str = "") -> Check:
        """The check of points of a way of choosing that does not see the user."""
        clusters = self.clusters[places]
        if self.mirrored:
            return accuracy_check(name, self.name, points, clusters, detail=MIRRORED)
        if self.asks and len(places):
            return self._questions(name, points, places, self.bound)
        return accuracy_check(name, self.name, points, clusters, limit=self.bound, detail=detail)

    def informed(
        self, name: str, points: Floats, places: Places, detail: str, limit: float | None
    ) -> Check:
        """The check of points of a way of choosing that sees the user."""
        if self.asks and len(places):
            return self._questions(name, points, places, None)
        return accuracy_check(
            name, self.name, points, self.clusters[places], limit=limit, either_side=False,
            detail=detail,
        )  # fmt: skip

    def _questions(
        self, name: str, points: Floats, places: Places, max_shortcut: float | None
    ) -> Check:
        """The better of two rules, which pick the option with the most and with the least of
        something, on questions: each wrong option makes a pair with each right one.

        A rule picks the one right option if it wins all pairs of the question; t ties that are left
        count one in t + 1. With several right ones its share of pairs counts. The bound is as far
        above chance, 1 in k, as `max_shortcut` is above .5, of the way to 1. None: the first rule,
        as a note.
        """
        own = self.own.iloc[places]
        groups, _ = pd.factorize(own["at"].where(own["options"] > 2, own.index.astype(object)))
        _, first = np.unique(groups, return_index=True)
        asked = own.iloc[first]
        several = ((asked["options"] > 2) & (asked["rights"] > 1)).to_numpy()
        single = (asked["options"] > 2) & (asked["rights"] == 1)
        chance = float((1 / asked["options"].where(single, 2)).mean())
        tied = 1 / (1 + np.bincount(groups[points == 0.5], minlength=len(first)))
        # A rule loses a question if the other side has all points of a pair.
        lost = [np.bincount(groups[points == side], minlength=len(first)) for side in (0, 1)]
        won = np.bincount(groups, weights=points) / np.bincount(groups)
        most, least = (
            np.where(several, share, np.where(n == 0, tied, 0.0))
            for n, share in zip(lost, (won, 1 - won), strict=True)
        )
        rule, best = 0, most
        if max_shortcut is not None and least.mean() > most.mean():
            rule, best = 1, least
        return accuracy_check(
            name, self.name, best, self.clusters[places][first], either_side=False, chance=chance,
            rules=2, limit=None if max_shortcut is None else blind_bound(chance, max_shortcut),
            detail=f"Picks {PICKS.get(name, OTHER)[rule]}: {_right(best, chance)}",
        )  # fmt: skip

    def key_place(self) -> Iterator[Check]:
        """Whether the right option is at one place more often than at others; nothing without a
        place."""
        own = self.own.assign(cluster=self.clusters)
        own = own[(own["options"] > 2 if self.asks else own["options"] == 2) & (own["key"] >= 0)]
        own = own.drop_duplicates("at")
        if own.empty:
            return
        right = own["key"].to_numpy()
        chance, most = float((1 / own["options"]).mean()), int(np.bincount(right).argmax())
        points = (right == most).astype(np.float64)
        yield accuracy_check(
            "key_place", self.name, points, own["cluster"].to_numpy(), chance=chance,
            limit=blind_bound(chance, self.bound), either_side=False,
            rules=int(own["options"].max()),
            detail=f"Picks option {most + 1}: {_right(points, chance)}",
        )  # fmt: skip


def _right(points: Floats, chance: float) -> str:
    return f"right in {points.mean():.2f}; chance {chance:.2f}."


def _by_mode(overlaps: list[pd.DataFrame]) -> Iterator[Check]:
    """Word overlap over all configurations of a mode. A rule's choices of pairs are not choices of
    options, so pairs of others come without questions."""
    if not overlaps:
        return
    every = pd.concat(overlaps)
    without = every["asks"].any() or (every["config"] == "").any()
    for name in dict.fromkeys(every["name"]):
        for mode in (*MODES, ""):
            own = every[(every["name"] == name) & (every["mode"] == mode)]
            if len(own) and (mode or not without):
                clusters, _ = pd.factorize(own["cluster"])
                config = f"mode {mode}" if mode else ""
                yield accuracy_check(name, config, own["points"].to_numpy(), clusters)


def _preferences(table: pd.DataFrame, bound: float) -> Iterator[Check]:
    """The share of pairs in which a judge without the user prefers the chosen response, by mode.
    It decides if pairs are not twins: with twins it is about the side of the user who asked."""
    seen = table[table["judged"] & table["asked"] & table["mode"].notna()]
    for mode, own in seen.groupby("mode"):
        if label_of(str(mode)) == "equal":
            continue
        read = own[own["blind"] >= 0]
        missing = len(own) - len(read)
        detail = f"Of {number_of(missing, 'pair')} no choice could be read." if missing else ""
        detail = "It was not measured." if read.empty else detail
        yield accuracy_check(
            "blind_preference", f"mode {mode}", read["blind"].to_numpy(np.float64) / 2,
            pd.factorize(read["cluster"])[0], detail=detail,
            limit=None if halves_of(str(mode)) == 2 or read.empty else bound,
        )  # fmt: skip


def _shared_words(config: _Config, places: Places, shared: Floats) -> Check:
    """Over complete twins whose sides both have posts, the sum of both; the detail says in how
    many words predict the label. It names the twins with the most."""
    words = np.full(len(config.own), np.nan)
    words[places] = shared
    own = config.own.assign(cluster=config.clusters, words=words)
    twins = own[own["twin"].notna()].groupby("twin", sort=False)
    sums = twins["words"].sum(min_count=2)[twins.size() == 2].dropna()
    found = mean(sums.to_numpy(), twins["cluster"].first()[sums.index].to_numpy(), least=-np.inf)
    signs = f"more than 0 in {(sums > 0).sum():,} of them, less in {(sums < 0).sum():,}"
    detail = f"In words per twin: {signs}." if found.n else "No twin has two histories."
    largest = sums.iloc[sorted(np.argsort(-sums.to_numpy(), kind="stable")[:NAMED].tolist())]
    largest = largest[largest > 0]
    named = zip(twins["id"].first()[largest.index], largest, strict=True)
    return Check(
        family="shortcuts", name="twin_shared_words", config=config.name, status="note",
        found=found if found.n else None, of=found.n, detail=detail,
        flags=tuple(Flag(row=row, detail=f"sum {words:g}") for row, words in named),
    )  # fmt: skip

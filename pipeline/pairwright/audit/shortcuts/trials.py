"""All ways of choosing, tried on one configuration."""

from collections.abc import Iterator
from typing import TypeVar

import numpy as np

from pairwright.audit.shortcuts.classifiers import CLASSIFIERS, FEWEST, learnt
from pairwright.audit.shortcuts.gathered import COUNTED, Gathered
from pairwright.audit.shortcuts.informed import BASELINES, overlaps
from pairwright.audit.shortcuts.sample import Sample
from pairwright.audit.shortcuts.trial import Trial
from pairwright.intervals import Floats, Places

T = TypeVar("T")
BLIND = (*COUNTED, *CLASSIFIERS)
RESIDUAL = "profile_residual"


def trials(config: str, of: Gathered, seed: int) -> Iterator[Trial]:
    """Blind scorers on every pair; classifiers and informed baselines on the pairs drawn."""
    every = np.arange(len(of))
    for name, points in zip(COUNTED, of.points.T, strict=True):
        yield _trial(config, of, name, every, points)
    yield from _learnt(config, of, seed)
    yield from _overlaps(config, of)


def _learnt(config: str, of: Gathered, seed: int) -> Iterator[Trial]:
    places, pairs = _drawn(of.learnable)
    clusters = of.clusters[places]
    if len(np.unique(clusters)) >= FEWEST:
        for name, points in learnt(pairs, clusters, seed).items():
            yield _trial(config, of, name, places, points, _told(len(pairs), len(of)))
    else:
        few = f"Nothing can be learnt from fewer than {FEWEST} clusters."
        for name in CLASSIFIERS:
            yield _trial(config, of, name, places[:0], np.empty(0), few)


def _overlaps(config: str, of: Gathered) -> Iterator[Trial]:
    places, pairs = _drawn(of.shared)
    for name, points in overlaps(pairs):
        there = ~np.isnan(points)
        without = int(len(there) - there.sum())
        needs = f"{without:,} pairs have no {BASELINES[name]}." if without else ""
        why = " ".join(part for part in (_told(len(pairs), len(of)), needs) if part)
        yield _trial(config, of, name, places[there], points[there], why)


def _drawn(sample: Sample[tuple[int, T]]) -> tuple[Places, list[T]]:
    """Which pairs of the configuration were drawn, shape (n,), and what is kept of them."""
    kept = list(sample)
    return np.array([n for n, _ in kept], np.intp), [pair for _, pair in kept]


def _told(drawn: int, of: int) -> str:
    return f"Whole clusters drawn by hash: {drawn:,} of {of:,} pairs." if drawn < of else ""


def _trial(
    config: str, of: Gathered, name: str, places: Places, points: Floats, why: str = ""
) -> Trial:
    """`places`: which pairs of the configuration the points are of."""
    return Trial(
        family="shortcuts" if name in BLIND or name == RESIDUAL else "baselines",
        name=name,
        config=config,
        mode=of.mode,
        places=places,
        points=points,
        clusters=of.clusters[places],
        like=of.like[places],
        why=why,
        flags=tuple(of.talk[name]) if name in of.talk else None,
    )

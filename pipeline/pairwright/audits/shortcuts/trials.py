"""All ways of choosing, tried on the pairs of one configuration, and how each is decided."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy import bool_

from pairwright.audits.catalogue import DEFINITIONS
from pairwright.audits.records import Check, Flag, Status
from pairwright.audits.shortcuts.classifiers import CLASSIFIERS, LEAST_CLUSTERS, classifier_points
from pairwright.audits.shortcuts.informed import (
    BASELINES,
    PostWords,
    baseline_points,
    private_word_points,
)
from pairwright.audits.shortcuts.pair_features import PairFeatures
from pairwright.audits.shortcuts.response import COUNT_CHECKS
from pairwright.estimate import Estimate
from pairwright.intervals import (
    LEVEL,
    Accuracy,
    AccuracyLimits,
    Floats,
    Places,
    accuracy,
    z_of,
)
from pairwright.modes import MODES, Mode
from pairwright.overlap_words import NAMES, of_mode

IDENTITY = "Whole twins give 50 % by identity."


class Trial(NamedTuple):
    """The points of one check on n pairs."""

    name: str
    config: str
    mode: Mode | None
    places: Places
    """Shape (n,): which pairs of the configuration it was tried on."""
    points: Floats
    """Shape (n,)."""
    clusters: Places
    like: npt.NDArray[bool_]
    """Shape (n,): pairs whose responses are of like length."""
    why: str = ""
    """Why it was tried on fewer pairs than there are."""
    flags: tuple[Flag, ...] | None = None
    """Rows with what the check counts, where it looks for something in rows."""
    flags_on_failure: tuple[Flag, ...] = ()
    """Rows that are named where the check fails."""


class AccuracyComparison(NamedTuple):
    """A trial's accuracy, compared with its limits."""

    trial: Trial
    accuracy: Accuracy
    limits: AccuracyLimits

    def settled(self, level: float) -> bool:
        return self.accuracy.settles(self.limits, z_of(level)) is not None

    def check(self, level: float) -> Check:
        trial, z = self.trial, z_of(level)
        status: Status = self.accuracy.settles(self.limits, z) or "too_few"
        by_rule = trial.mode is not None and MODES[trial.mode].against_rubric
        expected = f"This is expected in mode {trial.mode}." if by_rule and status == "fail" else ""
        detail = _sentences(expected, trial.why, _like(trial))
        needed = self.accuracy.needed(self.limits, z) if status == "too_few" else None
        limit, found = self.limits.passes_below, self.accuracy.found(z)
        check = _check(trial, status, found, detail, limit=limit, needed=needed)
        named = trial.flags_on_failure if status == "fail" else ()
        return check.model_copy(update={"flags": named}) if named else check


def comparison(trial: Trial, limits: AccuracyLimits) -> AccuracyComparison | Check:
    """The comparison that decides on a trial, or the check that says that it has no pair."""
    estimate = accuracy(trial.points, trial.clusters)
    if estimate is None:
        return _check(trial, "too_few", None, trial.why, limit=limits.passes_below)
    return AccuracyComparison(trial, estimate, limits)


def note(trial: Trial, *, identity: bool = False) -> Check:
    """A check that decides nothing, with its own 95 % interval. On twins, what is 50 % by identity
    has none."""
    estimate = accuracy(trial.points, trial.clusters)
    found = estimate and estimate.found(z_of(LEVEL))
    if not identity:
        return _check(trial, "note", found, trial.why)
    found = found and found.model_copy(update={"low": None, "high": None})
    return _check(trial, "note", found, _sentences(IDENTITY, trial.why))


def _check(
    trial: Trial,
    status: Status,
    found: Estimate | None,
    detail: str,
    *,
    limit: float | None = None,
    needed: int | None = None,
) -> Check:
    return Check(
        family=DEFINITIONS[trial.name].family,
        name=trial.name,
        config=trial.config,
        status=status,
        found=found,
        count=None if trial.flags is None else len({flag.row for flag in trial.flags}),
        of=len(trial.points),
        limit=limit,
        needed=needed,
        detail=detail,
        flags=trial.flags or (),
    )


def _like(trial: Trial) -> str:
    """The accuracy on pairs of like length, if these are not all, with its own interval."""
    estimate = accuracy(trial.points[trial.like], trial.clusters[trial.like])
    if estimate is None or trial.like.all():
        return ""
    low, high = estimate.interval(z_of(LEVEL))
    share = f"{100 * estimate.value:.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    return f"On the {estimate.n:,} pairs of like length {share}."


def source_accuracies(
    features: PairFeatures, trials: Iterable[Trial]
) -> dict[str, dict[str, Estimate]]:
    """By source of natural twins and by name, the accuracy of each informed baseline, and of what
    the choices of others tell."""
    there = np.flatnonzero(~np.isnan(features.others))
    tried = [("choices_of_others", there, features.others[there])]
    tried += [
        (one.name, one.places, one.points)
        for one in trials
        if DEFINITIONS[one.name].family == "baselines"
    ]
    found: dict[str, dict[str, Estimate]] = {}
    for source, places in features.sources.items():
        found[source] = {}
        for name, on, points in tried:
            own = np.isin(on, np.array(places, np.intp))
            if estimate := accuracy(points[own], features.clusters[on[own]]):
                found[source][name] = estimate.found(z_of(LEVEL))
    return found


def overlap_by_mode(
    features: Mapping[str, PairFeatures], tried: Mapping[str, Iterable[Trial]]
) -> Iterator[Trial]:
    """Word overlap with the posts, over all configurations of a mode: by configuration, `features`
    are its pairs, and `tried` what was tried on them."""
    together: dict[tuple[Mode | None, str], list[Trial]] = {}
    numbers: dict[str, int] = {}
    for config, trials in tried.items():
        own = features[config]
        known = [numbers.setdefault(name, len(numbers)) for name in own.cluster_names]
        for trial in trials:
            if trial.name in NAMES and len(trial.points) and config != of_mode(own.mode):
                renamed = np.array(known, np.intp)[trial.clusters]
                together.setdefault((own.mode, trial.name), []).append(
                    trial._replace(clusters=renamed)
                )
    for mode, name in product((*MODES, None), NAMES):
        found = together.get((mode, name))
        if not found:
            continue
        yield Trial(
            name=name,
            config=of_mode(mode),
            mode=mode,
            places=np.arange(sum(len(trial.points) for trial in found)),
            points=np.concatenate([trial.points for trial in found]),
            clusters=np.concatenate([trial.clusters for trial in found]),
            like=np.concatenate([trial.like for trial in found]),
            why=_sentences(*(f"{trial.config}: {trial.why}" for trial in found if trial.why)),
        )


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


BLIND = (*COUNT_CHECKS, *CLASSIFIERS)
"""Names of the checks that know nothing of the user."""


def blind_trials(features: PairFeatures, seed: int) -> Iterator[Trial]:
    """Try blind scorers on every pair, and classifiers and informed baselines on a sample."""
    every = np.arange(len(features))
    for name, points in zip(COUNT_CHECKS, features.points.T, strict=True):
        yield _trial(features, name, every, points)
    yield from _classifier_trials(features, seed)
    yield from _informed_trials(features)


def _classifier_trials(features: PairFeatures, seed: int) -> Iterator[Trial]:
    drawn = features.learnable
    places = np.array([place for place, _ in drawn], np.intp)
    clusters = features.clusters[places]
    if len(np.unique(clusters)) < LEAST_CLUSTERS:
        few = f"Nothing can be learnt from fewer than {LEAST_CLUSTERS} clusters."
        for name in CLASSIFIERS:
            yield _trial(features, name, places[:0], np.empty(0), few)
        return
    why = _sample_note(len(drawn), len(features))
    for name, points in classifier_points([pair for _, pair in drawn], clusters, seed):
        yield _trial(features, name, places, points, why)


def _informed_trials(features: PairFeatures) -> Iterator[Trial]:
    drawn = features.shared
    places = np.array([place for place, _, _ in drawn], np.intp)
    sampled = _sample_note(len(drawn), len(features))
    for name, points in baseline_points([overlap for _, overlap, _ in drawn]):
        there = ~np.isnan(points)
        without = int(len(there) - there.sum())
        needs = f"{without:,} pairs have no {BASELINES[name]}." if without else ""
        why = _sentences(sampled, needs)
        yield _trial(features, name, places[there], points[there], why)
    yield _residual(features, places, [words for _, _, words in drawn], sampled)


def _residual(
    features: PairFeatures, places: Places, pairs: list[PostWords], sampled: str
) -> Trial:
    points, flags, missing = private_word_points(pairs, features.words)
    there = ~np.isnan(points)
    points = points[there]
    more, fewer = ((points == side).sum() for side in (1, 0))
    counts = f"More such words in the chosen response of {more:,} pairs, in the other of {fewer:,}."
    why = _sentences(sampled, missing, counts if len(points) else "")
    trial = _trial(features, "profile_residual", places[there], points, why)
    in_order = sorted(flags, key=lambda place: places[place])
    return trial._replace(flags_on_failure=tuple(flags[place] for place in in_order))


def _sample_note(drawn: int, pairs: int) -> str:
    return f"Whole clusters drawn by hash: {drawn:,} of {pairs:,} pairs." if drawn < pairs else ""


def _trial(
    features: PairFeatures, name: str, places: Places, points: Floats, why: str = ""
) -> Trial:
    """`places`: which pairs of the configuration the points are of."""
    phrases = features.phrases.get(name)
    return Trial(
        name=name,
        config=features.config,
        mode=features.mode,
        places=places,
        points=points,
        clusters=features.clusters[places],
        like=features.like[places],
        why=why,
        flags=None if phrases is None else tuple(phrases),
    )

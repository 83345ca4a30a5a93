"""Whether twins are whole, and how unequal the two responses of a pair are."""

from collections.abc import Iterator, Sequence

import numpy as np

from pairwright.audits.records import EXAMPLES, Check, Flag
from pairwright.audits.shortcuts.pair_features import LIKE, PairFeatures, TwinHalf
from pairwright.audits.shortcuts.trials import Trial
from pairwright.estimate import Estimate
from pairwright.intervals import LEVEL, Floats, Places, accuracy, mean, z_of


def twin_identity(config: str, features: PairFeatures, blind: Sequence[Trial]) -> Check:
    """Fails where a twin is not two halves that mirror each other, or where a blind scorer is not
    exactly right on half of the pairs."""
    flags = tuple(_broken_twins(features))
    off = [
        f"{trial.name} {trial.points.mean():.4f}"
        for trial in blind
        if trial.points.sum() * 2 != len(trial.points)
    ]
    return Check(
        family="shortcuts",
        name="twin_identity",
        config=config,
        status="fail" if flags or off else "pass",
        count=len(flags),
        of=len(features.twins),
        detail=f"Not exactly one half: {', '.join(off)}." if off else "",
        flags=flags,
    )


def _broken_twins(features: PairFeatures) -> Iterator[Flag]:
    for subject, halves in features.twins.items():
        if wrong := _wrong(halves):
            yield Flag(row=halves[0].row, detail=f"{subject}: {wrong}")


def _wrong(halves: Sequence[TwinHalf]) -> str:
    if len(halves) == 1:
        return "only one half is there"
    if len(halves) > 2:
        return f"{len(halves)} rows, where a twin has two halves"
    first, second = halves
    if first.texts == second.mirrored:
        return ""
    if first.texts == second.texts:
        return "both halves have the same response chosen"
    return "the halves are not of one question with chosen and rejected swapped"


def length_matched(config: str, features: PairFeatures) -> Check:
    """The share of pairs of like length, on which each blind check gives its accuracy again."""
    limit = f"{LIKE - 1:.0%}".replace("%", " %")
    return _note(
        "length_matched",
        config,
        _share(features.like.astype(np.float64), features.clusters),
        f"At most {limit} more words in the longer response. Each check says how it does on these.",
    )


def twin_gaps(config: str, features: PairFeatures, profile_overlap: Trial) -> Iterator[Check]:
    """Differences between the two responses of twins, which the 50 % of blind scorers hide."""
    ratio, judged = features.ratio, ~np.isnan(features.quality)
    yield _note("twin_length_gap", config, mean(ratio, features.clusters, least=1))
    quality = mean(features.quality[judged], features.clusters[judged], least=0)
    missing = f"{(~judged).sum():,} pairs have no scores of a judge." if not judged.all() else ""
    yield _note("twin_quality_gap", config, quality, missing)
    yield _echo_gap(config, features)
    wrong = profile_overlap.points == 0
    share = _share(wrong.astype(np.float64), profile_overlap.clusters)
    yield _note("twin_against_baseline", config, share, profile_overlap.why)
    places = profile_overlap.places[wrong]
    voted = places[~np.isnan(features.people[places])]
    people = _share(features.people[voted], features.clusters[voted])
    none = "Nobody voted on these pairs." if len(places) else "There are no such pairs."
    none = "" if len(voted) else none
    yield _note("people_against_baseline", config, people, none)


def _echo_gap(config: str, features: PairFeatures) -> Check:
    """Over whole twins whose halves both have aspects; the detail has how much is repeated."""
    whole = [halves for halves in features.twins.values() if len(halves) == 2]
    echoes = np.array([[half.echo for half in halves] for halves in whole], np.float64)
    echoes = echoes.reshape(-1, 2)
    there = ~np.isnan(echoes).any(axis=1)
    if not there.any():
        return _note("twin_echo_gap", config, None, "Not applicable: no twin with two rubrics.")
    first = [whole[n][0] for n in np.flatnonzero(there).tolist()]
    places, both = np.array([half.place for half in first], np.intp), echoes[there]
    gaps = np.abs(both[:, 0] - both[:, 1])
    gap = mean(gaps, features.clusters[places], least=0, most=1)
    detail = f"On average a response repeats {100 * both.mean():.0f} % of its own aspects' words."
    largest = sorted(np.argsort(-gaps, kind="stable")[:EXAMPLES].tolist())
    flags = tuple(
        Flag(
            row=first[n].row, detail=f"{both[n, 0]:.2f} in this half, {both[n, 1]:.2f} in the other"
        )
        for n in largest
        if gaps[n] > 0
    )
    return _note("twin_echo_gap", config, gap, detail).model_copy(update={"flags": flags})


def _share(points: Floats, clusters: Places) -> Estimate | None:
    share = accuracy(points, clusters)
    return share and share.found(z_of(LEVEL))


def _note(name: str, config: str, estimate: Estimate | None, detail: str = "") -> Check:
    return Check(
        family="shortcuts",
        name=name,
        config=config,
        status="note",
        found=estimate if estimate and estimate.n else None,
        of=estimate.n if estimate else 0,
        detail=detail,
    )

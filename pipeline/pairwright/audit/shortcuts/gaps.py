"""Whether twins are whole, and how unequal the two responses of a pair are."""

from collections.abc import Iterator, Sequence

import numpy as np

from pairwright.audit.records import EXAMPLES, Check, CheckDefinition, Flag
from pairwright.audit.shortcuts.pair_features import LIKE, PairFeatures, TwinHalf
from pairwright.audit.shortcuts.trials import Trial
from pairwright.estimate import Estimate
from pairwright.intervals import LEVEL, Floats, Places, accuracy, mean, z_of

LENGTH_MATCHED = CheckDefinition(
    family="shortcuts",
    name="length_matched",
    title="Pairs of like length",
    why="On these pairs length does not reveal the side: each check gives its accuracy on them as "
    "well.",
    todo="Report scorers on these pairs beside the whole.",
)

TWIN_IDENTITY = CheckDefinition(
    family="shortcuts",
    name="twin_identity",
    title="Twins are whole",
    why="Both halves of a twin hold the same two responses with the sides swapped, so a scorer "
    "that cannot see the user is right on exactly half. Without one half that is not true.",
    todo="Drop or restore the twins named; filter, sample and split by twin, never by pair.",
)

TWIN_LENGTH_GAP = CheckDefinition(
    family="shortcuts",
    name="twin_length_gap",
    title="Twins: words of the longer response over the shorter",
    why="Blind accuracies on twins are 50 % by identity and hide how unequal the two are.",
    todo="Hold both sides to the same number of words.",
)

TWIN_QUALITY_GAP = CheckDefinition(
    family="shortcuts",
    name="twin_quality_gap",
    title="Twins: distance of the two responses' quality",
    why="By the judge's mean score. Where one response is better for anyone, one of the two "
    "halves is wrong about it.",
    todo="Tighten the gate on quality parity.",
)

TWIN_ECHO_GAP = CheckDefinition(
    family="shortcuts",
    name="twin_echo_gap",
    title="Twins: difference in how many words of their own aspects the two responses repeat",
    why="From 0 to 1, without words of the question. Where one response repeats its rubric and the "
    "other puts it in other words, counting words solves the one half and not the other.",
    todo="Look at the twins named, which have the largest difference; ask writers for their own "
    "words.",
)

TWIN_AGAINST_BASELINE = CheckDefinition(
    family="shortcuts",
    name="twin_against_baseline",
    title="Twins: where word overlap with the profile is wrong",
    why="On these pairs a scorer must understand more than which words the user has used.",
    todo="Report scorers on these pairs apart.",
)

PEOPLE_AGAINST_BASELINE = CheckDefinition(
    family="shortcuts",
    name="people_against_baseline",
    title="Twins: people where word overlap is wrong, majority for the chosen response",
    why="Here the right choice cannot come from counting the user's words.",
    todo="Look at these pairs: people who read the posts should still choose the chosen one.",
)


GAPS = (
    LENGTH_MATCHED, TWIN_IDENTITY, TWIN_LENGTH_GAP, TWIN_QUALITY_GAP, TWIN_ECHO_GAP,
    TWIN_AGAINST_BASELINE, PEOPLE_AGAINST_BASELINE,
)  # fmt: skip
"""The checks of this file, in the order of the report."""


def twin_identity(config: str, features: PairFeatures, blind: Sequence[Trial]) -> Check:
    """Fails where a twin is not two halves that mirror each other, or where a blind scorer is not
    exactly right on half of the pairs."""
    flags = tuple(_broken_twins(features))
    off = [
        f"{trial.definition.name} {trial.points.mean():.4f}"
        for trial in blind
        if trial.points.sum() * 2 != len(trial.points)
    ]
    return Check(
        family=TWIN_IDENTITY.family,
        name=TWIN_IDENTITY.name,
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
        LENGTH_MATCHED,
        config,
        _share(features.like.astype(np.float64), features.clusters),
        f"At most {limit} more words in the longer response. Each check says how it does on these.",
    )


def twin_gaps(config: str, features: PairFeatures, profile_overlap: Trial) -> Iterator[Check]:
    """Differences between the two responses of twins, which the 50 % of blind scorers hide."""
    ratio, judged = features.ratio, ~np.isnan(features.quality)
    yield _note(TWIN_LENGTH_GAP, config, mean(ratio, features.clusters, least=1))
    quality = mean(features.quality[judged], features.clusters[judged], least=0)
    missing = f"{(~judged).sum():,} pairs have no scores of a judge." if not judged.all() else ""
    yield _note(TWIN_QUALITY_GAP, config, quality, missing)
    yield _echo_gap(config, features)
    wrong = profile_overlap.points == 0
    share = _share(wrong.astype(np.float64), profile_overlap.clusters)
    yield _note(TWIN_AGAINST_BASELINE, config, share, profile_overlap.why)
    places = profile_overlap.places[wrong]
    voted = places[~np.isnan(features.people[places])]
    people = _share(features.people[voted], features.clusters[voted])
    none = "Nobody voted on these pairs." if len(places) else "There are no such pairs."
    none = "" if len(voted) else none
    yield _note(PEOPLE_AGAINST_BASELINE, config, people, none)


def _echo_gap(config: str, features: PairFeatures) -> Check:
    """Over whole twins whose halves both have aspects; the detail has how much is repeated."""
    whole = [halves for halves in features.twins.values() if len(halves) == 2]
    echoes = np.array([[half.echo for half in halves] for halves in whole], np.float64)
    echoes = echoes.reshape(-1, 2)
    there = ~np.isnan(echoes).any(axis=1)
    if not there.any():
        return _note(TWIN_ECHO_GAP, config, None, "Not applicable: no twin with two rubrics.")
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
    return _note(TWIN_ECHO_GAP, config, gap, detail).model_copy(update={"flags": flags})


def _share(points: Floats, clusters: Places) -> Estimate | None:
    share = accuracy(points, clusters)
    return share and share.found(z_of(LEVEL))


def _note(
    definition: CheckDefinition, config: str, estimate: Estimate | None, detail: str = ""
) -> Check:
    return Check(
        family=definition.family,
        name=definition.name,
        config=config,
        status="note",
        found=estimate,
        of=estimate.n if estimate else 0,
        detail=detail,
    )

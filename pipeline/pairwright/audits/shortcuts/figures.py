"""Figures beside the accuracies of blind rules: whether twins are whole, how unequal the two
responses of a pair are, and what others think of both: a judge that knows nobody, and of published
ones the voters.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from pairwright import text
from pairwright.audits.catalogue import note_check
from pairwright.audits.records import EXAMPLES, Check, Flag, LimitComparison
from pairwright.audits.shortcuts.pair_features import LIKE, PairFeatures, TwinHalf
from pairwright.audits.shortcuts.trials import Trial, comparison, note
from pairwright.blind_preference import NOT_MEASURED, PreferenceCase, preference_case
from pairwright.dataset import Row
from pairwright.estimate import Estimate
from pairwright.intervals import (
    LEVEL,
    AccuracyLimits,
    Floats,
    Places,
    accuracy,
    mean,
    with_width,
    z_of,
)
from pairwright.modes import MODES, Mode, has_no_preference, is_twin
from pairwright.overlap_words import of_mode


def twin_identity(features: PairFeatures, blind: Sequence[Trial]) -> Check:
    """Fails where a twin is not two halves that mirror each other, or where a blind scorer is not
    exactly right on half of the pairs."""
    flags = tuple(
        Flag(row=halves[0].row, detail=f"{subject}: {wrong}")
        for subject, halves in features.twins.items()
        if (wrong := _wrong(halves))
    )
    off = [
        f"{trial.name} {trial.points.mean():.4f}"
        for trial in blind
        if trial.points.sum() * 2 != len(trial.points)
    ]
    return Check(
        family="shortcuts",
        name="twin_identity",
        config=features.config,
        status="fail" if flags or off else "pass",
        count=len(flags),
        of=len(features.twins),
        detail=f"Not exactly one half: {', '.join(off)}." if off else "",
        flags=flags,
    )


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


def length_matched(features: PairFeatures) -> Check:
    """The share of pairs of like length, on which each blind check gives its accuracy again."""
    limit = f"{LIKE - 1:.0%}".replace("%", " %")
    share = _share(features.like.astype(np.float64), features.clusters)
    detail = (
        f"At most {limit} more words in the longer response. Each check says how it does on these."
    )
    return note_check("length_matched", features.config, share, detail=detail)


def response_gaps(features: PairFeatures) -> Iterator[Check]:
    """Differences between the two responses of twins, which the 50 % of blind scorers hide."""
    ratio, judged = features.ratio, ~np.isnan(features.quality)
    length = with_width(mean(ratio, features.clusters, least=1))
    yield note_check("twin_length_gap", features.config, length)
    quality = with_width(mean(features.quality[judged], features.clusters[judged], least=0))
    missing = f"{(~judged).sum():,} pairs have no scores of a judge." if not judged.all() else ""
    yield note_check("twin_quality_gap", features.config, quality, detail=missing)


def twin_gaps(
    features: PairFeatures, profile_overlap: Trial, most_shared_words: int | None
) -> Iterator[Check]:
    """What words alone tell of twins whose responses serve their users. `most_shared_words` is the
    bound that the build kept, if it had one."""
    yield _echo_gap(features)
    yield _shared_words(features)
    if most_shared_words is not None and features.mode == "twin":
        yield _word_bound(features, most_shared_words)
    wrong = profile_overlap.points == 0
    share = _share(wrong.astype(np.float64), profile_overlap.clusters)
    yield note_check("twin_against_baseline", features.config, share, detail=profile_overlap.why)
    places = profile_overlap.places[wrong]
    voted = places[~np.isnan(features.people[places])]
    people = _share(features.people[voted], features.clusters[voted])
    none = "Nobody voted on these pairs." if len(places) else "There are no such pairs."
    none = "" if len(voted) else none
    yield note_check("people_against_baseline", features.config, people, detail=none)


def _echo_gap(features: PairFeatures) -> Check:
    """Over whole twins whose halves both have aspects; the detail has how much is repeated."""
    whole = [halves for halves in features.twins.values() if len(halves) == 2]
    echoes = np.array([[half.echo for half in halves] for halves in whole], np.float64)
    echoes = echoes.reshape(-1, 2)
    there = ~np.isnan(echoes).any(axis=1)
    if not there.any():
        return note_check(
            "twin_echo_gap", features.config, detail="Not applicable: no twin with two rubrics."
        )
    first = [whole[n][0] for n in np.flatnonzero(there).tolist()]
    places, both = np.array([half.place for half in first], np.intp), echoes[there]
    gaps = np.abs(both[:, 0] - both[:, 1])
    gap = mean(gaps, features.clusters[places], least=0, most=1)
    detail = f"On average a response repeats {100 * both.mean():.0f} % of its own aspects' words."
    check = note_check("twin_echo_gap", features.config, gap, detail=detail)
    details = [f"{one:.2f} in this half, {other:.2f} in the other" for one, other in both.tolist()]
    return _naming_largest(check, gaps, first, details)


def _shared_words(features: PairFeatures) -> Check:
    """Over whole twins whose halves both have posts; the detail has in how many words tell."""
    more = {place: pair.differences["profile_overlap"] for place, pair, _ in features.shared}
    both = [
        (halves[0], [more.get(half.place, math.nan) for half in halves])
        for halves in features.twins.values()
        if len(halves) == 2
    ]
    both = [(first, words) for first, words in both if not math.isnan(sum(words))]
    if not both:
        none = "Not applicable: no twin with two histories."
        return note_check("twin_shared_words", features.config, detail=none)
    first = [half for half, _ in both]
    sums = np.array([sum(words) for _, words in both], np.float64)
    clusters = features.clusters[np.array([half.place for half in first], np.intp)]
    signs = f"more than 0 in {(sums > 0).sum():,} of them, less in {(sums < 0).sum():,}"
    check = note_check(
        "twin_shared_words", features.config, mean(sums, clusters, least=-math.inf),
        detail=f"Of {text.number_of(len(sums), 'twin')}: {signs}.",
    )  # fmt: skip
    details = [f"{own:+.0f} in this half, {other:+.0f} in the other" for _, (own, other) in both]
    return _naming_largest(check, sums, first, details)


def _word_bound(features: PairFeatures, most: int) -> Check:
    """Fails where a whole twin has more shared words than the build allowed, stemmed in its
    language and in English."""
    by_place, over, counted = features.word_leads, list[Flag](), 0
    for halves in features.twins.values():
        leads = [by_place[half.place] for half in halves if half.place in by_place]
        if len(halves) != 2 or len(leads) != 2:
            continue
        counted += 1
        (own, own_english), (other, other_english) = leads
        if min(own + other, own_english + other_english) > most:
            detail = f"{own:+.0f} in this half, {other:+.0f} in the other"
            over.append(Flag(row=halves[0].row, detail=detail))
    if not counted:
        none = "Not applicable: no twin with two histories whose responses tell their language."
        return note_check("twin_word_bound", features.config, detail=none)
    return Check(
        family="shortcuts",
        name="twin_word_bound",
        config=features.config,
        status="fail" if over else "pass",
        count=len(over),
        of=counted,
        detail=f"The build allowed {text.number_of(most, 'word')} ([twin] shared_words).",
        flags=tuple(over),
    )


def _naming_largest(
    check: Check, values: Floats, halves: Sequence[TwinHalf], details: Sequence[str]
) -> Check:
    """The check with the halves of the largest values above 0, in the order of the source."""
    largest = sorted(np.argsort(-values, kind="stable")[:EXAMPLES].tolist())
    flags = (Flag(row=halves[n].row, detail=details[n]) for n in largest if values[n] > 0)
    return check.model_copy(update={"flags": tuple(flags)})


def _share(points: Floats, clusters: Places) -> Estimate | None:
    share = accuracy(points, clusters)
    return share and share.found(z_of(LEVEL))


class PreferenceLean:
    """`blind_preference`: how often a judge that knows nobody prefers the chosen response, of each
    mode over its configurations. A set leans where it prefers the same side in most pairs. It
    decides where pairs are no twins. Of drawn labels it says nothing."""

    def __init__(self, limits: AccuracyLimits) -> None:
        self._limits = limits
        self._cases: defaultdict[Mode | None, list[PreferenceCase]] = defaultdict(list)

    def add(self, row: Row) -> None:
        if has_no_preference(row.mode):
            return
        cases = self._cases[row.mode]
        if case := preference_case(row):
            cases.append(case)

    def checks(self) -> Iterator[Check | LimitComparison]:
        for mode in (*MODES, None):
            if mode in self._cases:
                trial = _lean(mode, self._cases[mode])
                decides = len(trial.points) and not is_twin(mode)
                yield comparison(trial, self._limits) if decides else note(trial)


def _lean(mode: Mode | None, cases: list[PreferenceCase]) -> Trial:
    points = [(c.cluster, c.preference / 2) for c in cases if c.preference is not None]
    _, clusters = np.unique([cluster for cluster, _ in points], return_inverse=True)
    missing = len(cases) - len(points)
    said = ["In the half of the user who asked; over both it is one half by identity."]
    if not points:
        said = [f"{NOT_MEASURED.capitalize()}."]
    elif not is_twin(mode):
        said = []
    if missing and points:
        said.append(f"Of {missing:,} more no choice could be read.")
    return Trial(
        name="blind_preference",
        config=of_mode(mode),
        mode=None,
        places=np.arange(len(points)),
        points=np.array([point for _, point in points], np.float64),
        clusters=clusters,
        like=np.ones(len(points), np.bool_),
        why=" ".join(said),
    )

"""How unequal the two responses of a pair are, whoever they are for."""

from collections.abc import Iterator

import numpy as np

from pairwright.audit.records import Check
from pairwright.audit.shortcuts.gathered import LIKE, Gathered
from pairwright.audit.shortcuts.trial import Trial
from pairwright.intervals import LEVEL, Floats, Interval, Places, accuracy, mean, z_of


def length_matched(config: str, of: Gathered) -> Check:
    """The share of pairs of like length, on which each blind check is told again."""
    limit = f"{LIKE - 1:.0%}".replace("%", " %")
    return _note(
        "length_matched",
        config,
        _share(of.like.astype(np.float64), of.clusters),
        f"At most {limit} more words in the longer response. Each check says how it does on these.",
    )


def twin_gaps(config: str, of: Gathered, profile_overlap: Trial) -> Iterator[Check]:
    """What the 50 % of blind scorers on twins do not show."""
    ratio, judged = of.ratio, ~np.isnan(of.quality)
    yield _note("twin_length_gap", config, mean(ratio, of.clusters, least=1))
    quality = mean(of.quality[judged], of.clusters[judged], least=0)
    missing = f"{(~judged).sum():,} pairs have no scores of a judge." if not judged.all() else ""
    yield _note("twin_quality_gap", config, quality, missing)
    wrong = profile_overlap.points == 0
    share = _share(wrong.astype(np.float64), profile_overlap.clusters)
    yield _note("twin_against_baseline", config, share, profile_overlap.why)
    places = profile_overlap.places[wrong]
    asked = places[~np.isnan(of.people[places])]
    people = _share(of.people[asked], of.clusters[asked])
    none = "" if len(asked) else "Nobody voted on these pairs."
    yield _note("people_against_baseline", config, people, none)


def _share(points: Floats, clusters: Places) -> Interval | None:
    of = accuracy(points, clusters)
    return of and of.found(z_of(LEVEL))


def _note(name: str, config: str, found: Interval | None, detail: str = "") -> Check:
    return Check(
        family="shortcuts",
        name=name,
        config=config,
        status="note",
        found=found,
        of=found.n if found else 0,
        detail=detail,
    )

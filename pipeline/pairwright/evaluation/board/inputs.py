"""Results that may be compared: of one release, of the same pairs, each once; and these pairs, of
which every result says the same.

What results say of their release (a trial, who built it, what the choices of others tell) follows
from the release, whose digest they share. So two results cannot say different things of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pairwright.errors import InputError
from pairwright.evaluation.conditions import CONDITIONS, ConditionName
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.measure.figure import every_mode, points
from pairwright.evaluation.results import NAME, Result, ResultSummary, broken_result, read_results
from pairwright.evaluation.scorers.scorer import BASELINES
from pairwright.intervals import Floats, Places, cluster_numbers
from pairwright.records import Mode

_SAME = (
    "condition", "history", "seed", "planner", "self_agreement", "pairs", "scored",
    "lines",
)  # fmt: skip
"""What is equal in two files of one result beside its release and scorer: its lines, and all that
decides how they rank."""
FACTS = (
    "item_id", "config", "domain", "category", "mode", "twin_id", "asked", "user", "cluster",
    "responses", "source", "vote_share",
)  # fmt: skip
"""What a release says of a pair, and every result of it repeats."""


def gather_results(paths: Iterable[Path]) -> list[Result]:
    """All results of the folders and files, by scorer and condition; a result that is there twice
    counts once.

    Raises InputError naming the two files that disagree.
    """
    by_content: dict[tuple[str, ...], Result] = {}
    first: Result | None = None
    for path in paths:
        for result in read_results(path):
            first = first or result
            _check_scorer(result)
            _check_release(result, first)
            scorer = result.about.scorer
            parts = (str(getattr(result.about, key)) for key in _SAME)
            content = (scorer.deciding.model_dump_json(), *parts)
            by_content.setdefault(content, result)
    results = list(by_content.values())
    _check_names(results)
    _check_posts_rules(results)
    order = list(CONDITIONS)
    return sorted(
        results, key=lambda result: (result.about.scorer.name, order.index(result.about.condition))
    )


def _check_scorer(result: Result) -> None:
    """Check what a result says of its scorer. Raises InputError."""
    name, kind = result.about.scorer.name, result.about.scorer.kind
    if not NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a scorer's name: lower case, digits and dashes",
            where=f"{result.path} [scorer.name]",
            fix="Get this file again from where it came from.",
        )
    if (kind == "baseline") != (name in BASELINES):
        what = "is not a baseline" if kind == "baseline" else "is the name of a baseline"
        raise InputError(
            f"{name} {what}, and its kind is {kind!r}",
            where=f"{result.path} [scorer.kind]",
            fix=f"The baselines are {', '.join(BASELINES)}. Call another scorer by another name.",
        )


def _check_release(result: Result, first: Result) -> None:
    """Check that two results are of one part of one release, and say the same of it. Raises
    InputError."""
    others = _part_of_release(first.about)
    for fix, own in _part_of_release(result.about).items():
        if own != others[fix]:
            what = f"is of {own}, and {first.path} of {others[fix]}"
            raise InputError(what, where=result.path, fix=fix)
    for key, own in result.about.release:
        if own != getattr(first.about.release, key):
            raise InputError(
                f"says something else of the release than {first.path}, and both have its digest",
                where=f"{result.path} [release.{key}]",
                fix="Evaluate the release again with one of the two.",
            )


def _part_of_release(about: ResultSummary) -> dict[str, str]:
    """What a result is of, by what to do where another is of something else."""
    release = about.release
    return {
        "Accuracies on two releases cannot be compared. Name results of one of them.": (
            f"{release.name} {release.version} ({release.digest})"
        ),
        "Evaluate both with the same --limit, or without.": (
            f"the first {about.limit:,} subjects" if about.limit else "all pairs"
        ),
        "Evaluate both on the same --split, or without.": f"split {about.split or 'all'}",
    }


def _check_names(results: Sequence[Result]) -> None:
    """Check that a name is of one scorer, with one result in a condition. Raises InputError."""
    by_stem: dict[str, Result] = {}
    by_name: dict[str, Result] = {}
    for result in results:
        about, scorer = result.about, result.about.scorer
        if (other := by_stem.setdefault(about.stem, result)) is not result:
            raise InputError(
                f"scorer {scorer.name} in condition {about.condition} is in {other.path}, too",
                where=result.path,
                fix="Name one of the two, or call one of the scorers by another name.",
            )
        first = by_name.setdefault(scorer.name, result)
        for key, mine in scorer.deciding:
            if mine != (theirs := getattr(first.about.scorer.deciding, key)):
                raise InputError(
                    f"scorer {scorer.name} has {key} {mine!r}, and {theirs!r} in {first.path}",
                    where=result.path,
                    fix="Evaluate one of the two again, or give them two names.",
                )


def _check_posts_rules(results: Sequence[Result]) -> None:
    """Rows of one table were shown posts by the same rules, and so were both sides of a gain. Of
    scores in a file nobody knows, and the page says so."""
    posts = [
        one
        for one in results
        if CONDITIONS[one.about.condition].shows_posts and not one.about.scorer.of_file
    ]
    _check_equal(posts, "history", "[history]")
    drawn = [one for one in results if CONDITIONS[one.about.condition].needs == "strangers"]
    _check_equal(drawn, "seed", "seed")


def _check_equal(results: Sequence[Result], key: str, setting: str) -> None:
    for result in results:
        if getattr(result.about, key) != getattr(results[0].about, key):
            raise InputError(
                f"was shown posts by another {setting} than {results[0].path}",
                where=result.path,
                fix=f"Evaluate both with the same {setting} in the file of scorers.",
            )


class ResultPairs(NamedTuple):
    """The pairs of a release, as one of its results names them."""

    result: Result
    """The result that they were read from."""
    there: dict[str, PairDecision]
    """The pairs by id, in the release's order: their FACTS."""

    def of_mode(self, mode: Mode | None) -> Places:
        """The places of a mode's pairs in the release's order."""
        return np.flatnonzero([one.mode == mode for one in self.there.values()])

    def clusters(self, places: Places) -> Places:
        """The clusters of the pairs at places, which are of one mode."""
        every = list(self.there.values())
        return cluster_numbers([every[place].clusters for place in places])

    def points(self, decisions: Sequence[PairDecision]) -> Floats:
        """Shape (pairs,): 1, 0 or one half, and 0 without a score; NaN where a pair does not count
        for any scorer."""
        by_pair = {
            one.id: points(one) for mode_pairs in every_mode(decisions) for one in mode_pairs.due
        }
        return np.array([by_pair.get(name, np.nan) for name in self.there], np.float64)

    def check(self, result: Result, decisions: Sequence[PairDecision]) -> None:
        """Check a result. Raises InputError where it is not of these pairs, or not what its summary
        says."""
        scored, said = sum(one.choice is not None for one in decisions), result.about.scored
        if scored != said:
            raise broken_result(
                result.path.with_suffix(".jsonl"),
                f"{scored:,} pairs have a score, and {result.path.name} says {said:,}",
            )
        lines = self.result.path.with_suffix(".jsonl")
        for one in decisions:
            pair = self.there.get(one.id)
            if pair is None:
                raise _other_pairs(result, f"has the pair {one.id}, and {lines} has not")
            for name in FACTS:
                own, other = getattr(one, name), getattr(pair, name)
                if own != other:
                    what = f"pair {one.id} has {name} {own!r}, and {other!r} in {lines}"
                    raise _other_pairs(result, what)
        known, applies = {one.id for one in decisions}, CONDITIONS[result.about.condition].applies
        for name, pair in self.there.items():
            if name not in known and applies(pair.mode):
                raise _other_pairs(result, f"has no pair {name}, and {lines} has")
        result.check_lines()


def _other_pairs(result: Result, what: str) -> InputError:
    return InputError(
        what,
        where=result.path.with_suffix(".jsonl"),
        fix="Both must be of the same pairs: evaluate the release again in one of them.",
    )


def pairs_of(results: Sequence[Result]) -> ResultPairs:
    """The pairs of results that `gather_results` accepted. Raises InputError."""
    # A condition of twins alone, without them, or of rubrics has fewer pairs than the others.
    whole = next((one for one in results if CONDITIONS[one.about.condition].has_every_pair), None)
    read = results if whole is None else (whole,)
    there = {one.id: one for result in read for one in result.decisions()}
    if not there:
        condition = read[0].about.condition
        raise InputError(
            "no pair is in any of the results",
            where=read[0].path,
            fix=f"No pair of this release is part of condition {condition}. Evaluate another one.",
        )
    return ResultPairs(read[0], there)


def check_shown_alike(
    points_by_row: Mapping[str, Floats], results: Sequence[Result], pairs: ResultPairs
) -> None:
    """Check the pairs that count. Raises InputError where a pair counts in one result and not in
    another of its condition: the release has something to show of its user for all scorers, or for
    none."""
    there: dict[ConditionName, Result] = {}
    for result in results:
        first = there.setdefault(result.about.condition, result)
        counts = [~np.isnan(points_by_row[one.about.stem]) for one in (result, first)]
        if (mismatches := np.flatnonzero(counts[0] != counts[1])).size:
            place = mismatches[0]
            raise _other_pairs(
                result,
                f"pair {list(pairs.there)[place]}"
                f" {'has' if counts[0][place] else 'does not have'} something to show of its"
                f" user, and in {first.path.with_suffix('.jsonl')} it is the other way",
            )

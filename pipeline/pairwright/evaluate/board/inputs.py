"""Results that may be compared: of one release, of the same pairs, each once; and these pairs, of
which every result says the same.

What results say of their release (a trial, who built it, what the choices of others tell) follows
from the release, whose digest they share. So two results cannot say different things of it; only
results of older versions say less.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from pairwright.errors import InputError
from pairwright.evaluate.conditions import CONDITIONS, ConditionName
from pairwright.evaluate.decision import PairDecision
from pairwright.evaluate.measure.figure import by_mode, points
from pairwright.evaluate.release import LATER_FACTS, BuildModel, ReleaseRef
from pairwright.evaluate.results import NAME, Result, read_results
from pairwright.evaluate.scorers.scorer import BASELINES
from pairwright.intervals import Floats, Places, cluster_numbers
from pairwright.records import Mode

_SAME = (
    "release", "scorer", "condition", "limit", "split", "history", "seed", "planner", "simulated",
    "self_agreement", "pairs", "scored", "lines",
)  # fmt: skip
"""What is equal in two files of one result: its lines, and all that decides how they rank."""


def gather_results(
    paths: Iterable[Path], aliases: Mapping[Path, str] | None = None
) -> list[Result]:
    """All results of the folders and files, by scorer and condition; a result that is there twice
    counts once. In a path with an alias, scorers are called `ALIAS: NAME`; baselines, which are the
    same for everybody, keep their names.

    Raises InputError naming the two files that disagree.
    """
    aliases = aliases or {}
    by_content: dict[str, Result] = {}
    first: Result | None = None
    # Those without an alias first: a result that is there twice keeps its own name.
    for path in sorted(paths, key=lambda path: path in aliases):
        for result in read_results(path):
            first = first or result
            _check_scorer(result)
            _check_release(result, first)
            if by_content.setdefault(_content(result), result) is result and path in aliases:
                _rename(result, aliases[path])
    results = list(by_content.values())
    _check_unique(results)
    _check_scorer_names(results)
    _check_posts_rules(results)
    order = list(CONDITIONS)
    return sorted(
        results, key=lambda result: (result.about.scorer.name, order.index(result.about.condition))
    )


def _content(result: Result) -> str:
    about = result.about
    release = about.release
    parts = {key: str(getattr(about, key)) for key in _SAME} | {
        "release": f"{release.name} {release.version} {release.digest}",
        "scorer": about.scorer.deciding.model_dump_json(),
    }
    return str(parts)


def _rename(result: Result, alias: str) -> None:
    scorer = result.about.scorer
    if scorer.kind != "baseline":
        own = scorer.model_copy(update={"name": f"{alias}: {scorer.name}"})
        result.about = result.about.model_copy(update={"scorer": own})


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
    own, other = result.about.release, first.about.release
    if (own.name, own.version, own.digest) != (other.name, other.version, other.digest):
        raise InputError(
            f"is of {own.name} {own.version} ({own.digest}), and {first.path} of {other.name}"
            f" {other.version} ({other.digest})",
            where=result.path,
            fix="Accuracies on two releases cannot be compared. Name results of one of them.",
        )
    limits = result.about.limit, first.about.limit
    if limits[0] != limits[1]:
        limits_text = [
            f"the first {limit:,} subjects" if limit else "all pairs" for limit in limits
        ]
        raise InputError(
            f"is of {limits_text[0]}, and {first.path} of {limits_text[1]}",
            where=result.path,
            fix="Evaluate both with the same --limit, or without.",
        )
    splits = [one.about.split or "all" for one in (result, first)]
    if splits[0] != splits[1]:
        raise InputError(
            f"is of split {splits[0]}, and {first.path} of split {splits[1]}",
            where=result.path,
            fix="Evaluate both on the same --split, or without.",
        )
    if own.pairs != other.pairs:
        raise InputError(
            f"is of {own.pairs:,} pairs, and {first.path} of {other.pairs:,}",
            where=result.path,
            fix="Evaluate both on the same --split.",
        )


def _check_unique(results: Sequence[Result]) -> None:
    there: dict[str, Result] = {}
    for result in results:
        other = there.setdefault(result.about.stem, result)
        if other is not result:
            about = result.about
            raise InputError(
                f"scorer {about.scorer.name} in condition {about.condition} is in {other.path},"
                " too",
                where=result.path,
                fix=_two_of_one_name(about.scorer.kind),
            )


def _two_of_one_name(kind: str) -> str:
    if kind == "baseline":
        return (
            "A baseline gives everybody the same, so one of the two is not what it gives: --verify"
            " RELEASE finds which. Ask its sender for the other scorers alone."
        )
    return (
        "Name one of the two, call one of the scorers by another name, or give a folder an alias:"
        " team=theirs"
    )


def _check_scorer_names(results: Sequence[Result]) -> None:
    there: dict[str, Result] = {}
    for result in results:
        other = there.setdefault(result.about.scorer.name, result)
        mine, theirs = (one.about.scorer.deciding.model_dump() for one in (result, other))
        for key in mine:
            if mine[key] != theirs[key]:
                raise InputError(
                    f"scorer {result.about.scorer.name} has {key} {mine[key]!r}, and"
                    f" {theirs[key]!r} in {other.path}",
                    where=result.path,
                    fix="Evaluate one of the two again, give them two names, or give a folder an"
                    " alias: team=theirs",
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


def release_of(results: Sequence[Result]) -> ReleaseRef:
    """The release of one or more results, with all that any of them says of it.

    Raises InputError naming the two files that say different things of it.
    """
    release = results[0].about.release
    first = dict.fromkeys(LATER_FACTS, results[0])
    for result in results:
        own = result.about.release
        _check_same("trial", result, results[0])
        for key in LATER_FACTS:
            if getattr(release, key) and getattr(own, key):
                _check_same(key, result, first[key])
            elif getattr(own, key):
                first[key] = result
        release = release.completed_by(own)
    return release


def _check_same(key: str, result: Result, first: Result) -> None:
    if getattr(result.about.release, key) != getattr(first.about.release, key):
        raise InputError(
            f"says something else of the release than {first.path}, and both have its digest",
            where=f"{result.path} [release.{key}]",
            fix="Derive both again: pairwright leaderboard RESULTS --verify RELEASE names the one"
            " that is not of the release.",
        )


FACTS = (
    "item_id", "config", "domain", "category", "mode", "twin_id", "asked", "user", "cluster",
    "responses", "source", "vote_share",
)  # fmt: skip
"""What a release says of a pair, and every result of it repeats."""


class Pairs(NamedTuple):
    """The pairs of a release, as one of its results names them."""

    result: Result
    """The result that they were read from."""
    facts: dict[str, tuple[object, ...]]
    """The values of FACTS by pair id, in the release's order."""
    builders: tuple[BuildModel, ...] = ()
    """The models that built the release."""

    def of_mode(self, mode: Mode | None) -> Places:
        """The places of a mode's pairs in the release's order."""
        at = FACTS.index("mode")
        return np.flatnonzero([facts[at] == mode for facts in self.facts.values()])

    def clusters(self, places: Places) -> Places:
        """The clusters of the pairs at places, which are of one mode."""
        at, responses_at = FACTS.index("cluster"), FACTS.index("responses")
        facts = list(self.facts.values())
        names = [
            (name, *cast("tuple[str, str]", responses)) if responses else name
            for place in places
            for name, responses in ((str(facts[place][at]), facts[place][responses_at]),)
        ]
        return cluster_numbers(names)

    def points(self, decisions: Sequence[PairDecision]) -> Floats:
        """Shape (pairs,): 1, 0 or one half, and 0 without a score; NaN where a pair does not count
        for any scorer."""
        by_pair = {
            one.id: points(one) for mode_pairs in by_mode(decisions) for one in mode_pairs.due
        }
        return np.array([by_pair.get(name, np.nan) for name in self.facts], np.float64)

    def check(self, result: Result, decisions: Sequence[PairDecision]) -> None:
        """Check a result. Raises InputError where it is not of these pairs, or not what its summary
        says."""
        scored = sum(one.choice is not None for one in decisions)
        if scored != result.about.scored:
            raise InputError(
                f"{scored:,} pairs have a score, and {result.path.name} says"
                f" {result.about.scored:,}",
                where=result.path.with_suffix(".jsonl"),
                fix="Run `pairwright evaluate` again: nothing is scored twice.",
            )
        for one in decisions:
            if one.id not in self.facts:
                raise self._difference(result, f"has the pair {one.id}, and {{other}} has not")
            for name, own, other in zip(FACTS, _facts(one), self.facts[one.id], strict=True):
                if own != other:
                    what = f"pair {one.id} has {name} {own!r}, and {other!r} in {{other}}"
                    raise self._difference(result, what)
        there = {one.id for one in decisions}
        for name, facts in self.facts.items():
            if name not in there and _part_of(result, facts):
                raise self._difference(result, f"has no pair {name}, and {{other}} has")
        result.check_lines()

    def _difference(self, result: Result, what: str) -> InputError:
        return InputError(
            what.replace("{other}", str(self.result.path.with_suffix(".jsonl"))),
            where=result.path.with_suffix(".jsonl"),
            fix="Both must be of the same pairs: evaluate the release again in one of them.",
        )


def pairs_of(results: Sequence[Result], builders: tuple[BuildModel, ...] = ()) -> Pairs:
    """The pairs of results that `gather_results` accepted; `builders` are the models that built the
    release. Raises InputError."""
    # A condition of twins alone, or without them, has fewer pairs than the others.
    whole = next((one for one in results if CONDITIONS[one.about.condition].pairs == "all"), None)
    read = results if whole is None else (whole,)
    facts = {one.id: _facts(one) for result in read for one in result.decisions()}
    pairs = Pairs(read[0], facts, builders)
    if not pairs.facts:
        condition = read[0].about.condition
        raise InputError(
            "no pair is in any of the results",
            where=read[0].path,
            fix=f"No pair of this release is part of condition {condition}. Evaluate another one.",
        )
    return pairs


def check_shown_alike(
    points_by_row: Mapping[str, Floats], results: Sequence[Result], pairs: Pairs
) -> None:
    """Check the pairs that count. Raises InputError where a pair counts in one result and not in
    another of its condition: the release has something to show of its user for all scorers, or for
    none."""
    there: dict[ConditionName, Result] = {}
    for result in results:
        first = there.setdefault(result.about.condition, result)
        counts = [~np.isnan(points_by_row[one.about.stem]) for one in (result, first)]
        if (mismatches := np.flatnonzero(counts[0] != counts[1])).size:
            name = list(pairs.facts)[mismatches[0]]
            raise InputError(
                f"pair {name} {'has' if counts[0][mismatches[0]] else 'does not have'} something to"
                f" show of its user, and in {first.path.with_suffix('.jsonl')} it is the other way",
                where=result.path.with_suffix(".jsonl"),
                fix="Both must be of the same pairs: evaluate the release again in one of them.",
            )


def _facts(decision: PairDecision) -> tuple[object, ...]:
    return tuple(getattr(decision, name) for name in FACTS)


def _part_of(result: Result, facts: tuple[object, ...]) -> bool:
    mode = cast("Mode | None", facts[FACTS.index("mode")])
    return CONDITIONS[result.about.condition].applies(mode)

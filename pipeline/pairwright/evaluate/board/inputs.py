"""Results that may be compared: of one release, of the same pairs, each once."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from pairwright.errors import InputError
from pairwright.evaluate.conditions import CONDITIONS
from pairwright.evaluate.results import NAME, Result, read_results


def gather_results(paths: Iterable[Path]) -> list[Result]:
    """All results of the folders and files, by scorer and condition; a file named twice counts
    once. Raises InputError naming the two files that disagree."""
    files = {result.path.resolve(): result for path in paths for result in read_results(path)}
    results = list(files.values())
    for result in results:
        _check_name(result)
        _check_release(result, results[0])
    _check_unique(results)
    _check_scorer_names(results)
    _check_posts_rules(results)
    order = list(CONDITIONS)
    return sorted(
        results, key=lambda result: (result.about.scorer.name, order.index(result.about.condition))
    )


def _check_name(result: Result) -> None:
    name = result.about.scorer.name
    if not NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a scorer's name: lower case, digits and dashes",
            where=f"{result.path} [scorer.name]",
            fix="Get this file again from where it came from.",
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
                fix="Name one of the two, or call one of the scorers by another name.",
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

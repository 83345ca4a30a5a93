"""Results that may be compared: of one release, of the same pairs, each once."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pairwright.errors import InputError
from pairwright.evaluate.conditions import CONDITIONS
from pairwright.evaluate.results import NAME, Result, read_results
from pairwright.evaluate.scorers.baselines import BASELINES

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

"""What results say of their release: whether it is a trial, who built it, what the choices of
others tell.

All of it follows from the release, whose digest they share. So two results cannot say different
things of it; only results of older versions say less.
"""

from collections.abc import Sequence

from pairwright.errors import InputError
from pairwright.evaluate.release import LATER_FACTS, ReleaseRef
from pairwright.evaluate.results import Result


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

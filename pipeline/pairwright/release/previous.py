"""The release that another follows: whole, lower, and of the same dataset."""

from collections import Counter
from pathlib import Path

from pairwright.dataset import parts_of
from pairwright.dataset.parquet import count_rows
from pairwright.errors import Difference, InputError
from pairwright.release.told import Told, read_release
from pairwright.release.verify.folder import check_folder
from pairwright.release.verify.history import check_rows_of_history
from pairwright.release.verify.stated import check_stated
from pairwright.release.versions import TRIAL, check_version


def read_previous(root: Path, version: str, name: str, *, trial: bool) -> Told:
    """The release before `version` of the dataset `name`.

    Raises InputError where it is not whole, not lower, of another dataset, or, before an ordinary
    release, a trial.
    """
    previous = read_release(root)
    stated = previous.stated
    if stated.info.name != name:
        raise InputError(
            f"is a release of {stated.info.name!r}, and this run makes {name!r}",
            where=root,
            fix="Name a release of the same dataset, or mend [release] name in the run's config.",
        )
    if stated.kind == "trial" and not trial:
        raise InputError(
            "is a trial, and no ordinary release follows one",
            where=root,
            fix="Name the last ordinary release, or leave --previous out for the first.",
        )
    if check_version(stated.version.removesuffix(TRIAL)) >= check_version(version):
        raise InputError(
            f"is version {stated.version}, which {version} does not follow",
            where=root,
            fix="Give --version a higher number than the previous release has.",
        )
    _check_whole(previous)
    return previous


def _check_whole(previous: Told) -> None:
    """Raise InputError for what `verify` would say of its files and of its history, which the next
    release goes on with."""
    layout, there = previous.layout, Counter[str]()
    try:
        check_folder(layout.root, None, lambda _, __, ___: None)
        check_stated(layout, previous.stated, previous.history, previous.errata)
        for part in parts_of(layout.root):
            there[part.config] += count_rows(layout.part(part))
        check_rows_of_history(previous.history, there, layout.history.name)
    except Difference as found:
        raise InputError(
            found.what,
            where=layout.root / found.where,
            fix="Take the previous release anew from where it was published, and verify it.",
        ) from None

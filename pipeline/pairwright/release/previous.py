"""The release that another follows: whole, lower, and of the same dataset."""

from collections import Counter
from pathlib import Path

from pairwright.dataset import parts_of
from pairwright.dataset.parquet import count_rows
from pairwright.errors import Difference, InputError
from pairwright.release.history import TRIAL, check_version
from pairwright.release.primary import ReleaseFiles, read_release
from pairwright.release.verify.folder import check_folder
from pairwright.release.verify.provenance import check_provenance, check_rows_of_history


def read_previous(root: Path, version: str, name: str, *, trial: bool) -> ReleaseFiles:
    """The release before `version` of the dataset `name`.

    Raises InputError where it is not whole, not lower, of another dataset, or, before an ordinary
    release, a trial.
    """
    previous = read_release(root)
    provenance = previous.primary.provenance
    if provenance.info.name != name:
        raise InputError(
            f"is a release of {provenance.info.name!r}, and this run makes {name!r}",
            where=root,
            fix="Name a release of the same dataset, or mend [release] name in the run's config.",
        )
    if provenance.kind == "trial" and not trial:
        raise InputError(
            "is a trial, and no ordinary release follows one",
            where=root,
            fix="Name the last ordinary release, or leave --previous out for the first.",
        )
    if check_version(provenance.version.removesuffix(TRIAL)) >= check_version(version):
        raise InputError(
            f"is version {provenance.version}, which {version} does not follow",
            where=root,
            fix="Give --version a higher number than the previous release has.",
        )
    _check_whole(previous)
    return previous


def _check_whole(previous: ReleaseFiles) -> None:
    """Raise InputError for what `verify` would say of its files and of its history, which the next
    release goes on with."""
    layout, there = previous.layout, Counter[str]()
    try:
        check_folder(layout.root, None, lambda _, __, ___: None)
        check_provenance(layout, previous.primary)
        for part in parts_of(layout.root):
            there[part.config] += count_rows(layout.part(part))
        check_rows_of_history(previous.primary.history, there, layout.history.name)
    except Difference as found:
        raise InputError(
            found.what,
            where=layout.root / found.where,
            fix="Take the previous release again from where it was published, and verify it.",
        ) from None

"""Versions of a release, and what the release before must be."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import Layout, check_files, parts_of, read_lines, read_one
from pairwright.dataset.checksums import root_digest
from pairwright.dataset.parquet import count_rows
from pairwright.errors import Difference, InputError
from pairwright.release.primary import read_history
from pairwright.release.records import Erratum, Stated, Unit, Version
from pairwright_human_eval.public import Public, read_public

TRIAL = "-trial"
_NUMBER = "(0|[1-9][0-9]{0,5})"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:{TRIAL})?")


class Told(NamedTuple):
    """A release's primary files but its rows and its audit."""

    layout: Layout
    digest: str
    """Its root digest."""
    stated: Stated
    history: tuple[Version, ...]
    errata: tuple[Erratum, ...]
    units: tuple[Unit, ...]
    public: Public | None

    @property
    def name(self) -> str:
        return f"{self.stated.name} {self.stated.version}"


def numbers_of(version: str) -> tuple[int, ...] | None:
    """The three numbers of X.Y.Z or X.Y.Z-trial; None of anything else."""
    found = _VERSION.fullmatch(version)
    return tuple(map(int, found.groups())) if found else None


def check_version(version: str) -> tuple[int, ...]:
    """Its three numbers. Raises InputError for what is not X.Y.Z."""
    found = numbers_of(version)
    if not found or version.endswith(TRIAL):
        raise InputError(
            f"{version!r} is no version",
            where="--version",
            fix="Give three numbers, such as 1.0.0; --trial adds its mark by itself.",
        )
    return found


def read_release(root: Path) -> Told:
    """Raises InputError where the folder is not a release, or a line of it is not what it should
    be; its rows are not read."""
    layout = Layout(root)
    if not layout.manifest.is_file():
        raise InputError(
            "no release here" if root.is_dir() else "no such folder",
            where=root,
            fix="Name the folder of a release: it has a manifest.json and checksums.sha256.",
        )
    check_files(root)
    return Told(
        layout=layout,
        digest=root_digest(root),
        stated=read_one(layout.stated, Stated),
        history=read_history(layout),
        errata=tuple(read_lines(layout.errata, Erratum)),
        units=tuple(read_lines(layout.units, Unit)),
        public=read_public(layout),
    )


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
    # They in turn ask this file what a version is.
    from pairwright.release.verify.folder import check_folder
    from pairwright.release.verify.history import check_rows_of_history
    from pairwright.release.verify.stated import check_stated

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

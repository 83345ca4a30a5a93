"""Versions of a release, and what the release before must be."""

import re
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import Layout, read_lines, read_one
from pairwright.errors import InputError
from pairwright.release.checksums import file_digest, read_checksums, root_digest
from pairwright.release.primary import read_history
from pairwright.release.records import Erratum, Stated, Unit, Version
from pairwright_human_eval.public import Public, read_public

_VERSION = re.compile(r"(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})")
TRIAL = "-trial"


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


def check_version(version: str) -> tuple[int, ...]:
    """Its three numbers. Raises InputError for what is not X.Y.Z."""
    found = _VERSION.fullmatch(version)
    if not found:
        raise InputError(
            f"{version!r} is no version",
            where="--version",
            fix="Give three numbers, such as 1.0.0; --trial adds its mark by itself.",
        )
    return tuple(map(int, found.groups()))


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
    _check_whole(root)
    return previous


def _check_whole(root: Path) -> None:
    """Raise InputError where a file is not the one that was released."""
    for path, digest in read_checksums(root).items():
        if not (root / path).is_file() or file_digest(root / path) != digest:
            raise InputError(
                "is missing or not as it was released",
                where=root / path,
                fix="Take the previous release anew from where it was published.",
            )

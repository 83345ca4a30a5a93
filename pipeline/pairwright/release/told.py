"""A release as its primary files tell it, without its rows."""

from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import Layout, check_files, read_lines, read_one
from pairwright.dataset.checksums import root_digest
from pairwright.errors import InputError
from pairwright.release.primary import read_history
from pairwright.release.records import Erratum, Stated, Unit, Version
from pairwright_human_eval.public_study import ReleasedStudy, read_public


class Told(NamedTuple):
    """A release's primary files but its rows and its audit."""

    layout: Layout
    digest: str
    """Its root digest."""
    stated: Stated
    history: tuple[Version, ...]
    errata: tuple[Erratum, ...]
    units: tuple[Unit, ...]
    public: ReleasedStudy | None

    @property
    def name(self) -> str:
        return f"{self.stated.name} {self.stated.version}"


def read_release(root: Path) -> Told:
    """Raises InputError where the folder is not a release, or a line of it is not what it should
    be; its rows are not read."""
    layout = Layout(root)
    if not layout.manifest.is_file():
        raise InputError(
            "is not a release" if root.is_dir() else "no such folder",
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

"""The files of a release. Paths are made of domains, modes and splits, never of ids."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import InputError

SPLITS = ("test", "validation")
_PART = re.compile(r"data/([A-Za-z0-9][A-Za-z0-9_.-]*)/([a-z]+)-00000-of-00001\.parquet")
DOMAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""What a domain may be called if it is to be part of a path."""


class Part(NamedTuple):
    """One Parquet file: the rows of one configuration in one split."""

    config: str
    split: str

    @property
    def path(self) -> str:
        """Relative, with forward slashes."""
        return f"data/{self.config}/{self.split}-00000-of-00001.parquet"


@dataclass(frozen=True)
class Layout:
    """The paths of a release in one folder."""

    root: Path

    @property
    def manifest(self) -> Path:
        """What the release holds, counted and hashed. Its presence makes a folder a release."""
        return self.root / "manifest.json"

    @property
    def card(self) -> Path:
        """The dataset card, as the Hub shows it."""
        return self.root / "README.md"

    @property
    def datasheet(self) -> Path:
        return self.root / "DATASHEET.md"

    @property
    def croissant(self) -> Path:
        return self.root / "croissant.json"

    @property
    def licences(self) -> Path:
        """The page on which licence holds for what. Other files link to it."""
        return self.root / "LICENSE.md"

    @property
    def changelog(self) -> Path:
        return self.root / "CHANGELOG.md"

    @property
    def provenance(self) -> Path:
        """What the release cannot show by itself: how it was built, as the run tells it."""
        return self.root / "stated.json"

    @property
    def history(self) -> Path:
        """One line a version: what it added, removed and changed, by reason."""
        return self.root / "history.jsonl"

    @property
    def errata(self) -> Path:
        return self.root / "errata.jsonl"

    @property
    def units(self) -> Path:
        """What came of every unit of the build, in the source's order."""
        return self.root / "build" / "units.jsonl"

    @property
    def subjects(self) -> Path:
        """What people were asked about, by names and hashes alone."""
        return self.root / "human" / "subjects.jsonl"

    @property
    def verdicts(self) -> Path:
        return self.root / "human" / "verdicts.jsonl"

    @property
    def study(self) -> Path:
        """The rule, the scales, and how the annotators did in their checks."""
        return self.root / "human" / "study.json"

    @property
    def decisions(self) -> Path:
        return self.root / "human" / "decisions.jsonl"

    @property
    def findings(self) -> Path:
        """Agreement, claims and parity, estimated from the verdicts."""
        return self.root / "human" / "findings.json"

    @property
    def audit(self) -> Path:
        return self.root / "audit" / "audit.json"

    @property
    def audit_page(self) -> Path:
        return self.root / "audit" / "report.html"

    @property
    def attribution(self) -> Path:
        """One line a post: its address and its licence."""
        return self.root / "attribution.csv"

    @property
    def checksums(self) -> Path:
        return self.root / "checksums.sha256"

    def inside(self, path: Path) -> str:
        """A path of the release as its own files name it: relative, with forward slashes."""
        return path.relative_to(self.root).as_posix()

    def part(self, part: Part) -> Path:
        return self.root / part.path

    def preference(self, part: Part) -> Path:
        """The same rows as message lists."""
        return self.root / "preference" / f"{part.config}-{part.split}.jsonl"


def parts_of(root: Path) -> list[Part]:
    """The Parquet files of a release, by configuration and split."""
    return sorted(_parts(root))


def check_files(root: Path) -> None:
    """Raise InputError for a pipe or a device below `root`: to read one might never end."""
    for path in root.rglob("*"):
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise InputError(
                "neither a file nor a folder",
                where=path,
                fix="Take the release again from where it was published.",
            )


def _parts(root: Path) -> Iterator[Part]:
    for path in root.glob("data/*/*.parquet"):
        match = _PART.fullmatch(path.relative_to(root).as_posix())
        if match and match[2] in SPLITS:
            yield Part(match[1], match[2])

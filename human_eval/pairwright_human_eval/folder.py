"""Where the files of a study are: `human/` in the run folder.

What annotators may see lies at the top; everything that could unblind them, and everything that
names a person, lies under `private/` and never goes into a release.
"""

from pathlib import Path
from typing import TypeVar

from pairwright.dataset import read_lines, read_one
from pairwright.records import Record
from pairwright_human_eval.records import Kind

T = TypeVar("T", bound=Record)
RESTORE = "The file was changed or cut: restore it from a copy."
"""What to do about a damaged file."""


def records_in(path: Path, kind: type[T], fix: str = RESTORE) -> tuple[T, ...]:
    """The lines of a file of the study; none where there is no file. Raises InputError for a
    damaged line."""
    return tuple(read_lines(path, kind, fix=fix)) if path.exists() else ()


def record_in(path: Path, kind: type[T], fix: str = RESTORE) -> T | None:
    """The one record of a file of the study; None where there is no file. Raises InputError for a
    damaged one."""
    return read_one(path, kind, fix=fix) if path.exists() else None


class HumanFolder:
    """The paths of a study in one run folder."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.path = run / "human"
        self.guidelines = self.path / "guidelines.md"
        """What annotators read first; the study lead fills in its end."""
        self.sheets = self.path / "spreadsheets"
        self.verdicts = self.path / "verdicts.jsonl"
        self.set_aside = self.path / "set_aside.jsonl"
        self.decisions = self.path / "decisions.jsonl"

        self.private = self.path / "private"
        self.study = self.private / "study.json"
        self.key = self.private / "key.jsonl"
        self.adjudication_key = self.private / "key_adjudication.jsonl"
        """The key of round 2: what the first round left disputed."""
        self.raw = self.private / "raw"
        """Answers as they came in, without e-mails: one file a project or imported file."""
        self.server = self.private / "server.json"
        """Projects and task ids on the server that tasks were pushed to."""
        self.withdrawn = self.private / "withdrawn.jsonl"
        """Whose answers are no longer kept."""
        self.screened = self.private / "screened.jsonl"
        """What the texts hold that strangers should perhaps not read, masked."""

    def tasks(self, annotator: str, kind: Kind, round: int = 1) -> Path:
        """The task file of one annotator and kind. Names of annotators are ours, not theirs."""
        return self.path / ("tasks" if round == 1 else "adjudication") / annotator / f"{kind}.json"

    def form(self, kind: Kind, round: int = 1) -> Path:
        """The labelling configuration of a kind; that of round 2 shows earlier answers, too."""
        end = "" if round == 1 else "_adjudication"
        return self.path / f"labeling_config_{kind}{end}.xml"

    def sheet(self, annotator: str, round: int = 1) -> Path:
        """The spreadsheet of one person."""
        return self.sheets / f"{annotator}{'' if round == 1 else '-adjudication'}.csv"

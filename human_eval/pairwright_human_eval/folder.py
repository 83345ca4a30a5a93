"""Where the files of a study are: `human/` in the run folder.

What annotators may see lies at the top; everything that could unblind them, and everything that
names a person, lies under `private/` and never goes into a release.
"""

from pathlib import Path
from typing import NamedTuple, TypeVar

from pairwright.dataset import read_lines, read_one
from pairwright.records import Record
from pairwright_human_eval.records import LATER, OWN, Kind

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


class RoundFiles(NamedTuple):
    """How the files of a round are named."""

    tasks: str
    """The folder of its tasks."""
    form: str
    """The end of its forms' names."""
    person: str
    """The end of a person's sheet, preview and project."""


ROUNDS = {
    1: RoundFiles("tasks", "", ""),
    2: RoundFiles("adjudication", "_adjudication", "-adjudication"),
    OWN: RoundFiles("own", "_own", ""),
    LATER: RoundFiles("own-later", "_own", "-later"),
}


class HumanFolder:
    """The paths of a study in one run folder."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.path = run / "human"
        self.guidelines = self.path / "guidelines.md"
        """What annotators read first; the study lead fills in its end."""
        self.consent = self.path / "consent.md"
        """What annotators agree to before they begin; the study lead fills it in."""
        self.start = self.path / "start"
        """A page for each person to begin from."""
        self.preview = self.path / "preview"
        """The tasks as pages, to be looked through."""
        self.verdicts = self.path / "verdicts.jsonl"
        self.set_aside = self.path / "set_aside.jsonl"
        self.decisions = self.path / "decisions.jsonl"

        self.private = self.path / "private"
        self.study = self.private / "study.json"
        self.key = self.private / "key.jsonl"
        self.adjudication_key = self.private / "key_adjudication.jsonl"
        """The key of round 2: what the first round left disputed."""
        self.own = self.private / "own.json"
        """Which users of the data judge pairs of their own posts."""
        self.own_key = self.private / "key_own.jsonl"
        self.raw = self.private / "raw"
        """Exports as they came in, without e-mails: one file a project or imported file."""
        self.imports = self.private / "imports.jsonl"
        """Which files were imported by hand, import by import."""
        self.people = self.private / "people.json"
        """Which account of the server is which annotator."""
        self.server = self.private / "server.json"
        """Projects and task ids on the server that tasks were pushed to."""
        self.participants = self.private / "participants.json"
        """The ids of people on the platform that they come from."""
        self.payout = self.private / "payout.csv"
        """Time, pay and completion codes, person by person."""
        self.replacements = self.private / "replacements.jsonl"
        """Who took over what from people who left."""
        self.withdrawn = self.private / "withdrawn.jsonl"
        """Whose answers are no longer kept."""
        self.screened = self.private / "screened.jsonl"
        """What the texts hold that strangers should perhaps not read, masked."""

    def pages(self, person: str) -> tuple[Path, Path]:
        """What a person reads before they begin, guidelines and consent; the study lead fills in
        the rest."""
        if not person.startswith("author-"):
            return self.guidelines, self.consent
        return self.path / "own_guidelines.md", self.path / "own_consent.md"

    def tasks(self, annotator: str, kind: Kind, round: int = 1) -> Path:
        """The task file of one annotator and kind. Names of annotators are ours, not theirs."""
        return self.path / ROUNDS[round].tasks / annotator / f"{kind}.json"

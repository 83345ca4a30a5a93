"""Where the files of a study are: `human/` in the run folder.

What annotators may see lies at the top; everything that could unblind them, and everything that
names a person, lies under `private/` and never goes into a release.
"""

from dataclasses import dataclass
from pathlib import Path

from pairwright_human_eval.records import Kind


@dataclass(frozen=True)
class HumanFolder:
    """The paths of a study in one run folder."""

    run: Path

    @property
    def path(self) -> Path:
        return self.run / "human"

    @property
    def guidelines(self) -> Path:
        """What annotators read first; the study lead fills in its end."""
        return self.path / "guidelines.md"

    @property
    def consent(self) -> Path:
        """What annotators agree to before they begin; the study lead fills it in."""
        return self.path / "consent.md"

    @property
    def start(self) -> Path:
        """A page for each person to begin from."""
        return self.path / "start"

    @property
    def private(self) -> Path:
        return self.path / "private"

    @property
    def study(self) -> Path:
        return self.private / "study.json"

    @property
    def key(self) -> Path:
        return self.private / "key.jsonl"

    @property
    def adjudication_key(self) -> Path:
        """The key of round 2: what the first round left disputed."""
        return self.private / "key_adjudication.jsonl"

    @property
    def raw(self) -> Path:
        """Exports as they came in, without e-mails: one file a project or imported file."""
        return self.private / "raw"

    @property
    def imports(self) -> Path:
        """Which files were imported by hand, import by import."""
        return self.private / "imports.jsonl"

    @property
    def looks(self) -> Path:
        """What each report saw of the claim that the stopping rule is about."""
        return self.private / "looks.jsonl"

    @property
    def people(self) -> Path:
        """Which account of the server is which annotator."""
        return self.private / "people.json"

    @property
    def server(self) -> Path:
        """Projects and task ids on the server that tasks were pushed to."""
        return self.private / "server.json"

    @property
    def participants(self) -> Path:
        """The ids of people on the platform that they come from."""
        return self.private / "participants.json"

    @property
    def payout(self) -> Path:
        """Time, pay and completion codes, person by person."""
        return self.private / "payout.csv"

    @property
    def replacements(self) -> Path:
        """Who took over what from people who left."""
        return self.private / "replacements.jsonl"

    @property
    def withdrawn(self) -> Path:
        """Whose answers are no longer kept."""
        return self.private / "withdrawn.jsonl"

    @property
    def screened(self) -> Path:
        """What the texts hold that strangers should perhaps not read, masked."""
        return self.private / "screened.jsonl"

    @property
    def verdicts(self) -> Path:
        return self.path / "verdicts.jsonl"

    @property
    def set_aside(self) -> Path:
        return self.path / "set_aside.jsonl"

    @property
    def decisions(self) -> Path:
        return self.path / "decisions.jsonl"

    @property
    def preview(self) -> Path:
        """The tasks as pages, to be looked through."""
        return self.path / "preview"

    def sheet(self, annotator: str, round: int = 1) -> Path:
        """The spreadsheet of one annotator, with the tasks of all kinds."""
        end = "" if round == 1 else "-adjudication"
        return self.path / "spreadsheets" / f"{annotator}{end}.csv"

    def tasks(self, annotator: str, kind: Kind, round: int = 1) -> Path:
        """The task file of one annotator and kind. Names of annotators are ours, not theirs."""
        folder = self.path / ("tasks" if round == 1 else "adjudication")
        return folder / annotator / f"{kind}.json"

"""A study while people work on it: its commands, and what its files say.

study = LiveStudy(run)
study.do("import", path)                           # `pairwright human import RUN PATH` succeeds
assert "no such file" in study.refused("import", path)
study.do("import", study.fill("annotator-01"))     # a spreadsheet with that person's answers
"""

import json
import shutil
from pathlib import Path
from typing import Any

from pairwright.lines import read_lines
from pairwright_human_eval.decisions import published
from pairwright_human_eval.folder import HumanFolder, read_study
from pairwright_human_eval.records import Answer, KeyedTask
from released import Answers, right
from sheets import Person, fill
from study import Done, pairwright

_RIGHT = right()


def usual(task: KeyedTask, _: object = None) -> Answers | None:
    """What people answer who verify everything."""
    return _RIGHT(task, None)


def split_votes() -> Person:
    """Answers that have no majority on any pair."""
    seen: dict[str, int] = {}

    def split(task: KeyedTask) -> Answers | None:
        if task.kind != "preference" or task.purpose != "vote":
            return usual(task)
        seen[task.pair] = seen.get(task.pair, -1) + 1
        return {"preference": ("A", "B", "equal")[seen[task.pair] % 3]}

    return split


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file by its path in the folder, but a lock."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


class LiveStudy:
    """A run with its study."""

    def __init__(self, run: Path) -> None:
        self.run, self.folder = run, HumanFolder(run)

    def copy(self, to: Path) -> "LiveStudy":
        return LiveStudy(Path(shutil.copytree(self.run, to)))

    def command(self, name: str, *arguments: object) -> Done:
        return pairwright("human", name, self.run, *arguments)

    def do(self, name: str, *arguments: object) -> str:
        """What a command prints that must succeed, on one line."""
        done = self.command(name, *arguments)
        assert done.code == 0, done.said
        return " ".join(done.out.split())

    def refused(self, name: str, *arguments: object) -> str:
        """Why a command is refused that must be."""
        done = self.command(name, *arguments)
        assert done.code == 2, done.said
        return done.err

    @property
    def key(self) -> dict[str, KeyedTask]:
        return read_study(self.run).key

    def own(self, annotator: str, round: int = 1) -> list[KeyedTask]:
        return [k for k in self.key.values() if (k.annotator, k.round) == (annotator, round)]

    @property
    def answers(self) -> list[Answer]:
        return [*read_lines(self.folder.answers, Answer)]

    @property
    def answered(self) -> set[str]:
        """The tasks with an answer."""
        return {answer.task for answer in self.answers}

    @property
    def set_aside(self) -> list[dict[str, Any]]:
        return [*map(json.loads, self.folder.set_aside.read_text("utf-8").splitlines())]

    def states(self) -> dict[str, str]:
        """What is decided on each unit, without the time that a report takes."""
        study = read_study(self.run)
        public = published(study.fixed, study.rules, study.outlines(), study.answers())
        return {unit: decision.state for unit, decision in public.decisions.items()}

    def files(self) -> dict[str, bytes]:
        """Every file of the study by its path in it."""
        return files_of(self.folder.path)

    def fill(
        self, annotator: str, answer: Person = usual, *, round: int = 1, out: Path | None = None
    ) -> Path:
        """A person's spreadsheet with the answers."""
        return fill(self.folder.sheet(annotator, round), answer, self.key, out)

"""A qualification: attention checks alone, for people who want to take part in a study."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pairwright.construct.folder import RunFolder
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.errors import InputError, on_disk
from pairwright.files import CALLS, write_whole
from pairwright.options import Doc, RunPath
from pairwright.workflows.study import FormLanguage, ToolOfAnnotators, new_study
from pairwright_human_eval.attention import nonreader_pass
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.qualification import checks_in, qualification_tasks
from pairwright_human_eval.records import pseudonyms
from pairwright_human_eval.study_files import write_study
from pairwright_human_eval.tools import SERVER_TOOL, write_sheets


@dataclass(frozen=True, slots=True)
class Qualification:
    """A qualification that was written."""

    folder: Path
    """A folder like a run's, with no pairs: the `human` commands work on it."""
    people: tuple[str, ...]
    """Pseudonyms of the seats."""
    checks: int
    """Tasks of each person."""
    floor: float
    """The share of right answers that passes."""
    nonreader: float
    """The probability that a person who does not read the posts passes."""
    sheets: tuple[Path, ...]


def export_qualification(
    run: RunPath,
    out: Annotated[
        str | Path,
        Doc("Folder of the qualification; it is like a run's.", "DIR", name="--out"),
    ],
    *,
    people: Annotated[int, Doc("How many people may try.", "N", least=1, most=999)] = 20,
    seed: Annotated[int | None, Doc("Not drawn at random: to try it, not to use it.", "N")] = None,
    tool: ToolOfAnnotators = SERVER_TOOL,
    language: FormLanguage = "en",
) -> Qualification:
    """Write a qualification for people who want to take part in a study of the run's pairs.

    Its tasks are attention checks that ship with their answers, and hold none of the run's texts.
    `out` becomes a folder that `human preview`, `serve`, `push`, `import`, `pull`, `start` and
    `people` work on; `human people` says who passed. The floor is that of [human] in
    RUN/config.toml.

    Raises InputError where the run holds no pair, or another study is in `out`.

        >>> made = export_qualification("runs/first", "runs/first-people", people=30)
        >>> made.checks, round(made.nonreader, 3)
        (7, 0.062)
    """
    source, folder = RunFolder(Path(run)), Path(out)
    config = source.settings()
    if next(iterate_pairs(Path(run)), None) is None:
        raise InputError(
            "holds no pair", where=Path(run) / "pairs.jsonl", fix="Build until pairs are kept."
        )
    if (folder / CALLS).exists():
        raise InputError(
            "is a run of its own", where=folder, fix="Give --out a folder that is not there yet."
        )
    human, pairs = HumanFolder(folder), folder / "pairs.jsonl"
    with on_disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source.config, folder / "config.toml")
    write_whole(pairs, "")
    floor, seats = config.human.attention_floor, pseudonyms(people)
    study = new_study(folder, config.human, language, seed).model_copy(
        update={
            "annotators": seats,
            "overlap": 1,
            "mirrored_checks": True,
            "qualification": True,
        }
    )
    tasks = qualification_tasks(seats, checks_in(language), study.seed, floor)
    write_study(human, study, tasks)
    sheets = write_sheets(tool, human)
    number = len(tasks[seats[0]])
    return Qualification(folder, seats, number, floor, nonreader_pass(number, floor), sheets)

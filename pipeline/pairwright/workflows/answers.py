"""Answers to a study's tasks: from exported files or simulated, and how many there are.

What was answered on a server is fetched by `annotation_server.pull_verdicts`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from pairwright.dataset import read_lines
from pairwright.errors import InputError
from pairwright.options import RunPath
from pairwright.progress import Note, Progress, log_notes
from pairwright.workflows.study import OpenStudy, open_study, read_open_study
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.raw_files import import_files, undo_import
from pairwright_human_eval.records import KINDS, Kind
from pairwright_human_eval.simulation import SimulationResult, Traits, simulate


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """The annotations of a study, counted by what became of them."""

    folder: Path
    """RUN/human."""
    annotations: int
    """All of them: verdicts, those set aside, and copies."""
    copies: int
    """The number of answers that are counted."""
    verdicts: Mapping[tuple[Kind, str], int]
    """Counted answers by kind and purpose of the task."""
    set_aside: Mapping[str, int]
    """Annotations that were set aside, by reason."""
    open_tasks: int
    """Tasks without a verdict."""
    future: int
    """Counted answers with a time that is to come: a clock was wrong, or a file was edited."""
    simulated: bool
    """Whether simulated annotators answered, which verifies nothing."""


def count_answers(study: OpenStudy) -> AnswerCounts:
    """Derive verdicts.jsonl and set_aside.jsonl from the raw answers, and count them."""
    answers = study.write_answers()
    answered = {verdict.task for verdict in answers.verdicts}
    # Clocks differ by a day. Simulated answers have times of their own.
    times = [one.updated for one in answers.verdicts if one.updated and not one.simulated]
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    return AnswerCounts(
        folder=study.folder.path,
        annotations=len(answers.verdicts) + len(answers.set_aside) + answers.copies,
        copies=answers.copies,
        verdicts=Counter((verdict.kind, verdict.purpose) for verdict in answers.verdicts),
        set_aside=Counter(answer.reason for answer in answers.set_aside),
        open_tasks=len(study.fixed.key.keys() - answered),
        future=sum(datetime.fromisoformat(time) > tomorrow for time in times),
        simulated=any(verdict.simulated for verdict in answers.verdicts),
    )


@dataclass(frozen=True, slots=True)
class ImportedVerdicts:
    """What became of files that were imported, and the study's answers after that."""

    added: tuple[str, ...]
    """Names of the files that were taken in."""
    repeated: tuple[str, ...]
    """Names of files that hold what an earlier one holds, so that nothing was added."""
    refused: tuple[InputError, ...]
    """Why a file was not taken in. Nothing of it is kept."""
    removed: tuple[str, ...]
    """Names of the files that were taken back."""
    answers: AnswerCounts


def import_verdicts(
    run: RunPath,
    files: Annotated[
        Iterable[Path | str], Argument(help="Exports, or filled-in CSV files.", metavar="FILE")
    ] = (),
    *,
    undo: Annotated[bool, Option("--undo", help="Take back the last import, or FILE.")] = False,
    progress: Progress = log_notes,
) -> ImportedVerdicts:
    """Take in annotations: JSON that was exported from Label Studio, or filled-in spreadsheets.

    Every annotation becomes a verdict or is set aside with its reason. Importing a file again
    changes nothing. A file that cannot be read, or has no task of this study, is named and not
    kept, and the others are taken in (exit code 1).

    --undo removes what the last import added to RUN/human/private/raw, or the named files, and
    derives verdicts.jsonl and set_aside.jsonl from what is left. The decisions and the report stay
    as they are until `human report` runs again; tasks of a second round stay.

    Raises InputError where there is no study, where simulated answers are in it, where no file at
    all can be taken in, and for a name to undo that no imported file or several have.

        >>> taken = import_verdicts("runs/first", ["project-1.json", "project-2.json"])
        >>> taken.answers.open_tasks, taken.answers.set_aside
        (0, Counter())

    Examples::

        pairwright human import runs/first project-1.json project-2.json
        pairwright human import runs/first annotator-01.csv annotator-02.csv
        pairwright human import runs/first --undo
        pairwright human import runs/first --undo project-2.json
    """
    paths = [Path(file) for file in files]
    with open_study(Path(run)) as study:
        if undo:
            removed = undo_import(study.folder, [path.name for path in paths])
            return ImportedVerdicts((), (), (), removed, count_answers(study))
        if not any(path.exists() for path in paths):
            what = "no such file" if paths else "no file is named"
            raise InputError(
                what, where=paths[0] if paths else "FILE", fix="Name the exported files."
            )
        key = study.fixed.key
        added, repeated, refused = import_files(paths, study.folder, key, study.fixed.study)
        nothing = not added and not repeated
        for error in refused[: -1 if nothing else None]:
            progress(Note(str(error)))
        if nothing:
            raise refused[-1]
        answers = count_answers(study)
        return ImportedVerdicts(tuple(added), tuple(repeated), tuple(refused), (), answers)


def simulate_verdicts(
    run: RunPath,
    *,
    accuracy: Annotated[float, Option(help="Share of right answers, 0.5 to 1.")] = 0.9,
    bias: Annotated[float, Option(help="Lean of guesses to A, 0 to 1.", min=0, max=1)] = 0.0,
    careless: Annotated[float, Option(help="Share of random annotators.", min=0, max=1)] = 0.0,
    cannot_tell: Annotated[float, Option(help="Share of `cannot tell`.", min=0, max=1)] = 0.05,
    seed: Annotated[int, Option(help="Another seed, other answers.", metavar="N")] = 0,
) -> tuple[SimulationResult, AnswerCounts]:
    """Answer every open task with simulated annotators, by the same import as people's answers.

    For trying out, and for checking the statistics against a known truth. Everything that comes of
    it is marked as simulated and verifies nothing. A study with people's answers refuses it.

    A task that has an answer keeps it: after `human adjudicate` only the second round is answered.
    To answer again with other options, move RUN/human/private/raw/simulated-*.json away first.

    Raises InputError where there is no study, or people have answered in it.

    Examples::

        pairwright human simulate runs/first
        pairwright human simulate runs/first --accuracy 0.7 --bias 0.3 --careless 0.2
    """
    traits = Traits(
        accuracy=accuracy, first_bias=bias, careless=careless, cannot_tell=cannot_tell, seed=seed
    )
    with open_study(Path(run)) as study:
        done = simulate(study.folder, study.fixed.key, study.fixed.study, traits)
        return done, count_answers(study)


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """How far one annotator is with one kind of task."""

    annotator: str
    kind: Kind
    round: int
    """2 for adjudication."""
    tasks: int
    answered: int
    skipped: int | None = None
    """Skips on the server; None where the counts are of imported answers."""
    deleted: int | None = None
    """Tasks that were deleted on the server; None as above."""


def study_progress(run: str | Path) -> tuple[AnnotatorProgress, ...]:
    """Count the tasks that each annotator has answered, of those imported or pulled.

    Raises InputError where there is no study.
    """
    study = read_open_study(Path(run))
    assigned = Counter((k.annotator, k.round, k.kind) for k in study.fixed.key.values())
    answered = Counter((v.annotator, v.round, v.kind) for v in study.answers().verdicts)
    order = sorted(assigned, key=lambda part: (*part[:2], KINDS.index(part[2])))
    return tuple(
        AnnotatorProgress(who, kind, round, assigned[who, round, kind], answered[who, round, kind])
        for who, round, kind in order
    )


def last_decisions(run: str | Path) -> tuple[Decision, ...]:
    """The decisions of the last report; empty where nothing was reported yet.

    Raises InputError where decisions.jsonl cannot be read.
    """
    path = HumanFolder(Path(run)).decisions
    return tuple(read_lines(path, Decision)) if path.exists() else ()

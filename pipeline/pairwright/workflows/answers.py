"""Answers to a study's tasks: from exported files or simulated, and how many there are.

What was answered on a server is fetched by `annotation_server.pull_verdicts`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from pairwright.dataset import read_lines
from pairwright.errors import InputError
from pairwright.options import RunPath
from pairwright.progress import Note, Progress, log_notes
from pairwright.workflows.study import OpenStudy, open_study, read_open_study
from pairwright_human_eval.answers import import_raw
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import KINDS, Kind
from pairwright_human_eval.simulation import SimulationResult, Traits, simulate

if TYPE_CHECKING:
    from pairwright_human_eval.decisions import Decision


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """The annotations of a study, counted by what became of them."""

    folder: Path
    """RUN/human."""
    annotations: int
    """All of them: tasks answered, those set aside, and copies."""
    copies: int
    """The number of answers that are counted."""
    answered: Mapping[tuple[Kind, str], int]
    """Tasks with an answer, by their kind and purpose."""
    set_aside: Mapping[str, int]
    """Annotations that were set aside, by reason."""
    open_tasks: int
    """Tasks without an answer."""
    future: int
    """Counted answers with a time that is to come: a clock was wrong, or a file was edited."""
    simulated: bool
    """Whether simulated annotators answered, which verifies nothing."""


def count_answers(study: OpenStudy) -> AnswerCounts:
    """Make answers.jsonl and set_aside.jsonl from the raw files, and count."""
    found, key = study.write_answers(), study.fixed.key
    # Clocks differ by a day. Simulated answers have times of their own.
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    late = {
        one.task for one in found.answers if one.at and datetime.fromisoformat(one.at) > tomorrow
    }
    return AnswerCounts(
        folder=study.folder.path,
        annotations=len(found.tasks) + len(found.set_aside) + found.copies,
        copies=found.copies,
        answered=Counter((key[task].kind, key[task].purpose) for task in found.tasks),
        set_aside=Counter(answer.reason for answer in found.set_aside),
        open_tasks=len(key.keys() - found.tasks),
        future=len(late),
        simulated=found.simulated,
    )


@dataclass(frozen=True, slots=True)
class ImportedAnswers:
    """What became of files that were imported, and the study's answers after that."""

    added: tuple[str, ...]
    """Names of the files that were taken in."""
    repeated: tuple[str, ...]
    """Names of files that hold what an earlier one holds, so that nothing was added."""
    refused: tuple[InputError, ...]
    """Why a file was not taken in. Nothing of it is kept."""
    answers: AnswerCounts


def import_verdicts(
    run: RunPath,
    files: Annotated[
        Iterable[Path | str], Argument(help="Exports, or filled-in CSV files.", metavar="FILE")
    ] = (),
    *,
    progress: Progress = log_notes,
) -> ImportedAnswers:
    """Take in annotations: JSON that was exported from Label Studio, or filled-in spreadsheets.

    Every annotation is an answer or set aside with its reason. Importing a file again changes
    nothing. A file that cannot be read, or has no task of this study, is named and not kept, and
    the others are taken in (exit code 1).

    Without a file, answers.jsonl and set_aside.jsonl are made again from RUN/human/private/raw: to
    take an import back, delete its file there first. The decisions and the report stay as they are
    until `human report` runs again; tasks of a second round stay.

    Raises InputError if there is no study, if simulated answers are in it, or if no file at all can
    be taken in.

        >>> taken = import_verdicts("runs/first", ["project-1.json", "project-2.json"])
        >>> taken.answers.open_tasks, taken.answers.set_aside
        (0, Counter())

    Examples::

        pairwright human import runs/first project-1.json project-2.json
        pairwright human import runs/first annotator-01.csv annotator-02.csv
        pairwright human import runs/first
    """
    paths = [Path(file) for file in files]
    with open_study(Path(run)) as study:
        taken = import_raw(paths, study.folder, study.fixed)
        nothing = bool(taken.refused) and not taken.added and not taken.repeated
        for error in taken.refused[: -1 if nothing else None]:
            progress(Note(str(error)))
        if nothing:
            raise taken.refused[-1]
        return ImportedAnswers(*taken, count_answers(study))


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
        done = simulate(study.folder, study.fixed, traits)
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
    done = {answer.task for answer in study.answers()}
    answered = Counter(
        (k.annotator, k.round, k.kind) for k in study.fixed.key.values() if k.task in done
    )
    order = sorted(assigned, key=lambda part: (*part[:2], KINDS.index(part[2])))
    return tuple(
        AnnotatorProgress(who, kind, round, assigned[who, round, kind], answered[who, round, kind])
        for who, round, kind in order
    )


def last_decisions(run: str | Path) -> tuple["Decision", ...]:
    """The decisions of the last report; empty if nothing was reported yet.

    Raises InputError if decisions.jsonl cannot be read.
    """
    from pairwright_human_eval.decisions import Decision

    path = HumanFolder(Path(run)).decisions
    return tuple(read_lines(path, Decision)) if path.exists() else ()

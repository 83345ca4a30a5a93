"""A study while people work on it: tasks to a Label Studio server, answers from it, and how far
everybody is."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from typer import Option

from pairwright.errors import InputError
from pairwright.lines import read_lines
from pairwright.modes import MODES
from pairwright.options import RunPath
from pairwright.progress import Note, Progress, Step, log_notes
from pairwright_human_eval.answers import Answered, check_unmixed
from pairwright_human_eval.folder import HumanFolder, withdrawn_people
from pairwright_human_eval.projects import (
    PushResult,
    fetch_annotations,
    labelling_links,
    pushed_state,
    send_tasks,
    task_progress,
)
from pairwright_human_eval.records import KINDS, Kind
from pairwright_human_eval.server import LabelStudioClient
from pairwright_human_eval.study import open_study, read_open_study

if TYPE_CHECKING:
    from pairwright_human_eval.decisions import Decision

KEY_VARIABLE = "LABEL_STUDIO_API_KEY"
ServerOfStudy: TypeAlias = Annotated[
    str | None, Option(help="The server, if not where tasks were pushed to.", metavar="URL")
]


def _client(url: str) -> LabelStudioClient:
    """A client of a server, whose key is taken from the environment, so that no shell history holds
    it. Raises InputError where it is not set, and where the server refuses it."""
    key = os.environ.get(KEY_VARIABLE, "")
    if not key:
        raise InputError(
            "not set",
            where=f"${KEY_VARIABLE}",
            fix="Put a personal access token or a legacy token of the server's account into it.",
        )
    return LabelStudioClient(url, key)


def push_tasks(
    run: RunPath,
    url: Annotated[str, Option(help="Where the Label Studio server is.", metavar="URL")],
    *,
    round: Annotated[int, Option(help="2 for the adjudication.", metavar="N", min=1, max=2)] = 1,
    progress: Progress = log_notes,
) -> tuple[PushResult, Mapping[str, Mapping[Kind, str]]]:
    """Make one project for each annotator and kind on a Label Studio server, and import the tasks.

    Safe to repeat and to interrupt: no task is imported twice. The key is read from
    LABEL_STUDIO_API_KEY: a personal access token or a legacy token. Needs the extra [label-studio].

    Raises InputError where there is no study, simulated answers are in it, or the server is another
    one or refuses. Returns what was done, and the links under which people label.

    Examples::

        pairwright human push runs/first --url http://127.0.0.1:8080
    """
    with open_study(Path(run)) as study:
        # With simulated answers in the study, people's answers could not be taken in later.
        check_unmixed(study.folder, simulated=False)
        answers = study.write_answers()
        skipped = {aside.task for aside in answers.set_aside if aside.reason == "skipped"}
        away = withdrawn_people(study.folder)
        with _client(url) as server:
            pushed = send_tasks(
                server,
                study.folder,
                study.fixed.study,
                [keyed for keyed in study.fixed.key.values() if keyed.annotator not in away],
                round=round,
                answered=answers.tasks | skipped,
                progress=lambda done, total: progress(Step("importing tasks", done, total)),
            )
        return pushed, labelling_links(study.folder, round)


def pull_answers(
    run: RunPath, *, url: ServerOfStudy = None, progress: Progress = log_notes
) -> Answered:
    """Fetch what is annotated from the Label Studio server that tasks were pushed to.

    Safe to repeat and to interrupt. The key is read from LABEL_STUDIO_API_KEY.

    Raises InputError where there is no study, or the server is another one or refuses.

    Examples::

        pairwright human pull runs/first
    """
    with open_study(Path(run)) as study:
        check_unmixed(study.folder, simulated=False)
        with _client(url or pushed_state(study.folder).url) as server:
            pulled = fetch_annotations(
                server,
                study.folder,
                study.fixed.study,
                progress=lambda done, total: progress(Step("fetching projects", done, total)),
            )
        for title in pulled.missing:
            progress(
                Note(
                    f"The project `{title}` is not on the server any more: what was pulled of it"
                    " before stays. If it was renamed there, give it back its name."
                )
            )
        for title in pulled.other_form:
            progress(
                Note(
                    f"The form of the project `{title}` was changed on the server, so nothing of it"
                    " was taken. Put the exported labeling_config file back in its settings."
                )
            )
        for title, tasks in pulled.gone.items():
            deleted = "1 task was" if len(tasks) == 1 else f"{len(tasks):,} tasks were"
            progress(
                Note(
                    f"{deleted} deleted on the server in {title}, such as {tasks[0]}: a push does"
                    " not bring them back."
                )
            )
        return study.write_answers()


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


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """How far a study is."""

    on_server: bool
    """Whether the lines are of the server; else of what was imported or pulled."""
    lines: tuple[AnnotatorProgress, ...]
    states: Mapping[tuple[str, str], int]
    """Decisions of the last report, by state and by what is decided."""
    reasons: Mapping[tuple[str, str], int]
    """The same by state and by each reason for it."""


def study_status(run: RunPath, *, url: ServerOfStudy = None) -> StudyStatus:
    """Show how many tasks each annotator has answered, and what the last report decided.

    Asks the server that tasks were pushed to, if LABEL_STUDIO_API_KEY is set; otherwise it counts
    what was imported or pulled.

    Examples::

        pairwright human status runs/first
    """
    pushed = HumanFolder(Path(run)).server.exists()
    on_server = url is not None or (pushed and bool(os.environ.get(KEY_VARIABLE)))
    decisions = last_decisions(run)
    return StudyStatus(
        on_server=on_server,
        lines=server_progress(run, url=url) if on_server else study_progress(run),
        states=Counter((one.state, units_of(one.unit)) for one in decisions),
        reasons=Counter((one.state, why) for one in decisions for why in one.reasons),
    )


def units_of(unit: str) -> str:
    """What units such as this one are called."""
    mode = unit.partition("-")[0]
    return MODES[mode].units if mode in MODES else "single pairs"


def server_progress(run: str | Path, *, url: str | None = None) -> tuple[AnnotatorProgress, ...]:
    """Count the tasks that each annotator has answered on the server they were pushed to.

    $LABEL_STUDIO_API_KEY is an access token of the server's account. Needs the extra
    [label-studio]. Raises InputError where there is no study, or the server is another one or
    refuses.
    """
    folder = read_open_study(Path(run)).folder
    with _client(url or pushed_state(folder).url) as server:
        return tuple(
            AnnotatorProgress(
                annotator=pushed.annotator,
                kind=pushed.kind,
                round=pushed.round,
                tasks=len(pushed.tasks),
                answered=there.done if there else 0,
                skipped=there.skipped if there else 0,
                deleted=len(pushed.tasks) - (there.tasks if there else 0),
            )
            for pushed, there in task_progress(server, folder)
        )


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

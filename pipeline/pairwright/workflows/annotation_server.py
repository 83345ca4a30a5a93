"""A study on a Label Studio server: tasks to it, answers from it, how far annotators are, and a
server of one's own.

All that the workflows know of Label Studio's API is here.
"""

import importlib.util
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, TypeAlias

from pairwright.dataset import write_one
from pairwright.errors import InputError
from pairwright.extras import install
from pairwright.options import Doc, RunPath
from pairwright.text import number_of
from pairwright.workflows.answers import AnnotatorProgress, AnswerCounts, count_answers
from pairwright.workflows.progress import Note, Progress, Step, log_notes
from pairwright.workflows.study import OpenStudy, open_study
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.client import LabelStudioClient
from pairwright_human_eval.label_studio.projects import (
    PushResult,
    fetch_annotations,
    labelling_links,
    pushed_state,
    send_tasks,
    task_progress,
)
from pairwright_human_eval.label_studio.server import LabelStudioServer, ServerAccount, prepare
from pairwright_human_eval.own_choices import is_due
from pairwright_human_eval.raw_files import check_unmixed
from pairwright_human_eval.study_files import read_own, withdrawn_people

Links = Mapping[str, Mapping[str, str]]
"""By annotator: the link of each kind of task, in the order of the work."""

KEY_VARIABLE = "LABEL_STUDIO_API_KEY"
ServerOfStudy: TypeAlias = Annotated[
    str | None, Doc("The server, if not where tasks were pushed to.", "URL")
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
    url: Annotated[str, Doc("Where the Label Studio server is.", "URL", name="--url")],
    *,
    round: Annotated[
        int,
        Doc(
            "2 for the adjudication of what was disputed; 3 for pairs of people's own posts, and"
            " 4 for these once more.",
            least=1,
            most=4,
        ),
    ] = 1,
    progress: Progress = log_notes,
) -> tuple[PushResult, Links]:
    """Make one project for each annotator and kind on a Label Studio server, and import the tasks.

    What was done, and the links under which people label, by person and kind. $LABEL_STUDIO_API_KEY
    is an access token of the server's account. Needs the extra [label-studio]. May be repeated and
    interrupted: no task is imported twice.

    Raises InputError where there is no study, simulated answers are in it, or the server is another
    one or refuses.

        >>> push_tasks("runs/first", "http://127.0.0.1:8080")[0].imported
        240
    """
    with open_study(Path(run)) as study:
        # With simulated answers in the study, people's answers could not be taken in later.
        check_unmixed(study.folder, simulated=False)
        if not is_due(study.folder, round, date.today()):
            raise InputError(
                f"nobody is asked again before {read_own(study.folder).later}",
                where="--round",
                fix="Come back on that day: soon after, people would remember what they said.",
            )
        with _client(url) as server:
            pushed = _send(study, server, round, "importing tasks", progress)
        people = {keyed.annotator for keyed in study.fixed.key.values() if keyed.round == round}
        links = {
            who: kinds for who, kinds in labelling_links(study.folder).items() if who in people
        }
        return pushed, links


def _send(
    study: OpenStudy, server: LabelStudioClient, round: int, what: str, progress: Progress
) -> PushResult:
    answers = study.answers()
    skipped = {aside.task for aside in answers.set_aside if aside.reason == "skipped"}
    away = withdrawn_people(study.folder)
    return send_tasks(
        server,
        study.folder,
        study.fixed.study,
        [keyed for keyed in study.fixed.key.values() if keyed.annotator not in away],
        round=round,
        answered={verdict.task for verdict in answers.verdicts} | set(filter(None, skipped)),
        progress=lambda done, total: progress(Step(what, done, total)),
    )


def drop_projects(folder: HumanFolder, person: str) -> None:
    """Leave the projects of a person who has withdrawn: nothing is sent to them or fetched from
    them any more, and the study lead deletes them on the server."""
    state = pushed_state(folder)
    left = tuple(project for project in state.projects if project.annotator != person)
    write_one(folder.server, state.model_copy(update={"projects": left}))


def pull_verdicts(
    run: RunPath, *, url: ServerOfStudy = None, progress: Progress = log_notes
) -> AnswerCounts:
    """Fetch what is annotated from the Label Studio server that tasks were pushed to, and count it.

    $LABEL_STUDIO_API_KEY is an access token of the server's account. Needs the extra
    [label-studio]. May be repeated and interrupted.

    Raises InputError where there is no study, or the server is another one or refuses.

        >>> pull_verdicts("runs/first").open_tasks
        12
    """
    with open_study(Path(run)) as study:
        with _client(url or pushed_state(study.folder).url) as server:
            pulled = fetch_annotations(
                server,
                study.folder,
                progress=lambda done, total: progress(Step("fetching projects", done, total)),
            )
        for title in pulled.missing:
            progress(
                Note(
                    f"The project `{title}` is not on the server any more: what was pulled of it"
                    " before stays. If it was renamed there, give it back its name."
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
        return count_answers(study)


def was_pushed(run: str | Path) -> bool:
    """Whether a run's tasks were pushed to a server."""
    return HumanFolder(Path(run)).server.exists()


def server_progress(run: str | Path, *, url: str | None = None) -> tuple[AnnotatorProgress, ...]:
    """Count the tasks that each annotator has answered on the server they were pushed to.

    $LABEL_STUDIO_API_KEY is an access token of the server's account. Needs the extra
    [label-studio]. Raises InputError where there is no study, or the server is another one or
    refuses.
    """
    with (
        open_study(Path(run)) as study,
        _client(url or pushed_state(study.folder).url) as server,
    ):
        progress = task_progress(server, study.folder)
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
            for pushed, there in progress
        )


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A Label Studio with a study in it, on this machine."""

    server: LabelStudioServer
    accounts: Mapping[str, ServerAccount]
    """The accounts by annotator."""
    links: Links

    def wait(self) -> None:
        """Wait until the server ends by itself, which it should not. Raises InputError then."""
        code = self.server.wait()
        raise InputError(
            f"Label Studio ended with {code}",
            where=self.server.log,
            fix="Its log says why; start it again.",
        )


@contextmanager
def serve_study(
    run: str | Path, cache: Path, port: int = 8080, *, progress: Progress = log_notes
) -> Iterator[RunningServer]:
    """Run a Label Studio with the study in it, with an account for each annotator, until the block
    ends.

    It is installed once, below the folder `cache`, into an environment of its own (about 1 GB).
    Port 0 takes a free one. It listens on this machine only. What people answered is kept in
    RUN/human/private/label-studio. Needs the extra [label-studio]. Inside the block the study is
    free for other work, such as pulling answers.

    Raises InputError where there is no study, simulated answers are in it, or the server does not
    start.

        >>> with serve_study("runs/first", Path.home() / ".cache/pairwright") as running:
        ...     print(running.links)
    """
    with open_study(Path(run)) as study:
        check_unmixed(study.folder, simulated=False)
        if importlib.util.find_spec("label_studio_sdk") is None:
            raise InputError(
                "label-studio-sdk is not installed, so no task could be loaded",
                where="human serve",
                fix=f"Run {install('label-studio')}.",
            )
        progress(Step("preparing Label Studio"))
        environment = prepare(cache, lambda what: progress(Step(what)))
        progress(Step("starting Label Studio"))
        with LabelStudioServer(environment, study.folder.private / "label-studio", port) as server:
            people = sorted({keyed.annotator for keyed in study.fixed.key.values()})
            progress(Step(f"making accounts for {number_of(len(people), 'person', 'people')}"))
            accounts = server.team(people)
            with LabelStudioClient(server.url, server.account.token) as api:
                for round in sorted({keyed.round for keyed in study.fixed.key.values()}):
                    if is_due(study.folder, round, date.today()):
                        _send(study, api, round, "loading tasks", progress)
            links = labelling_links(study.folder)
            if study.lock:
                study.lock.close()  # Answers are pulled while the server runs.
            yield RunningServer(server, accounts, links)

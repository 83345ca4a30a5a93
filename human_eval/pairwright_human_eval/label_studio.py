"""A study on a Label Studio server: tasks to it, each exactly once, and annotations from it.

`human/private/server.json` names the projects, one for each annotator and kind. Each is written
down before its tasks are sent, and again once all of them are there.
"""

import os
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Annotated, NamedTuple
from xml.etree import ElementTree

from typer import Option

from pairwright.errors import InputError
from pairwright.lines import write_one
from pairwright.options import RunPath
from pairwright.progress import Note, Progress, Step, log_notes
from pairwright.records import Record
from pairwright_human_eval.answers import Answered, check_unmixed, store_raw, without_withdrawn
from pairwright_human_eval.folder import (
    RESTORE,
    FixedStudy,
    HumanFolder,
    read_task_file,
    record_in,
    withdrawn_people,
)
from pairwright_human_eval.records import KINDS, Data, Kind, Study, digest
from pairwright_human_eval.server import LabelStudioClient
from pairwright_human_eval.study import open_study

KEY_VARIABLE = "LABEL_STUDIO_API_KEY"


class PushedProject(Record):
    """One annotator's tasks of one kind."""

    id: int
    title: str
    annotator: str
    kind: Kind
    round: int
    tasks: tuple[str, ...] = ()
    """None while it is not known whether all of them are there."""


class ServerState(Record):
    """What was pushed, and where to."""

    url: str
    projects: tuple[PushedProject, ...] = ()

    def links(self, round: int) -> dict[str, list[tuple[Kind, str]]]:
        """By annotator, in the order of the work: kinds of tasks and where to label them, one after
        the other. The list of tasks (without `labeling=1`) would show what else there is."""
        links: dict[str, list[tuple[Kind, str]]] = {}
        order = sorted(self.projects, key=lambda one: (one.annotator, KINDS.index(one.kind)))
        for one in (one for one in order if one.round == round):
            link = f"{self.url}/projects/{one.id}/data?labeling=1"
            links.setdefault(one.annotator, []).append((one.kind, link))
        return links


def pushed_state(folder: HumanFolder) -> ServerState:
    """What was pushed; raises InputError where nothing was."""
    state = record_in(folder.server, ServerState)
    if state is None:
        fix = "`pairwright human push` first, or `import` files exported by hand."
        raise InputError("no task was pushed to a server yet", where=folder.server, fix=fix)
    return state


def titles_of(study: Study) -> str:
    """What the titles of a study's projects begin with: no other study has it."""
    return "Study " + digest(study.model_dump(mode="json")).removeprefix("sha256:")[:8]


def _client(url: str) -> LabelStudioClient:
    """A client of a server, whose key is taken from the environment, so that no shell history holds
    it. Raises InputError where it is not set."""
    key = os.environ.get(KEY_VARIABLE, "")
    if not key:
        fix = "Put a personal access token or a legacy token of the server's account into it."
        raise InputError("not set", where=f"${KEY_VARIABLE}", fix=fix)
    return LabelStudioClient(url, key)


# Out


class PushResult(NamedTuple):
    """What a push did."""

    created: int
    """Projects."""
    imported: int
    already: int
    """Tasks that were there before."""
    links: Mapping[str, list[tuple[Kind, str]]]
    """By annotator, in the order of the work: kinds of tasks and where to label them."""


def push_tasks(
    run: RunPath,
    url: Annotated[str, Option(help="Where the Label Studio server is.", metavar="URL")],
    *,
    round: Annotated[int, Option(help="2 for the adjudication.", metavar="N", min=1, max=2)] = 1,
    progress: Progress = log_notes,
) -> PushResult:
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
        done = answers.tasks | skipped
        with _client(url) as server:
            return send_tasks(
                server, study.folder, study.fixed, round=round, answered=done, progress=progress
            )


def send_tasks(
    server: LabelStudioClient,
    folder: HumanFolder,
    fixed: FixedStudy,
    *,
    round: int = 1,
    answered: Set[str] = frozenset(),
    progress: Progress = log_notes,
) -> PushResult:
    """Import all tasks of a round that were not pushed before, but those of withdrawn people.

    What is `answered` and not on the server, because its project was deleted, is not asked again.
    Raises InputError where a task file is not as exported, and where tasks were pushed to another
    server.
    """
    state = record_in(folder.server, ServerState) or ServerState(url=server.url)
    if state.url != server.url:
        raise InputError(
            f"the tasks were pushed to {state.url}",
            where=folder.server,
            fix="Push there. If that server has a new address, write it into this file. To begin"
            " on another server, move the file away: what is answered is not asked again.",
        )
    loads, titles = _loads(folder, fixed, round), titles_of(fixed.study)
    done = [project for project in state.projects if project.tasks]
    _delete_cut_off(server, state, titles)
    there = {task for project in done for task in project.tasks}
    before, imported = len(done), 0

    def write(*more: PushedProject) -> ServerState:
        state = ServerState(url=server.url, projects=(*done, *more))
        write_one(folder.server, state)
        return state

    for n, ((annotator, kind), tasks) in enumerate(loads.items()):
        progress(Step("making projects", n, len(loads)))
        new = {name: data for name, data in tasks.items() if name not in there | answered}
        if new:
            title = f"{titles} {annotator} {kind}{'' if round == 1 else ' 2'}"
            id = server.create(title, folder.form(kind).read_text(encoding="utf-8"))
            about = {"id": id, "title": title, "annotator": annotator, "kind": kind, "round": round}
            write(PushedProject.model_validate(about))
            server.add(id, list(new.values()))
            done.append(PushedProject.model_validate({**about, "tasks": tuple(new)}))
            write()
            imported += len(new)
    already = sum(len(tasks.keys() & there) for tasks in loads.values())
    return PushResult(len(done) - before, imported, already, write().links(round))


def _delete_cut_off(server: LabelStudioClient, state: ServerState, titles: str) -> None:
    """Delete the project whose import was cut off, with what of it may have arrived. Raises
    InputError where somebody has answered there."""
    cut = {project.id for project in state.projects if not project.tasks}
    for id, found in server.projects(titles).items() if cut else ():
        if id in cut and found.annotated:
            what = f"the import into `{found.title}` was cut off, and people have answered there"
            fix = "Delete the project on the server, and push again."
            raise InputError(what, where=f"{server.url} [project {id}]", fix=fix)
        if id in cut:
            server.delete(id)


def _loads(
    folder: HumanFolder, fixed: FixedStudy, round: int
) -> dict[tuple[str, Kind], dict[str, Data]]:
    """The round's tasks by annotator and kind, in the order of the work. Raises InputError where
    a task file is not as the key has it."""
    away = withdrawn_people(folder)
    rows: dict[tuple[str, Kind], dict[str, str]] = {}
    for row in fixed.key.values():
        if row.round == round and row.annotator not in away:
            rows.setdefault((row.annotator, row.kind), {})[row.task] = row.data_hash
    loads = {}
    for load in sorted(rows, key=lambda load: (load[0], KINDS.index(load[1]))):
        path, expected = folder.tasks(*load, round), rows[load]
        tasks = read_task_file(path) if path.exists() else {}
        hashes = {name: digest(data) for name, data in tasks.items()}
        if changed := {name for name, _ in hashes.items() ^ expected.items()}:
            what = f"{len(changed)} tasks are not as exported, such as {min(changed)}"
            raise InputError(what, where=path, fix=RESTORE)
        loads[load] = tasks
    return loads


# In


def pull_answers(run: RunPath, *, progress: Progress = log_notes) -> Answered:
    """Fetch what is annotated from the Label Studio server that tasks were pushed to.

    Safe to repeat and to interrupt. The key is read from LABEL_STUDIO_API_KEY.

    Raises InputError where there is no study, or the server is another one or refuses.

    Examples::

        pairwright human pull runs/first
    """
    with open_study(Path(run)) as study:
        check_unmixed(study.folder, simulated=False)
        with _client(pushed_state(study.folder).url) as server:
            fetch_annotations(server, study.folder, study.fixed.study, progress=progress)
        return study.write_answers()


def fetch_annotations(
    server: LabelStudioClient, folder: HumanFolder, study: Study, *, progress: Progress = log_notes
) -> None:
    """Fetch every project that was pushed, each into one raw file, and note what is odd there.

    Counts do not show whether an answer was changed, so every project is fetched again; the
    time it takes follows the number of annotated tasks.
    """
    away, listed = withdrawn_people(folder), server.projects(titles_of(study))
    projects = [one for one in pushed_state(folder).projects if one.annotator not in away]
    if not any(project.id in listed for project in projects):
        raise InputError(
            f"no project of this study is on the server at {server.url}",
            where=folder.server,
            fix="Start the server that the tasks were pushed to. If they were deleted for good,"
            " move this file away and push again: what is answered is not asked again.",
        )
    for n, project in enumerate(projects, start=1):
        found, form = listed.get(project.id), folder.form(project.kind)
        if found is None:
            what = "is not on the server any more: what was pulled of it before stays."
        elif not same_form(found.config, form.read_text(encoding="utf-8")):
            what = f"has another form than {form.name}, so nothing of it was taken: put that back."
        else:
            content = without_withdrawn(server.export(project.id), folder) or b"[]"
            store_raw(folder, f"project-{project.id}", content)
            gone = len(project.tasks) - found.tasks
            what = f"lacks {gone:,} tasks, deleted there; a push does not bring them back."
            what = what if gone > 0 else ""
        if what:
            progress(Note(f"The project `{project.title}` {what}"))
        progress(Step("fetching projects", n, len(projects)))


def same_form(config: str, exported: str) -> bool:
    """Whether two labelling configurations are the same XML, however it is laid out."""
    try:
        one, other = (ElementTree.canonicalize(xml, strip_text=True) for xml in (config, exported))
    except ElementTree.ParseError:
        return False
    return one == other

"""Tasks to the server: one project an annotator and kind, every task exactly once."""

import time
from collections.abc import Callable, Iterable, Set
from itertools import islice
from typing import NamedTuple

from pairwright.errors import InputError
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.client import LabelStudioClient, Project, ServerTask
from pairwright_human_eval.label_studio.files import config_hash, form_path, read_task_file
from pairwright_human_eval.label_studio.projects import (
    PendingImport,
    PushedProject,
    ServerState,
    check_same_server,
    new_state,
    part_of_titles,
    read_state,
    write_state,
)
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind, Study, digest

CHUNK = 1000
"""Tasks in a request: a second or two of the server's time."""
SETTLE_S = 10.0
"""How long a request that was cut off may still be at work on the server."""

Progress = Callable[[int, int], None]
"""It is called with how many are done, and of how many."""


class PushResult(NamedTuple):
    """What a push did."""

    projects: int
    created: int
    imported: int
    already: int
    """Tasks that were there before."""
    removed: int
    """Second copies that an interruption had left there, which nobody had answered."""


class _ProjectTasks(NamedTuple):
    """One annotator's tasks of one kind, as they are to be on the server."""

    title: str
    annotator: str
    kind: Kind
    round: int
    config: str
    tasks: dict[str, Data]


def send_tasks(
    server: LabelStudioClient,
    folder: HumanFolder,
    study: Study,
    key: Iterable[KeyedTask],
    *,
    round: int = 1,
    chunk: int = CHUNK,
    answered: Set[str] = frozenset(),
    progress: Progress = lambda *_: None,
) -> PushResult:
    """Import all tasks of a round that the server does not have yet, and remember their ids.

    What is `answered` and no longer there, because its project was deleted, is not asked again. May
    be repeated and interrupted at any time. Raises InputError where a task file is not as
    exported, and where the server is another one than before.
    """
    state = read_state(folder) or new_state(server.url, study)
    there = server.projects(part_of_titles(state))
    check_same_server(state, server.url, there, folder)
    if state.url != server.url:
        state = state.model_copy(update={"url": server.url})
        write_state(folder, state)
    loads = _loads(folder, state.study, key, round)
    done = created = imported = already = removed = 0
    total = sum(len(load.tasks) for load in loads)
    for load in loads:
        project = _project(state, there, load)
        if project is None and load.tasks.keys() <= answered:
            done += len(load.tasks)
            continue
        if project is None:
            project = _fresh(load, server.create(load.title, load.config))
            created += 1
        doubtful = project.sending is not None
        if doubtful:
            project, copies = _settle(server, project, load)
            removed += copies
            state = _written(folder, state, project)
        # A project may hold tasks that were handed over to somebody else since.
        there_before = sum(name in load.tasks for name in project.tasks)
        already += there_before
        done += there_before
        progress(done, total)
        missing = [name for name in load.tasks if name not in project.tasks.keys() | answered]
        done += len(load.tasks) - there_before - len(missing)
        if missing and project.id in there:
            _check_config(there[project.id], load, server.url)
        for names in _batches(missing, chunk):
            newest = max(project.tasks.values(), default=0)
            sending = PendingImport(since=time.time(), after=newest)
            state = _written(folder, state, project.model_copy(update={"sending": sending}))
            ids = server.add(project.id, [load.tasks[name] for name in names])
            bound = project.tasks | dict(zip(names, ids, strict=True))
            project = project.model_copy(update={"tasks": bound})
            state = _written(folder, state, project)
            done += len(names)
            imported += len(names)
            progress(done, total)
        if doubtful and missing:
            removed += _remove_copies(server, project, server.held(project.id))
    return PushResult(len(state.projects), created, imported, already, removed)


def _loads(
    folder: HumanFolder, study: str, key: Iterable[KeyedTask], round: int
) -> list[_ProjectTasks]:
    """The round's task files, each compared with the key."""
    rows: dict[tuple[str, Kind], dict[str, KeyedTask]] = {}
    for row in key:
        if row.round == round:
            rows.setdefault((row.annotator, row.kind), {})[row.task] = row
    loads = []
    for annotator, kind in sorted(rows, key=lambda load: (load[0], KINDS.index(load[1]))):
        again = "" if round == 1 else f" {round}"
        title = f"Study {study} {annotator} {kind}{again}"
        config = form_path(folder, kind, round).read_text(encoding="utf-8")
        tasks = _tasks(folder, annotator, kind, round, rows[annotator, kind])
        loads.append(_ProjectTasks(title, annotator, kind, round, config, tasks))
    return loads


def _tasks(
    folder: HumanFolder, annotator: str, kind: Kind, round: int, keyed: dict[str, KeyedTask]
) -> dict[str, Data]:
    path = folder.tasks(annotator, kind, round)
    read = read_task_file(path) if path.exists() else []
    tasks = {str(data.get("task")): data for data in read}
    changed = {
        name
        for name in tasks.keys() | keyed.keys()
        if name not in tasks or name not in keyed or digest(tasks[name]) != keyed[name].data_hash
    }
    if changed:
        raise InputError(
            f"{len(changed)} tasks are not as exported, such as {min(changed)}",
            where=path,
            fix="Restore the file, or move the study away and export it again.",
        )
    return tasks


def _project(
    state: ServerState, there: dict[int, Project], load: _ProjectTasks
) -> PushedProject | None:
    """The load's project, if there is one.

    One that is on the server and not in our books was made by a push that was cut off before it
    sent a task; or the books were lost, and all its tasks are looked at.
    """
    for project in state.projects:
        if project.title == load.title:
            return project
    for found in there.values():
        if found.title == load.title:
            return _fresh(load, found.id, PendingImport(since=0, after=0) if found.tasks else None)
    return None


def _fresh(
    load: _ProjectTasks, project: int, sending: PendingImport | None = None
) -> PushedProject:
    return PushedProject(
        id=project,
        title=load.title,
        annotator=load.annotator,
        kind=load.kind,
        round=load.round,
        tasks={},
        sending=sending,
    )


def _settle(
    server: LabelStudioClient, project: PushedProject, load: _ProjectTasks
) -> tuple[PushedProject, int]:
    """Bind the tasks of an import whose end is not known; how many second copies went."""
    assert project.sending is not None
    while True:
        held = server.held(project.id, project.sending.after)
        if held or time.time() >= project.sending.since + SETTLE_S:
            break
        time.sleep(0.5)
    bound = dict(project.tasks)
    for task in held:
        name = str(task.data.get("task"))
        if name in load.tasks:
            bound.setdefault(name, task.id)
    settled = project.model_copy(update={"tasks": bound, "sending": None})
    return settled, _remove_copies(server, settled, held)


def _remove_copies(
    server: LabelStudioClient, project: PushedProject, held: list[ServerTask]
) -> int:
    """Remove tasks that are there a second time, unless somebody has answered the copy."""
    by_id = {task.id: task for task in held}
    removed = 0
    for task in held:
        original = project.tasks.get(str(task.data.get("task")))
        if original not in by_id or original == task.id or task.touched:
            continue
        if by_id[original].data == task.data:
            server.remove(task.id)
            removed += 1
    return removed


def _check_config(found: Project, load: _ProjectTasks, url: str) -> None:
    if config_hash(found.config) != config_hash(load.config):
        raise InputError(
            f"the labelling configuration of `{found.title}` was changed there",
            where=f"{url} [project {found.id}]",
            fix=f"Put the exported labeling_config_{load.kind} file back in its settings.",
        )


def _written(folder: HumanFolder, state: ServerState, project: PushedProject) -> ServerState:
    changed = state.with_project(project)
    write_state(folder, changed)
    return changed


def _batches(names: list[str], size: int) -> Iterable[list[str]]:
    left = iter(names)
    return iter(lambda: list(islice(left, size)), [])

"""The projects of a study on a server: tasks to it, each exactly once, and annotations from it.

`human/private/server.json` says which task there is which of the study. It is written again, by a
rename, after every request that imports tasks. A pull writes one raw file a project.
"""

import time
from collections.abc import Callable, Iterable, Set
from typing import NamedTuple

from pairwright.errors import InputError
from pairwright.lines import write_one
from pairwright.records import Record
from pairwright_human_eval.answers import store_raw, without_withdrawn
from pairwright_human_eval.folder import HumanFolder, record_in
from pairwright_human_eval.label_studio import config_hash, read_task_file
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind, Study, digest
from pairwright_human_eval.server import LabelStudioClient, Project


class PushedProject(Record):
    """A project: one annotator's tasks of one kind."""

    id: int
    title: str
    annotator: str
    kind: Kind
    round: int
    tasks: dict[str, int]
    """Our task id -> the server's."""
    sending: float | None = None
    """When an import was begun, in seconds since 1970, whose ids are not written down: its end is
    not known."""


class ServerState(Record):
    """What was pushed, and where to."""

    url: str
    study: str
    """Eight hex digits that are in the titles."""
    projects: tuple[PushedProject, ...] = ()

    @property
    def titles(self) -> str:
        """What all titles of the study begin with."""
        return f"Study {self.study}"


def new_state(url: str, study: Study) -> ServerState:
    name = digest(study.model_dump(mode="json")).removeprefix("sha256:")[:8]
    return ServerState(url=url, study=name)


def pushed_state(folder: HumanFolder) -> ServerState:
    """What was pushed; raises InputError where nothing was."""
    state = record_in(folder.server, ServerState)
    if state is None:
        raise InputError(
            "no task was pushed to a server yet",
            where=folder.server,
            fix="`pairwright human push` first, or `import` files exported by hand.",
        )
    return state


def drop_projects(folder: HumanFolder, person: str) -> None:
    """Leave the projects of a person who has withdrawn: nothing is sent to them or fetched from
    them any more, and the study lead deletes them on the server."""
    state = pushed_state(folder)
    left = tuple(project for project in state.projects if project.annotator != person)
    write_one(folder.server, ServerState(**dict(state) | {"projects": left}))


def find_projects(
    server: LabelStudioClient, folder: HumanFolder, state: ServerState, *, whole: bool = False
) -> dict[int, Project]:
    """The server's projects that are what was pushed, by id.

    The address does not show that it is the same server: one may have many, and another server may
    listen on its port today. The titles do, with the study's digits in them. Raises InputError
    where none of the study's projects is there or, with `whole`, where one of them is not.
    """
    listed = server.projects(state.titles)
    titles = {project.id: project.title for project in state.projects}
    there = {id: listed[id] for id in titles if id in listed and listed[id].title == titles[id]}
    missing = [project for project in state.projects if project.id not in there]
    if missing and (whole or not there):
        raise InputError(
            f"project {missing[0].id}, `{missing[0].title}`, is not on the server at {server.url}",
            where=folder.server,
            fix=f"The tasks were pushed to {state.url}. If the project was renamed there, give "
            f"it back its name. If it was deleted for good, what was pulled of it is kept: move "
            f"{folder.server.name} away and push again; what is answered is not asked again.",
        )
    return there


def labelling_links(folder: HumanFolder, round: int) -> dict[str, dict[Kind, str]]:
    """By annotator and kind, in the order of the work: where to label, one task after the other.

    The list of tasks (without `labeling=1`) would show what else there is.
    """
    state = pushed_state(folder)
    links: dict[str, dict[Kind, str]] = {}
    for project in _in_order(state.projects):
        if project.round == round:
            link = f"{state.url}/projects/{project.id}/data?labeling=1"
            links.setdefault(project.annotator, {})[project.kind] = link
    return links


CHUNK = 1000
"""Tasks in a request: a second or two of the server's time."""
SETTLE_S = 10.0
"""How long a request that was cut off may still be at work on the server."""

SendingProgress = Callable[[int, int], None]
"""It is called with how many are done, and of how many."""


class PushResult(NamedTuple):
    """What a push did."""

    projects: int
    created: int
    imported: int
    already: int
    """Tasks that were there before."""


def send_tasks(
    server: LabelStudioClient,
    folder: HumanFolder,
    study: Study,
    key: Iterable[KeyedTask],
    *,
    round: int = 1,
    chunk: int = CHUNK,
    answered: Set[str] = frozenset(),
    progress: SendingProgress = lambda *_: None,
) -> PushResult:
    """Import all tasks of a round that the server does not have yet, and remember their ids.

    What is `answered` and no longer there, because its project was deleted, is not asked again. May
    be repeated and interrupted at any time. Raises InputError where a task file is not as
    exported, and where the server is another one than before.
    """
    state = record_in(folder.server, ServerState) or new_state(server.url, study)
    there = find_projects(server, folder, state, whole=True)
    if state.url != server.url:
        state = ServerState(**dict(state) | {"url": server.url})
        write_one(folder.server, state)
    books = _Books(folder, state)
    loads = _loads(folder, state, key, round)
    done = created = imported = already = 0
    total = sum(len(tasks) for _, _, tasks in loads)
    for empty, config, tasks in loads:
        project = books.projects.get(empty.title)
        if project is None and tasks.keys() <= answered:
            done += len(tasks)
            continue
        if project is None:
            project = books.write(empty, id=server.create(empty.title, config))
            created += 1
        if project.sending is not None:
            project = books.write(project, tasks=_settled(server, project), sending=None)
        before = sum(name in tasks for name in project.tasks)
        missing = [name for name in tasks if name not in project.tasks.keys() | answered]
        already += before
        done += len(tasks) - len(missing)
        progress(done, total)
        found = there.get(project.id)
        if missing and found and config_hash(found.config) != config_hash(config):
            raise InputError(
                f"the labelling configuration of `{found.title}` was changed there",
                where=f"{server.url} [project {found.id}]",
                fix=f"Put the exported labeling_config_{project.kind} file back in its settings.",
            )
        for start in range(0, len(missing), chunk):
            names = missing[start : start + chunk]
            # That it was begun is written down before the request, and its ids after it.
            project = books.write(project, sending=time.time())
            ids = server.add(project.id, [tasks[name] for name in names])
            bound = project.tasks | dict(zip(names, ids, strict=True))
            project = books.write(project, tasks=bound)
            done += len(names)
            imported += len(names)
            progress(done, total)
        if project.sending is not None:
            books.write(project, sending=None)
    return PushResult(len(books.projects), created, imported, already)


class _Books:
    """What was pushed, written down after each change."""

    def __init__(self, folder: HumanFolder, state: ServerState) -> None:
        self._folder, self._state = folder, state
        self.projects = {project.title: project for project in state.projects}

    def write(self, project: PushedProject, **changes: object) -> PushedProject:
        """The project with the changes."""
        changed = PushedProject(**dict(project) | changes)
        self.projects[project.title] = changed
        ordered = tuple(sorted(self.projects.values(), key=lambda one: one.id))
        write_one(self._folder.server, ServerState(**dict(self._state) | {"projects": ordered}))
        return changed


def _loads(
    folder: HumanFolder, state: ServerState, key: Iterable[KeyedTask], round: int
) -> list[tuple[PushedProject, str, dict[str, Data]]]:
    """The round's task files, each compared with the key: the project without any task, which has
    no id yet, the labelling configuration, and the tasks as they are to be on the server."""
    rows: dict[tuple[str, Kind], dict[str, KeyedTask]] = {}
    for row in key:
        if row.round == round:
            rows.setdefault((row.annotator, row.kind), {})[row.task] = row
    loads = []
    for annotator, kind in sorted(rows, key=lambda load: (load[0], KINDS.index(load[1]))):
        path, keyed = folder.tasks(annotator, kind, round), rows[annotator, kind]
        read = read_task_file(path) if path.exists() else []
        tasks = {str(data.get("task")): data for data in read}
        hashes = {name: digest(data) for name, data in tasks.items()}
        expected = {name: row.data_hash for name, row in keyed.items()}
        if changed := {name for name, _ in hashes.items() ^ expected.items()}:
            raise InputError(
                f"{len(changed)} tasks are not as exported, such as {min(changed)}",
                where=path,
                fix="Restore the file, or move the study away and export it again.",
            )
        title = f"{state.titles} {annotator} {kind}{'' if round == 1 else ' 2'}"
        empty = PushedProject(
            id=0, title=title, annotator=annotator, kind=kind, round=round, tasks={}
        )
        config = folder.form(kind, round).read_text(encoding="utf-8")
        loads.append((empty, config, tasks))
    return loads


def _settled(server: LabelStudioClient, project: PushedProject) -> dict[str, int]:
    """The tasks of a project with an import whose end is not known, once it must have ended."""
    held = server.held(project.id)
    until = (project.sending or 0) + SETTLE_S
    while len(held) <= len(project.tasks) and time.time() < until:
        time.sleep(0.5)
        held = server.held(project.id)
    bound = dict(project.tasks)
    for id, data in held:
        bound.setdefault(str(data.get("task")), id)
    return bound


class PullResult(NamedTuple):
    """What a pull found."""

    projects: int
    gone: dict[str, tuple[str, ...]]
    """By project title: tasks of the study that were deleted there."""
    missing: tuple[str, ...]
    """Titles of projects that are not there any more. What was pulled of them before stays."""
    other_form: tuple[str, ...]
    """Titles of projects whose form is not as exported: nothing of them was taken."""


def fetch_annotations(
    server: LabelStudioClient,
    folder: HumanFolder,
    study: Study,
    *,
    progress: SendingProgress = lambda *_: None,
) -> PullResult:
    """Fetch every project that was pushed. May be repeated and interrupted at any time.

    Counts do not show whether an answer was changed, so every project is fetched again; the
    time it takes follows the number of annotated tasks.
    """
    state = pushed_state(folder)
    there = find_projects(server, folder, state)
    projects = [project for project in state.projects if project.id in there]
    gone: dict[str, tuple[str, ...]] = {}
    other_form = []
    for n, project in enumerate(projects, start=1):
        form = project.kind + ("" if project.round == 1 else "_adjudication")
        if config_hash(there[project.id].config) != study.config_hashes[form]:
            other_form.append(project.title)
            continue
        content = without_withdrawn(server.export(project.id), folder) or b"[]"
        store_raw(folder, f"project-{project.id}", content)
        if there[project.id].tasks < len(project.tasks):
            held = {id for id, _ in server.held(project.id)}
            gone[project.title] = tuple(k for k, id in project.tasks.items() if id not in held)
        progress(n, len(projects))
    titles = tuple(project.title for project in state.projects if project.id not in there)
    return PullResult(len(projects), gone, titles, tuple(other_form))


def task_progress(
    server: LabelStudioClient, folder: HumanFolder
) -> list[tuple[PushedProject, Project | None]]:
    """What was pushed and how it is now on the server; None where it was deleted."""
    state = pushed_state(folder)
    there = find_projects(server, folder, state)
    return [(project, there.get(project.id)) for project in _in_order(state.projects)]


def _in_order(projects: Iterable[PushedProject]) -> list[PushedProject]:
    """By annotator and round, and by kind in the order of the work."""
    return sorted(projects, key=lambda one: (one.annotator, one.round, KINDS.index(one.kind)))

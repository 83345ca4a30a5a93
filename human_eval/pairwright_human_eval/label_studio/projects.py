"""The projects of a study on a server: tasks to it, each exactly once, and annotations from it.

`human/private/server.json` says which task there is which of the study. It is written again, by a
rename, after every request that imports tasks. A pull writes one raw file a project, which names
accounts by number and holds neither e-mails nor drafts: `exports` sees to that first.
"""

import time
from collections.abc import Callable, Container, Iterable, Set
from pathlib import Path
from typing import NamedTuple

from pairwright.dataset import write_one
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright_human_eval.annotation import Export
from pairwright_human_eval.folder import HumanFolder, record_in
from pairwright_human_eval.label_studio.client import LabelStudioClient, Project
from pairwright_human_eval.label_studio.exports import clean_task
from pairwright_human_eval.label_studio.files import config_hash, form_path, read_task_file
from pairwright_human_eval.raw_files import store_pulled
from pairwright_human_eval.records import KINDS, LATER, Data, KeyedTask, Kind, Study, digest


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
    name: str
    """Of the server, in file names and before the numbers of its accounts. It stays when the
    server's address changes."""
    study: str
    """Eight hex digits that are in the titles."""
    projects: tuple[PushedProject, ...] = ()

    @property
    def titles(self) -> str:
        """What all titles of the study begin with."""
        return f"Study {self.study}"


def new_state(url: str, study: Study) -> ServerState:
    name = digest(study.model_dump(mode="json")).removeprefix("sha256:")[:8]
    return ServerState(url=url, name=digest(url).removeprefix("sha256:")[:8], study=name)


def read_state(folder: HumanFolder) -> ServerState | None:
    """None where nothing was pushed yet."""
    fix = (
        "Restore it from a copy, or remove it: push then finds its projects by their titles and the"
        " tasks by what they hold."
    )
    return record_in(folder.server, ServerState, fix)


def pushed_state(folder: HumanFolder) -> ServerState:
    """As `read_state`; raises InputError where nothing was pushed."""
    state = read_state(folder)
    if state is None:
        raise InputError(
            "no task was pushed to a server yet",
            where=folder.server,
            fix="`pairwright human push` first, or `import` files exported by hand.",
        )
    return state


def find_projects(
    server: LabelStudioClient, folder: HumanFolder, state: ServerState, *, whole: bool = False
) -> tuple[dict[int, Project], dict[int, Project]]:
    """The server's projects that may be the study's, and those that are what was pushed, by id.

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
    return listed, there


def labelling_links(folder: HumanFolder) -> dict[str, dict[str, str]]:
    """By annotator and kind, such as `preference 2` of the second round, in the order of the work:
    where to label, one task after the other.

    The list of tasks (without `labeling=1`) would show what else there is.
    """
    state = pushed_state(folder)
    links: dict[str, dict[str, str]] = {}
    for project in _in_order(state.projects):
        kind = project.title.partition(f" {project.annotator} ")[2]
        link = f"{state.url}/projects/{project.id}/data?labeling=1"
        links.setdefault(project.annotator, {})[kind] = link
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
    removed: int
    """Second copies that an interruption had left there, which nobody had answered."""


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
    state = read_state(folder) or new_state(server.url, study)
    listed, _ = find_projects(server, folder, state, whole=True)
    if state.url != server.url:
        state = state.model_copy(update={"url": server.url})
        write_one(folder.server, state)
    loads = _loads(folder, state, key, round)
    done = created = imported = already = removed = 0
    total = sum(len(tasks) for _, _, tasks in loads)
    for empty, config, tasks in loads:
        project = _project(state, listed, empty)
        if project is None and tasks.keys() <= answered:
            done += len(tasks)
            continue
        if project is None:
            id = server.create(empty.title, config)
            project = empty.model_copy(update={"id": id})
            created += 1
        since = project.sending
        if since is not None:
            project, copies = _settle(server, project, since, tasks)
            removed += copies
            state = _written(folder, state, project)
        # A project may hold tasks that were handed over to somebody else since.
        there_before = sum(name in tasks for name in project.tasks)
        already += there_before
        done += there_before
        progress(done, total)
        missing = [name for name in tasks if name not in project.tasks.keys() | answered]
        done += len(tasks) - there_before - len(missing)
        found = listed.get(project.id)
        if missing and found and config_hash(found.config) != config_hash(config):
            raise InputError(
                f"the labelling configuration of `{found.title}` was changed there",
                where=f"{server.url} [project {found.id}]",
                fix=f"Put the exported labeling_config_{project.kind} file back in its settings.",
            )
        for start in range(0, len(missing), chunk):
            names = missing[start : start + chunk]
            sent = {name: tasks[name] for name in names}
            state, project = _send(server, folder, state, project, sent)
            done += len(names)
            imported += len(names)
            progress(done, total)
        if since is not None and missing:
            removed += _remove_copies(server, project, server.held(project.id))
    return PushResult(len(state.projects), created, imported, already, removed)


def _send(
    server: LabelStudioClient,
    folder: HumanFolder,
    state: ServerState,
    project: PushedProject,
    tasks: dict[str, Data],
) -> tuple[ServerState, PushedProject]:
    """One request. That it was begun is written down before it, and its ids after it."""
    state = _written(folder, state, project.model_copy(update={"sending": time.time()}))
    ids = server.add(project.id, list(tasks.values()))
    bound = project.tasks | dict(zip(tasks, ids, strict=True))
    project = project.model_copy(update={"tasks": bound})
    return _written(folder, state, project), project


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
        end = {2: " 2", LATER: " later"}.get(round, "")
        title = f"{state.titles} {annotator} {kind}{end}"
        empty = PushedProject(
            id=0, title=title, annotator=annotator, kind=kind, round=round, tasks={}
        )
        config = form_path(folder, kind, round).read_text(encoding="utf-8")
        loads.append((empty, config, tasks))
    return loads


def _project(
    state: ServerState, there: dict[int, Project], empty: PushedProject
) -> PushedProject | None:
    """The project, if there is one.

    One that is on the server and not in our books was made by a push that was cut off before it
    sent a task; or the books were lost, and all its tasks are looked at.
    """
    for project in state.projects:
        if project.title == empty.title:
            return project
    for found in there.values():
        if found.title == empty.title:
            sending = 0.0 if found.tasks else None
            return empty.model_copy(update={"id": found.id, "sending": sending})
    return None


def _settle(
    server: LabelStudioClient, project: PushedProject, since: float, tasks: Container[str]
) -> tuple[PushedProject, int]:
    """Bind the tasks of an import whose end is not known; how many second copies went."""
    held = server.held(project.id)
    while len(held) <= len(project.tasks) and time.time() < since + SETTLE_S:
        time.sleep(0.5)
        held = server.held(project.id)
    bound = dict(project.tasks)
    for id, data, _ in held:
        name = str(data.get("task"))
        if name in tasks:
            bound.setdefault(name, id)
    settled = project.model_copy(update={"tasks": bound, "sending": None})
    return settled, _remove_copies(server, settled, held)


def _remove_copies(
    server: LabelStudioClient, project: PushedProject, held: list[tuple[int, Data, bool]]
) -> int:
    """Remove tasks that are there a second time, unless somebody has answered the copy."""
    by_id = {id: data for id, data, _ in held}
    removed = 0
    for id, data, touched in held:
        original = project.tasks.get(str(data.get("task")))
        if original not in by_id or original == id or touched:
            continue
        if by_id[original] == data:
            server.remove(id)
            removed += 1
    return removed


def _written(folder: HumanFolder, state: ServerState, project: PushedProject) -> ServerState:
    """The books with what is now known of the project."""
    others = (one for one in state.projects if one.title != project.title)
    ordered = tuple(sorted((*others, project), key=lambda one: one.id))
    changed = state.model_copy(update={"projects": ordered})
    write_one(folder.server, changed)
    return changed


class PullResult(NamedTuple):
    """What a pull found."""

    projects: int
    changed: tuple[Path, ...]
    """Raw files that are new or not as they were."""
    annotations: int
    """On the server now, skips included."""
    gone: dict[str, tuple[str, ...]]
    """By project title: tasks of the study that were deleted there."""
    missing: tuple[str, ...]
    """Titles of projects that are not there any more. What was pulled of them before stays."""


def fetch_annotations(
    server: LabelStudioClient, folder: HumanFolder, *, progress: SendingProgress = lambda *_: None
) -> PullResult:
    """Fetch every project that was pushed. May be repeated and interrupted at any time.

    Counts do not show whether an answer was changed, so every project is fetched again; the
    time it takes follows the number of annotated tasks.
    """
    state = pushed_state(folder)
    _, there = find_projects(server, folder, state)
    projects = [project for project in state.projects if project.id in there]
    changed: list[Path] = []
    annotations = 0
    gone: dict[str, tuple[str, ...]] = {}
    for n, project in enumerate(projects, start=1):
        export = Export(
            file=f"{state.name}-{project.id}.json",
            tool="label-studio",
            source=state.name,
            project=project.id,
            annotator=project.annotator,
            kind=project.kind,
            round=project.round,
            config_hash=config_hash(there[project.id].config),
            tasks=tuple(map(clean_task, server.export(project.id))),
        )
        path, is_new, held_now = store_pulled(export, folder)
        annotations += held_now
        if is_new:
            changed.append(path)
        if there[project.id].tasks < len(project.tasks):
            held = {id for id, _, _ in server.held(project.id)}
            gone[project.title] = tuple(k for k, id in project.tasks.items() if id not in held)
        progress(n, len(projects))
    titles = tuple(project.title for project in state.projects if project.id not in there)
    return PullResult(len(projects), tuple(changed), annotations, gone, titles)


def task_progress(
    server: LabelStudioClient, folder: HumanFolder
) -> list[tuple[PushedProject, Project | None]]:
    """What was pushed and how it is now on the server; None where it was deleted."""
    state = pushed_state(folder)
    _, there = find_projects(server, folder, state)
    return [(project, there.get(project.id)) for project in _in_order(state.projects)]


def _in_order(projects: Iterable[PushedProject]) -> list[PushedProject]:
    """By annotator and round, and by kind in the order of the work."""
    return sorted(projects, key=lambda one: (one.annotator, one.round, KINDS.index(one.kind)))

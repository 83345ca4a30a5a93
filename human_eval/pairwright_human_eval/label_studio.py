"""A study on a Label Studio server: tasks to it, each exactly once, and annotations from it.

`human/private/server.json` names the projects, one for each annotator and kind. Each is written
down before its tasks are sent, and again once all of them are there.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple
from xml.etree import ElementTree

from typer import Option

from pairwright.errors import InputError
from pairwright.lines import write_one
from pairwright.options import RunPath
from pairwright.progress import Note, Progress, Step, log_notes
from pairwright.records import Record
from pairwright_human_eval.answers import (
    ImportedAnswers,
    check_unmixed,
    store_raw,
    without_withdrawn,
    write_answers,
)
from pairwright_human_eval.folder import RESTORE, read_tasks, record_in
from pairwright_human_eval.opened import OpenStudy, open_study
from pairwright_human_eval.records import KINDS, Data, Kind, digest
from pairwright_human_eval.server import LabelStudioClient, Project

KEY_VARIABLE = "LABEL_STUDIO_API_KEY"
_MOVE = "move this file away and push again: what is answered is not asked again."


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
        for one in sorted(self.projects, key=lambda one: (one.annotator, KINDS.index(one.kind))):
            if one.round == round:
                link = f"{self.url}/projects/{one.id}/data?labeling=1"
                links.setdefault(one.annotator, []).append((one.kind, link))
        return links


def title_of(study: OpenStudy) -> str:
    """What the titles of a study's projects begin with: no other study has it."""
    return "Study " + digest(study.fixed.model_dump(mode="json")).removeprefix("sha256:")[:8]


def _client(url: str) -> LabelStudioClient:
    """A client of a server, whose key is taken from the environment, so that no shell history holds
    it. Raises InputError if it is not set."""
    if key := os.environ.get(KEY_VARIABLE, ""):
        return LabelStudioClient(url, key)
    fix = "Put a personal access token or a legacy token of the server's account into it."
    raise InputError("not set", where=f"${KEY_VARIABLE}", fix=fix)


# Out


class PushResult(NamedTuple):
    """What a push did."""

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

    Safe to repeat and to interrupt: no task is imported twice. A task that is answered, and whose
    project was deleted, is not asked again. The key is read from LABEL_STUDIO_API_KEY: a personal
    access token or a legacy token. Needs the extra [label-studio].

    Raises InputError if there is no study, simulated answers or a task file that is not as
    exported are in it, or the server is another one or refuses. Returns what was done, and the
    links under which people label.

    Examples::

        pairwright human push runs/first --url http://127.0.0.1:8080
    """
    with open_study(Path(run)) as study, _client(url) as server:
        folder, title = study.folder, title_of(study)
        state = record_in(folder.server, ServerState) or ServerState(url=server.url)
        if state.url != server.url:
            what = f"the tasks were pushed to {state.url}"
            fix = "Push there. If that server has a new address, write it into this file. To begin"
            raise InputError(what, where=folder.server, fix=f"{fix} anew, {_MOVE}")
        # With simulated answers in the study, people's answers could not be taken in later.
        check_unmixed(study, simulated=False)
        answers, loads = write_answers(study), _loads(study, round)
        _delete(server, title, {project.id for project in state.projects if not project.tasks})
        done = [project for project in state.projects if project.tasks]
        there = {task for project in done for task in project.tasks}
        closed, imported = there | answers.tasks | answers.skipped, 0

        def state_of(projects: Iterable[PushedProject]) -> ServerState:
            return ServerState(url=server.url, projects=tuple(projects))

        for n, ((annotator, kind), tasks) in enumerate(loads.items()):
            progress(Step("making projects", n, len(loads)))
            new = {name: data for name, data in tasks.items() if name not in closed}
            if not new:
                continue
            name = f"{title} {annotator} {kind}{'' if round == 1 else ' 2'}"
            id = server.create(name, folder.form(kind).read_text(encoding="utf-8"))
            made = PushedProject(id=id, title=name, annotator=annotator, kind=kind, round=round)
            write_one(folder.server, state_of([*done, made]))
            server.add(id, list(new.values()))
            done.append(PushedProject(**dict(made) | {"tasks": tuple(new)}))
            write_one(folder.server, state_of(done))
            imported += len(new)
        already = sum(len(tasks.keys() & there) for tasks in loads.values())
        return PushResult(imported, already, state_of(done).links(round))


def _delete(server: LabelStudioClient, title: str, cut: set[int]) -> None:
    """Delete the projects whose import was cut off, with what of it may have arrived. Raises
    InputError if somebody has answered there."""
    for id, found in server.projects(title).items() if cut else ():
        if id in cut and found.answered:
            what = "the import was cut off, and people have answered what of it arrived"
            fix = "Delete the project on the server, and push again."
            raise InputError(what, where=f"{server.url} [project {id}]", fix=fix)
        if id in cut:
            server.delete(id)


def _loads(study: OpenStudy, round: int) -> dict[tuple[str, Kind], dict[str, Data]]:
    """The round's tasks by annotator and kind, in the order of the work. Raises InputError if
    a task file is not as the key has it."""
    key = [t for t in study.key.values() if t.round == round and t.annotator not in study.away]
    shown = read_tasks(study.folder, key)
    loads: dict[tuple[str, Kind], dict[str, Data]] = {}
    for task in sorted(key, key=lambda task: (task.annotator, KINDS.index(task.kind))):
        if digest(shown[task.task]) != task.data_hash:
            path = study.folder.tasks(task.annotator, task.kind, round)
            raise InputError(f"{task.task} is not as exported", where=path, fix=RESTORE)
        loads.setdefault((task.annotator, task.kind), {})[task.task] = shown[task.task]
    return loads


# In


def pull_answers(run: RunPath, *, progress: Progress = log_notes) -> ImportedAnswers:
    """Fetch what is annotated from the Label Studio server that tasks were pushed to.

    Safe to repeat and to interrupt. A project whose form was changed is named, and not
    imported (exit code 1). The key is read from LABEL_STUDIO_API_KEY.

    Raises InputError if there is no study, nothing was pushed, or the server is another one or
    refuses.

    Examples::

        pairwright human pull runs/first
    """
    with open_study(Path(run)) as study:
        check_unmixed(study, simulated=False)
        state = record_in(study.folder.server, ServerState)
        if state is None:
            fix = "`pairwright human push` first, or `import` files exported by hand."
            what = "no task was pushed to a server yet"
            raise InputError(what, where=study.folder.server, fix=fix)
        with _client(state.url) as server:
            listed = server.projects(title_of(study))
            if not any(project.id in listed for project in state.projects):
                what = f"no project of this study is on the server at {server.url}"
                fix = f"Start the server that has them. If they were deleted for good, {_MOVE}"
                raise InputError(what, where=study.folder.server, fix=fix)
            fetched, refused = list[str](), list[InputError]()
            for n, project in enumerate(state.projects):
                progress(Step("fetching projects", n, len(state.projects)))
                if project.annotator in study.away:
                    continue
                found = listed.get(project.id)
                if found and (changed := _other_form(study, project, found)):
                    refused.append(changed)
                    progress(Note(str(changed)))
                    continue
                fetched.append(project.title)
                if odd := _fetch(server, study, project, found):
                    progress(Note(f"The project `{project.title}` {odd}"))
        return write_answers(study, fetched, refused=refused)


def _other_form(study: OpenStudy, project: PushedProject, found: Project) -> InputError | None:
    """What is wrong with a project whose form was changed on the server."""
    form = study.folder.form(project.kind)
    if same_form(found.config, form.read_text(encoding="utf-8")):
        return None
    what = f"has another form than {form.name}, so nothing of it was taken in"
    fix = "Put that form back under Settings, Labeling Interface, and pull again."
    return InputError(what, where=f"the project `{project.title}`", fix=fix)


def _fetch(
    server: LabelStudioClient, study: OpenStudy, project: PushedProject, found: Project | None
) -> str:
    """Fetch a project into one raw file; what is odd about it. Counts do not show whether an
    answer was changed, so all of it is fetched again."""
    if found is None:
        return "is not on the server any more: what was pulled of it before stays."
    content = without_withdrawn(server.export(project.id), study) or b"[]"
    store_raw(study, f"project-{project.id}", content)
    gone = len(project.tasks) - found.tasks
    return f"lacks {gone:,} tasks, deleted there; a push does not bring them back." * (gone > 0)


def same_form(config: str, exported: str) -> bool:
    """Whether two labelling configurations are the same XML, however it is laid out."""
    try:
        one, other = (ElementTree.canonicalize(xml, strip_text=True) for xml in (config, exported))
    except ElementTree.ParseError:
        return False
    return one == other

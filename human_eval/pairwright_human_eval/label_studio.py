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
from pairwright_human_eval.answers import Imported, check_unmixed, store_raw, without_withdrawn
from pairwright_human_eval.folder import (
    RESTORE,
    FixedStudy,
    HumanFolder,
    read_tasks,
    record_in,
    withdrawn_people,
)
from pairwright_human_eval.intake import ImportedAnswers
from pairwright_human_eval.records import KINDS, Data, Kind, Study, digest
from pairwright_human_eval.server import LabelStudioClient, Project
from pairwright_human_eval.study import open_study

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


def titles_of(study: Study) -> str:
    """What the titles of a study's projects begin with: no other study has it."""
    return "Study " + digest(study.model_dump(mode="json")).removeprefix("sha256:")[:8]


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
        folder, titles = study.folder, titles_of(study.fixed.study)
        state = record_in(folder.server, ServerState) or ServerState(url=server.url)
        if state.url != server.url:
            what = f"the tasks were pushed to {state.url}"
            fix = "Push there. If that server has a new address, write it into this file. To begin"
            raise InputError(what, where=folder.server, fix=f"{fix} anew, {_MOVE}")
        # With simulated answers in the study, people's answers could not be taken in later.
        check_unmixed(folder, simulated=False)
        answers = study.write_answers()
        skipped = {aside.task for aside in answers.set_aside if aside.reason == "skipped"}
        loads = _loads(folder, study.fixed, round)
        _delete(server, titles, {project.id for project in state.projects if not project.tasks})
        done = [project for project in state.projects if project.tasks]
        there = {task for project in done for task in project.tasks}
        imported = 0
        for n, ((annotator, kind), tasks) in enumerate(loads.items()):
            progress(Step("making projects", n, len(loads)))
            left = tasks.keys() - there - answers.tasks - skipped
            new = {name: data for name, data in tasks.items() if name in left}
            if not new:
                continue
            title = f"{titles} {annotator} {kind}{'' if round == 1 else ' 2'}"
            made = PushedProject(
                id=server.create(title, folder.form(kind).read_text(encoding="utf-8")),
                title=title,
                annotator=annotator,
                kind=kind,
                round=round,
            )
            _write(folder, server.url, [*done, made])
            server.add(made.id, list(new.values()))
            done.append(PushedProject(**dict(made) | {"tasks": tuple(new)}))
            _write(folder, server.url, done)
            imported += len(new)
        already = sum(len(tasks.keys() & there) for tasks in loads.values())
        pushed = ServerState(url=server.url, projects=tuple(done))
        return PushResult(imported, already, pushed.links(round))


def _write(folder: HumanFolder, url: str, projects: Iterable[PushedProject]) -> None:
    write_one(folder.server, ServerState(url=url, projects=tuple(projects)))


def _delete(server: LabelStudioClient, titles: str, cut: set[int]) -> None:
    """Delete the projects whose import was cut off, with what of it may have arrived. Raises
    InputError if somebody has answered there."""
    for id, found in server.projects(titles).items() if cut else ():
        if id in cut and found.answered:
            what = "the import was cut off, and people have answered what of it arrived"
            fix = "Delete the project on the server, and push again."
            raise InputError(what, where=f"{server.url} [project {id}]", fix=fix)
        if id in cut:
            server.delete(id)


def _loads(
    folder: HumanFolder, fixed: FixedStudy, round: int
) -> dict[tuple[str, Kind], dict[str, Data]]:
    """The round's tasks by annotator and kind, in the order of the work. Raises InputError if
    a task file is not as the key has it."""
    away = withdrawn_people(folder)
    key = [row for row in fixed.key.values() if row.round == round and row.annotator not in away]
    shown = read_tasks(folder, key)
    loads: dict[tuple[str, Kind], dict[str, Data]] = {}
    for row in sorted(key, key=lambda row: (row.annotator, KINDS.index(row.kind))):
        if digest(shown[row.task]) != row.data_hash:
            path = folder.tasks(row.annotator, row.kind, round)
            raise InputError(f"{row.task} is not as exported", where=path, fix=RESTORE)
        loads.setdefault((row.annotator, row.kind), {})[row.task] = shown[row.task]
    return loads


# In


def pull_answers(run: RunPath, *, progress: Progress = log_notes) -> ImportedAnswers:
    """Fetch what is annotated from the Label Studio server that tasks were pushed to.

    Safe to repeat and to interrupt. A project whose form was changed is named, and nothing of it is
    taken in (exit code 1). The key is read from LABEL_STUDIO_API_KEY.

    Raises InputError if there is no study, nothing was pushed, or the server is another one or
    refuses.

    Examples::

        pairwright human pull runs/first
    """
    with open_study(Path(run)) as study:
        check_unmixed(study.folder, simulated=False)
        state = pushed_state(study.folder)
        with _client(state.url) as server:
            listed = server.projects(titles_of(study.fixed.study))
            if not any(project.id in listed for project in state.projects):
                what = f"no project of this study is on the server at {server.url}"
                fix = f"Start the server that has them. If they were deleted for good, {_MOVE}"
                raise InputError(what, where=study.folder.server, fix=fix)
            away = withdrawn_people(study.folder)
            fetched, refused = list[str](), list[InputError]()
            for n, project in enumerate(state.projects):
                progress(Step("fetching projects", n, len(state.projects)))
                if project.annotator in away:
                    continue
                found, form = listed.get(project.id), study.folder.form(project.kind)
                if found and not same_form(found.config, form.read_text(encoding="utf-8")):
                    what = f"has another form than {form.name}, so nothing of it was taken in"
                    fix = "Put that form back under Settings, Labeling Interface, and pull again."
                    refused.append(
                        InputError(what, where=f"the project `{project.title}`", fix=fix)
                    )
                    progress(Note(str(refused[-1])))
                    continue
                fetched.append(project.title)
                if odd := _fetch(server, study.folder, project, found):
                    progress(Note(f"The project `{project.title}` {odd}"))
        taken = Imported(tuple(fetched), (), tuple(refused))
        return ImportedAnswers(taken, study.write_answers())


def pushed_state(folder: HumanFolder) -> ServerState:
    """What was pushed; raises InputError if nothing was."""
    if state := record_in(folder.server, ServerState):
        return state
    fix = "`pairwright human push` first, or `import` files exported by hand."
    raise InputError("no task was pushed to a server yet", where=folder.server, fix=fix)


def _fetch(
    server: LabelStudioClient, folder: HumanFolder, project: PushedProject, found: Project | None
) -> str:
    """Fetch a project into one raw file; what is odd about it. Counts do not show whether an
    answer was changed, so all of it is fetched again."""
    if found is None:
        return "is not on the server any more: what was pulled of it before stays."
    content = without_withdrawn(server.export(project.id), folder) or b"[]"
    store_raw(folder, f"project-{project.id}", content)
    gone = len(project.tasks) - found.tasks
    return f"lacks {gone:,} tasks, deleted there; a push does not bring them back." * (gone > 0)


def same_form(config: str, exported: str) -> bool:
    """Whether two labelling configurations are the same XML, however it is laid out."""
    try:
        one, other = (ElementTree.canonicalize(xml, strip_text=True) for xml in (config, exported))
    except ElementTree.ParseError:
        return False
    return one == other

"""A study on a Label Studio server: tasks to it, each exactly once, and annotations from it.

Only this file imports label-studio-sdk. `human/private/server.json` names the projects, one for
each annotator and kind. Each is written down before its tasks are sent, and again once all of them
are there.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlsplit
from xml.etree import ElementTree

from typer import Option

from pairwright.assets import install
from pairwright.errors import CallFailed, EndpointRefused, InputError
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
from pairwright_human_eval.folder import RESTORE, OpenStudy, open_study, read_tasks, record_in
from pairwright_human_eval.records import KINDS, Data, Kind, digest

_MOVE = "move this file away and push again: what is answered is not asked again."
TIMEOUT_S = 900.0  # An export of 10,000 annotated tasks takes more than a minute.
SHOWN = 400  # Characters of a reply's body that an error shows.
_FIELDS = "id,title,label_config,task_number,num_tasks_with_annotations,skipped_annotations_number"
_ONCE = {"max_retries": 0}
"""The SDK would repeat a request whose reply got lost, and would make its object twice."""
KEY_VARIABLE = "LABEL_STUDIO_API_KEY"
_TOKEN = f"Put a legacy or personal access token (Account & Settings) into {KEY_VARIABLE}."


class LabelStudioClient:
    """The part of a Label Studio server that a study needs."""

    def __init__(self, url: str, sdk: Any) -> None:
        self.url, self.sdk = url, sdk.projects

    def projects(self, part: str) -> dict[int, Any]:
        """Projects with `part` in their title as the SDK has them, by id."""
        found: dict[int, Any] = {}
        for project in self.sdk.list(title=part, page_size=100, include=_FIELDS):
            if project.id in found:  # A server that gives its last page again and again.
                break
            found[project.id] = project
        return found

    def create(self, title: str, config: str) -> int:
        """Make a project for one annotator; its id."""
        project = self.sdk.create(
            title=title, label_config=config, maximum_annotations=1,
            show_collab_predictions=False, show_skip_button=True, enable_empty_annotation=False,
            sampling="Sequential sampling", request_options=_ONCE,
        )  # fmt: skip
        return int(project.id)

    def add(self, project: int, batch: Sequence[Data]) -> list[int]:
        """Import tasks, all or none; their ids in the same order."""
        rows = [{"data": data} for data in batch]
        options = {"return_task_ids": True, "request_options": _ONCE}
        reply = self.sdk.import_tasks(project, request=rows, **options)
        ids = [int(task) for task in getattr(reply, "task_ids", None) or ()]
        if len(ids) != len(batch):
            what = f"{self.url} named {len(ids)} tasks for {len(batch)} that were sent"
            raise CallFailed("import", what)
        return ids

    def export(self, project: int) -> bytes:
        """Tasks with any annotation, skips included, as `exportType=JSON` gives them."""
        export = self.sdk.exports.download_sync
        body = b"".join(export(project, export_type="JSON", download_all_tasks=False))
        with suppress(ValueError):
            tasks = json.loads(body)
            if isinstance(tasks, list) and all(isinstance(task, dict) for task in tasks):
                return body
        raise CallFailed("export", f"{self.url}, project {project}: not a list of tasks")


@contextmanager
def connected(url: str, api_key: str | None = None) -> Iterator[LabelStudioClient]:
    """Connect to a Label Studio server with a person's key, read from the environment so that no
    shell history holds it. Raises InputError, CallFailed or EndpointRefused for what goes wrong."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        fix = "Give --url http:// or https://, a host and perhaps a port; the key is no part of it."
        raise InputError("not the address of a server", where=url.rpartition("@")[2], fix=fix)
    url, key = url.rstrip("/"), (api_key or os.environ.get(KEY_VARIABLE, "")).strip()
    if not re.fullmatch(r"[!-~]+", key):
        raise InputError("holds no API key", where=f"${KEY_VARIABLE}", fix=_TOKEN)
    try:
        import httpx
        from label_studio_sdk import LabelStudio
        from label_studio_sdk.core.api_error import ApiError
    except ImportError as error:
        what, fix = f"label-studio-sdk is not installed ({error})", install("label-studio")
        raise InputError(what, where=url, fix=f"Run {fix}.") from None
    # A connection a request: on one that stays open, Label Studio's own server sends head and
    # body of a reply apart and waits 40 ms in between for our acknowledgement.
    one_each = httpx.Limits(max_keepalive_connections=0)
    sdk: Any = LabelStudio  # Its constructor has no types.
    with httpx.Client(timeout=TIMEOUT_S, follow_redirects=True, limits=one_each) as http:
        try:
            server = sdk(base_url=url, api_key=key, httpx_client=http)
            yield LabelStudioClient(url, server)
        except ApiError as error:
            text = _shown(error.body, key)
            raise _refusal(url, error.status_code or 0, text) from None
        except httpx.HTTPError as error:
            what = f"no answer ({type(error).__name__}: {_shown(str(error), key)})"
            fix = "Start the server or correct --url, and run the command again; it goes on."
            raise InputError(what, where=url, fix=fix) from None


def _refusal(url: str, status: int, text: str) -> Exception:
    if status in (401, 403):
        what = f"the server does not take the API key ({status}: {text})"
        return InputError(what, where=url, fix=_TOKEN)
    if status >= 500 or status < 400:
        return CallFailed("server", f"{url} answered {status}: {text}")
    ask = "Is this the address of a Label Studio, and does the project still exist?"
    return EndpointRefused(f"{url}: answered {status}: {text}\n  {ask}")


def _shown(reply: object, key: str) -> str:
    """Text of a reply, without the key; a page of HTML is only named."""
    text = reply if isinstance(reply, str) else json.dumps(reply, default=str)
    if text.strip().startswith("<"):
        return "a web page"
    with suppress(ValueError, TypeError, KeyError):
        text = str(json.loads(text)["detail"])
    return text.strip().replace(key, "(the key)")[:SHOWN]


class PushedProject(Record):
    """One annotator's tasks of one kind."""

    id: int
    title: str
    annotator: str
    kind: Kind
    round: int
    tasks: tuple[str, ...] = ()
    """Tasks on the server; empty while it is not known whether all of them are there."""


class ServerState(Record):
    """Projects that were pushed, and the address of their server."""

    url: str
    projects: tuple[PushedProject, ...] = ()


def title_of(study: OpenStudy) -> str:
    """Start of the titles of a study's projects: no other study has it."""
    return "Study " + digest(study.fixed.model_dump(mode="json")).removeprefix("sha256:")[:8]


class PushResult(NamedTuple):
    """Result of a push: counts of tasks, and links for the annotators."""

    imported: int
    already: int
    links: Mapping[str, list[tuple[Kind, str]]]
    """Kinds of tasks by annotator, in the order of the work, with links that show nothing else."""


def push_tasks(
    run: RunPath,
    url: Annotated[str, Option(help="Address of the server.", metavar="URL")],
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
    with open_study(Path(run)) as study, connected(url) as server:
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
        for n, ((annotator, kind), tasks) in enumerate(loads.items()):
            progress(Step("making projects", n, len(loads)))
            new = {name: data for name, data in tasks.items() if name not in closed}
            if not new:
                continue
            name = f"{title} {annotator} {kind}{'' if round == 1 else ' 2'}"
            id = server.create(name, folder.form(kind).read_text(encoding="utf-8"))
            made = PushedProject(id=id, title=name, annotator=annotator, kind=kind, round=round)
            write_one(folder.server, ServerState(url=server.url, projects=(*done, made)))
            server.add(id, list(new.values()))
            done.append(PushedProject(**dict(made) | {"tasks": tuple(new)}))
            write_one(folder.server, ServerState(url=server.url, projects=tuple(done)))
            imported += len(new)
        links: dict[str, list[tuple[Kind, str]]] = {}
        for one in sorted(done, key=lambda one: (one.annotator, KINDS.index(one.kind))):
            if one.round == round:
                link = f"{server.url}/projects/{one.id}/data?labeling=1"
                links.setdefault(one.annotator, []).append((one.kind, link))
        already = sum(len(tasks.keys() & there) for tasks in loads.values())
        return PushResult(imported, already, links)


def _delete(server: LabelStudioClient, title: str, cut: set[int]) -> None:
    """Delete projects whose import was cut off. Raises InputError if people answered there."""
    found = server.projects(title) if cut else {}
    for id in cut & found.keys():
        if found[id].num_tasks_with_annotations or found[id].skipped_annotations_number:
            what = "the import was cut off, and people have answered what of it arrived"
            fix = "Delete the project on the server, and push again."
            raise InputError(what, where=f"{server.url} [project {id}]", fix=fix)
        server.sdk.delete(id)


def _loads(study: OpenStudy, round: int) -> dict[tuple[str, Kind], dict[str, Data]]:
    """The round's tasks by annotator and kind, in the order of the work. Raises InputError."""
    key = [t for t in study.key.values() if t.round == round and t.annotator not in study.away]
    shown = read_tasks(study.folder, key)
    loads: dict[tuple[str, Kind], dict[str, Data]] = {}
    for task in sorted(key, key=lambda task: (task.annotator, KINDS.index(task.kind))):
        if digest(shown[task.task]) != task.data_hash:
            path = study.folder.tasks(task.annotator, task.kind, round)
            raise InputError(f"{task.task} is not as exported", where=path, fix=RESTORE)
        loads.setdefault((task.annotator, task.kind), {})[task.task] = shown[task.task]
    return loads


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
        where = study.folder.server
        state = record_in(where, ServerState)
        if state is None:
            fix = "`pairwright human push` first, or `import` files exported by hand."
            raise InputError("no task was pushed to a server yet", where=where, fix=fix)
        with connected(state.url) as server:
            listed = server.projects(title_of(study))
            if not any(project.id in listed for project in state.projects):
                what = f"no project of this study is on the server at {server.url}"
                fix = f"Start the server that has them. If they were deleted for good, {_MOVE}"
                raise InputError(what, where=where, fix=fix)
            fetched, refused = list[str](), list[InputError]()
            for n, project in enumerate(state.projects):
                progress(Step("fetching projects", n, len(state.projects)))
                if project.annotator not in study.away:
                    try:
                        odd = _fetch(server, study, project, listed.get(project.id))
                        fetched.append(project.title)
                    except InputError as error:
                        refused.append(error)
                        odd = str(error)
                    if odd:
                        progress(Note(odd))
        return write_answers(study, fetched, refused)


def _fetch(server: LabelStudioClient, study: OpenStudy, project: PushedProject, found: Any) -> str:
    """Fetch a project into a raw file; gives a warning. Raises InputError for another form."""
    name, form = f"project `{project.title}`", study.folder.form(project.kind)
    if found is None:
        return f"The {name} is not on the server any more: what was pulled of it before stays."
    if not same_form(found.label_config or "", form.read_text(encoding="utf-8")):
        what = f"has another form than {form.name}, so nothing of it was taken in"
        fix = "Put that form back under Settings, Labeling Interface, and pull again."
        raise InputError(what, where=f"the {name}", fix=fix)
    content = server.export(project.id)
    kept = without_withdrawn(content, study) or b"[]" if study.closed else content
    store_raw(study, f"project-{project.id}", kept)
    if (gone := len(project.tasks) - (found.task_number or 0)) > 0:
        return f"The {name} lacks {gone:,} tasks, deleted there; a push does not bring them back."
    return ""


def same_form(config: str, exported: str) -> bool:
    """Whether two labelling configurations are the same XML, however it is laid out."""
    try:
        one, other = (ElementTree.canonicalize(xml, strip_text=True) for xml in (config, exported))
    except ElementTree.ParseError:
        return False
    return one == other

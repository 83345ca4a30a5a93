"""`human/private/server.json`: the projects of a study, and which task there is which of the study.

It is written again, by a rename, after every request that imports tasks.
"""

from typing import NamedTuple

from pydantic import ValidationError

from pairwright.errors import InputError
from pairwright.files import write_whole
from pairwright.records import Record
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.client import Project
from pairwright_human_eval.records import KINDS, Kind, Study, digest


class PendingImport(Record):
    """An import that was begun, and whose end is not known until its ids are written down."""

    since: float
    """Seconds since 1970."""
    after: int
    """The project's newest task before it; those of the import have higher ids."""


class PushedProject(Record):
    """A project: one annotator's tasks of one kind."""

    id: int
    title: str
    annotator: str
    kind: Kind
    round: int
    tasks: dict[str, int]
    """Our task id -> the server's."""
    sending: PendingImport | None = None


class ServerState(Record):
    """What was pushed, and where to."""

    url: str
    name: str
    """Of the server, in file names and before the numbers of its accounts. It stays when the
    server's address changes."""
    study: str
    """Eight hex digits that are in the titles."""
    projects: tuple[PushedProject, ...] = ()

    def with_project(self, project: PushedProject) -> "ServerState":
        others = tuple(p for p in self.projects if p.title != project.title)
        ordered = sorted((*others, project), key=lambda p: p.id)
        return self.model_copy(update={"projects": tuple(ordered)})


def new_state(url: str, study: Study) -> ServerState:
    name = digest(study.model_dump(mode="json")).removeprefix("sha256:")[:8]
    return ServerState(url=url, name=digest(url).removeprefix("sha256:")[:8], study=name)


def part_of_titles(state: ServerState) -> str:
    """What all titles of the study have in them."""
    return f"Study {state.study}"


def read_state(folder: HumanFolder) -> ServerState | None:
    """None where nothing was pushed yet."""
    if not folder.server.exists():
        return None
    try:
        return ServerState.model_validate_json(folder.server.read_bytes())
    except ValidationError as error:
        raise InputError(
            f"cannot be read: {error.errors(include_url=False)[0]['msg']}",
            where=folder.server,
            fix="Restore it from a copy, or remove it: push then finds its projects by their "
            "titles and the tasks by what they hold.",
        ) from None


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


def write_state(folder: HumanFolder, state: ServerState) -> None:
    write_whole(folder.server, state.model_dump_json(indent=1) + "\n")


class FoundProjects(NamedTuple):
    """The study's projects, by whether they are on a server."""

    there: tuple[PushedProject, ...]
    missing: tuple[PushedProject, ...]
    """Deleted or renamed since."""


def find_projects(
    state: ServerState, url: str, there: dict[int, Project], folder: HumanFolder
) -> FoundProjects:
    """The study's projects that are on this server. Raises InputError where none of them is.

    The address does not show that: one server may have many, and another server may listen on
    its port today. The titles do, with the study's digits in them.
    """
    found: list[PushedProject] = []
    missing: list[PushedProject] = []
    for project in state.projects:
        own = there.get(project.id)
        same = own is not None and own.title == project.title
        (found if same else missing).append(project)
    if missing and not found:
        raise _not_there(missing[0], state, url, folder)
    return FoundProjects(tuple(found), tuple(missing))


def check_same_server(
    state: ServerState, url: str, there: dict[int, Project], folder: HumanFolder
) -> None:
    """Raise InputError unless the study's projects are all on this server."""
    missing = find_projects(state, url, there, folder).missing
    if missing:
        raise _not_there(missing[0], state, url, folder)


def _not_there(
    project: PushedProject, state: ServerState, url: str, folder: HumanFolder
) -> InputError:
    return InputError(
        f"project {project.id}, `{project.title}`, is not on the server at {url}",
        where=folder.server,
        fix=f"The tasks were pushed to {state.url}. If the project was renamed there, give "
        f"it back its name. If it was deleted for good, what was pulled of it is kept: move "
        f"{folder.server.name} away and push again; what is answered is not asked again.",
    )


def labelling_links(folder: HumanFolder) -> dict[str, dict[str, str]]:
    """By annotator and project title, in the order in which the projects are to be done: where to
    label, one task after the other.

    The list of tasks (without `labeling=1`) would show what else there is.
    """
    state = pushed_state(folder)
    links: dict[str, dict[str, str]] = {}
    for project in sorted(state.projects, key=lambda p: (p.round, KINDS.index(p.kind))):
        link = f"{state.url}/projects/{project.id}/data?labeling=1"
        links.setdefault(project.annotator, {})[project.title] = link
    return links

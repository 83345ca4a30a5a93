"""How far the annotators are, asked of the server in one request."""

from typing import NamedTuple

from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.api import Server
from pairwright_human_eval.label_studio.state import (
    check_same_server,
    part_of_titles,
    pushed_state,
)
from pairwright_human_eval.records import KINDS, Kind


class Standing(NamedTuple):
    """One annotator's tasks of one kind."""

    annotator: str
    kind: Kind
    round: int
    assigned: int
    """Tasks that were pushed."""
    tasks: int
    """Tasks that are on the server; fewer where some were deleted."""
    done: int
    skipped: int
    """Skips; a task that was skipped and then answered counts under both."""


def status(server: Server, folder: HumanFolder) -> list[Standing]:
    """By annotator and round, and by kind in the order of the work."""
    state = pushed_state(folder)
    there = server.projects(part_of_titles(state))
    check_same_server(state, server.url, there, folder)
    standings = (
        Standing(
            project.annotator,
            project.kind,
            project.round,
            len(project.tasks),
            there[project.id].tasks,
            there[project.id].done,
            there[project.id].skipped,
        )
        for project in state.projects
    )
    return sorted(standings, key=lambda s: (s.annotator, s.round, KINDS.index(s.kind)))

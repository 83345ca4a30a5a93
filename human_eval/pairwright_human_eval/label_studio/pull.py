"""From the server: annotations, one raw file a project, and how far the annotators are.

The file is `human/private/raw/SERVER-PROJECT.json`. It names accounts by number and holds neither
e-mails nor drafts: `exports` sees to that before anything is written.
"""

from pathlib import Path
from typing import NamedTuple

from pairwright_human_eval.annotation_exports.raw_files import store_pulled
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.client import LabelStudioClient
from pairwright_human_eval.label_studio.exports import clean_task
from pairwright_human_eval.label_studio.files import config_hash
from pairwright_human_eval.label_studio.projects import (
    find_projects,
    part_of_titles,
    pushed_state,
)
from pairwright_human_eval.label_studio.push import Progress
from pairwright_human_eval.raw_export import Export
from pairwright_human_eval.records import KINDS, Kind


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
    server: LabelStudioClient, folder: HumanFolder, *, progress: Progress = lambda *_: None
) -> PullResult:
    """Fetch every project that was pushed. May be repeated and interrupted at any time.

    Counts do not show whether an answer was changed, so every project is fetched again; the
    time it takes follows the number of annotated tasks.
    """
    state = pushed_state(folder)
    there = server.projects(part_of_titles(state))
    projects, missing = find_projects(state, server.url, there, folder)
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
        stored = store_pulled(export, folder)
        annotations += stored.annotations
        if stored.new:
            changed.append(stored.path)
        if there[project.id].tasks < len(project.tasks):
            held = {task.id for task in server.held(project.id)}
            gone[project.title] = tuple(k for k, id in project.tasks.items() if id not in held)
        progress(n, len(projects))
    titles = tuple(project.title for project in missing)
    return PullResult(len(projects), tuple(changed), annotations, gone, titles)


class TaskProgress(NamedTuple):
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


def task_progress(server: LabelStudioClient, folder: HumanFolder) -> list[TaskProgress]:
    """By annotator and round, and by kind in the order of the work."""
    state = pushed_state(folder)
    there = server.projects(part_of_titles(state))
    found = find_projects(state, server.url, there, folder)
    standings = (
        TaskProgress(
            project.annotator,
            project.kind,
            project.round,
            len(project.tasks),
            there[project.id].tasks,
            there[project.id].done,
            there[project.id].skipped,
        )
        for project in found.there
    )
    missing = (
        TaskProgress(one.annotator, one.kind, one.round, len(one.tasks), 0, 0, 0)
        for one in found.missing
    )
    return sorted((*standings, *missing), key=lambda s: (s.annotator, s.round, KINDS.index(s.kind)))

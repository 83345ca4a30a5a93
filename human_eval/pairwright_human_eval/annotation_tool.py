"""The annotation tools that a study's files are for: Label Studio, and spreadsheets.

Another tool is one more writer of task files and one more reader of what comes back. What talks to
a tool's server is in `pairwright.workflows`.
"""

from collections.abc import Mapping
from pathlib import Path

from pairwright_human_eval.annotation import AnnotatedTask, AnnotationFile
from pairwright_human_eval.label_studio import exports
from pairwright_human_eval.label_studio.annotations import read_annotation, with_earlier
from pairwright_human_eval.label_studio.exports import clean_task
from pairwright_human_eval.label_studio.files import (
    config_hashes,
    form_files,
    read_task_file,
    task_file,
)
from pairwright_human_eval.language import load_language
from pairwright_human_eval.raw_export import Export, ExportedTask
from pairwright_human_eval.records import KeyedTask, Study
from pairwright_human_eval.spreadsheet.filled_in import is_sheet, read_sheet
from pairwright_human_eval.stored_annotation import read_stored

__all__ = [
    "clean_task",
    "config_hashes",
    "form_files",
    "read_annotations",
    "read_export",
    "read_task_file",
    "task_file",
    "with_earlier",
]


def read_export(path: Path, key: Mapping[str, KeyedTask], study: Study) -> Export:
    """What a file of either tool holds. Raises InputError where it cannot be read."""
    if is_sheet(path):
        return read_sheet(path, key, study, load_language(study.language))
    return exports.read_export(path)


def read_annotations(export: Export) -> AnnotationFile:
    """A file's annotations as records that name no tool."""
    return AnnotationFile(
        file=export.file,
        source=export.source,
        config_hash=export.config_hash,
        simulated=export.simulated,
        seconds=export.seconds,
        sequence=export.sequence,
        tasks=tuple(_annotated(task, export) for task in export.tasks),
        gone=tuple(_annotated(task, export) for task in export.gone),
    )


def _annotated(task: ExportedTask, export: Export) -> AnnotatedTask:
    read = (
        read_annotation(content, task, n)
        if export.tool == "label-studio"
        else read_stored(content, export, n)
        for n, content in enumerate(task.annotations)
    )
    return AnnotatedTask(
        id=task.id,
        task=task.task,
        data_hash=task.data_hash,
        annotations=tuple(read),
        drafts=task.drafts,
    )

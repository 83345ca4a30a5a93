"""The annotation tool that a study's files are for: Label Studio.

Another tool gives the same functions, and this module imports them from its room instead. What
talks to the tool's server is in `pairwright.workflows`.
"""

from pairwright_human_eval.label_studio.annotations import (
    exported_task,
    read_annotation,
    with_earlier,
)
from pairwright_human_eval.label_studio.exports import clean_task, read_export
from pairwright_human_eval.label_studio.files import (
    config_hashes,
    form_files,
    read_task_file,
    task_file,
)

__all__ = [
    "clean_task",
    "config_hashes",
    "exported_task",
    "form_files",
    "read_annotation",
    "read_export",
    "read_task_file",
    "task_file",
    "with_earlier",
]

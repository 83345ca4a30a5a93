"""The annotator tool of a study, for all who need it for files: the one place that says which.

Another tool in its place gives the same functions. Its server is for `pairwright.workflows`.
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

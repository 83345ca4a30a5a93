"""The tasks of a study as pages that need no server."""

from dataclasses import dataclass
from pathlib import Path

from pairwright.files import write_whole
from pairwright.options import RunPath
from pairwright.workflows.study import open_study
from pairwright_human_eval.language import load_language
from pairwright_human_eval.pages import INDEX, preview_pages
from pairwright_human_eval.study_files import read_tasks


@dataclass(frozen=True, slots=True)
class TaskPreview:
    """Pages that were written."""

    index: Path
    """The guidelines, and links to the other pages."""
    pages: tuple[Path, ...]
    """One a person and round."""


def preview_tasks(run: RunPath) -> TaskPreview:
    """Write every annotator's tasks as a page of HTML into RUN/human/preview.

    A page shows what the annotator sees, in the order of the work, and stores nothing. It says
    nothing that the tasks do not say.

    Raises InputError where there is no study, or a file of tasks is missing.

        >>> preview_tasks("runs/first").index
        PosixPath('runs/first/human/preview/index.html')
    """
    with open_study(Path(run)) as study:
        folder, fixed = study.folder, study.fixed
        tasks = read_tasks(folder, fixed.key.values())
        guidelines = folder.guidelines.read_text(encoding="utf-8")
        language = load_language(fixed.study.language)
        written = []
        for name, page in preview_pages(fixed.key, tasks, fixed.study, guidelines, language):
            path = folder.preview / name
            write_whole(path, page)
            written.append(path)
    return TaskPreview(
        folder.preview / INDEX, tuple(path for path in written if path.name != INDEX)
    )

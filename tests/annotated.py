"""Annotations for tests: real exports, and their tasks to be changed.

`exports/` holds what Label Studio 1.23.2 gave for a study of ten made-up pairs, cut to a few
tasks a file. People with addresses at example.com annotated through the API, rightly and in every
wrong way it lets pass.

    preference*.json            annotator-01's project: a skip, two by one person, a changed task,
                                a copied one; with drafts (all tasks)
    wrong_results.json          annotator-02's: results that the form does not allow
    rubric.json quality.json    annotator-01's
    json_min.json *.csv         not to be imported
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pairwright_human_eval.acceptance import Acceptance, derive
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.raw_files import import_files
from pairwright_human_eval.records import KeyedTask, Study

EXPORTS = Path(__file__).parent / "exports"
STUDY = Study.model_validate_json((EXPORTS / "study.json").read_bytes())
KEY = {
    task.task: task
    for task in map(
        KeyedTask.model_validate_json, (EXPORTS / "key.jsonl").read_text("utf-8").splitlines()
    )
}


def rows(name: str) -> list[dict[str, Any]]:
    """The tasks of a real export, to be changed."""
    found: list[dict[str, Any]] = json.loads((EXPORTS / f"{name}.json").read_text("utf-8"))
    return found


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def imported(run: Path, *names: str) -> Acceptance:
    """Real exports by name, through the files of a run folder."""
    return imported_files(run, *(EXPORTS / f"{name}.json" for name in names))


def imported_files(run: Path, *files: Path) -> Acceptance:
    folder = HumanFolder(run)
    *_, refused = import_files(files, folder, KEY, STUDY)
    for error in refused:
        raise error
    return derive(folder, KEY)


def imported_rows(run: Path, tasks: Iterable[object]) -> Acceptance:
    """Tasks as exported by hand."""
    run.mkdir(exist_ok=True)
    return imported_files(run, written(run / "export.json", list(tasks)))


def reasons(accepted: Acceptance) -> dict[int | None, str]:
    """Why each annotation was set aside, by Label Studio's number."""
    return {line.annotation: line.reason for line in accepted.set_aside}


def annotations(tasks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [annotation for task in tasks for annotation in task["annotations"]]

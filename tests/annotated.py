"""Annotations for tests: real exports, and one annotation after the other made up.

`exports/` holds what Label Studio 1.23.2 gave for a study of ten made-up pairs, cut to a few
tasks a file. Four people with addresses at example.com were signed up (accounts 2 to 5; 1 is the
administrator), and annotated through the API, rightly and in every wrong way it lets pass.

    preference*.json            annotator-01's project: skip, two by one person, edits by others,
                                a changed task, a copied one; before a deletion, with drafts
                                (all tasks), and as a snapshot, which spells accounts out
    wrong_results.json          annotator-02's: results that the form does not allow
    before_change_of_form.json  annotator-03's; the hash of its later form is in changed_form.txt
    *account_deleted.json       annotator-04's, before and after the account was deleted
    rubric.json quality.json    annotator-01's; the last task came with an annotation
    json_min.json *.csv *.tsv   not to be imported
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pairwright_human_eval.acceptance import Acceptance, derive
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.exports import read_export
from pairwright_human_eval.raw_files import read_raw, store
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


def store_raw(path: Path, folder: HumanFolder, simulated: bool = False) -> tuple[Path, bool, int]:
    """Keep an export as `human import` does."""
    return store(read_export(path).model_copy(update={"simulated": simulated}), folder)


def imported_files(run: Path, *files: Path) -> Acceptance:
    folder = HumanFolder(run)
    for file in files:
        store_raw(file, folder)
    return derive(folder, KEY, STUDY)


def imported_rows(run: Path, tasks: Iterable[object], **pull: object) -> Acceptance:
    """Tasks as exported by hand; with `pull`, as our own pull wraps them."""
    run.mkdir(exist_ok=True)
    if not pull:
        return imported_files(run, written(run / "export.json", list(tasks)))
    folder = HumanFolder(run)
    store(read_raw(written(run / "pulled.json", {**pull, "tasks": list(tasks)})), folder)
    return derive(folder, KEY, STUDY)


def reasons(accepted: Acceptance) -> dict[int | None, str]:
    """Why each annotation was set aside, by Label Studio's number."""
    return {line.annotation: line.reason for line in accepted.set_aside}


def annotations(tasks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [annotation for task in tasks for annotation in task["annotations"]]

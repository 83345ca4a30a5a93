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
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pairwright.lines import write_one
from pairwright_human_eval.answers import ImportedAnswers, import_answers
from pairwright_human_eval.folder import HumanFolder, file_hash
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


def imported(run: Path, *names: str) -> ImportedAnswers:
    """Real exports by name, through the files of a run folder."""
    return imported_files(run, *(EXPORTS / f"{name}.json" for name in names))


def imported_files(run: Path, *files: Path) -> ImportedAnswers:
    """All of the files, or the last refusal."""
    folder = HumanFolder(run)
    if not folder.study.exists():
        folder.private.mkdir(parents=True)
        shutil.copy(EXPORTS / "key.jsonl", folder.key)
        write_one(folder.study, Study(**dict(STUDY) | {"key_hash": file_hash(folder.key)}))
    taken = import_answers(run, files)
    for error in taken.refused:
        raise error
    return taken


def imported_rows(run: Path, tasks: Iterable[object]) -> ImportedAnswers:
    """Tasks as exported by hand."""
    run.mkdir(exist_ok=True)
    return imported_files(run, written(run / "export.json", list(tasks)))


def annotations(tasks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [annotation for task in tasks for annotation in task["annotations"]]


def outcomes(tasks: list[dict[str, Any]], answered: ImportedAnswers) -> dict[Any, str]:
    """By Label Studio's number of an annotation: what was preferred, or the kind of what was
    answered; or why it was set aside. Without a number: a draft."""
    aside = {line.place: line.reason for line in answered.set_aside}
    said: dict[Any, str] = {}
    for answer in answered.answers:
        keyed = KEY[answer.task]
        places = {role: place for place, role in keyed.sides.items()}
        if answer.kind != "comment":
            preferred = keyed.kind == "preference"
            label = places.get(answer.label, answer.label)
            said[answer.task] = label if preferred else keyed.kind
    found: dict[Any, str] = {}
    for n, task in enumerate(tasks, start=1):
        for k, annotation in enumerate(task["annotations"], start=1):
            name = task["data"]["task"]
            why = aside.get(f"task {n}, annotation {k}")
            found[annotation["id"]] = why or said[name]
        if f"task {n}" in aside:
            found[None] = aside[f"task {n}"]
    return found

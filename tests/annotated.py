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

from pairwright.lines import read_lines, read_one, write_one
from pairwright_human_eval.answers import ImportedAnswers, import_answers
from pairwright_human_eval.folder import HumanFolder, file_hash
from pairwright_human_eval.records import KeyedTask, Study

EXPORTS = Path(__file__).parent / "exports"
STUDY = read_one(EXPORTS / "study.json", Study)
KEY = {task.task: task for task in read_lines(EXPORTS / "key.jsonl", KeyedTask)}


def rows(name: str) -> list[dict[str, Any]]:
    """The tasks of a real export, to be changed."""
    found: list[dict[str, Any]] = json.loads((EXPORTS / f"{name}.json").read_text("utf-8"))
    return found


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


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
    """By Label Studio's number of an annotation: what was preferred, or the kind of the task; or
    why it was set aside. Without a number: a draft."""
    found: dict[Any, str] = {}
    for line in answered.answers:
        keyed = KEY[line.task]
        places = {role: place for place, role in keyed.sides.items()}
        if line.kind != "comment":
            preferred = keyed.kind == "preference"
            found[line.task] = places.get(line.label, line.label) if preferred else keyed.kind
    aside = {line.place: line.reason for line in answered.set_aside}
    by_number: dict[Any, str] = {}
    for n, task in enumerate(tasks, start=1):
        for k, annotation in enumerate(task["annotations"], start=1):
            why = aside.get(f"task {n}, annotation {k}")
            by_number[annotation["id"]] = why or found[task["data"]["task"]]
        if f"task {n}" in aside:
            by_number[None] = aside[f"task {n}"]
    return by_number

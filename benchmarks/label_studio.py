"""What push and pull cost beside bare bulk requests of the same data to the same real server, and
our own seconds of a pull and its answers after 300 new annotations.

A ratio is wall time over wall time, the worst of the sizes; the raw side makes the same projects
and sends the same tasks in requests of the same size, or fetches the same exports and reads them.
Our own seconds are CPU of this process, from the first request to answers.jsonl.

    .venv/bin/python benchmarks/label_studio.py [SIZE ...]      (1000 10000)
"""

import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx2
from pydantic import JsonValue

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from label_studio_process import (
    DATABASE,
    LabelStudioServer,
    ServerAccount,
    serving_label_studio,
)
from label_studio_server import answers, make_study
from live_study import LiveStudy
from pairwright.lines import write_one
from pairwright_human_eval.folder import read_study
from pairwright_human_eval.label_studio import (
    LabelStudioClient,
    PushedProject,
    ServerState,
    connected,
    pull_answers,
    push_tasks,
    title_of,
)
from pairwright_human_eval.records import Kind

NEW = 300
WHO = ("annotator-01", "annotator-02", "annotator-03", "annotator-04", "annotator-05")
KINDS: tuple[Kind, ...] = ("preference", "rubric")
WORDS = 120
"""In each long text of a task: 5 KB in all."""


People = dict[str, ServerAccount]


class Left(NamedTuple):
    """A task that is to be annotated one by one."""

    who: ServerAccount
    task: int
    result: list[JsonValue]


class Figures(NamedTuple):
    push_ratio: float
    pull_ratio: float
    own_seconds: float


def main(sizes: list[int]) -> None:
    with (
        tempfile.TemporaryDirectory() as scratch,
        serving_label_studio(Path(scratch) / "data") as running,
        connected(running.url, running.account.token) as server,
    ):
        os.environ["LABEL_STUDIO_API_KEY"] = running.account.token
        people = {who: running.sign_up(f"{who}@example.org") for who in WHO}
        figures = [
            measure(running, server, people, Path(scratch) / str(size), size) for size in sizes
        ]
    print(
        json.dumps(
            {
                "push_ratio": round(max(f.push_ratio for f in figures), 2),
                "pull_ratio": round(max(f.pull_ratio for f in figures), 2),
                "pull_own_seconds": round(figures[-1].own_seconds, 2),
            }
        )
    )


def measure(
    running: LabelStudioServer, server: LabelStudioClient, people: People, run: Path, size: int
) -> Figures:
    subjects = size // (len(WHO) * len(KINDS))
    made = make_study(run / "pushed", subjects, WHO, KINDS, WORDS)
    # The small size is over in seconds, and the machine is not ours alone.
    rounds = 5 if size <= 1000 else 1
    ours, raw = [], []
    for n in range(rounds):
        raw.append(timed(partial(raw_push, running, server, made, n)))
        again = make_study(run / f"pushed-{n}", subjects, WHO, KINDS, WORDS, seed=n + size)
        ours.append(timed(partial(push_tasks, again.folder.run, running.url)))
    push_ratio = median(ours) / median(raw)
    print(f"{size:,} tasks: push {median(ours):.1f} s, raw {median(raw):.1f} s", flush=True)

    made = make_study(run / "pulled", subjects, WHO, KINDS, WORDS, seed=size + 100)
    left = annotated_study(running, server, people, made)
    ours, raw = [], []
    for _ in range(rounds):
        raw.append(timed(lambda: raw_pull(running, made)))
        ours.append(timed(partial(pull_answers, made.folder.run)))
    pull_ratio = median(ours) / median(raw)
    print(f"{size:,} tasks: pull {median(ours):.1f} s, raw {median(raw):.1f} s", flush=True)

    annotate(running, left)
    before = time.process_time()
    tasks = len(pull_answers(made.folder.run).tasks)
    own = time.process_time() - before
    assert tasks == size, f"{tasks} answered of {size}"
    print(f"{size:,} tasks: {own:.2f} s of our own for a pull of {tasks:,} answers", flush=True)
    return Figures(push_ratio, pull_ratio, own)


def raw_push(
    running: LabelStudioServer, server: LabelStudioClient, made: LiveStudy, n: int
) -> None:
    for number, (config, data) in enumerate(loads(made)):
        project = server.create(f"raw {made.run.parent.name} {n} {number}", config)
        raw_import(running, project, data)


def loads(made: LiveStudy) -> Iterable[tuple[str, list[JsonValue]]]:
    for who in WHO:
        for kind in KINDS:
            data = json.loads(made.folder.tasks(who, kind).read_bytes())
            yield made.folder.form(kind).read_text(encoding="utf-8"), data


def annotated_study(
    running: LabelStudioServer, server: LabelStudioClient, people: People, made: LiveStudy
) -> list[Left]:
    """Put a study on the server with all but NEW tasks annotated, as if it had been pushed.

    Annotations come with the tasks, in bulk: one by one they would take the better part of an
    hour. The tasks that are left, with their answers.
    """
    projects: list[PushedProject] = []
    titles = title_of(read_study(made.folder.run))
    left: list[Left] = []
    each = NEW // (len(WHO) * len(KINDS))
    for who, kind in ((who, kind) for who in WHO for kind in KINDS):
        title = f"{titles} {who} {kind}"
        project = server.create(title, made.folder.form(kind).read_text(encoding="utf-8"))
        tasks = json.loads(made.folder.tasks(who, kind).read_bytes())
        names = tuple(task["data"]["task"] for task in tasks)
        for n, task in enumerate(tasks[:-each]):
            task["annotations"] = [
                {"result": answers(kind, n), "completed_by": people[who].id, "lead_time": 3.0}
            ]
        ids = raw_import(running, project, tasks)
        left += [Left(people[who], task, answers(kind)) for task in ids[-each:]]
        pushed = PushedProject(
            id=project, title=title, annotator=who, kind=kind, round=1, tasks=names
        )
        projects.append(pushed)
    write_one(made.folder.server, ServerState(url=running.url, projects=tuple(projects)))
    # What is imported has no last editor, unlike what people give.
    with closing(sqlite3.connect(running.data / DATABASE, timeout=60)) as database, database:
        database.execute("UPDATE task_completion SET updated_by_id = completed_by_id")
    return left


def raw_import(running: LabelStudioServer, project: int, tasks: list[JsonValue]) -> list[int]:
    """One bulk request with nothing around it."""
    reply = httpx2.post(
        f"{running.url}/api/projects/{project}/import?return_task_ids=true",
        headers={"Authorization": f"Token {running.account.token}"},
        json=tasks,
        timeout=900,
        trust_env=False,
    )
    assert reply.status_code == 201, reply.text
    return [int(task) for task in reply.json()["task_ids"]]


def raw_pull(running: LabelStudioServer, made: LiveStudy) -> None:
    headers = {"Authorization": f"Token {running.account.token}"}
    for project in json.loads(made.folder.server.read_bytes())["projects"]:
        url = f"{running.url}/api/projects/{project['id']}/export?exportType=JSON"
        reply = httpx2.get(url, headers=headers, timeout=900, trust_env=False)
        assert reply.status_code == 200
        assert reply.content


def annotate(running: LabelStudioServer, left: list[Left]) -> None:
    with httpx2.Client(base_url=running.url, timeout=60, trust_env=False) as session:
        for who, task, result in left:
            reply = session.post(
                f"/api/tasks/{task}/annotations/",
                json={"result": result},
                headers={"Authorization": f"Token {who.token}"},
            )
            assert reply.status_code == 201


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [1000, 10000])

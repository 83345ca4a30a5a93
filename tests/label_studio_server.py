"""For tests and benchmarks of Label Studio: a study without a build, and people who annotate it."""

import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import httpx2
from pydantic import JsonValue

from label_studio_process import LabelStudioServer, ServerAccount
from own_environment import cache_folder as cache_folder
from pairwright import assets
from pairwright.lines import read_one
from pairwright.records import content_id
from pairwright.settings.domains import Scale, load_scales
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.folder import HumanFolder, OpenStudy, write_study
from pairwright_human_eval.forms import questions
from pairwright_human_eval.label_studio import ServerState
from pairwright_human_eval.records import (
    CANNOT_JUDGE,
    KINDS,
    Data,
    KeyedTask,
    Kind,
    Study,
    Task,
    digest,
)

ANNOTATORS = ("annotator-01", "annotator-02", "annotator-03")
ASPECTS = 3


@cache
def scales() -> tuple[Scale, ...]:
    return load_scales(assets.RUBRICS)


def controls(kind: Kind, scales: tuple[Scale, ...], aspects: int) -> dict[str, set[str]]:
    """The controls of a complete form, by name, and what each may store."""
    asked = questions(kind, scales, aspects)
    return {name: set(one.choices) for name, one in asked.items()}


class Made(NamedTuple):
    """A study as `human export` leaves it."""

    folder: HumanFolder
    study: Study
    key: tuple[KeyedTask, ...]

    @property
    def open(self) -> OpenStudy:
        return OpenStudy(self.folder, self.study, {row.task: row for row in self.key})

    def pushed(self) -> ServerState:
        """What was pushed."""
        return read_one(self.folder.server, ServerState)

    def rows(self, annotator: str, kind: Kind) -> list[KeyedTask]:
        return [row for row in self.key if (row.annotator, row.kind) == (annotator, kind)]


def make_study(
    run: Path,
    units: int,
    annotators: tuple[str, ...] = ANNOTATORS,
    kinds: tuple[Kind, ...] = KINDS,
    words: int = 60,
    seed: int = 0,
) -> Made:
    """Tasks of every kind and unit for every annotator; `words` in each long text.

    Studies of other seeds are other studies to a server.
    """
    study = Study(
        version="0",
        pairs_hash="",
        seed=seed,
        annotators=annotators,
        overlap=len(annotators),
        of=units,
        policy=HumanRules(),
        scales=scales(),
    )
    tasks = {
        who: [_task(n, kind, who, words) for kind in kinds for n in range(units)]
        for who in annotators
    }
    folder = HumanFolder(run)
    write_study(folder, study, [task for own in tasks.values() for task in own])
    return Made(folder, study, tuple(task.keyed for who in annotators for task in tasks[who]))


def _task(n: int, kind: Kind, annotator: str, words: int) -> Task:
    long = " ".join(f"word{n}" for _ in range(words))
    a, b = f"Use the steamer. {long}", f"Call the chat line. {long}"
    data: Data = {
        "task": content_id("task", annotator, kind, str(n)),
        "question": f"Question {n}: how do I froth milk?",
        "response_a": f"<p>{a}</p>",
        "response_b": f"<p>{b}</p>",
    }
    posts: list[JsonValue] = [
        {"when": f"2024-01-{day:02}", "text": f"Mail me at reader{day}@example.com. {long}"}
        for day in range(1, 4)
    ]
    aspects: list[JsonValue] = [
        {"text": f"Names tool {row}", "quote": "my old steamer"} for row in range(ASPECTS)
    ]
    if kind == "preference":
        data |= {"posts": posts}
    elif kind == "rubric":
        data |= {"posts": posts, "narrative": [], "aspects": aspects}
    keyed = KeyedTask(
        task=str(data["task"]),
        kind=kind,
        purpose="vote",
        round=1,
        annotator=annotator,
        unit=f"unit-{n}",
        pair="" if kind == "quality" else f"pair-{n}",
        label="chosen",
        a="first" if kind == "quality" else "chosen",
        aspects=ASPECTS if kind == "rubric" else 0,
        data_hash=digest(data),
    )
    return Task(data, keyed)


def answers(kind: Kind, pick: int = 0) -> list[JsonValue]:
    """A complete result: of every control's values the one numbered `pick`, in their order."""
    result: list[JsonValue] = []
    for name, values in controls(kind, scales(), ASPECTS).items():
        ordered = sorted(values - {CANNOT_JUDGE})
        result.append(ticked(name, ordered[pick % len(ordered)]))
    return result


def ticked(control: str, choice: str) -> JsonValue:
    """An answer as the page would send it."""
    value: JsonValue = {"choices": [choice]}
    return {"from_name": control, "to_name": "Question", "type": "choices", "value": value}


class Person:
    """An annotator's session over the API, as the page itself would talk to the server."""

    def __init__(self, url: str, account: ServerAccount) -> None:
        headers = {"Authorization": f"Token {account.token}"}
        self.account = account
        self._http = httpx2.Client(base_url=url, headers=headers, timeout=60, trust_env=False)

    def close(self) -> None:
        self._http.close()

    def annotate(self, task: int, result: list[JsonValue], *, skip: bool = False) -> int:
        body = {"result": result, "was_cancelled": skip, "lead_time": 4.5}
        return self._id(self._http.post(f"/api/tasks/{task}/annotations/", json=body))

    def change(self, annotation: int, result: list[JsonValue]) -> None:
        reply = self._http.patch(f"/api/annotations/{annotation}/", json={"result": result})
        assert reply.status_code == 200, reply.text

    def draft(self, task: int, result: list[JsonValue]) -> int:
        body = {"result": result, "lead_time": 1.0}
        return self._id(self._http.post(f"/api/tasks/{task}/drafts", json=body))

    def delete_task(self, task: int) -> None:
        assert self._http.delete(f"/api/tasks/{task}/").status_code == 204

    def _id(self, reply: httpx2.Response) -> int:
        assert reply.status_code == 201, reply.text
        return int(reply.json()["id"])


def newcomer(server: LabelStudioServer, name: str) -> Person:
    """Somebody who came in by the invite link."""
    return Person(server.url, server.sign_up(f"{name}@example.org", "a-long-password"))


def held(url: str, token: str, project: int) -> dict[str, int]:
    """By our ids: the server's ids of the tasks that a project holds, in its order."""
    headers = {"Authorization": f"Token {token}"}
    parameters: dict[str, str | int] = {
        "project": project,
        "page_size": 5_000,
        "include": "id,data",
    }
    reply = httpx2.get(
        f"{url}/api/tasks/", headers=headers, params=parameters, timeout=900, trust_env=False
    )
    assert reply.status_code == 200, reply.text
    tasks = sorted(reply.json()["tasks"], key=lambda task: task["id"])
    found = {task["data"]["task"]: task["id"] for task in tasks}
    assert len(found) == len(tasks), "a task is there twice"
    return found


def raw_import(url: str, token: str, project: int, tasks: Iterable[JsonValue]) -> list[int]:
    """One bulk request with nothing around it."""
    headers = {"Authorization": f"Token {token}"}
    reply = httpx2.post(
        f"{url}/api/projects/{project}/import?return_task_ids=true",
        headers=headers,
        json=list(tasks),
        timeout=900,
        trust_env=False,
    )
    assert reply.status_code == 201, reply.text
    return [int(task) for task in reply.json()["task_ids"]]


def wait_for(what: str, happened: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, f"{what} did not happen within {seconds} s"
        time.sleep(0.02)

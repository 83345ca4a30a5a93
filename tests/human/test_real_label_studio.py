"""Push, pull and status against the real Label Studio, in its cached environment."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx2
import pytest

from label_studio_process import LabelStudioServer
from label_studio_server import (
    ANNOTATORS,
    Made,
    Person,
    answers,
    held,
    make_study,
    newcomer,
    wait_for,
)
from pairwright.progress import Event, Note
from pairwright_human_eval.answers import write_answers
from pairwright_human_eval.folder import read_study
from pairwright_human_eval.label_studio import (
    LabelStudioClient,
    PushResult,
    pull_answers,
    push_tasks,
)

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("key")]

UNITS = 200
ANNOTATED = 8
"""Tasks of every kind that each annotator does; one more is skipped, one left as a draft."""


@pytest.fixture(scope="module")
def people(running: LabelStudioServer) -> Iterator[dict[str, Person]]:
    """Three people who came in by the invite link, one for every annotator."""
    with ExitStack() as stack:
        yield {who: stack.enter_context(closing(newcomer(running, who))) for who in ANNOTATORS}


def push(running: LabelStudioServer, made: Made) -> PushResult:
    return push_tasks(made.folder.run, running.url)


def pull(made: Made) -> list[str]:
    """What is odd on the server."""
    events: list[Event] = []
    pull_answers(made.folder.run, progress=events.append)
    return [event.text for event in events if isinstance(event, Note)]


def test_200_units_go_out_and_come_back(
    tmp_path: Path, running: LabelStudioServer, people: dict[str, Person]
) -> None:
    made = make_study(tmp_path, UNITS)
    pushed = push(running, made)
    assert (pushed.imported, len(made.pushed().projects)) == (9 * UNITS, 9)
    state = made.pushed()
    for project in state.projects:
        rows = made.rows(project.annotator, project.kind)
        # In the order of the file.
        names = [row.task for row in rows]
        assert list(project.tasks) == names
        ids = held(running.url, running.account.token, project.id)
        assert list(ids) == names
        person, tasks = people[project.annotator], list(ids.values())
        for n, id in enumerate(tasks[:ANNOTATED]):
            person.annotate(id, answers(project.kind, n))
        person.annotate(tasks[ANNOTATED], answers(project.kind), skip=True)
        person.draft(tasks[ANNOTATED + 1], answers(project.kind))
    books = made.folder.server.read_bytes()
    again = push(running, made)
    assert (again.imported, again.already) == (0, 9 * UNITS)
    assert made.folder.server.read_bytes() == books
    assert pull(made) == []
    before = sorted(made.folder.raw.iterdir())
    assert len(before) == 9
    pull(made)
    assert sorted(made.folder.raw.iterdir()) == before
    for path in before:
        # What was only begun the server does not export.
        assert len(json.loads(path.read_bytes())) == ANNOTATED + 1

    answered = write_answers(read_study(made.folder.run))
    assert len(answered.tasks) == 9 * ANNOTATED
    assert Counter(aside.reason for aside in answered.set_aside) == {"skipped": 9}
    assert "@" not in made.folder.answers.read_text(encoding="utf-8")


def test_what_changes_on_the_server_is_pulled_and_what_is_deleted_is_named(
    tmp_path: Path, running: LabelStudioServer, people: dict[str, Person]
) -> None:
    made = make_study(tmp_path, 5, ANNOTATORS[:1], ("preference",))
    push(running, made)
    (project,) = made.pushed().projects
    person = people[ANNOTATORS[0]]
    ids = list(held(running.url, running.account.token, project.id).values())
    annotation = person.annotate(ids[0], answers("preference", 0))
    pull(made)
    # The counts stay what they are when an answer is changed.
    person.change(annotation, answers("preference", 1))
    pull(made)
    (answer,) = write_answers(read_study(made.folder.run)).answers
    assert answer.label == made.open.key[answer.task].sides["B"]

    person.delete_task(ids[0])
    person.delete_task(ids[4])
    (note,) = pull(made)
    assert f"`{project.title}` lacks 2 tasks" in note
    # A push does not bring back what somebody deleted.
    assert push(running, made).imported == 0


PUSH = """
import sys
from pairwright_human_eval.label_studio import push_tasks

push_tasks(sys.argv[1], sys.argv[2])
"""


@pytest.mark.parametrize("done", [0, 1, 3])
def test_a_push_that_is_killed_goes_on_without_importing_twice(
    tmp_path: Path, running: LabelStudioServer, server: LabelStudioClient, done: int
) -> None:
    people = tuple(f"annotator-{done}{n}" for n in range(4))
    made = make_study(tmp_path, UNITS, people, ("preference",))
    process = subprocess.Popen([sys.executable, "-c", PUSH, str(tmp_path), running.url])

    def in_the_middle() -> bool:
        """An import is out, and it is not known what came of it."""
        if not made.folder.server.exists():
            return False
        projects = made.pushed().projects
        return len(projects) == done + 1 and not projects[-1].tasks

    wait_for("an import", in_the_middle)
    process.kill()
    process.wait()
    pushed = push(running, made)
    assert (pushed.imported, pushed.already) == ((4 - done) * UNITS, done * UNITS)
    title = made.pushed().projects[0].title.partition(" annotator")[0]
    there = server.projects(title)
    assert there.keys() == {project.id for project in made.pushed().projects}
    for project in made.pushed().projects:
        ids = held(running.url, running.account.token, project.id)
        assert list(ids) == list(project.tasks)
        assert len(ids) == UNITS


@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince20")  # The SDK's own.
def test_a_personal_access_token_serves_as_well(
    tmp_path: Path,
    running: LabelStudioServer,
    people: dict[str, Person],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    account = people[ANNOTATORS[0]].account
    with httpx2.Client(base_url=running.url, trust_env=False, timeout=60) as session:
        session.get("/user/login/")
        form = {"email": account.email, "password": account.password}
        form["csrfmiddlewaretoken"] = str(session.cookies["csrftoken"])
        referer = {"Referer": f"{running.url}/user/login/"}
        assert session.post("/user/login/", data=form, headers=referer).status_code == 302
        headers = referer | {"X-CSRFToken": str(session.cookies["csrftoken"])}
        token = session.post("/api/token/", headers=headers).json()["token"]
    assert re.fullmatch(r"[^.]+\.[^.]+\.[^.]+", token)
    made = make_study(tmp_path, 2, ("annotator-40",), ("quality",))
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", token)
    assert push(running, made).imported == 2

"""Push, pull and status against the real Label Studio, in its cached environment."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx2
import pytest

from label_studio_process import LabelStudioServer, Person, held, wait_for
from label_studio_server import ANNOTATORS, answers, make_study, pull, pushed
from pairwright_human_eval.answers import write_answers
from pairwright_human_eval.folder import read_study
from pairwright_human_eval.label_studio import LabelStudioClient, push_tasks

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("key")]

UNITS = 200
ANNOTATED = 8
"""Tasks of every kind that each annotator does; one more is skipped, one left as a draft."""


@pytest.fixture(scope="module")
def people(running: LabelStudioServer) -> dict[str, Person]:
    """Three people who came in by the invite link, one for every annotator."""
    accounts = {who: running.sign_up(f"{who}@example.org") for who in ANNOTATORS}
    return {who: Person(running.url, account) for who, account in accounts.items()}


def test_200_units_go_out_and_come_back_and_changes_on_the_server_are_seen(
    tmp_path: Path, running: LabelStudioServer, people: dict[str, Person]
) -> None:
    study = make_study(tmp_path, UNITS)
    assert push_tasks(study.run, running.url).imported == 9 * UNITS
    projects = pushed(study).projects
    assert len(projects) == 9
    for project in projects:
        # In the order of the file.
        own = study.own(project.annotator)
        names = [keyed.task for keyed in own if keyed.kind == project.kind]
        ids = held(running, project.id)
        assert list(project.tasks) == names == list(ids)
        person, tasks = people[project.annotator], list(ids.values())
        for n, id in enumerate(tasks[1:ANNOTATED], start=1):
            person.annotate(id, answers(project.kind, n))
        given = person.annotate(tasks[0], answers(project.kind))
        person.annotate(tasks[ANNOTATED], answers(project.kind), skip=True)
        person.draft(tasks[ANNOTATED + 1], answers(project.kind))
    books = study.folder.server.read_bytes()
    again = push_tasks(study.run, running.url)
    assert (again.imported, again.already) == (0, 9 * UNITS)
    assert study.folder.server.read_bytes() == books
    assert pull(study) == []
    before = sorted(study.folder.raw.iterdir())
    pull(study)
    assert sorted(study.folder.raw.iterdir()) == before
    # What was only begun the server does not export.
    assert [len(json.loads(path.read_bytes())) for path in before] == [ANNOTATED + 1] * 9
    answered = write_answers(read_study(study.run))
    assert len(answered.tasks) == 9 * ANNOTATED
    assert Counter(aside.reason for aside in answered.set_aside) == {"skipped": 9}
    assert "@" not in study.folder.answers.read_text(encoding="utf-8")
    # The counts stay what they are when an answer is changed.
    person.change(given, answers(project.kind, 1))
    pull(study)
    changed = {answer.label for answer in study.answers if answer.task == names[0]}
    assert changed == {answer.label for answer in study.answers if answer.task == names[1]}
    person.delete_task(tasks[0])
    person.delete_task(tasks[-1])
    (note,) = pull(study)
    assert f"`{project.title}` lacks 2 tasks" in note
    # A push does not bring back what somebody deleted.
    assert push_tasks(study.run, running.url).imported == 0


PUSH = """
import sys
from pairwright_human_eval.label_studio import push_tasks

push_tasks(sys.argv[1], sys.argv[2])
"""


def test_a_push_that_is_killed_goes_on_without_importing_twice(
    tmp_path: Path, running: LabelStudioServer, server: LabelStudioClient
) -> None:
    study = make_study(tmp_path, UNITS, ANNOTATORS, ("preference",))
    process = subprocess.Popen([sys.executable, "-c", PUSH, str(tmp_path), running.url])

    def in_the_middle() -> bool:
        """An import is out, and it is not known what came of it."""
        projects = pushed(study).projects if study.folder.server.exists() else ()
        return len(projects) == 2 and not projects[-1].tasks

    wait_for("an import", in_the_middle)
    process.kill()
    process.wait()
    again = push_tasks(study.run, running.url)
    assert (again.imported, again.already) == (2 * UNITS, UNITS)
    projects = pushed(study).projects
    there = server.projects(projects[0].title.partition(" annotator")[0])
    assert there.keys() == {project.id for project in projects}
    for project in projects:
        ids = held(running, project.id)
        assert (list(ids), len(ids)) == (list(project.tasks), UNITS)


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
    study = make_study(tmp_path, 2, ("annotator-40",), ("quality",))
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", token)
    assert push_tasks(study.run, running.url).imported == 2

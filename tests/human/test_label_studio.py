"""Push and pull where something goes wrong, against a stand-in for Label Studio's API.

The real server is in test_real_label_studio.py.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from label_studio_server import ANNOTATORS, answers, make_study, pull, pushed
from live_study import LiveStudy
from pairwright.assets import install
from pairwright.errors import CallFailed, EndpointRefused, InputError, PairwrightError
from pairwright_human_eval.answers import withdraw_person
from pairwright_human_eval.label_studio import PushResult, connected, pull_answers, push_tasks
from stand_in import KEY, Reply, StandIn, label_studio

UNITS = 10
BAD_GATEWAY: Reply = (502, "<h1>Bad gateway</h1>")


class Site(NamedTuple):
    """A study of three people with ten tasks each, and a server to push it to."""

    server: StandIn
    study: LiveStudy
    tasks: list[str]

    def push(self, url: str = "") -> PushResult:
        return push_tasks(self.study.run, url or self.server.url)

    def raw(self) -> dict[str, bytes]:
        """What was pulled."""
        paths = sorted(self.study.folder.raw.glob("project-*"))
        return {path.name.rpartition("-")[0]: path.read_bytes() for path in paths}

    def held(self) -> list[str]:
        """Tasks on the server, in its order."""
        return [name for id in self.server.projects for name in self.server.names(id)]

    def answer(self, project: int, n: int) -> None:
        """Somebody answers the first `n` tasks of a project."""
        own = [task for task in self.server.tasks.values() if task["project"] == project]
        times = dict.fromkeys(("created_at", "updated_at"), "2026-11-20T23:55:14+00:00")
        given = {"was_cancelled": False, "result": answers("preference"), **times}
        self.server.exports[project] = [
            {"project": project, "data": task["data"], "annotations": [{"id": id, **given}]}
            for id, task in enumerate(own[:n])
        ]

    def refused(self, match: str, *, push: bool = True, url: str = "") -> InputError:
        with pytest.raises(InputError, match=match) as refused:
            self.push(url) if push else pull(self.study)
        return refused.value


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", KEY)
    study = make_study(tmp_path, UNITS, ANNOTATORS, ("preference",))
    with label_studio() as server:
        yield Site(server, study, [*study.key])


def test_tasks_go_out_once_and_in_order(site: Site) -> None:
    first = site.push()
    assert (first.imported, first.already) == (30, 0)
    assert site.held() == site.tasks
    for (n, project), who in zip(site.server.projects.items(), ANNOTATORS, strict=True):
        assert re.fullmatch(rf"Study [0-9a-f]{{8}} {who} preference", project["title"])
        assert len(project["title"]) <= 50
        assert project["maximum_annotations"] == 1
        assert project["show_collab_predictions"] is False
        assert project["show_skip_button"] is True
        assert project["label_config"] == site.study.folder.form("preference").read_text("utf-8")
        link = f"{site.server.url}/projects/{n}/data?labeling=1"
        assert first.links[who] == [("preference", link)]
    state = site.study.folder.server.read_bytes()
    assert site.push() == PushResult(0, 30, first.links)
    assert site.study.folder.server.read_bytes() == state


def test_people_who_have_withdrawn_are_neither_asked_nor_fetched_from(site: Site) -> None:
    site.push()
    withdraw_person(site.study.run, ANNOTATORS[1], yes=True)
    pull(site.study)
    assert [*site.raw()] == ["project-1", "project-3"]
    site.study.folder.server.unlink()
    assert site.push().links.keys() == {ANNOTATORS[0], ANNOTATORS[2]}


def test_what_is_odd_on_the_server_is_noted_and_what_was_pulled_stays(site: Site) -> None:
    site.push()
    assert pull(site.study) == []
    before = site.raw()
    assert [*before] == ["project-1", "project-2", "project-3"]
    bodies: tuple[object, ...] = ("no json", {"tasks": []}, [1, 2])
    for body in bodies:
        site.server.exports[1] = body
        with pytest.raises(CallFailed, match="project 1"):
            pull(site.study)
        assert site.raw() == before
    first, second, third = site.server.projects.values()
    for n in (1, 2, 3):
        site.answer(n, 1)
    del site.server.tasks[min(site.server.tasks)]
    second["label_config"] = "<View/>"
    del site.server.projects[third["id"]]
    notes = pull(site.study)
    for n, said in enumerate(("lacks 1 tasks, deleted there", "has another form", "is not on the")):
        assert (first, second, third)[n]["title"] in notes[n]
        assert said in notes[n]
    assert [name for name, x in site.raw().items() if x != before[name]] == ["project-1"]
    assert len(pull_answers(site.study.run).refused) == 1
    assert site.push().imported == 0


@pytest.mark.parametrize(
    ("number", "reply", "said"),
    [
        (1, BAD_GATEWAY, "answered 502"),
        (2, BAD_GATEWAY, "answered 502"),
        (3, BAD_GATEWAY, "answered 502"),
        (2, (201, {"import": 7}), "named 0 tasks"),
        (2, (201, {"task_count": 4, "task_ids": [1]}), "named 1 tasks for"),
    ],
)
def test_an_import_whose_reply_got_lost_is_made_anew(
    site: Site, number: int, reply: Reply, said: str
) -> None:
    site.server.lost = {number: reply}
    with pytest.raises(CallFailed, match=said):
        site.push()
    assert site.held() == site.tasks[: number * UNITS]
    site.server.lost = {}
    again, before = site.push(), (number - 1) * UNITS
    assert (again.imported, again.already) == (30 - before, before)
    assert site.held() == site.tasks
    there = [project.id for project in pushed(site.study).projects]
    assert sorted(there) == sorted(site.server.projects)


def test_answers_in_a_project_whose_import_was_cut_off_are_not_deleted(site: Site) -> None:
    site.server.lost = {2: BAD_GATEWAY}
    with pytest.raises(CallFailed):
        site.push()
    site.server.lost = {}
    site.server.projects[2]["num_tasks_with_annotations"] = 1
    site.refused("was cut off, and people have answered")
    assert site.held() == site.tasks[:20]
    del site.server.projects[2]
    assert site.push().imported == 20


def test_what_is_not_as_exported_is_not_pushed(site: Site) -> None:
    site.refused("no task was pushed", push=False)
    path = site.study.folder.tasks("annotator-01", "preference")
    written = path.read_text(encoding="utf-8")
    for text in (written.replace("steamer", "kettle", 1), "[]", '{"a": 1}', "[{}]", "no json"):
        path.write_text(text, encoding="utf-8")
        site.refused(r"preference\.json")
    path.unlink()
    site.refused("No such file")
    site.study.folder.server.write_text("{", encoding="utf-8")
    site.refused(r"server\.json")
    assert not site.server.projects


def test_another_server_is_refused(site: Site) -> None:
    site.push()
    with label_studio() as other:
        refused = site.refused(f"were pushed to {site.server.url}", url=other.url)
        assert "new address" in refused.fix
        assert not other.asked
        # At the old address another server may listen, with projects of the same numbers.
        state = site.study.folder.server.read_text("utf-8").replace(site.server.url, other.url)
        site.study.folder.server.write_text(state, encoding="utf-8")
        other.projects[1] = site.server.projects[1] | {"title": "Somebody's own project"}
        site.refused("no project of this study is on the server", push=False)
        assert site.raw() == {}


def test_what_was_answered_in_a_deleted_project_is_not_asked_again(site: Site) -> None:
    site.push()
    site.answer(1, 7)
    site.answer(2, 10)
    pull(site.study)
    site.server.projects.clear()
    site.server.tasks.clear()
    refused = site.refused("move this file away", push=False)
    assert refused.where == str(site.study.folder.server)
    site.study.folder.server.unlink()
    again = site.push()
    assert (again.imported, again.already) == (13, 0)
    assert site.held() == site.tasks[7:10] + site.tasks[20:]


@pytest.mark.parametrize(
    ("reply", "error", "match"),
    [
        ((401, {"detail": "Invalid token."}), InputError, "Invalid token(?s:.)*LABEL_STUDIO_"),
        ((403, "<html>forbidden</html>"), InputError, "does not take the API key"),
        ((404, "<html>nothing here</html>"), EndpointRefused, "address of a Label Studio"),
        ((400, {"detail": f"bad header Token {KEY}"}), EndpointRefused, r"\(the key\)"),
        ((200, "<html>a web page</html>"), CallFailed, "a web page"),
    ],
)
def test_errors_name_what_happened_and_show_no_secret(
    site: Site, reply: Reply, error: type[PairwrightError], match: str
) -> None:
    site.server.instead = reply
    with pytest.raises(error, match=match) as caught, connected(site.server.url, KEY) as client:
        client.projects("Pairwright")
    assert KEY not in str(caught.value)
    assert "a-secret-session" not in str(caught.value)


HERE = "http://127.0.0.1:9"


@pytest.mark.parametrize("key", ["", " \n", "two words", "ключ", "line\nbreak"])
def test_a_key_that_cannot_be_is_refused(key: str) -> None:
    with pytest.raises(InputError, match="API key"), connected(HERE, key):
        pass


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://host", "http://me:secret@host", ""])
def test_an_address_that_cannot_be_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="not the address") as caught, connected(url, KEY):
        pass
    assert "secret" not in str(caught.value)
    assert url.rpartition("@")[2] in str(caught.value)


def test_without_the_sdk_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "label_studio_sdk", None)
    with pytest.raises(InputError) as caught, connected(HERE, KEY):
        pass
    assert install("label-studio") in caught.value.fix

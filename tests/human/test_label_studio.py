"""Push and pull where something goes wrong, against a stand-in for Label Studio's API.

The real server is in test_real_label_studio.py.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from label_studio_server import ANNOTATORS, Made, answers, make_study
from pairwright.assets import install
from pairwright.errors import CallFailed, EndpointRefused, InputError, PairwrightError
from pairwright.progress import Event, Note
from pairwright_human_eval.answers import withdraw_person
from pairwright_human_eval.label_studio import PushResult, connected, pull_answers, push_tasks
from stand_in import KEY, Reply, StandIn

UNITS = 10


class Site(NamedTuple):
    """A study, and a server to push it to."""

    stand_in: StandIn
    made: Made

    @property
    def tasks(self) -> list[str]:
        return [row.task for row in self.made.key]

    def push(self, url: str = "") -> PushResult:
        return push_tasks(self.made.folder.run, url or self.stand_in.url)

    def pull(self) -> list[str]:
        """What is odd on the server."""
        events: list[Event] = []
        pull_answers(self.made.folder.run, progress=events.append)
        return [event.text for event in events if isinstance(event, Note)]

    def raw(self) -> dict[str, bytes]:
        """What was pulled."""
        paths = sorted(self.made.folder.raw.glob("project-*"))
        return {path.name.rpartition("-")[0]: path.read_bytes() for path in paths}

    def held(self) -> list[str]:
        """Tasks on the server, in its order."""
        return [name for id in self.stand_in.projects for name in self.stand_in.names(id)]

    def export_of(self, project: int, n: int) -> list[dict[str, Any]]:
        """What the server would export once somebody has answered the first `n` of its tasks."""
        own = [task for task in self.stand_in.tasks.values() if task["project"] == project]
        times = dict.fromkeys(("created_at", "updated_at"), "2026-11-20T23:55:14+00:00")
        annotation = {"was_cancelled": False, "result": answers("preference"), **times}
        return [
            {"project": project, "data": task["data"], "annotations": [{"id": id, **annotation}]}
            for id, task in enumerate(own[:n])
        ]

    def on_import(self, number: int, reply: Reply) -> Callable[[str, str], Reply | None]:
        """A fault that answers the import of this number, counted from 1."""

        def fault(method: str, path: str) -> Reply | None:
            imports = sum(path.endswith("import") for _, path in self.stand_in.asked)
            return reply if path.endswith("import") and imports == number else None

        return fault

    def mend(self) -> None:
        self.stand_in.before = self.stand_in.after = lambda method, path: None


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Three people with ten tasks each."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", KEY)
    made = make_study(tmp_path, UNITS, ANNOTATORS, ("preference",))
    with StandIn() as stand_in:
        yield Site(stand_in, made)


def test_tasks_go_out_once_and_in_order(site: Site) -> None:
    first = site.push()
    assert (first.imported, first.already) == (30, 0)
    assert site.held() == site.tasks
    for (n, project), who in zip(site.stand_in.projects.items(), ANNOTATORS, strict=True):
        assert re.fullmatch(rf"Study [0-9a-f]{{8}} {who} preference", project["title"])
        assert len(project["title"]) <= 50
        assert project["maximum_annotations"] == 1
        assert project["show_collab_predictions"] is False
        assert project["show_skip_button"] is True
        assert project["label_config"] == site.made.folder.form("preference").read_text("utf-8")
        link = f"{site.stand_in.url}/projects/{n}/data?labeling=1"
        assert first.links[who] == [("preference", link)]
    state = site.made.folder.server.read_bytes()
    again = site.push()
    assert (again.imported, again.already) == (0, 30)
    assert again.links == first.links
    assert site.made.folder.server.read_bytes() == state


def test_people_who_have_withdrawn_are_neither_asked_nor_fetched_from(site: Site) -> None:
    site.push()
    withdraw_person(site.made.folder.run, ANNOTATORS[1], yes=True)
    site.pull()
    assert [*site.raw()] == ["project-1", "project-3"]
    site.made.folder.server.unlink()
    assert site.push().links.keys() == {ANNOTATORS[0], ANNOTATORS[2]}


def test_what_is_odd_on_the_server_is_noted(site: Site) -> None:
    site.push()
    assert site.pull() == []
    first, second, third = site.stand_in.projects.values()
    del site.stand_in.tasks[min(site.stand_in.tasks)]
    second["label_config"] = "<View/>"
    del site.stand_in.projects[third["id"]]
    before = site.raw()
    site.stand_in.exports = {n: site.export_of(n, 1) for n in (1, 2, 3)}
    notes = site.pull()
    assert [re.sub(r"^.*`:? ", "", note) for note in notes] == [
        "lacks 1 tasks, deleted there; a push does not bring them back.",
        "has another form than labeling_config_preference.xml, so nothing of it was taken in\n"
        "  Put that form back under Settings, Labeling Interface, and pull again.",
        "is not on the server any more: what was pulled of it before stays.",
    ]
    assert [first["title"] in notes[0], second["title"] in notes[1], third["title"] in notes[2]]
    assert {name for name, content in site.raw().items() if content != before[name]} == {
        "project-1"
    }
    assert len(pull_answers(site.made.folder.run).refused) == 1
    assert site.push().imported == 0


LOST: list[tuple[Reply, str]] = [
    ((502, "<h1>Bad gateway</h1>"), "answered 502"),
    ((201, "[" * 100_000), "the reply cannot be read"),
    ((201, {"import": 7}), "named 0 tasks"),
    ((201, {"task_count": 4, "task_ids": [1]}), "named 1 tasks for"),
]


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize(("reply", "said"), LOST)
def test_an_import_whose_reply_got_lost_is_made_anew(
    site: Site, number: int, reply: Reply, said: str
) -> None:
    site.stand_in.after = site.on_import(number, reply)
    with pytest.raises(CallFailed, match=said):
        site.push()
    assert site.held() == site.tasks[: number * UNITS]
    site.mend()
    pushed = site.push()
    assert (pushed.imported, pushed.already) == (30 - (number - 1) * UNITS, (number - 1) * UNITS)
    assert site.held() == site.tasks
    assert len(site.stand_in.projects) == 3
    assert {project.id for project in site.made.pushed().projects} == {*site.stand_in.projects}


def test_answers_in_a_project_whose_import_was_cut_off_are_not_deleted(site: Site) -> None:
    site.stand_in.after = site.on_import(2, (502, "<h1>Bad gateway</h1>"))
    with pytest.raises(CallFailed):
        site.push()
    site.mend()
    site.stand_in.projects[2]["num_tasks_with_annotations"] = 1
    with pytest.raises(InputError, match="was cut off, and people have answered"):
        site.push()
    assert site.held() == site.tasks[:20]
    del site.stand_in.projects[2]
    assert site.push().imported == 20


def test_what_is_not_as_exported_is_not_pushed(site: Site) -> None:
    with pytest.raises(InputError, match="no task was pushed"):
        site.pull()
    path = site.made.folder.tasks("annotator-01", "preference")
    written = path.read_text(encoding="utf-8")
    for text in (written.replace("steamer", "kettle", 1), "[]", '{"a": 1}', "[{}]", "no json"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"preference\.json"):
            site.push()
    path.unlink()
    with pytest.raises(InputError, match="No such file"):
        site.push()
    site.made.folder.server.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"server\.json"):
        site.push()
    assert not site.stand_in.projects


def test_another_server_is_refused(site: Site) -> None:
    site.push()
    with StandIn() as other:
        with pytest.raises(InputError, match=f"were pushed to {site.stand_in.url}") as refused:
            site.push(other.url)
        assert "new address" in refused.value.fix
        assert not other.asked
        # At the old address another server may listen, with projects of the same numbers.
        state = site.made.folder.server.read_text("utf-8").replace(site.stand_in.url, other.url)
        site.made.folder.server.write_text(state, encoding="utf-8")
        other.projects[1] = site.stand_in.projects[1] | {"title": "Somebody's own project"}
        with pytest.raises(InputError, match="no project of this study is on the server"):
            site.pull()
        assert site.raw() == {}


def test_what_was_answered_in_a_deleted_project_is_not_asked_again(site: Site) -> None:
    site.push()
    site.stand_in.exports = {1: site.export_of(1, 7), 2: site.export_of(2, 10)}
    site.pull()
    site.stand_in.projects.clear()
    site.stand_in.tasks.clear()
    with pytest.raises(InputError, match="move this file away") as refused:
        site.pull()
    assert refused.value.where == str(site.made.folder.server)
    site.made.folder.server.unlink()
    again = site.push()
    assert (again.imported, again.already) == (13, 0)
    assert site.held() == site.tasks[7:10] + site.tasks[20:]


def test_an_export_that_is_none_leaves_what_was_pulled(site: Site) -> None:
    site.push()
    site.pull()
    before = site.raw()
    assert [*before] == ["project-1", "project-2", "project-3"]
    bodies: tuple[object, ...] = ("no json", {"tasks": []}, [1, 2])
    for body in bodies:
        site.stand_in.exports[1] = body
        with pytest.raises(CallFailed, match="project 1"):
            site.pull()
        assert site.raw() == before


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
    site.stand_in.before = lambda method, path: reply
    with pytest.raises(error, match=match) as caught, connected(site.stand_in.url, KEY) as client:
        client.projects("Pairwright")
    assert KEY not in str(caught.value)
    assert "a-secret-session" not in str(caught.value)


def test_a_key_or_an_address_that_cannot_be_is_refused() -> None:
    for key in ("", " \n", "two words", "ключ", "line\nbreak"):
        with pytest.raises(InputError, match="API key"), connected("http://127.0.0.1:9", key):
            pass
    for url in ("localhost:8080", "ftp://host", "http://", "http://me:secret@host", ""):
        with pytest.raises(InputError, match="not the address") as caught, connected(url, KEY):
            pass
        assert "secret" not in str(caught.value)
        assert url.rpartition("@")[2] in str(caught.value)


def test_without_the_sdk_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "label_studio_sdk", None)
    named = re.escape(install("label-studio"))
    with pytest.raises(InputError, match=named), connected("http://127.0.0.1:9", KEY):
        pass

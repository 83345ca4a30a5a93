"""Push, pull and status where something goes wrong, against a stand-in for Label Studio's API.

The real server is in test_real_label_studio.py.
"""

import re
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from label_studio_server import ANNOTATORS, Made, make_study
from pairwright.errors import CallFailed, EndpointRefused, InputError, PairwrightError
from pairwright.extras import install
from pairwright.lines import write_one
from pairwright_human_eval import projects as push_module
from pairwright_human_eval.projects import (
    PullResult,
    PushedProject,
    PushResult,
    ServerState,
    fetch_annotations,
    labelling_links,
    pushed_state,
    send_tasks,
    task_progress,
)
from pairwright_human_eval.records import KINDS
from pairwright_human_eval.server import LabelStudioClient
from stand_in import KEY, Reply, StandIn

CHUNK = 4
UNITS = 10


class Site(NamedTuple):
    """A study, and a server to push it to."""

    stand_in: StandIn
    client: LabelStudioClient
    made: Made

    @property
    def tasks(self) -> list[str]:
        return [row.task for row in self.made.key]

    def push(self, client: LabelStudioClient | None = None, **options: Any) -> PushResult:
        study = self.made.folder, self.made.study, self.made.key
        return send_tasks(client or self.client, *study, chunk=CHUNK, **options)

    def pull(self, client: LabelStudioClient | None = None) -> PullResult:
        return fetch_annotations(client or self.client, self.made.folder, self.made.study)

    def imports(self) -> int:
        return sum(path.endswith("import") for _, path in self.stand_in.asked)

    def on_import(self, number: int, reply: Reply) -> Any:
        """A fault that answers the import of this number, counted from 1."""

        def fault(method: str, path: str) -> Reply | None:
            return reply if path.endswith("import") and self.imports() == number else None

        return fault

    def mend(self) -> None:
        self.stand_in.before = self.stand_in.after = lambda method, path: None


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(push_module, "SETTLE_S", 0.0)
    made = make_study(tmp_path, UNITS, ANNOTATORS[:1], ("preference",))
    with StandIn() as stand_in, LabelStudioClient(stand_in.url, KEY) as client:
        yield Site(stand_in, client, made)


def test_tasks_go_out_once_in_chunks_and_in_order(site: Site) -> None:
    steps: list[tuple[int, int]] = []
    first = site.push(progress=lambda done, of: steps.append((done, of)))
    assert first == PushResult(projects=1, created=1, imported=10, already=0)
    assert steps == [(0, 10), (4, 10), (8, 10), (10, 10)]
    assert site.stand_in.names(1) == site.tasks
    (project,) = site.stand_in.projects.values()
    assert project["title"].endswith(" annotator-01 preference")
    assert len(project["title"]) <= 50
    assert project["maximum_annotations"] == 1
    assert project["show_collab_predictions"] is False
    assert project["show_skip_button"] is True
    link = f"{site.stand_in.url}/projects/1/data?labeling=1"
    assert labelling_links(site.made.folder, 1)["annotator-01"] == {"preference": link}
    books = site.made.folder.server.read_bytes()
    again = PushResult(projects=1, created=0, imported=0, already=10)
    assert site.push() == again
    assert site.made.folder.server.read_bytes() == books


def test_what_was_deleted_on_the_server_is_named(site: Site) -> None:
    site.push()
    site.pull()
    (project,) = site.stand_in.projects.values()
    del site.stand_in.tasks[min(site.stand_in.tasks)]
    gone = site.pull().gone
    assert gone == {project["title"]: (site.tasks[0],)}


def test_quality_comes_first(tmp_path: Path, site: Site) -> None:
    """It tells nothing about a person: who knows one person's aspects cannot forget them."""
    site = site._replace(made=make_study(tmp_path / "two", 2, ("annotator-01", "annotator-02")))
    site.push()
    titles = [project["title"].rpartition(" ")[2] for project in site.stand_in.projects.values()]
    assert titles == [*KINDS, *KINDS]
    for links in labelling_links(site.made.folder, 1).values():
        assert list(links) == list(KINDS)
    pushed = [pushed for pushed, _ in task_progress(site.client, site.made.folder)]
    assert [(one.annotator[-1], one.kind) for one in pushed] == [*product("12", KINDS)]


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ((502, "<h1>Bad gateway</h1>"), "answered 502"),
        ((201, "[" * 100_000), "the reply cannot be read"),
        ((201, {"import": 7}), "named 0 tasks"),
        ((201, {"task_count": 4, "task_ids": [1]}), "named 1 tasks for"),
    ],
)
def test_an_import_whose_reply_got_lost_is_not_repeated(
    site: Site, number: int, reply: Reply, said: str
) -> None:
    site.stand_in.after = site.on_import(number, reply)
    with pytest.raises(CallFailed, match=said):
        site.push()
    assert site.imports() == number
    site.mend()
    assert site.push().imported == 10 - min(number * CHUNK, 10)
    assert site.stand_in.names(1) == site.tasks


def test_an_import_that_did_nothing_is_done_unless_the_configuration_was_changed(
    site: Site,
) -> None:
    site.stand_in.before = site.on_import(2, (500, {"detail": "database is locked"}))
    with pytest.raises(CallFailed, match="database is locked"):
        site.push()
    site.mend()
    (project,) = site.stand_in.projects.values()
    form, project["label_config"] = project["label_config"], "<View/>"
    with pytest.raises(InputError, match="labelling configuration of"):
        site.push()
    project["label_config"] = form
    assert site.push().imported == 6
    assert site.stand_in.names(1) == site.tasks


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
    with pytest.raises(InputError, match="10 tasks are not as exported"):
        site.push()
    site.made.folder.server.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"server\.json"):
        site.push()
    assert not site.stand_in.projects


def test_another_server_is_refused_and_a_new_address_is_not(site: Site) -> None:
    site.push()
    folder = site.made.folder
    (project,) = site.stand_in.projects.values()
    with StandIn() as other, LabelStudioClient(other.url, KEY) as elsewhere:
        other.projects[1] = project | {"title": "Somebody's own project"}
        attempts: tuple[Callable[[], object], ...] = (
            lambda: site.push(elsewhere),
            lambda: site.pull(elsewhere),
            lambda: task_progress(elsewhere, folder),
        )
        for attempt in attempts:
            with pytest.raises(InputError, match="is not on the server at"):
                attempt()
        assert not [path for _, path in other.asked if path.endswith("import")]
        # The same server at another address: its projects are there.
        other.projects, other.tasks = site.stand_in.projects, site.stand_in.tasks
        assert site.push(elsewhere).already == 10
        assert pushed_state(folder).url == other.url
        site.pull(elsewhere)
        assert [path.name[:10] for path in folder.raw.iterdir()] == ["project-1-"]


def test_a_deleted_project_does_not_hold_up_the_others(site: Site) -> None:
    site.push()
    folder = site.made.folder
    state = pushed_state(folder)
    (own,) = state.projects
    changes: dict[str, object] = {
        "id": 99,
        "title": "Study of another annotator",
        "tasks": {"t": 1},
    }
    other = PushedProject(**dict(own) | changes)
    write_one(folder.server, ServerState(**dict(state) | {"projects": (own, other)}))
    pulled = site.pull()
    assert (pulled.projects, pulled.missing) == (1, ("Study of another annotator",))
    standings = task_progress(site.client, folder)
    counts = [(len(pushed.tasks), there and there.tasks) for pushed, there in standings]
    assert counts == [(10, 10), (1, None)]
    # A push would make its tasks again, somewhere else: it says so.
    with pytest.raises(InputError, match=r"project 99, .* is not on the server"):
        site.push()


def test_what_was_answered_in_a_deleted_project_is_not_asked_again(site: Site) -> None:
    site.push()
    site.stand_in.projects.clear()
    site.stand_in.tasks.clear()
    with pytest.raises(InputError, match="what was pulled of it is kept"):
        site.push()
    site.made.folder.server.unlink()
    again = site.push(answered=frozenset(site.tasks[:7]))
    assert (again.created, again.imported, again.already) == (1, 3, 0)
    (project,) = site.stand_in.projects
    assert site.stand_in.names(project) == site.tasks[7:]
    site.made.folder.server.unlink()
    site.stand_in.projects.clear()
    whole = site.push(answered=frozenset(site.tasks))
    assert whole == PushResult(projects=0, created=0, imported=0, already=0)
    assert not site.stand_in.projects


def test_an_export_that_is_none_leaves_what_was_pulled(site: Site) -> None:
    site.push()
    site.pull()
    (path,) = site.made.folder.raw.iterdir()
    before = path.read_bytes()
    bodies: tuple[object, ...] = ("no json", {"tasks": []}, [1, 2])
    for body in bodies:
        site.stand_in.exports[1] = body
        with pytest.raises(CallFailed, match="project 1"):
            site.pull()
        assert path.read_bytes() == before


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
    with pytest.raises(error, match=match) as caught:
        site.client.projects("Pairwright")
    assert KEY not in str(caught.value)
    assert "a-secret-session" not in str(caught.value)


def test_no_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # The SDK waits between its attempts.
    with (
        LabelStudioClient("http://127.0.0.1:9", KEY) as server,
        pytest.raises(InputError, match="no answer"),
    ):
        server.projects("Pairwright")


def test_a_key_or_an_address_that_cannot_be_is_refused() -> None:
    for key in ("", " \n", "two words", "ключ", "line\nbreak"):
        with pytest.raises(InputError, match="API key"):
            LabelStudioClient("http://127.0.0.1:9", key)
    for url in ("localhost:8080", "ftp://host", "http://", "http://me:secret@host", ""):
        with pytest.raises(InputError, match="not the address") as caught:
            LabelStudioClient(url, KEY)
        assert "secret" not in str(caught.value)


def test_without_the_sdk_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "label_studio_sdk", None)
    with pytest.raises(InputError, match=re.escape(install("label-studio"))):
        LabelStudioClient("http://127.0.0.1:9", KEY)

"""Push, pull and status where something goes wrong, against a stand-in for Label Studio's API.

The real server is in test_real_label_studio.py.
"""

import fcntl
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from label_studio_server import ANNOTATORS, Made, make_study
from pairwright.dataset import write_one
from pairwright.errors import CallFailed, EndpointRefused, InputError, PairwrightError
from pairwright.extras import install
from pairwright_human_eval.label_studio import projects as push_module
from pairwright_human_eval.label_studio import server as environment
from pairwright_human_eval.label_studio.client import LabelStudioClient
from pairwright_human_eval.label_studio.projects import (
    PushResult,
    fetch_annotations,
    labelling_links,
    pushed_state,
    send_tasks,
    task_progress,
)
from pairwright_human_eval.label_studio.server import LabelStudioServer, prepare, quiet_variables
from pairwright_human_eval.records import KINDS
from stand_in import KEY, Reply, StandIn

CHUNK = 4
SUBJECTS = 10


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
    made = make_study(tmp_path, SUBJECTS, ANNOTATORS[:1], ("preference",))
    with StandIn() as stand_in, LabelStudioClient(stand_in.url, KEY) as client:
        yield Site(stand_in, client, made)


def test_tasks_go_out_once_in_chunks_and_in_order(site: Site) -> None:
    steps: list[tuple[int, int]] = []
    first = site.push(progress=lambda done, of: steps.append((done, of)))
    assert first == PushResult(projects=1, created=1, imported=10, already=0, removed=0)
    assert steps == [(0, 10), (4, 10), (8, 10), (10, 10)]
    assert site.stand_in.names(1) == site.tasks
    (project,) = site.stand_in.projects.values()
    assert project["title"].endswith(" annotator-01 preference")
    assert len(project["title"]) <= 50
    assert project["maximum_annotations"] == 1
    assert project["show_collab_predictions"] is False
    assert project["show_skip_button"] is True
    link = f"{site.stand_in.url}/projects/1/data?labeling=1"
    assert labelling_links(site.made.folder)["annotator-01"] == {"preference": link}
    books = site.made.folder.server.read_bytes()
    again = PushResult(projects=1, created=0, imported=0, already=10, removed=0)
    assert site.push() == again
    assert site.made.folder.server.read_bytes() == books
    # Where the books were lost, all that is there is looked at.
    site.made.folder.server.unlink()
    assert site.push().imported == 0
    assert site.made.folder.server.read_bytes() == books


def test_what_was_deleted_on_the_server_is_named(site: Site) -> None:
    site.push()
    fetch_annotations(site.client, site.made.folder)
    (project,) = site.stand_in.projects.values()
    del site.stand_in.tasks[min(site.stand_in.tasks)]
    gone = fetch_annotations(site.client, site.made.folder).gone
    assert gone == {project["title"]: (site.tasks[0],)}


def test_quality_comes_first(tmp_path: Path, site: Site) -> None:
    """It tells nothing about a person: who knows one person's aspects cannot forget them."""
    site = site._replace(made=make_study(tmp_path / "two", 2, ("annotator-01", "annotator-02")))
    site.push()
    titles = [project["title"].rpartition(" ")[2] for project in site.stand_in.projects.values()]
    assert titles == [*KINDS, *KINDS]
    for links in labelling_links(site.made.folder).values():
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


def test_an_import_that_comes_late_leaves_no_copies(site: Site) -> None:
    site.stand_in.before = site.on_import(1, (504, "too slow"))
    with pytest.raises(CallFailed):
        site.push()

    def late(method: str, path: str) -> None:
        """The first request, which was still at work, comes through after the second."""
        if path.endswith("import") and site.imports() == 2:
            for n, task in enumerate(list(site.stand_in.tasks.values())[:CHUNK]):
                site.stand_in.tasks[900 + n] = {**task, "id": 900 + n}

    site.mend()
    site.stand_in.after = late
    assert site.push().removed == CHUNK
    assert sorted(site.stand_in.names(1)) == sorted(site.tasks)


def test_what_is_not_as_exported_is_not_pushed(site: Site) -> None:
    with pytest.raises(InputError, match="no task was pushed"):
        fetch_annotations(site.client, site.made.folder)
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
            lambda: fetch_annotations(elsewhere, folder),
            lambda: task_progress(elsewhere, folder),
        )
        for attempt in attempts:
            with pytest.raises(InputError, match="is not on the server at"):
                attempt()
        assert not [path for _, path in other.asked if path.endswith("import")]
        # The same server at another address: its projects are there.
        other.projects, other.tasks = site.stand_in.projects, site.stand_in.tasks
        name = pushed_state(folder).name
        assert site.push(elsewhere).already == 10
        assert pushed_state(folder).url == other.url
        fetch_annotations(elsewhere, folder)
        assert [path.name for path in folder.raw.iterdir()] == [f"{name}-1.json"]


def test_a_deleted_project_does_not_hold_up_the_others(site: Site) -> None:
    site.push()
    folder = site.made.folder
    state = pushed_state(folder)
    (own,) = state.projects
    changes = {"id": 99, "title": "Study of another annotator", "tasks": {"t": 1}}
    other = own.model_copy(update=changes)
    write_one(folder.server, state.model_copy(update={"projects": (own, other)}))
    pulled = fetch_annotations(site.client, folder)
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
    assert whole == PushResult(projects=0, created=0, imported=0, already=0, removed=0)
    assert not site.stand_in.projects


def test_an_export_that_is_none_leaves_what_was_pulled(site: Site) -> None:
    site.push()
    fetch_annotations(site.client, site.made.folder)
    (path,) = site.made.folder.raw.iterdir()
    before = path.read_bytes()
    bodies: tuple[object, ...] = ("no json", {"tasks": []}, [1, 2])
    for body in bodies:
        site.stand_in.exports[1] = body
        with pytest.raises(CallFailed, match="project 1"):
            fetch_annotations(site.client, site.made.folder)
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


def test_a_python_without_pip_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="neither pip nor ensurepip"):
        prepare(tmp_path)


def test_an_installation_that_was_cut_short_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[bool] = []

    def install(made: Path) -> None:
        made.mkdir()
        attempts.append((made / "half").exists())
        (made / "half").touch()
        if len(attempts) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(environment, "_install", install)
    with pytest.raises(KeyboardInterrupt):
        prepare(tmp_path)
    assert prepare(tmp_path) == prepare(tmp_path)
    assert attempts == [False, False]


def test_pip_that_fails_shows_the_end_of_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = tmp_path / "label-studio.txt"
    pins.write_text("pip==0.0.0\n")
    monkeypatch.setattr(environment, "PINS", pins)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(InputError, match=r"\.log: (?s:.)*No matching distribution"):
        prepare(tmp_path / "cache")


def test_a_server_that_ends_or_runs_already_is_named(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "label-studio"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho no memory; exit 3\n")
    program.chmod(0o755)
    server = LabelStudioServer(tmp_path, tmp_path / "data", 0)
    with pytest.raises(InputError, match=r"ended with 3(?s:.)*no memory"), server:
        pass
    with (tmp_path / "data" / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="running on this data"), server:
            pass


def test_a_label_studio_process_gets_nothing_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", KEY)
    variables = quiet_variables(tmp_path, Path("/env/bin/label-studio"))
    assert KEY not in json.dumps(variables)
    assert variables["COLLECT_ANALYTICS"] == variables["LATEST_VERSION_CHECK"] == "false"
    assert variables["SENTRY_DSN"] == variables["FRONTEND_SENTRY_DSN"] == ""

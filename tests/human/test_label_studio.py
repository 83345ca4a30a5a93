"""Push, pull and status where something goes wrong, against a stand-in for Label Studio's API.

The real server is in test_real_label_studio.py.
"""

import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from label_studio_server import ANNOTATORS, Made, make_study
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
    write_state,
)
from pairwright_human_eval.label_studio.server import prepare, quiet_variables
from pairwright_human_eval.records import KINDS
from stand_in import KEY, Reply, StandIn

CHUNK = 4
SUBJECTS = 10


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with StandIn() as stand_in:
        yield stand_in


@pytest.fixture
def server(stand_in: StandIn) -> Iterator[LabelStudioClient]:
    with LabelStudioClient(stand_in.url, KEY) as server:
        yield server


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make_study(tmp_path, SUBJECTS, ANNOTATORS[:1], ("preference",))


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_module, "SETTLE_S", 0.0)


def pushed(server: LabelStudioClient, made: Made) -> PushResult:
    return send_tasks(server, made.folder, made.study, made.key, chunk=CHUNK)


def imports(stand_in: StandIn) -> int:
    return sum(path.endswith("import") for _, path in stand_in.asked)


def on_import(number: int, reply: Reply, stand_in: StandIn) -> object:
    """A fault that answers the import of this number, counted from 1."""

    def fault(method: str, path: str) -> Reply | None:
        return reply if path.endswith("import") and imports(stand_in) == number else None

    return fault


def test_tasks_go_out_once_in_chunks_and_in_order(
    stand_in: StandIn, server: LabelStudioClient, made: Made
) -> None:
    told: list[tuple[int, int]] = []
    first = send_tasks(
        server, made.folder, made.study, made.key, chunk=CHUNK,
        progress=lambda done, of: told.append((done, of)),
    )  # fmt: skip
    assert first == PushResult(projects=1, created=1, imported=10, already=0, removed=0)
    assert told == [(0, 10), (4, 10), (8, 10), (10, 10)]
    assert stand_in.names(1) == [row.task for row in made.key]
    (project,) = stand_in.projects.values()
    assert project["title"].endswith(" annotator-01 preference")
    assert len(project["title"]) <= 50
    assert project["maximum_annotations"] == 1
    assert project["show_collab_predictions"] is False
    assert project["show_skip_button"] is True
    links = labelling_links(made.folder)
    assert links["annotator-01"] == {project["title"]: f"{stand_in.url}/projects/1/data?labeling=1"}
    books = made.folder.server.read_bytes()
    again = pushed(server, made)
    assert again == PushResult(projects=1, created=0, imported=0, already=10, removed=0)
    assert made.folder.server.read_bytes() == books


def test_quality_comes_first(tmp_path: Path, stand_in: StandIn, server: LabelStudioClient) -> None:
    """It tells nothing about a person: who knows one person's aspects cannot forget them."""
    made = make_study(tmp_path, 2, ("annotator-01", "annotator-02"))
    pushed(server, made)
    titles = [project["title"].rpartition(" ")[2] for project in stand_in.projects.values()]
    assert titles == [*KINDS, *KINDS]
    for links in labelling_links(made.folder).values():
        assert [title.rpartition(" ")[2] for title in links] == list(KINDS)
    standings = task_progress(server, made.folder)
    assert [(pushed.annotator[-1], pushed.kind) for pushed, _ in standings] == [
        (who, kind) for who in "12" for kind in KINDS
    ]


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ((502, "<h1>Bad gateway</h1>"), "answered 502"),
        ((201, "[" * 100_000), "the reply cannot be read"),
        ((201, {"import": 7}), "named 0 tasks"),
    ],
)
def test_an_import_whose_reply_got_lost_is_not_repeated(
    stand_in: StandIn, server: LabelStudioClient, made: Made, number: int, reply: Reply, said: str
) -> None:
    stand_in.after = on_import(number, reply, stand_in)  # type: ignore[assignment]
    with pytest.raises(CallFailed, match=said):
        pushed(server, made)
    assert imports(stand_in) == number
    stand_in.after = lambda method, path: None
    assert pushed(server, made).imported == 10 - min(number * CHUNK, 10)
    assert stand_in.names(1) == [row.task for row in made.key]


def test_an_import_that_did_nothing_is_done(
    stand_in: StandIn, server: LabelStudioClient, made: Made
) -> None:
    stand_in.before = on_import(2, (500, {"detail": "database is locked"}), stand_in)  # type: ignore[assignment]
    with pytest.raises(CallFailed, match="database is locked"):
        pushed(server, made)
    stand_in.before = lambda method, path: None
    assert pushed(server, made).imported == 6
    assert stand_in.names(1) == [row.task for row in made.key]


def test_an_import_that_comes_late_leaves_no_copies(
    stand_in: StandIn, server: LabelStudioClient, made: Made
) -> None:
    stand_in.before = on_import(1, (504, "too slow"), stand_in)  # type: ignore[assignment]
    with pytest.raises(CallFailed):
        pushed(server, made)

    def late(method: str, path: str) -> None:
        """The first request, which was still at work, comes through after the second."""
        if path.endswith("import") and imports(stand_in) == 2:
            for n, task in enumerate(list(stand_in.tasks.values())[:CHUNK]):
                stand_in.tasks[900 + n] = {**task, "id": 900 + n}

    stand_in.before, stand_in.after = lambda method, path: None, late
    assert pushed(server, made).removed == CHUNK
    assert sorted(stand_in.names(1)) == sorted(row.task for row in made.key)


def test_a_reply_without_all_ids_is_no_success(
    stand_in: StandIn, server: LabelStudioClient, made: Made
) -> None:
    stand_in.after = on_import(1, (201, {"task_count": 4, "task_ids": [1]}), stand_in)  # type: ignore[assignment]
    with pytest.raises(CallFailed, match="named 1 tasks for 4"):
        pushed(server, made)
    stand_in.after = lambda method, path: None
    pushed(server, made)
    assert stand_in.names(1) == [row.task for row in made.key]


def test_a_task_file_that_was_changed_is_not_pushed(
    stand_in: StandIn, server: LabelStudioClient, made: Made
) -> None:
    path = made.folder.tasks("annotator-01", "preference")
    written = path.read_text(encoding="utf-8")
    for text in (written.replace("steamer", "kettle", 1), "[]", '{"a": 1}', "[{}]", "no json"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"preference\.json"):
            pushed(server, made)
    path.unlink()
    with pytest.raises(InputError, match="10 tasks are not as exported"):
        pushed(server, made)
    assert not stand_in.projects


def test_another_server_is_refused_and_a_new_address_is_not(
    stand_in: StandIn, server: LabelStudioClient, made: Made
) -> None:
    pushed(server, made)
    (project,) = stand_in.projects.values()
    with StandIn() as other, LabelStudioClient(other.url, KEY) as elsewhere:
        other.projects[1] = project | {"title": "Somebody's own project"}
        for attempt in (
            pushed,
            lambda s, m: fetch_annotations(s, m.folder),
            lambda s, m: task_progress(s, m.folder),
        ):
            with pytest.raises(InputError, match="is not on the server at"):
                attempt(elsewhere, made)
        assert imports(other) == 0
        # The same server at another address: its projects are there.
        other.projects, other.tasks = stand_in.projects, stand_in.tasks
        name = pushed_state(made.folder).name
        assert pushed(elsewhere, made).already == 10
        assert pushed_state(made.folder).url == other.url
        fetch_annotations(elsewhere, made.folder)
        assert [path.name for path in made.folder.raw.iterdir()] == [f"{name}-1.json"]


def test_a_deleted_project_does_not_hold_up_the_others(
    stand_in: StandIn, server: LabelStudioClient, made: Made
) -> None:
    pushed(server, made)
    state = pushed_state(made.folder)
    (own,) = state.projects
    other = own.model_copy(
        update={"id": 99, "title": "Study of another annotator", "tasks": {"t": 1}}
    )
    write_state(made.folder, state.model_copy(update={"projects": (own, other)}))
    pulled = fetch_annotations(server, made.folder)
    assert (pulled.projects, pulled.missing) == (1, ("Study of another annotator",))
    assert [
        (len(pushed.tasks), there and there.tasks)
        for pushed, there in task_progress(server, made.folder)
    ] == [(10, 10), (1, None)]
    # A push would make its tasks again, somewhere else: it says so.
    with pytest.raises(InputError, match=r"project 99, .* is not on the server"):
        pushed(server, made)


def test_what_was_answered_in_a_deleted_project_is_not_asked_again(
    stand_in: StandIn, server: LabelStudioClient, made: Made
) -> None:
    pushed(server, made)
    stand_in.projects.clear()
    stand_in.tasks.clear()
    with pytest.raises(InputError, match="what was pulled of it is kept"):
        pushed(server, made)
    made.folder.server.unlink()
    names = [row.task for row in made.key]
    again = send_tasks(
        server, made.folder, made.study, made.key, chunk=CHUNK, answered=frozenset(names[:7])
    )
    assert (again.created, again.imported, again.already) == (1, 3, 0)
    (project,) = stand_in.projects
    assert stand_in.names(project) == names[7:]
    made.folder.server.unlink()
    stand_in.projects.clear()
    whole = send_tasks(server, made.folder, made.study, made.key, answered=frozenset(names))
    assert whole == PushResult(projects=0, created=0, imported=0, already=0, removed=0)
    assert not stand_in.projects


def test_a_changed_configuration_takes_no_more_tasks(
    stand_in: StandIn, server: LabelStudioClient, made: Made
) -> None:
    stand_in.before = on_import(2, (500, "no"), stand_in)  # type: ignore[assignment]
    with pytest.raises(CallFailed):
        pushed(server, made)
    stand_in.before = lambda method, path: None
    stand_in.projects[1]["label_config"] = "<View/>"
    with pytest.raises(InputError, match="labelling configuration of"):
        pushed(server, made)


@pytest.mark.parametrize(
    ("reply", "error", "match"),
    [
        (
            (401, {"detail": "Invalid token."}),
            InputError,
            "Invalid token(?s:.)*LABEL_STUDIO_",
        ),
        ((403, "<html>forbidden</html>"), InputError, "does not take the API key"),
        ((404, "<html>nothing here</html>"), EndpointRefused, "address of a Label Studio"),
        ((400, {"detail": f"bad header Token {KEY}"}), EndpointRefused, r"\(the key\)"),
        ((200, "<html>a web page</html>"), CallFailed, "a web page"),
    ],
)
def test_errors_name_what_happened_and_show_no_secret(
    stand_in: StandIn,
    server: LabelStudioClient,
    reply: Reply,
    error: type[PairwrightError],
    match: str,
) -> None:
    stand_in.before = lambda method, path: reply
    with pytest.raises(error, match=match) as caught:
        server.projects("Pairwright")
    assert KEY not in str(caught.value)
    assert "a-secret-session" not in str(caught.value)


def test_no_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # The SDK waits between its attempts.
    with (
        LabelStudioClient("http://127.0.0.1:9", KEY) as server,
        pytest.raises(InputError, match="no answer"),
    ):
        server.projects("Pairwright")


@pytest.mark.parametrize("key", ["", " \n", "two words", "ключ", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_refused(key: str) -> None:
    with pytest.raises(InputError, match="API key"):
        LabelStudioClient("http://127.0.0.1:9", key)


@pytest.mark.parametrize(
    "url", ["localhost:8080", "ftp://host", "http://", "http://me:secret@host", ""]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="not the address") as caught:
        LabelStudioClient(url, KEY)
    assert "secret" not in str(caught.value)


def test_without_the_sdk_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "label_studio_sdk", None)
    with pytest.raises(InputError, match=re.escape(install("label-studio"))):
        LabelStudioClient("http://127.0.0.1:9", KEY)


@pytest.mark.parametrize("body", ["no json", {"tasks": []}, [1, 2]])
def test_an_export_that_is_none_leaves_what_was_pulled(
    stand_in: StandIn, server: LabelStudioClient, made: Made, body: object
) -> None:
    pushed(server, made)
    fetch_annotations(server, made.folder)
    (path,) = made.folder.raw.iterdir()
    before = path.read_bytes()
    stand_in.exports[1] = body
    with pytest.raises(CallFailed, match="project 1"):
        fetch_annotations(server, made.folder)
    assert path.read_bytes() == before


def test_pulling_before_a_push_is_an_error(server: LabelStudioClient, made: Made) -> None:
    with pytest.raises(InputError, match="no task was pushed"):
        fetch_annotations(server, made.folder)


def test_books_that_cannot_be_read_are_named(server: LabelStudioClient, made: Made) -> None:
    made.folder.server.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"server\.json"):
        pushed(server, made)


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


def test_a_label_studio_process_gets_nothing_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", KEY)
    variables = quiet_variables(tmp_path, Path("/env/bin/label-studio"))
    assert KEY not in json.dumps(variables)
    assert variables["COLLECT_ANALYTICS"] == variables["LATEST_VERSION_CHECK"] == "false"
    assert variables["SENTRY_DSN"] == variables["FRONTEND_SENTRY_DSN"] == ""

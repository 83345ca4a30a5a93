"""200 pairs and more from a build to decisions, through the command line and a real Label Studio:
three people answer over its API and in a browser, and a fourth closes what is disputed.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser import logged_in, open_form, picture
from endpoint import double_url
from label_studio_process import LabelStudioServer, prepare
from label_studio_server import Person, cache_folder, held, newcomer
from live_study import LiveStudy, files_of
from opinions import Given, Said, lines, opinion, result, ticks
from pairwright.lines import read_one
from pairwright.text import passages
from pairwright_human_eval.folder import HumanFolder, records_in
from pairwright_human_eval.label_studio import ServerState
from pairwright_human_eval.records import KINDS, KeyedTask
from study import HISTORIES

pytestmark = pytest.mark.real

ITEMS = 80
ENDINGS = ("", " Thanks.", " Any advice is welcome.", " Please be frank.")
"""What each copy of a user adds to the question, so that no two ask the same."""
CONFIG = """
modes = ["twin", "violate"]

[source]
path = "histories.jsonl"

[roles]
planner = "served"
generator = "served"
judge = "served"

[endpoints.served]
base_url = "URL"
model = "pairwright-double"

[planner]
others = 5
others_share = 1.0  # Copies of users share their aspects, which would make these generic.

[gates]
off = ["shared_words"]  # The model's double says again what the posts say, in the same words.

[human]
rule = "majority"
votes = 1
further = 0  # One adjudicator decides.
quality_votes = 1
rubric_votes = 1
cannot_tell = 1.0  # What the one voter cannot tell, an adjudicator has to.
# The opinions of this test vary in everything at once: these limits would refuse most of them.
quality_gap = 4.0
delivered = 0.0
contradicted = 1.0
"""
TYPED = "Both are fine; the first is <b>shorter</b>."
WRITTEN = "<img src=x onerror=alert(1)> **Ask** me: reader@example.org"
"""The comment on everything that will be disputed."""


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LabelStudioServer]:
    with LabelStudioServer(prepare(cache_folder(), print), tmp_path / "server", 0) as server:
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", server.account.token)
        yield server


@pytest.fixture
def join(running: LabelStudioServer) -> Iterator[Callable[[str], Person]]:
    """Lets somebody come in by the invite link."""
    with ExitStack() as people:
        yield lambda name: people.enter_context(closing(newcomer(running, name)))


def test_200_pairs_from_a_build_to_the_second_round(
    tmp_path: Path, running: LabelStudioServer, join: Callable[[str], Person]
) -> None:
    run = built(tmp_path / "study")
    folder = HumanFolder(run)
    assert len((run / "pairs.jsonl").read_text(encoding="utf-8").splitlines()) >= 200
    human("export", run, "--annotators", 3, "--overlap", 1, "--seed", 0)
    key = list(records_in(folder.key, KeyedTask))
    assert_quotes_stand_in_posts(folder, key)
    human_again(folder, "push", run, "--url", running.url)
    projects = read_one(folder.server, ServerState).projects
    assert len(projects) == 9
    assert {name for p in projects for name in p.tasks} == {row.task for row in key}

    given: Given = {}
    for who in sorted({row.annotator for row in key}):
        rows = [row for row in key if row.annotator == who]
        person = join(who)
        if who == "annotator-01":
            given |= answer_in_browser(running.url, person, folder, firsts(rows), tmp_path)
        given |= answer_over_api(person, folder, [row for row in rows if row.task not in given])
    human_again(folder, "pull", run)
    human_again(folder, "report", run)
    assert_as_given(folder, key, given)
    first = decisions(folder)
    assert set(first.values()) == {"verified", "refused", "disputed", "waiting"}

    human_again(folder, "adjudicate", run)
    again = list(records_in(folder.adjudication_key, KeyedTask))
    disputed = {unit for unit, state in first.items() if state == "disputed"}
    assert {row.unit for row in again} == disputed
    assert {row.kind for row in again} == {"quality", "preference"}
    human_again(folder, "push", run, "--url", running.url, "--round", 2)
    adjudicator = join("adjudicator")
    given |= answer_in_browser(running.url, adjudicator, folder, firsts(again), tmp_path)
    left = [row for row in again if row.task not in given]
    given |= answer_over_api(adjudicator, folder, left)
    human_again(folder, "pull", run)
    human_again(folder, "report", run)
    assert_as_given(folder, [*key, *again], given)
    closed = decisions(folder)
    assert {closed[unit] for unit in disputed} == {"verified", "refused"}
    assert closed == first | {unit: closed[unit] for unit in disputed}
    human_again(folder, "adjudicate", run)
    for name, content in files_of(folder.path).items():
        assert b"@example.org" not in content or name.startswith("private/raw/"), name


def built(study: Path) -> Path:
    """A run of the fictional users, who are there several times under other names."""
    study.mkdir()
    known = HISTORIES.read_text(encoding="utf-8").splitlines()
    with (study / "histories.jsonl").open("w", encoding="utf-8") as file:
        for n in range(ITEMS):
            item, copy = json.loads(known[n % len(known)]), n // len(known)
            for named in (item, *item["profile"]):
                named["id"] += f"-{copy}"
            item["user"] += f"_{copy}"
            item["question"] += ENDINGS[copy]
            file.write(json.dumps(item) + "\n")
    (study / "pairwright.toml").write_text(CONFIG.replace("URL", double_url()), encoding="utf-8")
    pairwright("build", study / "pairwright.toml", "--run", study / "run")
    return study / "run"


def pairwright(*words: object) -> None:
    """Run a command, as a user would, to a good end."""
    program = Path(sys.executable).parent / "pairwright"
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"


def human(*words: object) -> None:
    pairwright("human", *words)


def human_again(folder: HumanFolder, *words: object) -> None:
    """Do it, and once more: then not a byte changes."""
    human(*words)
    before = files_of(folder.path)
    human(*words)
    after = files_of(folder.path)
    assert after.keys() == before.keys()
    assert not [name for name in after if after[name] != before[name]], words


def firsts(rows: list[KeyedTask]) -> list[KeyedTask]:
    """The first of each kind."""
    of_kind = {row.kind: row for row in reversed(rows)}
    return [of_kind[kind] for kind in KINDS if kind in of_kind]


def answer_over_api(person: Person, folder: HumanFolder, rows: list[KeyedTask]) -> Given:
    """Every task, in the order of the key; in the first round the last of each kind is skipped."""
    state = read_one(folder.server, ServerState)
    ids = dict[str, int]()
    for project in state.projects:
        ids |= held(state.url, person.account.token, project.id)
    last = {row.kind: row.task for row in rows if row.round == 1}
    given: Given = {}
    for row in rows:
        said = opinion(row)
        skip = row.task in last.values()
        person.annotate(ids[row.task], result(row, said, comment(said)), skip=skip)
        given[row.task] = None if skip else said
    return given


def answer_in_browser(
    url: str, person: Person, folder: HumanFolder, rows: list[KeyedTask], pictures: Path
) -> Given:
    """The task of each kind that comes first when the annotator follows the link."""
    given: Given = {}
    with logged_in(url, person.account) as browsing:
        for row in rows:
            said = given[row.task] = opinion(row)
            fill_in(
                browsing.page,
                dict(read_one(folder.server, ServerState).links(row.round)[row.annotator])[
                    row.kind
                ],
                dict(ticks(row, said)),
                pictures,
                f"{row.kind}-{row.round}",
            )
        assert not browsing.harm()
    return given


def fill_in(page: Page, link: str, ticked: dict[str, int], pictures: Path, name: str) -> None:
    """Choose an option of every question and submit; not before all are answered."""
    asked = [*ticked]
    form = open_form(page, link)
    expect(form).to_have_count(len(asked))
    boxes = dict(zip(asked, form.all(), strict=True))
    picture(page, pictures, f"{name}-asked")
    submit = page.locator("button", has_text=re.compile(r"^Submit"))
    expect(submit).to_be_disabled()
    posted: list[str] = []
    page.on("request", lambda asked: posted.append(asked.url) if asked.method == "POST" else None)

    def tick(question: str) -> None:
        boxes[question].locator("label").nth(ticked[question]).click()

    *others, last = asked
    for question in others:
        tick(question)
    if others:
        submit.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        picture(page, pictures, f"{name}-refused")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert not [url for url in posted if url.endswith("/annotations")]
    tick(last)
    page.locator("textarea").first.fill(TYPED)
    picture(page, pictures, f"{name}-filled")
    with page.expect_response(
        lambda reply: "/annotations" in reply.url and reply.request.method == "POST"
    ) as reply:
        submit.click()
    assert reply.value.status == 201


def comment(said: Said) -> str:
    return WRITTEN if said == {"preference": "cannot_tell"} else ""


def assert_quotes_stand_in_posts(folder: HumanFolder, key: list[KeyedTask]) -> None:
    for who in {row.annotator for row in key}:
        for task in json.loads(folder.tasks(who, "rubric").read_bytes()):
            texts = [post["text"] for post in task["data"]["posts"]]
            for aspect in task["data"]["aspects"]:
                for passage in passages(aspect["quote"]):
                    assert any(passage in text for text in texts), task


def assert_as_given(folder: HumanFolder, key: list[KeyedTask], given: Given) -> None:
    """Every answer is there as it was given, and every skip is set aside."""
    study, rows = LiveStudy(folder.run), {row.task: row for row in key}
    assert given.keys() == rows.keys()
    found: dict[str, set[tuple[str, str, str]]] = {}
    for answer in study.answers:
        row = rows[answer.task]
        round = 0 if row.purpose == "repeat" else row.round
        assert (answer.annotator, answer.round) == (row.annotator, round)
        assert (answer.unit, answer.pair) == (row.unit, row.pair)
        assert answer.seconds is not None
        if answer.kind == "comment":
            safe = comment(given[answer.task] or {}).replace("reader@example.org", "[e-mail]")
            assert answer.label in (TYPED, safe)
        else:
            found.setdefault(answer.task, set()).add((answer.kind, answer.item, answer.label))
    assert found == {task: lines(rows[task], said) for task, said in given.items() if said}
    aside = study.set_aside
    assert {line["task"] for line in aside} == {task for task in given if not given[task]}
    assert {line["reason"] for line in aside} == {"skipped"}
    report = json.loads((folder.path / "report.json").read_text(encoding="utf-8"))
    assert (report["tasks"], report["answered"]) == (len(given), len(found))
    assert not any(row["excluded"] for row in report["annotators"])


def decisions(folder: HumanFolder) -> dict[str, str]:
    """The state of each unit."""
    text = folder.decisions.read_text(encoding="utf-8").splitlines()
    decided = {line["unit"]: line["state"] for line in map(json.loads, text)}
    report = json.loads((folder.path / "report.json").read_text(encoding="utf-8"))
    (whole,) = (of for of in report["decisions"] if of["group"] == "all")
    assert {state: n for state, n in whole["states"].items() if n} == Counter(decided.values())
    assert whole["units"] == len(decided)
    return decided

"""200 pairs and more from a build to decisions, through the command line and a real Label Studio:
three people answer over its API and in a browser, and a fourth closes what is disputed.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pydantic import JsonValue

from browser import logged_in, open_form, picture
from label_studio_server import Person, cache_folder, scales
from pairwright import assets
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio import labelling_links
from pairwright_human_eval.label_studio.state import pushed_state
from pairwright_human_eval.records import (
    BOTH,
    CANNOT_TELL,
    EQUAL,
    KINDS,
    AspectAnswer,
    KeyedTask,
    Kind,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Verdict,
)
from pairwright_human_eval.server import LabelStudioServer, prepare
from pairwright_human_eval.write import read_key
from study import Done, pairwright

pytestmark = pytest.mark.real

Answers = QualityAnswers | PreferenceAnswer | RubricAnswers
Given = dict[str, Answers | None]
"""By task; None for a skip."""

ITEMS = 80
SETTINGS = """
[planner]
others = 0  # Copies of users share their aspects, which would make these generic.

[human]
votes = 1
quality_votes = 1
rubric_votes = 1
cannot_tell = 1.0  # What the one voter cannot tell, an adjudicator has to.
"""
TYPED = "Both are fine; the first is <b>shorter</b>."
WRITTEN = "<img src=x onerror=alert(1)> **Ask** me: reader@example.org"
"""The comment on everything that will be disputed: an adjudicator gets to read it."""
OPTIONS = {
    "preference": ("A", "B", EQUAL, CANNOT_TELL),
    "support": ("clearly", "plausibly", "no", "contradicted"),
    "delivered": ("A", "B", BOTH, "neither", CANNOT_TELL),
}
SCORES = ("1", "2", "3", "4", "5", "cannot_judge")
"""In the order of the forms."""


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LabelStudioServer]:
    with LabelStudioServer(prepare(cache_folder(), print), tmp_path / "server", 0) as server:
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", server.account.token)
        yield server


@pytest.fixture
def join(running: LabelStudioServer) -> Iterator[Callable[[str], Person]]:
    """Lets somebody come in by the invite link."""
    people: list[Person] = []

    def join(name: str) -> Person:
        account = running.sign_up(f"{name}@example.org", "a-long-password")
        people.append(Person(running.url, account))
        return people[-1]

    yield join
    for person in people:
        person.close()


def test_200_pairs_from_a_build_to_the_second_round(
    tmp_path: Path, running: LabelStudioServer, join: Callable[[str], Person]
) -> None:
    run = built(tmp_path / "study")
    assert len((run / "pairs.jsonl").read_text(encoding="utf-8").splitlines()) >= 200
    human("export", run, "--annotators", 3, "--overlap", 1)
    folder = HumanFolder(run)
    key = list(read_key(folder.key))

    pushed = human("push", run, "--url", running.url)
    assert f"9 projects (9 new): {len(key):,} tasks imported, 0 were there" in pushed.out
    unchanged(folder, "push", run, "--url", running.url)

    given: Given = {}
    for who in sorted({row.annotator for row in key}):
        rows = [row for row in key if row.annotator == who]
        person = join(who)
        if who == "annotator-01":
            firsts = [next(row for row in rows if row.kind == kind) for kind in KINDS]
            given |= answer_in_browser(running, person, folder, firsts, tmp_path)
        given |= answer_over_api(person, folder, [row for row in rows if row.task not in given])
    human("pull", run)
    human("report", run)
    assert_as_given(folder, key, given)
    expected = states(key, given)
    assert set(expected.values()) == {"verified", "refused", "disputed", "waiting", "control"}
    assert_decided(folder, expected)
    unchanged(folder, "pull", run)
    unchanged(folder, "report", run)

    human("adjudicate", run)
    unchanged(folder, "adjudicate", run)
    again = list(read_key(folder.adjudication_key))
    disputed = {subject for subject, state in expected.items() if state == "disputed"}
    assert {row.subject for row in again} == disputed
    assert {row.kind for row in again} == {"quality", "preference"}
    human("push", run, "--url", running.url, "--round", 2)
    unchanged(folder, "push", run, "--url", running.url, "--round", 2)
    adjudicator = join("adjudicator")
    firsts = [next(row for row in again if row.kind == kind) for kind in ("quality", "preference")]
    given |= answer_in_browser(running, adjudicator, folder, firsts, tmp_path)
    left = [row for row in again if row.task not in given]
    given |= answer_over_api(adjudicator, folder, left)
    human("pull", run)
    human("report", run)
    assert_as_given(folder, [*key, *again], given)
    closed = expected | states(again, given)
    assert "disputed" not in closed.values()
    assert {closed[subject] for subject in disputed} == {"verified", "refused"}
    assert_decided(folder, closed)
    unchanged(folder, "pull", run)
    unchanged(folder, "report", run)
    assert "0 disputed; 0 tasks added" in human("adjudicate", run).out
    for name, content in files(folder).items():
        assert b"@example.org" not in content, name


# The way there


def built(study: Path) -> Path:
    """A run of the fictional users, who are there several times under other names."""
    assert pairwright("init", study).code == 0
    known = (assets.EXAMPLES / "histories.jsonl").read_text(encoding="utf-8").splitlines()
    with (study / "histories.jsonl").open("w", encoding="utf-8") as file:
        for n in range(ITEMS):
            item, copy = json.loads(known[n % len(known)]), n // len(known)
            for named in (item, *item["profile"]):
                named["id"] += f"-{copy}"
            item["user"] += f"_{copy}"
            file.write(json.dumps(item) + "\n")
    with (study / "pairwright.toml").open("a", encoding="utf-8") as file:
        file.write(SETTINGS)
    done = pairwright("build", study / "pairwright.toml", "--run", study / "run")
    assert done.code == 0, done.said
    return study / "run"


def human(*words: object) -> Done:
    done = pairwright("human", *words)
    assert done.code == 0, done.said
    return done


def unchanged(folder: HumanFolder, *words: object) -> None:
    """Do it once more: not a byte changes."""
    before = files(folder)
    human(*words)
    after = files(folder)
    assert after.keys() == before.keys()
    assert not [name for name in after if after[name] != before[name]], words


def files(folder: HumanFolder) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder.path)): path.read_bytes()
        for path in folder.path.rglob("*")
        if path.is_file()
    }


# Answers


def answer_over_api(person: Person, folder: HumanFolder, rows: Iterable[KeyedTask]) -> Given:
    """Every task, in the order of the key; the last of a kind and round is skipped."""
    ids = {name: id for p in pushed_state(folder).projects for name, id in p.tasks.items()}
    given: Given = {}
    last = {(row.kind, row.round): row.task for row in rows if row.round == 1}
    for row in rows:
        answers = opinion(row)
        skip = row.task in last.values()
        person.annotate(ids[row.task], result(row, answers), skip=skip)
        given[row.task] = None if skip else answers
    return given


def answer_in_browser(
    running: LabelStudioServer,
    person: Person,
    folder: HumanFolder,
    rows: Iterable[KeyedTask],
    pictures: Path,
) -> Given:
    """The first task of each kind that comes when the annotator follows the link."""
    links = {
        title.split(" ", 2)[2]: link
        for own in labelling_links(folder).values()
        for title, link in own.items()
    }
    given: Given = {}
    with logged_in(running.url, person.account) as browsing:
        for row in rows:
            name = f"{row.annotator} {row.kind}" + ("" if row.round == 1 else " 2")
            answers = given[row.task] = opinion(row)
            fill_in(browsing.page, links[name], [v for _, v in ticks(row, answers)], pictures, name)
        assert not browsing.harm()
    return given

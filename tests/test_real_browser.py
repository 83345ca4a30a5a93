"""One task of each kind answered in a real browser on the real server, from push to verdict."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser import logged_in, picture
from label_studio_server import ANNOTATORS, cache_folder, make_study, scales
from pairwright_human_eval.accept import derive
from pairwright_human_eval.label_studio import Server, labelling_links, pull, push
from pairwright_human_eval.records import (
    KINDS,
    KeyedTask,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Verdict,
)
from pairwright_human_eval.server import LabelStudioServer, prepare

pytestmark = pytest.mark.real

COMMENT = "Both are fine; the first is <b>shorter</b>."


@pytest.fixture
def running(tmp_path: Path) -> Iterator[LabelStudioServer]:
    with LabelStudioServer(prepare(cache_folder(), print), tmp_path / "data", 0) as server:
        yield server


def test_one_task_of_each_kind_goes_through_the_browser(
    tmp_path: Path, running: LabelStudioServer
) -> None:
    made = make_study(tmp_path / "run", 2, ANNOTATORS[:1])
    account = running.sign_up("reader@example.org", "a-long-password")
    with Server(running.url, running.account.token) as server:
        push(server, made.folder, made.study, made.key)
        links = labelling_links(made.folder)[ANNOTATORS[0]]
        with logged_in(running.url, account) as page:
            elsewhere: list[str] = []
            page.on(
                "request",
                lambda asked: (
                    None
                    if asked.url.startswith((running.url, "data:", "blob:"))
                    else elsewhere.append(asked.url)
                ),
            )
            for title, link in links.items():
                answer(page, link, tmp_path, title.rsplit(" ", 1)[1])
        assert not elsewhere
        pull(server, made.folder)
    accepted = derive(made.folder, {row.task: row for row in made.key}, made.study)
    assert not accepted.set_aside
    verdicts = {verdict.kind: verdict for verdict in accepted.verdicts}
    assert sorted(verdicts) == sorted(KINDS)
    for kind, verdict in verdicts.items():
        first = made.rows(ANNOTATORS[0], kind)[0]
        # The tasks come in the order of the file.
        assert verdict.task == first.task
        assert verdict.comment == COMMENT
        assert verdict.seconds is not None
        assert said(verdict) == expected(first)


def answer(page: Page, link: str, folder: Path, name: str) -> None:
    """Choose the first option of every question and submit; not before all are answered."""
    page.goto(link)
    questions = page.locator(".lsf-choices")
    expect(questions.first).to_be_visible(timeout=30_000)
    page.set_default_timeout(10_000)
    picture(page, folder, f"{name}-asked")
    submit = page.locator("button", has_text=re.compile(r"^Submit"))
    expect(submit).to_be_disabled()
    posted: list[str] = []
    page.on("request", lambda asked: posted.append(asked.url) if asked.method == "POST" else None)
    *others, last = (questions.nth(n) for n in range(questions.count()))
    for question in others:
        question.locator("label").first.click()
    if others:
        submit.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        picture(page, folder, f"{name}-refused")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert not [url for url in posted if url.endswith("/annotations")]
    last.locator("label").first.click()
    page.locator("textarea").first.fill(COMMENT)
    picture(page, folder, name)
    with page.expect_response(
        lambda reply: "/annotations" in reply.url and reply.request.method == "POST"
    ) as reply:
        submit.click()
    assert reply.value.status == 201


def said(verdict: Verdict) -> object:
    match verdict.answers:
        case PreferenceAnswer(choice=choice):
            return choice
        case QualityAnswers(scores=scores):
            return scores
        case RubricAnswers(aspects=aspects):
            return [(aspect.support, aspect.delivered) for aspect in aspects]


def expected(row: KeyedTask) -> object:
    """What the first option of every question says."""
    if row.kind == "preference":
        return row.a
    if row.kind == "quality":
        scores = {scale.name: 1 for scale in scales()}
        return {row.a: scores, row.b: scores}
    return [("clearly", row.a) for _ in row.aspects]

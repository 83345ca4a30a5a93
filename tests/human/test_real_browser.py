"""The forms in a real browser on the real server: answers, skips, and hostile texts in every
place."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from browser import Browsing, logged_in, open_form
from hostile import HOSTILE
from label_studio_process import LabelStudioServer
from label_studio_server import ANNOTATORS, make_study
from pairwright.records import Aspect, Pair, Post
from pairwright.settings.rules import PlanRules
from pairwright_human_eval.forms import labelling_config, questions, read_form
from pairwright_human_eval.label_studio import LabelStudioClient, pull_answers, push_tasks
from pairwright_human_eval.records import KINDS, Data, Kind
from pairwright_human_eval.tasks import BlindUnit, blind_task
from small_studies import SCALES, one, violate

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("key")]

SETTLE_MS = 300
"""How long a page may take to do what it must not; in the control it does within it."""
# As files hold them: without halves of surrogate pairs.
TEXTS = [
    text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for text in HOSTILE
]
MARKDOWN = set(
    "BLOCKQUOTE BR CODE EM H1 LI OL P PRE S STRONG TABLE TBODY TD TH THEAD TR UL".split()
)
"""What a response may bring to the page, besides the number that a list starts at."""
RAW = (
    "<iframe srcdoc='<script>parent.owned(1); parent.alert(2)</script>'></iframe> KEPT "
    "<img src=http://127.0.0.1:9/beacon.png> <style>.pw-post { display: none }</style>"
)
LOOK = """() => [...document.querySelectorAll('.pw .lsf-richtext__container')].map(text => {
  const box = text.getBoundingClientRect();
  const there = box.width > 0 && box.height > 0 &&
    text.checkVisibility({opacityProperty: true, visibilityProperty: true});
  return {
    response: text.closest('.pw-response') !== null,
    text: there ? text.innerText : '',
    elements: [...text.querySelectorAll('*')].map(e => [e.tagName, ...e.getAttributeNames()]),
  };
})"""


@pytest.fixture(scope="module")
def browsing(running: LabelStudioServer) -> Iterator[Browsing]:
    with logged_in(running.url, running.sign_up("reader@example.org")) as browsing:
        yield browsing


def hostile_pair(n: int, told: str | None = None) -> Pair:
    """Two texts as question, responses, posts, aspects and quotes; or aspects of the data, and the
    narrative that is shown with them."""
    first, second = TEXTS[n], TEXTS[(n + 1) % len(TEXTS)]
    profile = tuple(Post(id=f"post-{k}", text=text) for k, text in enumerate((first, second)))
    aspects = tuple(
        Aspect(aspect=post.text, reason="", evidence=post.text, post_ids=(post.id,))
        for post in profile
    )
    texts = {"question": f"{first}\n\n{second}", "chosen": first, "rejected": second}
    pair = violate(n, profile=profile, narrative=told, **texts)
    changes = {"aspects": aspects, "origin": "gold" if told else "planner"}
    return pair.model_copy(update={"rubric": pair.rubric.model_copy(update=changes)})


def blind(kind: Kind, pair: Pair) -> Data:
    about = None if kind == "quality" else pair
    return blind_task(BlindUnit(0, one(pair), False), kind, about, "somebody", PlanRules()).data


def links(server: LabelStudioClient, form: str, tasks: list[Data]) -> list[str]:
    """Where each of the tasks is seen, in a project of their own."""
    project = server.create("Hostile", form)
    return [f"{server.url}/projects/{project}/data?task={id}" for id in server.add(project, tasks)]


def test_hostile_texts_do_nothing_but_stand_there(
    server: LabelStudioClient, browsing: Browsing
) -> None:
    """Two to a page, in every place; all in one narrative; and in the form without posts."""
    told = blind("rubric", hostile_pair(0, "\n\n".join(TEXTS)))
    tasks = [told, *(blind("rubric", hostile_pair(n)) for n in range(0, len(TEXTS), 2))]
    rated = [blind("quality", hostile_pair(0))]
    both: list[tuple[Kind, list[Data]]] = [("rubric", tasks), ("quality", rated)]
    for kind, shown in both:
        seen = links(server, labelling_config(kind, SCALES), shown)
        for task, link in zip(shown, seen, strict=True):
            assert not harm_of(browsing, link, task), task


def test_the_same_check_finds_what_raw_html_does(
    server: LabelStudioClient, browsing: Browsing
) -> None:
    """Without `safe_html`; and in Label Studio's own Markdown, which lets scripts run."""
    task = blind("preference", hostile_pair(0)) | {"response_a": RAW}
    form = labelling_config("preference", SCALES)
    own = re.sub(r'<HyperText name="ResponseA"[^>]*/>', '<Markdown value="$response_a"/>', form)
    assert own != form
    asked = "asked elsewhere: http://127.0.0.1:9"
    for shown, parts in (
        (form, (asked, "hidden", "IMG", "STYLE")),
        (own, ("ran: 1", "opened a dialog: 2", asked, "hidden")),
    ):
        (link,) = links(server, shown, [task])
        found = harm_of(browsing, link, task)
        for part in parts:
            assert any(part in harm for harm in found), (part, found)


def test_a_comment_written_before_skip_comes_back_with_the_skip(
    tmp_path: Path, server: LabelStudioClient, browsing: Browsing
) -> None:
    """In every form: what was only typed keeps Skip from being pressed, and what was added comes
    back; a skip without a word needs no more than the button."""
    make_study(tmp_path, 2, ANNOTATORS[:1], KINDS)
    for _, link in push_tasks(tmp_path, server.url).links[ANNOTATORS[0]]:
        page = browsing.page
        open_form(page, link)
        page.locator("textarea").fill("offensive")
        with pytest.raises(TimeoutError):
            page.get_by_label("skip-task").click(timeout=1_000)
        page.get_by_test_id("textarea-add-button").click()
        skip(page)
        open_form(page, link)
        skip(page)
    answered = pull_answers(tmp_path)
    assert not answered.answers
    found = Counter((line.reason, line.detail) for line in answered.set_aside)
    assert found == {("skipped", "offensive"): 3, ("skipped", ""): 3}


def skip(page: Page) -> None:
    with page.expect_response(
        lambda reply: "/annotations" in reply.url and reply.request.method == "POST"
    ) as reply:
        page.get_by_label("skip-task").click()
    assert reply.value.status == 201


def test_what_is_ticked_comes_back_as_it_was_ticked(
    tmp_path: Path, server: LabelStudioClient, browsing: Browsing
) -> None:
    """Another option of each question, in every form, and a comment; not before all are ticked."""
    browsing.harm()  # On a busy machine the page of the control draws again, after its own test.
    study = make_study(tmp_path, 1, ("annotator-11",), KINDS)
    page = browsing.page
    submit = page.locator("button", has_text=re.compile(r"^Submit"))
    for _, link in push_tasks(tmp_path, server.url).links["annotator-11"]:
        form = open_form(page, link)
        expect(submit).to_be_disabled()
        for n, question in enumerate(form.all()):
            options = question.locator("label")
            options.nth(n % options.count()).click()
        page.locator("textarea").first.fill("Ask reader@example.org: <b>why</b>?")
        with page.expect_response(lambda of: "/annotations" in of.url and of.ok) as reply:
            submit.click()
        assert reply.value.status == 201
    assert not browsing.harm()
    expected = set()
    for task in study.key.values():
        asked = questions(task.kind, SCALES, task.aspects).values()
        ticks = ((one.control, [*one.choices][n % len(one.choices)]) for n, one in enumerate(asked))
        said = read_form(ticks, task, SCALES, comment="Ask [e-mail] <b>why</b>?")
        expected |= {(one.task, one.kind, one.item, one.label) for one in said}
    found = pull_answers(tmp_path)
    assert {(one.task, one.kind, one.item, one.label) for one in found.answers} == expected
    assert not found.set_aside


def harm_of(browsing: Browsing, link: str, task: Data) -> list[str]:
    """What a task's texts do to the page that shows them."""
    page = browsing.page
    questions = open_form(page, link)
    page.wait_for_timeout(SETTLE_MS)
    # On a busy machine Label Studio draws the page a second time meanwhile.
    expect(page.locator(".pw-response .lsf-richtext__container").last).to_be_attached()
    found = browsing.harm()
    # Label Studio adds which of its tabs it is.
    if page.url.partition("&tab=")[0] != link:
        found.append(f"went to {page.url}")
    shown = page.evaluate(LOOK)
    told = Counter(spaced(text["text"]) for text in shown if not text["response"])
    found += [f"hidden: {text[:80]!r}" for text in Counter(map(spaced, plain(task))) - told]
    responses = [text for text in shown if text["response"]]
    for text in responses:
        if "KEPT" not in text["text"] and text["text"].strip() != "$response_b":
            found.append(f"hidden in a response: {text['text'][:80]!r}")
        for name, *attributes in text["elements"]:
            if name not in MARKDOWN or attributes not in ([], ["start"]):
                found.append(f"element: {name} {attributes}")
    if len(responses) != 2:
        found.append(f"{len(responses)} responses")
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("wider than the window")
    for question in questions.all():
        # Only looks whether a click would get there: that nothing lies over it.
        question.locator("label").first.click(trial=True, timeout=5_000)
    return found


def plain(task: Data) -> list[str]:
    """The texts that are shown as they are."""
    lists: list[Any] = [task.get(name, []) for name in ("posts", "narrative", "aspects")]
    shown = [row[key] for rows in lists for row in rows for key in ("text", "quote") if key in row]
    return [str(task["question"]), *shown]


def spaced(text: str) -> str:
    """With single spaces: how lines are broken is the page's affair."""
    return " ".join(text.split())

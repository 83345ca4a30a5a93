"""The audit's page in a real browser: hostile pairs do nothing, and every way of finding a pair
works, by mouse, keyboard and link, in the light and in the dark, on a desk and on a phone."""

import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from audited import Again, accuracy, audit_of, check, halves, post, row, sizes_of, source_of
from browser import Browsing, chromium
from hostile import HOSTILE
from pairwright.audits.catalogue import DEFINITIONS
from pairwright.audits.page import write_page
from pairwright.audits.records import Audit, Breakdown, Count, Flag
from pairwright.dataset import Row, RowAspect, RowQuality
from pairwright.text import number_of, word_count

pytestmark = pytest.mark.real

SETTLE_MS = 200
"""How long a page may take to do what it must not; in the control it does within it."""
# As files hold them: without halves of surrogate pairs.
TEXTS = [
    text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    for text in (
        *HOSTILE, "javascript:owned('address')", "JAVASCRIPT://x%0Aowned(1)", "data:text/html,KEPT",
        "__proto__", "constructor", "a/b\\c'd\"e", "</script><script>owned('end')</script>KEPT",
        "--!><script>owned('comment')</script>KEPT", "]]><svg onload=owned('cdata')>KEPT",
        "#pair=pair-0001", "&nth=2", "%00%2e%2e%2f%zz", "\0", " ",
    )
]  # fmt: skip
INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
ELEMENTS = set(
    "A ARTICLE B BUTTON DD DETAILS DIV DL DT H3 H4 INPUT LABEL LI MARK OL P SECTION SPAN SUMMARY "
    "SUP TABLE TBODY TD TH THEAD TR UL".split()
)
"""What the script makes to show a pair."""
OPEN_ALL = """() => {
  for (const of of document.querySelectorAll('details')) of.open = true;
  for (const of of document.querySelectorAll('#pair button')) {
    if (of.textContent.startsWith('Show all')) of.click();
  }
}"""
LOOK = """() => [...document.querySelectorAll('#pair, #pair *')].map(
  of => [of.tagName, ...of.getAttributeNames().filter(name => name.startsWith('on'))])"""
SENTENCES = [f"Sentence number {n} has {n * n} words and ends at {n * 7919}." for n in range(997)]
PLAIN = [*(row(n) for n in range(40)), *halves(40), row(41, domain="Garden", votes=None)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(),
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
        )
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, file: Path, link: str = "", **context: Any) -> Iterator[Browsing]:
    """The page of a file, listing its pairs."""
    page = browser.new_page(**{"viewport": {"width": 1440, "height": 1000}, **context})
    page.set_default_timeout(20_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    browsing = Browsing(f"file://{file.parent}", page)
    page.goto(f"file://{file}{link}")
    if context.get("java_script_enabled", True):
        expect(page.locator("#list .option, #list .empty").first).to_be_visible()
    yield browsing
    assert not errors
    page.context.close()


def written(folder: Path, audit: Audit, rows: Sequence[Row] | Again) -> Path:
    write_page(folder / "report.html", audit, source_of(rows), sizes_of(rows))
    return folder / "report.html"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    checks = (
        accuracy("length", 0.7, "fail"),
        check("rubric_leak", "fail", rows=["pair-0003", "pair-0005"]),
        check("target_in_profile", "note", rows=["pair-0005", "pair-0040"]),
    )
    return written(tmp_path_factory.mktemp("plain"), audit_of(PLAIN, *checks), PLAIN)


def options(page: Page) -> list[str]:
    """Ids of the pairs in the list, as far as it is drawn."""
    return [text.rpartition(" · ")[2] for text in page.locator(".option .small").all_inner_texts()]


def opened_pair(page: Page) -> str:
    expect(page.locator("#pair .bar a")).to_be_visible()
    return page.locator("#pair .bar a").inner_text()


# Hostile pairs


def hostile_row(text: str, n: int) -> Row:
    """A text in every field that can hold one."""
    posts = (post(n, 0, text).model_copy(update={"id": text, "source_url": text}), post(n, 1))
    posts = (posts[0].model_copy(update={"category": text, "created": text}), posts[1])
    aspect = RowAspect(aspect=text, reason=text, evidence=text, post_ids=(text,))
    return row(
        n, id=text, question=text, chosen=text, rejected=f"{text} {n}", narrative=text,
        profile=posts, rubric_aspects=(aspect, aspect), category=text, item_id=text, domain=text,
        user=text, dyad=text, strategy=text, generator=text, judge=text, created=text,
        source_url=text, licence=text, quality=(RowQuality(scale=text, chosen=1, rejected=2),),
        mode="twin", twin_id=text,
    )  # fmt: skip


def hostile_audit(rows: Sequence[Row]) -> Audit:
    leak = check("rubric_leak", "fail", config=TEXTS[0], detail=TEXTS[1])
    flags = tuple(Flag(row=of.id, detail=of.id) for of in rows)
    count = Count(name=TEXTS[2], pairs=1, users=1, chosen_words=1.0, rejected_words=1.0)
    audit = audit_of(
        rows, leak.model_copy(update={"flags": flags}), accuracy("length", 0.7, "fail", TEXTS[3]),
        name=TEXTS[4], version=TEXTS[5], problems={TEXTS[6]: 1},
    )  # fmt: skip
    return audit.model_copy(update={"breakdowns": (Breakdown(by="configuration", rows=(count,)),)})


def test_hostile_pairs_do_nothing_but_stand_there(browser: Browser, tmp_path: Path) -> None:
    """Every text in every field, opened by its link: no script, dialog, request or element."""
    rows = [hostile_row(text, n) for n, text in enumerate(TEXTS)]
    file = written(tmp_path, hostile_audit(rows), rows)
    harm = []
    with opened(browser, file) as browsing:
        page = browsing.page
        before = page.evaluate("Object.keys(window).sort()")
        for text in TEXTS:
            page.evaluate("link => { location.hash = link; }", f"#pair={quote(text, safe='')}")
            page.wait_for_function(
                "id => document.querySelector('#pair dd .text')?.textContent === id",
                arg=named(text[:20_000]),
            )
            page.evaluate(OPEN_ALL)
            found = [f"element {of}" for of in page.evaluate(LOOK) if len(of) > 1]
            found += [f"element {of[0]}" for of in page.evaluate(LOOK) if of[0] not in ELEMENTS]
            links = page.eval_on_selector_all("#pair a", "all => all.map(of => of.href)")
            found += [of for of in links if not of.startswith(("http:", "https:", "file:"))]
            for place in (".chosen .text", "h3 .text", ".posts .text", ".quote", "details .text"):
                shown = page.locator(f"#pair {place}").first.text_content() or ""
                if normal(shown) != normal(named(text)):
                    found.append(f"{place} shows {shown[:80]!r}")
            harm += [f"{text[:60]!r}: {of}" for of in found]
        page.mouse.move(400, 400)
        page.wait_for_timeout(SETTLE_MS)
        harm += browsing.harm()
        assert page.evaluate("Object.keys(window).sort()") == before
        assert page.evaluate("({}).polluted === undefined && Object.keys({}).length === 0")
    assert not harm, "\n".join(harm)


def named(text: str) -> str:
    """A text as it is shown: invisible characters by their code points."""
    return INVISIBLE.sub(lambda found: f"U+{ord(found[0]):04X}", text)


def normal(text: str) -> str:
    """Without the numbers that are behind marked evidence."""
    return re.sub(r"(?:1 2)?$", "", text)


def test_the_same_check_finds_what_raw_html_does(browser: Browser, tmp_path: Path) -> None:
    texts = "<script>owned('script')</script><img src=http://127.0.0.1:9/x.png>"
    (tmp_path / "raw.html").write_text(f"<div id=list><p class=empty>{texts}</div>")
    with opened(browser, tmp_path / "raw.html") as browsing:
        browsing.page.wait_for_timeout(SETTLE_MS)
        found = browsing.harm()
    assert "ran: script" in found
    assert any("127.0.0.1:9" in of for of in found)


def test_the_policy_stops_what_a_slip_of_ours_would_let_in(browser: Browser, plain: Path) -> None:
    with opened(browser, plain) as browsing:
        refused = browsing.page.evaluate(
            "() => { try { document.body.innerHTML = '<b>x</b>'; } catch (e) { return e.name; } }"
        )
        assert refused == "TypeError"
        stopped = browsing.page.evaluate(
            """async () => {
              const stopped = [];
              document.addEventListener('securitypolicyviolation',
                event => stopped.push(event.effectiveDirective));
              const [image, made, run] = ['img', 'b', 'a'].map(of => document.createElement(of));
              image.src = 'http://127.0.0.1:9/x.png';
              made.setAttribute('style', 'position: fixed');
              run.href = 'javascript:owned(1)';
              document.body.append(image, made, run);
              run.click();
              await fetch('http://127.0.0.1:9/').catch(() => null);
              await new Promise(after => setTimeout(after, 200));
              return stopped.sort();
            }"""
        )
        assert stopped == ["connect-src", "img-src", "script-src-elem", "style-src-attr"]
        assert not browsing.ran


def test_a_megabyte_in_every_field_can_be_opened_and_left(browser: Browser, tmp_path: Path) -> None:
    rows = [hostile_row("m" * 1_000_000, 0), row(1)]
    with opened(browser, written(tmp_path, hostile_audit(rows[1:]), rows)) as browsing:
        page = browsing.page
        page.locator(".option").first.click()
        expect(page.locator("#pair h3")).to_contain_text("mmm")
        assert no_sideways(page)
        page.keyboard.press("j")
        expect(page.locator("#pair .bar a")).to_have_text("pair-0001")
        page.fill("#search", "roof")
        expect(page.locator("#found")).to_have_text("1 of 2 pairs")


def test_long_texts_are_cut_until_the_rest_is_asked_for(browser: Browser, tmp_path: Path) -> None:
    rows = [row(0, chosen="a" * 1_000_000), row(1, chosen="word " * 200_000)]
    with opened(browser, written(tmp_path, audit_of(rows), rows), "#pair=pair-0000") as browsing:
        page = browsing.page
        text = page.locator("#pair .chosen .text")
        assert text.text_content() == "a" * 20_000
        assert no_sideways(page)
        page.keyboard.press("j")
        expect(page.locator("#pair .bar a")).to_have_text("pair-0001")
        page.get_by_role("button", name="Show all 1,000,000 characters").click()
        assert text.text_content() == "word " * 200_000
        expect(page.locator("#pair .side.chosen button")).to_have_count(0)


# Finding a pair


def test_search_finds_words_in_ids_questions_and_responses(browser: Browser, plain: Path) -> None:
    with opened(browser, plain) as browsing:
        page = browsing.page
        expect(page.locator("#found")).to_have_text("43 of 43 pairs")
        for query, ids in (
            ("pair-0007", ["pair-0007"]),
            ("“question 9,”", ["pair-0009"]),
            ("ROOF 12 day", ["pair-0012"]),
            ("“roof 13 by NIGHT”", ["pair-0013"]),
            ('"by night" "roof 14"', ["pair-0014"]),
            ("nowhere to be found", []),
        ):
            page.fill("#search", query)
            many = f"{len(ids)} of 43 pairs"
            expect(page.locator("#found")).to_have_text(many)
            assert options(page) == ids
        expect(page.locator(".empty")).to_have_text("No pair fits.")


def test_filters_by_domain_mode_check_and_people(browser: Browser, plain: Path) -> None:
    leak, target = DEFINITIONS["rubric_leak"].title, DEFINITIONS["target_in_profile"].title
    with opened(browser, plain) as browsing:
        page = browsing.page
        for field, label, ids in (
            ("#domain", "Garden", ["pair-0041"]),
            ("#mode", "twin", ["pair-0040", "pair-0040b"]),
            ("#check", "named by a failed check", ["pair-0003", "pair-0005"]),
            ("#check", f"✗ {leak} (2)", ["pair-0003", "pair-0005"]),
            ("#check", f"{target} (2)", ["pair-0005", "pair-0040"]),
            ("#people", "nobody was asked", ["pair-0040b"]),
        ):
            page.select_option(field, label=label)
            assert options(page) == ids, (field, label)
            page.select_option(field, index=0)
        page.select_option("#check", label="named by any check")
        page.select_option("#mode", label="violate")
        page.fill("#search", "roof 5")
        assert options(page) == ["pair-0005"]


def test_what_programs_verified_is_never_said_of_people(browser: Browser, tmp_path: Path) -> None:
    rows = [row(1), *(row(n, verified=False) for n in (2, 3, 4))]
    decisions = {"pair-0002": True, "pair-0003": False}
    audit = audit_of(rows).model_copy(update={"simulated_decisions": decisions})
    marks = [
        "✓ verified", "verified by simulated annotators", "not verified by simulated annotators",
        "✗ not verified",
    ]  # fmt: skip
    with opened(browser, written(tmp_path, audit, rows)) as browsing:
        page = browsing.page
        listed = page.locator(".option .small").all_inner_texts()
        assert [line.split(" · ")[0] for line in listed] == marks
        for label, own in (
            ("verified by people", "pair-0001"),
            ("verified by simulated annotators", "pair-0002"),
            ("not verified by simulated annotators", "pair-0003"),
            ("people asked, not verified", "pair-0004"),
        ):
            page.select_option("#people", label=label)
            assert options(page) == [own]
        page.select_option("#people", label="verified by simulated annotators")
        page.locator(".option").first.click()
        opened_pair(page)
        expect(page.locator("#pair")).to_contain_text("which verifies nothing. First-round votes")
        expect(page.locator("#pair .chip.good")).to_have_count(0)


def test_a_pair_is_opened_read_and_closed_by_keyboard(browser: Browser, plain: Path) -> None:
    with opened(browser, plain) as browsing:
        page = browsing.page
        page.keyboard.press("/")
        expect(page.locator("#search")).to_be_focused()
        page.keyboard.type("roof")
        page.keyboard.press("Enter")
        expect(page.locator("#list")).to_be_focused()
        for key in ("j", "ArrowDown", "j", "k", "ArrowUp", "j"):
            page.keyboard.press(key)
        selected = page.locator('[aria-selected="true"]')
        expect(selected).to_contain_text("pair-0002")
        active = page.locator("#list").get_attribute("aria-activedescendant")
        assert selected.get_attribute("id") == active
        assert selected.get_attribute("aria-posinset") == "3"
        page.keyboard.press("Enter")
        assert opened_pair(page) == "pair-0002"
        expect(page.locator("#pair")).to_be_focused()
        assert page.evaluate("location.hash") == "#pair=pair-0002"
        page.keyboard.press("j")
        expect(page.locator("#pair .bar a")).to_have_text("pair-0003")
        page.keyboard.press("Escape")
        expect(page.locator("#pair")).to_be_hidden()
        expect(page.locator("#list")).to_be_focused()
        expect(selected).to_contain_text("pair-0003")
        page.keyboard.press("End")
        expect(selected).to_contain_text("pair-0041")
        page.keyboard.press("Home")
        expect(selected).to_contain_text("pair-0000")
        assert page.locator("#list").evaluate("of => getComputedStyle(of).outlineStyle") == "solid"


def test_a_link_opens_its_pair_and_back_closes_it(browser: Browser, plain: Path) -> None:
    with opened(browser, plain, "#pair=pair-0017") as browsing:
        page = browsing.page
        assert opened_pair(page) == "pair-0017"
        page.locator(".verdict a", has_text="pair-0005").click()
        expect(page.locator("#pair .bar a")).to_have_text("pair-0005")
        page.go_back()
        expect(page.locator("#pair .bar a")).to_have_text("pair-0017")
        page.evaluate("location.hash = '#pair=nowhere'")
        expect(page.locator("#pair")).to_contain_text("not in this file")
        page.keyboard.press("Escape")
        expect(page.locator("#pair")).to_be_hidden()


def test_pairs_of_one_id_have_links_of_their_own(browser: Browser, tmp_path: Path) -> None:
    rows = [row(n, id="the same") for n in range(3)]
    file = written(tmp_path, audit_of(rows), rows)
    with opened(browser, file, "#pair=the%20same&nth=3") as browsing:
        expect(browsing.page.locator("#pair h3")).to_contain_text("Question 2")
        browsing.page.keyboard.press("k")
        expect(browsing.page.locator("#pair h3")).to_contain_text("Question 1")
        assert browsing.page.evaluate("location.hash") == "#pair=the%20same&nth=2"


# Reading a pair


def test_a_pair_shows_everything_that_is_known_of_it(browser: Browser, plain: Path) -> None:
    with opened(browser, plain, "#pair=pair-0005") as browsing:
        page = browsing.page
        pair = page.locator("#pair")
        opened_pair(page)
        # Words that differ; the words around them are in both.
        assert page.locator(".chosen mark").all_inner_texts() == ["day"]
        assert page.locator(".rejected mark").all_inner_texts() == ["night"]
        page.get_by_label("Mark the words that differ").uncheck()
        expect(page.locator(".sides.marked")).to_have_count(0)
        # Evidence is found by its words, in the post that its aspect names.
        assert page.locator(".posts mark").all_inner_texts() == ["I work nights"]
        assert page.locator(".posts li").nth(1).locator("mark + sup").inner_text() == "1"
        assert (
            page.locator(".aspects li").nth(0).inner_text().count("chosen 2 of 2, rejected 0") == 1
        )
        expect(page.locator(".aspects li").nth(1)).to_contain_text("NOT FOUND")
        for told in (
            "Home", "violate", "verified", "Named by failed checks", "detail of pair-0005",
            "Named by checks that did not fail", "2 for the chosen, 1 for the rejected",
            "correctness", "tie", "The user's earlier posts (3)", "The long story of 5.",
            "model-7b", "judge-70b", "CC-BY-SA-4.0", "item-5", "https://example.test/q",
        ):  # fmt: skip
            assert told in (pair.text_content() or ""), told


@pytest.mark.parametrize(
    ("said", "evidence", "chosen", "rejected", "marks"),
    [
        ("Ich habe nur eine Pfanne.", "„Ich habe nur eine Pfanne“",
         "Ich mag scho\u0308ne dunkle Brote", "Ich mag schöne dunkle Brote", ([], [])),
        ("Ich mag Mo\u0308hren.", "Ich mag Möhren",
         "Brot im Topf backen", "Brot im Topf kaufen", (["backen"], ["kaufen"])),
        ("ｶﾞｽｺﾝﾛが一つ", "ガスコンロ",
         "銭湯に行くべきだ", "銭湯に行くべきです",
         (["だ"], ["です"])),
        ("船上没有烤箱。", "「没有烤箱」。",
         "我觉得这里不应该停车", "我觉得这里应该停车",
         (["不"], [])),
    ],
    ids=["German", "decomposed", "Japanese", "Chinese"],
)  # fmt: skip
def test_words_and_evidence_are_found_in_other_languages(
    browser: Browser,
    tmp_path: Path,
    said: str,
    evidence: str,
    chosen: str,
    rejected: str,
    marks: tuple[list[str], list[str]],
) -> None:
    aspect = RowAspect(aspect="A", evidence=evidence, post_ids=("own",))
    own = post(1, 0, said).model_copy(update={"id": "own"})
    pair = row(1, chosen=chosen, rejected=rejected, profile=(own,), rubric_aspects=(aspect,))
    file = written(tmp_path, audit_of([pair]), [pair])
    with opened(browser, file, f"#pair={pair.id}") as browsing:
        page = browsing.page
        opened_pair(page)
        found = [page.locator(f".{side} mark").all_inner_texts() for side in ("chosen", "rejected")]
        assert tuple(found) == marks
        expect(page.locator(".aspects li")).to_contain_text("Evidence marked below")
        for side, text in (("chosen", chosen), ("rejected", rejected)):
            counted = page.locator(f".{side} h4 span").inner_text()
            assert counted == number_of(word_count(text), "word")


def test_the_other_half_of_a_twin_is_one_click_away(browser: Browser, plain: Path) -> None:
    with opened(browser, plain, "#pair=pair-0040") as browsing:
        opened_pair(browsing.page)
        browsing.page.get_by_role("button", name="The other half of this twin").click()
        expect(browsing.page.locator("#pair .bar a")).to_have_text("pair-0040b")
        expect(browsing.page.locator("#pair")).to_contain_text("another user's question")


# Where it is read


def no_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_on_a_phone_nothing_is_wider_than_the_screen(browser: Browser, plain: Path) -> None:
    phone: dict[str, Any] = {
        "viewport": {"width": 360, "height": 740},
        "has_touch": True,
        "is_mobile": True,
    }
    with opened(browser, plain, **phone) as browsing:
        page = browsing.page
        page.evaluate(OPEN_ALL)
        assert no_sideways(page)
        page.locator(".option").nth(3).tap()
        assert opened_pair(page) == "pair-0003"
        box = page.locator("#pair").bounding_box()
        assert box is not None
        assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 360, 740)
        assert page.locator("#pair").evaluate("of => of.scrollWidth <= of.clientWidth")
        page.get_by_role("button", name="Close this pair").tap()
        expect(page.locator("#pair")).to_be_hidden()
        assert no_sideways(page)


def test_light_and_dark_are_both_readable(browser: Browser, plain: Path) -> None:
    for scheme in ("light", "dark"):
        with opened(browser, plain, "#pair=pair-0005", color_scheme=scheme) as browsing:
            opened_pair(browsing.page)
            contrasts = browsing.page.evaluate(CONTRASTS)
            assert len(contrasts) > 20
            poor = [of for of in contrasts if of[1] < 4.5]
            assert not poor, (scheme, poor)


# Of every text in the page, its contrast with what is painted behind it (WCAG 2.2, 1.4.3).
CONTRASTS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const paint = (layers) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const of of layers) { canvas.fillStyle = of; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const bright = (rgb) => rgb.map(v => v / 255)
    .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const found = new Map();
  for (const of of document.querySelectorAll('body *:not(svg *):not(script)')) {
    if (![...of.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (!of.checkVisibility() || of.disabled) continue;
    const layers = [];
    for (let up = of; up; up = up.parentElement) {
      layers.unshift(getComputedStyle(up).backgroundColor);
    }
    const [back, text] = [paint(layers), paint([...layers, getComputedStyle(of).color])];
    const [a, b] = [bright(back), bright(text)].sort((x, y) => y - x);
    const name = `${of.tagName}.${of.className} ${of.textContent.slice(0, 20)}`;
    found.set(name, (a + .05) / (b + .05));
  }
  return [...found];
}"""


def test_without_scripts_the_report_says_what_is_missing(browser: Browser, plain: Path) -> None:
    with opened(browser, plain, java_script_enabled=False) as browsing:
        expect(browsing.page.locator("#needs")).to_contain_text("needs JavaScript")
        expect(browsing.page.locator("#browser")).to_be_hidden()
        expect(browsing.page.locator(".verdict")).to_contain_text("Fail")
        expect(browsing.page.locator("svg").first).to_be_visible()


def test_without_decompression_the_page_says_what_is_missing(browser: Browser, plain: Path) -> None:
    page = browser.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(f"file://{plain}")
    expect(page.locator("#needs")).to_contain_text("DecompressionStream")
    expect(page.locator("#browser")).to_be_hidden()
    page.context.close()


# Ten thousand pairs

LIST_MS, SEARCH_MS = 10_000, 2_000
"""Loose, for a machine that others use; what was measured is printed."""


def test_ten_thousand_pairs_do_not_stall(browser: Browser, tmp_path: Path) -> None:
    rows = Again(10_000, SENTENCES)
    file = written(tmp_path, audit_of([row(0)], check("rubric_leak", "fail")), rows)
    with opened(browser, file) as browsing:
        page = browsing.page
        listed = page.evaluate("performance.getEntriesByName('listed')[0].startTime")
        assert page.locator(".option").count() < 60
        searched = {"reading": searched_in(page, "number 500 has", 10_000)}
        page.wait_for_function("() => performance.getEntriesByName('read').length")
        read = page.evaluate("performance.getEntriesByName('read')[0].startTime")
        searched["all read"] = searched_in(page, "number 501 has", 10_000)
        page.fill("#search", "pair-9999")
        expect(page.locator("#found")).to_have_text("1 of 10,000 pairs")
        page.fill("#search", "")
        page.focus("#list")
        page.keyboard.press("End")
        started = time.perf_counter()
        page.keyboard.press("Enter")
        assert opened_pair(page) == "pair-9999"
        figures = {
            "mb": round(file.stat().st_size / 1e6, 1), "list_ms": listed, "read_ms": read,
            "search_ms": searched, "open_ms": round(1000 * (time.perf_counter() - started)),
        }  # fmt: skip
    print(json.dumps(figures))
    assert listed < LIST_MS
    assert max(searched.values()) < SEARCH_MS


def searched_in(page: Page, words: str, of: int) -> float:
    page.evaluate("performance.clearMeasures('found')")
    page.fill("#search", f'"{words}"')
    expect(page.locator("#found")).to_contain_text(f"of {of:,} pairs")
    return float(page.evaluate("performance.getEntriesByName('found')[0].duration"))

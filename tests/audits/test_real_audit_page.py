"""The audit's page in a real browser: hostile pairs do nothing, and pairs are found by the check
that names them, by paging and by link."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from audited import accuracy, audit_of, check, halves, post, row, source_of
from browser import Browsing, chromium
from hostile import HOSTILE
from pairwright.audits.checks import DEFINITIONS
from pairwright.audits.page import write_page
from pairwright.audits.records import Audit, Flag
from pairwright.pairs import Row

pytestmark = pytest.mark.real

SETTLE_MS = 200
"""How long a page may take to do what it must not; in the control it does within it."""
# As files hold them: without halves of surrogate pairs.
TEXTS = [
    text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    for text in (*HOSTILE, "</script><script>owned('end')</script>KEPT", "%00%2e%zz", "\0", " ")
]
ELEMENTS = set("BDI DETAILS DIV H4 LI OL P SPAN SUMMARY UL".split())
"""What the script makes to show a pair."""
LOOK = """() => [...document.querySelectorAll('#list *')].map(
  of => [of.tagName, ...of.getAttributeNames().filter(name => name.startsWith('on'))])"""
PLAIN = [*(row(n) for n in range(40)), *halves(40)]


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
        expect(page.locator("#found")).not_to_be_empty()
    yield browsing
    assert not errors
    page.context.close()


def written(folder: Path, audit: Audit, rows: Sequence[Row]) -> Path:
    write_page(folder / "report.html", audit, source_of(rows))
    return folder / "report.html"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    checks = (
        accuracy("length", 0.7, "fail"),
        check("rubric_leak", "fail", rows=["pair-0003", "pair-0025"]),
        check("target_in_profile", "note", rows=["pair-0005", "pair-0025"]),
    )
    return written(tmp_path_factory.mktemp("plain"), audit_of(PLAIN, *checks), PLAIN)


def listed(page: Page) -> list[str]:
    """Ids of the pairs in the list."""
    return [text.strip() for text in page.locator("summary bdi.small").all_inner_texts()]


def test_hostile_pairs_do_nothing_but_stand_there(browser: Browser, tmp_path: Path) -> None:
    rows = [
        row(
            n, id=text, question=text, chosen=text, rejected=text, category=text,
            profile=(post(n, 0, text),),
        )
        for n, text in enumerate(TEXTS)
    ]  # fmt: skip
    flags = tuple(Flag(row=text, detail=text) for text in TEXTS)
    leak = check("rubric_leak", "fail").model_copy(update={"flags": flags})
    with opened(browser, written(tmp_path, audit_of(rows, leak), rows)) as browsing:
        page = browsing.page
        page.evaluate("() => { window.owned = (what) => { document.title = `OWNED ${what}`; }; }")
        seen = 0
        while True:
            page.evaluate(
                "() => { for (const of of document.querySelectorAll('details')) of.open = true; }"
            )
            page.wait_for_timeout(SETTLE_MS)
            for tag, *handlers in page.evaluate(LOOK):
                assert tag in ELEMENTS
                assert not handlers
            for details in page.locator("details.pair").all():
                assert details.locator(".text").count() >= 4
                seen += 1
            if page.locator("#next").is_disabled():
                break
            before = page.locator("#found").inner_text()
            page.locator("#next").click()
            expect(page.locator("#found")).not_to_have_text(before)
        assert "OWNED" not in page.title()
        assert seen == len(TEXTS)


def test_pairs_are_filtered_by_check_and_paged(browser: Browser, plain: Path) -> None:
    with opened(browser, plain) as browsing:
        page = browsing.page
        assert page.locator("#found").inner_text() == "1 to 20 of 42"
        assert page.locator("#previous").is_disabled()
        page.locator("#next").click()
        expect(page.locator("#found")).to_have_text("21 to 40 of 42")
        assert listed(page)[0] == "pair-0020"
        page.locator("#next").click()
        expect(page.locator("#next")).to_be_disabled()
        assert listed(page) == ["pair-0040", "pair-0040b"]
        page.locator("#check").select_option("failed")
        expect(page.locator("#found")).to_have_text("1 to 2 of 2")
        assert listed(page) == ["pair-0003", "pair-0025"]
        page.locator("#check").select_option(label=f"{DEFINITIONS['target_in_profile'].title} (2)")
        expect(page.locator("#list")).to_contain_text("pair-0005")
        assert listed(page) == ["pair-0005", "pair-0025"]


def test_a_pair_shows_its_texts_posts_votes_and_flags(browser: Browser, plain: Path) -> None:
    with opened(browser, plain, "#pair=pair-0025") as browsing:
        page = browsing.page
        details = page.locator("details[open].pair")
        expect(details).to_have_count(1)
        text = details.inner_text()
        own = PLAIN[25]
        for said in (
            own.question, own.chosen, own.rejected, *(post.text for post in own.profile),
            "verified by people", "2 chosen, 1 rejected",
            f"{DEFINITIONS['rubric_leak'].title}: detail of pair-0025",
        ):  # fmt: skip
            assert said in text
        page.locator(".verdict a[href='#pair=pair-0003']").click()
        expect(page.locator("details[open].pair").first).to_contain_text("Question 3,")


def test_without_scripts_the_report_says_what_is_missing(browser: Browser, plain: Path) -> None:
    with opened(browser, plain, java_script_enabled=False) as browsing:
        page = browsing.page
        assert page.locator("#needs").is_visible()
        assert not page.locator("#browser").is_visible()
        assert "2 of 2 checks fail" in page.locator(".verdict").inner_text()

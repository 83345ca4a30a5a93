"""Debian's Chromium for tests, driven by playwright."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Dialog, Locator, Page, Request, expect, sync_playwright

from label_studio_process import ServerAccount

INSTALL = "apt-get install --yes --no-install-recommends chromium fonts-dejavu-core fonts-noto-cjk"


def chromium() -> str:
    """Its path. Where it is absent it is installed, which takes root."""
    names = ("chromium", "chromium-browser", "google-chrome")
    if not any(map(shutil.which, names)):
        done = subprocess.run(f"apt-get update && {INSTALL}", shell=True, capture_output=True)
        assert done.returncode == 0, f"no Chromium here; have root run: {INSTALL}\n{done.stderr!r}"
    return next(filter(None, map(shutil.which, names)))


@dataclass
class Browsing:
    """A page, and what was done on it that no text of a task may do."""

    url: str
    page: Page
    seen: list[str] = field(default_factory=list)
    """What scripts told `owned`, in any frame; dialogs, requests to elsewhere, other pages."""

    def __post_init__(self) -> None:
        context = self.page.context
        context.expose_function("owned", lambda what: self.seen.append(f"ran: {what}"))
        context.on("request", self._asked)
        context.on("page", lambda page: self.seen.append(f"opened a page: {page.url}"))
        self.page.on("dialog", self._dialog)

    def harm(self) -> list[str]:
        """All that was done since the last time this was asked."""
        told, self.seen = self.seen, []
        return told

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.url}/", "data:", "blob:")):
            self.seen.append(f"asked elsewhere: {request.url}")

    def _dialog(self, dialog: Dialog) -> None:
        self.seen.append(f"opened a dialog: {dialog.message}")
        dialog.dismiss()


@contextmanager
def logged_in(url: str, account: ServerAccount) -> Iterator[Browsing]:
    """A page of a server that the account has logged in to."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(),
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
        )
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            page.set_default_timeout(30_000)
            browsing = Browsing(url, page)
            page.goto(f"{url}/user/login/")
            page.fill("input[name=email]", account.email)
            page.fill("input[name=password]", account.password)
            page.press("input[name=password]", "Enter")
            page.wait_for_url(lambda address: "/user/login" not in address)
            yield browsing
        finally:
            browser.close()


def open_form(page: Page, link: str) -> Locator:
    """Go to a labelling page; its questions, once they can be answered."""
    page.goto(link)
    questions = page.locator(".pw .lsf-choices")
    expect(questions.first).to_be_visible(timeout=30_000)
    return questions

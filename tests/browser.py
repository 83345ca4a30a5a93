"""Debian's Chromium for tests, driven by playwright."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Locator, Page, Request, expect, sync_playwright

from label_studio_process import ServerAccount

PACKAGES = ["chromium", "fonts-dejavu-core", "fonts-noto-cjk"]


def chromium() -> str:
    """Its path. Where it is absent it is installed, which takes root; else the test fails."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        _install()
        found = shutil.which("chromium")
    assert found, f"no Chromium here: none of {', '.join(names)} is on PATH"
    return found


def _install() -> None:
    by_hand = f"no Chromium here; have root run: apt-get install {' '.join(PACKAGES)}"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        pytest.fail(by_hand)
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
        done = subprocess.run(
            ["apt-get", "--quiet", *command], env=environment, capture_output=True, text=True
        )
        if done.returncode:
            pytest.fail(f"{by_hand}\napt-get {command[0]} failed: {done.stderr[-500:]}")


@dataclass
class Browsing:
    """A page, and what was done on it that no text of a task may do."""

    url: str
    page: Page
    ran: list[str] = field(default_factory=list)
    """What scripts told `owned`, in any frame."""
    dialogs: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Requests to anywhere but the server."""
    opened: list[str] = field(default_factory=list)
    """Other pages."""

    def __post_init__(self) -> None:
        context = self.page.context
        context.expose_function("owned", lambda what: self.ran.append(str(what)))
        context.on("request", self._asked)
        context.on("page", lambda page: self.opened.append(page.url))
        self.page.on("dialog", self._dialog)

    def harm(self) -> list[str]:
        """All that was done since the last time this was asked."""
        seen = (self.ran, self.dialogs, self.left, self.opened)
        names = ("ran", "opened a dialog", "asked elsewhere", "opened a page")
        told = [f"{name}: {x}" for name, of in zip(names, seen, strict=True) for x in of]
        for of in seen:
            of.clear()
        return told

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.url}/", "data:", "blob:")):
            self.left.append(request.url)

    def _dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
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


def picture(page: Page, folder: Path, name: str) -> Path:
    """A screenshot of the whole form, for a person to look at."""
    path = folder / f"{name}.png"
    size = page.viewport_size
    assert size is not None
    height = page.locator(".pw").evaluate("form => form.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": min(height + 180, 6000)})
    page.screenshot(path=path)
    page.set_viewport_size(size)
    return path

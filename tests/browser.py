"""Debian's Chromium for tests, driven by playwright."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from pairwright_human_eval.server.accounts import Account

PACKAGES = ["chromium", "fonts-dejavu-core", "fonts-noto-cjk"]


def chromium() -> str:
    """Its path. Where it is absent it is installed, which takes root; else the test is skipped."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        pytest.skip("no Chromium here, and only root may install it (apt-get install chromium)")
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
        done = subprocess.run(
            ["apt-get", "--quiet", *command], env=environment, capture_output=True, text=True
        )
        if done.returncode:
            pytest.skip(f"no Chromium here, and apt-get {command[0]} failed: {done.stderr[-300:]}")
    return shutil.which("chromium") or "/usr/bin/chromium"


@contextmanager
def logged_in(url: str, account: Account) -> Iterator[Page]:
    """A page of a server that the account has logged in to."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(),
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
        )
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            page.goto(f"{url}/user/login/")
            page.fill("input[name=email]", account.email)
            page.fill("input[name=password]", account.password)
            page.press("input[name=password]", "Enter")
            page.wait_for_url(lambda address: "/user/login" not in address)
            yield page
        finally:
            browser.close()


def picture(page: Page, folder: Path, name: str) -> Path:
    """A screenshot of what there is to see, for a person to look at."""
    path = folder / f"{name}.png"
    page.screenshot(path=path)
    return path

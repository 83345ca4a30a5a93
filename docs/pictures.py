"""Take the two pictures of the README: an audit's page, and its browser of pairs.

    make demo
    .venv/bin/python docs/pictures.py demo/release/audit/report.html

It needs Chromium and playwright's Python package, which `make install` brings.
"""

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

PICTURES = Path(__file__).resolve().with_name("pictures")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    report = Path(sys.argv[1]).resolve()
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, CHROMIUM))),
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
        )
        page = browser.new_page(viewport={"width": 1100, "height": 800}, color_scheme="light")
        page.goto(report.as_uri())
        options = page.locator("#list .option")
        expect(options.first).to_be_visible()
        _picture(page, "audit")
        options.first.click()
        page.locator("#pairs").evaluate("section => section.scrollIntoView()")
        _picture(page, "pairs")
        browser.close()
    return 0


def _picture(page: Page, name: str) -> None:
    """What the window shows, with 64 colours: such a page needs no more, and the file is small."""
    path = PICTURES / f"{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(64)
    few.save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(main())

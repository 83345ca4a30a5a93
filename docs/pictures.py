"""Take the two pictures of the README: a twin on the page of an audit, and a leaderboard.

    make demo
    pairwright audit demo/run --out twins
    pairwright init choices --example choices
    pairwright build choices/pairwright.toml --run choices/run
    pairwright release choices/run --out choices/release --version 1.0.0
    pairwright evaluate choices/release --out results
    pairwright leaderboard results --out board
    .venv/bin/python docs/pictures.py twins/report.html board/leaderboard.html

It needs Chromium and playwright's Python package, which `make install` brings.
"""

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

PICTURES = Path(__file__).resolve().with_name("pictures")
TWIN = "shared supper"
"""Words of the question of the README's twin."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    audit, board = (Path(name).resolve().as_uri() for name in sys.argv[1:3])
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, CHROMIUM))),
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
        )
        page = browser.new_page(viewport={"width": 1100, "height": 700}, color_scheme="light")
        page.goto(audit)
        expect(page.locator("details.pair").first).to_be_visible()
        twin = page.locator("details.pair", has_text=TWIN).first
        twin.locator("summary").click()
        twin.locator("h4, h3", has_text="Question").first.evaluate(
            "title => title.scrollIntoView()"
        )
        _picture(page, "twin")
        page.set_viewport_size({"width": 780, "height": 690})
        page.goto(board)
        _picture(page, "leaderboard")
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

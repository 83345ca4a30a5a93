"""Write the reference pages of docs/ from the code: those that PAGES names.

    .venv/bin/python docs/generate.py            # write them
    .venv/bin/python docs/generate.py --check    # exit 1 and name those that are stale

What a page says about a key, a command or a rule is beside that key, command or rule in the code,
and reference/ has a module for each page. The pages are a function of the code: no times, no order
but the code's.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from reference.checks import checks_page
from reference.commands import commands_page
from reference.config import config_page
from reference.index import index_page
from reference.python import python_page

DOCS = Path(__file__).resolve().parent


def main() -> int:
    stale = []
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.name}")
    if stale and "--check" in sys.argv[1:]:
        print(f"stale: {', '.join(stale)}. Run `make docs`.", file=sys.stderr)
        return 1
    return 0


PAGES: dict[str, Callable[[], str]] = {
    "index.md": index_page,
    "commands.md": commands_page,
    "config.md": config_page,
    "checks.md": checks_page,
    "python.md": python_page,
}

if __name__ == "__main__":
    sys.exit(main())

"""Run the commands of tutorial.md and write what they print below them.

    .venv/bin/python docs/tutorial.py            # write
    .venv/bin/python docs/tutorial.py --check    # exit 1 and show where the page is stale

Each `sh` block of the page that a `text` block follows is run, in order and in one new folder, at
80 columns. A comment `<!-- first N lines -->` between the two shortens the text. Digests are left
out, because they depend on the version of every library, and so is the path of this checkout.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().with_name("tutorial.md")
STEP = re.compile(
    r"(?P<before>^```sh\n(?P<commands>(?:(?!```).*\n)+)```\n\n"
    r"(?:<!-- first (?P<most>\d+) lines -->\n\n)?)"
    r"^```text\n(?:(?!```).*\n)*```\n",
    re.MULTILINE,
)


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        current = STEP.sub(lambda step: _step(step, Path(folder)), page)
    if "--check" in sys.argv[1:]:
        lines = (text.splitlines(keepends=True) for text in (page, current))
        difference = list(difflib.unified_diff(*lines, "tutorial.md", "a run of its commands"))
        sys.stderr.writelines(difference)
        return 1 if difference else 0
    PAGE.write_text(current, encoding="utf-8")
    return 0


def _step(step: re.Match[str], folder: Path) -> str:
    lines = [
        line for command in step["commands"].splitlines() for line in _printed(command, folder)
    ]
    if step["most"]:
        lines = [*lines[: int(step["most"])], "[...]"]
    return step["before"] + "\n".join(["```text", *lines, "```", ""])


def _printed(command: str, folder: Path) -> list[str]:
    """The lines that a command prints. A command that does not end with 0 ends this script."""
    here = str(Path(sys.executable).parent)
    environment = os.environ | {
        "PATH": os.pathsep.join([here, os.environ["PATH"]]),
        "COLUMNS": "80",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    text = re.sub(r"sha256:[0-9a-f]{64}", "sha256:...", done.stdout).strip("\n")
    text = text.replace(f"{PAGE.parents[1]}{os.sep}", "")
    return [line.rstrip() for line in text.splitlines()]


if __name__ == "__main__":
    sys.exit(main())

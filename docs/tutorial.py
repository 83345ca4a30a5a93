"""Run the commands and Python of the pages, and write what they print into the pages.

    .venv/bin/python docs/tutorial.py            # write
    .venv/bin/python docs/tutorial.py --check    # exit 1 and show where a page is stale

Each `sh` block that a `text` block follows is run, all in one new folder, at 80 columns: pages go
on with what earlier pages made. A block after "Save this as `FILE`" is written first. A comment
`<!-- first N lines -->` between command and text shortens the text. Digests and the path of this
checkout are left out.
"""

import contextlib
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGES = "tour", "generate", "choices", "first_study", "study", "audit", "evaluate", "release"
STEP = re.compile(
    r"(?P<before>^```sh\n(?P<code>(?:(?!```).*\n)+)```\n\n"
    r"(?:<!-- first (?P<most>\d+) lines -->\n\n)?)"
    r"^```text\n(?:(?!```).*\n)*```\n",
    re.MULTILINE,
)
FILE = re.compile(r"Save this as `([\w.]+)`[^\n]*\n\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)


def main() -> int:
    stale = False
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path in (HERE / f"{name}.md" for name in PAGES):
            page = path.read_text(encoding="utf-8")
            for name, text in FILE.findall(page):
                Path(name).write_text(text, encoding="utf-8")
            current = STEP.sub(_step, page)
            if "--check" not in sys.argv[1:]:
                path.write_text(current, encoding="utf-8")
                continue
            lines = (text.splitlines(keepends=True) for text in (page, current))
            difference = list(difflib.unified_diff(*lines, path.name, "a run of its code"))
            sys.stderr.writelines(difference)
            stale = stale or bool(difference)
    return int(stale)


def _step(step: re.Match[str]) -> str:
    printed = "".join(_run(command) for command in step["code"].splitlines())
    text = re.sub(r"sha256:[0-9a-f]{64}", "sha256:...", printed).strip("\n")
    lines = [line.rstrip() for line in text.replace(f"{HERE.parent}{os.sep}", "").splitlines()]
    if step["most"] and len(lines) > int(step["most"]):
        lines = [*lines[: int(step["most"])], "[...]"]
    return step["before"] + "\n".join(["```text", *lines, "```", ""])


def _run(command: str) -> str:
    """What a command prints. One that does not end with 0 ends this script."""
    here = str(Path(sys.executable).parent)
    environment = os.environ | {
        "PATH": os.pathsep.join([here, os.environ["PATH"]]),
        "COLUMNS": "80",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout.strip("\n") + "\n"


if __name__ == "__main__":
    sys.exit(main())

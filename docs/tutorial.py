"""Run the commands of tutorial.md and the Python of python.md, and write what they print there.

    .venv/bin/python docs/tutorial.py            # write
    .venv/bin/python docs/tutorial.py --check    # exit 1 and show where a page is stale

Each `sh` or `python` block that a `text` block follows is run, those of a page in order and in one
new folder, at 80 columns. A comment `<!-- first N lines -->` between the two shortens the text.
Digests are left out, because they depend on the version of every library, and so is the path of
this checkout.
"""

import contextlib
import difflib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGES = "tutorial.md", "python.md"
STEP = re.compile(
    r"(?P<before>^```(?P<language>sh|python)\n(?P<code>(?:(?!```).*\n)+)```\n\n"
    r"(?:<!-- first (?P<most>\d+) lines -->\n\n)?)"
    r"^```text\n(?:(?!```).*\n)*```\n",
    re.MULTILINE,
)


def main() -> int:
    stale = False
    for name in PAGES:
        page = (HERE / name).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            current = _Steps().written(page)
        if "--check" in sys.argv[1:]:
            lines = (text.splitlines(keepends=True) for text in (page, current))
            difference = list(difflib.unified_diff(*lines, name, "a run of its code"))
            sys.stderr.writelines(difference)
            stale = stale or bool(difference)
        else:
            (HERE / name).write_text(current, encoding="utf-8")
    return int(stale)


class _Steps:
    """The steps of one page, in the working folder; its Python blocks share their names."""

    def __init__(self) -> None:
        self._names: dict[str, object] = {}

    def written(self, page: str) -> str:
        """The page with what its steps print now."""
        return STEP.sub(self._step, page)

    def _step(self, step: re.Match[str]) -> str:
        if step["language"] == "python":
            printed = self._run(step["code"])
        else:
            printed = "".join(_run_command(command) for command in step["code"].splitlines())
        text = re.sub(r"sha256:[0-9a-f]{64}", "sha256:...", printed).strip("\n")
        text = text.replace(f"{HERE.parent}{os.sep}", "")
        lines = [line.rstrip() for line in text.splitlines()]
        if step["most"]:
            lines = [*lines[: int(step["most"])], "[...]"]
        return step["before"] + "\n".join(["```text", *lines, "```", ""])

    def _run(self, code: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, self._names)
        return printed.getvalue()


def _run_command(command: str) -> str:
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

"""Time and peak memory of reading a Stack Exchange dump of 4 MB and one of 400 MB.

.venv/bin/python benchmarks/dumps.py [SMALL LARGE [POSTS_XML]]

The dumps repeat a few fictional users, or a real Posts.xml, under new numbers. Each is read in a
process of its own.
"""

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from html import escape
from itertools import count
from pathlib import Path

from histories import item

from pairwright.records import Item
from pairwright.settings.domains import Domain, Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import SourceProblem, read

SITE = "cooking.stackexchange.com"
LIMIT_MIB = 200
_NUMBERS = re.compile(r' (Id|ParentId|OwnerUserId|AcceptedAnswerId)="(\d+)"')
_APART = 10_000_000


def main(sizes: tuple[int, ...], rows: list[str]) -> int:
    peaks = []
    print(f"{'MB':>5} {'users':>8} {'posts':>9} {'CPU s':>7} {'peak MiB':>9}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / SITE
            folder.mkdir()
            write(folder / "Posts.xml", size * 1_000_000, rows)
            command = [sys.executable, __file__, "--read", str(folder)]
            figures = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        print(
            f"{size:>5} {figures['users']:>8,} {figures['posts']:>9,} {figures['cpu_s']:>7.1f}"
            f" {figures['peak_mib']:>9.0f}",
            flush=True,
        )
        peaks.append(figures["peak_mib"])
    print(json.dumps({"peak_mib": round(max(peaks)), "limit_mib": LIMIT_MIB}))
    return 0 if max(peaks) <= LIMIT_MIB else 1


def read_folder(folder: Path) -> dict[str, float]:
    """Read one dump to its end; what that took."""
    domain = Domain(key="Home", name="Home", subcategories=("cooking",), kinds=("tools",))
    rules = SourceRules(path=str(folder), format="stackexchange")
    found: Counter[str] = Counter()
    for one in read(rules, Domains([domain], folder), folder):
        if isinstance(one, Item):
            found.update(users=1, posts=len(one.profile))
        elif isinstance(one, SourceProblem):
            found[one.reason] += 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {**found, "cpu_s": time.process_time(), "peak_mib": peak}


def write(path: Path, size: int, rows: list[str]) -> None:
    """A Posts.xml of at least so many bytes."""
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n')
        for copy in count():
            file.writelines(_numbered(row, copy * _APART) for row in rows)
            if file.tell() >= size:
                break
        file.write("</posts>\n")


def fictional_rows(users: int = 200) -> Iterator[str]:
    """Each user with eight posts, every other one an answer, and a last question."""
    for user in range(1, users + 1):
        history = item(user)
        posts = [str(post["text"]) for post in history["profile"]]  # type: ignore[attr-defined]
        for n, text in enumerate([*posts, str(history["question"])], start=1):
            number = 10 * user + n
            title = escape(text.partition("?")[0] + "?")
            kind = (
                f'PostTypeId="2" ParentId="{number - 1}"'
                if n % 2 == 0
                else f'PostTypeId="1" Title="{title}" Tags="&lt;bread&gt;"'
            )
            body = escape(f"<p>{text}</p>\n<pre><code>{text}</code></pre>")
            yield (
                f'  <row Id="{number}" {kind} CreationDate="2020-01-{n:02}T00:00:00.000" Score="1"'
                f' OwnerUserId="{user}" Body="{body}" />\n'
            )


def _numbered(row: str, offset: int) -> str:
    if not offset:
        return row
    return _NUMBERS.sub(lambda found: f' {found[1]}="{int(found[2]) + offset}"', row)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        print(json.dumps(read_folder(Path(sys.argv[2]))))
    else:
        real = Path(sys.argv[3]).read_text(encoding="utf-8-sig") if len(sys.argv) > 3 else ""
        lines = [line + "\n" for line in real.split("\n") if "<row " in line]
        sys.exit(main(tuple(map(int, sys.argv[1:3])) or (4, 400), lines or list(fictional_rows())))

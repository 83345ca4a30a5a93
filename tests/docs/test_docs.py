"""The pages say what is true: current, complete, and every example in them works.

Examples are taken from the pages as they are, so a page that is edited is a page that is tested.
"""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pairwright import cli
from pairwright.assets import DOCS
from pairwright.evaluation.settings import Scorers
from pairwright.settings.config import validate
from pairwright.settings.domains import Domains
from pairwright.training.planner_data import Training
from pairwright.training.score_planners import PlanScoring
from pairwright_human_eval.folder import read_study
from released import right
from sheets import fill

ROOT = DOCS.parent
NAMES = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "human_eval/README.md",
    "human_eval/guidelines.md",
)  # fmt: skip
PAGES = {
    page: page.read_text(encoding="utf-8")
    for page in (*(ROOT / name for name in NAMES), *sorted(DOCS.glob("*.md")))
}
README = PAGES[ROOT / "README.md"]
STUB: dict[str, Any] = {
    "source": {"path": "x.jsonl"},
    "roles": {"planner": "stub", "generator": "stub", "judge": "stub"},
    "endpoints": {"stub": {"base_url": "http://a/v1", "model": "m"}},
}
CELL = """
import asyncio
from pathlib import Path

async def cell():
    exec(compile(Path("example.py").read_text(), "<cell>", "exec"), {"__name__": "__main__"})

asyncio.run(cell())
"""
"""Runs the example as a notebook's kernel runs a cell: inside an event loop that is running."""


class Block(NamedTuple):
    """A fenced block of a page."""

    where: str
    text: str


def blocks(language: str, pages: Iterable[Path] = PAGES) -> list[Block]:
    fence = re.compile(rf"^```{language}\n(.*?)^```", re.DOTALL | re.MULTILINE)
    found = ((page, match) for page in pages for match in fence.finditer(PAGES[page]))
    return [
        Block(f"{page.name}:{len(PAGES[page][: match.start()].splitlines()) + 1}", match[1])
        for page, match in found
    ]


def run(folder: Path, *words: str, columns: int = 100) -> str:
    program, *rest = words
    done = subprocess.run(
        [str(Path(sys.executable).parent / program), *rest],
        cwd=folder,
        env={**os.environ, "COLUMNS": str(columns)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_generated_pages_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    pages = importlib.import_module("generate").PAGES
    stale = [name for name, page in pages.items() if page() != PAGES[DOCS / name]]
    assert stale == [], "run `make docs`"


def printed_commands() -> Iterator[tuple[str, str]]:
    for block in blocks("sh"):
        for line in block.text.replace("\\\n", " ").splitlines():
            for command in line.split(" && "):
                yield block.where, command
    for page, text in PAGES.items():
        for match in re.finditer(r"(?<!`)`((?:pairwright|make) [^`]+)`", text):
            yield page.name, " ".join(match[1].split())


def test_commands_in_the_pages_exist() -> None:
    commands = cli.command_tree().commands
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for where, line in printed_commands():
        program, *words = shlex.split(line)
        program = Path(program).name
        if program == "make":
            assert set(words) <= set(targets), f"{where}: {line}"
        elif program == "pip":
            extras = re.findall(r"\[(\w+)\]", line)
            assert set(extras) <= set(project["optional-dependencies"]), f"{where}: {line}"
        elif program == "pairwright" and words[0] not in ("--help", "--version", "COMMAND"):
            command: Any = commands[words[0]]
            if group := getattr(command, "commands", None):
                if words[1:] in ([], ["..."]):
                    continue  # It speaks of the whole group.
                command = group[words[1]]
            known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
            given = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert given <= known, f"{where}: {line}"
        else:
            assert program in ("pairwright", "vllm", "curl", "python", "git", "cd"), where


def test_pages_are_short_and_the_pictures_of_the_readme_small() -> None:
    """Words are counted with code; the strokes of a table are none."""
    counts = {page.name: len(re.findall(r"\S*\w\S*", text)) for page, text in PAGES.items()}
    written = [
        page.name for page, text in PAGES.items()
        if page.parent == DOCS and "Written by docs/generate.py" not in text
    ]  # fmt: skip
    assert len(written) <= 16
    assert sum(counts[name] for name in written) <= 20_000
    assert [name for name in written if counts[name] > 1_500] == []
    assert 550 <= len(re.findall(r"\S*\w\S*", README)) <= 900
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+\.png)\)", README)
    assert len(pictures) == 2
    assert all((ROOT / name).stat().st_size < 200_000 for name in pictures)


def test_paths_in_the_contributors_page_exist() -> None:
    code = re.findall(r"`([^`\n ]+)`", PAGES[ROOT / "CONTRIBUTING.md"])
    paths = [text for text in code if "/" in text or re.search(r"\.(toml|md|py)$", text)]
    assert len(paths) > 30
    assert [path for path in paths if path != ".venv" and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("block", blocks("toml"), ids=lambda block: block.where)
def test_toml_in_the_pages_is_valid(block: Block, tmp_path: Path) -> None:
    data = tomllib.loads(block.text)
    if "kinds" in data:
        (tmp_path / "New.toml").write_text(block.text, encoding="utf-8")
        assert Domains.load(tmp_path).by_key["New"].kinds
    elif "planners" in data:
        PlanScoring.model_validate(data)
    elif "validation" in data:
        Training.model_validate(data)
    elif data.keys() & {"scorers", "judge", "policy", "history"}:
        toy = {"base_url": "http://a/v1", "model": "m"}
        named = re.findall(r'^endpoint = "(.*)"', block.text, re.MULTILINE)
        given = dict.fromkeys(named, toy) | data.get("endpoints", {})
        Scorers.model_validate(data | {"endpoints": given})
    elif "roles" in data:
        validate(data, tmp_path)  # A whole file, as it stands.
    else:
        endpoints = STUB["endpoints"] | data.get("endpoints", {})
        validate(STUB | data | {"endpoints": endpoints}, tmp_path)


def test_links_resolve_and_no_page_names_a_place_on_somebodys_machine() -> None:
    place = re.compile(r"(?<![\w.])(?:/(?:work|home|root|tmp|opt|mnt|Users)\b|~/)")
    for page, text in PAGES.items():
        assert [line for line in text.splitlines() if place.search(line)] == [], page
        for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
            name, _, anchor = target.partition("#")
            file = (page.parent / name) if name else page
            assert file.exists(), f"{page.name}: {target}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
                slugs = [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings]
                assert anchor in slugs, f"{page.name}: {target}"


def test_every_page_ships_and_every_page_that_a_message_names_exists() -> None:
    """A user of the wheel has no checkout: a message names a page by its installed path."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    pages = {f"docs/{page.name}": f"pairwright/docs/{page.name}" for page in DOCS.glob("*.md")}
    assert {name: to for name, to in shipped.items() if name.startswith("docs/")} == pages
    named = set()
    for path in (path for top in ("pipeline", "human_eval") for path in (ROOT / top).rglob("*")):
        if path.suffix in (".jinja", ".py"):
            source = path.read_text(encoding="utf-8")
            assert not re.search(r"\bdocs/\w+\.md", source), path
            by = r"""(?:docs(?:\|verbatim)? }}/|DOCS / ["'])(\w+\.md)"""
            named |= set(re.findall(by, source))
    assert len(named) > 3
    assert [name for name in sorted(named) if not (DOCS / name).is_file()] == []


@pytest.mark.real
def test_the_pages_show_what_their_commands_print() -> None:
    done = subprocess.run(
        [sys.executable, DOCS / "tutorial.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.real
def test_the_site_is_made_without_a_warning(tmp_path: Path) -> None:
    if importlib.util.find_spec("sphinx") is None:
        pytest.fail("Sphinx is not installed: `make test-real` and `make site` install it.")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"),
            *("--doctree-dir", tmp_path / "doctrees", DOCS, tmp_path / "site"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for page in DOCS.glob("*.md"):
        assert (tmp_path / "site" / f"{page.stem}.html").is_file(), page


@pytest.mark.real
def test_the_readme_shows_a_twin_of_the_demo(tmp_path: Path) -> None:
    (question,) = re.findall(r"^> \*\*(.*\?)\*\*$", README, re.MULTILINE)
    users, posts, texts = (
        re.findall(rf"^> \| ?{head} \| (.*) \| (.*) \|$", README, re.MULTILINE)[0]
        for head in ("", "wrote earlier", "prefers")
    )
    run(tmp_path, "pairwright", "init", "demo")
    run(tmp_path, "pairwright", "build", "demo/pairwright.toml", "--run", "demo/run")
    lines = (tmp_path / "demo" / "run" / "pairs.jsonl").read_text("utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    halves = [p for p in pairs if p["mode"] == "twin" and p["question"] == question]
    assert [f"`{half['user']}`" for half in halves] == list(users)
    for half, quotes, text in zip(halves, posts, texts, strict=True):
        history = " ".join(post["text"] for post in half["profile"])
        assert all(quote in history for quote in re.findall(r'"(.*?)"', quotes))
        parts = re.split(r"\[\.\.\.\]|\.\.\.", text.strip('"'))
        assert all(part.strip() in half["chosen"] for part in parts)


@pytest.mark.real
def test_two_people_can_do_what_the_first_study_says(tmp_path: Path) -> None:
    """Its commands in their order, with sheets that are filled in before they are imported, in
    place of simulated annotators."""
    tried = []
    for line in "".join(one.text for one in blocks("sh", [DOCS / "first_study.md"])).splitlines():
        words = shlex.split(line)
        if words[2] == "simulate":
            continue
        if words[2] == "import":
            key = read_study(tmp_path / words[3]).key
            sheets = sorted(tmp_path.glob(words.pop()))
            assert len(sheets) == 2
            words += [str(fill(sheet, lambda task: right()(task, None), key)) for sheet in sheets]
        run(tmp_path, *words, columns=80)
        tried.append(words[1])
    assert tried == ["init", "build", "human", "human", "human"]


@pytest.mark.real
@pytest.mark.parametrize("name", ["cell.py", "example.py"])
def test_the_python_of_the_pages_runs(name: str, tmp_path: Path) -> None:
    (study,) = (block.text for block in blocks("python", [DOCS / "python.md"]))
    assert "pairwright.cli" not in study
    (tmp_path / "example.py").write_text(study, encoding="utf-8")
    (tmp_path / "cell.py").write_text(CELL, encoding="utf-8")
    printed = run(tmp_path, "python", "-W", "error::ResourceWarning", name)
    for line in (
        r"^[1-9]\d* pairs; [1-9]\d* calls$",
        r"^[1-9]\d* verified$",
        r"^[1-9]\d* files are consistent$",
        r"^similarity +profile +0\.\d+$",
        r"^twin +[1-9]\d*$",
    ):
        assert re.search(line, printed, re.MULTILINE), line

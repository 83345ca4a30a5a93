"""The pages say what is true: current, complete, and every example in them works.

Examples are taken from the pages as they are, so a page that is edited is a page that is tested.
"""

import ast
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

import pairwright
from endpoint import double_url
from pairwright import cli
from pairwright.assets import DOCS
from pairwright.evaluation.settings import Scorers
from pairwright.settings.config import validate
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import PROMPTS, variables
from pairwright.settings.rules import JudgedGate, TextGate
from pairwright.training.plan_settings import PlanScoring, Training
from pairwright_human_eval.opened import read_study
from released import right
from sheets import fill

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "human_eval" / "README.md",
    ROOT / "human_eval" / "guidelines.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
GROUPS = {"batch", "downstream", "human", "train"}
CELL = """
import asyncio
from pathlib import Path

async def cell():
    exec(compile(Path("example.py").read_text(), "<cell>", "exec"), {"__name__": "__main__"})

asyncio.run(cell())
"""
"""Runs the example as a notebook's kernel runs a cell: inside an event loop that is running."""
STUB: dict[str, Any] = {
    "source": {"path": "x.jsonl"},
    "roles": {"planner": "stub", "generator": "stub", "judge": "stub"},
    "endpoints": {"stub": {"base_url": "http://a/v1", "model": "m"}},
}


class Block(NamedTuple):
    """A fenced block of a page."""

    where: str
    text: str


def blocks(language: str, pages: list[Path] = PAGES) -> list[Block]:
    found = []
    for page in pages:
        source = page.read_text(encoding="utf-8")
        for match in re.finditer(rf"^```{language}\n(.*?)^```", source, re.DOTALL | re.MULTILINE):
            line = source.count("\n", 0, match.start()) + 1
            found.append(Block(f"{page.relative_to(ROOT)}:{line}", match[1]))
    return found


def place(block: Block) -> str:
    return block.where


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def commands() -> dict[str, Any]:
    found: dict[str, Any] = cli.command_tree().commands
    return found


def grouped(commands: dict[str, Any]) -> dict[str, Any]:
    """The commands of the groups, by both of their words."""
    return {
        f"{group} {name}": one for group in GROUPS for name, one in commands[group].commands.items()
    }


class Demo(NamedTuple):
    """A folder in which the demo was built, and what building it printed."""

    folder: Path
    printed: str


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


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("docs")
    run(folder, "pairwright", "init", "demo")
    build = ("build", "demo/pairwright.toml", "--run", "demo/run")
    human = (
        ("human", "export", "demo/run", "--seed", "0"),
        ("human", "simulate", "demo/run"),
        ("human", "adjudicate", "demo/run"),
        ("human", "simulate", "demo/run"),
        ("human", "report", "demo/run"),
        ("release", "demo/run", "--out", "demo/release", "--version", "0.1.0", "--trial"),
    )
    return Demo(folder, "".join(run(folder, "pairwright", *words) for words in (build, *human)))


def test_the_generated_pages_are_current(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    ended = importlib.import_module("generate").main()
    assert (ended, capsys.readouterr().err) == (0, "")


def printed_commands() -> Iterator[tuple[str, str]]:
    for block in blocks("sh"):
        for line in block.text.replace("\\\n", " ").splitlines():
            for command in line.split(" && "):
                yield block.where, command
    for page in PAGES:
        for match in re.finditer(
            r"`((?:pairwright|make) [^`]+)`", page.read_text(encoding="utf-8")
        ):
            yield page.name, flat(match[1])


def test_commands_in_the_pages_exist(commands: dict[str, Any]) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    seen = set()
    for where, line in printed_commands():
        program, *words = shlex.split(line)
        if program == "pairwright" and words in (["--help"], ["--version"]):
            continue  # Options of the program itself.
        if program == "make":
            assert set(words) <= set(targets), f"{where}: {line}"
        elif program == "pip":
            extras = re.findall(r"\[(\w+)\]", line)
            assert set(extras) <= set(project["optional-dependencies"]), f"{where}: {line}"
        elif program not in ("vllm", "curl", "python"):
            assert Path(program).name == "pairwright", f"{where}: {line}"
            command, name = commands[words[0]], words[0]
            if (group := getattr(command, "commands", None)) and words[1:] in ([], ["..."]):
                continue  # It speaks of the whole group.
            if group:
                command, name = group[words[1]], f"{words[0]} {words[1]}"
            known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
            given = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert given <= known, f"{where}: {line}"
            seen.add(name)
    assert seen == commands.keys() - GROUPS | grouped(commands).keys()


def test_the_readme_is_short_its_files_exist_and_its_pictures_are_small() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert 550 <= len(readme.split()) <= 900
    for name in re.findall(r"`((?:pipeline|docs|prompts|rubrics|examples|tests)/[\w./]*)`", readme):
        assert (ROOT / name).exists(), name
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+\.png)\)", readme)
    assert len(pictures) == 2
    assert all((ROOT / name).stat().st_size < 200_000 for name in pictures)


def test_paths_in_the_contributors_page_exist() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code = re.findall(r"`([^`\n]+)`", page)
    made = {".venv"}
    paths = [
        text
        for text in code
        if " " not in text and ("/" in text or re.search(r"\.(toml|md|py)$", text))
    ]
    assert len(paths) > 30
    assert [path for path in paths if path not in made and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("block", blocks("toml"), ids=place)
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


def test_relative_links_resolve() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            if re.match(r"https?:", target):
                continue
            name, _, anchor = target.partition("#")
            file = (page.parent / name) if name else page
            assert file.exists(), target
            if anchor:
                headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
                slugs = [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings]
                assert anchor in slugs, target


def test_no_page_names_a_place_on_somebodys_machine() -> None:
    place = re.compile(r"(?<![\w.])(?:/(?:work|home|root|tmp|opt|mnt|Users)\b|~/)")
    for page in PAGES:
        lines = page.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if place.search(line)] == [], page


def test_every_page_ships_and_every_page_that_a_message_names_exists() -> None:
    """A user of the wheel has no checkout: a message names a page by its installed path."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    pages = {f"docs/{page.name}": f"pairwright/docs/{page.name}" for page in DOCS.glob("*.md")}
    assert {name: to for name, to in shipped.items() if name.startswith("docs/")} == pages
    named = set()
    for root in ("pipeline", "human_eval"):
        for path in sorted((ROOT / root).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            named |= set(re.findall(r"""DOCS / ["']([\w.]+)["']""", source))
            if not re.search(r"\bdocs/\w+\.md", source):
                continue
            tree = ast.parse(source)
            # Docstrings may name a page: readers of the source have docs/.
            for node in ast.walk(tree):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    node.value.value = ""
            texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
            wrong = [text for text in texts if re.search(r"\bdocs/\w+\.md", str(text))]
            assert not wrong, f"{path}: {wrong}"
    assert named
    assert all((DOCS / name).is_file() for name in named)


def test_the_python_reference_has_every_public_name() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\.\. auto(?:function|class):: pairwright\.(\w+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted(set(pairwright.__all__) - {"__version__"})


@pytest.mark.real
def test_the_tutorial_shows_what_its_commands_print() -> None:
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
    reference = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    for name in set(pairwright.__all__) - {"__version__"}:
        assert f'id="pairwright.{name}"' in reference, name


@pytest.mark.real
def test_the_readme_shows_a_twin_of_the_demo(demo: Demo) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (question,) = re.findall(r"^> \*\*(.*\?)\*\*$", readme, re.MULTILINE)
    users, posts, texts = (
        re.findall(rf"^> \| ?{head} \| (.*) \| (.*) \|$", readme, re.MULTILINE)[0]
        for head in ("", "wrote earlier", "prefers")
    )
    lines = (demo.folder / "demo" / "run" / "pairs.jsonl").read_text("utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    halves = [p for p in pairs if p["mode"] == "twin" and p["question"] == question]
    assert [f"`{half['user']}`" for half in halves] == list(users)
    for half, quotes, text in zip(halves, posts, texts, strict=True):
        history = " ".join(post["text"] for post in half["profile"])
        assert all(quote in history for quote in re.findall(r'"(.*?)"', quotes))
        parts = re.split(r"\[\.\.\.\]|\.\.\.", text.strip('"'))
        assert all(part.strip() in half["chosen"] for part in parts)


@pytest.mark.real
def test_two_people_can_do_what_the_quickstart_says(tmp_path: Path) -> None:
    """Its files and its commands in their order, with sheets that are filled in before they are
    taken in, in place of simulated annotators."""
    page = (DOCS / "quickstart.md").read_text(encoding="utf-8")
    files = dict(
        re.findall(r"Save this as `([^`]+)`:\n\n```\w+\n(.*?)^```", page, re.DOTALL | re.M)
    )
    assert len(files) == 2
    tried = set()
    for line in "".join(re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.M)).splitlines():
        words = shlex.split(line)
        if words[0] == "pip" or words[2] == "simulate":
            continue
        if words[2] == "import":
            key = read_study(tmp_path / words[3]).key
            sheets = sorted(tmp_path.glob(words.pop()))
            assert len(sheets) == 2
            words += [str(fill(sheet, lambda task: right()(task, None), key)) for sheet in sheets]
        run(tmp_path, *words, columns=80)
        if words[1] == "init":
            for name, text in files.items():
                (tmp_path / name).write_text(text, encoding="utf-8")
        tried.add(words[1])
    assert tried == {"init", "build", "show", "human", "release", "verify", "audit"}


@pytest.mark.real
@pytest.mark.parametrize("script", ["cell.py", "example.py"])
def test_the_python_of_the_pages_runs(script: str, tmp_path: Path) -> None:
    whole = "\n\n".join(block.text for block in blocks("python", [ROOT / "docs" / "python.md"]))
    assert "pairwright.cli" not in whole
    whole = whole.replace("http://127.0.0.1:8000/v1", double_url())
    (tmp_path / "example.py").write_text(whole, encoding="utf-8")
    (tmp_path / "cell.py").write_text(CELL, encoding="utf-8")
    printed = run(tmp_path, "python", "-W", "error::ResourceWarning", script)
    (pairs,) = re.findall(r"(\d+) pairs; [1-9]\d* units dropped; [1-9]\d* calls", printed)
    for line in (
        r"^[1-9]\d* tasks for 11 annotators in study/run/human$",
        "^0 tasks are open$",
        r"^[1-9]\d* verified$",
        r"^[1-9]\d* rows, sha256:",
        r"^[1-9]\d* files are what they say$",
        r"^profile \(('(constant|longer|similarity|overlap)\.profile'(, )?){4}\)$",
        rf"\b1 +5 +{pairs}\b",
        r"pairs=\(Pair\(",
        "reason='shared_words'",
    ):
        assert re.search(line, printed, re.MULTILINE), line


def test_the_page_on_prompts_names_every_variable() -> None:
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)\.md` \|.*\|(.*)\|$", page, re.MULTILINE))
    found = {
        name: frozenset(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", cell)))
        for name, cell in rows.items()
    }
    assert found == {name: variables(name) for name in PROMPTS}


def test_the_page_on_audits_names_every_gate() -> None:
    page = (ROOT / "docs" / "run.md").read_text(encoding="utf-8")
    table = page.partition("## The gates")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = re.findall(r"`(\w+)`", " ".join(cells))
    assert sorted(named) == sorted([*get_args(TextGate), *get_args(JudgedGate)])


def test_what_a_page_imports_is_there() -> None:
    for page in PAGES:
        text = " ".join(page.read_text(encoding="utf-8").split())
        for module, names in re.findall(r"from (pairwright[\w.]*) import (\w+(?:, \w+)*)", text):
            for name in names.split(", "):
                home = importlib.import_module(module)
                assert hasattr(home, name) or importlib.util.find_spec(f"{module}.{name}"), name

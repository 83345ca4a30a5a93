"""The pages are plain English: no phrase of words.toml, and no sentence longer than it says."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "human_eval/README.md")
PAGES = [
    *(ROOT / name for name in (*NAMES, "human_eval/guidelines.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
FORBIDDEN = re.compile(rf"(?<!\w)(?:{'|'.join(WORDS['forbidden'])})(?!\w)", re.IGNORECASE)
END = re.compile(r"(?<=[.!?:])[\"')\]]*\s+(?=[A-Z\"'(\[`])")
CODE = re.DOTALL | re.MULTILINE
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|et al|Dr)\.\s")


def sentences(markdown: str) -> Iterator[tuple[int, str]]:
    """Each sentence of the prose with the line of its block. Code counts as one word."""
    line = 0
    for block in MarkdownIt("commonmark").enable("table").parse(markdown):
        line = block.map[0] + 1 if block.map else line
        parts = []
        for token in block.children or [] if block.type == "inline" else []:
            if token.type == "code_inline":
                parts.append("`code`")
            elif token.type in ("softbreak", "hardbreak"):
                parts.append(" ")
            elif token.type == "text":
                parts.append(token.content)
        text = ABBREVIATION.sub(lambda found: found[0].replace(".", ""), "".join(parts))
        yield from ((line, one) for one in END.split(text) if one.strip())


def faults(page: Path) -> list[str]:
    found = []
    for line, sentence in sentences(page.read_text("utf-8")):
        words = len(re.findall(r"\w[\w.,'/-]*|`code`", sentence))
        if words > WORDS["longest_sentence"]:
            found.append(f"{page.name}:{line}: {words} words: {sentence}")
        found += [f"{page.name}:{line}: {one!r}: {sentence}" for one in FORBIDDEN.findall(sentence)]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_plain_english(page: Path) -> None:
    assert faults(page) == []


def test_templates_and_lists_of_words_have_no_forbidden_phrase() -> None:
    """What pages, terminals and forms say, without the parts of Jinja and comments."""
    tops = ("pipeline", "human_eval")
    for path in (path for top in tops for path in (ROOT / top).rglob("*")):
        if path.suffix in (".jinja", ".toml") and path.name != "languages.toml":
            text = re.sub(r"\{[%#{].*?[%#}]\}|^# .*?$", "", path.read_text("utf-8"), flags=CODE)
            assert not FORBIDDEN.findall(text), path


BEGINS_BADLY = re.compile(r"(?:What|Who|Whose|Where|That|Of|As|How|Why|If|For)\b")
"""A docstring begins with a verb or a noun, so that it can be read without the name."""
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@pytest.mark.parametrize("top", ["pipeline", "human_eval"])
def test_docstrings_stand_alone(top: str) -> None:
    found = []
    for path in sorted((ROOT / top).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            said = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
            prose = re.sub(r"`[^`]*`|\bNone\b", "code", said or "")
            if BEGINS_BADLY.match(prose) or FORBIDDEN.search(prose):
                line = getattr(node, "lineno", 1)
                found.append(f"{path.relative_to(ROOT)}:{line}: {prose.splitlines()[0]}")
    assert found == [], "\n".join(found)

"""The house keeps to its budgets: tests/house.toml says how much each room may weigh."""

import ast
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BUDGETS: dict[str, int] = tomllib.loads((ROOT / "tests/house.toml").read_text("utf-8"))["most"]
PRODUCT = ("pipeline/pairwright", "human_eval")
LOOKS = (".jinja", ".js", ".css", ".html")


@cache
def texts() -> dict[Path, str]:
    """Every file of text that git tracks, by its path."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [Path(name) for name in listed.stdout.decode().split("\0") if name]
    suffixes = {".py", ".md", *LOOKS}
    return {
        path: (ROOT / path).read_text(encoding="utf-8")
        for path in paths
        if path.suffix in suffixes and (ROOT / path).is_file()
    }


def room(path: Path) -> str:
    """The room of a product file; a file beside the rooms is in `root`."""
    if path.parts[0] == "human_eval":
        return "human_eval"
    return path.parts[2] if len(path.parts) > 3 else "root"


def field_only(tree: ast.AST) -> int:
    """Classes that have fields and no function."""
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return sum(
        any(isinstance(one, ast.AnnAssign) for one in node.body)
        and not any(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) for one in node.body)
        for node in classes
    )


def lines(found: Iterable[str]) -> int:
    return sum(text.count("\n") for text in found)


@cache
def weights() -> dict[str, int]:
    """Lines of each room, and of what is counted over all."""
    product = {
        path: text
        for path, text in texts().items()
        if path.as_posix().startswith(PRODUCT) and path.suffix == ".py"
    }
    rooms = Counter[str]()
    for path, text in product.items():
        rooms[room(path)] += text.count("\n")
    looks = [
        text
        for path, text in texts().items()
        if path.as_posix().startswith(PRODUCT) and path.suffix in LOOKS
    ]
    tests = [t for p, t in texts().items() if p.parts[0] == "tests" and p.suffix == ".py"]
    docs = [t for p, t in texts().items() if p.parts[0] == "docs" and p.suffix == ".md"]
    return {
        **dict(sorted(rooms.items())),
        "all product Python": lines(product.values()),
        "files of product Python": len(product),
        "field-only classes": sum(field_only(ast.parse(text)) for text in product.values()),
        "templates, scripts and styles": lines(looks),
        "tests": lines(tests),
        "words of docs": sum(len(text.split()) for text in docs),
    }


def test_every_room_has_a_budget_and_no_budget_is_of_nothing() -> None:
    assert weights().keys() == BUDGETS.keys()


@pytest.mark.parametrize("name", BUDGETS)
def test_a_room_is_within_its_budget(name: str) -> None:
    weight = weights()[name]
    assert weight <= BUDGETS[name], f"{name}: {weight:,} of {BUDGETS[name]:,} (tests/house.toml)"

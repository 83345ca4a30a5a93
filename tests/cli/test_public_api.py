"""What `import pairwright` promises: names, types, words, and that nothing heavy comes with it."""

import ast
import inspect
import re
import subprocess
import sys
from typing import Any

import pytest

import pairwright

FUNCTIONS = (
    "build", "status", "export_tasks", "import_answers", "decide", "release", "verify", "diff",
    "audit", "evaluate", "leaderboard", "correlate", "load_release",
    "build_placebo", "build_twin", "build_violate", "run_async", "plan_study",
)  # fmt: skip


def python(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def source_of(name: str) -> Any:
    """A name as it is, which the module gives as Any."""
    return getattr(pairwright, name)


def test_all_names_are_listed_in_order_with_those_that_a_type_checker_sees() -> None:
    listed = pairwright.__all__
    # As ruff sorts: classes before functions.
    assert listed == sorted(listed, key=lambda name: (not name[0].isupper(), name))
    assert set(FUNCTIONS) < set(listed)
    tree = ast.parse(inspect.getsource(pairwright))
    (typed,) = (node for node in tree.body if isinstance(node, ast.If))
    imported = {
        (node.module, alias.name)
        for node in typed.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = {(home, name) for home, names in pairwright._HOMES.items() for name in names}
    assert imported == homes
    assert {name for _, name in homes} == {*listed} - {"__version__"}
    assert {*listed} <= {*dir(pairwright)}


@pytest.mark.parametrize("name", [n for n in pairwright.__all__ if n != "__version__"])
def test_every_name_has_its_words_and_types(name: str) -> None:
    found = source_of(name)
    words = found.__doc__ or ""
    assert "." in words, "no sentence"
    if name not in FUNCTIONS:
        assert inspect.isclass(found)
        return
    assert inspect.isfunction(found)
    assert re.search(rf"^ +(>>> )?.*\b{name}\(", words, re.MULTILINE), "no example"
    if name != "run_async":
        assert "Raises" in words or "raises" in words


def test_help_and_commands_import_no_more_than_they_need() -> None:
    """What only reads a run does without what sends calls, which takes longer than reading; and a
    build, and all of a study but its report, without statistics and figures."""
    steps = (
        ("pairwright", {"numpy", "scipy", "pandas", "matplotlib"}),
        ("pairwright.cli.runs", {"aiohttp", "bm25s", "scipy.special", "openai", "torch"}),
        (
            "pairwright.construct.build",
            {"scipy.stats", "statsmodels", "matplotlib", "pandas", "openai", "torch"},
        ),
        ("pairwright.cli.human", {"matplotlib", "pandas"}),
    )
    program = "import sys, pairwright\nassert 'pydantic' not in sys.modules\n"
    program += "import pairwright.cli as cli; cli.command_tree().commands.summaries()\n"
    program += "assert 'pydantic' not in sys.modules\n"
    for imports, slow in steps:
        program += f"import {imports}\nfound = {slow} & sys.modules.keys()\n"
        program += f"assert not found, ({imports!r}, found)\n"
    python(program)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'relaese'"):
        source_of("relaese")

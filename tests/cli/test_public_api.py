"""What `import pairwright` promises: names, types, words, and that nothing heavy comes with it."""

import inspect
import re
import subprocess
import sys
from typing import Any

import pytest

import pairwright

FUNCTIONS = (
    "build", "status", "export_tasks", "import_answers", "decide", "release", "check", "diff",
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


def test_every_name_is_listed_and_there_and_no_other_is() -> None:
    listed = pairwright.__all__
    assert {*FUNCTIONS, "__version__"} < {*listed} <= {*dir(pairwright)}
    assert all(source_of(name) is not None for name in listed)
    with pytest.raises(AttributeError, match="no attribute 'biuld'"):
        source_of("biuld")


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
        ("pairwright_human_eval.answers", {"matplotlib", "pandas"}),
    )
    program = "import sys, pairwright\nassert 'pydantic' not in sys.modules\n"
    program += "import pairwright.cli as cli, typer\n"
    program += "cli.command_tree().get_help(typer.Context(cli.command_tree()))\n"
    program += "assert 'pydantic' not in sys.modules\n"
    for imports, slow in steps:
        program += f"import {imports}\nfound = {slow} & sys.modules.keys()\n"
        program += f"assert not found, ({imports!r}, found)\n"
    python(program)

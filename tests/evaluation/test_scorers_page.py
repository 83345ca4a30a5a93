"""docs/evaluate.md, followed to the letter on a small release: files and commands."""

import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from pairwright.evaluation.scores import ScoreTable, read_scores
from pairwright.evaluation.settings import Spec, load_scorers
from study import pairwright

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8")
ENDINGS = {"python": "py", "toml": "toml", "markdown": "md"}


class Block(NamedTuple):
    """A fenced block, under the name of the file that the text before it gives."""

    language: str
    name: str
    text: str


def blocks() -> Iterator[Block]:
    for match in re.finditer(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        before = PAGE[: match.start()].rstrip().rpartition("\n\n")[2]
        named = re.findall(rf"`([a-z_]+\.{ENDINGS.get(match[1], 'none')})`", before)
        yield Block(match[1], named[-1] if named else "", match[2])


BLOCKS = list(blocks())


@pytest.fixture
def folder(small_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a release in demo/release, and every file of the page."""
    shutil.copytree(small_release, tmp_path / "demo" / "release")
    for block in BLOCKS:
        if block.name:
            (tmp_path / block.name).write_text(block.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(scorer: str) -> ScoreTable:
    """The table of the page's command with this scorer in condition profile, which is whole."""
    commands = [
        line for block in BLOCKS if block.language == "sh" for line in block.text.split("\n")
    ]
    (found,) = [line for line in commands if scorer in shlex.split(line)]
    done = pairwright(*shlex.split(found)[1:])
    assert done.code == 0, done.said
    (table,) = read_scores([Path("results") / f"{scorer}.profile.json"])
    assert table.scores
    assert not [one for one in table.scores if one.unscored]
    return table


def test_every_kind_has_an_example_and_every_file_is_read_as_it_stands(folder: Path) -> None:
    for block in BLOCKS:
        if block.name.endswith(".toml"):
            assert load_scorers(folder / block.name).scorers
    tables = [tomllib.loads(block.text) for block in BLOCKS if block.language == "toml"]
    shown = {of["kind"] for table in tables for of in table.get("scorers", {}).values()}
    kinds = [get_args(of.model_fields["kind"].annotation) for of in get_args(get_args(Spec)[0])]
    assert shown == {kind for names in kinds for kind in names}


def test_the_scorer_of_ones_own_runs_and_the_file_of_scores_is_taken_in(folder: Path) -> None:
    assert folder.is_dir()
    assert run("shared").about.scorer.model == "my_scorer:Shared"
    (script,) = [b.text for b in BLOCKS if b.language == "python" and "scores.csv" in b.text]
    exec(script, {})
    assert run("elsewhere").about.scorer.model == "our-reward-model"

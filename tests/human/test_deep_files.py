"""Files from outside that hold a hundred thousand brackets: refused by name, and no crash."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.audits.read.folders import _release_statement, _run_statement
from pairwright.construct.folder import RunFolder
from pairwright.dataset import Layout
from pairwright.errors import InputError
from pairwright.evaluation.outputs import _lines
from pairwright.workflows.release_content import _manifest
from pairwright_human_eval.label_studio.files import read_task_file
from pairwright_human_eval.qualification import load_checks

JSON, TOML = "[" * 100_000, "a = " + "[" * 100_000


def provenance(path: Path) -> object:
    layout = Layout(path.parent)
    layout.provenance.parent.mkdir(exist_ok=True)
    layout.provenance.write_text(JSON)
    return _release_statement(layout)


def outputs(path: Path) -> object:
    return list(_lines(path))


def run_manifest(path: Path) -> object:
    return _manifest(path.parent)


def run_config(path: Path) -> object:
    (path.parent / "config.toml").write_text(TOML)
    return RunFolder(path.parent).saved()


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (provenance, JSON), (outputs, JSON), (run_manifest, JSON), (run_config, TOML),
        (_run_statement, TOML), (load_checks, TOML),
        (read_task_file, JSON),
    ],
)  # fmt: skip
def test_a_file_of_many_brackets_is_named(
    tmp_path: Path, read: Callable[[Path], object], text: str
) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(tmp_path) in caught.value.where
    assert caught.value.fix

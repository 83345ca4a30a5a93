"""What commands print at their end that no test of their work looks at."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_train_planner import begun, check

import study
from pairwright.cli.training import COMMANDS as TRAINING
from pairwright.cli.training import print_training
from pairwright.training.planner_checkpoints import TrainingReport
from pairwright_human_eval.label_studio import projects as push
from released import PAIRS, run_of
from stand_in import KEY, StandIn
from study import pairwright

TESTS = Path(__file__).parents[1]


def test_every_command_is_run_by_a_test() -> None:
    def below(group: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        for name, one in group.commands.items():
            whole = (*words, name)
            yield from below(one, whole) if hasattr(one, "commands") else [whole]

    sources = "".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    calls = re.sub(r"\s+", " ", sources)
    # Helpers of studies write the word `human` themselves; all else is a call or a list.
    by_helper = set(re.findall(r'(?:\bended|\.do|\.refused|\bhuman)\("([\w-]+)"', calls))
    begun = re.findall(
        r'(?<!ended)(?<!\.do)(?<!\.refused)(?<!human)[(\[]"([\w-]+)"(?:, "([\w-]+)")?', calls
    )
    run = {*begun, *((first, "") for first, _ in begun), *(("human", one) for one in by_helper)}

    def is_run(words: tuple[str, ...]) -> bool:
        return (*words, "")[:2] in run

    assert [words for words in below(study._commands()) if not is_run(words)] == []


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that nobody has answered. Not to be changed."""
    folder = run_of(tmp_path_factory.mktemp("exported") / "run", PAIRS[:3], study=False)
    assert pairwright("human", "export", folder, "--seed", 1).code == 0
    return folder


@pytest.fixture
def run(exported: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(exported, tmp_path / "run"))


def ended(*arguments: object) -> str:
    done = pairwright("human", *arguments)
    assert done.code == 0, done.said
    return done.out


def test_tasks_go_to_a_server_and_answers_return(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", KEY)
    monkeypatch.setattr(push, "SETTLE_S", 0.0)
    with StandIn() as server:
        said = ended("push", run, "--url", server.url)
        assert re.search(r"annotator-11 .*/projects/\d+/data\?labeling=1\n$", said)
        assert re.search(r"annotator-11 +rubric +\d+ +0 +0 +0\s*$", ended("status", run))
        assert "Next:\n  pairwright human report" in ended("pull", run)


def test_a_training_says_what_it_chose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = check(30, 0.0).model_copy(update={"unreadable": 4})
    report = TrainingReport(begun=begun(), refused={}, checkpoints=(nothing,), chosen=30)
    print_training(report, tmp_path / "out")
    said = capsys.readouterr().err
    assert "No checkpoint wrote a plan that can be read" in said
    assert "checkpoint-30 is chosen" in said
    assert said.endswith(f"Serve {tmp_path / 'out' / 'adapter'}\n")


def test_a_server_of_rewards_says_what_it_scored(capsys: pytest.CaptureFixture[str]) -> None:
    health: Any = SimpleNamespace(
        errors={"too_long": 2}, failed={"timeout": 1}, scored=1_200, empty=3
    )
    show = TRAINING["train reward-server"].show
    assert show
    show(health)
    assert capsys.readouterr().out == (
        "Stopped. 1,200 responses scored, 3 of them empty. 2 without a score: 2 too_long."
        " 1 request failed: 1 timeout.\n"
    )

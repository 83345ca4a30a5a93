"""What a verified pair proves, from the answers to the release: the rule that a study stored, the
answers on aspects in the rows, and the answer key that follows from them."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.evaluation.outputs import asked_questions, questions_by_id
from pairwright.pairs import RowDelivery, RowSupport
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.report import decide
from pairwright_human_eval.units import Unit
from released import PAIRS, Answers, right, rows, run_of, written
from study import pairwright

SOME = PAIRS[:6]
"""Two twins and two violate pairs."""
Change = Callable[[KeyedTask, Answers], Answers]


def changed(change: Change) -> Callable[[KeyedTask, Unit | None], Answers]:
    """The answers of people who would verify everything, changed."""
    usual = right()
    return lambda task, unit: change(task, usual(task, unit) or {})


def delivered_by_other(task: KeyedTask, ticks: Answers) -> Answers:
    """Only the rejected response delivers."""
    other = {"A": "B", "B": "A"}[task.expected or "A"]
    return {k: other if k.startswith("delivered") else v for k, v in ticks.items()}


def second_refuted(_: KeyedTask, ticks: Answers) -> Answers:
    """Nobody finds the second aspect supported, and nobody finds it delivered."""
    refuted = {"support_1": "no", "delivered_1": "neither"}
    return ticks | (refuted if "support_1" in ticks else {})


def states(run: Path) -> set[str]:
    return {decision.state for decision in decide(run).decisions.values()}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study by whose answers only the rejected responses deliver. Not to be changed."""
    return run_of(
        tmp_path_factory.mktemp("asked") / "run", SOME, answer=changed(delivered_by_other)
    )


@pytest.fixture
def run(asked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(asked, tmp_path / "run"))


def test_the_report_says_reasons_in_words_and_status_how_many(run: Path) -> None:
    assert "last report" not in pairwright("human", "status", run).out
    assert states(run) == {"refused"}
    said = "too few of the supported aspects are delivered by the chosen response alone"
    report = (run / "human/report.md").read_text(encoding="utf-8")
    assert f"| refused: {said} | 4 | 2 | 2 |" in report
    shown = " ".join(pairwright("human", "status", run).out.split())
    assert "Decided by the last report: 4 refused." in shown


def test_a_row_has_what_people_said_of_each_aspect_and_the_supported_ones_as_key(
    tmp_path: Path,
) -> None:
    made = run_of(tmp_path / "run", SOME, answer=changed(second_refuted))
    found = rows(written(made, tmp_path / "release"))
    none = dict.fromkeys(RowDelivery.model_fields, 0)
    for row in found:
        first, second = row.rubric_aspects
        assert first.support == RowSupport(clearly=3, plausibly=0, no=0, contradicted=0)
        assert first.delivery == RowDelivery(**none | {"chosen": 3})
        assert second.support == RowSupport(clearly=0, plausibly=0, no=3, contradicted=0)
        assert second.delivery == RowDelivery(**none | {"neither": 3})
        assert row.answer_key == (first,)
    for question in asked_questions(questions_by_id(found)):
        (row,) = (row for row in found if row.id == question.pair)
        assert question.aspects == (row.rubric_aspects[0].aspect,)

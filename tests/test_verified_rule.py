"""What a verified pair proves, from the answers to the release: the rule that a study stored, the
answers on aspects in the rows, and the answer key that follows from them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pairwright.construct.folder import RunFolder
from pairwright.dataset import Layout, Row, RowDelivery, RowSupport, read_rows
from pairwright.dataset.parquet import SCHEMA
from pairwright.evaluate.questions import ReleaseQuestions
from pairwright.settings.config import Config
from pairwright.settings.rules import LATER_LIMITS
from pairwright.workflows.decision_report import decide
from pairwright.workflows.releases import verify
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.subjects import Subject
from released import PAIRS, Answers, exports_of, released, right, rows, run_of
from tampering import Tampered

VIOLATE = [pair for pair in PAIRS if pair.mode == "violate"][:2]
Change = Callable[[KeyedTask, Answers], Answers]


def changed(change: Change) -> Callable[[KeyedTask, Subject | None], Answers]:
    """What everybody answers who would verify all, changed."""
    usual = right()

    def answer(task: KeyedTask, subject: Subject | None) -> Answers:
        return change(task, usual(task, subject))

    return answer


def by_other(task: KeyedTask, ticks: Answers) -> Answers:
    """Only the rejected response delivers."""
    other = {"A": "B", "B": "A"}[task.expected or "A"]
    return {k: other if k.startswith("delivered") else v for k, v in ticks.items()}


def second_refuted(task: KeyedTask, ticks: Answers) -> Answers:
    """Nobody finds the second aspect supported."""
    return ticks | ({"support_1": "no"} if "support_1" in ticks else {})

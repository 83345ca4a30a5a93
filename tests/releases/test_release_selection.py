"""The card of a release says how the kept questions differ from those that were dropped."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pairwright.build_statement import BuildSummary
from pairwright.dataset import Layout
from pairwright.question_selection import (
    Question,
    QuestionSelection,
    StageDrop,
    question_differences,
)
from pairwright.releases.derive.build_summary import selection_rows
from pairwright.releases.write import write_primary
from released import context_of, gathered, run_of, texts

HARD = "a|b\n# <script>owned(1)</script> KEPT"
SAID = "results here speak of questions like those that were kept"


def selection(posts: tuple[int, int], category: str = "stews", n: int = 21) -> dict[str, Any]:
    """n kept and n dropped questions with about so many earlier posts."""
    questions = [
        Question(f"u{side}-{k}", 9, 2020, "x" if k % 2 else category, Counter(a=many + k % 3))
        for side, many in enumerate(posts)
        for k in range(n)
    ]
    stages = (StageDrop(stage="signal", questions=n, users=n),)
    found = question_differences(questions, [k < n for k in range(2 * n)])
    made = QuestionSelection(mode="twin", kept=n, dropped=n, stages=stages, differences=found)
    return made.model_dump(mode="json")


def pages(folder: Path, selections: list[dict[str, Any]] | None) -> dict[str, str]:
    """The derived files of a release whose run says so of its questions, or nothing."""
    run = run_of(folder / "run", study=False)
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    del manifest["question_selection"]
    if selections is not None:
        manifest["question_selection"] = selections
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    layout = Layout(folder / "release")
    write_primary(layout, gathered(run, trial=True))
    return texts(context_of(layout))


@pytest.mark.parametrize(
    ("posts", "said"),
    [
        ((8, 5),
         "Of 4 differences between kept and dropped ones that were measured, 1 has a 95 %"
         " interval without 0. The largest, in standard deviations, is of earlier posts of its"
         " user: 9.0 of those kept (n = 21), 6.0 of those dropped (n = 21), a difference of"
         " +3.00 (+2.48 to +3.52)."),
        ((6, 6), "that were measured, none has a 95 % interval without 0."),
    ],
)  # fmt: skip
def test_the_largest_difference_is_named(tmp_path: Path, posts: tuple[int, int], said: str) -> None:
    made = pages(tmp_path, [selection(posts)])
    limits = " ".join(json.loads(made["croissant.json"])["rai:dataLimitations"])
    for text in (made["README.md"], made["DATASHEET.md"], limits):
        assert SAID in text
        assert "Mode twin kept 21 of 42 questions." in text
        assert said in text
    assert "| twin | earlier posts of its user |" in made["README.md"]
    assert json.loads(made["manifest.json"])["build"]["question_selection"]


def test_a_run_that_does_not_say_how_they_differ_is_said_not_to(tmp_path: Path) -> None:
    made = pages(tmp_path, None)
    assert SAID in made["README.md"]
    assert "Nothing here states how the two differ." in made["README.md"]
    assert "<details><summary>How the questions" not in made["README.md"]


def test_a_category_from_a_source_runs_nothing_on_the_card(tmp_path: Path) -> None:
    card = pages(tmp_path, [selection((8, 5), HARD)])["README.md"]
    (line,) = (line for line in card.splitlines() if "KEPT" in line)
    assert line.startswith("| twin | category “a")
    assert "<script" not in line


def test_the_table_has_a_row_a_difference_and_runs_of_earlier_versions_have_none() -> None:
    build = BuildSummary.model_validate({"question_selection": [selection((8, 5))]})
    assert selection_rows(build)[1] == (
        "twin", "earlier posts of its user", "9.0 (8, 9, 10), n = 21", "6.0 (5, 6, 7), n = 21",
        "+3.00 (+2.48 to +3.52), +1.76 SD",
    )  # fmt: skip
    assert selection_rows(BuildSummary.model_validate({})) == []


def _elsewhere(of: dict[str, Any]) -> None:
    of["stages"][0]["questions"] = 3


def _unknown(of: dict[str, Any]) -> None:
    of["differences"][0]["feature"] = "mood"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda of: of.update(kept=3), "known of more questions than there are"),
        (_elsewhere, "other questions are dropped by stage"),
        (_unknown, "feature"),
    ],
)
def test_what_no_build_says_is_refused(change: Callable[[dict[str, Any]], None], why: str) -> None:
    stated = selection((8, 5))
    change(stated)
    with pytest.raises(ValidationError, match=why):
        BuildSummary.model_validate({"question_selection": [stated]})

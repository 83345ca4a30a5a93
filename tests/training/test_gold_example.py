"""The bundled items with gold aspects: what they are, and that `train score` and `train planner`
can be tried on them as docs/train.md says."""

from pathlib import Path

import pytest

from endpoint import double_url
from pairwright import assets
from pairwright.evaluation.downstream import Downstream
from pairwright.settings.rules import SourceRules
from pairwright.sources import SourceItems
from pairwright.training.planner_data import read_gold
from scripted import domains
from study import pairwright

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def gold() -> SourceItems:
    folder = assets.EXAMPLES / "recorded"
    return read_gold(SourceRules(path="gold.jsonl"), domains(), folder, "[source]")


def test_two_items_of_each_category_are_read_as_gold(gold: SourceItems) -> None:
    assert gold.refused == {}
    categories = [item.category for item in gold.items]
    assert len(categories) == 12
    assert {categories.count(category) for category in categories} == {2}
    assert len({item.user for item in gold.items}) == 12
    assert {len(item.rubric_aspects) for item in gold.items} == {3}


def test_the_page_on_training_scores_a_planner_on_them(tmp_path: Path) -> None:
    study = tmp_path / "study"
    assert pairwright("init", study).code == 0
    compare = (DOCS / "train.md").read_text(encoding="utf-8").partition("## Compare planners")[2]
    (study / "score.toml").write_text(
        compare.partition("```toml\n")[2]
        .partition("```")[0]
        .replace("http://127.0.0.1:8000/v1", double_url()),
        encoding="utf-8",
    )
    done = pairwright("train", "score", study / "score.toml", "--out", study / "scores")
    assert done.code == 0, done.err
    scores = Downstream.model_validate_json((study / "scores" / "plan-score.json").read_bytes())
    assert [(of.column, of.n, of.clusters) for of in scores.figures] == [
        (column, 12, 12) for column in ("precision", "recall", "F1", "mismatched user")
    ]

"""The bundled items with gold aspects: `train score` can be tried on them as docs/train.md says."""

from pathlib import Path

from endpoint import double_url
from pairwright.evaluation.downstream import Downstream
from study import pairwright

DOCS = Path(__file__).resolve().parents[2] / "docs"


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

"""What of the makers' machine and of hidden characters must not be in a release."""

import json
from pathlib import Path
from typing import Any

from pairwright.pairs import read_rows, row_of, write_rows
from pairwright.records import Follows, judge_name, model_name
from pairwright.releases.run import public_manifest
from released import (
    PAIRS,
    question,
    rows,
    run_of,
    written,
)

SECRET = "sk-SECRET123"


def told(**config: Any) -> dict[str, Any]:
    manifest = {
        "source": {"path": "/home/ann/histories.jsonl"},
        "config": {
            "source": {"path": "/home/ann/histories.jsonl", "texts": "/home/ann/own.csv"}, **config
        },
        "endpoints": config.get("endpoints", {}),
    }  # fmt: skip
    found = public_manifest(manifest, {}, Path("run"))
    assert "/home/ann" not in json.dumps(found)
    return found


def test_of_what_is_sent_beside_a_prompt_only_names_and_types_are_told() -> None:
    extra = {"api_key": SECRET, "n": 1, "metadata": {"user": "ann@corp.com"}}
    sampling = {"judge": {"seed": 3, "extra": extra}, "planner": {"seed": 4}}
    found = told(sampling=sampling)
    assert found["config"]["sampling"] == {
        "judge": {"seed": 3, "extra": {"api_key": "str", "n": "int", "metadata": "dict"}},
        "planner": {"seed": 4},
    }
    assert SECRET not in json.dumps(found)


def test_a_model_that_is_a_folder_is_told_by_its_name() -> None:
    served = {"judge": {"model": "/home/ann/models/judge", "revision": "abc"}}
    found = told(endpoints=served)
    assert found["endpoints"] == {"judge": {"model": "judge", "revision": "abc"}}
    draft = PAIRS[0].draft.model_copy(update={"generator": "/home/ann/models/writer/"})
    row = row_of(PAIRS[0].model_copy(update={"draft": draft, "judge": "C:\\models\\judge"}))
    assert (row.generator, row.judge) == ("writer", "judge")
    # Each of several judges, in any order.
    for one, other in (("/home/ann/judge", "org/second"), ("org/second", "/home/ann/judge")):
        row = row_of(PAIRS[0].model_copy(update={"judge": judge_name((one, other))}))
        assert row.judge == judge_name(map(model_name, (one, other)))
        assert row.judge.count("judge") == row.judge.count("org/second") == 1
        assert "/home/ann" not in row.judge
    for name in ("org/model-7b", "model", "models\\judge", "./writer", ""):
        assert model_name(name) == name, "it is no folder"


def test_rows_say_how_the_planner_came_to_an_aspect(tmp_path: Path) -> None:
    rubric = PAIRS[0].rubric
    ways: tuple[Follows | None, ...] = ("stated", "pattern", None)
    aspects = tuple(rubric.aspects[0].model_copy(update={"follows": way}) for way in ways)
    changed = rubric.model_copy(update={"aspects": aspects})
    draft = PAIRS[0].draft.model_copy(update={"adherence": ()})
    row = row_of(PAIRS[0].model_copy(update={"rubric": changed, "draft": draft}))
    write_rows(tmp_path / "rows.parquet", [row])
    (read,) = read_rows(tmp_path / "rows.parquet")
    assert [aspect.follows for aspect in read.rubric_aspects] == ["stated", "pattern", None]


def test_line_separators_in_a_text_end_no_line(tmp_path: Path) -> None:
    story = "One.\u2028Two.\x85Three."
    run = run_of(tmp_path / "run", question(0, narrative=story))
    assert story in {row.narrative for row in rows(written(run, tmp_path / "out"))}

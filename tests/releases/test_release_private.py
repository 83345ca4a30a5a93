"""What of the makers' machine and of hidden characters must not be in a release."""

from pathlib import Path
from typing import Any

from pairwright.pairs import read_rows, row_of, write_rows
from pairwright.records import Follows, judge_name, model_name
from pairwright.releases.primary import Provenance
from pairwright.releases.run_notes import run_provenance
from pairwright.settings.rules import ReleaseInfo
from released import (
    INFO,
    PAIRS,
    question,
    rows,
    run_of,
    written,
)

SECRET = "sk-SECRET123"


def told(**config: Any) -> Provenance:
    manifest = {
        "source": {"path": "/home/ann/histories.jsonl"},
        "config": {"source": {"path": "/home/ann/histories.jsonl"}, **config},
        "endpoints": config.get("endpoints", {}),
    }
    info = ReleaseInfo.model_validate(INFO)
    return run_provenance(
        "1.0.0",
        info,
        manifest,
        {},
        trial_because=(),
        previous=None,
        validation_share=0.0,
        where=Path("manifest"),
    )


def test_of_what_is_sent_beside_a_prompt_only_names_and_types_are_told() -> None:
    extra = {"api_key": SECRET, "n": 1, "metadata": {"user": "ann@corp.com"}}
    sampling = {"judge": {"seed": 3, "extra": extra}, "planner": {"seed": 4}}
    found = told(sampling=sampling)
    assert found.build["config"]["sampling"] == {  # type: ignore[index,call-overload]
        "judge": {"seed": 3, "extra": {"api_key": "str", "n": "int", "metadata": "dict"}},
        "planner": {"seed": 4},
    }
    assert SECRET not in found.model_dump_json()


def test_a_model_that_is_a_folder_is_told_by_its_name() -> None:
    served = {"judge": {"model": "/home/ann/models/judge", "revision": "abc"}}
    found = told(endpoints=served)
    assert found.build["endpoints"] == {"judge": {"model": "judge", "revision": "abc"}}
    assert "/home/ann" not in found.model_dump_json()
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

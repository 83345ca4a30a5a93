"""A build by files: what is written, how rounds go on, and that the same pairs come of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from batch_stand_in import answer
from endpoint import double, in_thread
from pairwright.models import batch
from study import OUTCOMES, Done, Study, pairwright

ITEMS = 3
UNITS = 2 * ITEMS


def study_in(folder: Path, **changes: Any) -> Study:
    return Study.make(folder / "study", limit=ITEMS, **changes)


def write(study: Study, *options: object) -> Done:
    return study.build("--batch", *options)


def shards(study: Study, number: int) -> list[Path]:
    return sorted((study.run / "batch" / f"round-{number}").glob("[0-9][0-9][0-9].jsonl"))


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def ingest(study: Study, *files: Path) -> Done:
    return pairwright("batch", "ingest", study.run, *files)


def answered(study: Study, number: int, **rates: float) -> Done:
    """Have one round answered by the model's double and take the replies in."""
    files = [
        answer(file, file.with_suffix(".replies.jsonl"), **rates) for file in shards(study, number)
    ]
    return ingest(study, *files)


def to_the_end(study: Study, **rates: float) -> int:
    """Round after round until nothing waits; how many it took."""
    for number in range(1, 30):
        done = write(study)
        if done.code != 3:
            assert done.code == 0, done.said
            return number - 1
        assert answered(study, number, **rates).code == 0
    raise AssertionError("it never ends")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study whose first round is written."""
    study = study_in(tmp_path_factory.mktemp("begun"))
    assert write(study).code == 3
    return study


@pytest.fixture
def copied(begun: Study, tmp_path: Path) -> Study:
    return begun.copy(tmp_path / "study")


def test_by_files_or_over_the_wire_the_same_replies_give_the_same_files(tmp_path: Path) -> None:
    """With refusals at the gates and unusable replies, so that drafts and draws come again."""
    rates = {"leaked_rubric": 0.5, "unparseable_json": 0.1}
    with in_thread(double(**rates)) as endpoint:
        live = Study.make(tmp_path / "live", endpoint.url, limit=ITEMS)
        assert live.build().code == 0
    study = study_in(tmp_path)
    assert 5 < to_the_end(study, **rates) <= 24
    assert study.outcomes() == live.outcomes()
    study.assert_whole(UNITS)
    drafts = study.manifest["counts"]["refused_drafts"]
    assert drafts, "otherwise no draft came again"


def test_the_first_round_says_what_waits_and_writes_no_outcome_files(begun: Study) -> None:
    done = pairwright("status", begun.run)
    assert done.code == 3
    assert f"{UNITS} units wait for the replies of a batch" in done.out
    assert not any((begun.run / name).exists() for name in OUTCOMES)
    first = json.loads((begun.run / "items.jsonl").read_text("utf-8").splitlines()[0])["id"]
    assert "waiting" in pairwright("show", begun.run, f"twin:{first}").out


def test_each_line_is_a_request_of_the_batch_api_and_each_key_stands_once(begun: Study) -> None:
    (file,) = shards(begun, 1)
    written = lines(file)
    keys = [line["custom_id"] for line in written]
    assert len(set(keys)) == len(keys) == ITEMS, "a plan for each asker: partners are found later"
    for line in written:
        assert set(line) == {"custom_id", "method", "url", "body"}
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        assert line["body"]["model"] == "pairwright-double"
        assert line["body"]["max_tokens"] == 1024


def test_files_hold_no_more_lines_than_asked_for_and_no_more_bytes_than_the_api_takes(
    copied: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = shards(copied, 1)[0].read_bytes()
    monkeypatch.setattr(batch, "MOST_LINES", 2)
    assert write(copied).code == 3
    sizes = [len(lines(file)) for file in shards(copied, 2)]
    assert sizes == [2, 1]
    most = max(map(len, whole.splitlines(keepends=True)))
    monkeypatch.setattr(batch, "MOST_BYTES", most)
    assert write(copied).code == 3
    parts = [file.read_bytes() for file in shards(copied, 3)]
    assert len(parts) == 3
    assert all(len(part) <= most for part in parts)
    assert b"".join(parts) == whole


def test_calls_that_are_written_count_towards_the_budget(tmp_path: Path) -> None:
    study = study_in(tmp_path, budget__max_calls=2)
    done = write(study)
    assert done.code == 3
    assert len(lines(shards(study, 1)[0])) == 2
    assert "the budget is spent" in " ".join(done.said.split())
    assert answered(study, 1).code == 0
    done = write(study)
    assert done.code == 1, "nothing waits: the rest failed for want of calls"
    assert {row["reason"] for row in study.failed()} == {"budget_spent"}

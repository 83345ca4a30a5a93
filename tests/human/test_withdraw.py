"""People who withdraw: nothing of theirs stays, and nothing comes back."""

import json
from pathlib import Path

from live_study import LiveStudy, split_votes

FIRST = "annotator-01"


def names(study: LiveStudy) -> set[str]:
    return {answer.annotator for answer in study.answers}


def test_what_a_person_answered_goes_and_does_not_come_back(
    study: LiveStudy, tmp_path: Path
) -> None:
    sheets = [study.fill(f"annotator-{n:02}", out=tmp_path / f"{n}.csv") for n in range(1, 10)]
    study.do("import", *sheets)
    study.do("report")
    answers = len(study.own(FIRST))
    assert f"{FIRST} has withdrawn: {answers} answers removed." in study.do("withdraw", FIRST)
    assert FIRST not in names(study)
    assert not study.folder.sheet(FIRST).exists()
    decided = [json.loads(line) for line in study.folder.decisions.read_bytes().splitlines()]
    assert "waiting" in {one["state"] for one in decided}
    own = {keyed.task for keyed in study.own(FIRST)}
    for path in study.folder.raw.iterdir():
        assert not [task for task in own if task in path.read_text(encoding="utf-8")]
    assert "a person who has withdrawn" in study.refused("import", sheets[0])
    assert FIRST not in names(study)
    assert "annotator-77" in study.refused("withdraw", "annotator-77")


def test_a_second_round_that_showed_their_answers_is_dealt_out_anew(study: LiveStudy) -> None:
    split = split_votes()
    study.do("import", *(study.fill(f"annotator-{n:02}", split) for n in range(1, 10)))
    study.do("adjudicate")
    shown = {answer.unit for answer in study.answers if answer.annotator == "annotator-02"} & {
        keyed.unit for keyed in study.second_round()
    }
    assert shown
    said = study.do("withdraw", "annotator-02")
    assert "Run `human adjudicate`" in said
    assert not shown & {keyed.unit for keyed in study.second_round()}
    assert shown.isdisjoint(study.folder.sheet("adjudicator-01", 2).read_text("utf-8").split())

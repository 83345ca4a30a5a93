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
    # As Excel saves "Unicode text".
    sheets[0].write_bytes(sheets[0].read_text(encoding="utf-8-sig").encode("utf-16"))
    study.do("import", *sheets)
    study.do("report")
    answers = len(study.own(FIRST))
    before = study.files()
    assert f"removes {answers} annotated tasks of {FIRST}" in study.refused("withdraw", FIRST)
    assert study.files() == before
    assert f"{FIRST} has withdrawn: {answers} annotated tasks removed." in study.do(
        "withdraw", FIRST, "--yes"
    )
    assert FIRST not in names(study)
    assert not study.folder.sheet(FIRST).exists()
    decided = [json.loads(line) for line in study.folder.decisions.read_bytes().splitlines()]
    assert "waiting" in {one["state"] for one in decided}
    own = {keyed.task for keyed in study.own(FIRST)}
    for path in study.folder.raw.iterdir():
        content = path.read_bytes()
        text = content.decode("utf-16" if content[:2] == b"\xff\xfe" else "utf-8")
        assert not [task for task in own if task in text]
    why = study.refused("import", sheets[0])
    assert "a person who has withdrawn" in why
    assert "nothing to do but to delete the file" in why
    assert f"{FIRST}, withdrawn" in study.do("status")
    assert FIRST not in names(study)
    assert "annotator-77" in study.refused("withdraw", "annotator-77")


def test_what_an_adjudicator_had_goes_to_somebody_else(study: LiveStudy) -> None:
    split = split_votes()
    study.do("import", *(study.fill(f"annotator-{n:02}", split) for n in range(1, 10)))
    study.do("adjudicate")
    before = {(keyed.unit, keyed.pair) for keyed in study.own("adjudicator-01", round=2)}
    assert before
    assert "human adjudicate" in study.do("withdraw", "adjudicator-01", "--yes")
    assert not study.folder.sheet("adjudicator-01", 2).exists()
    assert "adjudicator-01" not in {keyed.annotator for keyed in study.second_round()}
    study.do("adjudicate")
    assert before <= {(keyed.unit, keyed.pair) for keyed in study.second_round()}

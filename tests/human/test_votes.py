"""Anybody's votes: every format that is read, and what is said when there is nothing to say."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from annotated import EXPORTS
from live_study import LiveStudy, usual
from pairwright.errors import InputError
from pairwright_human_eval.votes import QuestionVotes, agreement_of, label_of
from reference_data import LABEL_STUDIO
from released import PAIRS, run_of
from study import pairwright

VOTES = [("1", "p", "A"), ("1", "q", "A"), ("2", "p", "A"), ("2", "q", "B"), ("3", "p", "B")]
"""Item, annotator, label: two items with two votes."""
Row = dict[str, Any]


def annotation(who: str, label: str, at: str = "2026-01-01", **changes: Any) -> Row:
    """Of Label Studio. Some exports name the person by an object."""
    result = [
        {"from_name": "which", "type": "choices", "value": {"choices": [label]}},
        {"from_name": "why", "type": "textarea", "value": {"text": ["Because."]}},
    ]
    account = {"id": 7, "email": who} if who == "p" else who
    return {"completed_by": account, "was_cancelled": False, "updated_at": at, "result": result,
            **changes}  # fmt: skip


def label_studio() -> list[Row]:
    """With a skip, and answers that were given again."""
    found: dict[str, list[Row]] = {"1": [annotation("q", "A", "2026-01-02")], "2": [], "3": []}
    for item, who, label in VOTES:
        found[item].append(annotation(who, label))
    found["1"].append(annotation("q", "B"))
    found["3"].append(annotation("q", "A", was_cancelled=True))
    return [{"id": int(item), "data": {}, "annotations": own} for item, own in found.items()]


def argilla(given: Callable[[str, str], Any], drafts: tuple[Row, ...] = ()) -> list[Row]:
    """A record for each vote; a vote by person, or by question."""
    return [{"id": item, "responses": given(who, label)} for item, who, label in VOTES] + [
        {"id": "3", "responses": [one]} for one in drafts
    ]


def by_person(who: str, label: str, status: str = "submitted") -> list[Row]:
    return [{"user_id": who, "status": status, "values": {"which": {"value": label}}}]


def by_question(who: str, label: str) -> Any:
    return {"which": [{"value": label, "user_id": who}]}


def mturk(answer: Callable[[str], Row]) -> list[Row]:
    """With a rejected assignment."""
    votes = [(*vote, "Approved") for vote in VOTES] + [("3", "z", "B", "Rejected")]
    return [
        {"HITId": item, "WorkerId": who, "AssignmentStatus": status, **answer(label)}
        for item, who, label, status in votes
    ]


def ticked(label: str) -> str:
    return json.dumps([{"which": {one: one == label for one in "AB"}}])


STUDIO_CSV = [
    {"annotation_id": n, "annotator": who, "id": item, "lead_time": 3.5, "text": f"Text {item}",
     "updated_at": f"2026-01-0{1 + n}", "which": label}
    for n, (item, who, label) in enumerate([("1", "q", "B"), *VOTES])
]  # fmt: skip
"""With an answer that was given again; a column of the data is the same in a task's rows."""
PLAIN_TURK = mturk(lambda label: {"Answer.which": label})
DRAFTS = argilla(by_person, (by_person("z", "B", "draft")[0],))
PLAIN = [{"item": item, "annotator": who, "which": label} for item, who, label in VOTES]


def written(path: Path, rows: list[Any]) -> Path:
    if path.suffix == ".csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    elif path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        path.write_text(json.dumps(rows), encoding="utf-8")
    return path


Case = tuple[str, list[Row], str]
CASES: list[Case] = [
    (".json", label_studio(), "Label Studio"),
    (".json", argilla(by_question), "Argilla"),
    (".jsonl", DRAFTS, "Argilla"),
    (".csv", STUDIO_CSV, "Label Studio CSV"),
    (".csv", PLAIN_TURK, "MTurk"),
    (".csv", mturk(lambda label: {"Answer.which.label": label}), "MTurk"),
    (".csv", mturk(lambda x: {f"Answer.which.{n}": str(n == x).lower() for n in "AB"}), "MTurk"),
    (".csv", mturk(lambda label: {"Answer.taskAnswers": ticked(label)}), "MTurk"),
    (
        ".csv",
        [
            *mturk(lambda label: {"Answer.taskAnswers": ticked(label)}),
            {"HITId": "3", "WorkerId": "q", "Answer.taskAnswers": ticked("")},
        ],
        "MTurk",
    ),
    *((end, PLAIN, "columns") for end in (".csv", ".jsonl", ".json", ".parquet")),
]


@pytest.mark.parametrize("case", CASES)
def test_the_same_votes_are_read_from_every_format(tmp_path: Path, case: Case) -> None:
    end, rows, format = case
    columns = ("label=which",) if format == "columns" else ()
    found = agreement_of(written(tmp_path / f"votes{end}", rows), columns=columns)
    (one,) = found.questions
    assert (found.format, found.votes, one.question) == (format, 5, "which")
    assert one.counts == {"A": 3, "B": 2}
    assert (one.agreement.items, one.agreement.raters) == (2, 2)
    assert one.agreement.percent.value == 0.5
    assert {who: (same.k, same.n) for who, same in one.raters.items()} == {"p": (1, 2), "q": (1, 2)}
    assert one.divided == ("2",)
    assert one.confusion == {"A": {"A": 1, "B": 1}, "B": {"A": 1, "B": 0}}
    assert one.places == ("A", "B")
    assert one.first
    assert one.first.k == 3


@pytest.mark.parametrize(
    ("name", "rows", "notes"),
    [
        ("a.json", label_studio(), {
            "1 skipped tasks", "7 results of type text",
            "2 earlier votes of the same people on the same items",
        }),
        ("m.csv", PLAIN_TURK, {"1 rejected assignments"}),
        ("b.json", DRAFTS, {"1 drafts or discarded responses"}),
    ],
)  # fmt: skip
def test_what_is_left_out_is_said(
    tmp_path: Path, name: str, rows: list[Row], notes: set[str]
) -> None:
    assert {*agreement_of(written(tmp_path / name, rows)).notes} == notes


def question(rows: list[tuple[str, str, object]], path: Path) -> QuestionVotes:
    table = [{"item": item, "annotator": who, "label": label} for item, who, label in rows]
    (found,) = agreement_of(written(path / "votes.jsonl", table)).questions
    return found


@pytest.mark.parametrize(
    ("rows", "remark"),
    [
        ([("1", "p", "x"), ("2", "p", "y")], "one annotator gave all votes"),
        ([("1", "p", "x"), ("2", "q", "y")], "no item has two votes"),
        ([("1", "p", "x"), ("1", "q", "x")], "all votes are the same label"),
        ([("1", "p", "x"), ("1", "q", "y")], "fewer than 5 items"),
    ],
)
def test_what_cannot_be_a_number_is_said(
    tmp_path: Path, rows: list[tuple[str, str, object]], remark: str
) -> None:
    found = question(rows, tmp_path)
    assert any(remark in one for one in found.remarks)
    if "fewer" not in remark:
        assert found.agreement.alpha.value is None


def test_own_answers_are_read(tmp_path: Path) -> None:
    study = LiveStudy(run_of(tmp_path / "run", PAIRS[:6], answer=usual))
    found = agreement_of(study.folder.answers)
    assert found.format == "Pairwright"
    by_name = {one.question: one for one in found.questions}
    assert {"preference", "aspect supported", "aspect delivered by", "quality: correctness"} <= set(
        by_name
    )
    assert by_name["preference"].agreement.percent.value == 1
    assert by_name["quality: correctness"].agreement.items == 8


def test_real_exports_are_read() -> None:
    whole = agreement_of(LABEL_STUDIO / "raw_default.json").questions
    assert {one.question: one.agreement.items for one in whole}["preference"] == 30
    flat = LABEL_STUDIO / "first6_sdk_all_JSON_MIN.json"
    assert agreement_of(flat).format == "Label Studio CSV"
    assert agreement_of(EXPORTS / "rubric.json").votes == 18


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        ("", (), "not JSON in UTF-8"),
        ("[]", (), "holds no row"),
        ("3", (), "not an array of objects"),
        ('[{"a": 1}]', (), "no column of the item is known"),
        ('[{"item": 1, "who": 2, "label": 3}]', ("annotator=whom",), "has no column 'whom'"),
        ('[{"item": 1}]', ("thing=item",), "WHAT is one of item, "),
        ('[{"item": 1}]', ("item",), "is not WHAT=VALUE"),
        ('[{"item": 1, "annotator": 2, "label": ""}]', (), "holds no vote"),
        ('[{"item": 1, "annotator": null, "label": "x"}]', (), "holds no vote"),
        ('[{"annotations": 3, "data": {}}]', (), "is not as Label Studio exports it"),
        ('[{"responses": 3}]', (), "is not as Argilla exports it"),
        ('[{"WorkerId": 1, "HITId": 2, "Answer.taskAnswers": "x"}]', (), "is not as MTurk"),
    ],
)
def test_a_file_without_votes_is_named(
    tmp_path: Path, content: str, columns: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "votes.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        agreement_of(path, columns=columns)
    assert caught.value.fix


def test_other_separators_and_empty_cells_are_read(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    text = "item;annotator;label\n1;p;x\n1;q;y\n2;p;\n2;q;\n3;;x\n"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    found = agreement_of(path)
    assert found.votes == 2
    assert set(found.notes) == {"2 rows without a label", "1 votes without an annotator"}


def test_labels_are_compared_as_they_are_meant() -> None:
    assert [label_of(one) for one in ("4", "4.0", 4, "4.5", " yes ", True)] == [
        4, 4, 4, 4.5, "yes", "true",
    ]  # fmt: skip
    assert label_of(["4"]) == 4
    assert label_of(["b", "a"]) == label_of(["a", "b"]) == "a + b"


def test_the_command_says_it_in_a_table(tmp_path: Path) -> None:
    done = pairwright("agreement", written(tmp_path / "votes.csv", PLAIN_TURK))
    assert done.code == 0, done.said
    assert "5 votes in" in " ".join(done.out.split())
    assert "1 item without a majority, such as 2" in " ".join(done.out.split())
    assert pairwright("agreement", tmp_path / "nothing.csv").code == 2

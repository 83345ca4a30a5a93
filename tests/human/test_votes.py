"""Anybody's votes: every format that is read, and what is said when there is nothing to say."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from annotated import EXPORTS
from live_study import usual
from pairwright.errors import InputError
from pairwright_human_eval.votes import VotesReport, agreement_of, label_of
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
    about = {"completed_by": account, "was_cancelled": False, "updated_at": at, "result": result}
    return {**about, **changes}


def label_studio() -> list[Row]:
    """With a skip, and answers that were given again."""
    found: dict[str, list[Row]] = {"1": [annotation("q", "A", "2026-01-02")], "2": [], "3": []}
    for item, who, label in VOTES:
        found[item].append(annotation(who, label))
    found["1"].append(annotation("q", "B"))
    found["3"].append(annotation("q", "A", was_cancelled=True))
    return [{"id": int(item), "data": {}, "annotations": own} for item, own in found.items()]


def by_person(who: str, label: str, status: str = "submitted") -> list[Row]:
    return [{"user_id": who, "status": status, "values": {"which": {"value": label}}}]


def mturk(answer: Callable[[str], Row]) -> list[Row]:
    """With a rejected assignment."""
    votes = [(*vote, "Approved") for vote in VOTES] + [("3", "z", "B", "Rejected")]
    return [
        {"HITId": item, "WorkerId": who, "AssignmentStatus": status, **answer(label)}
        for item, who, label, status in votes
    ]


def ticked(label: str) -> Row:
    return {"Answer.taskAnswers": json.dumps([{"which": {one: one == label for one in "AB"}}])}


ARGILLA = [{"id": item, "responses": by_person(who, label)} for item, who, label in VOTES]
ARGILLA += [{"id": "3", "responses": by_person("z", "B", "draft")}]
BY_QUESTION = [
    {"id": item, "responses": {"which": [{"value": label, "user_id": who}]}}
    for item, who, label in VOTES
]
STUDIO_CSV = [
    {"annotation_id": n, "annotator": who, "id": item, "lead_time": 3.5, "text": f"Text {item}",
     "updated_at": f"2026-01-0{1 + n}", "which": label}
    for n, (item, who, label) in enumerate([("1", "q", "B"), *VOTES])
]  # fmt: skip
"""With an answer that was given again; a column of the data is the same in a task's rows."""
PLAIN_TURK = mturk(lambda label: {"Answer.which": label})
UNTICKED = {"HITId": "3", "WorkerId": "q", **ticked("")}
PLAIN = [{"item": item, "annotator": who, "which": label} for item, who, label in VOTES]


def written(path: Path, rows: list[Row]) -> Path:
    if path.suffix == ".csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    else:
        lines = [json.dumps(row) for row in rows]
        path.write_text("\n".join(lines) if path.suffix == ".jsonl" else f"[{','.join(lines)}]")
    return path


@pytest.mark.parametrize(
    ("end", "rows", "format", "notes"),
    [
        (".json", label_studio(), "Label Studio", {
            "1 skipped tasks", "7 results of type text",
            "2 earlier votes of the same people on the same items",
        }),
        (".json", BY_QUESTION, "Argilla", set()),
        (".jsonl", ARGILLA, "Argilla", {"1 drafts or discarded responses"}),
        (".csv", STUDIO_CSV, "Label Studio CSV", None),
        (".csv", PLAIN_TURK, "MTurk", {"1 rejected assignments"}),
        (".csv", mturk(lambda label: {"Answer.which.label": label}), "MTurk", None),
        (".csv", mturk(lambda x: {f"Answer.which.{n}": str(n == x).lower() for n in "AB"}),
         "MTurk", None),
        (".csv", mturk(ticked), "MTurk", None),
        (".csv", [*mturk(ticked), UNTICKED], "MTurk", None),
        *((end, PLAIN, "columns", set()) for end in (".csv", ".jsonl", ".json")),
    ],
)  # fmt: skip
def test_the_same_votes_are_read_from_every_format_and_what_is_left_out_is_said(
    tmp_path: Path, end: str, rows: list[Row], format: str, notes: set[str] | None
) -> None:
    columns = ("label=which",) if format == "columns" else ()
    found = agreement_of(written(tmp_path / f"votes{end}", rows), columns=columns)
    (one,) = found.questions
    assert (found.format, found.votes, one.question) == (format, 5, "which")
    assert notes in (None, {*found.notes})
    assert one.counts == {"A": 3, "B": 2}
    assert (one.agreement.items, one.agreement.raters) == (2, 2)
    assert one.agreement.percent.value == 0.5
    assert {who: (same.k, same.n) for who, same in one.raters.items()} == {"p": (1, 2), "q": (1, 2)}
    assert one.divided == ("2",)
    assert one.confusion == {"A": {"A": 1, "B": 1}, "B": {"A": 1, "B": 0}}
    assert (one.places, one.first and one.first.k) == (("A", "B"), 3)


def of_text(folder: Path, content: str, *columns: str, end: str = ".json") -> VotesReport:
    path = folder / f"votes{end}"
    path.write_text(content, encoding="utf-8-sig" if end == ".csv" else "utf-8")
    return agreement_of(path, columns=columns)


@pytest.mark.parametrize(
    ("votes", "remark"),
    [
        ("1;p;x\n2;p;y", "one annotator gave all votes"),
        ("1;p;x\n2;q;y", "no item has two votes"),
        ("1;p;x\n1;q;x", "all votes are the same label"),
        ("1;p;x\n1;q;y\n2;p;\n2;q;\n3;;x", "fewer than 5 items"),
    ],
)
def test_what_cannot_be_a_number_is_said(tmp_path: Path, votes: str, remark: str) -> None:
    found = of_text(tmp_path, f"item;annotator;label\n{votes}\n", end=".csv")
    (one,) = found.questions
    assert found.votes == 2
    assert any(remark in said for said in one.remarks)
    assert (one.agreement.alpha.value is None) == ("fewer" not in remark)
    left_out = {"2 rows without a label", "1 votes without an annotator"}
    assert {*found.notes} == (left_out if "fewer" in remark else set())


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        ("", (), "not JSON in UTF-8"),
        ("[]", (), "holds no row"),
        ("3", (), "not an array of objects"),
        ('[{"a": 1}]', (), "no column of the item is known"),
        ('[{"item": 1, "who": 2, "label": 3}]', ("annotator=whom",), "has no column 'whom'"),
        ('[{"item": 1}]', ("thing=item",), "WHAT is one of item, "),
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
    with pytest.raises(InputError, match=message) as caught:
        of_text(tmp_path, content, *columns)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("label", "meant"),
    [("4", 4), ("4.0", 4), (4, 4), ("4.5", 4.5), (" yes ", "yes"), (True, "true"), (["4"], 4),
     (["b", "a"], "a + b"), (["a", "b"], "a + b")],
)  # fmt: skip
def test_labels_are_compared_as_they_are_meant(label: object, meant: object) -> None:
    assert label_of(label) == meant


def test_own_answers_and_real_exports_are_read(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", PAIRS[:6], answer=usual)
    found = agreement_of(run / "human/answers.jsonl")
    by_name = {one.question: one.agreement for one in found.questions}
    assert (found.format, by_name["preference"].percent.value) == ("Pairwright", 1)
    assert by_name.keys() >= {"aspect supported", "aspect delivered by"}
    assert by_name["quality: correctness"].items == 8
    whole = agreement_of(LABEL_STUDIO / "raw_default.json").questions
    assert {one.question: one.agreement.items for one in whole}["preference"] == 30
    flat = agreement_of(LABEL_STUDIO / "first6_sdk_all_JSON_MIN.json")
    assert flat.format == "Label Studio CSV"
    assert agreement_of(EXPORTS / "rubric.json").votes == 18


def test_the_command_says_it_in_a_table(tmp_path: Path) -> None:
    done = pairwright("agreement", written(tmp_path / "votes.csv", PLAIN_TURK))
    assert (done.code, "1 item without a majority, such as 2" in done.out) == (0, True)
    assert pairwright("agreement", tmp_path / "nothing.csv").code == 2

"""Rows that are posts: a user's latest is the question, and the earlier ones are the profile."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from reading import ANN, BREAD, HEAD, NARRATIVE, QUESTION, STEW, of_posts, result, write_lines

from pairwright.records import content_id


def test_a_users_latest_post_is_the_question_and_the_earlier_the_profile(tmp_path: Path) -> None:
    got = of_posts(tmp_path, *ANN)
    item = got.item
    assert item.id == content_id("item", "ann", QUESTION, "2020-01-03T00:00:00.000")
    assert (item.user, item.question, item.narrative) == ("ann", QUESTION, NARRATIVE)
    assert (item.category, item.domain, item.source_url) == ("cooking", "Home", "http://x/3")
    assert [(one.id, one.text, one.category, one.source_url) for one in item.profile] == [
        (f"{item.id}-p1", "Watery stew I own no scale", "cooking", "http://x/1"),
        (f"{item.id}-p2", "Rye bread is hopeless", "movies", "http://x/2"),
    ]
    assert got.problems == []


def test_targets_are_a_users_latest_posts_each_with_what_is_older(tmp_path: Path) -> None:
    sill = "What shall I grow on a shady sill?"
    more = f"ann,2020-01-04,{sill},I only own pots,cooking,", "bob,2020-01-01,Alone?,x,cooking,"
    last, before = (sill, 3), (QUESTION, 2)
    for targets, sizes in ((1, [last]), (2, [before, last]), ("all", [before, last])):
        got = of_posts(tmp_path, *ANN, *more, targets=targets)
        assert [(item.question, len(item.profile)) for item in got.items] == sizes
    assert got.said == [(f"{'too_few_posts'}", line, user) for line, user in (
        ("3", "ann"), ("2", "ann"), ("6", "bob"))]  # fmt: skip


def test_a_repair_of_a_post_in_several_items_counts_once(tmp_path: Path) -> None:
    sill = "ann,2020-01-04,What shall I grow on a shady sill?,I only own pots,cooking,"
    got = of_posts(tmp_path, ANN[0].replace("Rye", "\u202eRye"), *ANN[1:], sill, targets=2)
    assert (len(got.items), got.reasons("repaired")) == (2, {"control_characters": 1})


def test_a_question_is_asked_in_its_last_form(tmp_path: Path) -> None:
    again = ANN[2].replace("2020-01-03", "2020-01-04").replace("How", "HOW")
    got = of_posts(tmp_path, *ANN, again, targets="all")
    assert (got.item.question[:3], len(got.item.profile)) == ("HOW", 2)
    assert ("repeated_question", "4", "ann") in got.said


def test_only_questions_are_asked_if_posts_have_a_kind(tmp_path: Path) -> None:
    lines = [f"{line},{kind}" for line, kind in zip(ANN, ("Review", "answer", ""), strict=True)]
    more = (
        "ann,2020-02-01,,Rye is fine now,cooking,,answer",
        "bob,2020-01-01,Only answers?,x,cooking,,answer",
    )
    got = of_posts(tmp_path, *lines, *more, head=f"{HEAD},type", columns={"kind": "type"})
    assert got.item.question == QUESTION
    assert [one.kind for one in got.item.profile] == ["answer", "review"]
    assert got.said == [("no_question", "6", "bob")]


REFUSED: list[tuple[str, str, str | None]] = [
    ("ann,,t,x,cooking,", "bad_time", "ann"),
    ("ann,2020-01-01,N/A,,cooking,", "empty_text", "ann"),
    ("ann,2020-01-01,t,x,cooking,,", "ragged_row", None),
    ('ann,2020-01-01,t,"x" y,cooking,', "bad_csv", None),
    ("bob,2020-01-01,t,x,cooking,", "too_few_posts", "bob"),
]


@pytest.mark.parametrize(("line", "reason", "id"), REFUSED)
def test_a_bad_record_is_refused_with_the_line_on_which_it_starts(
    tmp_path: Path, line: str, reason: str, id: str | None
) -> None:
    first, *rest = ANN
    two_lines = first.replace("Rye bread is hopeless", '"Rye bread\nis hopeless"')
    # The bad record stands on line 4, after one of two lines.
    got = of_posts(tmp_path, two_lines, line, *rest)
    assert len(got.item.profile) == 2
    assert got.said == [(reason, "4", id)]


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("How warm is warm?\nI mean the plates.", "How warm is warm?"),
        ("How warm is warm? " + "I mean plates. " * 30, "How warm is warm?"),
        ("warm plates " * 40, None),
    ],
    ids=["the first line", "the first sentence", "neither is short enough"],
)
def test_without_a_title_the_opening_asks(tmp_path: Path, body: str, question: str | None) -> None:
    texts = {"u": (STEW, BREAD, body), "v": (STEW, BREAD, "Short?")}
    rows = [
        {"user": user, "text": text, "created": n * 10**9}
        for user, own in texts.items()
        for n, text in enumerate(own, start=1)
    ]
    write_lines(tmp_path / "p.jsonl", *rows)
    got = result(tmp_path, "p.jsonl", format="posts", default_category="movies")
    if question:
        assert (got.items[0].question, got.items[0].narrative) == (question, body.strip())
    else:
        assert got.said == [("empty_question", "3", "u")]


def test_columns_may_have_other_names_and_every_format_says_the_same(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "OwnerUserId": ["ann", "ann", "ann", None],
            "CreationDate": ["2011-12-01 09:20:33.740", "2011-12-02", "2011-12-03", "2011-12-04"],
            "Title": [None, "Rye", QUESTION, "x"],
            "Body": [f"{STEW}\u200e", BREAD, NARRATIVE, "y"],
        }
    )
    frame.to_csv(tmp_path / "p.csv", index=False)
    frame.to_csv(tmp_path / "p.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "p.parquet")
    frame.to_json(tmp_path / "p.jsonl", orient="records", lines=True)
    (tmp_path / "p.json").write_text(frame.to_json(orient="records"), encoding="utf-8-sig")
    names = {
        "user": "OwnerUserId", "created": "CreationDate", "title": "Title", "text": "Body",
    }  # fmt: skip
    rules: dict[str, Any] = {"columns": names, "format": "posts", "default_category": "cooking"}
    item = result(tmp_path, "p.csv", **rules).item
    assert [one.text for one in item.profile] == [STEW, f"Rye {BREAD}"]
    assert item.profile[0].created == "2011-12-01T09:20:33.740"
    # A line of a sheet counts its header; a row of the others does not.
    for suffix, header in (("csv", 1), ("tsv", 1), ("jsonl", 0), ("json", 0), ("parquet", 0)):
        got = result(tmp_path, f"p.{suffix}", **rules)
        assert got.item == item
        places = [(one.reason, one.where) for one in got.problems]
        assert places == [
            ("missing_user", f"p.{suffix}:{4 + header}"),
            ("control_characters", f"p.{suffix}:{1 + header}"),
        ]

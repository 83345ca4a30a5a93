"""Rows that are items: a bad row or post is refused alone, or repaired, by a rule and with its
place."""

import re
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from reading import BREAD, KNIFE, NARRATIVE, QUESTION, STEW, of_rows, post, row, with_post

from pairwright.errors import SourceError
from pairwright.sources.problems import REASONS

REFUSED_ROWS: list[tuple[object, str, str | None]] = [
    ([1, 2], "not_an_object", None),
    (b'{"id": "b",', "bad_json", None),
    (b"[" * 100_000, "bad_json", None),
    (b'{"id": "caf\xe9"}', "invalid_utf8", None),
    (row(id=""), "missing_id", None),
    (row("a"), "duplicate_id", "a"),
    (row(user=" "), "missing_user", "b"),
    (row(user=None), "missing_user", "b"),
    (row(user="[deleted]"), "nobody", "b"),
    (row(question=""), "empty_question", "b"),
    (row(question=7), "wrong_type", "b"),
    (row(profile="none yet"), "wrong_type", "b"),
    (row(profile={"id": ["p1", "p2"], "text": [STEW]}), "wrong_type", "b"),
    (row(rubric_aspects=["short"]), "not_an_object", "b"),
    (row(rubric_aspects={"aspect": ["short", "long"], "reason": []}), "wrong_type", "b"),
    (row(category=""), "missing_category", "b"),
    (row(created="03/04/2015"), "bad_time", "b"),
    (row(profile=[post("p1", STEW)]), "too_few_posts", "b"),
]


@pytest.mark.parametrize(("bad", "reason", "id"), REFUSED_ROWS)
def test_a_bad_row_is_refused_alone(
    tmp_path: Path, bad: object, reason: str, id: str | None
) -> None:
    got = of_rows(tmp_path, row("a"), bad, row("c"))
    assert [item.id for item in got.items] == ["a", "c"]
    assert got.said == [(reason, "2", id)]
    assert got.problem.action == "refused"
    assert got.problem.detail


REFUSED_POSTS: list[tuple[dict[str, Any], str, str | None]] = [
    (row(profile=[*row()["profile"], "loose words"]), "not_an_object", None),
    (with_post(""), "empty_text", "px"),
    (with_post("[ Removed by Reddit ]"), "removed_text", "px"),
    (with_post(17), "wrong_type", "px"),
    (with_post("A fine kettle.", id=""), "missing_id", None),
    (with_post("A fine kettle.", "yesterday"), "bad_time", "px"),
    (with_post("A kettle.", "2020-02-01"), "later_post", "px"),
    # A day without a time counts as its end.
    (with_post("A kettle.", "2020-01-09"), "later_post", "px"),
    (with_post("A kettle.", "2020-01-09") | {"created": "2020-01-09T09:00"}, "later_post", "px"),
    (with_post("A kettle.", id="p1"), "duplicate_post_id", "p1"),
    (with_post(f"  {STEW.upper()}"), "duplicate_post", "px"),
    (with_post(f"Hi. {QUESTION.lower()} {KNIFE}"), "target_in_profile", "px"),
    (with_post(f"{NARRATIVE} Help!"), "target_in_profile", "px"),
]


@pytest.mark.parametrize(("fields", "reason", "id"), REFUSED_POSTS)
def test_a_bad_post_is_refused_alone(
    tmp_path: Path, fields: dict[str, Any], reason: str, id: str | None
) -> None:
    got = of_rows(tmp_path, row("a"), fields)
    assert [one.id for one in got.items[1].profile] == ["p1", "p2", "p3"]
    assert got.said == [(reason, "2", id)]
    assert got.problem.action == "refused"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [("loose words", "not_an_object"), (post("", STEW), "missing_id"),
     (post("p1", "A kettle."), "duplicate_post_id")],
)  # fmt: skip
def test_each_of_several_bad_posts_of_a_row_is_counted(
    tmp_path: Path, bad: object, reason: str
) -> None:
    got = of_rows(tmp_path, row(profile=[*row()["profile"], bad, bad]))
    assert got.reasons("refused") == {reason: 2}


def test_an_item_left_with_too_few_posts_is_refused_after_its_posts(tmp_path: Path) -> None:
    late = [post("p1", STEW, "2021-01-01"), post("p2", f"\u202e{BREAD}", "2020-01-01")]
    got = of_rows(tmp_path, row("a"), row(profile=late))
    # No `control_characters`: what is refused in the end was not repaired.
    assert got.said == [("later_post", "2", "p1"), ("too_few_posts", "2", "b")]
    nowhere = [post(f"p{n}", f"\u202e{text}") for n, text in enumerate((STEW, BREAD, KNIFE))]
    got = of_rows(tmp_path, row("a"), row(category="", profile=nowhere))
    assert got.said == [("missing_category", "2", "b")]


def test_a_profile_is_put_in_time_order_whatever_form_its_times_have(tmp_path: Path) -> None:
    posts = [
        post("seconds", STEW, 1577923200),
        post("offset", BREAD, "2020-01-01T01:00:00+02:00"),
        post("date", KNIFE, "2020-01-01"),
    ]
    for order in permutations(posts):
        got = of_rows(tmp_path, row(profile=list(order)))
        assert [one.id for one in got.item.profile] == ["offset", "date", "seconds"]
        assert got.problems == []


def test_lamp_qa_has_no_users_so_each_item_is_one_without_responses(tmp_path: Path) -> None:
    official = row("a", user=None, created=None, chosen="c", rejected="r", score=1)
    got = of_rows(tmp_path, official, row("b", user=None))
    assert [item.user for item in got.items] == ["a", "b"]
    assert got.problems == []
    assert "chosen" not in got.items[0].model_dump()


def test_aspects_come_with_an_item_and_one_without_a_text_is_left_out(tmp_path: Path) -> None:
    aspects = [{"aspect": "x", "reason": "y", "evidence": "z"}, {"aspect": " ", "reason": "y"}]
    got = of_rows(tmp_path, row("a", rubric_aspects=aspects))
    assert [one.model_dump() for one in got.item.rubric_aspects] == aspects[:1]
    assert got.said == [("empty_aspect", "1", "a")]


def test_an_address_that_is_not_of_the_web_is_left_out(tmp_path: Path) -> None:
    addresses = ["https://x.y/1", "javascript:alert(1)", "x.y/1", "HTTP://X/ y"]
    got = of_rows(tmp_path, *(row(f"{n}", source_url=a) for n, a in enumerate(addresses)))
    assert [item.source_url for item in got.items] == ["https://x.y/1", None, None, None]
    assert got.reasons("repaired") == {"bad_address": 3}


def test_a_category_in_no_file_is_of_the_domain_other_and_noted_once(tmp_path: Path) -> None:
    found = of_rows(tmp_path, row("a", category="chess"), row("b", category="Other"))
    assert [(one.category, one.domain) for one in found.items] == [
        ("chess", "Other"), ("Other", "Other")
    ]  # fmt: skip
    (noted,) = found.problems
    assert (noted.action, noted.reason, noted.value) == ("noted", "unknown_category", "chess")
    assert "general" in noted.detail


def test_a_file_of_bad_rows_is_summed_up_with_the_first_place(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        of_rows(tmp_path, row("a", user=""), row("b", created="x"), row("c", created="y"))
    assert caught.value.where == f"{tmp_path}/h.jsonl"
    said = ("no readable time (2), no user (1)", "'x' is not a time", "'x' (1), 'y' (1)", "jsonl:2")
    assert not [words for words in said if words not in caught.value.what]
    assert "Write times as" in caught.value.fix


def test_every_reason_in_the_code_has_its_rule() -> None:
    package = Path(sys.modules["pairwright"].__file__ or "").parent
    files = [*(package / "sources").glob("*.py"), *package.rglob("natural.py")]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    before = r"(?:[Rr]efusal|refused?|note|setdefault)\(\s*|repairs\[|reason="
    used = set(re.findall(f'(?:{before})"([a-z_0-9]+)"', code))
    assert used <= set(REASONS)
    assert not {reason for reason in REASONS if f'"{reason}"' not in code}

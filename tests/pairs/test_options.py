"""Questions with k options and a key: how they are read, and what picks the right one blindly."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from audited import audit_of, checks_of, estimate, jsonl, lines, read, refused
from pairwright.audits.page.verdict import guess_table
from pairwright.audits.records import Check
from pairwright.pairs import Choice

pytestmark = pytest.mark.usefixtures("nothing_learnt")
OPTIONS = ["Tea.", "Milk.", "Beer."]
QUESTION = {"prompt": "What shall I drink?", "options": OPTIONS, "key": "b"}
"""PersonaMem's."""


def test_the_right_option_is_chosen_over_each_of_the_others(tmp_path: Path) -> None:
    read_rows = lines(jsonl(tmp_path / "a.jsonl", QUESTION | {"id": "q"}))
    found = [(one.row.chosen, one.row.rejected, one.row.id, one.where) for one in read_rows]
    assert found == [
        ("Milk.", "Tea.", "q[0]", "a.jsonl:1 options[0]"),
        ("Milk.", "Beer.", "q[2]", "a.jsonl:1 options[2]"),
    ]
    assert {one.choice for one in read_rows} == {Choice("a.jsonl:1", 3, place=1)}


@pytest.mark.parametrize(
    ("fields", "columns"),
    [
        ({"key": "Milk."}, ()),
        ({"key": "(b) Milk."}, ()),
        ({"answer": 1}, ("key=answer", "--label first=0")),
        ({"answer": "2"}, ("key=answer", "--label first=1")),
        ({"options": json.dumps(OPTIONS), "key": "b"}, ()),
        ({"a": "Tea.", "b": "Milk.", "c": "Beer.", "key": "b"}, ("options=a,b,c",)),
    ],
)
def test_a_key_is_a_letter_a_text_or_a_number_whose_start_is_stated(
    tmp_path: Path, fields: dict[str, Any], columns: tuple[str, ...]
) -> None:
    question = {"prompt": "Which?", "options": OPTIONS} | fields
    rows = lines(jsonl(tmp_path / "a.jsonl", question), *columns)
    assert [one.row.chosen for one in rows] == ["Milk.", "Milk."]
    assert [one.row.rejected for one in rows] == ["Tea.", "Beer."]


@pytest.mark.parametrize(
    ("fields", "columns", "reason", "detail"),
    [
        ({"key": 1}, (), "bad_key", "--label first=0 or --label first=1"),
        ({"options": ["Tea.", "Tea."], "key": "Tea."}, (), "bad_key", "'Tea.'"),
        ({"key": "3"}, ("--label first=0",), "bad_key", "there are 3 options"),
        ({"key": "x"}, ("--label first=1",), "bad_key", "neither the letter nor the text"),
        ({"options": "tea or milk"}, (), "bad_options", "options is text, not a list"),
        ({"options": []}, (), "bad_options", "the list has 0 options"),
    ],
)
def test_a_question_whose_key_or_options_cannot_be_read_is_counted(
    tmp_path: Path, fields: dict[str, Any], columns: tuple[str, ...], reason: str, detail: str
) -> None:
    file = jsonl(tmp_path / "a.jsonl", QUESTION | fields, QUESTION | {"a": "x", "b": "y"})
    first = read(file, *columns)[1][0]
    assert (first.reason, first.where) == (reason, "a.jsonl:1")
    assert detail in first.detail


def test_a_pair_beside_a_column_of_options_stays_a_pair(tmp_path: Path) -> None:
    pair = {"prompt": "Which?", "chosen": "This.", "rejected": "That.", "options": ["x", "y"]}
    (one,) = lines(jsonl(tmp_path / "a.jsonl", pair))
    assert (one.row.chosen, one.choice) == ("This.", None)


def test_a_key_that_is_a_number_in_every_row_shows_the_values_seen(tmp_path: Path) -> None:
    rows = [{"question": "Which?", "options": ["One.", "Two."], "answer": n} for n in (0, 1, 1)]
    told = refused(jsonl(tmp_path / "a.jsonl", *rows))
    assert "2 values: '1' (2), '0' (1)" in told
    assert "--label first=0, or --label first=1" in told


# The gate: without a history the right option is picked once in k


def text(chance: random.Random, words: int) -> str:
    return " ".join(
        chance.choices("lamp kettle garden ladder window engine river".split(), k=words)
    )


def questions(
    n: int, *, words: Sequence[int] = (12,), right: Sequence[int] = range(4), told: str = ""
) -> list[dict[str, Any]]:
    """Questions of four options; the right one has so many words, stands at such a place, and is
    `told` by a word in nine of ten."""
    chance, rows = random.Random(2), []
    for number in range(n):
        texts, place = [text(chance, 12) for _ in range(4)], chance.choice(right)
        texts[place] = text(chance, chance.choice(words))
        if told:
            texts[place] += f" {told}" if chance.random() < 0.9 else " plainly"
            texts[place - 1] += " loudly"
        rows.append({
            "id": f"q{number}", "prompt": f"What of case {number}?", "options": texts,
            "key": "abcd"[place], "user": f"u{number // 2}", "wish": f"I like tea, {number}.",
        })  # fmt: skip
    return rows


def audited(file: Path, *maps: str) -> dict[str, Check]:
    return {check.name: check for check in checks_of(lines(file, *maps), "shortcuts")}


def test_options_that_tell_nothing_are_picked_once_in_four(learnt: None, tmp_path: Path) -> None:
    found = audited(jsonl(tmp_path / "a.jsonl", *questions(300)))
    for name in ("length", "bag_of_words", "key_place"):
        check = found[name]
        assert (check.chance, check.limit, check.of) == (0.25, 0.37, 300), name
        assert check.status in ("pass", "too_few"), name
        assert abs((estimate(check).value or 0) - 0.25) < 0.08, name
    assert "questions" in guess_table(audit_of([], *found.values())).head
    words = audited(jsonl(tmp_path / "a.jsonl", *questions(10)))["bag_of_words"]
    assert (words.status, words.of, words.detail[:19]) == ("too_few", 0, "Nothing is learnt f")


def test_where_the_first_is_always_right_place_and_words_tell(learnt: None, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "a.jsonl", *questions(300, right=(0,), told="kindly"))
    maps = ("profile=wish", "key=", "--label first")
    first = lines(file, *maps)[0]
    assert [post.text for post in first.row.profile] == ["I like tea, 0."]
    assert first.choice == Choice("a.jsonl:1", 4, place=0)
    found = audited(file, *maps)
    assert (found["key_place"].status, estimate(found["key_place"]).value) == ("fail", 1.0)
    words = found["bag_of_words"]
    assert (words.status, words.chance) == ("fail", 0.25)
    assert (estimate(words).value or 0) > 0.8


@pytest.mark.parametrize(
    ("made", "name", "said"),
    [
        # A third of questions by length, and of the others, where all tie, one in four.
        ({"words": (14, 12, 12)}, "length", "Picks the longest: right in 0."),
        ({"words": (10, 12, 12)}, "length", "Picks the shortest: right in 0."),
        ({"right": (0, 0, 0, 1, 2, 3)}, "key_place", "Picks option 1: right in 0."),
    ],
)
def test_a_right_option_that_is_often_the_longest_the_shortest_or_the_first_fails(
    tmp_path: Path, made: dict[str, Any], name: str, said: str
) -> None:
    found = audited(jsonl(tmp_path / "a.jsonl", *questions(200, **made)))
    assert {of for of in ("length", "key_place") if found[of].status == "fail"} == {name}
    assert estimate(found[name]).value == pytest.approx(1 / 2, abs=0.06)
    assert found[name].detail.startswith(said)


def test_a_label_always_first_fails_and_a_pair_is_no_question(tmp_path: Path) -> None:
    chance = random.Random(5)
    texts = [(text(chance, 12), text(chance, 12)) for _ in range(600)]
    maps = ("first=a", "second=b", "--label first=1", "--label second=2")
    for labels, status in (((1,), "fail"), ((1, 2), "pass")):
        rows = [
            {"prompt": f"Which, {n}?", "a": a, "b": b, "label": labels[n % len(labels)]}
            for n, (a, b) in enumerate(texts)
        ]
        found = audited(jsonl(tmp_path / "a.jsonl", *rows), *maps)
        assert (found["key_place"].status, found["length"].chance) == (status, None)

"""Files of others in the shapes that are published: labels, one against many, conversations."""

import csv
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import audited
from audited import checks_of, estimate, jsonl, lines, opened, refused
from pairwright.pairs import Choice
from pairwright.sources.problems import Problems

PANDA = {
    "instruction": "Name a fruit.", "input": "", "response1": "Pear.",
    "response2": "A pear is one.", "annotator1": 0,
}  # fmt: skip
AUTO_J = {"prompt": "Which?", "response 1": "One.", "response 2": "Two.", "label": 0}
AB = {"question": "Which?", "answer_a": "One.", "answer_b": "Two.", "verdict": 0}
ARENA = {
    "id": "7", "model_a": "m", "model_b": "n", "prompt": '["Which?"]', "response_a": '["One."]',
    "response_b": '["Two."]', "winner_model_a": "1", "winner_model_b": "0", "winner_tie": "0",
}  # fmt: skip
JUDGE_BENCH = {"pair_id": "x", "question": "Which?", "response_A": "One.", "response_B": "Two."}


def read(
    file: Path, *maps: str
) -> tuple[list[tuple[str, str, str]], dict[str, int], tuple[str, ...]]:
    """Pairs, rows that are none by reason, and what was said."""
    source, problems = opened(file, *maps), Problems()
    rows = [one.row for one in source.read(problems)]
    pairs = [(row.question, row.chosen, row.rejected) for row in rows]
    return pairs, problems.counts("refused") | problems.counts("noted"), source.said


def sheet(file: Path, *rows: Mapping[str, object]) -> Path:
    with file.open("w", newline="", encoding="utf-8") as written:
        writer = csv.DictWriter(written, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return file


def labelled(row: Mapping[str, Any], column: str, *labels: object) -> list[dict[str, Any]]:
    return [{**row, column: label} for label in labels]


# Labels

TIE_0 = "0 = tie, 1 = first, 2 = second"
PEARS = [("Name a fruit.", "Pear.", "A pear is one."), ("Name a fruit.", "A pear is one.", "Pear.")]
ONE, TWO = ("Which?", "One.", "Two."), ("Which?", "Two.", "One.")


def test_0_is_a_tie_in_pandalm_and_a_response_that_is_true_or_false_is_named(
    tmp_path: Path,
) -> None:
    rows = [*labelled(PANDA, "annotator1", 0, 1, 2), PANDA | {"annotator1": 1, "response2": True}]
    file = jsonl(tmp_path / "a.jsonl", *rows)
    pairs, none, said = read(file)
    assert (pairs, none) == (PEARS, {"tie": 1, "wrong_type": 1})
    assert said[-1] == f"labels read as: {TIE_0}, as in PandaLM"
    lost = audited.read(file)[1][-1]
    assert (lost.where, lost.detail) == ("a.jsonl:4", "second is true or false, not text")


def test_a_map_says_what_numbers_mean(tmp_path: Path) -> None:
    rows = labelled({"task": "Which?", "x": "One.", "y": "Two."}, "vote", "0", 1.0, "2.0")
    columns = ("prompt=task", "first=x", "second=y", "label=vote")
    file = jsonl(tmp_path / "a.jsonl", *rows)
    maps = ("--label tie=0", "--label first=1", "--label second=2")
    assert read(file, *columns, *maps)[:2] == ([ONE, TWO], {"tie": 1})
    assert read(file, *columns, *maps)[2][-1] == f"labels read as: {TIE_0}"
    # The first alone: what follows it is counted on.
    assert read(file, *columns, "--label first=0", "--label second=1", "--label tie=2")[0] == [
        ONE, TWO,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "shown", "maps"),
    [
        ((0, 1, 2, 2), "'0' (1), '1' (1), '2' (2)", "--label first=0 --label second=1 --label tie"),
        ((0, 1, 2, 2), "'0' (1), '1' (1), '2' (2)", "--label first=1 --label second=2 --label tie"),
        ((0, 1), "'0' (1), '1' (1)", "--label first=0 --label second=1, or --label first=1"),
        (("1.0", "2.0"), "'1' (1), '2' (1)", "--label first=1 --label second=2, or"),
        ((True, -1), "'-1' (1), 'true' (1)", "--label first=... --label second=..."),
        (("left", "maybe"), "'left' (1), 'maybe' (1)", "--label tie=..."),
        (("A", "B", 3), "'3' (1)", "--label first=..."),
    ],
)
def test_a_number_is_never_guessed(
    tmp_path: Path, labels: tuple[object, ...], shown: str, maps: str
) -> None:
    file = jsonl(tmp_path / "a.jsonl", *labelled(AB, "verdict", *labels))
    told = refused(file, "label=verdict")
    assert f"nothing says what these labels mean: {shown}" in told
    assert maps in told


@pytest.mark.parametrize(("one", "zero"), [("1", "0"), ("1.0", "0.0"), ("True", "False")])
def test_one_label_in_three_columns_is_read(tmp_path: Path, one: str, zero: str) -> None:
    def row(*marks: str) -> dict[str, str]:
        names = ("winner_model_a", "winner_model_b", "winner_tie")
        return ARENA | dict(zip(names, marks, strict=True))

    file = sheet(
        tmp_path / "a.csv", row(one, zero, zero), row(zero, one, zero), row(zero, zero, one),
        row(one, one, zero), row(zero, zero, zero),
    )  # fmt: skip
    pairs, none, said = read(file)
    assert (pairs, none) == ([ONE, TWO], {"tie": 1, "bad_label": 2})
    assert said[-1].endswith(
        "winner_model_a = first, winner_model_b = second, winner_tie = tie, as in Chatbot Arena"
    )
    marks = {"a_won": zero, "b_won": one}
    plain = {"question": "Which?", "answer_a": "One.", "answer_b": "Two."} | marks
    renamed = sheet(tmp_path / "b.csv", plain)
    assert read(renamed, "--label first=a_won", "--label second=b_won")[0] == [TWO]


@pytest.mark.parametrize(
    ("first", "second", "tie"),
    [
        ("model_a", "model_b", "tie"),
        ("model_a", "model_b", "tie (bothbad)"),
        ("Model A", "Model B", "both_bad"),
        ("A>B", "B>A", "A=B"),
        ("A>>B", "B >> A", "B=A"),
        ("[[A]]", "[[B]]", "[[A=B]]"),
        ("response_1", "response_2", "Tied"),
    ],
)
def test_words_are_read_as_they_are(tmp_path: Path, first: str, second: str, tie: str) -> None:
    rows = labelled(JUDGE_BENCH | {"model_a": "m", "model_b": "n"}, "label", first, second, tie)
    pairs, none, _ = read(jsonl(tmp_path / "a.jsonl", *rows))
    assert (pairs, none) == ([ONE, TWO], {"tie": 1})


def test_the_majority_of_several_annotators_counts(tmp_path: Path) -> None:
    rows = [
        PANDA | dict(zip(("annotator1", "annotator2", "annotator3"), votes, strict=True))
        for votes in ((1, 1, 2), (2, 0, 2), (0, 1, 2), (0, 0, 1))
    ]
    pairs, none, _ = read(jsonl(tmp_path / "a.jsonl", *rows))
    assert (pairs, none) == (PEARS, {"tie": 2})


@pytest.mark.parametrize(
    ("row", "label", "ordered"),
    [
        ({"prompt": "Which?", "response_1": "One.", "response_2": "Two."},
         "preference_strength", (-3, 2, 0)),
        ({"context": [{"role": "user", "content": "Which?"}], "response1": "One.",
          "response2": "Two."}, "overall_preference", (-1, 3, 0)),
        ({"prompt": "Which?", "response_0": "One.", "response_1": "Two."},
         "better_response_id", (0, 1, None)),
        ({"history": "Which?", "human_ref_A": "One.", "human_ref_B": "Two."},
         "labels", (1, 0, None)),
        (AUTO_J, "label", (0, 1, 2)),
        ({"input": "Which?", "output_1": "One.", "output_2": "Two."}, "label", (1, 2, None)),
    ],
)  # fmt: skip
def test_other_well_known_sets_are_recognised(
    tmp_path: Path, row: dict[str, Any], label: str, ordered: tuple[Any, ...]
) -> None:
    file = jsonl(tmp_path / "a.jsonl", *labelled(row, label, *ordered))
    pairs, none, said = read(file)
    assert (pairs, sum(none.values())) == ([ONE, TWO], 1)
    assert ", as in " in said[-1]


# Options


def questions(n: int) -> list[dict[str, Any]]:
    """Of four options the first is right, and nearly always holds the same word."""
    chance = random.Random(3)
    rows = []
    for number in range(n):
        texts = [" ".join(chance.choices("oak elm ash fir yew".split(), k=6)) for _ in range(4)]
        texts[0] += " kindly" if chance.random() < 0.9 else " plainly"
        texts[1] += " loudly"
        rows.append({"wish": f"I like trees, {number}.", "ask": f"Which, {number}?", "opts": texts})
    return rows


def test_the_first_is_always_right_and_the_audit_finds_it(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "a.jsonl", *questions(300))
    maps = ("prompt=ask", "options=opts", "profile=wish", "--label first")
    found = lines(file, *maps)
    assert [post.text for post in found[0].row.profile] == ["I like trees, 0."]
    assert {one.choice for one in found[:3]} == {Choice("a.jsonl:1", 4, place=0)}
    checks = {check.name: check for check in checks_of(found, "shortcuts")}
    assert (checks["key_place"].status, estimate(checks["key_place"]).value) == ("fail", 1.0)
    words = checks["bag_of_words"]
    assert (words.status, words.chance) == ("fail", 0.25)
    assert (estimate(words).value or 0) > 0.8


def test_prefeval_needs_no_map(tmp_path: Path) -> None:
    row = {"preference": "I eat no meat.", "question": "Which?",
           "classification_task_options": ["One.", "Two.", "Three."]}  # fmt: skip
    pairs, _, said = read(jsonl(tmp_path / "a.jsonl", row))
    assert pairs == [ONE, ("Which?", "One.", "Three.")]
    assert said[-1] == "the first is right in every row, as in PrefEval"


def test_a_key_that_is_a_number_shows_the_values_seen(tmp_path: Path) -> None:
    rows = [{"question": "Which?", "options": ["One.", "Two."], "answer": n} for n in (0, 1, 1)]
    told = refused(jsonl(tmp_path / "a.jsonl", *rows))
    assert "2 values: '1' (2), '0' (1)" in told
    assert "--label first=0, or --label first=1" in told


# One prompt's name


def test_the_whole_command_is_said_where_prompt_or_label_has_another_name(tmp_path: Path) -> None:
    row = {"request": "Which?", "chosen": "One.", "rejected": "Two.", "score": 3}
    file = jsonl(tmp_path / "a.jsonl", row)
    told = refused(file)
    assert f"pairwright audit {file} --column prompt=request" in told
    assert "pairwright evaluate" in refused(file, command="evaluate")
    assert read(file, "prompt=request")[0] == [ONE]
    bare = jsonl(tmp_path / "d.jsonl", AB)
    command = f"pairwright audit {bare} --column label=verdict --label first=0"
    assert refused(bare, "--label first=0").endswith(f"Name the label:\n    {command}")
    marks = jsonl(tmp_path / "e.jsonl", AB | {"a_won": 1})
    assert "If columns hold 0 and 1: --label first=COLUMN" in refused(marks)
    other = jsonl(tmp_path / "b.jsonl", row | {"topic": "art"})
    assert "with one of 'request', 'topic'" in refused(other)
    given = jsonl(tmp_path / "c.jsonl", {"request": "Which?", "chosen": "One.", "worse": "Two."})
    assert "--column rejected=worse --column prompt=request" in refused(given, "rejected=worse")
    assert "no column 'wors'. Did you mean 'worse'?" in refused(given, "rejected=wors")


# One against many


def test_rewardbench_2_is_best_of_n_and_ties_are_weighted_to_a_question(tmp_path: Path) -> None:
    best = {"id": "1", "prompt": "Which?", "chosen": ["One."], "rejected": ["Two.", "Three."],
            "num_correct": 1, "num_incorrect": 2, "subset": "Math"}  # fmt: skip
    ties = best | {"id": "2", "chosen": ["One.", "1"], "rejected": ["Two.", "2"], "subset": "Ties"}
    file = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist([best, ties]), file)
    found = lines(file)
    assert [(one.row.config, one.choice and one.choice.chance) for one in found] == [
        *[("Math", 1 / 3)] * 2, *[("Ties", 0.5)] * 4,
    ]  # fmt: skip


def test_a_question_of_several_right_answers_counts_by_its_share_of_pairs(tmp_path: Path) -> None:
    rows = [
        {"prompt": f"Which, {n}?", "chosen": ["long " * 9, "x"], "rejected": ["of four words so"]}
        for n in range(60)
    ]
    found = lines(jsonl(tmp_path / "a.jsonl", *rows))
    checks = {check.name: check for check in checks_of(found, "shortcuts")}
    assert (checks["length"].chance, estimate(checks["length"]).value) == (0.5, 0.5)
    assert "key_place" not in checks


def test_personamem_2_is_a_question_with_options_by_who(tmp_path: Path) -> None:
    row = {
        "persona_id": "3", "user_query": "{'role': 'user', 'content': 'Which?'}",
        "correct_answer": "One.", "incorrect_answers": json.dumps(["Two.", "Three."]),
        "who": "self",
    }  # fmt: skip
    for file in (sheet(tmp_path / "a.csv", row), jsonl(tmp_path / "a.jsonl", row)):
        found = lines(file)
        assert [(one.row.question, one.row.chosen, one.row.rejected) for one in found] == [
            ONE, ("Which?", "One.", "Three."),
        ]  # fmt: skip
        assert {(one.row.config, one.choice and one.choice.options) for one in found} == {
            ("self", 3)
        }
        assert found[0].row.user


def test_one_odd_label_of_a_known_set_is_one_unread_row(tmp_path: Path) -> None:
    odd = [{**PANDA, "annotator1": 1 + n % 2} for n in range(9)] + [PANDA | {"annotator1": "huh"}]
    pairs, none, _ = read(jsonl(tmp_path / "a.jsonl", *odd))
    assert (len(pairs), none) == (9, {"bad_label": 1})


def test_a_column_that_first_occurs_late_is_read(tmp_path: Path) -> None:
    rows = [{"prompt": f"Which? {n}", "chosen": "One.", "rejected": "Two."} for n in range(150)]
    file = jsonl(tmp_path / "a.jsonl", *rows, rows[0] | {"profile": ["I bake."]})
    source, _ = opened(file), Problems()
    assert [len(row.profile) for row in source] == [0] * 150 + [1]


def test_the_turns_of_prism_are_questions(tmp_path: Path) -> None:
    talk = [
        {"turn": 0, "role": "user", "content": "Which?", "if_chosen": None},
        {"turn": 0, "role": "model", "content": "One.", "if_chosen": True},
        {"turn": 0, "role": "model", "content": "Two.", "if_chosen": False},
        {"turn": 1, "role": "user", "content": "Why?", "if_chosen": None},
        {"turn": 1, "role": "model", "content": "So.", "if_chosen": False},
        {"turn": 1, "role": "model", "content": "Because.", "if_chosen": True},
    ]
    row = {"conversation_id": "c1", "user_id": "user0", "conversation_history": talk}
    file = jsonl(tmp_path / "a.jsonl", row)
    then = "user: Which?\n\nassistant: One.\n\nuser: Why?"
    assert read(file)[0] == [ONE, (then, "Because.", "So.")]
    found = lines(file)
    assert len({one.choice.question for one in found if one.choice}) == 2
    assert [one.where for one in found] == [
        "a.jsonl:1 turn[0] options[1]", "a.jsonl:1 turn[1] options[0]",
    ]  # fmt: skip
    assert len({one.row.id for one in found}) == 2


def test_the_best_of_ultrafeedback_is_over_those_with_a_lower_score(tmp_path: Path) -> None:
    def row(*scores: float) -> dict[str, Any]:
        made = [{"response": f"{n}.", "overall_score": score} for n, score in enumerate(scores)]
        return {"instruction": "Which?", "completions": made}

    file = jsonl(tmp_path / "a.jsonl", row(7.5, 9.0, 7.0), row(5, 5))
    pairs, none, _ = read(file)
    assert pairs == [("Which?", "1.", "0."), ("Which?", "1.", "2.")]
    assert none == {"tie": 1}


# Conversations

H, A = "\n\nHuman: ", "\n\nAssistant: "


@pytest.mark.parametrize(
    ("chosen", "rejected", "reason", "said"),
    [
        (f"{H}Hi{A}Ho{H}So?{A}Yes", f"{H}Hi{A}Ho", "one_continues", "begins with the whole"),
        (f"{H}Hi{A}Ho", f"{H}Hi{A}Ho{H}So?", "one_continues", "begins with the whole"),
        (f"{H}Hi{A}Ho{H}So?{A}Yes", f"{H}Hi{A}Hm{H}So?{A}No", "prompts_differ", "from turn 2 on"),
        (f"{H}Hi{A}Ho", f"{H}He{A}Ho", "prompts_differ", "from turn 1 on"),
        (f"{H}A play{A}Act:{H}Ha{A}Ho", f"{H}A play{A}No", "one_longer", "holds 'Human:' itself"),
        (f"{H}Hi", f"{H}He", "ends_with_user", "by Human"),
    ],
)
def test_transcripts_that_answer_no_one_prompt_are_refused_by_name(
    tmp_path: Path, chosen: str, rejected: str, reason: str, said: str
) -> None:
    sound = {"chosen": f"{H}Which?{A}One.", "rejected": f"{H}Which?{A}Two."}
    file = jsonl(tmp_path / "a.jsonl", sound, {"chosen": chosen, "rejected": rejected})
    problems = Problems()
    (one,) = opened(file).read(problems)
    (lost,) = problems.of("refused")
    assert (one.row.question, lost.reason, lost.first.where) == ("Which?", reason, "a.jsonl:2")
    assert said in lost.said


def test_arena_conversations_of_several_turns_differ_before_their_last(tmp_path: Path) -> None:
    def turns(*texts: str) -> str:
        return json.dumps(texts)

    two = ARENA | {
        "prompt": turns("Which?", "Why?"), "response_a": turns("One.", "So."),
        "response_b": turns("Two.", "No."),
    }  # fmt: skip
    null = ARENA | {"response_b": "[null]"}
    pairs, none, _ = read(sheet(tmp_path / "a.csv", ARENA, two, null))
    assert pairs == [ONE]
    assert none.keys() <= {"prompts_differ", "bad_cell"}
    assert sum(none.values()) == 2
    said = [{"role": "user", "content": "Which?"}]
    first, second = ([*said, {"role": "a", "content": text}] for text in ("One.", "Two."))
    talks = {"conversation_a": first, "conversation_b": second, "winner": "model_b"}
    assert read(jsonl(tmp_path / "b.jsonl", talks))[0] == [TWO]

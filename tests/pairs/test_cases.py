"""Files of others in the shapes that are published: labels, one against many, conversations."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audited import checks_of, estimate, jsonl, lines, opened, read, refused

Cells = dict[str, Any]
ONE, TWO = ("Which?", "One.", "Two."), ("Which?", "Two.", "One.")
ASK: Cells = {"prompt": "Which?"}
PANDA: Cells = {"instruction": "Which?", "input": "", "response1": "One.", "response2": "Two."}
AB: Cells = {"question": "Which?", "answer_a": "One.", "answer_b": "Two."}
JUDGE_BENCH: Cells = {"question": "Which?", "response_A": "One.", "response_B": "Two."}
ARENA: Cells = {
    "id": "7", "model_a": "m", "model_b": "n", "prompt": '["Which?"]', "response_a": '["One."]',
    "response_b": '["Two."]', "winner_model_a": "1", "winner_model_b": "0", "winner_tie": "0",
}  # fmt: skip
TWICE = {"prompt": '["Which?", "Why?"]', "response_a": '["One.", "So."]',
         "response_b": '["Two.", "No."]'}  # fmt: skip
UNMAPPED: Cells = {"task": "Which?", "x": "One.", "y": "Two."}
COLUMNS = ("prompt=task", "first=x", "second=y", "label=vote")
SAID = [{"role": "user", "content": "Which?"}]


def labelled(row: Cells, column: str, *labels: object) -> list[Cells]:
    return [{**row, column: label} for label in labels]


def marked(one: str, zero: str, *rows: str) -> list[Cells]:
    """Arena rows with `one` in the columns that a row names: a, b or t."""
    names = {"a": "winner_model_a", "b": "winner_model_b", "t": "winner_tie"}
    return [
        ARENA | {name: one if mark in row else zero for mark, name in names.items()} for row in rows
    ]


def sheet(file: Path, *rows: Mapping[str, object]) -> Path:
    with file.open("w", newline="", encoding="utf-8") as written:
        writer = csv.DictWriter(written, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return file


class Case(NamedTuple):
    rows: list[Cells]
    none: Mapping[str, int] = {}
    """Rows that are no pairs, by reason."""
    said: str = ""
    """The end of what is said of the columns and labels."""
    maps: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str, str], ...] = (ONE, TWO)
    flat: bool = False
    """Whether it is a CSV."""


TIE = {"tie": 1}
ODD = {"bad_label": 1}
HOT = "winner_model_a = first, winner_model_b = second, winner_tie = tie, as in Chatbot Arena"
CASES = {
    "PandaLM: 0 is a tie": Case(
        labelled(PANDA, "annotator1", 0, 1, 2), TIE,
        "labels read as: 0 = tie, 1 = first, 2 = second, as in PandaLM",
    ),
    "a majority of annotators": Case(
        [PANDA | {f"annotator{n}": vote for n, vote in enumerate(votes, start=1)}
         for votes in ((1, 1, 2), (2, 0, 2), (0, 1, 2), (0, 0, 1))], {"tie": 2},
    ),
    "one odd label of a known set": Case(
        labelled(PANDA, "annotator1", *(1, 2) * 4, "huh"), ODD, pairs=(ONE, TWO) * 4
    ),
    "Auto-J": Case(
        labelled(ASK | {"response 1": "One.", "response 2": "Two."}, "label", 0, 1, 2), TIE,
        "0 = first, 1 = second, 2 = tie, as in Auto-J",
    ),
    "LLMBar": Case(
        labelled({"input": "Which?", "output_1": "One.", "output_2": "Two."}, "label", 1, 2, None),
        ODD, "as in LLMBar",
    ),
    "HelpSteer2": Case(
        labelled(ASK | {"response_1": "One.", "response_2": "Two."}, "preference_strength",
                 -3, 2, 0), TIE, "as in HelpSteer2",
    ),
    "HelpSteer3": Case(
        labelled({"context": SAID, "response1": "One.", "response2": "Two."}, "overall_preference",
                 -1, 3, 0), TIE, "as in HelpSteer3",
    ),
    "PKU-SafeRLHF": Case(
        labelled(ASK | {"response_0": "One.", "response_1": "Two."}, "better_response_id",
                 0, 1, None), ODD, "as in PKU-SafeRLHF",
    ),
    "SHP": Case(
        labelled({"history": "Which?", "human_ref_A": "One.", "human_ref_B": "Two."}, "labels",
                 1, 0, None), ODD, "as in SHP",
    ),
    "instructions with and without input": Case(
        [{"instruction": "Which?", "chosen": "One.", "rejected": "Two."} | given
         for given in ({"input": "Of two."}, {"input": None}, {})], {}, "rejected", (),
        (("Which?\n\nOf two.", "One.", "Two."), ONE, ONE),
    ),
    "PrefEval: the first is right": Case(
        [{"preference": "I eat no meat.", "question": "Which?",
          "classification_task_options": ["One.", "Two.", "Three."]}], {},
        "the first is right in every row, as in PrefEval", (), (ONE, ("Which?", "One.", "Three.")),
    ),
    "UltraFeedback: the best over those with a lower score": Case(
        [{"instruction": "Which?", "completions": [
            {"response": text, "overall_score": score}
            for text, score in zip(("Two.", "One.", "Three."), scores, strict=True)
        ]} for scores in ((7.5, 9.0, 7.0), (5, 5, 5))], TIE, "right",
        (), (ONE, ("Which?", "One.", "Three.")),
    ),
    "one label in three columns": Case(
        marked("1", "0", "a", "b", "t", "ab", ""), {"tie": 1, "bad_label": 2}, HOT, flat=True
    ),
    "with 1.0, as pandas writes it": Case(marked("1.0", "0.0", "a", "b", "t"), TIE, HOT, flat=True),
    "with True": Case(marked("True", "False", "a", "b", "t"), TIE, HOT, flat=True),
    "turns in lists that differ early": Case(
        [ARENA, ARENA | TWICE, ARENA | {"response_b": "[null]"}],
        {"prompts_differ": 1, "bad_cell": 1}, HOT, pairs=(ONE,), flat=True,
    ),
    "conversations of both": Case(
        [{"conversation_a": [*SAID, {"role": "a", "content": "One."}],
          "conversation_b": [*SAID, {"role": "b", "content": "Two."}], "winner": "model_b"}],
        pairs=(TWO,),
    ),
    "a map says what numbers mean": Case(
        labelled(UNMAPPED, "vote", "0", 1.0, "2.0"), TIE, "0 = tie, 1 = first, 2 = second",
        (*COLUMNS, "--label tie=0", "--label first=1", "--label second=2"),
    ),
    "another map": Case(
        labelled(UNMAPPED, "vote", 0, 1, 2), TIE, "0 = first, 1 = second, 2 = tie",
        (*COLUMNS, "--label first=0", "--label second=1", "--label tie=2"),
    ),
    "a map names columns of 0 and 1": Case(
        [AB | {"a_won": 0, "b_won": 1}], {}, "a_won = first, b_won = second",
        ("--label first=a_won", "--label second=b_won"), (TWO,), flat=True,
    ),
    **{
        f"words: {words[0]}": Case(labelled(JUDGE_BENCH, "label", *words), TIE)
        for words in (
            ("model_a", "model_b", "tie"), ("model_a", "model_b", "tie (bothbad)"),
            ("Model A", "Model B", "both_bad"), ("A>B", "B>A", "A=B"), ("A>>B", "B >> A", "B=A"),
            ("B<A", "A<<B", "draw"), ("[[A]]", "[[B]]", "[[A=B]]"),
            ("response_1", "response_2", "Tied"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_public_file_is_read_and_what_was_read_is_said(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    write = sheet if case.flat else jsonl
    file = write(tmp_path / ("a.csv" if case.flat else "a.jsonl"), *case.rows)
    found, lost = read(file, *case.maps)
    assert [(of.row.question, of.row.chosen, of.row.rejected) for of in found] == [*case.pairs]
    reasons = [one.reason for one in lost]
    assert {reason: reasons.count(reason) for reason in reasons} == case.none
    assert {one.action for one in lost if one.reason == "tie"} <= {"noted"}
    assert opened(file, *case.maps).said[-1].endswith(case.said)


def test_a_response_that_is_true_or_false_is_named_with_its_row(tmp_path: Path) -> None:
    (lost,) = read(jsonl(tmp_path / "a.jsonl", PANDA | {"annotator1": 1},
                         PANDA | {"annotator1": 1, "response2": True}))[1]  # fmt: skip
    assert (lost.where, lost.detail) == ("a.jsonl:2", "second is true or false, not text")


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


def test_one_odd_word_among_labels_is_a_row_that_is_not_read(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "a.jsonl", *labelled(AB, "vote", *"pqr" * 9, "huh"))
    found, lost = read(file, "label=vote", "--label first=p", "--label second=q,r")
    assert (len(found), [one.reason for one in lost]) == (27, ["bad_label"])
    assert lost[0].detail == "nothing says what 'huh' means: add it to a --label"


def test_the_whole_command_is_said_where_one_column_has_another_name(tmp_path: Path) -> None:
    row = {"request": "Which?", "chosen": "One.", "rejected": "Two."}
    file = jsonl(tmp_path / "a.jsonl", row)
    assert f"pairwright audit {file} --column prompt=request" in refused(file)
    assert "pairwright evaluate" in refused(file, command="evaluate")
    assert len(lines(file, "prompt=request")) == 1
    bare = jsonl(tmp_path / "d.jsonl", AB | {"verdict": 0})
    command = f"pairwright audit {bare} --column label=verdict --label first=0"
    assert refused(bare, "--label first=0").endswith(f"Name the label:\n    {command}")
    assert "--column prompt=request" in refused(jsonl(tmp_path / "e.jsonl", row | {"margin": 0.5}))
    other = jsonl(tmp_path / "b.jsonl", row | {"topic": "art"})
    assert "'request', 'chosen', 'rejected', 'topic'. Name the prompt:" in refused(other)
    assert "--column prompt=COLUMN" in refused(other)
    given = jsonl(tmp_path / "c.jsonl", {"request": "Which?", "chosen": "One.", "worse": "Two."})
    assert "--column rejected=worse --column prompt=request" in refused(given, "rejected=worse")


# One against many


def test_rewardbench_2_is_best_of_n_and_ties_are_weighted_to_a_question(tmp_path: Path) -> None:
    best = {"id": "1", "prompt": "Which?", "chosen": ["One."], "rejected": ["Two.", "Three."],
            "num_correct": 1, "num_incorrect": 2, "subset": "Math"}  # fmt: skip
    ties = best | {"id": "2", "chosen": ["One.", "1"], "rejected": ["Two.", "2"], "subset": "Ties"}
    file = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist([best, ties]), file)
    found = [(one.row.config, one.choice and one.choice.chance) for one in lines(file)]
    assert found == [*[("Math", 1 / 3)] * 2, *[("Ties", 0.5)] * 4]


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
        choices = {(one.row.config, one.choice and one.choice.options) for one in found}
        assert choices == {("self", 3)}
        assert found[0].row.user


def test_a_column_that_first_occurs_late_is_read(tmp_path: Path) -> None:
    rows = [{"prompt": f"Which? {n}", "chosen": "One.", "rejected": "Two."} for n in range(150)]
    file = jsonl(tmp_path / "a.jsonl", *rows, rows[0] | {"profile": ["I bake."], "domain": "a"})
    found = [(row.domain, *(post.text for post in row.profile)) for row in opened(file)]
    assert found == [("",)] * 150 + [("a", "I bake.")]


def test_the_turns_of_prism_are_questions(tmp_path: Path) -> None:
    talk = [
        {"turn": turn, "role": role, "content": text, "if_chosen": chosen}
        for turn, role, text, chosen in (
            (0, "user", "Which?", None), (0, "model", "One.", True), (0, "model", "Two.", False),
            (1, "user", "Why?", None), (1, "model", "So.", False), (1, "model", "Because.", True),
        )
    ]  # fmt: skip
    row = {"conversation_id": "c1", "user_id": "user0", "conversation_history": talk}
    found = lines(jsonl(tmp_path / "a.jsonl", row))
    then = "user: Which?\n\nassistant: One.\n\nuser: Why?"
    pairs = [(one.row.question, one.row.chosen, one.row.rejected) for one in found]
    assert pairs == [ONE, (then, "Because.", "So.")]
    assert len({one.choice.question for one in found if one.choice}) == 2
    places = ["a.jsonl:1 turn[0] options[1]", "a.jsonl:1 turn[1] options[0]"]
    assert [one.where for one in found] == places
    assert len({one.row.id for one in found}) == 2


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
    (one,), (lost,) = read(file)
    assert (one.row.question, lost.reason, lost.where) == ("Which?", reason, "a.jsonl:2")
    assert said in lost.detail
    # With a prompt, whole conversations would be answers.
    alone = jsonl(tmp_path / "b.jsonl", {"chosen": chosen, "rejected": rejected, "set": "hh"})
    assert "--column prompt=set" not in refused(alone)

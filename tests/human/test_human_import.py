"""Annotations coming back: real exports, and whatever else a file may hold.

The pitfalls are numbered as they were found on the real server.
"""

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotated import (
    EXPORTS,
    KEY,
    STUDY,
    annotations,
    imported,
    imported_rows,
    reasons,
    rows,
    store_raw,
)
from live_study import files_of
from pairwright.errors import InputError
from pairwright_human_eval.acceptance import Acceptance, accept, derive
from pairwright_human_eval.annotation import REASONS, Account, Export
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.exports import clean_task, read_export
from pairwright_human_eval.people import People, bind
from pairwright_human_eval.raw_files import store_pulled, stored_exports
from pairwright_human_eval.records import PreferenceAnswer, QualityAnswers, RubricAnswers, digest
from reference_data import LABEL_STUDIO

OUTCOMES: dict[str, dict[Any, str]] = {
    "preference": {
        1: "B",
        2: "skipped",  # With answers.
        3: "superseded",  # Of two by one person the last counts.
        4: "B",
        5: "edited_by_another",  # Somebody else changed it,
        6: "edited_by_another",  # or gave it in another's name.
        7: "data_changed",
        8: "task_copied",  # A task imported twice is one task.
        9: "B",
        11: "unknown_annotator",
    },
    # It spells accounts out.
    "preference_snapshot": {1: "B", 3: "superseded", 4: "B", 5: "edited_by_another"},
    "preference_before_deletion": {1: "B", 10: "A"},
    "preference_all_tasks": {1: "B"},
    "wrong_results": {
        12: "equal",
        13: "unknown_choice",  # The label in place of its alias.
        14: "unknown_control",
        15: "missing_answer",  # Nothing at all.
        16: "wrong_type",
        17: "duplicate_answer",
        18: "unknown_choice",
        20: "B",  # Made anew,
        21: "cannot_tell",  # or taken back from skipping.
        22: "unknown_annotator",  # The administrator's.
        23: "impossible_time",  # A lead time below 0.
        24: "impossible_time",  # One without end.
    },
    "before_change_of_form": {26: "A", 27: "B", 28: "A"},
    "before_account_deleted": {29: "A", 30: "A"},
    "account_deleted": {29: "unknown_annotator", 30: "unknown_annotator"},
    "rubric": {
        31: "rubric",
        32: "rubric",
        33: "missing_answer",  # One row of two.
        34: "unknown_control",  # Three rows of two.
    },
    "quality": {
        35: "quality",
        36: "unknown_choice",  # Cannot judge, where the scale has it not.
        37: "unknown_choice",
        38: "missing_answer",
        39: "edited_by_another",  # It came with its task, and nobody is named as its editor.
    },
}
"""By export and annotation: what was preferred, or the kind of the verdict; or why it is set aside.
"""


def outcomes(run: Path, accepted: Acceptance) -> dict[Any, str]:
    """What became of each annotation, by Label Studio's number."""
    found = {line.raw: line.reason for line in accepted.set_aside}
    for verdict in accepted.verdicts:
        found[verdict.raw] = verdict.kind
        if isinstance(verdict.answers, PreferenceAnswer):
            names = {verdict.a: "A", verdict.b: "B"}
            found[verdict.raw] = names.get(verdict.answers.choice, verdict.answers.choice)
    exports = stored_exports(HumanFolder(run))
    given: list[Any] = [a for e in exports for task in e.tasks for a in task.annotations]
    return {one["id"]: found[digest(one)] for one in given}


def choices(accepted: Acceptance) -> dict[str, object]:
    return {verdict.task: verdict.answers for verdict in accepted.verdicts}


def timed(created: str, updated: str) -> dict[str, object]:
    moment = "2026-11-21T10:54:0"
    return {"created_at": f"{moment}{created}", "updated_at": f"{moment}{updated}"}


def result(name: object, kind: str, value: object, part: str = "choices") -> dict[str, object]:
    return {"result": [{"from_name": name, "type": kind, "value": {part: value}}]}


# The fourteen pitfalls


@pytest.mark.parametrize("name", OUTCOMES)
def test_every_annotation_of_a_real_server_is_a_verdict_or_set_aside(
    tmp_path: Path, name: str
) -> None:
    accepted = imported(tmp_path, name)
    assert outcomes(tmp_path, accepted) == OUTCOMES[name]
    assert not accepted.copies
    (account,) = accepted.people.found or (None,)
    assert (account is None) == (name == "account_deleted")


def test_01_an_earlier_file_still_knows_the_deleted_account(tmp_path: Path) -> None:
    both = imported(tmp_path, "account_deleted", "before_account_deleted")
    assert (len(both.verdicts), both.copies) == (2, 2)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        # The clock tells what is later, and not the text; then the number.
        *(
            ({3: timed(f"5{zone}", f"6{zone}"), 4: timed(f"5{zone}", f"{later}{zone}")}, {})
            for zone in ("Z", "+00:00", "-05:00")
            for later in ("6.5", "6")
        ),
        # A later skip takes an answer back, and a broken one does not.
        ({4: {"was_cancelled": True}}, {4: "skipped"}),
        ({4: {"result": []}}, {3: "A", 4: "missing_answer"}),
        *(
            ({1: {"lead_time": lead}}, {1: "impossible_time"})
            for lead in (-5.0, -0.001, float("inf"), float("nan"))
        ),
        ({1: {"lead_time": None, "result_count": 77}}, {}),
        ({1: timed("6.000001+00:00", "6.000000Z")}, {1: "impossible_time"}),
        ({1: timed("6.000001+00:00", "6.000001Z")}, {}),
        *(
            ({1: fields}, {1: reason})
            for fields, reason in [
                ({"result": None}, "malformed"),
                ({"result": {"a": 1}}, "malformed"),
                ({"result": ["x"]}, "malformed"),
                ({"result": [None]}, "malformed"),
                ({"result": [{"type": "relation"}]}, "unknown_control"),
                (result(["preference"], "choices", ["A"]), "unknown_control"),
                (result("preference", "choices", "A"), "wrong_type"),
                (result("preference", "choices", [1]), "wrong_type"),
                (result("preference", "choices", []), "missing_answer"),
                (result("preference", "choices", ["A", "B"]), "duplicate_answer"),
                (result("seen", "choices", ["B"]), "unknown_choice"),
                (result("seen", "choices", []), "missing_answer"),  # Of the preference alone.
                (result("seen", "choices", ["seen"]), "missing_answer"),
                (result("comment", "choices", ["A"]), "wrong_type"),
                (result("comment", "textarea", [3], "text"), "wrong_type"),
                ({"completed_by": "2"}, "malformed"),
                ({"completed_by": True}, "malformed"),
                ({"was_cancelled": None}, "malformed"),
                ({"was_cancelled": 0}, "malformed"),
                ({"updated_at": "yesterday"}, "malformed"),
                ({"updated_at": "2026-11-21"}, "malformed"),
                ({"created_at": None}, "malformed"),
                ({"lead_time": "9"}, "malformed"),
                ({"updated_by": [2]}, "malformed"),
                ({"unique_id": 5}, "malformed"),
            ]
        ),
        ({1: {"id": True}}, {1: "malformed"}),
    ],
)
def test_what_is_changed_in_a_real_export_changes_nothing_else(
    tmp_path: Path, changes: dict[int, dict[str, object]], expected: dict[Any, str]
) -> None:
    tasks = rows("preference")
    for annotation in annotations(tasks):
        annotation |= changes.get(annotation["id"], {})
    accepted = imported_rows(tmp_path, tasks)
    assert outcomes(tmp_path, accepted) == OUTCOMES["preference"] | expected


def test_05_a_changed_task_is_refused_by_its_hash(tmp_path: Path) -> None:
    tasks = rows("preference")
    for name, reason in ((tasks[1]["data"]["task"], "data_changed"), ("tampered", "unknown_task")):
        tasks[0]["data"]["task"] = name
        assert reasons(imported_rows(tmp_path / name, tasks))[1] == reason
    del tasks[0]["data"]
    assert reasons(imported_rows(tmp_path / "none", tasks))[1] == "unknown_task"


def test_06_the_servers_task_numbers_mean_nothing(tmp_path: Path) -> None:
    tasks = rows("preference")
    plain = imported_rows(tmp_path / "a", tasks)
    for n, task in enumerate(tasks):
        task["id"] = task["inner_id"] = 9000 - n
        for annotation in task["annotations"]:
            annotation["task"] = task["id"]
    assert choices(imported_rows(tmp_path / "b", tasks)) == choices(plain)


def pull(folder: HumanFolder, name: str, without: int | None = None) -> bool:
    """Keep an export as a pull of it, perhaps without a task; whether it is new."""
    tasks = tuple(clean_task(task) for task in rows(name) if task["id"] != without)
    return store_pulled(
        Export(
            file="server-1.json", source="http://ls", project=1, tasks=tasks,
            config_hash=STUDY.config_hashes["preference"],
        ),
        folder,
    )[1]  # fmt: skip


def test_06_and_07_what_a_later_pull_has_no_more_is_told(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    pull(folder, "preference_before_deletion")
    before = derive(folder, KEY, STUDY)
    assert len(before.verdicts) == 2
    for _ in range(2):
        pull(folder, "preference_before_deletion", without=8)
        after = derive(folder, KEY, STUDY)
        assert len(after.verdicts) == 1
        assert [line.reason for line in after.set_aside] == ["deleted"]
    pull(folder, "preference_before_deletion")
    assert derive(folder, KEY, STUDY) == before


def test_08_times_are_not_made_up_and_what_is_impossible_in_them_is_named(tmp_path: Path) -> None:
    assert [v.seconds for v in imported(tmp_path / "real", "preference").verdicts if v.seconds]
    tasks = rows("preference")
    for annotation in annotations(tasks):
        annotation["lead_time"] = None
    accepted = imported_rows(tmp_path / "none", tasks)
    assert {verdict.seconds for verdict in accepted.verdicts} == {None}
    (first,), (second,) = tasks[0]["annotations"], tasks[1]["annotations"]
    first["lead_time"] = -5.0
    second |= timed("6Z", "5Z")
    lines = {of.annotation: of for of in imported_rows(tmp_path / "wrong", tasks).set_aside}
    assert lines[1].detail == "lead_time is -5.0"
    assert lines[2].detail == "updated_at is before created_at"
    assert lines[1].file.startswith("import-")
    assert lines[1].task == tasks[0]["data"]["task"]


def test_an_annotation_under_another_task_than_its_own_is_set_aside(tmp_path: Path) -> None:
    tasks = rows("preference")
    first, second = tasks[0]["annotations"], tasks[7]["annotations"]
    tasks[0]["annotations"], tasks[7]["annotations"] = second, first
    accepted = imported_rows(tmp_path, tasks)
    moved = {1: "other_task", 11: "other_task"}
    assert outcomes(tmp_path, accepted) == OUTCOMES["preference"] | moved
    lines = {line.annotation: line for line in accepted.set_aside}
    for (annotation,), task in ((second, tasks[0]), (first, tasks[7])):
        line = lines[annotation["id"]]
        assert line.task == task["data"]["task"]
        assert f"given on task {annotation['task']}" in line.detail
    copied = rows("preference")
    copied[7]["annotations"] = copied[0]["annotations"]
    again = imported_rows(tmp_path / "copied", copied)
    assert sum(line.reason == "other_task" for line in again.set_aside) == 1


def test_09_a_form_changed_after_labelling_is_known_by_its_hash(tmp_path: Path) -> None:
    tasks = rows("before_change_of_form")
    of_pull = {"source": "http://ls", "project": 3, "kind": "preference", "round": 1}
    own = STUDY.config_hashes["preference"]
    other = (EXPORTS / "changed_form.txt").read_text("utf-8").strip()
    assert len(imported_rows(tmp_path / "a", tasks, **of_pull, config_hash=own).verdicts) == 3
    accepted = imported_rows(tmp_path / "b", tasks, **of_pull, config_hash=other)
    assert {line.reason for line in accepted.set_aside} == {"config_changed"}
    assert not accepted.verdicts
    # A file made by hand does not hide it.
    imported_rows(tmp_path / "c", tasks)
    accepted = imported_rows(tmp_path / "c", tasks, source="http://ls", config_hash=other)
    assert not accepted.verdicts
    assert accepted.copies == 3


def test_09_a_second_round_has_a_form_of_its_own() -> None:
    task = rows("before_change_of_form")[0]
    name = task["data"]["task"]
    key = {name: KEY[name].model_copy(update={"round": 2})}
    hashes = STUDY.config_hashes
    for known, verdicts in ((hashes["preference_adjudication"], 1), (hashes["preference"], 0)):
        export = Export(file="f", config_hash=known, tasks=(clean_task(task),))
        assert len(accept([export], key, STUDY, {}).verdicts) == verdicts


def test_10_a_task_without_rows_is_answered_without_rows() -> None:
    (task, *_) = rows("rubric")
    task["data"]["aspects"] = task["annotations"][0]["result"] = []
    name = task["data"]["task"]
    keyed = KEY[name].model_copy(update={"aspects": (), "data_hash": digest(task["data"])})
    export = Export(file="f", tasks=(clean_task(task),))
    (verdict,) = accept([export], {name: keyed}, STUDY, {}).verdicts
    assert verdict.answers == RubricAnswers(aspects=())


def test_12_only_what_is_needed_is_kept(tmp_path: Path) -> None:
    tasks = rows("preference")
    for task in tasks:
        task["session"] = task["annotations"][0]["headers"] = {"cookie": "sessionid=secret"}
        task["predictions"] = [{"model_version": "rubric-judge", "score": 0.9}]
    imported_rows(tmp_path, tasks)
    (kept,) = HumanFolder(tmp_path).raw.iterdir()
    assert not re.search("secret|judge|<p>", kept.read_text("utf-8"))


@pytest.mark.parametrize("unique", [True, False])
def test_13_and_14_overlapping_files_count_each_annotation_once(
    tmp_path: Path, unique: bool
) -> None:
    """Annotations without a unique id are known by what they are."""
    tasks = rows("preference")
    for annotation in annotations(tasks):
        if not unique:
            del annotation["unique_id"]
    whole = imported(tmp_path / "whole", "preference")
    imported_rows(tmp_path / "parts", tasks[:5])
    parts = imported_rows(tmp_path / "parts", tasks[3:])
    assert choices(parts) == choices(whole)
    assert reasons(parts) == reasons(whole)
    assert parts.copies == len(annotations(tasks[3:5]))


# What results say


def test_answers_are_about_responses_and_aspects(tmp_path: Path) -> None:
    accepted = imported(tmp_path, "rubric", "quality")
    assert Counter(verdict.kind for verdict in accepted.verdicts) == {"rubric": 2, "quality": 1}
    for verdict in accepted.verdicts:
        keyed = KEY[verdict.task]
        if isinstance(verdict.answers, RubricAnswers):
            assert tuple(a.aspect for a in verdict.answers.aspects) == keyed.aspects
            assert verdict.answers.aspects[0].support == "clearly"
            assert verdict.answers.aspects[0].delivered == keyed.a
        elif isinstance(verdict.answers, QualityAnswers):
            assert verdict.answers.scores[keyed.a]["relevance"] == 5
            assert verdict.answers.scores[keyed.b]["correctness"] is None


def test_an_annotator_in_a_colleagues_project(tmp_path: Path) -> None:
    accepted = imported(tmp_path, "preference", "wrong_results")
    line = next(line for line in accepted.set_aside if line.reason == "other_annotators_task")
    assert (line.annotation, line.annotator) == (11, "annotator-02")


# E-mails and drafts


def test_nobodys_address_name_or_draft_is_kept(tmp_path: Path) -> None:
    names = [p.stem for p in EXPORTS.glob("*.json") if p.stem not in ("study", "json_min")]
    accepted = imported(tmp_path, *names)
    for name, content in files_of(tmp_path).items():
        assert not re.search("person|example.com|Ada|Example", content.decode("utf-8")), name
    assert "Write to [e-mail] about this" in {v.comment for v in accepted.verdicts}


def test_a_draft_is_told_of_without_what_is_in_it(tmp_path: Path) -> None:
    accepted = imported(tmp_path, "preference_all_tasks")
    (line,) = accepted.set_aside
    assert (line.reason, line.annotation, line.annotator) == ("draft", None, None)
    # Submitted since then, it is no draft any more.
    tasks = rows("preference_all_tasks")
    given = {**tasks[0]["annotations"][0], "unique_id": "other", "id": 99, "task": tasks[1]["id"]}
    tasks[1]["annotations"] = [given]
    submitted = imported_rows(tmp_path, tasks)
    assert (len(submitted.verdicts), submitted.set_aside) == (2, ())


def test_comments_are_text_that_any_file_can_hold(tmp_path: Path) -> None:
    tasks = rows("preference")
    said = tasks[0]["annotations"][0]["result"][1]["value"]
    said["text"] = ["\ud800 a\x00b \u202eevil", "Ada.L@example.com, b＠c.de", "x" * 200_000]
    accepted = imported_rows(tmp_path, tasks)
    comment = next(v.comment for v in accepted.verdicts if v.comment)
    assert comment.startswith("\ufffd ab evil\n[e-mail], [e-mail]\nxxx")


# Whose account is whose


@pytest.mark.parametrize(
    ("work", "found"),
    [
        ([("s:1", 1, 5), ("s:2", 1, 3)], {"s:1": (1,)}),
        # Of two with as many, the lower number; who has nothing of their own stays unbound.
        ([("s:2", 1, 3), ("s:1", 1, 3)], {"s:1": (1,)}),
        ([("s:1", 1, 5), ("s:1", 2, 4), ("s:2", 2, 2)], {"s:1": (1,), "s:2": (2,)}),
        # Account 9 is given to annotator 9.
        ([("s:1", 9, 5)], {}),
        ([("s:9", 9, 1), ("s:1", 9, 5)], {}),
        # Sources are apart.
        ([("s:1", 1, 5), ("t:1", 2, 1)], {"s:1": (1,), "t:1": (2,)}),
    ],
)
def test_accounts_are_bound_by_their_work(
    work: list[tuple[str, int, int]], found: dict[str, tuple[int, ...]]
) -> None:
    given = {(Account(at[0], int(at[2])), (1, f"annotator-{who:02}")): n for at, who, n in work}
    bound = bind(given, {"s:9": ("annotator-09",)}).found
    assert bound == {at: tuple(f"annotator-{n:02}" for n in who) for at, who in found.items()}


def test_who_annotates_may_adjudicate() -> None:
    account = Account("s", 1)
    slots = (1, "annotator-01"), (2, "adjudicator-01")
    people = bind({(account, slot): 1 for slot in slots}, {})
    assert people.of(account) == ("annotator-01", "adjudicator-01")


def test_the_study_lead_has_the_last_word(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    assert len(imported(tmp_path, "preference").verdicts) == 3
    folder.people.write_text('{"given": {"file:3": ["annotator-01"]}}', "utf-8")
    accepted = derive(folder, KEY, STUDY)
    assert {reasons(accepted)[n] for n in (1, 9)} == {"unknown_annotator"}
    assert len(accepted.verdicts) == 1
    assert People.model_validate_json(folder.people.read_bytes()) == People(
        given={"file:3": ("annotator-01",)}
    )


@pytest.mark.parametrize("text", ["{", '{"given": 3}', '{"given": {"file:3": ["annotator-77"]}}'])
def test_a_wrong_people_file_is_named(tmp_path: Path, text: str) -> None:
    folder = HumanFolder(tmp_path)
    store_raw(EXPORTS / "preference.json", folder)
    folder.people.write_text(text, "utf-8")
    with pytest.raises(InputError, match="people"):
        derive(folder, KEY, STUDY)


# Counts add up, whatever a file holds


JUNK: list[object] = [
    None, 3, "x", [], {}, True, -1, float("inf"), {"id": 2}, "\ud800", 10**400, "2",
]  # fmt: skip


def spoilt(chance: random.Random) -> tuple[list[Any], int]:
    """A real export with some of its parts replaced by junk, and how many annotations it holds."""
    name = chance.choice(["preference", "wrong_results", "quality", "rubric"])
    tasks: list[Any] = rows(name)
    for _ in range(chance.randint(1, 12)):
        at: Any = chance.choice(tasks)
        while isinstance(at, dict | list) and at:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            key = chance.choice(keys)
            if chance.random() < 0.25 or not isinstance(at[key], dict | list):
                at[key] = chance.choice(JUNK)
                break
            at = at[key]
    lists = [t["annotations"] for t in tasks if isinstance(t.get("annotations"), list)]
    return tasks, sum(map(len, lists))


@pytest.mark.parametrize("seed", range(25))
def test_every_annotation_is_a_verdict_or_set_aside(tmp_path: Path, seed: int) -> None:
    tasks, n = spoilt(random.Random(seed))
    accepted = imported_rows(tmp_path, tasks)
    lines = [line for line in accepted.set_aside if line.reason != "draft"]
    assert len(accepted.verdicts) + len(lines) + accepted.copies == n
    assert {line.reason for line in lines} <= set(REASONS)
    assert len({(v.task, v.annotator) for v in accepted.verdicts}) == len(accepted.verdicts)
    folder = HumanFolder(tmp_path)
    for path, records in (
        (folder.verdicts, accepted.verdicts), (folder.set_aside, accepted.set_aside)
    ):  # fmt: skip
        assert len(path.read_text("utf-8").splitlines()) == len(records)


def test_one_broken_annotation_stops_no_other(tmp_path: Path) -> None:
    tasks = rows("preference")
    plain = choices(imported_rows(tmp_path / "a", tasks))
    tasks[0]["annotations"] += [*JUNK, {"result": json.loads("[" * 500 + "]" * 500)}]
    accepted = imported_rows(tmp_path / "b", tasks)
    assert choices(accepted) == plain
    assert sum(line.reason == "malformed" for line in accepted.set_aside) + accepted.copies == 13


# Files


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    names = ("preference", "wrong_results", "rubric", "quality")
    imported(tmp_path, *names)
    before = files_of(tmp_path)
    renamed = tmp_path.parent / "ada@example.com.json"
    renamed.write_bytes((EXPORTS / "preference.json").read_bytes())
    assert not store_raw(renamed, folder)[1]
    imported(tmp_path, *reversed(names))
    assert files_of(tmp_path) == before
    assert all(re.fullmatch("import-[0-9a-f]{16}.json", p.name) for p in folder.raw.iterdir())


def test_a_raw_file_reads_as_what_it_was_made_of(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    path, _, _ = store_raw(EXPORTS / "wrong_results.json", folder)
    (again,) = stored_exports(folder)
    first = read_export(EXPORTS / "wrong_results.json")
    assert again == first.model_copy(update={"file": path.name})
    # What is stored is trusted to be clean, so a raw file is none to import.
    with pytest.raises(InputError, match="raw file of a study"):
        store_raw(path, HumanFolder(tmp_path / "b"))
    # One of another tool is not trusted to be whole.
    task = first.tasks[0].model_copy(update={"annotations": ({"account": "me"},)})
    broken = first.model_copy(update={"tool": "spreadsheet", "tasks": (task,)})
    assert [line.reason for line in accept([broken], KEY, STUDY, {}).set_aside] == ["malformed"]
    broken_texts = {"[" * 10**5: "cannot be read", "[]": "is not a raw file", "{}": "tasks"}
    for text, what in broken_texts.items():
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=what) as caught:
            list(stored_exports(folder))
        assert caught.value.where == str(path)


def test_a_pull_keeps_the_annotator_whose_account_was_deleted(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    pull(folder, "before_account_deleted")
    assert not pull(folder, "account_deleted")
    assert len(derive(folder, KEY, STUDY).verdicts) == 2


def test_real_and_simulated_answers_do_not_meet(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    store_raw(EXPORTS / "preference.json", folder, simulated=True)
    assert all(v.simulated for v in derive(folder, KEY, STUDY).verdicts)
    with pytest.raises(InputError, match="simulated answers are here"):
        store_raw(EXPORTS / "rubric.json", folder)
    with pytest.raises(InputError, match="simulated answers are here"):
        pull(folder, "preference")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"[]", "holds no task"),
        (b"{}", "not a list of tasks"),
        (b"3", "not a list of tasks"),
        (b"[1, 2]", "not a list of Label Studio tasks"),
        (b'[{"data": {"task": "t"}}]', "tasks without annotations"),
        (b'[{"id": 1, "data": {}, "annotations": []}]', "holds no annotation"),
        (b'{"id": 1, "annotations": []}\n{"id": 2, "annotations": []}\n', ":2: .*JSONL"),
        (b'[\n{"id": 1,\n"data": {"ta', ":3: the file is cut off"),
        (b'[\n{"id": 1},\n', ":3: the file is cut off"),
        (b"[{'id': 1}]", ":1: no JSON"),
        (b"[\xff\xfe]", "not UTF-8"),
        (b"PK\x03\x04\xf0\xf0", "ZIP archive"),
        (b"[" * 100_000, "no JSON of Label Studio"),
        (b"[" + b"9" * 5000 + b"]", "no JSON of Label Studio"),
        (b'{"tasks": [], "kind": "other"}', "raw file of a study"),
    ],
)
def test_a_file_that_is_no_export_is_named_with_what_to_do(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "given.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_export(path)
    assert caught.value.fix
    assert str(path) in str(caught.value)


def test_other_formats_are_named_and_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    for path, message in (
        (EXPORTS / "json_min.json", "JSON-MIN"),
        (EXPORTS / "preference.csv", "CSV"),
        (EXPORTS / "preference.tsv", "TSV"),
        (tmp_path, "a folder"),
        (tmp_path / "not-there.json", "No such file"),
        (LABEL_STUDIO / "first6_sdk_all_JSON_MIN.json", "JSON-MIN"),
        (LABEL_STUDIO / "ui_annotation_task.json", "not a list of tasks"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            read_export(path)
        assert path.parent != EXPORTS or "choose JSON" in caught.value.fix
    path = tmp_path / "bom.json"
    path.write_bytes(b"\xef\xbb\xbf" + (EXPORTS / "preference.json").read_bytes())
    assert read_export(path).tasks == read_export(EXPORTS / "preference.json").tasks


def test_exports_of_another_study_are_read_and_known_as_that() -> None:
    """Real exports of another form: 91 annotations, and none is of this study."""
    export = read_export(LABEL_STUDIO / "raw_default.json")
    assert export.annotations == 91
    accepted = accept([export], KEY, STUDY, {})
    assert {line.reason for line in accepted.set_aside} <= {"unknown_task", "draft"}
    assert len(accepted.set_aside) == 91
    assert read_export(LABEL_STUDIO / "snapshot.json").annotations == 90

"""Annotations coming back: real exports, and whatever else a file may hold.

The pitfalls are numbered as they were found on the real server.
"""

import json
import random
import re
import resource
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
    written,
)
from pairwright.errors import InputError
from pairwright_human_eval.acceptance import Acceptance, accept, derive
from pairwright_human_eval.annotation import REASONS, Account, Export
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.exports import clean_task, read_export
from pairwright_human_eval.people import People, Slot, bind
from pairwright_human_eval.raw_files import store_pulled, stored_exports
from pairwright_human_eval.records import PreferenceAnswer, QualityAnswers, RubricAnswers, digest
from reference_data import LABEL_STUDIO


def task_of(tasks: list[dict[str, Any]], server_task: int) -> str:
    return next(str(t["data"]["task"]) for t in tasks if t["id"] == server_task)


def choices(accepted: Acceptance) -> dict[str, str]:
    """What was preferred, by task, as A, B or in words."""
    found = {}
    for verdict in accepted.verdicts:
        assert isinstance(verdict.answers, PreferenceAnswer)
        names = {verdict.a: "A", verdict.b: "B"}
        found[verdict.task] = names.get(verdict.answers.choice, verdict.answers.choice)
    return found


def assert_set_aside(
    run: Path, tasks: list[dict[str, Any]], annotation: dict[str, Any], reason: str, detail: str
) -> None:
    """One annotation is, with the words that name it, and no other one for this reason."""
    accepted = imported_rows(run, tasks)
    (line,) = (line for line in accepted.set_aside if line.reason == reason)
    assert (line.annotation, line.detail) == (annotation["id"], detail)
    assert line.file.startswith("import-")
    assert line.task


# The fourteen pitfalls


def test_01_annotators_come_as_number_as_object_and_not_at_all(tmp_path: Path) -> None:
    as_numbers = imported(tmp_path / "a", "preference")
    as_objects = imported(tmp_path / "b", "preference_snapshot")
    assert as_numbers.people.found == as_objects.people.found == {"file:2": ("annotator-01",)}
    assert choices(as_objects).items() <= choices(as_numbers).items()
    deleted = imported(tmp_path / "c", "account_deleted")
    assert not deleted.verdicts
    assert {line.reason for line in deleted.set_aside} == {"unknown_annotator"}
    # An earlier file still knows the deleted account.
    both = imported(tmp_path / "d", "account_deleted", "before_account_deleted")
    assert (len(both.verdicts), both.copies) == (2, 2)


def test_02_to_06_wrong_ways_of_the_real_server(tmp_path: Path) -> None:
    """A skip with answers is no vote, of two by one person the last counts, what somebody else
    changed (5) or gave (6) is set aside, and a task imported twice is one task."""
    tasks = rows("preference")
    skipped = next(a for a in annotations(tasks) if a["was_cancelled"])
    assert skipped["result"]
    accepted = imported(tmp_path, "preference")
    found = reasons(accepted)
    assert found[skipped["id"]] == "skipped"
    assert found[3] == "superseded"
    assert choices(accepted)[task_of(tasks, 3)] == "B"
    assert found[5] == found[6] == "edited_by_another"
    line = next(line for line in accepted.set_aside if line.reason == "task_copied")
    assert line.annotation == 8
    assert line.task
    assert choices(accepted)[line.task] == "B"


@pytest.mark.parametrize("offset", ["Z", "+00:00", "-05:00"])
def test_03_later_is_told_by_the_clock_not_by_the_text(tmp_path: Path, offset: str) -> None:
    first, second = (tasks := rows("preference"))[2]["annotations"]
    first["created_at"] = second["created_at"] = f"2026-11-21T10:54:05{offset}"
    first["updated_at"] = f"2026-11-21T10:54:06{offset}"
    second["updated_at"] = f"2026-11-21T10:54:06.5{offset}"
    assert reasons(imported_rows(tmp_path, tasks))[first["id"]] == "superseded"
    second["updated_at"] = first["updated_at"]
    assert reasons(imported_rows(tmp_path / "tie", tasks))[first["id"]] == "superseded"


def test_03_a_later_skip_takes_the_answer_back_and_a_broken_one_does_not(tmp_path: Path) -> None:
    tasks = rows("preference")
    first, second = tasks[2]["annotations"]
    second["was_cancelled"] = True
    accepted = imported_rows(tmp_path, tasks)
    assert reasons(accepted)[first["id"]] == "superseded"
    assert reasons(accepted)[second["id"]] == "skipped"
    assert task_of(tasks, 3) not in choices(accepted)
    second |= {"was_cancelled": False, "result": []}
    accepted = imported_rows(tmp_path / "broken", tasks)
    assert reasons(accepted)[4] == "missing_answer"
    assert choices(accepted)[task_of(tasks, 3)] == "A"


def test_05_a_changed_task_is_refused_by_its_hash(tmp_path: Path) -> None:
    tasks = rows("preference")
    changed = next(t for t in tasks if "Tampered" in t["data"]["response_a"])
    (annotation,) = changed["annotations"]
    assert reasons(imported_rows(tmp_path / "a", tasks))[annotation["id"]] == "data_changed"
    tasks[0]["data"]["task"] = tasks[1]["data"]["task"]
    assert reasons(imported_rows(tmp_path / "b", tasks))[1] == "data_changed"
    tasks[0]["data"]["task"] = "tampered"
    assert reasons(imported_rows(tmp_path / "c", tasks))[1] == "unknown_task"
    del tasks[0]["data"]
    assert reasons(imported_rows(tmp_path / "d", tasks))[1] == "unknown_task"


def test_06_the_servers_task_numbers_mean_nothing(tmp_path: Path) -> None:
    tasks = rows("preference")
    plain = imported_rows(tmp_path / "a", tasks)
    for n, task in enumerate(tasks):
        task["id"] = task["inner_id"] = 9000 - n
        for annotation in task["annotations"]:
            annotation["task"] = task["id"]
    assert choices(imported_rows(tmp_path / "b", tasks)) == choices(plain)


def pulled(name: str, drop: int | None = None) -> Export:
    tasks = tuple(clean_task(t) for t in rows(name) if t["id"] != drop)
    config = STUDY.config_hashes["preference"]
    return Export(
        file="server-1.json", source="http://ls", project=1, config_hash=config, tasks=tasks
    )


def test_06_and_07_what_a_later_pull_has_no_more_is_told(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    store_pulled(pulled("preference_before_deletion"), folder)
    before = derive(folder, KEY, STUDY)
    assert len(before.verdicts) == 2
    for _ in range(2):
        store_pulled(pulled("preference_before_deletion", drop=8), folder)
        after = derive(folder, KEY, STUDY)
        assert len(after.verdicts) == 1
        assert [line.reason for line in after.set_aside] == ["deleted"]
    store_pulled(pulled("preference_before_deletion"), folder)
    assert derive(folder, KEY, STUDY) == before


def test_07_an_annotation_made_anew_or_taken_back_from_skipping_counts(tmp_path: Path) -> None:
    found = choices(imported(tmp_path, "wrong_results"))
    tasks = rows("wrong_results")
    assert found[task_of(tasks, 19)] == "B"
    assert found[task_of(tasks, 20)] == "cannot_tell"


def test_08_a_time_may_be_missing_and_is_not_made_up(tmp_path: Path) -> None:
    told = imported(tmp_path / "real", "preference")
    assert [v.seconds for v in told.verdicts if v.seconds]
    tasks = rows("preference")
    for annotation in annotations(tasks):
        annotation["lead_time"] = None
        annotation["result_count"] = 77
    accepted = imported_rows(tmp_path / "none", tasks)
    assert choices(accepted) == choices(told)
    assert {v.seconds for v in accepted.verdicts} == {None}


def test_08_an_impossible_lead_time_is_set_aside(tmp_path: Path) -> None:
    for lead in (-5.0, -0.001, float("inf"), float("nan")):
        (annotation,) = (tasks := rows("preference"))[0]["annotations"]
        annotation["lead_time"] = lead
        why = f"lead_time is {lead}"
        assert_set_aside(tmp_path / str(lead), tasks, annotation, "impossible_time", why)
    # A real server takes an infinite one.
    assert '"lead_time": Infinity' in (EXPORTS / "wrong_results.json").read_text("utf-8")


def test_08_what_was_updated_before_it_was_created_is_set_aside(tmp_path: Path) -> None:
    (annotation,) = (tasks := rows("preference"))[0]["annotations"]
    annotation["created_at"] = "2026-11-21T10:54:06.000001+00:00"
    annotation["updated_at"] = "2026-11-21T10:54:06.000000Z"
    why = "updated_at is before created_at"
    assert_set_aside(tmp_path, tasks, annotation, "impossible_time", why)
    annotation["updated_at"] = "2026-11-21T12:54:06.000001+02:00"
    assert annotation["id"] not in reasons(imported_rows(tmp_path / "same moment", tasks))


def test_an_annotation_under_another_task_than_its_own_is_set_aside(tmp_path: Path) -> None:
    tasks = rows("preference")
    plain = choices(imported_rows(tmp_path / "plain", tasks))
    first, second = (task["annotations"] for task in (tasks[0], tasks[7]))
    assert len(first) == len(second) == 1
    tasks[0]["annotations"], tasks[7]["annotations"] = second, first
    accepted = imported_rows(tmp_path / "moved", tasks)
    gone = {task_of(tasks, task["id"]) for task in (tasks[0], tasks[7])}
    assert choices(accepted) == {task: of for task, of in plain.items() if task not in gone}
    for annotation, task in ((second[0], tasks[0]), (first[0], tasks[7])):
        line = next(line for line in accepted.set_aside if line.annotation == annotation["id"])
        assert (line.reason, line.task) == ("other_task", task["data"]["task"])
        assert line.file.startswith("import-")
        assert f"given on task {annotation['task']}" in line.detail
    copied = rows("preference")
    copied[7]["annotations"] = copied[0]["annotations"]
    again = imported_rows(tmp_path / "copied", copied)
    assert choices(again).items() <= plain.items()
    assert sum(line.reason == "other_task" for line in again.set_aside) == 1


CHANGED = (EXPORTS / "changed_form.txt").read_text("utf-8").strip()


def test_09_a_form_changed_after_labelling_is_known_by_its_hash(tmp_path: Path) -> None:
    tasks = rows("before_change_of_form")
    pull = {"source": "http://ls", "project": 3, "kind": "preference", "round": 1}
    own = STUDY.config_hashes["preference"]
    assert len(imported_rows(tmp_path / "a", tasks, **pull, config_hash=own).verdicts) == 3
    accepted = imported_rows(tmp_path / "b", tasks, **pull, config_hash=CHANGED)
    assert {line.reason for line in accepted.set_aside} == {"config_changed"}
    assert not accepted.verdicts
    # A file made by hand does not hide it.
    imported_rows(tmp_path / "c", tasks)
    accepted = imported_rows(tmp_path / "c", tasks, source="http://ls", config_hash=CHANGED)
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


def test_10_a_task_without_rows_is_answered_without_rows(tmp_path: Path) -> None:
    (task, *_) = rows("rubric")
    task["data"]["aspects"] = []
    task["annotations"][0]["result"] = []
    name = task["data"]["task"]
    keyed = KEY[name].model_copy(update={"aspects": (), "data_hash": digest(task["data"])})
    export = Export(file="f", tasks=(clean_task(task),))
    (verdict,) = accept([export], {name: keyed}, STUDY, {}).verdicts
    assert verdict.answers == RubricAnswers(aspects=())


def test_11_an_annotation_that_came_with_its_task_is_nobodys(tmp_path: Path) -> None:
    """Whoever imports a task may give it annotations in anybody's name; no editor is named."""
    (came,) = (a for a in annotations(rows("quality")) if a["updated_by"] is None)
    assert came["completed_by"] == 2
    assert reasons(imported(tmp_path, "quality"))[came["id"]] == "edited_by_another"


def test_12_only_what_is_needed_is_kept(tmp_path: Path) -> None:
    tasks = rows("preference")
    for task in tasks:
        task["session"] = task["annotations"][0]["headers"] = {"cookie": "sessionid=secret"}
        task["predictions"] = [{"model_version": "rubric-judge", "score": 0.9}]
    imported_rows(tmp_path, tasks)
    (kept,) = HumanFolder(tmp_path).raw.iterdir()
    assert not re.search("secret|judge|<p>", kept.read_text("utf-8"))


def test_13_overlapping_files_count_each_annotation_once(tmp_path: Path) -> None:
    tasks = rows("preference")
    whole = imported_rows(tmp_path / "whole", tasks)
    imported_rows(tmp_path / "parts", tasks[:5])
    parts = imported_rows(tmp_path / "parts", tasks[3:])
    assert parts.verdicts == whole.verdicts
    assert reasons(parts) == reasons(whole)
    assert parts.copies == len(annotations(tasks[3:5]))


def test_14_annotations_without_a_unique_id_are_known_by_what_they_are(tmp_path: Path) -> None:
    tasks = rows("preference")
    for annotation in annotations(tasks):
        del annotation["unique_id"]
    imported_rows(tmp_path, tasks)
    accepted = imported_rows(tmp_path, tasks[1:])
    assert accepted.copies == len(annotations(tasks[1:]))
    assert reasons(accepted) == reasons(imported(tmp_path / "b", "preference"))


# What results say


def test_answers_are_about_responses_and_aspects(tmp_path: Path) -> None:
    rubric, quality = imported(tmp_path, "rubric", "quality"), []
    for verdict in rubric.verdicts:
        keyed = KEY[verdict.task]
        if isinstance(verdict.answers, RubricAnswers):
            assert tuple(a.aspect for a in verdict.answers.aspects) == keyed.aspects
            assert verdict.answers.aspects[0].support == "clearly"
            assert verdict.answers.aspects[0].delivered == keyed.a
        elif isinstance(verdict.answers, QualityAnswers):
            quality.append(verdict.answers.scores)
            assert verdict.answers.scores[keyed.a]["relevance"] == 5
            assert verdict.answers.scores[keyed.b]["correctness"] is None
    assert len(quality) == 1
    assert len(rubric.verdicts) == 3


def test_the_server_takes_any_result_and_we_do_not(tmp_path: Path) -> None:
    assert reasons(imported(tmp_path / "wrong", "wrong_results")).items() >= {
        (13, "unknown_choice"),  # The label in place of its alias.
        (14, "unknown_control"),
        (15, "missing_answer"),  # Nothing at all.
        (16, "wrong_type"),
        (17, "duplicate_answer"),
        (18, "unknown_choice"),
        (22, "unknown_annotator"),  # The administrator's.
        (23, "impossible_time"),  # A lead time below 0.
        (24, "impossible_time"),  # One without end.
    }
    assert reasons(imported(tmp_path / "rubric", "rubric")).items() >= {
        (33, "missing_answer"),  # One row of two.
        (34, "unknown_control"),  # Three rows of two.
    }
    assert reasons(imported(tmp_path / "quality", "quality")).items() >= {
        (36, "unknown_choice"),  # Cannot judge, where the scale has it not.
        (37, "unknown_choice"),
        (38, "missing_answer"),
    }


def result(name: object, kind: str, value: object, part: str = "choices") -> dict[str, object]:
    return {"result": [{"from_name": name, "type": kind, "value": {part: value}}]}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
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
        (result("comment", "choices", ["A"]), "wrong_type"),
        (result("comment", "textarea", [3], "text"), "wrong_type"),
        ({"id": "1"}, "malformed"),
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
    ],
)
def test_an_annotation_of_any_shape_is_set_aside(
    tmp_path: Path, fields: dict[str, object], reason: str
) -> None:
    tasks = rows("preference")
    tasks[0]["annotations"][0] |= fields
    lines = imported_rows(tmp_path, tasks).set_aside
    assert [a.reason for a in lines if a.task == tasks[0]["data"]["task"]] == [reason]


def test_an_annotator_in_a_colleagues_project(tmp_path: Path) -> None:
    accepted = imported(tmp_path, "preference", "wrong_results")
    line = next(line for line in accepted.set_aside if line.reason == "other_annotators_task")
    assert (line.annotation, line.annotator) == (11, "annotator-02")


# E-mails and drafts


def test_nobodys_address_name_or_draft_is_kept(tmp_path: Path) -> None:
    names = [p.stem for p in EXPORTS.glob("*.json") if p.stem not in ("study", "json_min")]
    imported(tmp_path, *names)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert not re.search("person|example.com|Ada|Example", path.read_text("utf-8")), path
    accepted = imported(tmp_path, "preference")
    assert "Write to [e-mail] about this" in {v.comment for v in accepted.verdicts}


def test_a_draft_is_told_of_without_what_is_in_it(tmp_path: Path) -> None:
    accepted = imported(tmp_path, "preference_all_tasks")
    (line,) = accepted.set_aside
    assert (line.reason, line.annotation, line.annotator) == ("draft", None, None)
    # Submitted since then, it is no draft any more.
    tasks = rows("preference_all_tasks")
    given = {**tasks[0]["annotations"][0], "unique_id": "other", "id": 99, "task": tasks[1]["id"]}
    tasks[1]["annotations"] = [given]
    assert len(imported_rows(tmp_path, tasks).verdicts) == 2
    assert not imported_rows(tmp_path, tasks).set_aside


def test_comments_are_text_that_any_file_can_hold(tmp_path: Path) -> None:
    tasks = rows("preference")
    said = tasks[0]["annotations"][0]["result"][1]["value"]
    said["text"] = ["\ud800 a\x00b \u202eevil", "Ada.L@example.com, b＠c.de", "x" * 200_000]
    accepted = imported_rows(tmp_path, tasks)
    comment = next(v.comment for v in accepted.verdicts if v.comment)
    assert comment.startswith("\ufffd ab evil\n[e-mail], [e-mail]\nxxx")


# Whose account is whose


def test_accounts_are_bound_by_their_work() -> None:
    def work(*done: tuple[int, str, int]) -> People:
        return bind(
            {(Account("s", i), Slot(1, who)): n for i, who, n in done},
            {"s:9": ("annotator-09",)},
        )

    assert work((1, "annotator-01", 5), (2, "annotator-01", 3)).found == {"s:1": ("annotator-01",)}
    # Of two with as many, the lower number; who has nothing of their own stays unbound.
    assert work((2, "annotator-01", 3), (1, "annotator-01", 3)).found == {"s:1": ("annotator-01",)}
    assert work((1, "annotator-01", 5), (1, "annotator-02", 4), (2, "annotator-02", 2)).found == {
        "s:1": ("annotator-01",),
        "s:2": ("annotator-02",),
    }
    assert work((1, "annotator-09", 5)).found == {}
    assert work((9, "annotator-09", 1), (1, "annotator-09", 5)).found == {}


def test_who_annotates_may_adjudicate_and_sources_are_apart() -> None:
    people = bind(
        {
            (Account("s", 1), Slot(1, "annotator-01")): 5,
            (Account("s", 1), Slot(2, "adjudicator-01")): 1,
            (Account("t", 1), Slot(1, "annotator-02")): 1,
        },
        {},
    )
    assert people.of(Account("s", 1)) == ("annotator-01", "adjudicator-01")
    assert people.of(Account("t", 1)) == ("annotator-02",)


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


@pytest.mark.parametrize("seed", range(40))
def test_every_annotation_is_a_verdict_or_set_aside(tmp_path: Path, seed: int) -> None:
    tasks, n = spoilt(random.Random(seed))
    accepted = imported_rows(tmp_path, tasks)
    lines = [line for line in accepted.set_aside if line.reason != "draft"]
    assert len(accepted.verdicts) + len(lines) + accepted.copies == n
    assert {line.reason for line in lines} <= set(REASONS)
    assert len({(v.task, v.annotator) for v in accepted.verdicts}) == len(accepted.verdicts)
    folder = HumanFolder(tmp_path)
    written = (folder.verdicts, accepted.verdicts), (folder.set_aside, accepted.set_aside)
    for path, records in written:
        assert len(path.read_text("utf-8").splitlines()) == len(records)


def test_one_broken_annotation_stops_no_other(tmp_path: Path) -> None:
    tasks = rows("preference")
    plain = choices(imported_rows(tmp_path / "a", tasks))
    tasks[0]["annotations"] += [*JUNK, {"result": json.loads("[" * 500 + "]" * 500)}]
    accepted = imported_rows(tmp_path / "b", tasks)
    assert choices(accepted) == plain
    assert sum(line.reason == "malformed" for line in accepted.set_aside) + accepted.copies == 13


# Files


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    names = ("preference", "wrong_results", "rubric", "quality")
    imported(tmp_path, *names)
    before = files(tmp_path)
    renamed = tmp_path.parent / "ada@example.com.json"
    renamed.write_bytes((EXPORTS / "preference.json").read_bytes())
    assert not store_raw(renamed, folder).new
    imported(tmp_path, *reversed(names))
    assert files(tmp_path) == before
    assert all(re.fullmatch("import-[0-9a-f]{16}.json", p.name) for p in folder.raw.iterdir())


def test_a_raw_file_reads_as_what_it_was_made_of(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    stored = store_raw(EXPORTS / "wrong_results.json", folder)
    (again,) = stored_exports(folder)
    first = read_export(EXPORTS / "wrong_results.json")
    assert again == first.model_copy(update={"file": stored.path.name})
    # What is stored is trusted to be clean, so a raw file is none to import.
    with pytest.raises(InputError, match="raw file of a study"):
        store_raw(stored.path, HumanFolder(tmp_path / "b"))
    for text, what in (
        ("[" * 10**5, "cannot be read"),
        ("[]", "is not a raw file"),
        ("{}", "tasks"),
    ):
        stored.path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=what) as caught:
            list(stored_exports(folder))
        assert caught.value.where == str(stored.path)


def test_a_pull_keeps_the_annotator_whose_account_was_deleted(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    store_pulled(pulled("before_account_deleted"), folder)
    assert store_pulled(pulled("account_deleted"), folder).new is False
    assert len(derive(folder, KEY, STUDY).verdicts) == 2


def test_real_and_simulated_answers_do_not_meet(tmp_path: Path) -> None:
    folder = HumanFolder(tmp_path)
    store_raw(EXPORTS / "preference.json", folder, simulated=True)
    assert all(v.simulated for v in derive(folder, KEY, STUDY).verdicts)
    with pytest.raises(InputError, match="simulated answers are here"):
        store_raw(EXPORTS / "rubric.json", folder)
    with pytest.raises(InputError, match="simulated answers are here"):
        store_pulled(pulled("preference"), folder)


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


@pytest.mark.real
def test_thousands_of_annotations_take_seconds(tmp_path: Path) -> None:
    (task, *_) = rows("quality")
    name = task["data"]["task"]
    made, key = [], {}
    for n in range(4_000):
        data = {**task["data"], "task": f"task-{n}"}
        key[f"task-{n}"] = KEY[name].model_copy(
            update={"task": f"task-{n}", "data_hash": digest(data)}
        )
        given = {**task["annotations"][0], "id": n, "unique_id": str(n), "task": n}
        made.append({"id": n, "data": data, "annotations": [given]})
    path = written(tmp_path / "many.json", made)
    folder = HumanFolder(tmp_path)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    store_raw(path, folder)
    assert len(derive(folder, key, STUDY).verdicts) == 4_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - start < 10

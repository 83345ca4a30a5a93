"""Annotations coming back: real exports, and whatever else a file may hold; and simulated ones."""

import json
import random
import re
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from annotated import EXPORTS, annotations, imported_files, imported_rows, outcomes, rows, written
from live_study import LiveStudy, files_of, usual
from pairwright.errors import InputError
from pairwright.stats import wilson
from pairwright_human_eval.folder import HumanFolder, open_study
from pairwright_human_eval.records import CANNOT_TELL, SIMULATED
from pairwright_human_eval.simulation import CANNOT_TELL_SHARE, simulate_answers
from reference_data import LABEL_STUDIO
from released import exports_of

OUTCOMES: dict[str, dict[Any, str]] = {
    # A skip with answers; the last answer to a task counts; a task that was imported twice is one
    # task; other accounts gave an answer, or changed one last.
    "preference": {
        1: "B", 2: "skipped", 3: "superseded", 4: "B", 5: "other_account", 6: "other_account",
        7: "data_changed", 8: "superseded", 9: "B", 11: "other_account",
    },
    "preference_all_tasks": {1: "B", None: "draft"},
    # A label in place of its alias, nothing at all, what was taken back from skipping or made anew,
    # lead times below 0 and without end.
    "wrong_results": {
        12: "equal", 13: "unknown_choice", 14: "unknown_control", 15: "missing_answer",
        16: "wrong_type", 17: "duplicate_answer", 18: "unknown_choice", 20: "B", 21: "cannot_tell",
        22: "other_account", 23: "impossible_time", 24: "impossible_time",
    },
    # One row of two, and three of two.
    "rubric": {31: "rubric", 32: "rubric", 33: "missing_answer", 34: "unknown_control"},
    # Cannot judge, where the scale has it not.
    "quality": {
        35: "quality", 36: "unknown_choice", 37: "unknown_choice", 38: "missing_answer",
        39: "quality",
    },
}  # fmt: skip
"""By export and annotation: what was preferred, or the kind of the task; or why it is set aside."""


def timed(created: str, updated: str) -> dict[str, object]:
    moment = "2026-11-21T10:54:0"
    return {"created_at": f"{moment}{created}", "updated_at": f"{moment}{updated}"}


def result(name: object, value: object, part: str = "choices") -> dict[str, object]:
    return {"result": [{"from_name": name, "value": {part: value}}]}


REFUSED: dict[str, list[dict[str, object]]] = {
    "impossible_time": [
        {"lead_time": -0.001},
        {"lead_time": float("nan")},
        timed("6.000001+00:00", "6.000000Z"),
    ],
    "malformed": [
        {"result": None},
        {"result": ["x"]},
        {"result": [{"type": "relation"}]},
        result(["preference"], ["A"]),
        {"was_cancelled": None},
        {"updated_at": "2026-11-21"},
        {"lead_time": "9"},
        {"unique_id": 5},
    ],
    "wrong_type": [result("preference", [1]), result("comment", [3], "text")],
    "missing_answer": [result("preference", [])],
    "duplicate_answer": [result("preference", ["A", "B"])],
}
"""What makes an annotation no answer, by the reason."""


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        *((name, {}, {}) for name in OUTCOMES),
        # The clock tells what is later, and not the text; then the number.
        *(
            (
                "preference",
                {3: timed(f"5{zone}", f"6{zone}"), 4: timed(f"5{zone}", later + zone)},
                {},
            )
            for zone in ("Z", "+00:00", "-05:00")
            for later in ("6.5", "6")
        ),
        # A later skip takes an answer back, and a broken one does not.
        ("preference", {4: {"was_cancelled": True}}, {4: "skipped"}),
        ("preference", {4: {"result": []}}, {3: "A", 4: "missing_answer"}),
        ("preference", {1: {"lead_time": None, "result_count": 77}}, {}),
        *(
            ("preference", {1: fields}, {1: reason})
            for reason, changed in REFUSED.items()
            for fields in changed
        ),
    ],
)
def test_every_annotation_of_a_real_server_is_an_answer_or_set_aside_by_itself(
    tmp_path: Path, name: str, changes: dict[int, dict[str, object]], expected: dict[Any, str]
) -> None:
    tasks = rows(name)
    for annotation in annotations(tasks):
        annotation |= changes.get(annotation["id"], {})
    accepted = imported_rows(tmp_path, tasks)
    assert outcomes(tasks, accepted) == OUTCOMES[name] | expected
    assert not accepted.copies


def test_a_file_is_kept_as_it_came_and_names_nobody_outside_of_private(tmp_path: Path) -> None:
    files, folder = [EXPORTS / f"{name}.json" for name in OUTCOMES], HumanFolder(tmp_path)
    answered = imported_files(tmp_path, *files)
    kept = [*folder.raw.iterdir()]
    assert {path.read_bytes() for path in kept} == {path.read_bytes() for path in files}
    for path in (folder.answers, folder.set_aside):
        assert not re.search("person|example.com|Ada|Example", path.read_text("utf-8"))
    comments = {one.label for one in answered.answers if one.kind == "comment"}
    assert "Write to [e-mail] about this" in comments
    kept[0].write_bytes(kept[0].read_bytes() + b" ")
    with pytest.raises(InputError, match="its hash differs"):
        imported_files(tmp_path)
    with pytest.raises(InputError, match="real answers are here"):
        simulate_answers(tmp_path)


def test_overlapping_files_count_each_annotation_once(tmp_path: Path) -> None:
    tasks = rows("preference")
    whole = imported_rows(tmp_path / "whole", tasks)
    imported_rows(tmp_path / "parts", tasks[:5])
    parts = imported_rows(tmp_path / "parts", tasks[3:])
    for one, other in ((whole.answers, parts.answers), (whole.set_aside, parts.set_aside)):
        found, same = (
            sorted(line.model_dump_json(exclude={"source", "place", "file"}) for line in lines)
            for lines in (one, other)
        )
        assert found == same
    # What was deleted in a project is gone with its next export.
    for task in tasks:
        task["annotations"] = [one for one in task["annotations"] if one["id"] != 4]
    assert outcomes(tasks, imported_rows(tmp_path / "parts", tasks))[3] == "A"
    # A project that was imported a second time is another one.
    for task in tasks:
        task["project"] = 77
    assert imported_rows(tmp_path / "parts", tasks).copies == len(annotations(tasks))


def test_comments_are_text_that_any_file_can_hold(tmp_path: Path) -> None:
    tasks = rows("preference")
    said = tasks[0]["annotations"][0]["result"][1]["value"]
    said["text"] = ["\ud800 a\x00b \u202eevil", "Ada.L@example.com, b＠c.de", "x" * 200_000]
    answered = imported_rows(tmp_path, tasks)
    comment = next(one.label for one in answered.answers if one.kind == "comment")
    assert comment.startswith("\ufffd ab evil\n[e-mail] [e-mail]\nxxx")


# Counts add up, whatever a file holds


JUNK: list[object] = [
    None, 3, "x", [], {}, True, -1, float("inf"), {"id": 2}, "\ud800", 10**400, "2",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_every_annotation_of_a_spoilt_export_is_an_answer_or_set_aside(
    tmp_path: Path, seed: int
) -> None:
    """Some of its parts are replaced by junk."""
    chance = random.Random(seed)
    tasks: list[Any] = rows(chance.choice(["preference", "wrong_results", "quality", "rubric"]))
    for _ in range(chance.randint(1, 12)):
        at: Any = chance.choice(tasks)
        while isinstance(at, dict | list) and at:
            key = chance.choice([*at] if isinstance(at, dict) else range(len(at)))
            if chance.random() < 0.25 or not isinstance(at[key], dict | list):
                at[key] = chance.choice(JUNK)
                break
            at = at[key]
    answered = imported_rows(tmp_path, tasks)
    n = sum(len(t["annotations"]) for t in tasks if isinstance(t.get("annotations"), list))
    lines = [line for line in answered.set_aside if line.reason != "draft"]
    assert len(answered.tasks) + len(lines) + answered.copies == n
    before = files_of(tmp_path)
    again = imported_files(tmp_path, tmp_path / "export.json")
    assert (again, files_of(tmp_path)) == (answered, before)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (b"", "no JSON"),
        (b"{}", "not a list of Label Studio tasks"),
        (b"[]", "holds no annotation"),
        (b'[{"id": 1, "annotations": []}]', "holds no annotation"),
        (b'{"id": 1, "annotations": []}\n{"id": 2}\n', ":2: no JSON"),
        (b'[\n{"id": 1,\n"data": {"ta', ":3: no JSON"),
        (b"[\xff\xfe]", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"PK\x03\x04", "is a workbook"),
        # Files of other formats, and of another study.
        (EXPORTS / "preference.csv", "no JSON"),
        (EXPORTS, "directory"),
        (EXPORTS / "not-there.json", "No such file"),
        (LABEL_STUDIO / "first6_sdk_all_JSON_MIN.json", "holds no annotation"),
        (LABEL_STUDIO / "raw_default.json", "holds no annotation"),
    ],
)
def test_a_file_that_is_no_export_is_named_with_what_to_do(
    tmp_path: Path, given: bytes | Path, message: str
) -> None:
    path = given if isinstance(given, Path) else tmp_path / "given.json"
    if isinstance(given, bytes):
        path.write_bytes(given)
    with pytest.raises(InputError, match=message) as caught:
        imported_files(tmp_path / "run", path)
    assert caught.value.fix
    assert str(path) in str(caught.value)
    assert not list((tmp_path / "run").rglob("raw/*"))


# The command


@pytest.fixture
def files(study: LiveStudy, tmp_path: Path) -> list[Path]:
    """What the annotators' projects export, one file each."""
    given = sorted(exports_of(study.run, usual).items())
    return [written(tmp_path / f"{who}.json", tasks) for who, tasks in given]


def test_files_are_imported_once_and_answers_are_made_again(
    study: LiveStudy, files: list[Path]
) -> None:
    study.do("import", *files[:2])
    before = study.answered
    assert "Since the last import" not in study.do("import", *files[:2])
    assert len([*study.folder.raw.iterdir()]) == 2
    assert study.answered == before
    latest = study.files()
    files[2].write_bytes(b"\xef\xbb\xbf" + files[2].read_bytes())
    study.do("import", *files[2:])
    assert len(study.answered) == sum(len(json.loads(path.read_bytes())) for path in files)
    for path in sorted(study.folder.raw.iterdir())[2:]:
        path.unlink()
    study.folder.answers.unlink()
    study.do("import")
    assert study.files() == latest


def test_a_bad_file_is_named_and_the_others_are_imported(
    study: LiveStudy, files: list[Path], tmp_path: Path
) -> None:
    bad = written(tmp_path / "bad.json", [])
    done = study.command("import", files[0], bad, EXPORTS / "preference.json")
    assert (done.code, "Imported: 1." in done.out) == (1, True)
    assert re.search(r"bad\.json[^.]* holds no annotation of a task of this study", done.err)
    before = study.files()
    assert "bad.json" in study.refused("import", bad)
    with open_study(study.run):
        assert "annotator-01" in study.do("status")
        assert "another command" in study.refused("import", files[1])
    assert study.files() == before


# Simulated annotators


def holds(hits: list[bool], expected: float) -> bool:
    """Whether a 99.9 % interval of the share holds what is expected. The seeds are fixed."""
    low, high = wilson(sum(hits) / len(hits), len(hits), 3.29)
    return low <= expected <= high


def test_people_err_and_guess_as_they_are_told_to(study: LiveStudy) -> None:
    found = simulate_answers(study.run, accuracy=0.8).answers
    assert (found.open_tasks, found.set_aside, found.simulated) == (0, (), True)
    assert all(one.source.startswith(SIMULATED) for one in found.answers)
    labels: dict[str, list[str]] = defaultdict(list)
    for one in found.answers:
        labels[one.kind].append(one.label)
    for kind in ("preference", "delivery"):
        assert holds([one == CANNOT_TELL for one in labels[kind]], CANNOT_TELL_SHARE)
        # Who is sure is right on either side.
        assert holds([one == "chosen" for one in labels[kind] if one != CANNOT_TELL], 0.8)
    # Five of six aspects are there; who errs says one of the three other answers.
    there = [label in ("clearly", "plausibly") for label in labels["support"]]
    assert holds(there, 5 / 6 * (0.8 + 0.2 / 3) + 1 / 6 * 0.2 * 2 / 3)
    scores = [int(label) for label in labels["quality"] if label.isdigit()]
    assert mean(scores) == pytest.approx(4, abs=0.3)


def test_what_has_an_answer_keeps_it_and_the_seed_decides_the_rest(study: LiveStudy) -> None:
    first = simulate_answers(study.run, accuracy=0.6).answers.answers
    before = study.files()
    assert simulate_answers(study.run, seed=9, accuracy=1.0).tasks == 0
    assert study.files() == before
    for seed in (0, 1):
        (path,) = study.folder.raw.glob(f"{SIMULATED}annotator-01-*")
        path.unlink()
        again = simulate_answers(study.run, accuracy=0.6, seed=seed)
        assert again.tasks == len(study.own("annotator-01"))
        assert (again.answers.answers == first) == (seed == 0)

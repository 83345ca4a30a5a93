"""Files imported by hand: a broken one stops no other, a stranger's is not kept, and an import can
be taken back."""

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pairwright.errors import InputError
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.raw_files import import_files, undo_import
from pairwright_human_eval.study_files import read_study
from released import exports_of, right, run_of
from study import Done, pairwright

Tasks = list[dict[str, Any]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a study that nobody has answered. Not to be changed."""
    return run_of(tmp_path_factory.mktemp("exported") / "run", answer=lambda *_: None)


@pytest.fixture
def run(exported: Path, tmp_path: Path) -> Path:
    shutil.copytree(exported, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def files(run: Path, tmp_path: Path) -> list[Path]:
    """What the annotators' projects export, one file each."""
    return [
        written(tmp_path / f"{who}.json", tasks)
        for who, tasks in sorted(exports_of(run, right()).items())
    ]


def written(path: Path, tasks: object) -> Path:
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def foreign(path: Path) -> Path:
    """What somebody else's study exports."""
    task = {"id": 1, "data": {"task": "task-00000000000000ff", "text": "private words"}}
    annotation = {
        "id": 1, "unique_id": "x", "completed_by": 1, "updated_by": 1, "was_cancelled": False,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "task": 1,
        "result": [{"from_name": "comment", "type": "textarea", "value": {"text": ["a diary"]}}],
    }  # fmt: skip
    return written(path, [{**task, "annotations": [annotation]}])


def human(command: str, run: Path, *arguments: object) -> Done:
    return pairwright("human", command, run, *arguments)


def state(run: Path) -> dict[str, bytes]:
    """Every file of the study, but the record of imports and the lock."""
    folder = HumanFolder(run)
    return {
        str(path.relative_to(folder.path)): path.read_bytes()
        for path in sorted(folder.path.rglob("*"))
        if path.is_file() and path.name not in ("imports.jsonl", "lock")
    }


def count(done: Done, row: str) -> int:
    """The number at the end of a row of the table."""
    line = next(line for line in done.out.splitlines() if " ".join(line.split()).startswith(row))
    return int(line.split()[-1].replace(",", ""))


# What is taken in


def test_a_broken_file_stops_no_other(run: Path, files: list[Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('[\n{"id": 1,\n"data": {', encoding="utf-8")
    done = human("import", run, files[0], broken, *files[1:])
    assert done.code == 1, done.said
    assert f"{broken}:3: the file is cut off here" in done.err
    assert f"Files taken in: {len(files)}." in done.out
    assert "Files not taken in: 1." in done.out
    assert count(done, "answers in") == sum(len(json.loads(f.read_bytes())) for f in files)
    whole = state(run)
    shutil.rmtree(HumanFolder(run).raw)
    assert human("import", run, *files).code == 0
    assert state(run) == whole


def test_where_no_file_can_be_taken_in_nothing_is(run: Path, tmp_path: Path) -> None:
    before = state(run)
    broken = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in broken:
        path.write_text("task,answer\n", encoding="utf-8")
    done = human("import", run, *broken)
    assert done.code == 2
    assert all(f"{path}: CSV, no JSON" in done.err for path in broken)
    assert state(run) == before


def test_a_file_of_another_study_is_refused_and_not_kept(run: Path, tmp_path: Path) -> None:
    before = state(run)
    other = foreign(tmp_path / "other.json")
    done = human("import", run, other)
    assert done.code == 2
    assert f"{other}: holds no task of this study" in done.err
    assert state(run) == before
    assert not [path for path in run.rglob("*") if path.is_file() and b"diary" in path.read_bytes()]


def test_a_file_with_a_single_task_of_the_study_is_taken_in(
    run: Path, files: list[Path], tmp_path: Path
) -> None:
    mixed = json.loads(foreign(tmp_path / "other.json").read_bytes())
    mixed += json.loads(files[0].read_bytes())[:1]
    done = human("import", run, written(tmp_path / "mixed.json", mixed))
    assert done.code == 0
    assert count(done, "set aside unknown_task") == 1


def test_a_file_in_utf_16_is_read_and_a_time_to_come_is_remarked(
    run: Path, files: list[Path], tmp_path: Path
) -> None:
    tasks: Tasks = json.loads(files[0].read_bytes())
    for name in ("created_at", "updated_at"):
        tasks[0]["annotations"][0][name] = "2199-01-01T00:00:00.000000Z"
    path = tmp_path / "saved.json"
    path.write_bytes(json.dumps(tasks).encode("utf-16"))
    done = human("import", run, path)
    assert done.code == 0, done.said
    assert count(done, "answers in") == len(tasks)
    assert "1 answer of a time that is to come" in done.out
    assert "to come" not in human("import", run, files[1], "--undo").out


def test_copies_are_counted(run: Path, files: list[Path], tmp_path: Path) -> None:
    tasks: Tasks = json.loads(files[0].read_bytes())
    once = human("import", run, files[0])
    again = shutil.copy(files[0], tmp_path / "again.json")
    done = human("import", run, again)
    assert done.code == 0
    assert "again.json holds what an imported file holds: nothing was added." in done.out
    assert "Files taken in: 0." in done.out
    assert count(done, "answers in") == count(once, "answers in") == len(tasks)
    tasks[0]["annotations"] *= 2
    done = human("import", run, written(tmp_path / "doubled.json", tasks))
    # The file holds every annotation of the first, and one of them twice.
    assert count(done, "copies") == len(tasks) + 1
    assert count(done, "answers in") == 2 * len(tasks) + 1
    assert count(done, "still open") == count(once, "still open")


def test_no_file_and_an_unknown_one_are_named(run: Path) -> None:
    assert human("import", run).code == 2
    done = human("import", run, run / "nothing.json")
    assert done.code == 2
    assert "nothing.json: no such file" in done.err


# What is taken back


@pytest.mark.real
def test_the_last_import_is_taken_back(run: Path, files: list[Path]) -> None:
    assert human("import", run, *files[:4]).code == 0
    assert human("report", run).code == 0
    before = state(run)
    assert human("import", run, *files[4:]).code == 0
    assert human("report", run).code == 0
    assert state(run) != before
    done = human("import", run, "--undo")
    assert done.code == 0, done.said
    assert all(f"Taken back: {file.name} (raw/import-" in done.out for file in files[4:])
    assert human("report", run).code == 0
    # A look at the answers cannot be taken back: it is counted, and nothing else has changed.
    differing = {name for name, content in state(run).items() if before.get(name) != content}
    assert differing <= {"private/looks.jsonl", "report.md", "report.html", "report.json"}
    reports = [json.loads(at["report.json"]) for at in (before, state(run))]
    assert [len(report.pop("looks")["looks"]) for report in reports] == [1, 2]
    assert reports[0] == reports[1]
    assert human("import", run, "--undo").code == 0
    assert not list(HumanFolder(run).raw.iterdir())
    done = human("import", run, "--undo")
    assert done.code == 2
    assert "no import is on record here" in done.err


def test_a_named_file_is_taken_back(run: Path, files: list[Path]) -> None:
    assert human("import", run, *files[:1], *files[2:]).code == 0
    before = state(run)
    assert human("import", run, files[1]).code == 0
    done = human("import", run, "--undo", files[1].name)
    assert done.code == 0, done.said
    assert state(run) == before
    done = human("import", run, "--undo", files[1].name)
    assert done.code == 2
    assert "no such file was imported" in done.err
    assert state(run) == before


def test_what_was_there_already_is_not_taken_back(run: Path, files: list[Path]) -> None:
    assert human("import", run, files[0]).code == 0
    before = state(run)
    assert human("import", run, files[0], files[1]).code == 0
    assert human("import", run, "--undo").code == 0
    assert state(run) == before


def test_of_two_files_of_one_name_the_raw_file_is_named(
    run: Path, files: list[Path], tmp_path: Path
) -> None:
    folder = HumanFolder(run)
    study, key = read_study(folder)
    for n, file in enumerate(files[:2]):
        (tmp_path / str(n)).mkdir()
        import_files(
            [Path(shutil.copy(file, tmp_path / str(n) / "export.json"))], folder, key, study
        )
    with pytest.raises(InputError, match="2 files of that name were imported") as error:
        undo_import(folder, ["export.json"])
    raw = sorted(path.name for path in folder.raw.iterdir())
    assert all(name in error.value.fix for name in raw)
    assert [file.raw for file in undo_import(folder, [raw[0]])] == [raw[0]]
    assert [path.name for path in folder.raw.iterdir()] == [raw[1]]


def test_a_raw_file_without_a_record_is_taken_back_by_its_name(
    run: Path, files: list[Path]
) -> None:
    folder = HumanFolder(run)
    assert human("import", run, files[0]).code == 0
    folder.imports.unlink()
    (raw,) = folder.raw.iterdir()
    with pytest.raises(InputError, match="no import is on record") as error:
        undo_import(folder)
    assert raw.name in error.value.fix
    undo_import(folder, [raw.name])
    assert not list(folder.raw.iterdir())


def test_a_name_that_is_no_text_is_no_obstacle(run: Path, files: list[Path]) -> None:
    odd = files[0].with_name("odd\udcff.json")
    shutil.copy(files[0], odd)
    folder = HumanFolder(run)
    study, key = read_study(folder)
    assert len(import_files([odd], folder, key, study).added) == 1
    assert len(undo_import(folder)) == 1


def test_simulated_answers_are_not_mixed_with_a_file(run: Path, files: list[Path]) -> None:
    assert human("simulate", run).code == 0
    before = copy.deepcopy(state(run))
    done = human("import", run, *files)
    assert done.code == 2
    assert "simulated answers are here" in done.err
    assert state(run) == before

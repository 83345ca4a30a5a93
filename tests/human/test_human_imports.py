"""Files imported by hand: a broken one stops no other, a stranger's is not kept, and an import can
be taken back."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from live_study import LiveStudy, usual
from pairwright.errors import InputError
from pairwright_human_eval.raw_files import import_files, undo_import
from pairwright_human_eval.study_files import read_study
from released import exported_task, exports_of

Tasks = list[dict[str, Any]]


@pytest.fixture
def files(study: LiveStudy, tmp_path: Path) -> list[Path]:
    """What the annotators' projects export, one file each."""
    given = sorted(exports_of(study.run, usual).items())
    return [written(tmp_path / f"{who}.json", tasks) for who, tasks in given]


def written(path: Path, tasks: object) -> Path:
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def read(path: Path) -> Tasks:
    tasks: Tasks = json.loads(path.read_bytes())
    return tasks


def foreign() -> Tasks:
    """What somebody else's study exports."""
    data = {"task": "task-00000000000000ff", "text": "private words"}
    return [exported_task(data, {"comment": "a diary"}, account=1, n=0)]


def state(study: LiveStudy) -> dict[str, bytes]:
    """Every file of the study, but the record of imports."""
    files = study.files()
    files.pop("private/imports.jsonl", None)
    return files


def count(said: str, row: str) -> int:
    """The number at the end of a row of the table."""
    line = next(line for line in said.splitlines() if " ".join(line.split()).startswith(f"{row} "))
    return int(line.split()[-1].replace(",", ""))


def test_a_broken_file_stops_no_other(study: LiveStudy, files: list[Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('[\n{"id": 1,\n"data": {', encoding="utf-8")
    done = study.command("import", files[0], broken, *files[1:])
    assert done.code == 1, done.said
    assert f"{broken}:3: the file is cut off here" in done.err
    assert f"Files taken in: {len(files)}." in done.out
    assert "Files not taken in: 1." in done.out
    assert count(done.out, "answers in") == sum(len(read(file)) for file in files)
    whole = state(study)
    shutil.rmtree(study.folder.raw)
    study.do("import", *files)
    assert state(study) == whole


def test_what_cannot_be_taken_in_is_named_and_not_kept(study: LiveStudy, tmp_path: Path) -> None:
    before = state(study)
    broken = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in broken:
        path.write_text("task,answer\n", encoding="utf-8")
    said = study.refused("import", *broken)
    assert all(f"{path}: CSV, no JSON" in said for path in broken)
    other = written(tmp_path / "other.json", foreign())
    assert f"{other}: holds no task of this study" in study.refused("import", other)
    assert study.refused("import")
    assert "nothing.json: no such file" in study.refused("import", tmp_path / "nothing.json")
    assert state(study) == before
    assert not [name for name, content in study.files().items() if b"diary" in content]


def test_a_file_of_any_encoding_with_a_single_task_of_the_study_is_taken_in(
    study: LiveStudy, files: list[Path], tmp_path: Path
) -> None:
    tasks = read(files[0])
    for name in ("created_at", "updated_at"):
        tasks[0]["annotations"][0][name] = "2199-01-01T00:00:00.000000Z"
    path = tmp_path / "saved.json"
    path.write_bytes(json.dumps([*foreign(), tasks[0]]).encode("utf-16"))
    said = study.do("import", path)
    assert count(said, "set aside unknown_task") == 1
    assert count(said, "answers in") == 2
    assert "1 answer of a time that is to come" in said


def test_copies_are_counted(study: LiveStudy, files: list[Path], tmp_path: Path) -> None:
    tasks = read(files[0])
    once = study.do("import", files[0])
    said = study.do("import", shutil.copy(files[0], tmp_path / "again.json"))
    assert "again.json holds what an imported file holds: nothing was added." in said
    assert "Files taken in: 0." in said
    assert count(said, "answers in") == count(once, "answers in") == len(tasks)
    tasks[0]["annotations"] *= 2
    said = study.do("import", written(tmp_path / "doubled.json", tasks))
    # The file holds every annotation of the first, and one of them twice.
    assert count(said, "copies") == len(tasks) + 1
    assert count(said, "answers in") == 2 * len(tasks) + 1
    assert count(said, "still open") == count(once, "still open")


@pytest.mark.real
def test_the_last_import_is_taken_back(study: LiveStudy, files: list[Path]) -> None:
    study.do("import", *files[:4])
    study.do("report")
    before = state(study)
    study.do("import", *files[4:])
    study.do("report")
    assert state(study) != before
    said = study.do("import", "--undo")
    assert all(f"Taken back: {file.name} (raw/import-" in said for file in files[4:])
    study.do("report")
    assert state(study) == before
    study.do("import", "--undo")
    assert not list(study.folder.raw.iterdir())
    assert "no import is on record here" in study.refused("import", "--undo")


def test_a_named_file_is_taken_back_and_not_what_was_there_already(
    study: LiveStudy, files: list[Path]
) -> None:
    study.do("import", files[0])
    before = state(study)
    for undo in ([], [files[1].name]):
        study.do("import", files[0], files[1])
        study.do("import", "--undo", *undo)
        assert state(study) == before
    assert "no such file was imported" in study.refused("import", "--undo", files[1].name)
    assert state(study) == before


def test_a_raw_file_is_named_where_its_own_name_does_not_do(
    study: LiveStudy, files: list[Path], tmp_path: Path
) -> None:
    folder = study.folder
    fixed, key = read_study(folder)
    for n, file in enumerate(files[:2]):
        (tmp_path / str(n)).mkdir()
        path = Path(shutil.copy(file, tmp_path / str(n) / "export.json"))
        import_files([path], folder, key, fixed)
    with pytest.raises(InputError, match="2 files of that name were imported") as error:
        undo_import(folder, ["export.json"])
    first, second = sorted(path.name for path in folder.raw.iterdir())
    assert f"{first}, {second}" in error.value.fix or f"{second}, {first}" in error.value.fix
    assert [file.raw for file in undo_import(folder, [first])] == [first]
    assert [path.name for path in folder.raw.iterdir()] == [second]
    # An earlier version kept no record of its imports.
    folder.imports.unlink()
    with pytest.raises(InputError, match="no import is on record") as error:
        undo_import(folder)
    assert second in error.value.fix
    undo_import(folder, [second])
    assert not list(folder.raw.iterdir())
    # Its name is no text.
    odd = Path(shutil.copy(files[0], tmp_path / "odd\udcff.json"))
    assert len(import_files([odd], folder, key, fixed)[0]) == 1
    assert len(undo_import(folder)) == 1

"""`pairwright human`, on a run of the fictional users with the double of a model."""

import base64
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from live_study import LiveStudy
from pairwright.records import Pair
from pairwright_human_eval.folder import file_hash, read_tasks
from pairwright_human_eval.forms import labelling_config
from pairwright_human_eval.opened import read_study
from pairwright_human_eval.records import KINDS, pseudonyms
from study import VERIFIED, Study, pairwright

SEED = ("--seed", 7)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run: 12 twins and 12 violate pairs. Not to be changed."""
    study = Study.make(tmp_path_factory.mktemp("built") / "study", limit=12, **VERIFIED)
    done = study.build()
    assert done.code == 0, done.said
    return study.run


@pytest.fixture
def study(built: Path, tmp_path: Path) -> LiveStudy:
    """What of it an export reads, to be changed."""
    return copied(built, tmp_path / "run")


@pytest.fixture(scope="module")
def exported(built: Path, tmp_path_factory: pytest.TempPathFactory) -> LiveStudy:
    """A study of it with default options. Not to be changed."""
    study = copied(built, tmp_path_factory.mktemp("exported") / "run")
    study.do("export", *SEED)
    return study


def copied(built: Path, run: Path) -> LiveStudy:
    run.mkdir(parents=True)
    for name in ("config.toml", "pairs.jsonl", "run.sqlite"):
        shutil.copy(built / name, run)
    return LiveStudy(run)


def refused(study: LiveStudy, *said: str, options: tuple[object, ...] = ()) -> str:
    """Why an export is, of which nothing is written."""
    before = study.files()
    why = study.refused("export", *SEED, *options)
    assert not [part for part in said if part not in why], why
    assert study.files() == before
    return why


def test_an_export_writes_tasks_forms_and_the_key(exported: LiveStudy) -> None:
    _, study, key, _, _ = read_study(exported.run)
    assert (study.of, study.overlap, len(study.annotators)) == (24, 3, 11)
    assert study.pairs_hash == file_hash(exported.run / "pairs.jsonl")
    assert len(read_tasks(exported.folder, key.values())) == len(key)
    for kind in KINDS:
        xml = exported.folder.form(kind).read_text(encoding="utf-8")
        assert xml == labelling_config(kind, study.scales)


def test_it_says_what_a_study_can_show_and_what_to_do_next(
    study: LiveStudy, exported: LiveStudy
) -> None:
    said = study.do("export", *SEED)
    # The same run makes the same bytes.
    assert study.files() == exported.files()
    for kind, n in Counter(keyed.kind for keyed in study.key.values()).items():
        assert re.search(rf"\b{n:,}\s{kind}\b", said), kind
    assert "11 annotators can verify 12 twins and 12 violate pairs: 4 votes on each pair" in said
    assert f"pairwright human push {study.run}" in said
    assert str(study.folder.guidelines) in said.replace("\n", "")
    assert len(said.splitlines()) <= 20
    assert "a study was exported here" in refused(study)


@pytest.mark.real
def test_the_secret_seed_is_in_no_file_outside_private(built: Path, tmp_path: Path) -> None:
    """Whoever has the seed can compute sides and purposes from the ids in the tasks."""
    out, live = tmp_path / "release", LiveStudy(Path(shutil.copytree(built, tmp_path / "run")))
    simulate = "simulate --accuracy 0.95"
    commands = ("export", simulate, "report", "adjudicate", simulate, "report", "status")
    said = "".join(live.command(*command.split()).said for command in commands)
    done = pairwright("release", live.run, "--out", out, "--version", "0.1.0", "--trial")
    assert done.code == 0, done.said
    seed = read_study(live.run).fixed.seed
    encoded = [base64.b64encode(seed.to_bytes(16, order)) for order in ("little", "big")]
    spelled = {f"{seed}", f"{seed:x}", f"{seed:X}", *(of.decode().rstrip("=") for of in encoded)}
    assert f"{seed}" in live.folder.study.read_text(encoding="utf-8")
    looked = 0
    for path in (*live.run.rglob("*"), *out.rglob("*")):
        if path.is_file() and live.folder.private not in path.parents:
            content = path.read_bytes()
            assert not [text for text in spelled if text.encode() in content], path
            looked += 1
    assert looked > 60
    assert not [text for text in spelled if text in said + done.said]


def test_a_sample_is_of_units(study: LiveStudy) -> None:
    study.do("export", *SEED, "--sample", 10)
    _, fixed, key, _, _ = read_study(study.run)
    assert fixed.of == 24
    rated = Counter(k.unit for k in key.values() if (k.kind, k.round) == ("quality", 1))
    assert [*rated.values()] == [3] * 10


def edited(name: str, change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    """Changes the lines of a file of the run."""

    def edit(run: Path) -> None:
        lines = (run / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (run / name).write_text("".join(change(lines)), encoding="utf-8")

    return edit


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (
            edited("pairs.jsonl", lambda lines: [*lines[:4], lines[4][:100] + "\n", *lines[5:]]),
            ("pairs.jsonl:5", "Build again"),
        ),
        (
            # Half of a twin.
            edited("pairs.jsonl", lambda x: [y for y in x if Pair.model_validate_json(y).asked]),
            ("lines of twin-", "pairs.jsonl", "Build again"),
        ),
        (edited("pairs.jsonl", lambda lines: []), ("holds no pair", "Build")),
        (lambda run: (run / "pairs.jsonl").unlink(), ("pairs.jsonl", "no such file")),
        (
            # A run of an older version.
            edited("config.toml", lambda x: [y.replace("content.scales", "content.s") for y in x]),
            ("scales", "Build again"),
        ),
        (shutil.rmtree, ("run",)),
    ],
)
def test_what_is_wrong_with_a_run_is_named(
    study: LiveStudy, harm: Callable[[Path], None], said: tuple[str, ...]
) -> None:
    harm(study.run)
    refused(study, *said)


@pytest.mark.real
def test_ids_and_sides_are_drawn_with_a_secret_that_is_kept(study: LiveStudy) -> None:
    study.do("export")
    first = study.key.keys()
    assert read_study(study.run).fixed.seed > 2**64, "short enough to be tried out"
    shutil.rmtree(study.folder.path)
    study.do("export")
    assert not study.key.keys() & first


def test_quality_is_named_first_and_a_folder_s_name_is_no_markup(
    built: Path, tmp_path: Path
) -> None:
    study = copied(built, tmp_path / "a [b] [/c]")
    for command in (("export", *SEED, "--sample", 12), ("simulate",), ("status",)):
        said = study.do(*map(str, command))
        if command[0] == "export":  # A title is broken over lines.
            assert "".join(str(study.folder.path).split()) in "".join(said.split())
        rows = re.findall(r"\b(quality|preference|rubric)\b", said.partition("annotators can")[0])
        assert command[0] == "simulate" or list(dict.fromkeys(rows)) == list(KINDS), command


@pytest.mark.real
def test_simulating_a_second_time_answers_the_second_round_alone(study: LiveStudy) -> None:
    study.do("export", *SEED)
    tasks = len(study.key)
    assert f"annotators answered {tasks} open tasks." in study.do("simulate", "--seed", 3)
    first = study.answers
    assert "Nothing is open" in study.do("simulate", "--accuracy", 1)
    assert study.answers == first
    assert "Tasks added" in study.do("adjudicate")
    said = study.do("simulate", "--accuracy", 1, "--seed", 4)
    added = [answer for answer in study.answers if answer not in first]
    assert f"answered {len({answer.task for answer in added})} open task" in said
    assert {answer.annotator for answer in added} == set(pseudonyms(6, "adjudicator"))


@pytest.mark.real
def test_printed_commands_can_be_pasted(built: Path, tmp_path: Path) -> None:
    study = LiveStudy(Path(shutil.copytree(built, tmp_path / "a run")))
    for command in ("export", "simulate", "report"):
        for line in study.do(command).splitlines():
            if match := re.match(r"  pairwright (human .*)", line):
                assert str(study.run) in shlex.split(match[1], comments=True), line
    release = tmp_path / "a release"
    made = pairwright("release", study.run, "--out", release, "--version", "1.0.0", "--trial")
    assert made.code == 0, made.said
    (check,) = re.findall(r"^  pairwright (check .*)$", made.out, re.MULTILINE)
    assert shlex.split(check)[:2] == ["check", str(release)]
    assert pairwright(*shlex.split(check)).code == 0

"""`pairwright human export` on a run: what it says, refuses and hides."""

import base64
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from live_study import LiveStudy
from pairwright.records import Pair
from pairwright_human_eval.folder import read_study
from released import run_of
from study import pairwright

SEED = ("--seed", 7)


@pytest.fixture
def study(tmp_path: Path) -> LiveStudy:
    return LiveStudy(run_of(tmp_path / "run", study=False))


def refused(study: LiveStudy, *said: str, options: tuple[object, ...] = ()) -> str:
    """Why an export is, of which nothing is written."""
    before = study.files()
    why = study.refused("export", *SEED, *options)
    assert not [part for part in said if part not in why], why
    assert study.files() == before
    return why


def test_it_says_what_a_study_can_show_and_what_to_do_next(
    study: LiveStudy, tmp_path: Path
) -> None:
    other = study.copy(tmp_path / "other")
    said = study.do("export", *SEED)
    other.do("export", *SEED)
    assert study.files() == other.files()
    about = {"rubric": "aspects"}
    for kind, n in Counter(keyed.kind for keyed in study.key.values()).items():
        assert re.search(rf"\b{n:,}\s{about.get(kind, kind)}\b", said), kind
    assert "11 annotators can verify 8 twins and 8 violate pairs: 3 votes on each pair" in said
    assert f"pairwright human push {study.run}" in said
    assert str(study.folder.guidelines) in said.replace("\n", "")
    assert len(said.splitlines()) <= 20
    assert "a study was exported here" in refused(study)


@pytest.mark.real
def test_the_secret_seed_is_in_no_file_outside_private(study: LiveStudy, tmp_path: Path) -> None:
    """Whoever has the seed can compute sides and purposes from the ids in the tasks."""
    out, live = tmp_path / "release", study
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
    assert looked > 40
    assert not [text for text in spelled if text in said + done.said]


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

"""A release in the tools it is for: `datasets`, mlcroissant, and RewardBench's own CLI.

RewardBench runs in an environment of its own (own_environment.py); its pins clash with ours.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engines.fixtures import engines, environment
from own_environment import cache_folder, prepare
from pairwright.construct.folder import to_toml
from pairwright.evaluation.scores import Score, read_scores
from pairwright.pairs import Layout, Row, open_release
from pairwright.sources import Problems
from released import PAIRS, released, run_of

pytestmark = pytest.mark.real
__all__ = ["engines"]
REWARD_BENCH = Path(__file__).parents[1] / "reward_bench"
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "WANDB_MODE": "disabled"}


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """In two splits, where one configuration is in both."""
    folder = tmp_path_factory.mktemp("real")
    run = run_of(folder / "run", PAIRS)
    return released(run, folder / "release", "1.0.0", "--validation", "0.3")


@pytest.fixture(scope="module")
def rows(layout: Layout) -> dict[str, list[Row]]:
    """By configuration and split."""
    found: dict[str, list[Row]] = {}
    for line in open_release(layout.root).read(Problems()):
        found.setdefault(f"{line.row.config} {line.split}", []).append(line.row)
    return found


def run_offline(home: Path, *command: str, folder: Path | None = None) -> str:
    """What it says; it must succeed. Its caches are below `home`, and it reaches no hub."""
    places = {name: str(home / name) for name in ("HOME", "HF_HOME", "XDG_CACHE_HOME")}
    done = subprocess.run(
        command, cwd=folder, env={"PATH": "/usr/bin:/bin", **OFFLINE, **places},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


LOAD = """
import datasets, json, sys
root, out = sys.argv[1:]
found = {}
for config in datasets.get_dataset_config_names(root):
    for split, loaded in datasets.load_dataset(root, config).items():
        found[f"{config} {split}"] = list(loaded)
for split in ("test", "validation"):
    files = f"{root}/preference/*-{split}.jsonl"
    loaded = datasets.load_dataset("json", data_files=files, split="train")
    found[f"preference {split}"] = list(loaded)
json.dump(found, open(out, "w"))
"""


def test_datasets_loads_every_configuration_and_the_preference_view(
    layout: Layout, rows: dict[str, list[Row]], tmp_path: Path
) -> None:
    out = tmp_path / "found.json"
    run_offline(tmp_path, sys.executable, "-c", LOAD, str(layout.root), str(out))
    found = json.loads(out.read_bytes())
    for name, expected in rows.items():
        assert [Row.model_validate(row) for row in found[name]] == expected
    views = [name for name in found if name.startswith("preference ")]
    assert found.keys() == rows.keys() | set(views)
    for name in views:
        split = name.split()[1]
        same = {row.id: row for of, some in rows.items() if of.endswith(split) for row in some}
        assert {line["id"] for line in found[name]} == same.keys()
        for line in found[name]:
            assert line["subset"] == same[line["id"]].config
            assert line["chosen"][-1]["content"] == same[line["id"]].chosen
            # As RewardBench documents it: a text, beside conversations that begin with it.
            assert line["prompt"] == line["chosen"][0]["content"] == line["rejected"][0]["content"]


RECORDS = """
import mlcroissant, json, sys
described = mlcroissant.Dataset(sys.argv[1])
found = {
    of.id: [str(row[f"{of.id}/id"], "utf-8") for row in described.records(of.id)]
    for of in described.metadata.record_sets
}
json.dump(found, open(sys.argv[2], "w"))
"""


def test_mlcroissant_finds_no_error_and_reads_every_pair(
    layout: Layout, rows: dict[str, list[Row]], tmp_path: Path
) -> None:
    described = str(layout.root / "croissant.json")
    program = str(Path(sys.executable).with_name("mlcroissant"))
    said = run_offline(tmp_path, program, "validate", "--jsonld", described)
    assert "Done." in said
    # A release holds no clock.
    assert [line for line in said.splitlines() if "recommended" in line] == [
        line for line in said.splitlines() if "datePublished" in line
    ]
    out = tmp_path / "found.json"
    run_offline(tmp_path, sys.executable, "-c", RECORDS, described, str(out))
    expected: dict[str, list[str]] = {}
    for name, of in rows.items():
        expected.setdefault(name.split()[0], []).extend(row.id for row in of)
    found = {name: sorted(ids) for name, ids in json.loads(out.read_bytes()).items()}
    assert found == {name: sorted(ids) for name, ids in expected.items()}


@pytest.fixture(scope="module")
def python() -> str:
    """Of RewardBench's environment."""
    pins = REWARD_BENCH / "requirements.txt"
    return str(prepare(cache_folder(), "rewardbench", pins, "1.7 GB"))


@pytest.fixture(scope="module")
def model(python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a reward model of random weights in it, `tiny`."""
    folder = tmp_path_factory.mktemp("model")
    run_offline(folder, python, str(REWARD_BENCH / "tiny_model.py"), "tiny", folder=folder)
    return folder


class RewardBenchResult(NamedTuple):
    """What RewardBench says of the preference view."""

    accuracy: float
    n: int
    lines: list[dict[str, Any]]


@pytest.fixture(scope="module")
def rewardbench(layout: Layout, python: str, model: Path) -> RewardBenchResult:
    files = str(layout.root / "preference" / "*-test.jsonl")
    # A model named by an absolute path would be where the outputs are written.
    run_offline(
        model, python, str(REWARD_BENCH / "on_cpu.py"), "--model=tiny", f"--dataset={files}",
        "--load_json", "--output_dir=out/", "--not_quantized", "--torch_dtype=float32",
        folder=model,
    )  # fmt: skip
    summary = json.loads((model / "out" / "tiny.json").read_bytes())
    lines = (model / "out" / "tiny_outputs.jsonl").read_text("utf-8").splitlines()
    return RewardBenchResult(summary["accuracy"], summary["num_prompts"], [*map(json.loads, lines)])


@pytest.fixture(scope="module")
def tested(rows: dict[str, list[Row]]) -> dict[str, Row]:
    """The rows that RewardBench is given."""
    return {row.id: row for of, some in rows.items() if of.endswith(" test") for row in some}


def test_an_evaluation_gives_the_scores_and_the_accuracy_that_rewardbench_gives(
    layout: Layout,
    rewardbench: RewardBenchResult,
    model: Path,
    engines: str,
    tested: dict[str, Row],
    tmp_path: Path,
) -> None:
    assert_scored_whole(rewardbench.lines, tested)
    assert rewardbench.n == len(rewardbench.lines) == len(tested)
    scorers = {"scorers": {"tiny": {"kind": "classifier", "model": str(model / "tiny")}}}
    decisions = in_engines(engines, layout, scorers, tmp_path)
    theirs = {
        line["id"]: (line["scores_chosen"], line["scores_rejected"]) for line in rewardbench.lines
    }
    assert theirs.keys() == {of.pair for of in decisions}
    for of in decisions:
        assert (of.chosen, of.rejected) == pytest.approx(theirs[of.pair], abs=1e-4)
    # RewardBench counts a tie as wrong, and so is it counted here.
    ours = sum((of.chosen or 0) > (of.rejected or 0) for of in decisions) / len(decisions)
    assert ours == pytest.approx(rewardbench.accuracy)


def in_engines(python: str, layout: Layout, scorers: dict[str, Any], folder: Path) -> list[Score]:
    """What `pairwright evaluate` says in the engines' environment of the test split, shown the
    profile."""
    given, out = folder / "scorers.toml", folder / "results"
    given.write_text(to_toml(scorers), encoding="utf-8")
    subprocess.run(
        [
            python, "-c", "from pairwright.cli import main; main()", "evaluate", str(layout.root),
            "--out", str(out), "--scorers", str(given), "--scorer", "tiny",
            "--condition", "profile", "--split", "test",
        ],
        env=environment(), check=True,
    )  # fmt: skip
    (table,) = read_scores([out])
    return list(table.scores)


def assert_scored_whole(lines: list[dict[str, Any]], tested: dict[str, Row]) -> None:
    """Both texts hold all of the history, the question and the response, in that order."""
    for line in lines:
        row = tested[line["id"]]
        for side, response in (("chosen", row.chosen), ("rejected", row.rejected)):
            parts = [*(post.text for post in row.profile), row.question, response]
            places = [line[f"text_{side}"].index(part) for part in parts]
            assert places == sorted(places)

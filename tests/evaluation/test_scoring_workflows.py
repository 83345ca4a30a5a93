"""Scorers from Python: what `evaluate`, `leaderboard` and the rest give a script and a notebook."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from endpoint import Endpoint, double, in_thread
from pairwright.errors import ConfigError, InputError, Interrupted
from pairwright.evaluation.best_of_n import Sample, best_of_n
from pairwright.evaluation.evaluate import evaluate, leaderboard
from pairwright.evaluation.outputs import judge_outputs
from pairwright.evaluation.settings import Scorers
from pairwright.lines import read_lines
from pairwright.progress import Event, Step, Stop


@pytest.fixture(scope="module")
def release(small_release: Path) -> Path:
    return small_release


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with in_thread(double()) as served:
        yield served


@pytest.fixture
def scorers(endpoint: Endpoint) -> Scorers:
    toy = {"base_url": endpoint.url, "model": "toy", "concurrency": 2}
    tables = {
        "endpoints": {"toy": toy},
        "scorers": {"rater": {"kind": "pointwise", "endpoint": "toy"}},
        "judge": {"endpoint": "toy"},
        "policy": {"endpoint": "toy", "sampling": {"temperature": 1.0}},
    }
    return Scorers.model_validate(tables)


def in_script(work: Callable[[], Any]) -> Any:
    return work()


def in_notebook(work: Callable[[], Any]) -> Any:
    async def cell() -> Any:
        return work()

    return asyncio.run(cell())


@pytest.mark.parametrize("where", [in_script, in_notebook])
def test_an_evaluation_gives_its_results_and_prints_nothing(
    where: Callable[[Callable[[], Any]], Any],
    release: Path,
    scorers: Scorers,
    endpoint: Endpoint,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    names, conditions = ["rater", "longer"], ["none", "profile"]
    out = tmp_path / "out"
    done = where(lambda: evaluate(release, scorers, out, names=names, conditions=conditions))
    summaries = [(one.about.scorer.name, one.about.condition) for one in done.tables]
    assert summaries == [(name, shown) for name in names for shown in conditions]
    assert all(one.scores for one in done.tables)
    assert not any(row.short for row in done.board.entries.values())
    asked = len(endpoint.asked)
    board = where(lambda: leaderboard([out], tmp_path / "board"))
    assert {one.condition for one in board.rankings} == set(conditions)
    assert (tmp_path / "board" / "leaderboard.html").is_file()
    assert len(endpoint.asked) == asked
    assert capfd.readouterr() == ("", "")


def test_an_evaluation_that_is_stopped_goes_on(
    release: Path, scorers: Scorers, endpoint: Endpoint, tmp_path: Path
) -> None:
    out, stop, steps = tmp_path / "out", Stop(), list[Step]()

    def once(event: Event) -> None:
        if isinstance(event, Step) and event.done == 1:
            assert stop.request()

    with pytest.raises(Interrupted):
        evaluate(release, scorers, out, names=["rater"], progress=once, stop=stop)
    asked = len(endpoint.asked)
    assert asked > 0
    assert not list(out.glob("*.*.json"))
    evaluate(
        release, scorers, out, names=["rater"],
        progress=lambda event: steps.append(event) if isinstance(event, Step) else None,
    )  # fmt: skip
    assert max(endpoint.by_identity.values()) == 1, "what was stored is not asked again"
    assert next(step for step in steps if step.name == "rater, profile").done == 0
    assert steps[-1].done == steps[-1].total


@pytest.mark.parametrize(
    ("names", "conditions", "error", "meant"),
    [
        (["longr"], ["none"], ConfigError, "Did you mean 'longer'?"),
        (["skywork"], ["none"], ConfigError, "there is no scorer 'skywork'"),
        (["longer"], ["profil"], InputError, "Did you mean 'profile'?"),
    ],
)
def test_a_name_that_is_misspelt_is_an_error_before_anything_is_written(
    names: list[str], conditions: list[str], error: type[Exception], meant: str,
    release: Path, tmp_path: Path,
) -> None:  # fmt: skip
    with pytest.raises(error) as caught:
        evaluate(release, None, tmp_path / "out", names=names, conditions=conditions)
    assert meant in str(caught.value)
    assert "overlap" in str(caught.value) or error is InputError
    assert not list((tmp_path / "out").glob("*.*.json"))


def test_results_are_never_written_into_a_release(release: Path) -> None:
    with pytest.raises(InputError, match="is inside the release"):
        evaluate(release, None, release / "results", names=["longer"])
    assert not (release / "results").exists()


def test_downstream_work_gives_its_records_in_a_notebook(
    release: Path, scorers: Scorers, tmp_path: Path
) -> None:
    best, outputs = tmp_path / "best", tmp_path / "outputs.jsonl"
    sampled = in_notebook(lambda: best_of_n(release, scorers, best, ["rater"], n=2, limit=2))
    assert [part.name for part in sampled.parts] == ["rater"]
    lines = [
        json.dumps({"id": one.id, "model": "mine", "output": one.text})
        for one in read_lines(best / "samples.jsonl", Sample)
        if one.draw == 0
    ]
    outputs.write_text("\n".join(lines), encoding="utf-8")
    judged = in_notebook(lambda: judge_outputs(release, outputs, scorers, tmp_path / "judged"))
    assert [(one.name, one.asked, one.counted) for one in judged.parts] == [("mine", 2, 2)]

"""Scorers from Python: what `evaluate` and `leaderboard` give a script and a notebook."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from endpoint import Endpoint, double, in_thread
from pairwright.errors import ConfigError, InputError, Interrupted
from pairwright.evaluation.evaluate import evaluate, leaderboard
from pairwright.evaluation.settings import Scorers
from pairwright.progress import Event, Step, Stop


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with in_thread(double()) as served:
        yield served


@pytest.fixture
def scorers(endpoint: Endpoint) -> Scorers:
    toy = {"base_url": endpoint.url, "model": "toy", "concurrency": 2}
    rater = {"kind": "pointwise", "endpoint": "toy"}
    return Scorers.model_validate({"endpoints": {"toy": toy}, "scorers": {"rater": rater}})


def in_script(work: Callable[[], Any]) -> Any:
    return work()


def in_notebook(work: Callable[[], Any]) -> Any:
    async def cell() -> Any:
        return work()

    return asyncio.run(cell())


@pytest.mark.parametrize("where", [in_script, in_notebook])
def test_an_evaluation_gives_its_results_and_prints_nothing(
    where: Callable[[Callable[[], Any]], Any],
    small_release: Path,
    scorers: Scorers,
    endpoint: Endpoint,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    names, conditions, out = ["rater", "longer"], ["none", "profile"], tmp_path / "out"
    done = where(lambda: evaluate(small_release, scorers, out, names=names, conditions=conditions))
    tables = [(one.about.scorer.name, one.about.condition) for one in done.tables]
    assert tables == [(name, shown) for name in names for shown in conditions]
    assert all(one.scores for one in done.tables)
    assert not any(row.short for row in done.board.entries.values())
    asked = len(endpoint.asked)
    board = where(lambda: leaderboard([out], tmp_path / "board"))
    assert {one.condition for one in board.rankings} == set(conditions)
    assert (tmp_path / "board" / "leaderboard.html").is_file()
    assert len(endpoint.asked) == asked
    assert capfd.readouterr() == ("", "")


def test_an_evaluation_that_is_stopped_goes_on(
    small_release: Path, scorers: Scorers, endpoint: Endpoint, tmp_path: Path
) -> None:
    out, stop, steps = tmp_path / "out", Stop(), list[Step]()

    def once(event: Event) -> None:
        if isinstance(event, Step) and event.done == 1:
            assert stop.request()

    with pytest.raises(Interrupted):
        evaluate(small_release, scorers, out, names=["rater"], progress=once, stop=stop)
    assert len(endpoint.asked) > 0
    assert not list(out.glob("*.*.json"))
    evaluate(
        small_release, scorers, out, names=["rater"],
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
    small_release: Path, tmp_path: Path,
) -> None:  # fmt: skip
    with pytest.raises(error) as caught:
        evaluate(small_release, None, tmp_path / "out", names=names, conditions=conditions)
    assert meant in str(caught.value)
    assert not list((tmp_path / "out").glob("*.*.json"))


def test_results_are_never_written_into_a_release(small_release: Path) -> None:
    with pytest.raises(InputError, match="is inside the release"):
        evaluate(small_release, None, small_release / "results", names=["longer"])
    assert not (small_release / "results").exists()

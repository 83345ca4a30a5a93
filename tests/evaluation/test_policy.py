"""Policy accuracy: what guided policies make of log-probabilities, and what they add up to."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from decided import RELEASE, Line, pairs_of, twins, violate
from endpoint import Handler, in_thread
from log_probabilities import ANY_PATH, told
from pairwright.construct.folder import to_toml
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.policy import (
    GuidedResult,
    PolicyAccuracy,
    guided_results,
    policy_page,
)
from pairwright.evaluation.scorers.scorer import ScorerRef
from pairwright.evaluation.scores import ScoresOf, ScoreTable
from pairwright.stats import Estimate
from study import Done, pairwright


def by_letter(id: int) -> float:
    """-1 for a, -2 for b, and so on."""
    return float(96 - id)


NEAR = {"base_url": "http://127.0.0.1:1/v1", "model": "lm"}
BASE = {"kind": "served-likelihood", "endpoint": "near"}


# Accuracies


def tables(**lines: Sequence[Line]) -> tuple[list[ScoreTable], Benchmark]:
    every = [line for of in lines.values() for line in of]
    made = []
    for name, of in lines.items():
        ref = ScorerRef(name=name, kind="served")
        about = ScoresOf(benchmark=RELEASE, path=".", scorer=ref, condition="profile")
        made.append(ScoreTable(Path(f"{name}.json"), about, tuple(line.score for line in of)))
    return made, pairs_of(every)


def test_the_scores_of_policy_and_reward_are_added_up_on_the_same_pairs() -> None:
    (policy, reward), pairs = tables(
        base=[violate(1, 1.0), violate(2, 0.5), violate(3, 1.0), violate(4, 1.0), violate(5, None)],
        rm=[violate(1, 1.0), violate(2, -1.0), violate(3, None), violate(4, -1.0), violate(5, 1.0)],
    )
    (line,) = guided_results(policy, reward, 1.0, pairs)
    # Right; 0.5 - 1 is wrong; 1 - 1 is a tie.
    assert line.accuracy.n == 3
    values = [line.accuracy.value, line.policy_alone.value, line.reward_alone.value]
    assert values == pytest.approx([0.5, 1.0, 1 / 3], abs=1e-6)
    assert line.gain.value == -0.5
    assert line.unscored == {"context_length": 2}
    # The reward is divided by beta.
    (line,) = guided_results(policy, reward, 4.0, pairs)
    assert line.accuracy.value == 1.0
    # Where nothing has a score there is no line.
    (policy, reward), pairs = tables(base=[violate(1, None)], rm=[violate(1, 1.0)])
    assert not list(guided_results(policy, reward, 1.0, pairs))


def test_a_twin_counts_whole_or_not_at_all() -> None:
    first, second = ((2.0, 1.0), (1.0, 2.0)), ((2.0, 1.0), (2.0, 1.0))
    whole, broken = twins([first, second]), twins([first, ((2.0, 1.0), (None, 1.0))])
    (policy, reward), pairs = tables(base=whole, rm=broken)
    (line,) = guided_results(policy, reward, 1.0, pairs)
    assert line.accuracy.n == 2
    assert sum(line.unscored.values()) == 2


def line(reward: str, alone: float, reached: float, **changes: Any) -> GuidedResult:
    def share(value: float) -> Estimate:
        return Estimate(value=value, low=0.0, high=1.0, n=10, clusters=10)

    fields: dict[str, Any] = {
        "policy": "base", "reward": reward, "beta": 1.0,
        "condition": "none", "mode": "violate", "unscored": {},
        "accuracy": share(reached), "policy_alone": share(0.5),
        "reward_alone": share(alone), "gain": share(0.0),
    }  # fmt: skip
    return GuidedResult(**(fields | changes))


def test_a_hostile_name_is_shown_as_it_is() -> None:
    ref = BenchmarkRef(name="<b>x</b>", version="1.0.0", digest="d")
    made = policy_page(PolicyAccuracy(benchmark=ref, lines=(line("a", 0.5, 0.6),)))
    assert "<b>x</b>" not in made.html
    assert "| a, n = 10 of 10 |" in made.markdown


# The command


def config(folder: Path, policy: str, reward: str) -> Path:
    folder.mkdir(exist_ok=True)
    urls = {"policy": policy, "reward": reward}
    given = {
        "endpoints": {name: {"base_url": url, "model": name} for name, url in urls.items()},
        "scorers": {
            "base": BASE | {"endpoint": "policy"},
            "arm": BASE | {"endpoint": "reward"},
        },
    }
    path = folder / "scorers.toml"
    path.write_text(to_toml(given))
    return path


def ran(release: Path, folder: Path, policy: Handler, reward: Handler, *more: object) -> Done:
    with in_thread(policy, path=ANY_PATH) as first, in_thread(reward, path=ANY_PATH) as second:
        path = config(folder, first.url, second.url)
        done = pairwright(
            "downstream", "policy", release, "--scorers", path, "--out", folder / "out", *more
        )
        sent = first.n + second.n
    return done._replace(err=f"{done.err}\nsent {sent}")


def test_the_command_scores_the_policy_and_its_rewards(small_release: Path, tmp_path: Path) -> None:
    models = (told(by_letter), told(lambda id: -1.0 / id))
    more = ("--policy", "base", "--reward", "arm", "--reward", "longer", "--beta", 2, "--limit", 4)
    done = ran(small_release, tmp_path, *models, *more)
    assert done.code == 0, done.said
    out = tmp_path / "out"
    found = PolicyAccuracy.model_validate_json((out / "policy.json").read_bytes())
    assert {line.reward for line in found.lines} == {"arm", "longer"}
    assert {line.condition for line in found.lines} == {"none", "profile"}
    assert "base guided by" in (out / "policy.html").read_text()
    again = ran(small_release, tmp_path, *models, *more, "--condition", "none")
    assert (again.code, again.err.split()[-1]) == (0, "0")
    assert pairwright("leaderboard", out).code == 0


@pytest.mark.parametrize(
    ("policy", "code", "words"),
    [
        ("longer", 2, ["'longer' is not a scorer of kind served-likelihood", "--policy"]),
        ("base", 1, ["not_a_number", "No pair has a score"]),
    ],
    ids=["no language model", "no log-probability"],
)
def test_a_policy_without_log_probabilities_ends_the_command(
    small_release: Path, tmp_path: Path, policy: str, code: int, words: list[str]
) -> None:
    silent = told(lambda id: -9999.0)
    more = ("--policy", policy, "--reward", "arm", "--limit", 2)
    done = ran(small_release, tmp_path, silent, silent, *more)
    assert done.code == code
    assert [word for word in words if word not in done.said] == []

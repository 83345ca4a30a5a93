"""Policy accuracy: what guided policies make of log-probabilities, and what they add up to."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from decided import ends, twins, violate
from endpoint import Handler, in_thread
from log_probabilities import ANY_PATH, told
from pairwright.construct.folder import to_toml
from pairwright.errors import ConfigError
from pairwright.evaluation.guided import (
    GuidedResult,
    PolicyAccuracy,
    guided_names,
    guided_results,
    guided_spec,
    policy_page,
    taus,
)
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.scorers.score_models import GuidedPolicy, LanguageModel
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore, Unscored
from pairwright.evaluation.settings import Scorers, load_scorers
from pairwright.models import CONTEXT_LENGTH
from pairwright.models.scores import TokenLogprobs, to_text
from pairwright.stats import Estimate
from scripted import Said, Scripted
from study import Done, pairwright


def by_letter(id: int) -> float:
    """-1 for a, -2 for b, and so on."""
    return float(96 - id)


# Guided


def language_model(*values: float, ids: tuple[int, ...] = (), per_token: bool = False) -> Any:
    """One that says these log-probabilities of every response."""
    text = to_text(TokenLogprobs(ids or tuple(range(len(values))), values))
    return LanguageModel(Scripted(log_probabilities=text), "lm", per_token=per_token)


class Fixed:
    """A reward of whole responses."""

    def __init__(self, reward: ResponseScore | Unscored) -> None:
        self.reward = reward

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        return self.reward


def guided(policy: LanguageModel, reward: Any, beta: float = 1.0) -> Any:
    made = GuidedPolicy("[scorers.g]", policy, reward, beta)
    return asyncio.run(made.score(PromptContent("Why?"), "so"))


def test_a_language_models_reward_is_added_at_every_token() -> None:
    score = guided(language_model(-1.0, -2.0), language_model(-4.0, -6.0), beta=2.0)
    assert score.value == (-1.0 - 4.0 / 2) + (-2.0 - 6.0 / 2)
    # A reward of whole responses is added once.
    reward = Fixed(ResponseScore(5.0, 7))
    score = guided(language_model(-1.0, -2.0), reward, beta=0.5)
    assert (score.value, score.tokens) == (-3.0 + 5.0 / 0.5, 7)
    # Per token the whole sum is divided.
    score = guided(language_model(-1.0, -2.0, per_token=True), reward, beta=0.5)
    assert score.value == (-3.0 + 5.0 / 0.5) / 2
    # Without one part there is no score.
    broken = LanguageModel(Scripted(log_probabilities=Said("long", CONTEXT_LENGTH)), "lm")
    whole = language_model(-1.0)
    assert guided(broken, whole) == guided(whole, broken) == Unscored(CONTEXT_LENGTH, "long")
    assert guided(whole, Fixed(Unscored("not_a_number"))) == Unscored("not_a_number")


@pytest.mark.parametrize("ids", [(1, 2, 3), (5, 6)], ids=["another number", "other tokens"])
def test_a_policy_and_a_reward_with_other_tokens_are_refused(ids: tuple[int, ...]) -> None:
    reward = language_model(*[-1.0] * len(ids), ids=ids)
    with pytest.raises(ConfigError, match="different tokenizers") as error:
        guided(language_model(-1.0, -2.0), reward)
    assert "[scorers.g]" in str(error.value)


# The file


NEAR = {"base_url": "http://127.0.0.1:1/v1", "model": "lm"}
BASE = {"kind": "served-likelihood", "endpoint": "near"}
GUIDED = {"kind": "guided", "policy": "base", "reward": "longer"}


def tables(**more: dict[str, Any]) -> dict[str, Any]:
    return {"endpoints": {"near": NEAR}, "scorers": {"base": BASE, "g": GUIDED, **more}}


def scorers(**more: dict[str, Any]) -> Scorers:
    return Scorers.model_validate(tables(**more))


def test_only_guided_policies_are_named() -> None:
    assert guided_names(scorers(), ()) == ("g",)
    with pytest.raises(ConfigError, match="'base' is not a scorer of kind guided"):
        guided_names(scorers(), ["base"])
    with pytest.raises(ConfigError, match="there is no scorer of kind guided"):
        guided_names(Scorers(), ())


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("policy", "nobody", "policy = 'nobody' is not a scorer of kind likelihood"),
        ("policy", "judge", "policy = 'judge' is not a scorer of kind likelihood"),
        ("reward", "nobody", "reward = 'nobody' is not a scorer that scores one response"),
        ("reward", "compares", "reward = 'compares' is not a scorer that scores one response"),
        ("reward", "g", "reward = 'g' is not a scorer that scores one response"),
        ("beta", 0.0, "beta"),
    ],
)
def test_a_guided_policy_of_wrong_parts_is_refused(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    judges = {"judge": BASE | {"kind": "pointwise"}, "compares": BASE | {"kind": "pairwise"}}
    path = tmp_path / "scorers.toml"
    path.write_text(to_toml(tables(**judges, g=GUIDED | {key: value})))
    with pytest.raises(ConfigError) as error:
        load_scorers(path)
    assert said in str(error.value)


# Accuracies


def test_the_parts_are_held_to_the_same_pairs() -> None:
    made = {
        "g": [violate(1, 2.0), violate(2, -1.0), violate(3, 1.0), violate(4, None)],
        "base": [violate(1, 1.0), violate(2, 0.0), violate(3, 1.0), violate(4, 1.0)],
        "longer": [violate(1, 1.0), violate(2, 1.0), violate(3, None), violate(4, 1.0)],
    }
    (line,) = guided_results("g", guided_spec(scorers(), "g"), "none", made)
    assert line.accuracy.n == 2
    assert line.unscored == {"context_length": 2}
    values = (line.accuracy.value, line.policy_alone.value, line.reward_alone.value)
    assert values == (0.5, 0.75, 1.0)
    assert line.gain.value == -0.25
    # Where nothing has a score there is no line.
    nothing = {name: [violate(1, None)] for name in made}
    assert not list(guided_results("g", guided_spec(scorers(), "g"), "none", nothing))


def test_a_twin_counts_whole_or_not_at_all() -> None:
    first, second = ((2.0, 1.0), (1.0, 2.0)), ((2.0, 1.0), (2.0, 1.0))
    whole, broken = twins([first, second]), twins([first, ((2.0, 1.0), (None, 1.0))])
    made = {"g": whole, "base": whole, "longer": broken}
    (line,) = guided_results("g", guided_spec(scorers(), "g"), "none", made)
    assert line.accuracy.n == 2
    assert sum(line.unscored.values()) == 2


def line(reward: str, alone: float, reached: float, **changes: Any) -> GuidedResult:
    def share(value: float) -> Estimate:
        return Estimate(value=value, low=0.0, high=1.0, n=10, clusters=10)

    fields: dict[str, Any] = {
        "scorer": f"g-{reward}", "policy": "base", "reward": reward, "beta": 1.0,
        "condition": "none", "mode": "violate", "unscored": {},
        "accuracy": share(reached), "policy_alone": share(0.5),
        "reward_alone": share(alone), "gain": share(0.0),
    }  # fmt: skip
    return GuidedResult(**(fields | changes))


FOUR = [line("a", 0.5, 0.6), line("b", 0.6, 0.5), line("c", 0.7, 0.7), line("d", 0.8, 0.8)]


def test_tau_is_kendalls_over_rewards() -> None:
    (tau,) = taus(FOUR)
    # Five of the six couples are in the same order, one is not.
    assert tau.found.value == pytest.approx(4 / 6, abs=1e-6)
    assert (tau.found.n, tau.found.note) == (4, "fewer than 5 lineages")
    (tau,) = taus([*FOUR, line("e", 0.9, 0.95)])
    low, high = ends(tau.found)
    assert low < 0.8 <= high
    # Policies and conditions are not mixed, and two rewards have none.
    others = [line(name, 0.1, 0.9, policy="other") for name in "ab"]
    shown = [line(name, 0.1, 0.9, condition="profile") for name in "ab"]
    assert [tau.found.n for tau in taus([*FOUR, *others, *shown])] == [4]


def report(*given: GuidedResult) -> PolicyAccuracy:
    ref = ReleaseRef(name="<b>x</b>", version="1.0.0", digest="d", trial=False, pairs=10)
    return PolicyAccuracy(
        release=ref, limit=None, split=None, lines=given, taus=taus(given),
    )  # fmt: skip


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize(("rewards", "plots"), [(1, 0), (4, 1)])
def test_points_are_drawn_from_two_on_and_named_beside_the_plot(rewards: int, plots: int) -> None:
    made = policy_page(report(*FOUR[:rewards]))
    assert "<b>x</b>" not in made.html
    assert ("+0.667" in made.markdown) == (rewards == 4)
    assert made.html.count("<svg") == plots
    for of in FOUR[: plots * 4]:
        svg = made.html.partition("<svg")[2].partition("</svg>")[0]
        assert svg.count(f">{of.scorer}</text>") == 1


# The command


def config(folder: Path, policy: str, reward: str) -> Path:
    folder.mkdir(exist_ok=True)
    urls = {"policy": policy, "reward": reward}
    given = {
        "endpoints": {name: {"base_url": url, "model": name} for name, url in urls.items()},
        "scorers": {
            "base": BASE | {"endpoint": "policy"},
            "arm": BASE | {"endpoint": "reward"},
            "by-arm": GUIDED | {"reward": "arm", "beta": 2.0},
            "by-length": GUIDED,
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


@pytest.mark.real
def test_the_command_scores_guided_policies_and_their_parts(
    small_release: Path, tmp_path: Path
) -> None:
    models = (told(by_letter), told(lambda id: -1.0 / id))
    done = ran(small_release, tmp_path, *models, "--limit", 6)
    assert done.code == 0, done.said
    out = tmp_path / "out"
    found = PolicyAccuracy.model_validate_json((out / "policy.json").read_bytes())
    assert {line.scorer for line in found.lines} == {"by-arm", "by-length"}
    assert {line.condition for line in found.lines} == {"none", "profile"}
    assert "by-arm" in (out / "policy.html").read_text()
    decisions = (
        [json.loads(text) for text in (out / f"{name}.none.jsonl").read_text().splitlines()]
        for name in ("by-arm", "base", "arm")
    )
    for of, pi, r in zip(*decisions, strict=True):
        assert of["chosen"] == pytest.approx(pi["chosen"] + r["chosen"] / 2)
    again = ran(small_release, tmp_path, *models, "--limit", 6, "--condition", "none")
    assert (again.code, again.err.split()[-1]) == (0, "0")
    assert pairwright("leaderboard", out).code == 0


@pytest.mark.parametrize(
    ("reward", "code", "words"),
    [
        (told(by_letter, shift=1), 2, ["different tokenizers", "[scorers.by-arm]"]),
        (told(lambda id: -9999.0), 1, ["not_a_number", "No pair has a score"]),
    ],
    ids=["other tokens", "no log-probability"],
)
def test_a_reward_that_cannot_be_added_ends_the_command(
    small_release: Path, tmp_path: Path, reward: Handler, code: int, words: list[str]
) -> None:
    more = ("--scorer", "by-arm", "--limit", 2)
    done = ran(small_release, tmp_path, told(by_letter), reward, *more)
    assert done.code == code
    assert [word for word in words if word not in done.said] == []

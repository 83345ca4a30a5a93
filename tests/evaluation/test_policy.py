"""Policy accuracy: what token log-probabilities of a served model mean, and what they add up to."""

import asyncio
import io
import json
import math
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import tenacity
from aiohttp import web
from rich.console import Console

from decided import twin, violate
from endpoint import Asked, Handler, in_thread, serving
from log_probabilities import ANY_PATH, completed, tokenized, told
from pairwright.cli.printing import print_page
from pairwright.errors import CallFailed, ConfigError, EndpointRefused, PairwrightError
from pairwright.estimate import Estimate
from pairwright.evaluation.guided import (
    GuidedResult,
    PolicyAccuracy,
    both_readings,
    guided_names,
    guided_results,
    policy_page,
    taus,
)
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.scorers.score_models import GuidedPolicy, LanguageModel
from pairwright.evaluation.scorers.scorer import PromptContent, ResponseScore, Unscored
from pairwright.evaluation.settings import Scorers, load_scorers
from pairwright.models import CONTEXT_LENGTH, Unstored
from pairwright.models.client import Client, Meter, PromptLogprobs, client
from pairwright.models.client.scores import TokenLogprobs, of_text, to_text
from pairwright.models.store import Durable, Store
from pairwright.settings.endpoints import Endpoint
from scripted import Said, Scripted
from study import Done, pairwright

SHOWN = PromptContent("Why?")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_JITTERED", tenacity.wait_none())


def by_letter(id: int) -> float:
    """-1 for a, -2 for b, and so on."""
    return float(96 - id)


# Tokens as they are stored


def test_tokens_come_back_from_what_is_stored() -> None:
    tokens = TokenLogprobs((5, 7), (-0.5, -1e-9))
    assert of_text(to_text(tokens)) == tokens


def test_a_value_that_is_no_number_stays_none() -> None:
    back = of_text(to_text(TokenLogprobs((5, 6, 7), (math.nan, -math.inf, -1.0))))
    assert [math.isnan(of) for of in back.log_probabilities] == [True, True, False]
    assert not back.finite
    # What vLLM writes in place of both.
    assert not TokenLogprobs((5,), (-9999.0,)).finite


@pytest.mark.parametrize(
    "text",
    ["", "so", "[]", '{"ids": [1]}', '{"ids": [1, 2], "log_probabilities": [-1.0]}'],
    ids=["empty", "words", "a list", "no values", "fewer values than tokens"],
)
def test_what_is_no_list_of_tokens_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="tokens"):
        of_text(text)


# What a served model is asked, and what its replies mean


def asked(
    handler: Handler, response: str = "ab", *, store: Store | None = None, per_token: bool = False
) -> tuple[ResponseScore | Unscored | PairwrightError, list[Asked]]:
    """One score, or how the call ended; the requests the server saw."""

    async def scenario() -> tuple[ResponseScore | Unscored | PairwrightError, list[Asked]]:
        async with serving(handler, path=ANY_PATH) as server:
            endpoint = Endpoint(base_url=server.url, model="lm", attempts=2, timeout_s=5)
            wire = PromptLogprobs(server.url, None, endpoint.timeout_s)
            async with Client("near", endpoint, None, Meter(), wire) as sender:
                llm = Durable(store, sender) if store else Unstored(sender)
                model = LanguageModel(llm, "lm", per_token=per_token)
                try:
                    found = await model.score(SHOWN, response)
                except (CallFailed, EndpointRefused) as error:
                    return error, server.asked
                return found, server.asked

    return asyncio.run(scenario())


def test_a_response_has_the_sum_of_its_tokens_and_not_of_the_prompts() -> None:
    score, sent = asked(told(by_letter))
    assert isinstance(score, ResponseScore)
    assert score.value == -3.0
    opening, answer, completion = (of.body for of in sent)
    assert opening["add_generation_prompt"] is True
    assert [message["role"] for message in opening["messages"]] == ["user"]
    assert answer == {"model": "lm", "prompt": "ab", "add_special_tokens": False}
    assert completion["prompt"][-3:] == [1, 97, 98]
    assert (completion["prompt_logprobs"], completion["max_tokens"]) == (0, 1)
    assert score.tokens == len(completion["prompt"])


def test_per_token_it_is_the_mean() -> None:
    score, _ = asked(told(by_letter), per_token=True)
    assert isinstance(score, ResponseScore)
    assert score.value == -1.5


def test_a_stored_score_is_asked_for_once(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "calls.sqlite")) as store:
        first, sent = asked(told(by_letter), store=store)
        again, nothing = asked(told(by_letter), store=store)
    assert (first, len(sent), nothing) == (again, 3, [])


def test_a_conversation_over_the_context_is_not_sent() -> None:
    score, sent = asked(told(by_letter, longest=5))
    assert isinstance(score, Unscored)
    assert score.reason == CONTEXT_LENGTH
    assert "and the model reads 5" in score.detail
    assert [of.wire.path for of in sent] == ["/tokenize", "/tokenize"]


def test_an_empty_response_has_no_tokens_and_is_not_sent() -> None:
    assert asked(told(by_letter), "") == (Unscored("no_tokens", "the response is empty"), [])


@pytest.mark.parametrize("value", [-9999.0, -math.inf], ids=["as vLLM says it", "infinite"])
def test_a_token_without_a_number_leaves_the_response_without_a_score(value: float) -> None:
    score, _ = asked(told(lambda id: value if id == 98 else -1.0))
    assert isinstance(score, Unscored)
    assert score.reason == "not_a_number"


def answers(change: Callable[[dict[str, Any]], Any]) -> Handler:
    """The right reply of `/v1/completions`, changed."""

    async def handler(asked: Asked) -> web.StreamResponse:
        if asked.wire.path == "/tokenize":
            return web.json_response(tokenized(asked.body))
        return web.json_response(change(completed(asked.body["prompt"], by_letter)))

    return handler


def of_choice(change: Callable[[list[Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    def changed(body: dict[str, Any]) -> dict[str, Any]:
        found = body["choices"][0]["prompt_logprobs"]
        return {"choices": [{"prompt_logprobs": change(found)}]}

    return changed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (of_choice(lambda found: found[:-1]), "were sent"),
        (of_choice(lambda found: [*found, found[-1]]), "were sent"),
        (of_choice(lambda found: [*found[:-1], None]), "no log-probability of token"),
        (of_choice(lambda found: [*found[:-1], {"5": {"logprob": -1.0}}]), "no log-probability"),
        (of_choice(lambda found: [*found[:-1], {"98": {"logprob": None}}]), "logprob"),
        (of_choice(lambda found: [*found[:-1], {"98": {"logprob": "so"}}]), "logprob"),
        (lambda _: {"choices": []}, "choices"),
        (lambda _: {}, "choices"),
        (lambda _: [], "object"),
    ],
    ids=[
        "fewer tokens than sent", "more tokens than sent", "a token without", "of another token",
        "null", "a word", "no choice", "an empty object", "a list",
    ],
)  # fmt: skip
def test_a_reply_that_does_not_cover_what_was_sent_is_a_failed_call(
    change: Callable[[dict[str, Any]], Any], said: str
) -> None:
    error, sent = asked(answers(change))
    assert isinstance(error, CallFailed)
    assert error.reason == "malformed_body"
    assert said in error.detail
    assert [of.wire.path for of in sent].count("/v1/completions") == 2


def test_an_endpoint_that_gives_no_log_probabilities_stops_at_once() -> None:
    error, sent = asked(answers(of_choice(lambda _: None)))
    assert isinstance(error, EndpointRefused)
    assert "no prompt_logprobs" in str(error)
    assert "vllm serve MODEL" in str(error)
    assert len(sent) == 3


def test_an_endpoint_that_is_not_vllm_stops_at_once() -> None:
    async def handler(asked: Asked) -> web.StreamResponse:
        return web.json_response({"detail": "Not Found"}, status=404)

    error, sent = asked(handler)
    assert isinstance(error, EndpointRefused)
    assert "404 for /tokenize" in str(error)
    assert len(sent) == 1


def test_a_model_that_is_not_served_is_named() -> None:
    async def handler(asked: Asked) -> web.StreamResponse:
        error = {"message": "The model `lm` does not exist.", "code": 404, "param": "model"}
        return web.json_response({"error": error}, status=404)

    error, _ = asked(handler)
    assert isinstance(error, EndpointRefused)
    assert "The model `lm` does not exist." in str(error)


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


def guided(policy: LanguageModel, reward: Any, beta: float = 1.0) -> ResponseScore | Unscored:
    return asyncio.run(GuidedPolicy("[scorers.g]", policy, reward, beta).score(SHOWN, "so"))


def test_a_language_models_reward_is_added_at_every_token() -> None:
    score = guided(language_model(-1.0, -2.0), language_model(-4.0, -6.0), beta=2.0)
    assert isinstance(score, ResponseScore)
    assert score.value == (-1.0 - 4.0 / 2) + (-2.0 - 6.0 / 2)


def test_a_reward_of_whole_responses_is_added_once() -> None:
    score = guided(language_model(-1.0, -2.0), Fixed(ResponseScore(5.0, 7)), beta=0.5)
    assert isinstance(score, ResponseScore)
    assert (score.value, score.tokens) == (-3.0 + 5.0 / 0.5, 7)


def test_per_token_the_whole_sum_is_divided() -> None:
    score = guided(language_model(-1.0, -2.0, per_token=True), Fixed(ResponseScore(5.0)), beta=0.5)
    assert isinstance(score, ResponseScore)
    assert score.value == (-3.0 + 5.0 / 0.5) / 2


@pytest.mark.parametrize(
    "ids", [(1, 2, 3), (5, 6)], ids=["another number of tokens", "other tokens"]
)
def test_a_policy_and_a_reward_with_other_tokens_are_refused(ids: tuple[int, ...]) -> None:
    reward = language_model(*[-1.0] * len(ids), ids=ids)
    with pytest.raises(ConfigError, match="different tokenizers") as error:
        guided(language_model(-1.0, -2.0), reward)
    assert "[scorers.g]" in str(error.value)


@pytest.mark.parametrize("which", ["policy", "reward"])
def test_without_one_part_there_is_no_score(which: str) -> None:
    broken = LanguageModel(Scripted(log_probabilities=Said("long", CONTEXT_LENGTH)), "lm")
    whole = language_model(-1.0)
    parts = (broken, whole) if which == "policy" else (whole, broken)
    assert guided(*parts) == Unscored(CONTEXT_LENGTH, "long")


def test_a_reward_that_is_no_number_is_no_score() -> None:
    assert guided(language_model(-1.0), Fixed(Unscored("not_a_number"))) == Unscored("not_a_number")


# The file


def scorers(**more: dict[str, Any]) -> Scorers:
    base = {"kind": "served-likelihood", "endpoint": "near"}
    near = {"base_url": "http://127.0.0.1:1/v1", "model": "lm"}
    given = {"base": base, "g": {"kind": "guided", "policy": "base", "reward": "longer"}}
    return Scorers.model_validate({"endpoints": {"near": near}, "scorers": {**given, **more}})


def test_each_sum_gets_a_reading_per_token() -> None:
    settings, names = both_readings(scorers(), ["g"])
    assert names == ("g", "g-per-token")
    policy = settings.scorers["base-per-token"]
    assert policy == scorers().scorers["base"].model_copy(update={"per_token": True})
    assert both_readings(settings, names) == (settings, names)


def test_a_name_that_the_reading_per_token_would_take_is_refused() -> None:
    taken = {"kind": "served-likelihood", "endpoint": "near", "per_token": False}
    with pytest.raises(ConfigError, match="base-per-token"):
        both_readings(scorers(**{"base-per-token": taken}), ["g"])


def test_only_guided_policies_are_named() -> None:
    assert guided_names(scorers(), ()) == ("g",)
    with pytest.raises(ConfigError, match="'base' is not a scorer of kind guided"):
        guided_names(scorers(), ["base"])
    with pytest.raises(ConfigError, match="there is no scorer of kind guided"):
        guided_names(Scorers(), ())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ('policy = "nobody"', "policy = 'nobody' is not a scorer of kind likelihood"),
        ('policy = "judge"', "policy = 'judge' is not a scorer of kind likelihood"),
        ('reward = "nobody"', "reward = 'nobody' is not a scorer that scores one response"),
        ('reward = "compares"', "reward = 'compares' is not a scorer that scores one response"),
        ('reward = "g"', "reward = 'g' is not a scorer that scores one response"),
        ("beta = 0.0", "beta"),
    ],
)
def test_a_guided_policy_of_wrong_parts_is_refused(tmp_path: Path, changes: str, said: str) -> None:
    key, _, _ = changes.partition(" ")
    guided = {"policy": 'policy = "base"', "reward": 'reward = "longer"', "beta": "beta = 1.0"}
    table = "\n".join((guided | {key: changes}).values())
    path = tmp_path / "scorers.toml"
    path.write_text(f"""
        [endpoints.near]
        base_url = "http://127.0.0.1:1/v1"
        model = "lm"
        [scorers.base]
        kind = "served-likelihood"
        endpoint = "near"
        [scorers.judge]
        kind = "pointwise"
        endpoint = "near"
        [scorers.compares]
        kind = "pairwise"
        endpoint = "near"
        [scorers.g]
        kind = "guided"
        {table}
    """)
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
    (line,) = guided_results("g", scorers(), "none", made)
    assert (line.pairs, line.accuracy.n) == (4, 2)
    assert line.unscored == {"context_length": 2}
    values = (line.accuracy.value, line.policy_alone.value, line.reward_alone.value)
    assert values == (0.5, 0.75, 1.0)
    assert line.gain.value == -0.25
    assert line.counts == "at the last token"


def test_a_twin_counts_whole_or_not_at_all() -> None:
    whole, half = twin(1, (2.0, 1.0), (1.0, 2.0)), twin(2, (2.0, 1.0), (2.0, 1.0))
    broken = [*whole, half[0], twin(2, (2.0, 1.0), (None, 1.0))[1]]
    made = {"g": [*whole, *half], "base": [*whole, *half], "longer": broken}
    (line,) = guided_results("g", scorers(), "none", made)
    assert line.accuracy.n == 2
    assert sum(line.unscored.values()) == 2


def test_where_nothing_has_a_score_there_is_no_line() -> None:
    nothing = [violate(1, None)]
    assert not list(
        guided_results("g", scorers(), "none", dict.fromkeys(("g", "base", "longer"), nothing))
    )


def line(reward: str, alone: float, reached: float, **changes: Any) -> GuidedResult:
    def share(value: float) -> Estimate:
        return Estimate(value=value, low=0.0, high=1.0, n=10, clusters=10)

    fields: dict[str, Any] = {
        "scorer": f"g-{reward}", "policy": "base", "reward": reward, "beta": 1.0,
        "per_token": False, "counts": "at the last token", "condition": "none", "mode": "violate",
        "pairs": 10, "unscored": {}, "accuracy": share(reached), "policy_alone": share(0.5),
        "reward_alone": share(alone), "gain": share(0.0),
    }  # fmt: skip
    return GuidedResult(**(fields | changes))


FOUR = [line("a", 0.5, 0.6), line("b", 0.6, 0.5), line("c", 0.7, 0.7), line("d", 0.8, 0.8)]


def test_tau_is_kendalls_with_what_chance_gives() -> None:
    (tau,) = taus(FOUR, 0)
    # Five of the six couples are in the same order, one is not.
    assert tau.value == pytest.approx(4 / 6, abs=1e-6)
    assert tau.chance is not None
    # Of 24 orders, 1 has tau 1, 3 have 2/3, and as many on the other side.
    assert (tau.chance.orders, tau.chance.exact) == (24, True)
    assert tau.chance.p == pytest.approx(8 / 24)
    assert tau.interval is not None
    low, high = tau.interval.low, tau.interval.high
    assert low is not None
    assert high is not None
    assert low < 4 / 6 <= high


def test_policies_and_conditions_are_not_mixed() -> None:
    others = [line(name, 0.1, 0.9, policy="other") for name in "ab"]
    shown = [line(name, 0.1, 0.9, condition="profile") for name in "ab"]
    assert [tau.n for tau in taus([*FOUR, *others, *shown], 0)] == [4, 2, 2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (FOUR[:2], "fewer than 3"),
        ([line(name, 0.5, n / 10) for n, name in enumerate("abc")], "the same for all"),
        ([line(name, n / 10, 0.5) for n, name in enumerate("abc")], "the same for all"),
    ],
    ids=["two rewards", "equal rewards", "equal policies"],
)
def test_where_there_is_no_tau_it_says_why(given: list[GuidedResult], said: str) -> None:
    (tau,) = taus(given, 0)
    assert tau.value is None
    assert said in tau.note


def report(*given: GuidedResult, simulated: bool = False) -> PolicyAccuracy:
    ref = ReleaseRef(name="<b>x</b>", version="1.0.0", digest="d", trial=False, pairs=10)
    return PolicyAccuracy(
        release=ref, limit=None, split=None, simulated=simulated, seed=0, lines=given,
        taus=taus(given, 0),
    )  # fmt: skip


def test_the_page_says_how_it_was_done_and_claims_nothing_of_four_rewards() -> None:
    made = policy_page(report(*FOUR))
    text = made.markdown
    assert "Our reading of policy accuracy" in text
    assert "Nothing is claimed of fewer than 10 rewards" in text
    assert "+0.667" in text
    html = made.html
    assert "<b>x</b>" not in html
    assert html.count("<svg") == 1


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize(("rewards", "plots"), [(1, 0), (2, 1)])
def test_points_are_drawn_from_two_on_and_named_beside_the_plot(rewards: int, plots: int) -> None:
    summed = FOUR[:rewards]
    both = [
        line(of.reward, 0.5, 0.5, scorer=f"{of.scorer}-per-token", per_token=True) for of in summed
    ]
    html = policy_page(report(*summed, *both)).html
    assert html.count("<svg") == plots
    assert ("Nothing is drawn of one guided policy" in html) == (not plots)
    # Each once, whatever its readings.
    for of in FOUR[:plots]:
        assert html.partition("<svg")[2].partition("</svg>")[0].count(f">{of.scorer}</text>") == 1


def printed(of: PolicyAccuracy) -> list[str]:
    text = io.StringIO()
    print_page(Console(file=text, width=80), policy_page(of, drawn=False))
    return text.getvalue().splitlines()


def test_what_is_printed_fits_80_columns_with_every_n_and_interval() -> None:
    long = line("e", 0.5, 0.6, scorer="by-" + "long-" * 12, condition="profile")
    guided_results = printed(report(*FOUR, long))
    assert max(map(len, guided_results)) <= 80
    text = "\n".join(guided_results)
    assert text.count("0.600") == 3
    assert text.count("(0.000 to 1.000)") == 3 * 5
    assert text.count("(+0.000 to +1.000)") == 5
    assert text.count("n =") == 6


def test_what_has_no_tau_is_said_once() -> None:
    shown = [line(name, 0.5, 0.6, condition="profile") for name in "ab"]
    both = [line(name, 0.5, 0.6, condition="none", mode="twin") for name in "ab"]
    text = "\n".join(printed(report(*FOUR, *shown, *both)))
    assert "+0.667" in text
    assert text.count("beta 1") == 1
    said = "No tau for 2 of 3 combinations: nothing can be said of fewer than 3"
    assert " ".join(text.split()).count(said) == 1


def test_a_page_without_pairs_says_so() -> None:
    assert "No pair has a score" in policy_page(report()).markdown


# The command


@pytest.fixture(scope="module")
def release(small_release: Path) -> Path:
    return small_release


def config(folder: Path, policy: str, reward: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "scorers.toml"
    path.write_text(f"""
        [endpoints.policy]
        base_url = "{policy}"
        model = "pi"
        [endpoints.reward]
        base_url = "{reward}"
        model = "r"
        [scorers.base]
        kind = "served-likelihood"
        endpoint = "policy"
        [scorers.arm]
        kind = "served-likelihood"
        endpoint = "reward"
        [scorers.by-arm]
        kind = "guided"
        policy = "base"
        reward = "arm"
        beta = 2.0
        [scorers.by-length]
        kind = "guided"
        policy = "base"
        reward = "longer"
    """)
    return path


def ran(release: Path, folder: Path, policy: Handler, reward: Handler, *more: object) -> Done:
    with (
        in_thread(policy, path=ANY_PATH) as first,
        in_thread(reward, path=ANY_PATH) as second,
    ):
        path = config(folder, first.url, second.url)
        done = pairwright(
            "downstream", "policy", release, "--scorers", path, "--out", folder / "out", *more
        )
        sent = first.n + second.n
    return done._replace(err=f"{done.err}\nsent {sent}")


@pytest.mark.real
def test_the_command_scores_guided_policies_and_their_parts(release: Path, tmp_path: Path) -> None:
    models = (told(by_letter), told(lambda id: -1.0 / id))
    done = ran(release, tmp_path, *models, "--limit", 6)
    assert done.code == 0, done.said
    out = tmp_path / "out"
    found = PolicyAccuracy.model_validate_json((out / "policy.json").read_bytes())
    names = {line.scorer for line in found.lines}
    assert names == {"by-arm", "by-arm-per-token", "by-length", "by-length-per-token"}
    assert {line.condition for line in found.lines} == {"none", "profile"}
    assert {line.counts for line in found.lines if "arm" in line.scorer} == {"at every token"}
    assert "by-arm" in (out / "policy.html").read_text()
    decisions = [json.loads(text) for text in (out / "by-arm.none.jsonl").read_text().splitlines()]
    alone = {
        name: [json.loads(text) for text in (out / f"{name}.none.jsonl").read_text().splitlines()]
        for name in ("base", "arm")
    }
    for of, pi, r in zip(decisions, alone["base"], alone["arm"], strict=True):
        assert of["chosen"] == pytest.approx(pi["chosen"] + r["chosen"] / 2)
    again = ran(release, tmp_path, *models, "--limit", 6, "--condition", "none")
    assert (again.code, again.err.split()[-1]) == (0, "0")
    assert pairwright("leaderboard", out).code == 0


def test_a_run_that_was_broken_off_goes_on(release: Path, tmp_path: Path) -> None:
    whole = told(by_letter)
    sent: list[Asked] = []

    async def breaks(asked: Asked) -> web.StreamResponse:
        sent.append(asked)
        if len(sent) > 9:
            return web.json_response({"error": {"message": "No key.", "code": 401}}, status=401)
        return await whole(asked)

    more = ("--scorer", "by-length", "--limit", 2, "--condition", "none")
    first = ran(release, tmp_path, breaks, whole, *more)
    assert first.code == 2
    assert not (tmp_path / "out" / "policy.json").exists()
    done = ran(release, tmp_path, whole, whole, *more)
    assert done.code == 0, done.said
    complete = ran(release, tmp_path / "fresh", whole, whole, *more)
    resumed, anew = (int(of.err.split()[-1]) for of in (done, complete))
    # Each score takes three requests; those that were whole are not sent again.
    assert anew - 9 <= resumed < anew
    names = ("by-length.none.jsonl", "policy.json")
    for name in names:
        once, twice = (tmp_path / folder / "out" / name for folder in ("fresh", "."))
        assert once.read_bytes() == twice.read_bytes()


def test_a_reward_with_other_tokens_ends_the_command(release: Path, tmp_path: Path) -> None:
    done = ran(release, tmp_path, told(by_letter), told(by_letter, shift=1), "--limit", 2)
    assert done.code == 2
    assert "different tokenizers" in done.said
    assert "[scorers.by-arm]" in done.said


def test_pairs_without_a_log_probability_are_counted(release: Path, tmp_path: Path) -> None:
    silent = told(lambda id: -9999.0)
    done = ran(release, tmp_path, told(by_letter), silent, "--scorer", "by-arm", "--limit", 2)
    assert done.code == 1
    assert "not_a_number" in done.said
    assert "No pair has a score" in done.said


def test_a_recording_has_no_log_probabilities(release: Path, tmp_path: Path) -> None:
    path = config(tmp_path, "recording:r.jsonl.gz", "recording:r.jsonl.gz")
    done = pairwright("downstream", "policy", release, "--scorers", path, "--out", tmp_path / "out")
    assert done.code == 2
    assert "has no prompt_logprobs" in done.said

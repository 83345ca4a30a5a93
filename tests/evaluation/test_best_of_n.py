"""Outputs held to rubrics, and what a scorer's pick of k samples is worth."""

import io
import json
import math
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web
from rich.console import Console

from endpoint import Asked as Call
from endpoint import Endpoint, completion, in_thread
from pairwright.cli.downstream import print_scores
from pairwright.cli.printing import print_page
from pairwright.dataset import Row, read_lines
from pairwright.errors import ConfigError, InputError
from pairwright.evaluation.best_of_n import (
    CEILING,
    BestOfN,
    ScorerCurve,
    best_of_n_page,
    ceiling,
    curve,
    of_first,
    of_subsets,
    powers,
    weights,
)
from pairwright.evaluation.outputs import (
    JudgedOutput,
    OutputScores,
    PersonQuestion,
    ReleaseQuestions,
    model_score,
    read_outputs,
)
from pairwright.evaluation.policy_samples import PolicySample, SampledQuestion, SampleScores
from pairwright.evaluation.release import Release, ReleaseRef
from pairwright.evaluation.results import TRIAL, ScorerRef
from pairwright.evaluation.settings import load_scorers
from pairwright.records import AspectScore
from study import Done, pairwright


@pytest.fixture(scope="module")
def release(small_release: Path) -> Path:
    return small_release


@pytest.fixture(scope="module")
def rows(release: Path) -> list[Row]:
    return list(Release(release).rows())


@pytest.fixture(scope="module")
def questions(rows: list[Row]) -> ReleaseQuestions:
    return ReleaseQuestions(rows)


# The estimator


def by_hand(scores: list[float], worth: list[float], k: int) -> float:
    """Over every subset of k, the mean worth of its best."""
    found = []
    for subset in combinations(range(len(scores)), k):
        best = max(scores[n] for n in subset)
        found.append(np.mean([worth[n] for n in subset if scores[n] == best]))
    return float(np.mean(found))


SCORES = {
    "distinct": [3.0, 1.0, 4.0, 1.5, 5.0, 9.0],
    "some tied": [3.0, 1.0, 3.0, 1.0, 3.0, 2.0],
    "tied at the top": [5.0, 5.0, 1.0, 2.0, 5.0, 3.0],
    "all tied": [0.0] * 6,
    "infinitely apart": [-1e308, 1e308, 0.0, 5e-324, -0.0, 1.0],
}
WORTH = [0.0, 0.25, 1.0, 0.5, 0.75, 0.1]


@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("k", range(1, 7))
def test_all_subsets_are_what_counting_them_gives(scores: list[float], k: int) -> None:
    found = of_subsets(np.array(scores), np.array(WORTH), k)
    assert found == pytest.approx(by_hand(scores, WORTH, k), abs=1e-12)
    assert weights(np.array(scores), k).sum() == pytest.approx(1)


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_of_right_and_wrong_samples_it_is_pass_at_k(k: int) -> None:
    # Chen et al. 2021 (Codex), eq. 1: 1 - C(n - c, k) / C(n, k) for c right ones of n.
    worth = np.array([1.0] * 3 + [0.0] * 7)
    expected = 1 - math.comb(7, k) / math.comb(10, k)
    assert of_subsets(worth, worth, k) == pytest.approx(expected)


def test_the_first_k_are_the_first_draws_and_ties_share() -> None:
    scores, worth = np.array([1.0, 2.0, 2.0, 0.0]), np.array([0.9, 0.5, 0.7, 0.1])
    assert of_first(scores, worth, 1) == 0.9
    assert of_first(scores, worth, 2) == 0.5
    assert of_first(scores, worth, 4) == pytest.approx(0.6)
    # So a constant scorer picks at random.
    for k in range(1, 7):
        assert of_subsets(np.zeros(6), np.array(WORTH), k) == pytest.approx(np.mean(WORTH))


@pytest.mark.parametrize("k", [0, -1, 7, 64])
def test_more_than_there_are_is_refused_and_never_repeated(k: int) -> None:
    for estimate in (of_first, of_subsets):
        with pytest.raises(ValueError, match="6 samples"):
            estimate(np.zeros(6), np.array(WORTH), k)


@pytest.mark.parametrize(
    ("n", "ks"), [(1, (1,)), (2, (1, 2)), (16, (1, 2, 4, 8, 16)), (10, (1, 2, 4, 8, 10))]
)
def test_k_doubles_up_to_n(n: int, ks: tuple[int, ...]) -> None:
    assert powers(n) == ks


# Curves


def samples(*worths: list[float], cluster: str = "") -> list[SampledQuestion]:
    return [
        SampledQuestion(
            pair=f"p{n}", item_id=f"i{n}", domain="Home", cluster=cluster or f"user-{n}",
            samples=tuple(PolicySample(response="", adherence=worth) for worth in worths[n]),
        )
        for n in range(len(worths))
    ]  # fmt: skip


def made(
    given: list[SampledQuestion], *scores: list[float], ks: tuple[int, ...] = (1, 2)
) -> ScorerCurve:
    scored = [
        SampleScores(pair=of.pair, scorer="s", scores=tuple(each))
        for of, each in zip(given, scores, strict=True)
    ]
    return curve(ScorerRef(name="s", kind="pointwise"), given, scored, ks)


def test_equal_gains_have_no_interval_and_a_scorer_that_never_picks_gains_nothing() -> None:
    given = samples([0.0, 1.0], [1.0, 0.0])
    picks = made(given, [0, 1], [1, 0]).points[1].gain
    assert (picks.value, picks.low, picks.high) == (0.5, None, None)
    never = made(given, [0, 0], [0, 0]).points[1].gain
    assert (never.value, never.low, never.high) == (0, 0, 0)


def test_a_curve_is_the_mean_over_questions_with_its_interval_by_user() -> None:
    given = samples([0.0, 1.0], [0.5, 0.5], [1.0, 0.0])
    found = made(given, [0, 1], [0, 1], [0, 1])
    one, two = found.points
    assert (one.first.value, one.subsets.value, one.gain.value) == (0.5, 0.5, 0)
    assert (two.first.value, two.subsets.value) == (0.5, 0.5)
    assert two.subsets.low is not None
    assert two.subsets.low < 0.5
    assert (two.subsets.n, two.subsets.clusters) == (3, 3)


def test_questions_of_one_user_are_not_independent() -> None:
    apart = made(samples([0.0, 1.0], [0.2, 0.4]), [0, 1], [0, 1])
    together = made(samples([0.0, 1.0], [0.2, 0.4], cluster="una"), [0, 1], [0, 1])
    assert apart.points[0].subsets.low is not None
    assert (together.points[0].subsets.clusters, together.points[0].subsets.low) == (1, None)


def test_equal_values_do_not_make_an_interval_of_no_width() -> None:
    found = made(samples([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]), [0, 1], [0, 1], [0, 1])
    low, high = found.points[0].subsets.low, found.points[0].subsets.high
    assert low == 0
    assert high is not None
    assert high > 0.2


def test_the_judges_own_pick_is_the_ceiling() -> None:
    given = samples([0.0, 1.0], [0.8, 0.2])
    found = ceiling(given, (1, 2))
    assert found is not None
    assert found.scorer.name == CEILING
    assert found.points[1].subsets.value == pytest.approx(0.9)
    best = max(point.subsets.value or 0 for point in made(given, [1, 0], [0, 1]).points)
    assert best <= 0.9


def test_a_question_without_a_score_for_every_sample_does_not_count() -> None:
    given = samples([0.0, 1.0], [0.8, 0.2])
    scored = [
        SampleScores(pair="p0", scorer="s", scores=(1.0, 2.0)),
        SampleScores(pair="p1", scorer="s", unscored="context_length", detail="draw 1: too long"),
    ]
    found = curve(ScorerRef(name="s", kind="pointwise"), given, scored, (1, 2))
    assert (found.questions, found.unscored) == (1, {"context_length": 1})
    nothing = curve(found.scorer, given, scored[1:], (1, 2))
    assert (nothing.questions, nothing.points) == (0, ())


# Outputs


def line(**fields: Any) -> str:
    return json.dumps({"model": "m", "output": "Bread.", **fields}) + "\n"


def given_file(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "outputs.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_an_output_is_named_by_its_item_or_by_a_pair(
    tmp_path: Path, questions: ReleaseQuestions, rows: list[Row]
) -> None:
    counterfactual = next(row for row in rows if not row.asked)
    own = next(row for row in rows if row.asked and row.item_id == counterfactual.item_id)
    path = given_file(
        tmp_path,
        line(id=own.item_id) + "\n" + line(id=counterfactual.id) + line(id=own.id, model="other"),
    )
    first, second, third = read_outputs(path, questions)
    assert first.question == third.question
    assert first.question.aspects == tuple(of.aspect for of in own.rubric_aspects)
    assert second.question.aspects == tuple(of.aspect for of in counterfactual.rubric_aspects)
    assert second.question.cluster == counterfactual.user


def test_a_person_has_one_question_in_both_modes(
    questions: ReleaseQuestions, rows: list[Row]
) -> None:
    assert len(questions.own) == len({row.item_id for row in rows})
    assert len({asked.pair for asked in questions.own}) == len(questions.own)


def test_an_item_with_two_rubrics_is_named_by_pair(rows: list[Row]) -> None:
    row = next(row for row in rows if row.mode == "violate")
    other = row.model_copy(update={"id": "other", "rubric_aspects": row.rubric_aspects[:1]})
    questions = ReleaseQuestions([row, other])
    found = questions.find(row.item_id)
    assert isinstance(found, str)
    assert "2 rubrics" in found
    assert not isinstance(questions.find("other"), str)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        pytest.param("", "outputs.jsonl", "holds no outputs", id="empty"),
        pytest.param("\n\n", "outputs.jsonl", "holds no outputs", id="blank lines"),
        pytest.param("{", "outputs.jsonl:1", "JSON", id="no JSON"),
        pytest.param("[]\n", "outputs.jsonl:1", "object", id="a list"),
        pytest.param('{"id": "ID"}\n', "outputs.jsonl:1 [model]",
                     "no key model, output; the line has 'id'", id="no model"),
        pytest.param('{"id": "ID", "model": "m", "answer": "x"}\n', "outputs.jsonl:1 [output]",
                     "no key output; unknown key 'answer'; the line has 'id', 'model', 'answer'",
                     id="another name"),
        pytest.param(
            '{"id": "ID", "model": "", "output": ""}\n', "outputs.jsonl:1 [model]", "character",
            id="an empty model",
        ),
        pytest.param(
            '{"id": "ID", "model": "m", "output": null}\n', "outputs.jsonl:1 [output]", "string",
            id="no output",
        ),
        pytest.param(
            '{"id": 7, "model": "m", "output": "x"}\n', "outputs.jsonl:1 [id]", "string",
            id="a number as id",
        ),
        pytest.param(line(id="nobody"), "outputs.jsonl:1", "no item and no pair", id="unknown id"),
        pytest.param(
            line(id="ID") * 2, "outputs.jsonl:2", "in line 1 already", id="twice the same item"
        ),
        pytest.param(
            line(id="ID") + line(id="PAIR"), "outputs.jsonl:2",
            "in line 1 already: ID and PAIR are both for 'ASKED', asked by ",
            id="twice by item and by pair",
        ),
        pytest.param(b"\xff\xfe", "outputs.jsonl", "not UTF-8", id="not UTF-8"),
    ],
)  # fmt: skip
def test_a_bad_file_of_outputs_is_refused_with_its_line(
    tmp_path: Path, questions: ReleaseQuestions, text: str | bytes, where: str, what: str
) -> None:
    asked = questions.own[0]
    if isinstance(text, str):
        text = _named(text, asked)
    path = given_file(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_outputs(path, questions)
    assert str(tmp_path / where) in str(caught.value)
    assert _named(what, asked) in str(caught.value)
    assert caught.value.fix


def _named(text: str, asked: PersonQuestion) -> str:
    for place, value in (("ID", asked.item), ("PAIR", asked.pair), ("ASKED", asked.question[:60])):
        text = text.replace(place, value)
    return text


def test_a_file_that_is_not_there_is_refused(tmp_path: Path, questions: ReleaseQuestions) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_outputs(tmp_path / "none.jsonl", questions)


def judged(n: int, adherence: float | None, why: str = "") -> JudgedOutput:
    scores = () if adherence is None else (AspectScore(reason="r", score=round(2 * adherence)),)
    return JudgedOutput(
        id=f"i{n}", pair=f"p{n}", item_id=f"i{n}", model="m", domain="Home", cluster=f"user-{n}",
        adherence=adherence, scores=scores, unscored=why,
    )  # fmt: skip


def test_outputs_without_a_score_are_bounded_and_never_zero() -> None:
    found = model_score("m", [judged(0, 1.0), judged(1, 0.5), judged(2, None, "unparseable")], 5)
    assert found.adherence is not None
    assert (found.adherence.value, found.adherence.n) == (0.75, 2)
    assert found.worst == 0.5
    assert found.best == pytest.approx(2.5 / 3, abs=1e-6)
    assert (found.scored, found.outputs, found.questions) == (2, 3, 5)
    assert found.unscored == {"unparseable": 1}


def test_a_model_without_any_score_has_no_mean() -> None:
    found = model_score("m", [judged(0, None, "empty_output")], 5)
    assert found.adherence is None
    assert (found.worst, found.best) == (0, 1)


# The commands, on a real port


class Toy:
    """A policy whose draw n serves aspects as `served` says, and a judge that reads which it was.

    What the judge replies to a draw may be broken on purpose.
    """

    def __init__(self, broken: Callable[[str], str | None] = lambda _: None) -> None:
        self.broken = broken

    async def __call__(self, call: Call) -> web.StreamResponse:
        return web.json_response(completion(self._reply(call)))

    def _reply(self, call: Call) -> str:
        said = call.said
        (task,) = re.findall(r"<task>(\w+)</task>", said)
        if task == "sample":
            draw = int(call.body["seed"])
            return f"Draw {draw} of it. " + "more " * draw
        response = said.partition("<response>")[2].partition("</response>")[0].strip()
        found = re.search(r"Draw (\d+)", response)
        worth = int(found[1]) % 3 if found else 0
        if task == "rate":
            return json.dumps({"reason": "r", "score": 1 + worth})
        if broken := self.broken(response):
            return broken
        aspects = said.count("<aspect number")
        return json.dumps(
            {
                "scores": [
                    {"number": n, "reason": "r", "score": worth} for n in range(1, aspects + 1)
                ]
            }
        )


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with in_thread(Toy()) as served:
        yield served


def settings(folder: Path, url: str, more: str = "") -> Path:
    path = folder / "scorers.toml"
    path.write_text(
        f'[endpoints.toy]\nbase_url = "{url}"\nmodel = "m"\n[scorers.rater]\nkind = "pointwise"\n'
        'endpoint = "toy"\n[scorers.judge]\nkind = "pairwise"\nendpoint = "toy"\n'
        f'[judge]\nendpoint = "toy"\n[policy]\nendpoint = "toy"\n{more}',
        encoding="utf-8",
    )
    return path


def best_of(release: Path, folder: Path, *more: object, scorers: str = "rater") -> Done:
    return pairwright(
        "downstream", "best-of-n", release, "--scorers", folder / "scorers.toml",
        "--out", folder / "out", "--scorer", scorers, *more,
    )  # fmt: skip


def about(folder: Path) -> BestOfN:
    return BestOfN.model_validate_json((folder / "out" / "best_of_n.json").read_text("utf-8"))


def test_a_scorer_that_agrees_with_the_judge_reaches_the_ceiling(
    release: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    settings(tmp_path, endpoint.url)
    done = best_of(release, tmp_path, "-n", 4, "--scorer", "constant")
    assert done.code == 0, done.err
    found = about(tmp_path)
    rater, constant = found.curves
    # Draws 0 to 3 are worth 0, 1/2, 1 and 0.
    assert [point.first.value for point in rater.points] == [0, 0.5, 1]
    assert [point.subsets.value for point in rater.points] == [0.375, pytest.approx(4 / 6), 1]
    assert found.ceiling is not None
    assert rater.points == found.ceiling.points
    assert [point.gain.value for point in constant.points] == [0, 0, 0]
    assert all(point.subsets.n == found.questions for point in rater.points)
    lines = list(read_lines(tmp_path / "out" / "samples.jsonl", SampledQuestion))
    assert [sample.adherence for sample in lines[0].samples] == [0, 0.5, 1, 0]
    assert (tmp_path / "out" / "best_of_n.html").is_file()
    assert "rater" in done.out


def test_running_again_asks_nothing_and_more_samples_go_on_with_those_there_are(
    release: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    settings(tmp_path, endpoint.url)
    best_of(release, tmp_path, "-n", 2)
    before, asked = about(tmp_path), endpoint.n
    best_of(release, tmp_path, "-n", 2)
    assert endpoint.n == asked
    assert about(tmp_path) == before
    best_of(release, tmp_path, "-n", 3)
    # A draw, its judgement and its score for each question.
    assert endpoint.n == asked + 3 * before.questions
    assert max(endpoint.by_identity.values()) == 1


def test_a_policy_is_shown_as_many_posts_as_its_table_says_and_no_rubric(
    release: Path, tmp_path: Path, endpoint: Endpoint, questions: ReleaseQuestions
) -> None:
    settings(tmp_path, endpoint.url, "posts = 1\n")
    assert best_of(release, tmp_path, "-n", 1).code == 0
    lines = list(read_lines(tmp_path / "out" / "samples.jsonl", SampledQuestion))
    assert {line.posts for line in lines} == {1}
    told = [call.said for call in endpoint.asked if "<task>sample</task>" in call.said]
    assert [said.count("<post ") for said in told] == [1] * len(questions.own)
    assert not [of for of in questions.own for aspect in of.aspects if aspect in "".join(told)]


def test_more_than_n_samples_cannot_be_picked_from(
    release: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    settings(tmp_path, endpoint.url)
    done = best_of(release, tmp_path, "-n", 4, "-k", 1, "-k", 8)
    assert done.code == 2
    assert "the best of 8 cannot be picked from 4" in done.err
    assert endpoint.n == 0


@pytest.mark.parametrize(
    ("more", "arguments", "message"),
    [
        ("", ["--scorer", "judge"], "compares two responses"),
        ("", ["--scorer", "nobody"], "no scorer 'nobody'"),
        ("sampling = { temperature = 0.0 }\n", [], "one and the same"),
        ("", ["-k", "0"], "k is 1 or more"),
    ],
    ids=["a comparing judge", "an unknown scorer", "temperature 0", "k = 0"],
)
def test_what_cannot_work_is_refused_before_the_first_call(
    release: Path, tmp_path: Path, endpoint: Endpoint, more: str, arguments: list[str], message: str
) -> None:
    settings(tmp_path, endpoint.url, more)
    done = best_of(release, tmp_path, "-n", 2, *arguments)
    assert done.code == 2
    assert message in done.err
    assert endpoint.n == 0


@pytest.mark.parametrize("table", ["policy", "judge"])
def test_a_file_without_policy_or_judge_is_refused(
    release: Path, tmp_path: Path, endpoint: Endpoint, table: str
) -> None:
    path = settings(tmp_path, endpoint.url)
    text = path.read_text("utf-8").replace(f'[{table}]\nendpoint = "toy"\n', "")
    path.write_text(text, encoding="utf-8")
    done = best_of(release, tmp_path, "-n", 2)
    assert done.code == 2
    assert f"[{table}]" in done.err


def test_a_question_whose_sample_gets_no_verdict_leaves_and_is_named(
    release: Path, tmp_path: Path
) -> None:
    def broken(response: str) -> str | None:
        return "20" if response.startswith("Draw 1 ") else None

    with in_thread(Toy(broken)) as endpoint:
        settings(tmp_path, endpoint.url)
        done = best_of(release, tmp_path, "-n", 2)
    assert done.code == 1
    found = about(tmp_path)
    assert (found.sampled, found.unscored) == (0, {"unparseable": found.questions})
    assert found.ceiling is None
    lines = list(read_lines(tmp_path / "out" / "samples.jsonl", SampledQuestion))
    assert {line.unscored for line in lines} == {"unparseable"}
    assert all(line.samples[1].adherence is None for line in lines)
    assert f"0 of {found.questions} questions count" in done.err


def outputs(folder: Path, questions: ReleaseQuestions, text: str = "Draw 2.") -> Path:
    path = folder / "outputs.jsonl"
    written = "".join(line(id=asked.item, output=text) for asked in questions.own)
    path.write_text(written, encoding="utf-8")
    return path


def judge_outputs(release: Path, folder: Path, *more: object) -> Done:
    return pairwright(
        "downstream", "judge-outputs", release, folder / "outputs.jsonl",
        "--scorers", folder / "scorers.toml", "--out", folder / "out", *more,
    )  # fmt: skip


def test_outputs_are_judged_once_by_every_aspect(
    release: Path, tmp_path: Path, endpoint: Endpoint, questions: ReleaseQuestions
) -> None:
    settings(tmp_path, endpoint.url)
    outputs(tmp_path, questions, "Draw 1.")
    done = judge_outputs(release, tmp_path)
    assert done.code == 0, done.err
    read = OutputScores.model_validate_json((tmp_path / "out" / "judged.json").read_text("utf-8"))
    (model,) = read.models
    assert model.adherence is not None
    assert (model.adherence.value, model.scored) == (0.5, len(questions.own))
    first = next(iter(read_lines(tmp_path / "out" / "judged.jsonl", JudgedOutput)))
    assert [score.score for score in first.scores] == [1] * len(questions.own[0].aspects)
    asked = endpoint.n
    assert judge_outputs(release, tmp_path).code == 0
    assert endpoint.n == asked


@pytest.mark.parametrize(
    "reply",
    ["20", "[2, 2]", '{"scores": [{"number": 1, "reason": "r", "score": 2}]}', "", '{"scores": []}',
     '{"scores": [{"number": 1, "reason": "r", "score": 3}, {"number": 2, "reason": "r",'
     ' "score": 2}]}'],
    ids=["a number", "a list", "too few scores", "empty", "no scores", "off the scale"],
)  # fmt: skip
def test_a_judgement_that_cannot_be_read_is_a_reason_and_never_zero(
    release: Path, tmp_path: Path, questions: ReleaseQuestions, reply: str
) -> None:
    with in_thread(Toy(lambda _: reply or " ")) as endpoint:
        settings(tmp_path, endpoint.url)
        outputs(tmp_path, questions)
        done = judge_outputs(release, tmp_path)
    assert done.code == 1
    lines = list(read_lines(tmp_path / "out" / "judged.jsonl", JudgedOutput))
    assert {(line.adherence, line.unscored) for line in lines} == {(None, "unparseable")}
    assert "not known" in done.out


def test_a_call_that_fails_is_a_reason_and_is_asked_again_by_the_next_run(
    release: Path, tmp_path: Path, questions: ReleaseQuestions
) -> None:
    healed = False
    toy = Toy()

    async def ailing(call: Call) -> web.StreamResponse:
        if healed or questions.own[0].question not in call.said:
            return await toy(call)
        return web.json_response({"error": {"message": "out of order"}}, status=500)

    with in_thread(ailing) as endpoint:
        path = settings(tmp_path, endpoint.url)
        once = path.read_text("utf-8").replace('model = "m"', 'model = "m"\nattempts = 1')
        path.write_text(once, encoding="utf-8")
        outputs(tmp_path, questions)
        done = judge_outputs(release, tmp_path, "--coverage", "0.5")
        assert done.code == 0, done.err
        assert "run the same command again" in done.err
        first, *others = read_lines(tmp_path / "out" / "judged.jsonl", JudgedOutput)
        assert first.adherence is None
        assert first.unscored.startswith("call_failed:")
        assert all(of.adherence == 1 for of in others)
        assert best_of(release, tmp_path, "-n", 2).code == 1
        assert about(tmp_path).sampled == len(questions.own) - 1
        healed = True
        asked = endpoint.n
        assert judge_outputs(release, tmp_path).code == 0
        assert endpoint.n == asked + 1
        assert best_of(release, tmp_path, "-n", 2).code == 0
        assert about(tmp_path).sampled == len(questions.own)


def test_an_empty_output_is_counted_and_not_judged(
    release: Path, tmp_path: Path, endpoint: Endpoint, questions: ReleaseQuestions
) -> None:
    settings(tmp_path, endpoint.url)
    outputs(tmp_path, questions, "  ")
    done = judge_outputs(release, tmp_path)
    assert done.code == 1
    assert "empty_output" in done.err
    assert endpoint.n == 0


def report(policy: str) -> BestOfN:
    return BestOfN(
        release=ReleaseRef(name="r", version="1.0.0", digest="d", pairs=1),
        limit=None, n=2, policy=ScorerRef(name="policy", kind="policy", model=policy),
        judge=ScorerRef(name="judge", kind="judge", model="j"), simulated=False, questions=1,
        sampled=1, unscored={}, ceiling=ceiling(samples([0.0, 1.0]), (1, 2)),
        curves=(made(samples([0.0, 1.0]), [0, 1]),),
    )  # fmt: skip


def test_a_model_that_bears_a_hostile_name_is_shown_as_it_is() -> None:
    found = report("<script>x</script>")
    page = best_of_n_page(found)
    html = page.html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "(no interval)" in page.markdown


def test_at_one_sample_there_is_no_gain() -> None:
    found = report("p").model_copy(update={"ceiling": None})
    text = io.StringIO()
    print_page(Console(file=text, width=100), best_of_n_page(found, drawn=False))
    one, two = [line.split("  ") for line in text.getvalue().splitlines() if "s, n = 1" in line]
    assert " 0.500 (no interval)" in one
    assert not any("+" in cell for cell in one)
    assert " +0.500 (no interval)" in two
    page = best_of_n_page(found).markdown
    assert "| s, n = 1 | 1 | 0.500 (no interval) |  | 0.000 (no interval) |" in page
    assert "At k = 1 nothing is picked, so there is no gain." in " ".join(page.split())


def test_a_policy_on_an_unknown_endpoint_is_named(tmp_path: Path) -> None:
    path = settings(tmp_path, "http://127.0.0.1:1/v1")
    text = path.read_text("utf-8")
    path.write_text(text.replace('[policy]\nendpoint = "toy"', '[policy]\nendpoint = "gone"'))
    with pytest.raises(ConfigError, match=r"\[policy\] names the endpoint 'gone'"):
        load_scorers(path)


def test_scores_on_a_trial_release_say_that_it_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    ref = ReleaseRef(name="r", version="0.1.0-trial", digest="b2:00", trial=True, pairs=1)
    judge = ScorerRef(name="judge", kind="judge", model="m")
    print_scores(OutputScores(release=ref, judge=judge, simulated=False, models=()))
    assert TRIAL in " ".join(capsys.readouterr().out.split())

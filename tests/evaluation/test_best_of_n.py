"""Outputs held to rubrics, and what a scorer's pick of k samples is worth."""

import json
import math
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from aiohttp import web

from decided import ends
from endpoint import Asked as Call
from endpoint import Endpoint, completion, in_thread
from pairwright.cli.evaluation import print_scores
from pairwright.errors import InputError
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.best_of_n import (
    BestOfN,
    SampledQuestion,
    ScorerCurve,
    best_of_n_page,
    curve,
    of_subsets,
)
from pairwright.evaluation.outputs import (
    JudgedOutput,
    OutputScores,
    PersonQuestion,
    PersonQuestions,
    SampleScores,
    model_scores,
    read_outputs,
)
from pairwright.evaluation.scorers.scorer import ScorerRef
from pairwright.lines import read_lines
from pairwright.pairs import Row
from pairwright.records import AspectScore
from study import Done, pairwright


@pytest.fixture(scope="module")
def release(small_release: Path) -> Path:
    return small_release


@pytest.fixture(scope="module")
def rows(release: Path) -> list[Row]:
    return list(Benchmark(release).rows())


@pytest.fixture(scope="module")
def questions(rows: list[Row]) -> PersonQuestions:
    return PersonQuestions(rows)


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


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_of_right_and_wrong_samples_it_is_pass_at_k(k: int) -> None:
    # Chen et al. 2021 (Codex), eq. 1: 1 - C(n - c, k) / C(n, k) for c right ones of n.
    worth = np.array([1.0] * 3 + [0.0] * 7)
    expected = 1 - math.comb(7, k) / math.comb(10, k)
    assert of_subsets(worth, worth, k) == pytest.approx(expected)


@pytest.mark.parametrize("k", [0, -1, 7, 64])
def test_more_than_there_are_is_refused_and_never_repeated(k: int) -> None:
    with pytest.raises(ValueError, match="6 samples"):
        of_subsets(np.zeros(6), np.array(WORTH), k)


# Curves


Samples = list[tuple[SampledQuestion, str]]
"""Each with its cluster."""


def samples(*worths: list[float], cluster: str = "") -> Samples:
    return [
        (
            SampledQuestion(pair=f"p{n}", responses=("",) * len(of), adherence=tuple(of)),
            cluster or f"user-{n}",
        )
        for n, of in enumerate(worths)
    ]


def made(given: Samples, *scores: list[float]) -> ScorerCurve:
    scored = [
        SampleScores(question=of.pair, scorer="s", scores=tuple(each))
        for (of, _), each in zip(given, scores, strict=True)
    ]
    return curve(ScorerRef(name="s", kind="pointwise"), given, scored, (1, 2))


def test_a_curve_is_the_mean_over_questions_with_its_interval_by_user() -> None:
    one, two = made(samples([0.0, 1.0], [0.5, 0.5], [1.0, 0.0]), *[[0.0, 1.0]] * 3).points
    assert (one.subsets.value, one.gain.value, two.subsets.value) == (0.5, 0, 0.5)
    assert (two.subsets.n, two.subsets.clusters, two.subsets.low) == (3, 3, None)
    many = made(samples(*[[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]] * 2), *[[0.0, 1.0]] * 6).points[1]
    low, high = ends(many.subsets)
    assert low < 0.5 < high
    # Questions of one user are not independent.
    together = made(samples([0.0, 1.0], [0.2, 0.4], cluster="una"), [0, 1], [0, 1])
    assert (together.points[0].subsets.clusters, together.points[0].subsets.low) == (1, None)
    # Equal values and gains have no interval.
    equal = made(samples(*[[0.0, 0.0]] * 6), *[[0.0, 1.0]] * 6).points[0].subsets
    assert (equal.value, equal.low) == (0, None)
    given = samples([0.0, 1.0], [1.0, 0.0])
    picks = made(given, [0, 1], [1, 0]).points[1].gain
    assert (picks.value, picks.low, picks.high) == (0.5, None, None)
    never = made(given, [0, 0], [0, 0]).points[1].gain
    assert (never.value, never.low, never.high) == (0, None, None)


def test_a_question_without_a_score_for_every_sample_does_not_count() -> None:
    given = samples([0.0, 1.0], [0.8, 0.2])
    scored = [
        SampleScores(question="p0", scorer="s", scores=(1.0, 2.0)),
        SampleScores(question="p1", scorer="s", unscored="context_length", detail="too long"),
    ]
    found = curve(ScorerRef(name="s", kind="pointwise"), given, scored, (1, 2))
    assert (found.questions, found.unscored) == (1, {"context_length": 1})
    nothing = curve(found.scorer, given, scored[1:], (1, 2))
    assert (nothing.questions, nothing.points) == (0, ())


# Outputs


def line(**fields: Any) -> str:
    return json.dumps({"model": "m", "output": "Bread.", **fields}) + "\n"


def test_an_output_is_named_by_its_item_or_by_a_pair(
    tmp_path: Path, questions: PersonQuestions, rows: list[Row]
) -> None:
    counterfactual = next(row for row in rows if not row.asked)
    own = next(row for row in rows if row.asked and row.item_id == counterfactual.item_id)
    path = tmp_path / "outputs.jsonl"
    lines = (line(id=own.item_id), "\n", line(id=counterfactual.id), line(id=own.id, model="other"))
    path.write_text("".join(lines), encoding="utf-8")
    first, second, third = (question for _, question in read_outputs(path, questions))
    assert first == third
    assert first.aspects == tuple(of.aspect for of in own.rubric_aspects)
    assert second.aspects == tuple(of.aspect for of in counterfactual.rubric_aspects)
    assert second.cluster == counterfactual.user
    # A person has one question in both modes.
    assert len(questions.own) == len({row.item_id for row in rows})
    assert len({asked.pair for asked in questions.own}) == len(questions.own)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        pytest.param(None, "", "cannot be read", id="absent"),
        pytest.param("", "", "holds no outputs", id="empty"),
        pytest.param("\n\n", "", "holds no outputs", id="blank lines"),
        pytest.param("{", ":1", "JSON", id="no JSON"),
        pytest.param("[]\n", ":1", "object", id="a list"),
        pytest.param('{"id": "ID"}\n', ":1 [model]",
                      "the line has 'id'", id="no model"),
        pytest.param('{"id": "ID", "model": "m", "answer": "x"}\n', ":1 [output]",
                     "the line has 'id', 'model', 'answer'",
                     id="another name"),
        pytest.param(line(id="ID", model=""), ":1 [model]", "character", id="an empty model"),
        pytest.param(line(id="ID", output=None), ":1 [output]", "string", id="no output"),
        pytest.param(line(id=7), ":1 [id]", "string", id="a number as id"),
        pytest.param(line(id="nobody"), ":1", "no item and no pair", id="unknown id"),
        pytest.param(line(id="ID") * 2, ":2", "in line 1 already", id="the same item twice"),
        pytest.param(line(id="ID") + line(id="PAIR"), ":2",
                     "in line 1 already: ID and PAIR are both for 'ASKED', asked by ",
                     id="by item and by pair"),
        pytest.param(b"\xff\xfe", "", "not UTF-8", id="not UTF-8"),
    ],
)  # fmt: skip
def test_a_bad_file_of_outputs_is_refused_with_its_line(
    tmp_path: Path, questions: PersonQuestions, text: str | bytes | None, where: str, what: str
) -> None:
    asked, path = questions.own[0], tmp_path / "outputs.jsonl"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else _named(text, asked).encode())
    with pytest.raises(InputError) as caught:
        read_outputs(path, questions)
    assert f"{path}{where}" in str(caught.value)
    assert _named(what, asked) in str(caught.value)
    assert caught.value.fix


def _named(text: str, asked: PersonQuestion) -> str:
    for place, value in (("ID", asked.item), ("PAIR", asked.pair), ("ASKED", asked.question[:60])):
        text = text.replace(place, value)
    return text


def judged(n: int, adherence: float | None, why: str = "") -> tuple[JudgedOutput, PersonQuestion]:
    scores = () if adherence is None else (AspectScore(reason="r", score=round(2 * adherence)),)
    output = JudgedOutput(
        id=f"i{n}", pair=f"p{n}", model="m", adherence=adherence, scores=scores, unscored=why
    )
    return output, PersonQuestion(f"p{n}", f"i{n}", "Why?", (), ("a",), f"user-{n}")


def test_outputs_without_a_score_are_never_zero() -> None:
    given = [judged(0, 1.0), judged(1, 0.5), judged(2, None, "unparseable")]
    (found,) = model_scores(given, 5)
    assert found.adherence is not None
    assert (found.adherence.value, found.adherence.n) == (0.75, 2)
    assert (found.scored, found.outputs, found.questions) == (2, 3, 5)
    assert found.unscored == {"unparseable": 1}
    (none,) = model_scores([judged(0, None, "empty_output")], 5)
    assert none.adherence is None


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
        numbers = range(1, said.count("<aspect number") + 1)
        scores = [{"number": n, "reason": "r", "score": worth} for n in numbers]
        return json.dumps({"scores": scores})


POLICY, JUDGE = ('[policy]\nendpoint = "toy"\n', '[judge]\nendpoint = "toy"\n')
SETTINGS = f"""
[endpoints.toy]
base_url = "URL"
model = "m"
attempts = 1
[scorers.rater]
kind = "pointwise"
endpoint = "toy"
[scorers.judge]
kind = "pairwise"
endpoint = "toy"
{JUDGE}{POLICY}"""


class Work(NamedTuple):
    """A folder with a file of scorers, where the commands are given."""

    release: Path
    folder: Path
    endpoint: Endpoint
    questions: PersonQuestions

    def write(self, settings: str = SETTINGS) -> None:
        text = settings.replace("URL", self.endpoint.url)
        (self.folder / "scorers.toml").write_text(text, encoding="utf-8")

    def best_of(self, *more: object) -> Done:
        return self._run("best-of-n", self.release, "--scorer", "rater", *more)

    def judge(self, *more: object) -> Done:
        return self._run("judge-outputs", self.release, self.folder / "outputs.jsonl", *more)

    def _run(self, command: str, *given: object) -> Done:
        scorers, out = self.folder / "scorers.toml", self.folder / "out"
        return pairwright("downstream", command, *given, "--scorers", scorers, "--out", out)

    def outputs(self, text: str) -> None:
        """Every question has this output."""
        written = "".join(line(id=asked.item, output=text) for asked in self.questions.own)
        (self.folder / "outputs.jsonl").write_text(written, encoding="utf-8")

    @property
    def found(self) -> BestOfN:
        path = self.folder / "out" / "best_of_n.json"
        return BestOfN.model_validate_json(path.read_text("utf-8"))

    @property
    def samples(self) -> list[SampledQuestion]:
        return list(read_lines(self.folder / "out" / "samples.jsonl", SampledQuestion))

    @property
    def judged(self) -> list[JudgedOutput]:
        return list(read_lines(self.folder / "out" / "judged.jsonl", JudgedOutput))


@pytest.fixture
def work(release: Path, tmp_path: Path, questions: PersonQuestions) -> Iterator[Work]:
    with in_thread(Toy()) as endpoint:
        made = Work(release, tmp_path, endpoint, questions)
        made.write()
        yield made


def test_a_scorer_that_agrees_with_the_judge_reaches_the_ceiling(work: Work) -> None:
    done = work.best_of("-n", 4, "--scorer", "constant")
    assert done.code == 0, done.err
    found = work.found
    rater, constant = found.curves
    # Draws 0 to 3 are worth 0, 1/2, 1 and 0.
    assert [point.subsets.value for point in rater.points] == [0.375, pytest.approx(4 / 6), 1]
    assert found.ceiling is not None
    assert rater.points == found.ceiling.points
    assert [point.gain.value for point in constant.points] == [0, 0, 0]
    assert all(point.subsets.n == found.questions for point in rater.points)
    assert work.samples[0].adherence == (0, 0.5, 1, 0)
    assert (work.folder / "out" / "best_of_n.html").is_file()
    assert "rater" in done.out


def test_running_again_asks_nothing_and_more_samples_go_on_with_those_there_are(work: Work) -> None:
    work.best_of("-n", 2)
    before, asked = work.found, work.endpoint.n
    work.best_of("-n", 2)
    assert work.endpoint.n == asked
    assert work.found == before
    work.best_of("-n", 3)
    # A draw, its judgement and its score for each question.
    assert work.endpoint.n == asked + 3 * before.questions
    assert max(work.endpoint.by_identity.values()) == 1


@pytest.mark.parametrize(
    ("settings", "arguments", "message"),
    [
        (SETTINGS, ["--scorer", "judge"], "compares two responses"),
        (SETTINGS, ["--scorer", "nobody"], "no scorer 'nobody'"),
        (f"{SETTINGS}sampling = {{ temperature = 0.0 }}\n", [], "one and the same"),
        (SETTINGS.replace(POLICY, ""), [], "[policy]"),
        (SETTINGS.replace(JUDGE, ""), [], "[judge]"),
        (SETTINGS.replace(POLICY, '[policy]\nendpoint = "gone"\n'), [],
         "[policy] names the endpoint 'gone'"),
    ],
    ids=["a comparing judge", "an unknown scorer", "temperature 0",
         "no policy", "no judge", "an unknown endpoint"],
)  # fmt: skip
def test_what_cannot_work_is_refused_before_the_first_call(
    work: Work, settings: str, arguments: list[object], message: str
) -> None:
    work.write(settings)
    done = work.best_of("-n", 2, *arguments)
    assert done.code == 2
    assert message in done.err
    assert work.endpoint.n == 0


def test_a_question_whose_sample_gets_no_verdict_leaves_and_is_named(work: Work) -> None:
    work.endpoint.handler = Toy(lambda said: "20" if said.startswith("Draw 1 ") else None)
    done = work.best_of("-n", 2)
    assert done.code == 1
    found = work.found
    assert found.unscored == {"unparseable": found.questions}
    assert found.ceiling is None
    assert {line.unscored for line in work.samples} == {"unparseable"}
    assert all(line.adherence[1] is None for line in work.samples)
    assert f"0 of {found.questions} questions count" in done.err


def test_outputs_are_judged_once_by_every_aspect(work: Work) -> None:
    work.outputs("Draw 1.")
    done = work.judge()
    assert done.code == 0, done.err
    written = (work.folder / "out" / "judged.json").read_text("utf-8")
    (model,) = OutputScores.model_validate_json(written).models
    assert model.adherence is not None
    assert (model.adherence.value, model.scored) == (0.5, len(work.questions.own))
    scores = [score.score for score in work.judged[0].scores]
    assert scores == [1] * len(work.questions.own[0].aspects)
    asked = work.endpoint.n
    assert work.judge().code == 0
    assert work.endpoint.n == asked


SCORE = {"number": 1, "reason": "r", "score": 2}
OFF_THE_SCALE = {"number": 2, "reason": "r", "score": 3}


@pytest.mark.parametrize(
    "reply",
    ["20", "[2, 2]", {"scores": [SCORE]}, " ", {"scores": []}, {"scores": [SCORE, OFF_THE_SCALE]}],
    ids=["a number", "a list", "too few scores", "empty", "no scores", "off the scale"],
)
def test_a_judgement_that_cannot_be_read_is_a_reason_and_never_zero(work: Work, reply: Any) -> None:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    work.endpoint.handler = Toy(lambda _: text)
    work.outputs("Draw 2.")
    done = work.judge()
    assert done.code == 1
    assert {(line.adherence, line.unscored) for line in work.judged} == {(None, "unparseable")}
    assert "not known" in done.out


def test_a_call_that_fails_is_a_reason_and_is_asked_again_by_the_next_run(work: Work) -> None:
    async def ailing(call: Call) -> web.StreamResponse:
        if work.questions.own[0].question not in call.said:
            return await Toy()(call)
        return web.json_response({"error": {"message": "out of order"}}, status=500)

    work.endpoint.handler = ailing
    work.outputs("Draw 2.")
    done = work.judge()
    assert "run the same command again" in done.err
    first, *others = work.judged
    assert first.adherence is None
    assert first.unscored.startswith("call_failed:")
    assert all(of.adherence == 1 for of in others)
    assert work.best_of("-n", 2).code == 1
    assert sum(work.found.unscored.values()) == 1
    work.endpoint.handler, asked = Toy(), work.endpoint.n
    assert work.judge().code == 0
    assert work.endpoint.n == asked + 1
    assert work.best_of("-n", 2).code == 0
    assert not work.found.unscored


def report(policy: str) -> BestOfN:
    given = samples([0.0, 1.0])
    return BestOfN(
        benchmark=BenchmarkRef(name="r", version="1.0.0", digest="d"), n=2,
        policy=ScorerRef(name="policy", kind="policy", model=policy),
        judge=ScorerRef(name="judge", kind="judge", model="j"), questions=1,
        unscored={}, ceiling=made(given, [0, 1]), curves=(made(given, [0, 1]),),
    )  # fmt: skip


def test_a_model_that_bears_a_hostile_name_is_shown_as_it_is() -> None:
    page = best_of_n_page(report("<script>x</script>"))
    assert "<script>" not in page.html
    assert "&lt;script&gt;" in page.html


def test_scores_on_a_trial_release_say_that_it_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    ref = BenchmarkRef(name="r", version="0.1.0-trial", digest="b2:00", kind="trial")
    judge = ScorerRef(name="judge", kind="judge", model="m")
    print_scores(OutputScores(benchmark=ref, judge=judge, models=()))
    assert ref.warning in " ".join(capsys.readouterr().out.split())

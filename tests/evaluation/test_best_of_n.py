"""What a scorer's pick of k samples is worth, and outputs that are judged by the rubrics."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytest
from aiohttp import web

from decided import ends
from endpoint import Asked as Call
from endpoint import Endpoint, Handler, completion, in_thread
from pairwright.errors import InputError
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.best_of_n import (
    CEILING,
    Sample,
    Sampled,
    SampleScores,
    curves_of,
    of_subsets,
    result_of,
)
from pairwright.evaluation.downstream import Downstream
from pairwright.evaluation.outputs import (
    JudgedOutput,
    asked_questions,
    questions_by_id,
    read_outputs,
)
from pairwright.evaluation.scorers.scorer import ScorerRef
from pairwright.lines import read_lines
from pairwright.pairs import Row
from pairwright.records import Record
from study import Done, pairwright

T = TypeVar("T", bound=Record)
REF = BenchmarkRef(name="r", version="1.0.0", digest="d")
JUDGE = ScorerRef(name="judge", kind="judge", model="j")


@pytest.fixture(scope="module")
def rows(small_release: Path) -> list[Row]:
    return list(Benchmark(small_release).rows())


@pytest.fixture(scope="module")
def questions(rows: list[Row]) -> dict[str, Row]:
    return questions_by_id(rows)


# The estimator


def by_hand(scores: list[float], worth: list[float], k: int) -> float:
    """Over every subset of k, the mean worth of its best."""
    found = []
    for subset in combinations(range(len(scores)), k):
        best = max(scores[n] for n in subset)
        found.append(np.mean([worth[n] for n in subset if scores[n] == best]))
    return float(np.mean(found))


@pytest.mark.parametrize(
    "scores",
    [[3.0, 1.0, 4.0, 1.5, 5.0, 9.0], [3.0, 1.0, 3.0, 1.0, 3.0, 2.0], [0.0] * 6],
    ids=["distinct", "tied", "all tied"],
)
def test_all_subsets_are_what_counting_them_gives(scores: list[float]) -> None:
    worth = [0.0, 0.25, 1.0, 0.5, 0.75, 0.1]
    for k in range(1, 7):
        found = of_subsets(np.array(scores), np.array(worth), k)
        assert found == pytest.approx(by_hand(scores, worth, k), abs=1e-12)


# Curves


def made(
    worths: list[list[float]],
    scores: list[list[float]],
    users: str = "abcdef",
    policy: str = "p",
    model: str = "rm",
) -> Downstream:
    """The result of one scorer; `users` has a letter for the user of each question."""
    samples = [
        Sample(
            id=f"p{n}", user=users[n], condition="profile", draw=draw, worth={"adherence": worth}
        )
        for n, of in enumerate(worths)
        for draw, worth in enumerate(of)
    ]  # fmt: skip
    scored = [
        SampleScores(
            question=f"p{n}", scorer="s", scores=tuple(of), unscored="" if of else "http_500"
        )
        for n, of in enumerate(scores)
    ]
    models = [
        ScorerRef(name="policy", kind="", model=policy),
        ScorerRef(name="s", kind="", model=model),
    ]
    return result_of(Sampled(models, samples, scored), JUDGE, 2, REF)


def test_a_curve_is_the_mean_over_questions_with_its_interval_by_user() -> None:
    few = made([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0]] * 3)
    one, two = (few.figure("adherence", "s", k) for k in "12")
    assert (one.value, two.value, few.figure("gain", "s", "2").value) == (0.5, 0.5, 0)
    assert (two.n, two.clusters, two.low) == (3, 3, None)
    assert few.figure("adherence", CEILING, "2").value == pytest.approx(2.5 / 3, abs=1e-6)
    many = made([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]] * 2, [[0.0, 1.0]] * 6)
    low, high = ends(many.figure("adherence", "s", "2"))
    assert low < 0.5 < high
    # Questions of one user are not independent.
    together = made([[0.0, 1.0], [0.2, 0.4]], [[0, 1], [0, 1]], users="aa")
    assert together.figure("adherence", "s", "1").clusters == 1
    gain = made([[0.0, 1.0], [1.0, 0.0]], [[0, 1], [1, 0]]).figure("gain", "s", "2")
    assert (gain.value, str(gain)[:6]) == (0.5, "+0.500")


def test_a_question_without_a_score_for_every_sample_does_not_count() -> None:
    found = made([[0.0, 1.0], [0.8, 0.2]], [[1.0, 2.0], []], model="j", policy="<script>x</script>")
    assert found.figure("adherence", "s", "2").n == 1
    (part,) = found.parts
    assert (part.counted, part.unscored, part.short) == (1, {"http_500": 1}, True)
    assert found.warnings == ("s is the judge's own model: this is not evidence.",)
    page = found.page(**curves_of(found))
    assert "<script>" not in page.html
    assert "&lt;script&gt;" in page.html
    nothing = made([], [])
    assert (nothing.figures, nothing.parts[0].short, curves_of(nothing)) == ((), True, {})


# Outputs


def line(**fields: Any) -> str:
    return json.dumps({"model": "m", "output": "Bread.", **fields}) + "\n"


def test_an_output_is_named_by_a_pair(
    tmp_path: Path, questions: dict[str, Row], rows: list[Row]
) -> None:
    counterfactual = next(row for row in rows if not row.asked)
    own = next(row for row in rows if row.asked and row.item_id == counterfactual.item_id)
    path = tmp_path / "outputs.jsonl"
    lines = (line(id=own.id), line(id=counterfactual.id), line(id=own.id, model="other"))
    path.write_text("".join(lines), encoding="utf-8")
    first, second, third = (question for _, question in read_outputs(path, questions))
    assert first == third
    assert first.rubric_aspects == own.rubric_aspects
    assert second.rubric_aspects == counterfactual.rubric_aspects
    assert second.user == counterfactual.user
    # A person has one question in both modes.
    assert len(asked_questions(questions)) == len({row.item_id for row in rows})


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", "", "holds no outputs"),
        (line(id="ID", model=""), ":1 [model]", "at least 1"),
        ('{"id": "ID", "model": "m", "answer": "x"}\n', ":1 [output]", "required"),
        (line(id="nobody"), ":1", "no pair 'nobody'"),
        (line(id="ID") * 2, ":2", "already"),
        (b"\xff\xfe", ":1", "UTF-8"),
    ],
)  # fmt: skip
def test_a_bad_file_of_outputs_is_refused_with_its_line(
    tmp_path: Path,
    questions: dict[str, Row],
    rows: list[Row],
    text: str | bytes,
    where: str,
    what: str,
) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_bytes(text.replace("ID", rows[0].id).encode() if isinstance(text, str) else text)
    with pytest.raises(InputError) as caught:
        read_outputs(path, questions)
    assert f"{path}{where}" in str(caught.value)
    assert what in str(caught.value)
    assert caught.value.fix


# The commands, on a real port


def toy(broken: Callable[[str], str | None] = lambda _: None) -> Handler:
    """A policy, and a judge and a rater by whom its draws 0, 1, 2, 3, ... are worth 0, 1/2, 1, 0,
    ...; what the judge replies to a text may be broken on purpose."""

    async def handler(call: Call) -> web.StreamResponse:
        said, draw = call.said, int(call.body["seed"])
        response = said.partition("<response>")[2].partition("</response>")[0].strip()
        found = re.search(r"Draw (\d+)", response)
        worth = int(found[1]) % 3 if found else 0
        numbers = range(1, said.count("<aspect number") + 1)
        scores = [{"number": n, "reason": "r", "score": worth} for n in numbers]
        replies = {
            "sample": f"Draw {draw} of it. " + "more " * draw,
            "rate": json.dumps({"reason": "r", "score": 1 + worth}),
        }
        (task,) = re.findall(r"<task>(\w+)</task>", said)
        reply = replies.get(task) or broken(response) or json.dumps({"scores": scores})
        return web.json_response(completion(reply))

    return handler


POLICY, ASKED = ('[policy]\nendpoint = "toy"\n', '[judge]\nendpoint = "toy"\n')
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
{ASKED}{POLICY}"""


class Work(NamedTuple):
    """A folder with a file of scorers, where the commands are given."""

    release: Path
    folder: Path
    endpoint: Endpoint
    questions: list[Row]

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
        written = "".join(line(id=asked.id, output=text) for asked in self.questions)
        (self.folder / "outputs.jsonl").write_text(written, encoding="utf-8")

    def found(self, name: str = "best_of_n") -> Downstream:
        path = self.folder / "out" / f"{name}.json"
        return Downstream.model_validate_json(path.read_text("utf-8"))

    def lines(self, name: str, kind: type[T]) -> list[T]:
        return list(read_lines(self.folder / "out" / name, kind))


@pytest.fixture
def work(small_release: Path, tmp_path: Path, questions: dict[str, Row]) -> Iterator[Work]:
    with in_thread(toy()) as endpoint:
        made = Work(small_release, tmp_path, endpoint, list(asked_questions(questions).values()))
        made.write()
        yield made


def test_a_scorer_that_agrees_with_the_judge_reaches_the_ceiling(work: Work) -> None:
    done = work.best_of("-n", 4, "--scorer", "constant")
    assert done.code == 0, done.err
    found = work.found()
    # Draws 0 to 3 are worth 0, 1/2, 1 and 0.
    for k, value in (("1", 0.375), ("2", 4 / 6), ("4", 1)):
        for name in ("rater", CEILING):
            assert found.figure("adherence", name, k).value == pytest.approx(value, abs=1e-6)
    assert found.figure("gain", "constant", "4").value == 0
    assert {part.asked for part in found.parts} == {found.figures[0].n}
    assert [one.worth["adherence"] for one in work.lines("samples.jsonl", Sample)[:4]] == [
        0,
        0.5,
        1,
        0,
    ]
    assert "rater gains most: of 4 samples" in " ".join(done.out.split())


def test_running_again_asks_nothing_and_more_samples_go_on_with_those_there_are(work: Work) -> None:
    work.best_of("-n", 2)
    before, asked = work.found(), work.endpoint.n
    work.best_of("-n", 2)
    assert work.endpoint.n == asked
    assert work.found() == before
    work.best_of("-n", 3)
    # A draw, its judgement and its score for each question.
    assert work.endpoint.n == asked + 3 * before.parts[0].asked
    assert max(work.endpoint.by_identity.values()) == 1


@pytest.mark.parametrize(
    ("settings", "arguments", "message"),
    [
        (SETTINGS, ["--scorer", "judge"], "compares two responses"),
        (SETTINGS, ["--scorer", "nobody"], "no scorer 'nobody'"),
        (f"{SETTINGS}sampling = {{ temperature = 0.0 }}\n", [], "one and the same"),
        (SETTINGS.replace(POLICY, ""), [], "[policy]"),
        (SETTINGS.replace(ASKED, ""), [], "[judge]"),
    ],
    ids=["a comparing judge", "an unknown scorer", "temperature 0", "no policy", "no judge"],
)
def test_what_cannot_work_is_refused_before_the_first_call(
    work: Work, settings: str, arguments: list[object], message: str
) -> None:
    work.write(settings)
    done = work.best_of("-n", 2, *arguments)
    assert done.code == 2
    assert message in done.err
    assert work.endpoint.n == 0


def test_a_question_whose_sample_gets_no_verdict_leaves_and_is_named(work: Work) -> None:
    work.endpoint.handler = toy(lambda said: "20" if said.startswith("Draw 1 ") else None)
    done = work.best_of("-n", 2)
    assert done.code == 1
    (part,) = work.found().parts
    assert part.unscored == {"unparseable": part.asked}
    assert not work.found().figures
    told = {
        (line.draw, line.unscored, bool(line.worth)) for line in work.lines("samples.jsonl", Sample)
    }
    assert told == {(0, "", True), (1, "unparseable", False)}
    assert f"rater: 0 of {part.asked} count" in done.err


SCORE = {"number": 1, "reason": "r", "score": 2}
UNREADABLE = {
    "Draw 1.": "20",
    "Draw 2.": " ",
    "Draw 3.": json.dumps({"scores": [SCORE]}),
    "Draw 4.": json.dumps({"scores": [SCORE, {**SCORE, "number": 2, "score": 3}]}),
}
"""Replies to outputs: a number, nothing, too few scores, and a score off the scale."""


def test_a_judgement_that_cannot_be_read_is_a_reason_and_never_zero(work: Work) -> None:
    work.endpoint.handler = toy(UNREADABLE.get)
    texts = ["Draw 5.", *UNREADABLE, " "]
    outputs = [
        line(id=asked.id, output=text) for asked, text in zip(work.questions, texts, strict=False)
    ]
    (work.folder / "outputs.jsonl").write_text("".join(outputs), encoding="utf-8")
    done = work.judge()
    assert done.code == 1
    assert [(one.adherence, one.unscored) for one in work.lines("judged.jsonl", JudgedOutput)] == [
        (1, ""), *[(None, "unparseable")] * 4, (None, "empty_output"),
    ]  # fmt: skip
    found = work.found("judged")
    (part,) = found.parts
    assert (part.asked, part.counted) == (6, 1)
    assert part.unscored == {"empty_output": 1, "unparseable": 4}
    assert found.figure("adherence", "m").n == 1
    assert f"m: outputs for 6 of {len(work.questions)} questions." in found.notes


def test_a_call_that_fails_is_a_reason_and_is_asked_again_by_the_next_run(work: Work) -> None:
    async def ailing(call: Call) -> web.StreamResponse:
        if work.questions[0].question not in call.said:
            return await toy()(call)
        return web.json_response({"error": {"message": "out of order"}}, status=500)

    work.endpoint.handler = ailing
    work.outputs("Draw 2.")
    done = work.judge()
    assert "run the same command again" in done.err
    first, *others = work.lines("judged.jsonl", JudgedOutput)
    assert first.adherence is None
    assert first.unscored.startswith("call_failed:")
    assert all(of.adherence == 1 for of in others)
    assert work.best_of("-n", 2).code == 1
    assert sum(work.found().parts[0].unscored.values()) == 1
    # Outputs are judged once, by every aspect.
    work.endpoint.handler, asked = toy(), work.endpoint.n
    assert work.judge().code == 0
    assert work.endpoint.n == asked + 1
    assert [len(of.scores) for of in work.lines("judged.jsonl", JudgedOutput)] == [
        len(of.answer_key) for of in work.questions
    ]
    assert work.best_of("-n", 2).code == 0

"""`pairwright train score`: plans against gold aspects, judged and not, and what is left open."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from endpoint import double, in_thread
from golden import gold, planning_prompts, row, rows, write
from model_double import DOUBLE
from pairwright.construct.folder import to_toml
from pairwright.errors import CallFailed, InputError
from pairwright.lines import read_lines
from pairwright.models import Request
from pairwright.records import Item
from pairwright.stats import Estimate
from pairwright.training.plan_settings import PromptedPlanner
from pairwright.training.score_planners import (
    AspectAgreement,
    PlanScores,
    ScoredPlan,
    agreement_by_words,
    judged_by,
    others_of,
    planner_scores,
    read_plans,
    scored,
    served,
)
from scripted import Answer, Scripted, domains, expect, found_in, model, parts, wait
from scripted import body as said_in
from scripted import planned as reply
from study import Done, pairwright

# Without a judge


def test_each_aspect_is_compared_with_the_nearest_of_the_other_list() -> None:
    gold = ["red house", "green tree", "red boat"]
    found = agreement_by_words(["red house", "blue boat"], gold, ["blue boat"])
    # Planned: 1 and 1/3 (boat of blue, red, boat). Gold: 1, 0, and 1/3 either way.
    assert found.precision == pytest.approx((1 + 1 / 3) / 2, abs=1e-6)
    assert found.recall == pytest.approx((1 + 0 + 1 / 3) / 3, abs=1e-6)
    assert found.other == 0.5
    assert agreement_by_words([], gold, gold) == AspectAgreement(precision=None, recall=0.0)


@pytest.mark.parametrize(
    ("precision", "recall", "f1"),
    [(1.0, 0.5, 2 / 3), (None, 0.0, 0.0), (0.0, 0.0, 0.0)],
    ids=["harmonic mean", "nothing planned", "nothing agrees"],
)
def test_f1(precision: float | None, recall: float, f1: float) -> None:
    assert AspectAgreement(precision=precision, recall=recall).f1 == pytest.approx(f1)


def test_another_user_is_of_the_same_category_if_there_is_one(tmp_path: Path) -> None:
    given = gold(
        tmp_path, row("a"), row("b"), row("c", user="user-of-a"),
        row("d", category="philosophy"), row("e", category="philosophy"),
    ).items  # fmt: skip
    others = others_of(given, seed=0)
    by_id = {item.id: item for item in given}
    assert others.keys() == by_id.keys()
    for id, other in others.items():
        assert other.user != by_id[id].user
        assert other.category == by_id[id].category
    assert others_of(given[:1], seed=0) == {}


# Planners


def planned(tmp_path: Path, answer: Answer) -> ScoredPlan:
    spec = PromptedPlanner.model_validate({"kind": "endpoint", "endpoint": "toy"})
    ask = served(spec, model(Scripted(plan=answer)), planning_prompts(), domains())
    return wait(scored(gold(tmp_path, row("q-1")).items[0], None, ask, None))


def test_a_plan_is_what_stands_of_a_reply(tmp_path: Path) -> None:
    good = ("p1", "forty euros are left", "Cheap ingredients")
    bad = ("p1", "never said so anywhere", "Expensive ingredients")
    found = planned(tmp_path, reply(good, bad))
    assert (found.planned, found.dropped, found.left_out) == (("Cheap ingredients",), 1, 0)
    assert found.words is not None


@pytest.mark.parametrize(
    ("answer", "why"),
    [("no JSON", "unparseable"), (CallFailed("timeout", "t"), "call_failed:timeout")],
    ids=["no JSON", "failed"],
)
def test_a_reply_that_is_no_plan_is_the_reason_why_there_is_none(
    tmp_path: Path, answer: Answer, why: str
) -> None:
    found = planned(tmp_path, answer)
    assert (found.planned, found.missing, found.words) == (None, why, None)


# Plans of files


def plans_file(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "plans.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_plans_made_elsewhere_are_lists(tmp_path: Path) -> None:
    given = gold(tmp_path, *rows(4), row("bare", rubric_aspects=[]))
    path = plans_file(
        tmp_path,
        {"id": "q-0", "aspects": ["Cheap"]},
        {"id": "bare", "aspects": []},
    )
    ask = read_plans(path, given)
    found = [wait(scored(item, None, ask, None)) for item in given.items]
    assert [of.planned for of in found] == [("Cheap",), None, None, None]
    assert [of.missing for of in found] == ["", "no_plan", "no_plan", "no_plan"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": "x", "aspects": []}, "'x' is not in"),
        ({"id": "q-0", "aspects": []}, "has a plan already"),
        ({"id": "q-1", "aspects": [" "]}, "aspects.0"),
        ({"id": "q-1", "aspects": "nuts"}, "aspects"),
        ({"aspects": []}, "id"),
    ],
)
def test_a_wrong_plan_is_refused_by_its_line(tmp_path: Path, line: object, message: str) -> None:
    path = plans_file(tmp_path, {"id": "q-0", "aspects": []}, line)
    with pytest.raises(InputError) as raised:
        read_plans(path, gold(tmp_path, *rows(2)))
    assert message in str(raised.value)
    assert f"{path}:2" in str(raised.value)


# A judge


def judged(tmp_path: Path, plan: tuple[str, ...] | None, **answers: Answer) -> ScoredPlan:
    given = gold(tmp_path, *rows(6)).items

    async def ask(_: Item) -> dict[str, Any]:
        return {"planned": plan}

    judge = judged_by(model(Scripted(**answers)), planning_prompts())
    return wait(scored(given[0], others_of(given, 0)[given[0].id], ask, judge))


def own_and_other(tmp_path: Path) -> Callable[[Request], dict[str, Any]]:
    """A judge who finds the first aspect in the item's own list, and the second in the other."""
    item = gold(tmp_path, *rows(6)).items[0]

    def answer(request: Request) -> dict[str, Any]:
        lists = [parts("aspect", part) for part in parts("list", said_in(request))]
        own = lists.index([of.aspect for of in item.rubric_aspects]) + 1
        return found_in([own], [3 - own])

    return answer


def test_a_judge_says_precision_recall_and_what_would_fit_anybody(tmp_path: Path) -> None:
    found = judged(
        tmp_path, ("Cheap", "Overnight"),
        plan_score_precision=own_and_other(tmp_path), plan_score_recall=found_in([1], []),
    )  # fmt: skip
    assert found.judge == AspectAgreement(precision=0.5, recall=0.5, other=0.5)


@pytest.mark.parametrize(
    ("precision", "why"),
    [
        ("both", "judge_unparseable"),
        (found_in([1], [1]), "judge_unparseable"),
        (CallFailed("http_500", "x"), "call_failed:http_500"),
    ],
    ids=["no JSON", "too many answers", "failed"],
)
def test_a_judge_s_silence_is_no_zero(tmp_path: Path, precision: Answer, why: str) -> None:
    answers = {"plan_score_precision": precision, "plan_score_recall": found_in([], [])}
    found = judged(tmp_path, ("Cheap",), **answers)
    assert (found.missing, found.judge) == (why, None)
    assert found.words is not None


def test_a_judge_is_not_asked_about_an_empty_plan_or_none(tmp_path: Path) -> None:
    nothing = AspectAgreement(precision=None, recall=0.0)
    assert judged(tmp_path, ()).judge == judged(tmp_path, ()).words == nothing
    none = judged(tmp_path, None)
    assert (none.judge, none.words) == (None, None)


# Figures


def line(n: int, precision: float | None, recall: float, missing: str = "") -> ScoredPlan:
    other = None if precision is None else 0.25
    return ScoredPlan(
        id=f"q-{n}", user=f"u-{n}", missing=missing,
        planned=() if precision is None else ("Cheap",),
        words=AspectAgreement(precision=precision, recall=recall, other=other),
    )  # fmt: skip


def test_what_is_missing_is_counted_and_no_part_of_the_mean() -> None:
    unplanned = ScoredPlan(id="q-3", user="u-3", missing="unparseable")
    lines = [line(0, 1.0, 0.5), line(1, 0.5, 0.0), line(2, None, 0.0, "judge_timeout"), unplanned]
    of = planner_scores("p", "m", lines, ("judge", "words"))
    found = {name: expect(Estimate, one) for name, one in of.figures["words"].items()}
    assert (found["precision"].value, found["precision"].n) == (0.75, 2)
    assert (found["other"].value, found["other"].n) == (0.25, 2)
    assert found["recall"].n == 3
    assert of.figures["judge"]["f1"] is None
    assert (of.items, of.planned, of.empty, of.aspects) == (4, 3, 1, 2)
    assert of.missing == {"judge_timeout": 1, "unparseable": 1}


# The command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "items.jsonl", [*rows(5), row("bare", rubric_aspects=[])])
    cheap = ["Cheap ingredients for forty euros"]
    plans_file(tmp_path, *({"id": f"q-{n}", "aspects": cheap} for n in range(5)))
    return tmp_path


def config(
    folder: Path,
    url: str = "http://127.0.0.1:9/v1",
    planners: dict[str, Any] | None = None,
    **tables: Any,
) -> Path:
    served = {"kind": "endpoint", "endpoint": "toy"}
    theirs = {"kind": "plans", "path": "plans.jsonl"}
    settings = {
        "source": {"path": "items.jsonl"},
        "endpoints": {"toy": {"base_url": url, "model": DOUBLE, "attempts": 1}},
        "planners": {"served": served, "theirs": theirs, **(planners or {})},
        "judge": {"endpoint": "toy"},
        **tables,
    }
    path = folder / "score.toml"
    path.write_text(to_toml(settings))
    return path


def score(path: Path, *more: object) -> Done:
    return pairwright("train", "score", path, "--out", path.parent / "scores", *more)


def test_planners_are_compared_and_running_again_asks_nothing(folder: Path) -> None:
    with in_thread(double()) as endpoint:
        path = config(folder, endpoint.url)
        done = score(path)
        assert done.code == 0, done.err
        assert {"By judge", "By words"} <= {line.strip() for line in done.out.splitlines()}
        assert re.search(r"^ *served +0\.\d+ \(", done.out, re.MULTILINE)
        out = folder / "scores"
        before = {of.name: of.read_bytes() for of in out.iterdir() if of.suffix != ".sqlite"}
        asked = endpoint.n
        assert asked == len(endpoint.by_identity)
        assert score(path).code == 0
        assert endpoint.n == asked
    assert {name: (out / name).read_bytes() for name in before} == before
    scores = PlanScores.model_validate_json((out / "plan-score.json").read_bytes())
    assert (scores.items, scores.refused) == (5, {"no_gold_aspects": 1})
    assert [of.id for of in read_lines(out / "theirs.jsonl", ScoredPlan)] == [
        f"q-{n}" for n in range(5)
    ]


def test_no_planner_and_no_judge_reads_narrative_or_gold_evidence(folder: Path) -> None:
    write(folder / "items.jsonl", [row("q-0", narrative="My secret wish."), *rows(5)[1:]])
    with in_thread(double()) as endpoint:
        assert score(config(folder, endpoint.url)).code == 0
        said = [asked.said for asked in endpoint.asked]
    assert not any("secret" in text or "told in the narrative" in text for text in said)
    plans = [text for text in said if "<task>plan</task>" in text]
    assert len(plans) == 5
    assert not any("Cheap ingredients for forty euros" in text for text in plans)


def test_a_planner_that_leaves_items_open_ends_short(folder: Path) -> None:
    plans_file(folder, {"id": "q-0", "aspects": ["Cheap"]})
    with in_thread(double()) as endpoint:
        done = score(config(folder, endpoint.url))
        assert done.code == 1
        assert "theirs: 1 of 5 items are compared (4 no_plan)" in done.err

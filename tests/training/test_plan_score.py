"""`pairwright train score`: plans against gold aspects, and what is left open."""

import re
from pathlib import Path
from typing import Any

import pytest

from endpoint import Asked, Body, altered, completion, double, double_url, in_thread
from golden import gold, planning_prompts, row, rows, write
from model_double import DOUBLE
from pairwright.assets import DOCS
from pairwright.construct.folder import to_toml
from pairwright.errors import CallFailed
from pairwright.evaluation.downstream import Downstream
from pairwright.lines import read_lines, read_one
from pairwright.models import Request
from pairwright.records import Item
from pairwright.training.score_planners import (
    FIGURES,
    PromptedPlanner,
    ScoredPlan,
    others_of,
    result_of,
    scored,
)
from scripted import Answer, Scripted, domains, found_in, model, parts, wait
from scripted import body as said_in
from scripted import planned as reply
from study import Done, pairwright

AGREES: Answer = found_in([1])
"""A judge of a plan with one aspect and no other user."""
PASSAGES = tuple((f"p{n}", post["text"][:50]) for n, post in enumerate(row("q-0")["profile"], 1))


def test_another_user_is_of_the_same_category_if_there_is_one(tmp_path: Path) -> None:
    given = gold(
        tmp_path, row("a"), row("b"), row("c", user="user-of-a"),
        row("d", category="philosophy"), row("e", category="philosophy"),
    ).items  # fmt: skip
    others = others_of(given, seed=0)
    assert others.keys() == {item.id for item in given}
    for item in given:
        assert others[item.id].user != item.user
        assert others[item.id].category == item.category
    assert others_of(given[:1], seed=0) == {}


def planned(*aspects: str) -> Answer:
    """A plan with these aspects, each resting on a post of its own."""
    return reply(*((*at, aspect) for at, aspect in zip(PASSAGES, aspects, strict=False)))


def line_of(
    item: Item, plan: Answer, precision: Answer = AGREES, other: Item | None = None
) -> ScoredPlan:
    work = scored(
        item,
        spec=PromptedPlanner.model_validate({"endpoint": "toy"}),
        planner=model(Scripted(plan=plan)),
        judge=model(Scripted(plan_score_precision=precision, plan_score_recall=found_in([1], []))),
        others={item.id: other} if other else {},
        prompts=planning_prompts(),
        domains=domains(),
    )
    return wait(work)


@pytest.mark.parametrize(
    ("plan", "precision", "expected"),
    [
        (reply((*PASSAGES[0], "Cheap"), ("p1", "never said so anywhere", "Dear")), AGREES,
         {"planned": ("Cheap",), "dropped": 1, "precision": 1, "recall": 0.5, "f1": 0.666667}),
        # The judge is not asked about an empty plan.
        (planned(), AGREES, {"planned": (), "recall": 0, "f1": 0}),
        ("no JSON", AGREES, {"unscored": "unparseable"}),
        (CallFailed("timeout", "t"), AGREES, {"unscored": "call_failed:timeout"}),
        (planned("Cheap"), found_in([1], [1]),
         {"planned": ("Cheap",), "unscored": "judge_unparseable"}),
        (planned("Cheap"), CallFailed("http_500", "x"),
         {"planned": ("Cheap",), "unscored": "call_failed:http_500"}),
    ],
    ids=["an aspect without a basis", "empty", "no JSON", "no call",
         "the judge: too many answers", "the judge: no call"],
)  # fmt: skip
def test_a_plan_is_judged_or_has_a_reason_and_is_no_zero(
    tmp_path: Path, plan: Answer, precision: Answer, expected: dict[str, Any]
) -> None:
    item = gold(tmp_path, row("q-0")).items[0]
    found = line_of(item, plan, precision)
    missing = ScoredPlan(id="q-0", user="user-of-q-0").model_dump() | {"detail": found.detail}
    assert found.model_dump() == missing | expected


def test_a_judge_says_precision_recall_and_what_would_fit_anybody(tmp_path: Path) -> None:
    item, other = gold(tmp_path, *rows(2)).items

    def precision(request: Request) -> dict[str, Any]:
        """The first aspect is in the item's own list, and the second in the other."""
        lists = [parts("aspect", part) for part in parts("list", said_in(request))]
        own = lists.index([of.aspect for of in item.rubric_aspects]) + 1
        return found_in([own], [3 - own])

    found = line_of(item, planned("Cheap", "Overnight"), precision, other)
    assert (found.precision, found.recall, found.f1, found.other) == (0.5, 0.5, 0.5, 0.5)


def test_what_is_missing_is_counted_and_no_part_of_the_mean() -> None:
    lines = [
        ScoredPlan(id="q-0", user="u-0", precision=1.0, recall=0.5, f1=0.6, other=0.2),
        ScoredPlan(id="q-1", user="u-1", precision=0.5, recall=0.0, f1=0.0, other=0.3),
        ScoredPlan(id="q-2", user="u-2", planned=(), recall=0.0, f1=0.0),
        ScoredPlan(id="q-3", user="u-3", planned=("a",), unscored="judge_unparseable"),
    ]
    found = result_of({"p": lines}, {}, {})
    values = {of.column: (of.value, of.n) for of in found.figures}
    assert values["precision"] == (0.75, 2)
    assert (values["mismatched user"], values["F1"]) == ((0.25, 2), (0.2, 3))
    [part] = found.parts
    assert (part.asked, part.counted, part.unscored) == (4, 3, {"judge_unparseable": 1})
    nothing = result_of({"p": lines[-1:]}, {}, {})
    assert (nothing.figures, nothing.verdict) == ((), "No plan could be compared.")


# The command


def score(folder: Path, url: str) -> Done:
    secret = row("q-0", narrative="My secret wish.")
    write(folder / "items.jsonl", [secret, *rows(5)[1:], row("bare", rubric_aspects=[])])
    settings = {
        "source": {"path": "items.jsonl"},
        "endpoints": {"toy": {"base_url": url, "model": DOUBLE, "attempts": 1}},
        "planners": {"long": {"endpoint": "toy"}, "short": {"endpoint": "toy", "words": 20}},
        "judge": {"endpoint": "toy"},
    }
    path = folder / "score.toml"
    path.write_text(to_toml(settings))
    return pairwright("train", "score", path, "--out", folder / "scores")


def test_planners_are_compared_and_running_again_asks_nothing(tmp_path: Path) -> None:
    out = tmp_path / "scores"
    with in_thread(double()) as endpoint:
        done = score(tmp_path, endpoint.url)
        assert done.code == 0, done.err
        assert re.search(r"^ *long +\d\.\d+ \(", done.out, re.MULTILINE)
        before = {of.name: of.read_bytes() for of in out.iterdir() if of.suffix != ".sqlite"}
        asked = endpoint.n
        assert asked == len(endpoint.by_identity)
        assert score(tmp_path, endpoint.url).code == 0
        assert endpoint.n == asked
        said = [asked.said for asked in endpoint.asked]
    assert {name: (out / name).read_bytes() for name in before} == before
    scores = read_one(out / "plan-score.json", Downstream)
    assert [(of.name, of.counted) for of in scores.parts] == [("long", 5), ("short", 5)]
    assert any("1 no_gold_aspects" in note for note in scores.notes)
    ids = [of.id for of in read_lines(out / "short.jsonl", ScoredPlan)]
    assert ids == [f"q-{n}" for n in range(5)]
    # No planner and no judge reads the narrative or gold evidence, and no planner gold aspects.
    assert not any("secret" in text or "told in the narrative" in text for text in said)
    plans = [text for text in said if "<task>plan</task>" in text]
    assert len(plans) == 10
    assert not any("Cheap ingredients for forty euros" in text for text in plans)


def test_a_planner_that_leaves_items_open_ends_short(tmp_path: Path) -> None:
    def broken(asked: Asked, reply: Body) -> None:
        if "<task>plan</task>" in asked.said and "week, q-0?" in asked.said:
            reply.update(completion("no JSON"))

    with in_thread(altered(broken)) as endpoint:
        done = score(tmp_path, endpoint.url)
    assert done.code == 1
    assert "short: 4 of 5 count (1 unparseable)" in done.err


def test_the_page_on_training_scores_a_planner_on_the_bundled_items(tmp_path: Path) -> None:
    study = tmp_path / "study"
    assert pairwright("init", study).code == 0
    compare = (DOCS / "train.md").read_text(encoding="utf-8").partition("## Compare planners")[2]
    settings = compare.partition("```toml\n")[2].partition("```")[0]
    settings = settings.replace("http://127.0.0.1:8000/v1", double_url())
    (study / "score.toml").write_text(settings, encoding="utf-8")
    done = pairwright("train", "score", study / "score.toml", "--out", study / "scores")
    assert done.code == 0, done.err
    scores = read_one(study / "scores" / "plan-score.json", Downstream)
    assert [(of.column, of.n, of.clusters) for of in scores.figures] == [
        (column, 12, 12) for column in FIGURES
    ]

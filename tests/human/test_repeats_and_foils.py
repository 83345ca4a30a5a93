"""No rule on what is seen tells a repeat from a vote, or a foil from the aspects beside it."""

import re
from pathlib import Path

import pytest

from pairwright.records import Pair
from pairwright_human_eval.foils import area, foil_signs
from pairwright_human_eval.tasks import Task
from small_studies import Made, study_of
from study import pairwright


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[Pair]:
    """The pairs of the recorded demo."""
    folder = tmp_path_factory.mktemp("demo")
    pairwright("init", str(folder))
    pairwright("build", str(folder / "pairwright.toml"), "--run", str(folder / "run"))
    lines = Path(folder / "run" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [Pair.model_validate_json(line) for line in lines]


@pytest.fixture(scope="module", params=["demo", "200 pairs"])
def studies(request: pytest.FixtureRequest, demo: list[Pair]) -> list[Made]:
    """Studies of the demo, or of its pairs again and again under other names."""
    pairs, seeds = demo, 5
    if request.param == "200 pairs":
        pairs = [named(pair, turn) for turn in range(200 // len(demo) + 1) for pair in demo]
        seeds = 3
    return [
        study_of(pairs, annotators=11, votes=4, repeats=0.05, foils=0.2, seed=n)
        for n in range(seeds)
    ]


def named(pair: Pair, turn: int) -> Pair:
    """The pair under other names."""
    names = {name: f"{getattr(pair, name)}-{turn}" for name in ("id", "item_id", "user")}
    twin = pair.twin_id and f"{pair.twin_id}-{turn}"
    return pair.model_copy(update={**names, "twin_id": twin})


def orders(studies: list[Made]) -> list[list[Task]]:
    """The preference tasks of each person, in order."""
    return [
        [task for task in own if task.keyed.kind == "preference"]
        for made in studies
        for own in made.tasks.values()
    ]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"<[^>]*>", " ", text).lower())


def signs(task: Task) -> dict[str, float]:
    rows = task.data["posts"]
    assert isinstance(rows, list)
    posts = [words(str(row["text"])) for row in rows if isinstance(row, dict)]
    one, other = (words(str(task.data[f"response_{side}"])) for side in "ab")
    shown = {word for post in posts for word in post}
    return {
        "posts": len(posts),
        "words of posts": sum(map(len, posts)),
        "words of the question": len(words(str(task.data["question"]))),
        "words of responses": len(one) + len(other),
        "words of both responses": len({*one} & {*other}),
        "words of responses in posts": len(shown & {*one, *other}),
    }


def test_nothing_that_is_seen_tells_a_repeat(studies: list[Made]) -> None:
    seen = [
        (task.keyed.purpose == "repeat", signs(task) | {"place": place / len(own)})
        for own in orders(studies)
        for place, task in enumerate(own)
        # A third of the votes is enough to compare with.
        if task.keyed.purpose == "repeat" or place % 3 == 0
    ]
    repeats = [repeat for repeat, _ in seen]
    assert sum(repeats) >= 100
    found = {name: area([one[name] for _, one in seen], repeats) for name in seen[0][1]}
    assert all(0.4 <= auc <= 0.6 for auc in found.values()), found


def test_nothing_that_is_seen_tells_a_foil(studies: list[Made]) -> None:
    tasks = [
        task._replace(keyed=task.keyed.model_copy(update={"pair": f"{n} {task.keyed.pair}"}))
        for n, made in enumerate(studies)
        for task in made.of("vote", "rubric")
    ]
    found = foil_signs(tasks)
    assert found
    assert found.foils >= 40
    assert all(0.4 <= auc <= 0.6 for auc in found.signs.values()), found


def test_a_repeat_comes_fifteen_tasks_later_or_not_at_all(studies: list[Made]) -> None:
    for own in orders(studies):
        asked = [task.keyed for task in own]
        repeats = [n for n, keyed in enumerate(asked) if keyed.purpose == "repeat"]
        assert repeats or len(asked) < 35
        assert not repeats or len(asked) >= 28
        for n in repeats:
            first = next(k for k, keyed in enumerate(asked) if keyed.pair == asked[n].pair)
            assert n - first >= 15

"""Which questions a build kept and dropped, where, and how the two differ."""

import random
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.dropped_questions import missed_stages, select_questions
from pairwright.construct.tally import UnitTally
from pairwright.errors import StoreError
from pairwright.models.store import Store, UnitEntry
from pairwright.question_selection import MOST, Question, QuestionDifference, question_differences
from pairwright.records import Item, Post
from pairwright.text import number_of
from pairwright.workflows.example_study import write_example_study
from pairwright.workflows.run_build import build
from pairwright.workflows.run_status import status
from pairwright.workflows.run_words import run_sections
from scripted import expect
from study import pairwright

KINDS = ("question", "answer")


def question(number: int, **changes: Any) -> Question:
    """One of many, of which each user has two."""
    chance = random.Random(number)
    given: dict[str, Any] = {
        "user": f"user{number // 2}",
        "words": chance.randint(8, 20),
        "year": chance.randint(2012, 2020),
        "category": chance.choice(("baking", "stews", "tools")),
        "kinds": Counter({"question": chance.randint(2, 5), "answer": chance.randint(1, 4)}),
    }
    return Question(**{**given, **changes})


def compared(
    kept: dict[str, Any], dropped: dict[str, Any], n: int = 60
) -> dict[tuple[str, str], QuestionDifference]:
    """Of n questions of each side, drawn alike but for what is given; by feature and value."""
    of_kept = [question(k, **kept) for k in range(n)]
    of_dropped = [question(n + k, **dropped) for k in range(n)]
    found = question_differences(of_kept + of_dropped, [True] * n + [False] * n)
    return {(one.feature, one.value): one for one in found}


def covers_nothing(one: QuestionDifference) -> bool:
    low, high = expect(float, one.difference.low), expect(float, one.difference.high)
    return low <= 0 <= high


ALIKE = compared({}, {})


def test_groups_that_are_alike_have_intervals_that_cover_nothing() -> None:
    assert set(ALIKE) == {
        ("words", ""), ("posts", ""), ("year", ""), ("post_kind", "question"),
        *(("category", name) for name in ("baking", "stews", "tools")),
    }  # fmt: skip
    for one in ALIKE.values():
        assert covers_nothing(one), one
        assert (one.difference.n, one.difference.clusters) == (120, 60)
        assert abs(one.deviations) < 0.4


@pytest.mark.parametrize(
    ("feature", "value", "kept", "dropped", "deviations"),
    [
        ("words", "", {}, {"words": 24}, -1),
        ("posts", "", {"kinds": Counter(question=9)}, {}, 1),
        ("year", "", {"year": 2021}, {}, 1),
        ("category", "stews", {}, {"category": "tools"}, 1),
        ("category", "tools", {"category": "stews"}, {}, -1),
        ("post_kind", "question", {}, {"kinds": Counter(question=5)}, -1),
    ],
)
def test_a_difference_that_is_there_is_found(
    feature: str, value: str, kept: dict[str, Any], dropped: dict[str, Any], deviations: int
) -> None:
    one = compared(kept, dropped)[feature, value]
    assert not covers_nothing(one)
    assert one.deviations * deviations > 0.5
    assert (one.difference.value or 0) == pytest.approx(one.kept.mean - one.dropped.mean, abs=2e-6)


def test_what_is_not_known_of_a_question_is_not_counted() -> None:
    found = compared({"year": None}, {"kinds": Counter[str]()})
    assert not {"year", "post_kind"} & {feature for feature, _ in found}
    assert found["posts", ""].dropped.mean == 0
    # Nor is anything compared where all end alike.
    for kept in (True, False):
        assert question_differences([question(n) for n in range(4)], [kept] * 4) == ()


def test_the_most_frequent_categories_are_compared_and_of_two_one() -> None:
    several = [question(n, category=f"c{n % 30:02}") for n in range(90)]
    found = question_differences(several, [n % 3 > 0 for n in range(90)])
    names = [one.value for one in found if one.feature == "category"]
    assert names == [f"c{n:02}" for n in range(MOST)]
    two = compared({"category": "stews"}, {"category": "tools"})
    (one,) = (one for one in two.values() if one.feature == "category")
    assert (one.kept.mean, one.dropped.mean, one.difference.value) == (1, 0, 1)
    assert one.deviations == 2


def test_a_difference_is_told_in_the_unit_of_its_feature() -> None:
    posts = compared({"kinds": Counter(question=9)}, {"kinds": Counter(question=5)}, n=4)
    one = posts["posts", ""]
    assert (one.name, one.text) == ("earlier posts of its user", "+4.00 (no interval)")
    assert one.group_text(one.kept) == "9.0 (9, 9, 9), n = 4"
    share = ALIKE["post_kind", "question"]
    assert share.name == "“question” among the earlier posts"
    assert share.group_text(share.kept).startswith(f"{100 * share.kept.mean:.0f} % (")
    unnamed = share.model_copy(update={"value": ""})
    assert unnamed.name == "no stated kind among the earlier posts"


# From the store of a run


def item(number: int, user: str) -> Item:
    posts = tuple(
        Post(id=f"{number}-{n}", text="A post.", kind=KINDS[n % 2]) for n in range(number + 1)
    )
    return Item(
        id=f"q{number}", user=user, question="How long, and how hot?", category="Stews",
        domain="Food", profile=posts, created="2019-05-01T00:00:00",
    )  # fmt: skip


ENDS: dict[str, dict[str, Any]] = {
    "twin:q0": {"kind": "kept", "reached": "kept"},
    "twin:q1": {"kind": "rejected", "reached": "items"},
    "twin:q2": {"kind": "rejected", "reached": "items"},
    "twin:q3": {"kind": "rejected", "reached": "signal"},
    "twin:q4": {"kind": "rejected", "reached": None},
    "twin:q5": {"kind": "failed", "reached": None},
    "violate:q0": {"kind": "rejected", "reached": "signal"},
    "violate:q1": {"kind": "rejected", "reached": "drafts"},
}
USERS = ("una", "vic", "vic", "una", "wim", "una", "xia")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Seven items, of which the last has no unit: a target was reached before."""
    items = [item(n, user).model_dump_json() + "\n" for n, user in enumerate(USERS)]
    (tmp_path / "items.jsonl").write_text("".join(items), encoding="utf-8")
    with closing(Store(tmp_path / "calls.sqlite")) as store:
        for position, (unit, end) in enumerate(ENDS.items()):
            mode: Any = unit.partition(":")[0]
            tally = UnitTally(mode=mode, **end).model_dump_json(exclude_defaults=True)
            entry = UnitEntry(tally, frozenset({unit}))
            store.add_outcome(position, unit, end["kind"], "{}", entry)
    return tmp_path


def test_dropped_questions_and_their_users_are_counted_by_the_stage_they_missed(run: Path) -> None:
    with closing(Store(run / "calls.sqlite", writing=False)) as store:
        assert missed_stages(store) == {
            "twin:q1": "signal", "twin:q2": "signal", "twin:q3": "partner", "twin:q4": None,
            "violate:q0": "drafts", "violate:q1": "kept",
        }  # fmt: skip
        twins, singles = select_questions(
            store, run / "items.jsonl", ["twin", "violate", "natural"]
        )
    assert [(one.mode, one.kept, one.dropped) for one in (twins, singles)] == [
        ("twin", 1, 4), ("violate", 0, 2)
    ]  # fmt: skip
    stages = [
        [(one.stage, one.questions, one.users) for one in of.stages] for of in (twins, singles)
    ]
    assert stages == [
        [("signal", 2, 1), ("partner", 1, 1), (None, 1, 1)],
        [("drafts", 1, 1), ("kept", 1, 1)],
    ]
    assert not singles.differences, "nothing is kept"
    posts = next(one for one in twins.differences if one.feature == "posts")
    assert (posts.kept.mean, posts.dropped.mean, posts.dropped.n) == (1, 3.5, 4)
    assert twins.largest
    assert twins.clear == 0, "one kept question has no interval"


def test_an_items_file_that_somebody_changed_is_named(run: Path) -> None:
    items = run / "items.jsonl"
    items.write_text(item(0, "una").model_dump_json() + "\n", encoding="utf-8")
    with (
        closing(Store(run / "calls.sqlite", writing=False)) as store,
        pytest.raises(StoreError, match="items of this build not in it"),
    ):
        select_questions(store, items, ["twin"])


def test_show_lists_the_questions_and_users_that_status_counts_as_dropped(tmp_path: Path) -> None:
    build(write_example_study(tmp_path / "study"), tmp_path / "run")
    users = defaultdict[str, list[str]](list)
    for line in pairwright("show", tmp_path / "run").out.splitlines():
        unit, kind, _, *dropped = line.split("  ")
        assert bool(dropped) == (kind == "rejected")
        if dropped:
            users[f"{unit.partition(':')[0]}: {dropped[0]}"].append(dropped[1])
    assert {name: len(each) for name, each in users.items()} == {
        "twin: no signal": 24, "twin: no partner": 10, "twin: no other signal": 3,
        "decoy: no draft": 2, "placebo: no draft": 7,
    }  # fmt: skip
    rows = [row for section in run_sections(status(tmp_path / "run")) for row in section]
    counted = {words: number for name, words, number in rows if name == "dropped"}
    assert counted == {
        name: f"{number_of(len(each), 'question')} of {number_of(len(set(each)), 'user')}"
        for name, each in users.items()
    }

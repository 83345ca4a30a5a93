"""`pairwright diff`: what changed between two releases, and why."""

import json
from pathlib import Path
from typing import Any

import pytest

from pairwright.pairs import Layout
from pairwright.records import Pair
from pairwright.releases.diff import GONE
from released import DOMAINS, question, right, run_of, twinned, violated, written
from study import pairwright
from tampering import Damage, halved, replaced


def pairs_of(*numbers: int) -> list[Pair]:
    """The pairs about these questions, each of the domain it has by its number."""
    return [pair for n in numbers for pair in question(n, DOMAINS[n % 2])]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """Questions 0 to 3, all verified. Not to be changed."""
    folder = tmp_path_factory.mktemp("first")
    return written(run_of(folder / "run", pairs_of(0, 1, 2, 3)), folder / "out")


def counts(before: Layout, after: Layout) -> list[tuple[str, str, str, int]]:
    """Pairs by configuration, change and reason."""
    done = pairwright("diff", before.root, after.root, "--json")
    assert done.code == 0, done.said
    found: dict[tuple[str, str, str], int] = {}
    for one in json.loads(done.out)["changes"]:
        key = (one["config"], one["what"], one["reason"])
        found[key] = found.get(key, 0) + len(one["pairs"])
    return sorted((*key, n) for key, n in found.items())


def next_release(first: Layout, folder: Path, pairs: list[Pair], **options: Any) -> Layout:
    run = run_of(folder / "run", pairs, **options)
    return written(run, folder / "1.1.0", "1.1.0", previous=first.root)


def test_the_same_pairs_have_no_difference(first: Layout, tmp_path: Path) -> None:
    again = next_release(first, tmp_path, pairs_of(0, 1, 2, 3))
    assert counts(first, again) == []
    assert (
        "No pair was added, removed or changed." in pairwright("diff", first.root, again.root).out
    )


def test_what_people_refused_or_what_waits_has_its_reason(first: Layout, tmp_path: Path) -> None:
    usual, waits = right({"Question 2, how is it done?"}), violated(0, DOMAINS[0])

    def answer(task: Any, subject: Any) -> Any:
        open_ = task.unit == waits.id and task.kind == "rubric"
        return None if open_ else usual(task, subject)

    second = next_release(first, tmp_path, pairs_of(0, 1, 2, 3), answer=answer)
    assert counts(first, second) == [
        ("Garden-twin", "removed", "refused: preference: for_the_other", 2),
        ("Garden-violate", "removed", "refused: preference: for_the_other", 1),
        ("Garden-violate", "removed", "waiting", 1),
    ]
    assert [what for _, what, *_ in counts(second, first)] == ["added"] * 3


def test_other_votes_are_a_change_that_names_the_field(first: Layout, tmp_path: Path) -> None:
    usual, (_, other) = right(), twinned(1, DOMAINS[1])
    turned: list[str] = []

    def answer(task: Any, subject: Any) -> Any:
        if task.kind == "preference" and task.pair == other.id and not turned:
            turned.append(task.task)
            return {"preference": "equal"}
        return usual(task, subject)

    second = next_release(first, tmp_path, pairs_of(0, 1, 2, 3), answer=answer)
    # One half changed, and the twin is one.
    assert counts(first, second) == [("Home-twin", "changed", "votes", 2)]


def test_added_and_gone_pairs_are_counted_and_named(first: Layout, tmp_path: Path) -> None:
    second = next_release(first, tmp_path, pairs_of(1, 2, 3, 4))
    assert counts(first, second) == [
        ("Garden-twin", "added", "new", 2),
        ("Garden-twin", "removed", GONE, 2),
        ("Garden-violate", "added", "new", 1),
        ("Garden-violate", "removed", GONE, 1),
    ]
    said = pairwright("diff", first.root, second.root).out
    assert str(twinned(0, DOMAINS[0])[0].twin_id) in said


@pytest.mark.parametrize(
    "damage",
    [halved("build/units.jsonl"), replaced("stated.json", "{}\n")],
)
def test_a_folder_that_is_no_release_is_refused(
    damage: Damage, first: Layout, tmp_path: Path
) -> None:
    second = next_release(first, tmp_path, pairs_of(0))
    damage(second.root)
    assert pairwright("diff", first.root, second.root).code == 2

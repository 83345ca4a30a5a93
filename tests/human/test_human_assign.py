"""Who answers what, on which side: the rules every study keeps, whatever its size."""

import math
import random
from collections import Counter, defaultdict
from functools import cache
from itertools import product

import pytest

from pairwright_human_eval.records import OTHER
from pairwright_human_eval.units import swapped_units, units_of
from small_studies import FILE, Made, mixed, random_pairs, study_of, violate

STUDIES = range(7)


@cache
def some_study(n: int) -> Made:
    """Studies of all sorts: twins or none, one to three domains, just enough people or more."""
    chance = random.Random(n)
    pairs = random_pairs(chance)
    overlap = chance.randint(1, 3)
    needed = overlap * (3 if any(pair.twin_id for pair in pairs) else 2)
    return study_of(
        pairs, annotators=needed + chance.choice([0, 0, 1, 4]), overlap=overlap, seed=n, repeats=0.2
    )


@pytest.mark.parametrize("size", [1, 2, 7, 200, 1001])
def test_the_two_orders_are_about_equally_frequent_in_a_domain_and_each_mode(size: int) -> None:
    domains = ["Home", "Garden"]
    units = units_of(mixed(size // 3, size - size // 3, domains), FILE)
    drawn = {seed: swapped_units(units, seed) for seed in range(4)}
    for found in drawn.values():
        for domain, mode in product(domains, (None, "twin", "violate")):
            own = [u.id for u in units if u.domain == domain and mode in (None, u.mode)]
            assert abs(2 * len(found & {*own}) - len(own)) <= 1
    # The order in which units come decides nothing, and the seed does.
    assert swapped_units(units[::-1], 0) == drawn[0]
    assert size < 7 or len({*drawn.values()}) == 4
    # Nor is a domain with a single unit always shown alike.
    alone = units_of([violate(1)], FILE)
    assert {len(swapped_units(alone, seed)) for seed in range(20)} == {0, 1}


@pytest.mark.parametrize("n", STUDIES)
def test_sides_are_those_of_the_unit_and_balanced(n: int) -> None:
    """The same in all kinds, both halves; a repeat alone has them swapped."""
    made = some_study(n)
    domains = {unit.id: unit.domain for unit in made.units}
    shown: dict[str, set[str]] = defaultdict(set)
    for task in made.all():
        keyed = task.keyed
        a, b = str(task.data["response_a"]), str(task.data["response_b"])
        shown[keyed.unit].add(b if keyed.purpose == "repeat" else a)
        assert keyed.expected == (None if not keyed.pair else "A" if keyed.a == "chosen" else "B")
    assert {len(found) for found in shown.values()} == {1}
    # Balance within annotator and domain; and a twin's halves, whose chosen response is the other's
    # rejected one, are asked as often.
    lean: Counter[tuple[str, str]] = Counter()
    sides: dict[str, Counter[str | None]] = defaultdict(Counter)
    for keyed in made.keyed("vote", kind="preference"):
        lean[keyed.annotator, domains[keyed.unit]] += 1 if keyed.expected == "A" else -1
        sides[keyed.unit][keyed.expected] += 1
    assert max(map(abs, lean.values())) <= 2
    for unit in made.units:
        if len(unit.pairs) == 2:
            assert sides[unit.id]["A"] == sides[unit.id]["B"] > 0


@pytest.mark.parametrize("n", STUDIES)
def test_who_answers_what(n: int) -> None:
    made = some_study(n)
    names = [keyed.task for keyed in made.keyed()]
    assert len(names) == len(set(names))
    tasks = made.keyed("vote")
    seats = {(k.annotator, k.kind, k.unit) for k in tasks}
    for kind, most in (("quality", 1), ("preference", 2), ("rubric", 2)):
        loads = Counter(dict.fromkeys(made.tasks, 0))
        loads.update(who for who, of, _ in seats if of == kind)
        assert max(loads.values()) - min(loads.values()) <= most, kind
    # A preference is the only task but quality that its annotator has of the unit.
    work = defaultdict(list)
    for keyed in tasks:
        if keyed.kind != "quality":
            work[keyed.annotator, keyed.unit].append(keyed.kind)
    assert all(len(kinds) == 1 for kinds in work.values() if "preference" in kinds)


def test_a_repeat_is_the_same_task_by_the_same_person_with_the_sides_swapped() -> None:
    made = study_of(mixed(40, 40), repeats=0.25)
    for who, tasks in made.tasks.items():
        own = [task for task in tasks if task.keyed.kind == "preference"]
        places = {task.keyed.pair: n for n, task in enumerate(own) if task.keyed.purpose == "vote"}
        repeats = [(n, task) for n, task in enumerate(own) if task.keyed.purpose == "repeat"]
        assert 0 < len(repeats) <= math.ceil(0.25 * len(places))
        assert len({task.keyed.pair for _, task in repeats}) == len(repeats)
        for n, again in repeats:
            place = places[again.keyed.pair]
            first = own[place]
            assert place < n
            assert again.keyed.annotator == who
            assert again.keyed.a == OTHER[first.keyed.a]
            assert {again.keyed.expected, first.keyed.expected} == {"A", "B"}
            swapped = {"response_a": "response_b", "response_b": "response_a"}
            for key in again.data.keys() - {"task"}:
                assert again.data[key] == first.data[swapped.get(key, key)]

"""Who answers what, on which side: the rules every study keeps, whatever its size."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

import pytest

from live_study import LiveStudy
from pairwright.modes import MODES
from pairwright.records import Pair
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.folder import fitting
from pairwright_human_eval.records import OTHER, digest
from pairwright_human_eval.report import decide
from pairwright_human_eval.study import export_tasks, plan_study
from pairwright_human_eval.tasks import possible_overlap
from pairwright_human_eval.units import swapped_units, units_of
from released import answered, placebo, right, run_of, twinned, violated
from small_studies import FILE, Made, mixed, study_of, violate


@pytest.fixture(scope="module", params=range(5))
def made(request: pytest.FixtureRequest) -> Made:
    """Studies of all sorts: twins or none, one to three domains, just enough people or more."""
    chance, n = random.Random(request.param), request.param
    pairs = mixed(10 * n, chance.randint(1, 40), ["Home", "Garden", "Music"][: 1 + n % 3])
    chance.shuffle(pairs)
    overlap = chance.randint(1, 3)
    people = overlap * (3 if n else 2) + chance.choice([0, 1, 4])
    return study_of(pairs, annotators=people, overlap=overlap, seed=n, repeats=0.2)


@pytest.mark.parametrize("size", [1, 2, 7, 501])
def test_the_two_orders_are_about_equally_frequent_in_a_domain_and_each_mode(size: int) -> None:
    domains = ["Home", "Garden"]
    units = units_of(mixed(size // 3, size - size // 3, domains), FILE)
    drawn = {seed: swapped_units(units, seed) for seed in range(4)}
    for found, domain, mode in product(drawn.values(), domains, (None, "twin", "violate")):
        own = [u.id for u in units if u.domain == domain and mode in (None, u.mode)]
        assert abs(2 * len(found & {*own}) - len(own)) <= 1
    # The order in which units come decides nothing, and the seed does.
    assert swapped_units(units[::-1], 0) == drawn[0]
    assert size < 7 or len({*drawn.values()}) == 4
    # Nor is a domain with a single unit always shown alike.
    alone = units_of([violate(1)], FILE)
    assert {len(swapped_units(alone, seed)) for seed in range(20)} == {0, 1}


def test_sides_are_those_of_the_unit_and_balanced(made: Made) -> None:
    """The same in all kinds, both halves; a repeat alone has them swapped."""
    units, shown = {unit.id: unit for unit in made.units}, defaultdict(set)
    for data, keyed in made.all():
        shown[keyed.unit].add(data["response_b" if keyed.purpose == "repeat" else "response_a"])
        assert keyed.expected == (None if not keyed.pair else "A" if keyed.a == "chosen" else "B")
    assert {len(found) for found in shown.values()} == {1}
    # Balance within annotator and domain; and a twin's halves, whose chosen response is the other's
    # rejected one, are asked as often.
    lean, sides = Counter[tuple[str, str]](), Counter[tuple[str, str | None]]()
    for keyed in made.keyed("vote", kind="preference"):
        lean[keyed.annotator, units[keyed.unit].domain] += 1 if keyed.expected == "A" else -1
        sides[keyed.unit, keyed.expected] += 1
    assert max(map(abs, lean.values())) <= 2
    for name in (name for name, unit in units.items() if len(unit.pairs) == 2):
        assert sides[name, "A"] == sides[name, "B"] > 0


def test_work_is_even_and_nobody_votes_on_what_they_know_more_of(made: Made) -> None:
    names = [keyed.task for keyed in made.keyed()]
    assert len(names) == len(set(names))
    tasks = made.keyed("vote")
    seats = {(k.annotator, k.kind, k.unit) for k in tasks}
    for kind, most in (("quality", 1), ("preference", 2), ("rubric", 2)):
        loads = Counter(dict.fromkeys(made.tasks, 0))
        loads.update(who for who, of, _ in seats if of == kind)
        assert max(loads.values()) - min(loads.values()) <= most, kind
    # A preference is the only task but quality that its annotator has of the unit.
    work = Counter((k.annotator, k.unit) for k in tasks if k.kind != "quality")
    assert {work[k.annotator, k.unit] for k in tasks if k.kind == "preference"} == {1}


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
            assert (again.keyed.annotator, again.keyed.data_hash) == (who, digest(again.data))
            assert again.keyed.a == OTHER[first.keyed.a]
            assert {again.keyed.expected, first.keyed.expected} == {"A", "B"}
            swapped = {"response_a": "response_b", "response_b": "response_a"}
            for key in again.data.keys() - {"task"}:
                assert again.data[key] == first.data[swapped.get(key, key)]


# How many and how long


@pytest.mark.parametrize(
    ("people", "halves", "votes", "rubric"),
    [
        (2, 2, 1, 0), (3, 2, 1, 1), (4, 2, 2, 0), (5, 2, 2, 1), (8, 2, 4, 0), (9, 2, 4, 1),
        (10, 2, 4, 2), (30, 2, 4, 3), (2, 1, 2, 0), (4, 1, 4, 0), (5, 1, 4, 1), (7, 1, 4, 3),
    ],
)  # fmt: skip
def test_a_rule_is_fitted_to_the_people(people: int, halves: int, votes: int, rubric: int) -> None:
    pairs = mixed(8 * (halves == 2), 8 * (halves == 1))
    rules = fitting(HumanRules(repeats=0), people, halves)
    assert (rules.votes, rules.rubric_votes) == (votes, min(rubric, 2))
    overlap = possible_overlap(units_of(pairs, FILE), people, 3, rules)
    made = study_of(pairs, annotators=people, overlap=overlap, **rules.model_dump())
    asked = Counter((k.unit, k.pair, k.kind) for k in made.keyed())
    for unit in made.units:
        assert asked[unit.id, "", "quality"] == min(people, max(2, overlap))
        assert {asked[unit.id, pair.id, "preference"] for pair in unit.pairs} == {votes}


def chosen_by_both(n: int) -> list[Pair]:
    """A twin from real choices, which has no rubric."""
    return [Pair(**dict(pair) | {"mode": "natural"}) for pair in placebo(n)]


MODE_PAIRS: dict[str, Callable[[int], Iterable[Pair]]] = {
    "twin": twinned,
    "placebo": placebo,
    "violate": lambda n: [violated(n)],
    "natural": chosen_by_both,
}


def test_a_study_asks_about_every_mode_and_verifies_it(tmp_path: Path) -> None:
    assert MODE_PAIRS.keys() == MODES.keys()
    pairs = [pair for n, make in enumerate(MODE_PAIRS.values(), 1) for pair in make(n)]
    study = LiveStudy(run_of(tmp_path / "run", pairs, study=False))
    policy = export_tasks(study.run, annotators=9, overlap=2, seed=0).study.policy
    modes, asked = {pair.twin_id or pair.id: pair.mode for pair in pairs}, Counter[object]()
    for keyed in study.key.values():
        asked[modes[keyed.unit], keyed.kind] += 1
        assert (keyed.label == "equal") == (modes[keyed.unit] == "placebo")
    for name, mode in MODES.items():
        assert asked[name, "quality"] == policy.quality_votes
        assert asked[name, "preference"] == policy.votes * mode.halves
        own_rubric = name in ("twin", "violate")
        assert asked[name, "rubric"] == policy.rubric_votes * mode.halves * own_rubric
    answered(study.run, right())
    found = decide(study.run)
    assert {modes[name] for name in found.decisions} == {*MODES}
    assert {one.state for one in found.decisions.values()} == {"verified"}
    assert [one.group for one in found.report.decisions] == ["all", *sorted(MODES)]


def test_a_plan_counts_the_tasks_of_the_export_and_the_time_to_read_them(tmp_path: Path) -> None:
    study = LiveStudy(run_of(tmp_path / "run", mixed(6, 0), study=False))
    plan = plan_study(study.run, annotators=9, sample=4)
    made = export_tasks(study.run, annotators=9, sample=4, seed=0)
    assert (sum(plan.units.values()), plan.asked["preference"], plan.tasks) == (4, 3, made.tasks)
    assert plan.hours.keys() == plan.tasks.keys()
    assert min(plan.hours.values()) > 0
    said = study.do("plan", "--annotators", 4, "--overlap", 2, "--sample", 5)
    assert "asks for 3, 2 and 2: it is lowered to 2, 2 and 0" in said
    assert "An overlap of 2 has no effect." in said

"""What a study of so many people asks and takes: as many votes as they can give, and hours."""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from pairwright.modes import MODES
from pairwright.records import Pair
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.folder import fitting, read_study
from pairwright_human_eval.records import pseudonyms
from pairwright_human_eval.report import decide
from pairwright_human_eval.study import export_tasks, plan_study
from pairwright_human_eval.tasks import make_tasks, possible_overlap
from pairwright_human_eval.units import units_of
from released import answered, placebo, right, run_of, twinned, violated
from small_studies import FILE, mixed, study_of, violate
from study import pairwright

TWINS = [pair for n in range(6) for pair in twinned(n)]


@pytest.mark.parametrize(
    ("people", "halves", "votes", "rubric"),
    [
        (2, 2, 1, 0), (3, 2, 1, 1), (4, 2, 2, 0), (5, 2, 2, 1), (6, 2, 3, 0), (8, 2, 4, 0),
        (9, 2, 4, 1), (10, 2, 4, 2), (11, 2, 4, 3), (30, 2, 4, 3),
        (2, 1, 2, 0), (4, 1, 4, 0), (5, 1, 4, 1), (7, 1, 4, 3),
    ],
)  # fmt: skip
def test_who_answers_what(people: int, halves: int, votes: int, rubric: int) -> None:
    units = units_of(mixed(8 * (halves == 2), 8 * (halves == 1)), FILE)
    rules = fitting(HumanRules(repeats=0), people, halves)
    overlap = possible_overlap(units, people, 3, rules)
    assert (rules.votes, rules.rubric_votes) == (votes, min(rubric, 2))
    study = study_of([violate(1)]).study(
        annotators=pseudonyms(people), overlap=overlap, policy=rules
    )
    tasks = make_tasks(units, study, PlanRules())
    keyed = [task.keyed for own in tasks.values() for task in own]
    asked = Counter((k.unit, k.pair, k.kind) for k in keyed if k.purpose == "vote")
    for unit in units:
        assert asked[unit.id, "", "quality"] == min(people, max(2, overlap))
        for pair in unit.pairs:
            assert asked[unit.id, pair.id, "preference"] == votes


def test_two_people_verify_twins_by_the_rule_that_they_can_carry_out(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", TWINS, study=False)
    made = export_tasks(run, annotators=2, seed=0)
    assert (made.study.policy.votes, made.study.policy.rubric_votes) == (1, 0)
    answered(run, right({"Question 3, how is it done?"}))
    found = decide(run)
    states = Counter(one.state for one in found.decisions.values())
    assert states == {"verified": 5, "refused": 1}
    assert found.report.changed == {}


def chosen_by_both(n: int) -> list[Pair]:
    """A twin from real choices, which has no rubric."""
    return [Pair(**dict(pair) | {"mode": "natural", "rubric": one.rubric})
            for pair, one in zip(twinned(n), placebo(n), strict=True)]  # fmt: skip


MODE_PAIRS: dict[str, Callable[[int], Iterable[Pair]]] = {
    "twin": twinned, "placebo": placebo, "violate": lambda n: [violated(n)],
    "natural": chosen_by_both,
}  # fmt: skip


def test_a_study_asks_about_every_mode_and_verifies_it(tmp_path: Path) -> None:
    assert MODE_PAIRS.keys() == MODES.keys()
    pairs = [pair for n, make in enumerate(MODE_PAIRS.values(), 1) for pair in make(n)]
    run = run_of(tmp_path / "run", pairs, study=False)
    made = export_tasks(run, annotators=9, overlap=2, seed=0)
    policy, asked = made.study.policy, Counter[tuple[str, str]]()
    modes = {pair.twin_id or pair.id: pair.mode for pair in pairs}
    for keyed in read_study(run).key.values():
        asked[modes[keyed.unit], keyed.kind] += 1
        assert (keyed.label == "equal") == (modes[keyed.unit] == "placebo")
    for name, mode in MODES.items():
        assert asked[name, "quality"] == policy.quality_votes
        assert asked[name, "preference"] == policy.votes * mode.halves
        own_rubric = name in ("twin", "violate")
        assert asked[name, "rubric"] == policy.rubric_votes * mode.halves * own_rubric
    answered(run, right())
    found = decide(run)
    assert {modes[of]: one.state for of, one in found.decisions.items()} == dict.fromkeys(
        MODES, "verified"
    )
    assert [one.group for one in found.report.decisions] == ["all", *sorted(MODES)]


def test_a_plan_counts_the_tasks_of_the_export_and_the_time_to_read_them(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", TWINS, study=False)
    plan = plan_study(run, annotators=9, sample=4)
    made = export_tasks(run, annotators=9, sample=4, seed=0)
    assert (sum(plan.units.values()), plan.asked["preference"], plan.tasks) == (4, 3, made.tasks)
    assert plan.hours.keys() == plan.tasks.keys()
    assert min(plan.hours.values()) > 0
    options = ("--annotators", 4, "--overlap", 2, "--sample", 5)
    said = " ".join(pairwright("human", "plan", run, *options).out.split())
    assert "4 annotators can verify 5 twins: 2 votes on each pair, 2 on quality, none on" in said
    assert "asks for 3, 2 and 2: it is lowered to 2, 2 and 0" in said
    assert "A dispute takes 1 further person." in said
    assert "An overlap of 2 has no effect." in said
    assert f"human export {run} {' '.join(map(str, options))}" in said

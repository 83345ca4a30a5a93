"""The steps of a build without a model: what is surveyed, matched and built, and in which order."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from test_partners import allrounder

from pairwright.build_statement import SourceSummary
from pairwright.construct import session
from pairwright.construct.candidates import choose_others
from pairwright.construct.corpus import BuildUnit, Corpus
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import Failure, Pending
from pairwright.construct.partners import PossiblePartner, Survey, SurveyOutcome
from pairwright.construct.session import BuildTask, waves
from pairwright.models.store import Store
from pairwright.records import Rejected
from pairwright.settings.rules import TwinRules
from scripted import policy, settings

ITEMS = 24
Fate = Callable[[BuildUnit], str]
"""The kind of outcome of a unit."""
ENDS: dict[type, str] = {Rejected: "rejected", Failure: "failed", Pending: "waiting"}
"""The kind of outcome of a unit without a partner."""


def kept(_: BuildUnit) -> str:
    return "kept"


@pytest.fixture(autouse=True)
def _small_waves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "WAVE", 8)


class Build:
    """A corpus in which anybody suits anybody, and a store; every survey finds a signal."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        items = [allrounder(f"u{n:02}") for n in range(ITEMS)]
        self.corpus = stack.enter_context(
            closing(Corpus.write(items, folder / "items.jsonl", settings()))
        )
        self.corpus.tried = choose_others(self.corpus, TwinRules(), 5, language=lambda _: "en")
        self.store = stack.enter_context(closing(Store(folder / "calls.sqlite")))

    def run(
        self, target: int | None = None, fate: Fate = kept, **config: Any
    ) -> list[list[BuildUnit]]:
        """The units of each step that had no outcome yet, in their order."""
        list(self.store.outcomes())  # As a store that was closed and opened: all is on the disk.
        self.store.begin("run")
        summary = SourceSummary(path="", hash="", items=ITEMS, refused={}, repaired={})
        folder = RunFolder(self.store.path.parent)
        rules = policy(**{"modes": ["twin", "violate"], **config})
        task = BuildTask(self.corpus, summary, rules, self.store, folder, target=target)
        taken = []
        for units in task.steps():
            todo = [u for u in units if self.store.kind(u.position, u.id) is None]
            for unit in todo:
                self.end(unit, fate(unit))
            taken.append(todo)
        return taken

    def end(self, unit: BuildUnit, kind: str) -> None:
        """Give a unit its outcome; a unit that has no partner gets what it says."""
        item = self.corpus.item(unit.item)
        if unit.mode != "survey":
            kind = ENDS.get(type(unit.partner), kind)
            if unit.partner is None and unit.mode != "violate":
                kind = "rejected"  # The survey ruled it out.
            partner = unit.partner if isinstance(unit.partner, str) else None
            record = json.dumps(
                {"mode": unit.mode, "user": item.user, "partner": partner, "result": {}}
            )
            self.store.add_outcome(unit.position, unit.id, kind, record)
            return
        candidates = self.corpus.tried[item.id].candidates
        possible = tuple(PossiblePartner(user=user, bearing=1) for user in candidates)
        kept = Survey(signal=True, possible=possible, strangers=("u00", "u01"))
        results = {
            "alone": Survey(signal=True, strangers=("u00", "u01")),
            "nothing": Survey(signal=False, possible=possible),
            "failed": Failure(failure="http_500", detail=""),
            "waiting": Pending(waits_for="match"),
        }
        ended = SurveyOutcome(
            unit=unit.id, item_id=item.id, user=item.user, result=results.get(kind, kept), calls=()
        )
        self.store.add_outcome(unit.position, unit.id, ended.kind, ended.model_dump_json())

    def twins(self, kind: str = "kept") -> dict[int, str | None]:
        """The partners of the twins that ended in one way, by item."""
        found = {}
        for unit, of, record in self.store.outcomes():
            if of == kind and unit.startswith("twin:"):
                found[int(unit[-2:])] = json.loads(record)["partner"]
        return found

    def kept_units(self) -> set[str]:
        return {unit for unit, kind, _ in self.store.outcomes() if kind == "kept"}

    def partners(self) -> dict[str, set[str]]:
        """With whom each user is, in the twins and placebos that are kept and whoever asked."""
        found: dict[str, set[str]] = {}
        for unit, kind, record in self.store.outcomes():
            mode, _, asker = unit.partition(":q-")
            if kind == "kept" and mode in ("twin", "placebo"):
                partner = json.loads(record)["partner"]
                found.setdefault(asker, set()).add(partner)
                found.setdefault(partner, set()).add(asker)
        return found


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    with ExitStack() as stack:
        yield Build(tmp_path, stack)


def of_survey(item: int, kind: str, otherwise: Fate = kept) -> Fate:
    """The survey of one item ends in this way; all else as it does otherwise."""
    return lambda unit: kind if unit.id == f"survey:q-u{item:02}" else otherwise(unit)


def tasks(step: list[BuildUnit]) -> set[str]:
    return {unit.mode for unit in step}


def test_surveys_and_pairs_without_partners_come_before_twins(build: Build) -> None:
    first, second = build.run()
    assert (tasks(first), tasks(second)) == ({"survey", "violate"}, {"twin"})
    assert (len(first), len(second)) == (2 * ITEMS, ITEMS)
    assert len(build.twins()) > 0.9 * ITEMS
    assert all(len(partners) == 1 for partners in build.partners().values())
    assert build.store.surveyed == ITEMS
    assert build.run() == [[], []], "a second run has nothing to do"


ALL = ["twin", "decoy", "placebo"]


def shares(unit: BuildUnit) -> str:
    """Of every four questions one has a signal and nobody who could be the partner, and on one
    nothing is known."""
    if unit.mode != "survey":
        return "kept"
    return {0: "alone", 1: "nothing"}.get(unit.item % 4, "kept")


def units_of(step: list[BuildUnit], mode: str) -> dict[int, Any]:
    return {unit.item: unit.partner for unit in step if unit.mode == mode}


def test_no_partner_gives_a_decoy_and_no_signal_a_placebo(build: Build) -> None:
    first, second = build.run(modes=ALL, fate=shares)
    assert tasks(first) == {"survey"}
    twins, decoys, placebos = (units_of(second, mode) for mode in ALL)
    assert set(twins) == set(range(ITEMS)), "what is no twin has its reason"
    matched = {item for item, partner in twins.items() if isinstance(partner, str)}
    nothing = {item for item in range(ITEMS) if item % 4 == 1}
    assert set(placebos) == nothing
    assert set(decoys) == set(range(ITEMS)) - nothing - matched
    assert {item for item in range(ITEMS) if item % 4 == 0} <= set(decoys)
    assert all(decoys[item] in ("u00", "u01") for item in decoys)
    # A user has one partner, in twins and placebos alike.
    assert any(isinstance(partner, str) for partner in placebos.values())
    assert all(len(partners) == 1 for partners in build.partners().values())
    assert build.run(modes=ALL, fate=shares) == [[], []], "a second run has nothing to do"


@pytest.mark.parametrize(
    ("modes", "first"), [(["decoy", "placebo"], "decoy"), (["placebo"], "placebo")]
)
def test_the_first_mode_has_units_of_all_items(build: Build, modes: list[str], first: str) -> None:
    _, second = build.run(modes=modes, fate=shares)
    assert set(units_of(second, first)) == set(range(ITEMS))
    decoys = units_of(second, "decoy")
    assert all(isinstance(partner, str) for item, partner in decoys.items() if item % 4 != 1)
    assert set(units_of(second, "placebo")) >= {item for item in range(ITEMS) if item % 4 == 1}


def test_a_decoy_is_forgotten_where_its_question_may_find_a_partner(build: Build) -> None:
    _, before = build.run(modes=ALL, fate=of_survey(3, "failed", shares))
    assert all(unit.item != 3 for unit in before if unit.mode != "twin")
    assert "decoy" in tasks(before)
    build.run(modes=ALL, fate=shares)
    assert_no_decoy_beside_a_twin(build)


def assert_no_decoy_beside_a_twin(build: Build) -> None:
    units = build.kept_units()
    assert not any({f"twin:q-u{n:02}", f"decoy:q-u{n:02}"} <= units for n in range(ITEMS))


def test_a_target_counts_twins_and_the_rest_follows_them(build: Build) -> None:
    taken = build.run(target=3, modes=ALL, fate=shares)
    assert len(build.twins()) == 3
    assert [tasks(step) for step in taken] == [{"survey"}, {"twin"}, {"twin", "decoy", "placebo"}]
    assert not any(isinstance(unit.partner, str) for unit in taken[-1] if unit.mode == "twin")
    more = build.run(target=8, modes=ALL, fate=shares)
    assert len(build.twins()) == 8
    assert_no_decoy_beside_a_twin(build)
    assert {"decoy", "placebo"} <= tasks(more[-1])


def test_twins_come_first_whatever_the_order_of_the_modes(build: Build) -> None:
    taken = build.run(target=3, modes=ALL[::-1], fate=shares)
    assert len(build.twins()) == 3
    assert [tasks(step) for step in taken[:2]] == [{"survey"}, {"twin"}]
    (rest,) = taken[2:]
    assert set(units_of(rest, "placebo")) <= {item for item in range(ITEMS) if item % 4 == 1}


def test_without_twins_one_step_has_no_survey_and_pairs_count_to_a_target(build: Build) -> None:
    taken = build.run(target=10, modes=["violate"])
    assert [unit.item for step in taken for unit in step] == list(range(10))
    (only,) = build.run(modes=["violate"])
    assert tasks(only) == {"violate"}


def test_while_a_survey_waits_all_twins_wait_and_nothing_is_matched(build: Build) -> None:
    _, twins = build.run(fate=of_survey(3, "waiting"))
    reasons = {u.id: u.partner.waits_for for u in twins if isinstance(u.partner, Pending)}
    assert len(reasons) == ITEMS
    assert reasons.pop("twin:q-u03") == "match"
    assert set(reasons.values()) == {"partners"}
    assert build.store.matching(0) is None
    build.run()
    assert len(build.twins()) > 0.9 * ITEMS


def test_a_failed_survey_holds_nobody_up_and_couples_with_a_kept_twin_stay(build: Build) -> None:
    build.run(fate=of_survey(3, "failed", lambda unit: "rejected" if unit.item % 2 else "kept"))
    before = build.twins()
    assert build.twins("failed") == {3: None}
    assert len(before) > ITEMS // 3
    _, again = build.run()
    assert before.items() <= build.twins().items()
    assert {unit.item for unit in again} == set(range(ITEMS)) - before.keys()
    assert all(len(partners) == 1 for partners in build.partners().values())


def test_an_interrupted_build_goes_on_with_the_same_matching(build: Build) -> None:
    def killed(unit: BuildUnit) -> str:
        if unit.id == "twin:q-u11":
            raise KeyboardInterrupt
        return "kept"

    with pytest.raises(KeyboardInterrupt):
        build.run(fate=killed)
    before = build.twins()
    build.run()
    after = build.twins()
    assert before.items() <= after.items()
    build.store.clear_outcomes()
    build.run()
    assert build.twins() == after, "as if nothing had happened"


# With a target


def test_waves_grow_by_a_quarter_of_what_came_before_and_hold_every_item_once() -> None:
    parts = list(waves(range(3000)))
    assert [item for part in parts for item in part] == list(range(3000))
    assert all(len(part) == max(8, part.start // 4) for part in parts[:-1])
    assert list(waves(range(3))) == [range(3)]
    assert list(waves(range(0))) == []


def test_no_more_is_surveyed_or_begun_than_the_target_needs(build: Build) -> None:
    taken = build.run(target=5)
    assert [tasks(step) for step in taken[:2]] == [{"survey", "violate"}, {"twin"}]
    assert sorted(unit.item for unit in taken[0] if unit.mode == "survey") == list(range(8))
    assert len(taken[1]) == len(build.twins()) == 5
    assert sorted(build.twins()) == [unit.item for unit in taken[1]], "in source order"


def test_what_is_refused_is_made_up_for(build: Build) -> None:
    taken = build.run(target=9, fate=lambda unit: "kept" if unit.item % 3 else "rejected")
    assert len(build.twins()) == 9
    twins = [[u for u in step if u.mode == "twin" and isinstance(u.partner, str)] for step in taken]
    begun = [len(step) for step in twins if step]
    assert begun[0] <= 9
    refused = [partner for partner in build.twins("rejected").values() if partner is not None]
    assert sum(begun) == 9 + len(refused)


def test_a_larger_target_goes_on_and_a_smaller_one_drops_nothing(
    build: Build, tmp_path: Path
) -> None:
    build.run(target=3)
    first = build.twins()
    build.run(target=15)
    more = build.twins()
    assert first.items() < more.items()
    assert len(more) == 15
    assert not any(unit for step in build.run(target=3) for unit in step if unit.mode == "survey")
    assert build.twins() == more
    with ExitStack() as stack:
        (tmp_path / "other").mkdir()
        at_once = Build(tmp_path / "other", stack)
        at_once.run(target=15)
        assert at_once.twins() == more


def test_a_smaller_target_keeps_what_was_decided_for_a_larger_one(build: Build) -> None:
    def fate(unit: BuildUnit) -> str:
        return "rejected" if unit.mode == "twin" and unit.item % 3 == 2 else shares(unit)

    build.run(target=3, modes=ALL, fate=fate)
    few = list(build.store.outcomes())
    build.run(target=9, modes=ALL, fate=fate)
    every = list(build.store.outcomes())
    assert {unit.partition(":")[0] for unit, _, _ in every} == {*ALL}
    assert len(few) < len(every)
    taken = build.run(target=3, modes=ALL, fate=fate)
    assert list(build.store.outcomes()) == every
    assert not {"survey", "violate"} & {unit.mode for step in taken for unit in step}
    assert not any(
        isinstance(one, str) for step in taken for one in units_of(step, "twin").values()
    )


@pytest.mark.parametrize("target", [None, ITEMS])
def test_nobody_has_two_partners_however_surveys_fail(build: Build, target: int | None) -> None:
    failed = [set(range(0, ITEMS, 3)), {2, 3, 9}, {3}, set[int]()]
    before = dict[int, str | None]()
    for items in failed:

        def fate(unit: BuildUnit, items: set[int] = items) -> str:
            return "failed" if unit.mode == "survey" and unit.item in items else "kept"

        build.run(target, fate)
        assert before.items() <= build.twins().items(), "what is kept stays"
        before = build.twins()
        assert all(len(one) == 1 for one in build.partners().values())
    assert len(before) > 0.7 * ITEMS


def test_a_unit_without_a_partner_is_tried_again_in_a_later_wave(build: Build) -> None:
    build.corpus.tried = {
        name: one._replace(suited=0) if int(name[3:]) % 2 else one
        for name, one in build.corpus.tried.items()
    }
    build.run(target=2)
    alone = [item for item, partner in build.twins("rejected").items() if partner is None]
    build.run(target=ITEMS)
    assert len(alone) > 0
    final = build.twins() | build.twins("rejected")
    assert sorted(final) == list(range(ITEMS)), "every item has one outcome"


def test_a_target_stops_where_a_twin_waits(build: Build) -> None:
    build.run(target=5, fate=lambda unit: "waiting" if unit.mode == "twin" else "kept")
    assert len(build.twins("waiting")) == 5
    assert build.twins() == {}

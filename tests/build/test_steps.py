"""The steps of a build without a model: what is surveyed, matched and built, and in which order."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from test_partners import allrounder

from pairwright.build_statement import SourceSummary
from pairwright.construct.candidates import choose_others
from pairwright.construct.corpus import BuildUnit, Corpus
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import Failure, Pending
from pairwright.construct.partners import PossiblePartner, Survey, SurveyOutcome
from pairwright.construct.session import BuildTask
from pairwright.models.store import Store, UnitRow
from pairwright.records import Dropped
from pairwright.settings.rules import TwinRules
from scripted import expect, policy, settings

ITEMS = 24
Fate = Callable[[BuildUnit], str]
"""The kind of outcome of a unit."""
ENDS: dict[type, str] = {Dropped: "rejected", Failure: "failed", Pending: "waiting"}
"""The kind of outcome of a unit without a partner."""


def kept(_: BuildUnit) -> str:
    return "kept"


class Build:
    """A corpus in which anybody suits anybody, and a store; every survey finds a signal."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        items = [allrounder(f"u{n:02}") for n in range(ITEMS)]
        self.corpus = stack.enter_context(
            closing(Corpus.write(items, folder / "items.jsonl", settings()))
        )
        self.corpus.tried = choose_others(self.corpus, TwinRules(), 5, language=lambda _: "en")
        self.store = stack.enter_context(closing(Store(folder / "run.sqlite")))

    def run(self, fate: Fate = kept, **config: Any) -> list[list[BuildUnit]]:
        """The units of each step that had no outcome yet, in their order."""
        list(self.store.outcomes())  # As a store that was closed and opened: all is on the disk.
        self.store.begin("run")
        summary = SourceSummary(path="", hash="", items=ITEMS, refused={}, repaired={})
        folder = RunFolder(self.store.path.parent)
        rules = policy(**{"modes": ["twin", "violate"], **config})
        task = BuildTask(self.corpus, summary, rules, self.store, folder)
        taken = []
        for units in task.steps():
            todo = [u for u in units if self.store.ended(u.position, u.id) is None]
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
            self.store.add_outcome(
                UnitRow(
                    unit.position, unit.id, unit.mode, item.id, item.user, partner, kind, "", "",
                    None, 0, "{}",
                )
            )  # fmt: skip
            return
        candidates = self.corpus.tried[item.id].candidates
        possible = tuple(PossiblePartner(user=user, bearing=1) for user in candidates)
        kept = Survey(signal=True, possible=possible)
        results = {
            "alone": Survey(signal=True),
            "nothing": Survey(signal=False, possible=possible),
            "failed": Failure(failure="http_500", detail=""),
            "waiting": Pending(waits_for="match"),
        }
        ended = SurveyOutcome(
            unit=unit.id, item_id=item.id, user=item.user, result=results.get(kind, kept), calls=()
        )
        self.store.add_outcome(ended.row(unit.position))

    def twins(self, kind: str = "kept") -> dict[int, str | None]:
        """The partners of the twins that ended in one way, by item."""
        found = {}
        for row in self.store.outcomes():
            if row.kind == kind and row.mode == "twin":
                found[int(row.unit[-2:])] = row.partner
        return found

    def partners(self) -> dict[str, set[str]]:
        """With whom each user is, in the twins and placebos that are kept and whoever asked."""
        found: dict[str, set[str]] = {}
        for row in self.store.outcomes():
            if row.kind == "kept" and row.mode in ("twin", "placebo"):
                found.setdefault(row.user, set()).add(str(row.partner))
                found.setdefault(str(row.partner), set()).add(row.user)
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


ALL = ["twin", "placebo"]


def shares(unit: BuildUnit) -> str:
    """Of every four questions one has a signal and nobody who could be the partner, and on one
    nothing is known."""
    if unit.mode != "survey":
        return "kept"
    return {0: "alone", 1: "nothing"}.get(unit.item % 4, "kept")


def units_of(step: list[BuildUnit], mode: str) -> dict[int, Any]:
    return {unit.item: unit.partner for unit in step if unit.mode == mode}


def test_a_question_without_a_signal_gives_a_placebo(build: Build) -> None:
    first, second = build.run(modes=ALL, fate=shares)
    assert tasks(first) == {"survey"}
    twins, placebos = (units_of(second, mode) for mode in ALL)
    assert set(twins) == set(range(ITEMS)), "what is no twin has its reason"
    nothing = {item for item in range(ITEMS) if item % 4 == 1}
    assert set(placebos) == nothing
    alone = {expect(Dropped, twins[item]).reason for item in range(0, ITEMS, 4)}
    assert alone <= {"no_partner", "partner_does_not_fit"}
    # A user has one partner, in twins and placebos alike.
    assert any(isinstance(partner, str) for partner in placebos.values())
    assert all(len(partners) == 1 for partners in build.partners().values())
    assert build.run(modes=ALL, fate=shares) == [[], []], "a second run has nothing to do"


def test_without_twins_one_step_has_no_survey(build: Build) -> None:
    (only,) = build.run(modes=["violate"])
    assert tasks(only) == {"violate"}


def test_while_a_survey_waits_all_twins_wait_and_nothing_is_matched(build: Build) -> None:
    _, twins = build.run(fate=of_survey(3, "waiting"))
    reasons = {u.id: u.partner.waits_for for u in twins if isinstance(u.partner, Pending)}
    assert len(reasons) == ITEMS
    assert reasons.pop("twin:q-u03") == "match"
    assert set(reasons.values()) == {"partners"}
    build.run()
    assert len(build.twins()) > 0.9 * ITEMS


def test_a_failed_survey_holds_nobody_up_and_all_are_matched_again_once_it_is_there(
    build: Build,
) -> None:
    build.run(fate=of_survey(3, "failed"))
    assert build.twins("failed") == {3: None}
    assert len(build.twins()) > ITEMS // 3
    _, again = build.run()
    assert {unit.item for unit in again} == set(range(ITEMS))
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


def test_nobody_has_two_partners_however_surveys_fail(build: Build) -> None:
    failed = [set(range(0, ITEMS, 3)), {2, 3, 9}, {3}, set[int]()]
    for items in failed:

        def fate(unit: BuildUnit, items: set[int] = items) -> str:
            return "failed" if unit.mode == "survey" and unit.item in items else "kept"

        build.run(fate)
        assert all(len(one) == 1 for one in build.partners().values())
    assert len(build.twins()) > 0.7 * ITEMS

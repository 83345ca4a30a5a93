"""The steps of a build without a model: what is planned, matched and built, and in which order."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from test_partners import allrounder

from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Outcomes, Planned, Result, Unit, outcome_of
from pairwright.construct.partners import TWIN
from pairwright.construct.session import Session
from pairwright.models import CallLog
from pairwright.models.store import Store
from pairwright.records import Dropped, Kept
from released import twinned
from scripted import policy, rubric

ITEMS = 24
Fate = Callable[[Unit], str]
"""The kind of outcome of a unit."""
NOTHING = Dropped(stage="plan", reason="no_personal_signal")


def kept(_: Unit) -> str:
    return "kept"


class Build:
    """A corpus in which anybody suits anybody, and a store; every plan finds a signal."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        items = [allrounder(f"u{n:02}") for n in range(ITEMS)]
        self.corpus = stack.enter_context(closing(Corpus.write(items, folder / "items.jsonl", 0)))
        self.store = stack.enter_context(closing(Store(folder / "run.sqlite")))
        self.outcomes = Outcomes(self.store)

    def run(self, fate: Fate = kept, **config: Any) -> list[list[Unit]]:
        """The units of each step that had no outcome yet, in their order."""
        self.outcomes.begin("run")
        rules = policy(**{"modes": ["twin", "violate"], **config})
        session = Session(self.corpus, rules, self.outcomes)
        self.candidates, taken = session.candidates, []
        for units in session.steps(lambda _: None):
            todo = list(units)
            for unit in todo:
                item, result = self.corpus.item(unit.item), self.result(unit, fate(unit))
                self.outcomes.add(outcome_of(unit, item, result, CallLog()))
            taken.append(todo)
        return taken

    def result(self, unit: Unit, kind: str) -> Result:
        """What comes of a unit."""
        if unit.mode != "plan":
            return Kept(pairs=twinned(0))
        users = self.candidates.of(self.corpus.item(unit.item)).users
        worth = dict.fromkeys(users if kind != "alone" else (), TWIN)
        return Planned(rubric=NOTHING if kind == "nothing" else rubric("an aspect"), worth=worth)

    def twins(self) -> dict[str, str | None]:
        """The partners of the twins that are kept, by unit."""
        rows = self.outcomes.rows("kind = 'kept' AND mode = 'twin'", whole=False)
        return {row.unit: row.partner for row in rows}


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    with ExitStack() as stack:
        yield Build(tmp_path, stack)


ALL = ["twin", "placebo"]


def shares(unit: Unit) -> str:
    """Of every four questions one has a signal and nobody who could be the partner, and on one
    nothing is known."""
    if unit.mode != "plan":
        return "kept"
    return {0: "alone", 1: "nothing"}.get(unit.item % 4, "kept")


def test_a_question_without_a_signal_gives_a_placebo(build: Build) -> None:
    first, second = build.run(modes=ALL, fate=shares)
    assert {unit.mode for unit in first} == {"plan"}
    rows = list(build.outcomes.rows(whole=False))
    twins, placebos = ({r.item: r for r in rows if r.mode == mode} for mode in ALL)
    assert len(twins) == ITEMS, "what is no twin has its reason"
    assert set(placebos) == {f"q-u{n:02}" for n in range(1, ITEMS, 4)}
    assert all((twins[f"q-u{n:02}"].reason) == "no_personal_signal" for n in range(1, ITEMS, 4))
    alone = {twins[f"q-u{n:02}"].reason for n in range(0, ITEMS, 4)}
    assert alone <= {"no_partner", "partner_does_not_fit"}
    # A user has one partner, in twins and placebos alike; what has none is not worked on.
    assert {unit.id for unit in second} == {row.unit for row in rows if row.kind == "kept"}
    assert any(row.partner for row in placebos.values())
    partners = {
        two
        for row in rows
        if row.kind == "kept"
        for two in ((row.user, row.partner), (row.partner, row.user))
    }
    assert len(partners) == len({user for user, _ in partners})
    assert build.run(modes=ALL, fate=shares) == [[], []], "a second run has nothing to do"


def test_an_interrupted_build_goes_on_with_the_same_matching(build: Build) -> None:
    def killed(unit: Unit) -> str:
        if unit.id == "twin:q-u11":
            raise KeyboardInterrupt
        return "kept"

    with pytest.raises(KeyboardInterrupt):
        build.run(fate=killed)
    before = build.twins()
    build.run()
    after = build.twins()
    assert before.items() <= after.items()
    build.outcomes.begin("another run")
    build.run()
    assert build.twins() == after, "as if nothing had happened"

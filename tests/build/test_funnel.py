"""How far units come, what is counted of them, and what a kept pair costs."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import (
    Failed,
    Outcomes,
    Unit,
    last_stage,
    outcome_of,
)
from pairwright.construct.status import RunStatus, status_of
from pairwright.models import CallLog
from pairwright.models.store import Store
from pairwright.modes import Stage
from pairwright.records import Draft, Dropped, Kept
from pairwright.stages.writer import WRITER_PROMPTS
from released import twinned, violated
from scripted import item, settings

DRAFT = Draft(draw=0, strategy="twin", generator="m", first="a", second="b")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "run.sqlite")) as opened:
        yield opened


def add(store: Store, *results: Any, mode: str = "twin", partner: str | None = "vic") -> None:
    """Write the outcomes of units of a mode, after those that are there."""
    outcomes = Outcomes(store)
    for result in results:
        ((n,),) = store.rows("SELECT count(*) FROM outcomes")
        unit = Unit(f"{mode}:q{n}", mode, n, n, partner)
        outcomes.add(outcome_of(unit, item((), id=f"q{n}"), result, CallLog()))


def counted(store: Store) -> RunStatus:
    return status_of(RunFolder(store.path.parent), store, settings())


def refused(stage: str, reason: str = "x", **more: Any) -> Dropped:
    return Dropped(stage=stage, reason=reason, **more)


ASKED, OTHER = twinned(0)
KEPT = Kept(pairs=(ASKED, OTHER))


@pytest.mark.parametrize(
    ("mode", "result", "partner", "last"),
    [
        ("twin", refused("plan", "no_personal_signal", user="una"), None, "items"),
        ("twin", refused("partners", "no_partner"), None, "signal"),
        ("twin", refused("partners", "enough_of_couple"), None, "signal"),
        ("twin", refused("plan", "no_personal_signal", user="vic"), "vic", "partner"),
        ("twin", refused("gates", "rubrics_alike"), "vic", "partner"),
        ("twin", refused("write_adhering", "content_filter"), "vic", "partner_signal"),
        ("twin", refused("write_adhering", "cut_short"), "vic", "partner_signal"),
        ("twin", refused("gates", "parity", drafts=(DRAFT,)), "vic", "drafts"),
        ("twin", KEPT, "vic", "kept"),
        ("violate", Kept(pairs=(violated(0),)), None, "kept"),
        ("violate", refused("plan", "no_personal_signal", user="una"), None, "items"),
        *(("violate", refused(prompt, "content_filter"), None, "signal")
          for prompt in sorted(WRITER_PROMPTS)),
        # What failed or waits is at no stage, and a reply that cannot be used says nothing of a
        # user's signal.
        ("twin", Failed(reason="http_500"), "vic", None),
        ("twin", Failed(reason="plan", waits=True), "vic", None),
        ("twin", refused("plan", "unparseable"), None, None),
        *(("twin", refused(stage, "cut_short", user="una"), None, None)
          for stage in ("plan", "write_plain", "judge_support")),
    ],
)  # fmt: skip
def test_a_unit_comes_as_far_as_its_refusal_says(
    mode: str, result: Any, partner: str | None, last: Stage | None
) -> None:
    assert last_stage(result, mode, partner) == last


def test_each_stage_is_a_share_of_all_items_with_its_interval(store: Store) -> None:
    add(store, KEPT)
    add(store, refused("partners", "no_partner"), refused("plan", "no_personal_signal", user="una"),
        partner=None)  # fmt: skip
    rows = dict(counted(store).funnel["twin"])
    assert [(stage, found.k) for stage, found in rows.items()] == [
        ("items", 3), ("signal", 2), ("partner", 1), ("partner_signal", 1), ("drafts", 1),
        ("kept", 1),
    ]  # fmt: skip
    assert all(found.n == 3 for found in rows.values())
    assert rows["kept"].counted() == "1 of 3: 33 % (6 to 79)"

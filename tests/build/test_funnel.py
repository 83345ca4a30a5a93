"""How far units come, and what a kept pair costs."""

import json
from typing import Any

import pytest

from pairwright.construct.manifest import for_each_pair
from pairwright.construct.outcomes import (
    Failure,
    Outcome,
    Pending,
    funnel_rows,
    last_stage,
    stages_up_to,
)
from pairwright.construct.tally import Tally
from pairwright.models import Totals
from pairwright.modes import Stage
from pairwright.records import Draft, Dropped, DroppedAspect, Kept
from pairwright.settings.prompt_variables import VARIABLES
from pairwright.stages.writer import WRITER_PROMPTS
from released import twinned, violated

DRAFT = Draft(draw=0, strategy="twin", generator="m", first="a", second="b")


def outcome(result: Any, mode: Any = "twin", partner: str | None = "vic") -> Outcome:
    return Outcome(
        unit=f"{mode}:q", mode=mode, item_id="q", user="una",
        partner=partner if mode == "twin" else None, posts=3, result=result, calls=(),
        prompt_tokens=0, completion_tokens=0,
    )  # fmt: skip


def add(counted: Tally, one: Outcome) -> None:
    row = one.row(0)
    counted.add(row, json.loads(row.record))


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
        ("twin", Failure(failure="http_500", detail=""), "vic", None),
        ("twin", Pending(waits_for="plan"), "vic", None),
        ("twin", refused("plan", "unparseable"), None, None),
        *(("twin", refused(stage, "cut_short", user="una"), None, None)
          for stage in ("plan", "write_plain", "judge_support")),
    ],
)  # fmt: skip
def test_a_unit_comes_as_far_as_its_refusal_says(
    mode: str, result: Any, partner: str | None, last: Stage | None
) -> None:
    assert last_stage(outcome(result, mode, partner)) == last


def test_a_pair_of_mode_violate_has_no_stage_of_a_partner() -> None:
    assert stages_up_to("violate", "kept") == ("items", "signal", "drafts", "kept")
    assert stages_up_to("twin", "partner") == ("items", "signal", "partner")
    assert stages_up_to("twin", None) == ()


def test_every_prompt_that_writes_a_side_is_after_the_signal() -> None:
    writers = {name for name in VARIABLES if name.startswith(("write_", "paper_"))}
    assert writers - {"write_plain"} == WRITER_PROMPTS


def test_each_stage_is_a_share_of_all_items_with_its_interval() -> None:
    counted = Tally()
    add(counted, outcome(KEPT))
    add(counted, outcome(refused("partners", "no_partner"), partner=None))
    add(counted, outcome(refused("plan", "no_personal_signal", user="una"), partner=None))
    rows = dict(funnel_rows(counted.reached, "twin"))
    assert [(stage, found.k) for stage, found in rows.items()] == [
        ("items", 3), ("signal", 2), ("partner", 1), ("partner_signal", 1), ("drafts", 1),
        ("kept", 1),
    ]  # fmt: skip
    assert all(found.n == 3 for found in rows.values())
    assert rows["kept"].counted() == "1 of 3: 33 % (6 to 79)"


def test_why_aspects_were_dropped_is_counted_by_refused_unit() -> None:
    aspects = ASKED.rubric.aspects[:1] * 3
    reasons = ("copied_from_post", "copied_from_post", "too_long")
    dropped = tuple(
        DroppedAspect(aspect=aspect, reason=why)
        for aspect, why in zip(aspects, reasons, strict=True)
    )
    counted = Tally()
    assert not counted.nothing_kept
    for refusal in (
        refused("plan", "no_personal_signal", user="una", dropped=dropped),
        refused("plan", "no_personal_signal", user="una"),
        refused("gates", "parity", dropped=dropped, drafts=(DRAFT,)),
    ):
        add(counted, outcome(refusal))
    assert counted.dropped == {"copied_from_post": 1, "too_long": 1, "none_found": 1}
    assert counted.nothing_kept
    add(counted, outcome(KEPT))
    assert not counted.nothing_kept


def test_the_cost_of_a_kept_pair_is_of_all_calls() -> None:
    calls = Totals(calls=30, prompt_tokens=6000, completion_tokens=900)
    each = {"calls": 5, "prompt_tokens": 1000, "completion_tokens": 150}
    assert for_each_pair(6, calls, 1.2) == each | {"cost": 0.2}
    assert for_each_pair(6, calls, None) == each
    assert for_each_pair(0, calls, 1.2) == {}

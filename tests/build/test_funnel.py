"""How far units come."""

from typing import Any

import pytest

from pairwright.construct.outcomes import Failed, last_stage
from pairwright.modes import Stage
from pairwright.records import Draft, Dropped, Kept
from pairwright.stages.writer import WRITER_PROMPTS
from released import twinned, violated

DRAFT = Draft(draw=0, strategy="twin", generator="m", first="a", second="b")


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

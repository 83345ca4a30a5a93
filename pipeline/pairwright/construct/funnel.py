"""The funnel of a build: how many units of a mode reach each stage, and what a kept pair costs."""

from collections import Counter
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.construct.outcomes import Failure, Outcome, Pending
from pairwright.estimate import Estimate, share
from pairwright.models.model import UNUSABLE
from pairwright.models.store import Totals
from pairwright.modes import MODES, STAGES, Stage, verified_modes
from pairwright.records import Mode, Rejected
from pairwright.stages.writer import WRITER_PROMPTS

_OF_PARTNER: tuple[Stage, ...] = ("partner", "partner_signal")


def stages_of(mode: Mode) -> tuple[Stage, ...]:
    """The stages of a mode, in the order in which a unit reaches them."""
    if MODES[mode].own_choice:
        return "items", "kept"
    if MODES[mode].needs_partner:
        return tuple(STAGES)
    return tuple(stage for stage in STAGES if stage not in _OF_PARTNER)


def stages_up_to(mode: Mode, last: Stage | None) -> tuple[Stage, ...]:
    """The stages that a unit reached, in order, by the last one; none where it failed or waits."""
    stages = stages_of(mode)
    return () if last is None else stages[: stages.index(last) + 1]


def last_stage(outcome: Outcome) -> Stage | None:
    """The last stage that a unit reached; None where it failed or waits, or where a reply that
    cannot be used left open whether its user has a signal."""
    if isinstance(outcome.result, Failure | Pending):
        return None
    if isinstance(outcome.result, Rejected):
        return _refused_after(outcome, outcome.result)
    return stages_of(outcome.mode)[-1]


def _refused_after(outcome: Outcome, refusal: Rejected) -> Stage | None:
    partners = MODES[outcome.mode].needs_partner
    if refusal.drafts or (refusal.stage == "gates" and refusal.reason != "rubrics_alike"):
        return "drafts"
    if refusal.stage == "partners":
        return "signal"
    if refusal.stage in WRITER_PROMPTS:
        return "partner_signal" if partners else "signal"
    if outcome.partner is not None:
        # The survey has the asker's signal, so what was refused is about the partner.
        return "partner"
    return None if lacks_reply(refusal) else "items"


def lacks_reply(refusal: Rejected) -> bool:
    """Whether it was refused because a model gave no reply that can be used."""
    return refusal.stage != "gates" and refusal.reason in UNUSABLE


def funnel_rows(reached: Counter[tuple[Mode, Stage]], mode: Mode) -> list[tuple[Stage, Estimate]]:
    """Each stage with the share of all items that reached it, and its 95 % interval; none of
    people's own choices, of which every item is kept: the source refuses the others."""
    if MODES[mode].own_choice:
        return []
    items = reached[mode, "items"]
    return [(stage, share(reached[mode, stage], items)) for stage in stages_of(mode)]


class KeptCost(NamedTuple):
    """All calls of a run over its kept pairs, or over its kept units of one mode: what was refused
    is paid for, too."""

    what: str
    """What is kept: `pair`, or a mode whose units have several pairs."""
    kept: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    """None where no price is set."""

    def __str__(self) -> str:
        """The figures for one, as in `9.2 calls, 6,000 + 800 tokens, cost 0.12`; empty where none
        is kept."""
        if not self.kept:
            return ""
        sent, received = (
            round(n / self.kept) for n in (self.prompt_tokens, self.completion_tokens)
        )
        price = f", cost {self.cost / self.kept:,.4f}" if self.cost else ""
        return f"{self.calls / self.kept:,.1f} calls, {sent:,} + {received:,} tokens{price}"

    def as_json(self) -> JsonValue:
        """The figures for one kept unit; nothing but n where none is kept."""
        if not self.kept:
            return {"n": 0}
        return {
            "n": self.kept,
            "calls": round(self.calls / self.kept, 3),
            "prompt_tokens": round(self.prompt_tokens / self.kept, 1),
            "completion_tokens": round(self.completion_tokens / self.kept, 1),
            "cost": None if self.cost is None else round(self.cost / self.kept, 6),
        }


def kept_costs(
    pairs: Counter[str], kept: Counter[str], calls: Totals, cost: float | None
) -> list[KeptCost]:
    """For each kept pair, and for each kept twin; `pairs` and `kept` units are counted by mode."""
    several = [mode for mode in verified_modes(2) if mode in kept]
    counts = [("pair", pairs.total()), *((str(mode), kept[mode]) for mode in several)]
    return [
        KeptCost(what, n, calls.calls, calls.prompt_tokens, calls.completion_tokens, cost)
        for what, n in counts
    ]

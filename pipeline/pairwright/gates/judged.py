"""Gates on judgements: does each side fit whom it should, and are both equally good answers?"""

from pairwright.records import Comparison, Draft, GateResult
from pairwright.settings.rules import GateRules, TwinRules


def judge_contrast(draft: Draft, rules: GateRules) -> tuple[GateResult, ...]:
    """Mode violate: the chosen side adheres, the rejected does not, and quality is level."""
    chosen, rejected = draft.adherence["first"].share, draft.adherence["second"].share
    gap = chosen - rejected
    return (
        _at_least("adherence", chosen, rules.adherence, rules),
        _at_most("violation", rejected, rules.violation, rules),
        _at_least("adherence_margin", gap, rules.margin, rules),
        *_quality(draft, rules),
    )


def judge_twin(draft: Draft, twin: TwinRules, rules: GateRules) -> tuple[GateResult, ...]:
    """Mode twin: each response fits its own rubric better than the other one does (2 x 2)."""
    a = {name: adherence.share for name, adherence in draft.adherence.items()}
    own = min(a["first_own"], a["second_own"])
    asker = a["first_own"] - a["second_other"]
    mirror = a["second_own"] - a["first_other"]
    return (
        _at_least("adherence", own, rules.adherence, rules),
        _at_least("twin_margin", asker, twin.margin, rules),
        _at_least("twin_margin_mirror", mirror, twin.margin, rules),
        *_quality(draft, rules),
    )


def _quality(draft: Draft, rules: GateRules) -> tuple[GateResult, ...]:
    first, second = draft.quality["first"].mean, draft.quality["second"].mean
    floor = _at_least("quality_floor", min(first, second), rules.quality_floor, rules)
    # A verdict that flips with the order is undecided, never parity: then only the absolute
    # scores can show it. A stable tie is parity even where they differ.
    gap = round(abs(first - second), 3)
    level = draft.comparison is Comparison.TIE or (
        min(first, second) >= rules.quality_floor and gap <= rules.parity
    )
    parity = GateResult(
        gate="parity",
        passed=level or "parity" in rules.off,
        value=[gap, draft.comparison and draft.comparison.value],
        limit=["stable tie or gap", rules.parity],
    )
    return floor, parity


# Shares are sums of small whole numbers over small whole numbers: rounding keeps 0.7 - 0.4
# from falling below 0.3.
def _at_least(gate: str, value: float, limit: float, rules: GateRules) -> GateResult:
    value = round(value, 6)
    return GateResult(
        gate=gate, passed=value >= round(limit, 6) or gate in rules.off, value=value, limit=limit
    )


def _at_most(gate: str, value: float, limit: float, rules: GateRules) -> GateResult:
    value = round(value, 6)
    return GateResult(
        gate=gate, passed=value <= round(limit, 6) or gate in rules.off, value=value, limit=limit
    )

"""How a gate's decision is put down."""

from pydantic import JsonValue

from pairwright.records import DraftSide, GateResult
from pairwright.settings.rules import GateRules, JudgedGate, TextGate

_SIDES: tuple[DraftSide, DraftSide] = ("first", "second")


def gate_result(
    rules: GateRules,
    gate: TextGate | JudgedGate,
    faults: tuple[bool, bool],
    value: JsonValue,
    limit: JsonValue,
) -> GateResult:
    """A gate passes if neither side is at fault, or if it is switched off."""
    sides = tuple(side for side, at_fault in zip(_SIDES, faults, strict=True) if at_fault)
    passed = not sides or gate in rules.off
    return GateResult(
        gate=gate, passed=passed, value=value, limit=limit, sides=() if passed else sides
    )

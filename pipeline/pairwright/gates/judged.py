"""Gates on judgements: does each side fit whom it should, and are both equally good answers?"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from pairwright.gates.results import gate_result
from pairwright.records import Adherence, Comparison, DraftSide, GateResult, Quality
from pairwright.settings.rules import GateRules, TwinRules

BOTH = True, True
Fit = Mapping[DraftSide, Adherence]
"""How far both responses meet one rubric."""


def judge_violate(fit: Fit, rules: GateRules) -> tuple[GateResult, ...]:
    """Check that the first response meets the rubric, and that the second does not."""
    chosen, rejected = fit["first"].share, fit["second"].share
    gap = chosen - rejected
    weak, serving = _below(chosen, rules.adherence), _below(rules.violation, rejected)
    close = _below(gap, rules.margin)
    return (
        gate_result(rules, "adherence", (weak, False), _whole(chosen), rules.adherence),
        gate_result(rules, "violation", (False, serving), _whole(rejected), rules.violation),
        gate_result(
            rules, "adherence_margin", _blame(close, weak, serving), _whole(gap), rules.margin
        ),
    )


def judge_twin(fits: Sequence[Fit], twin: TwinRules, rules: GateRules) -> tuple[GateResult, ...]:
    """Check that each response meets its own rubric, meets it better than the other response does,
    and does not meet the other rubric as well (2 x 2)."""
    asker, partner = ({side: fit[side].share for side in fit} for fit in fits)
    own = asker["first"], partner["second"]
    weak = _below(own[0], rules.adherence), _below(own[1], rules.adherence)
    other = partner["first"], asker["second"]
    serving = _below(twin.cross_adherence, other[0]), _below(twin.cross_adherence, other[1])
    ahead, mirror = asker["first"] - asker["second"], partner["second"] - partner["first"]
    close = _blame(_below(ahead, twin.margin), weak[0], serving[1])
    behind = _blame(_below(mirror, twin.margin), serving[0], weak[1])
    return (
        gate_result(rules, "adherence", weak, _whole(min(own)), rules.adherence),
        gate_result(rules, "cross_adherence", serving, _whole(max(other)), twin.cross_adherence),
        gate_result(rules, "twin_margin", close, _whole(ahead), twin.margin),
        gate_result(rules, "twin_margin_mirror", behind, _whole(mirror), twin.margin),
    )


def _blame(close: bool, first: bool, second: bool) -> tuple[bool, bool]:
    """Who is at fault if two shares are too close: the sides that fail alone, or both."""
    if not close:
        return False, False
    return (first, second) if first or second else BOTH


def judge_quality(
    verdict: Comparison,
    quality: Mapping[DraftSide, Quality],
    rules: GateRules,
    *,
    winner_gap: float | None,
) -> tuple[GateResult, ...]:
    """Check the floor of quality, and parity.

    A stable winner (the same response in both orders) is not parity, but for a gap up to
    `winner_gap` if one is given: in a twin each response is chosen once. Without one a winner
    decides, and no scores are needed. If the verdict is a tie, or changes with the order, the
    absolute scores decide.
    """
    won = verdict.has_winner
    if not quality:
        blamed = verdict is Comparison.SECOND, verdict is Comparison.FIRST
        value: JsonValue = [None, verdict.value]
        return (gate_result(rules, "parity", blamed, value, "no stable winner"),)
    first, second = quality["first"].mean, quality["second"].mean
    poor = _below(first, rules.quality_floor), _below(second, rules.quality_floor)
    floor = gate_result(
        rules, "quality_floor", poor, _whole(min(first, second)), rules.quality_floor
    )
    gap = round(abs(first - second), 3)
    most = winner_gap if won else rules.parity
    level = most is not None and not _below(most, gap)
    level = level and (verdict is Comparison.TIE or not any(poor))
    # The loser is the one to write better; without one, the one of lower scores.
    first_behind = verdict is Comparison.SECOND if won else first < second
    second_behind = verdict is Comparison.FIRST if won else second < first
    blamed = (first_behind, second_behind) if first != second or won else BOTH
    parity = gate_result(
        rules,
        "parity",
        (False, False) if level else blamed,
        [gap, verdict.value],
        ["gap", most] if most is not None else "no stable winner",
    )
    return floor, parity


# Shares are sums of small whole numbers over small whole numbers: rounding keeps 0.7 - 0.4
# from falling below 0.3.
def _below(value: float, limit: float) -> bool:
    return _whole(value) < _whole(limit)


def _whole(value: float) -> float:
    return round(value, 6)

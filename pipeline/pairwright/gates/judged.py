"""Gates on judgements: does each side fit whom it should, and are both equally good answers?"""

from pydantic import JsonValue

from pairwright.gates.results import gate_result
from pairwright.records import Comparison, Draft, GateResult
from pairwright.settings.rules import GateRules, TwinRules

BOTH = True, True


def judge_contrast(draft: Draft, rules: GateRules) -> tuple[GateResult, ...]:
    """Mode violate: the chosen side adheres, and the rejected one does not."""
    chosen, rejected = draft.adherence["first"].share, draft.adherence["second"].share
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


def judge_twin(draft: Draft, twin: TwinRules, rules: GateRules) -> tuple[GateResult, ...]:
    """Mode twin: each response fits its own rubric, fits it better than the other
    response does, and does not fit the other rubric as well (2 x 2)."""
    a = {name: adherence.share for name, adherence in draft.adherence.items()}
    asker, mirror = a["first_own"] - a["second_other"], a["second_own"] - a["first_other"]
    weak = _below(a["first_own"], rules.adherence), _below(a["second_own"], rules.adherence)
    serving = (
        _below(twin.cross_adherence, a["first_other"]),
        _below(twin.cross_adherence, a["second_other"]),
    )
    own, other = min(a["first_own"], a["second_own"]), max(a["first_other"], a["second_other"])
    close = _blame(_below(asker, twin.margin), weak[0], serving[1])
    behind = _blame(_below(mirror, twin.margin), serving[0], weak[1])
    return (
        gate_result(rules, "adherence", weak, _whole(own), rules.adherence),
        gate_result(rules, "cross_adherence", serving, _whole(other), twin.cross_adherence),
        gate_result(rules, "twin_margin", close, _whole(asker), twin.margin),
        gate_result(rules, "twin_margin_mirror", behind, _whole(mirror), twin.margin),
    )


def _blame(close: bool, first: bool, second: bool) -> tuple[bool, bool]:
    """Who is at fault where two shares are too close: the sides that fail alone, or both."""
    if not close:
        return False, False
    return (first, second) if first or second else BOTH


def judge_quality(
    draft: Draft, rules: GateRules, *, winner_gap: float | None
) -> tuple[GateResult, ...]:
    """The floor of quality and parity.

    A stable winner (the same response in both orders) is not parity, but for a gap up to
    `winner_gap` if one is given: in a twin each response is chosen once. Without one a winner
    decides, and a draft may have no scores. Where the verdict is a tie, or changes with the order,
    the absolute scores decide.
    """
    verdict, won = draft.comparison, draft.has_winner
    if not draft.quality:
        blamed = verdict is Comparison.SECOND, verdict is Comparison.FIRST
        value: JsonValue = [None, verdict and verdict.value]
        return (gate_result(rules, "parity", blamed, value, "no stable winner"),)
    first, second = draft.quality["first"].mean, draft.quality["second"].mean
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
        [gap, verdict and verdict.value],
        ["gap", most] if most is not None else "no stable winner",
    )
    return floor, parity


# Shares are sums of small whole numbers over small whole numbers: rounding keeps 0.7 - 0.4
# from falling below 0.3.
def _below(value: float, limit: float) -> bool:
    return _whole(value) < _whole(limit)


def _whole(value: float) -> float:
    return round(value, 6)

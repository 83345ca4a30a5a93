"""Decisions made by hand, for tests of measures and of the leaderboard.

decisions = [violate(1, 2.0, 1.0), *twin(2, (2.0, 1.0), (1.0, 2.0))]
board = board_of(result(tmp_path, "scorer", decisions))
board = board_with(tmp_path, good=right_on(30), poor=right_on(12))
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pairwright.evaluation.conditions import ConditionName
from pairwright.evaluation.decision import Choice, PairDecision
from pairwright.evaluation.leaderboard import Leaderboard, gather_results, leaderboard
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.results import ResultSummary, ScorerRef, write_result
from pairwright.evaluation.scorers.scorer import BASELINES

RELEASE = ReleaseRef(name="small-pairs", version="1.0.0", digest="b2:00", pairs=40)
Half = tuple[float | None, float]
"""The scores of a half's own chosen and rejected response."""
AHEAD, BEHIND, TIED = (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)


def violate(
    n: int, chosen: float | None, rejected: float | None = 0.0, **changes: Any
) -> PairDecision:
    """A pair of mode violate by a user of its own."""
    return decision(f"pair-{n}", n, chosen, rejected, **({"cluster": f"user-{n}"} | changes))


def right_on(wins: int, n: int = 40, **changes: Any) -> list[PairDecision]:
    """So many pairs of mode violate, the first `wins` right."""
    return [violate(k, 1.0 if k < wins else -1.0, **changes) for k in range(n)]


def twin(n: int, asked: Half, other: Half, **changes: Any) -> tuple[PairDecision, PairDecision]:
    """Both halves, each with the scores of its own chosen and rejected response."""
    shared = {"mode": "twin", "twin_id": f"twin-{n}", "cluster": f"dyad-{n}"} | changes
    return (
        decision(f"asked-{n}", n, *asked, **shared),
        decision(f"other-{n}", n, *other, **shared),
    )


def twins(outcomes: Iterable[tuple[Half, Half]], **changes: Any) -> list[PairDecision]:
    """The halves of twins 0, 1, ..., by the scores of both halves of each."""
    return [half for n, both in enumerate(outcomes) for half in twin(n, *both, **changes)]


def without_score(decision: PairDecision, why: str = "context_length") -> PairDecision:
    return decision.model_copy(update={"chosen": None, "rejected": None, "unscored": why})


def placebo(n: int, first: Half, second: Half, **changes: Any) -> tuple[PairDecision, PairDecision]:
    """Both halves of a placebo, each with the scores of the response that it calls chosen and of
    the other one."""
    unit = {"mode": "placebo", "twin_id": f"placebo-{n}", "cluster": f"dyad-{n}"}
    asked, other = twin(n, first, second, **(unit | changes))
    return (
        asked.model_copy(update={"id": f"first-{n}"}),
        other.model_copy(update={"id": f"second-{n}"}),
    )


def judged(n: int, forward: Choice, backward: Choice, **changes: Any) -> PairDecision:
    """A pair of mode violate with a comparing judge's two verdicts."""
    return violate(n, None, None, orders=(forward, backward), **changes)


def decision(
    name: str, n: int, chosen: float | None, rejected: float | None, **changes: Any
) -> PairDecision:
    domain, mode = changes.pop("domain", "Home"), changes.get("mode", "violate")
    fields: dict[str, Any] = {
        "id": name, "config": f"{domain}-{mode}", "mode": mode, "twin_id": None,
        "cluster": f"user-{n}", "chosen": chosen, "rejected": rejected,
    }  # fmt: skip
    if chosen is None and "orders" not in changes:
        fields |= {"rejected": None, "unscored": "context_length"}
    return PairDecision(**(fields | changes))


def result(
    folder: Path,
    name: str,
    decisions: Sequence[PairDecision],
    condition: ConditionName = "profile",
    **changes: Any,
) -> Path:
    """A result as `pairwright evaluate` writes it."""
    kind = "baseline" if name in BASELINES else "classifier"
    about: dict[str, Any] = {
        "release": RELEASE, "scorer": ScorerRef(name=name, kind=kind),
        "condition": condition, "pairs": len(decisions),
        "scored": sum(one.choice is not None for one in decisions), "ties": 0, "unstable": 0,
        "unscored": {}, "units": len(decisions), "units_scored": len(decisions), "shortened": 0,
        "prompt_tokens": 90, "completion_tokens": 10,
    }  # fmt: skip
    folder.mkdir(exist_ok=True)
    return write_result(folder, ResultSummary(**(about | changes)), list(decisions))


def board_of(*given: Path) -> Leaderboard:
    return leaderboard(gather_results(given))


def board_with(folder: Path, **decisions: Sequence[PairDecision]) -> Leaderboard:
    """The leaderboard of a folder with results of these scorers, too, in condition profile."""
    for name, given in decisions.items():
        result(folder, name, given)
    return board_of(folder)


def ends(found: Any) -> tuple[float, float]:
    """The bounds of an estimate or figure that must have them."""
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high

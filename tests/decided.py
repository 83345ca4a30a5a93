"""Decisions made by hand, for tests of measures and of the leaderboard.

decisions = [violate(1, 2.0, 1.0), *twin(2, (2.0, 1.0), (1.0, 2.0))]
board = board_of(result(tmp_path, "scorer", decisions))
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pairwright.evaluation.board.board import Leaderboard, leaderboard
from pairwright.evaluation.board.inputs import gather_results
from pairwright.evaluation.conditions import ConditionName
from pairwright.evaluation.decision import Choice, PairDecision
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.results import ResultSummary, ScorerRef, write_result
from pairwright.evaluation.scorers.scorer import BASELINES

RELEASE = ReleaseRef(name="small-pairs", version="1.0.0", digest="b2:00", pairs=40)


def violate(
    n: int, chosen: float | None, rejected: float | None = 0.0, **changes: Any
) -> PairDecision:
    """A pair of mode violate by a user of its own."""
    return decision(f"pair-{n}", n, chosen, rejected, **({"cluster": f"user-{n}"} | changes))


def twin(
    n: int, asked: tuple[float | None, float], other: tuple[float | None, float], **changes: Any
) -> tuple[PairDecision, PairDecision]:
    """Both halves, each with the scores of its own chosen and rejected response."""
    shared = {"mode": "twin", "twin_id": f"twin-{n}", "cluster": f"dyad-{n}"} | changes
    return (
        decision(f"asked-{n}", n, *asked, **{"user": f"user-{n}", **shared}),
        decision(f"other-{n}", n, *other, **{"user": f"partner-{n}", "asked": False, **shared}),
    )


def placebo(
    n: int, first: tuple[float | None, float], second: tuple[float | None, float], **changes: Any
) -> tuple[PairDecision, PairDecision]:
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
    domain, mode = changes.get("domain", "Home"), changes.get("mode", "violate")
    fields: dict[str, Any] = {
        "id": name, "item_id": f"item-{n}", "config": f"{domain}-{mode}", "domain": domain,
        "category": "Repairs", "mode": mode, "twin_id": None, "asked": True, "user": f"user-{n}",
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
        "tokens": 100, "prompt_tokens": 90, "completion_tokens": 10,
    }  # fmt: skip
    folder.mkdir(exist_ok=True)
    return write_result(folder, ResultSummary(**(about | changes)), list(decisions))


def board_of(*given: Path) -> Leaderboard:
    return leaderboard(gather_results(given))

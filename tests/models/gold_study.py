"""Studies of which models of random weights are asked as writers and as judges."""

import json
from collections.abc import Callable
from typing import Any, get_args

from pairwright.settings.rules import TextGate
from study import Study


def rewritten(made: Study, change: Callable[[dict[str, Any]], None]) -> Study:
    """The same with each row of its source changed."""
    path = made.folder / "histories.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        change(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return made


def aspects(row: dict[str, Any]) -> None:
    row["rubric_aspects"] = [
        {"aspect": f"what to do {when}", "reason": "", "evidence": ""}
        for when in ("first", "later")
    ]


def with_gold(made: Study, draws: int = 1) -> Study:
    """The same with gold aspects, and with text gates off, which nonsense does not pass."""
    rewritten(made, aspects)
    off = list(get_args(TextGate))
    made.change(modes=["violate"], aspects="gold", draws=draws, gates__off=off)
    return made

"""Items with gold aspects that their posts carry, made up for tests of planners.

write(path, items(8))
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pairwright import assets
from pairwright.settings.prompt import BUILDING, Prompts
from pairwright.settings.rules import SourceRules
from pairwright.sources import SourceItems
from pairwright.training.planner_data import read_gold
from scripted import domains

# What a post says, and the gold aspect that it carries.
TOPICS = (
    ("There is no oven on our narrowboat.", "Baking without an oven aboard"),
    ("My daughter is allergic to nuts.", "Nothing that contains nuts"),
    ("Every month forty euros are left for food.", "Cheap ingredients for forty euros"),
    ("I come home at midnight from the late shift.", "Rising overnight after a late shift"),
    ("My wrists hurt when I knead.", "Methods that spare painful wrists"),
)


def rows(n: int, prefix: str = "q", posts: int = 4) -> list[dict[str, Any]]:
    """So many items, each of a user of its own."""
    return [row(f"{prefix}-{number}", posts) for number in range(n)]


def row(id: str, posts: int = 4, **changes: Any) -> dict[str, Any]:
    """One item of LaMP-QA's schema: its two gold aspects rest on its first two posts."""
    first = sum(map(ord, id)) % len(TOPICS)
    told = [TOPICS[(first + n) % len(TOPICS)] for n in range(posts)]
    return {
        "id": id,
        "user": f"user-of-{id}",
        "question": f"How do I bake good bread during the week, {id}?",
        "category": "cooking",
        "created": "2020-01-01T00:00:00",
        "profile": [
            {
                "id": f"{id}-p{n}",
                "text": f"A question, number {n}. {said} What would you do?",
                "created": f"{2001 + n}-01-01T00:00:00",
            }
            for n, (said, _) in enumerate(told)
        ],
        "rubric_aspects": [
            {"aspect": aspect, "reason": "The user says so.", "evidence": "told in the narrative"}
            for _, aspect in told[:2]
        ],
        **changes,
    }


def write(path: Path, given: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in given), encoding="utf-8")
    return path


def gold(folder: Path, *given: dict[str, Any]) -> SourceItems:
    """What is read of a file of such rows in a folder."""
    path = write(folder / "items.jsonl", given)
    return read_gold(SourceRules(path=path.name), domains(), folder, "[source]")


def planning_prompts() -> Prompts:
    """The prompts that plan."""
    return Prompts.load(assets.PROMPTS, BUILDING)

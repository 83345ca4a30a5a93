"""What is trained on: tokens, and what was left out."""

from collections import Counter
from collections.abc import Callable, Mapping

from pairwright.errors import ConfigError
from pairwright.records import Record
from pairwright.train.gold import GoldItems
from pairwright.train.planner.examples import (
    LeftOutItem,
    PromptMaker,
    SplitPrompt,
    Tokenizer,
    training_examples,
)
from pairwright.train.planner.settings import Training


class TrainingData(Record):
    """What is trained on."""

    source: str
    """Identifies the source's content."""
    items: int
    users: int
    refused: dict[str, int]
    """Rows and items that nothing is learned from, by reason."""
    aspects: int
    dropped: dict[str, int]
    """Gold aspects of the items that are in no target, by reason."""
    shortened: int
    """Items with fewer posts than the policy shows, for want of room."""
    tokens: int
    learned: int
    """Tokens of targets: those that the loss counts."""


def rows_of(
    settings: Training,
    source: GoldItems,
    asking: PromptMaker,
    tokenizer: Tokenizer,
    count: Callable[[int], None],
) -> tuple[list[SplitPrompt], TrainingData]:
    """Each item's tokens; `count` is called with each item. Raises ConfigError where none is
    left."""
    rows: list[SplitPrompt] = []
    refused, dropped, users = Counter(source.refused), Counter[str](), set[str]()
    empty = Counter[str]()
    aspects = shortened = 0
    for example in training_examples(source.items, asking, tokenizer, settings.max_tokens):
        count(1)
        if isinstance(example, LeftOutItem):
            refused[example.reason] += 1
            empty.update(example.dropped)
            continue
        rows.append(example.tokens)
        dropped.update(example.target.dropped)
        users.add(example.item.user)
        aspects += example.target.aspects
        shortened += bool(example.shown.left_out)
    if not rows:
        of_aspects = f"; of their aspects {_reasons(empty)}" if empty else ""
        raise ConfigError(
            f"not one item is left to train on: {_reasons(refused)}{of_aspects}",
            where=f"[source] {settings.source.path}",
            fix="Bring items whose posts carry their gold aspects, set target = 'lamp-qa', or raise"
            " max_tokens.",
        )
    data = TrainingData(
        source=source.hash,
        items=len(rows),
        users=len(users),
        refused=dict(sorted(refused.items())),
        aspects=aspects,
        dropped=dict(sorted(dropped.items())),
        shortened=shortened,
        tokens=sum(len(row.prompt) + len(row.completion) for row in rows),
        learned=sum(len(row.completion) for row in rows),
    )
    return rows, data


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {reason}" for reason, n in sorted(counts.items()))

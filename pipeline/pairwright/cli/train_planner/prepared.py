"""From the settings to what is trained on: prompts, items, tokens, and what is left out."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pairwright import assets
from pairwright.errors import ConfigError
from pairwright.prompt import BUILDING, LISTING, Prompts
from pairwright.rubric import Domains
from pairwright.train.gold import Gold, read_gold
from pairwright.train.planner.choose import apart
from pairwright.train.planner.examples import Asking, Refused, examples
from pairwright.train.planner.folder import Data
from pairwright.train.planner.settings import Training
from pairwright.train.planner.sft import Tokens, Words


class Sources(NamedTuple):
    """Items with gold aspects: to train on, and to choose a checkpoint on."""

    training: Gold
    validation: Gold


def asking_of(settings: Training, base: Path) -> Asking:
    """How the planner will be asked; paths start from `base`. Raises ConfigError."""
    prompts = _folder("prompts", settings.prompts, base, assets.PROMPTS)
    rubrics = _folder("rubrics", settings.rubrics, base, assets.RUBRICS)
    names = LISTING | {"system", "history"} if settings.target == "lamp-qa" else BUILDING
    return Asking(
        settings.target,
        Prompts.load(prompts, names),
        Domains.load(rubrics),
        settings.history,
        settings.words,
    )


def sources_of(settings: Training, base: Path, domains: Domains) -> Sources:
    """Raises SourceError, and ConfigError where somebody is in both."""
    training = read_gold(settings.source, domains, base, "[source]")
    validation = read_gold(settings.validation, domains, base, "[validation]")
    apart(training.items, validation.items, f"[validation] {settings.validation.path}")
    return Sources(training, validation)


def rows_of(
    settings: Training, source: Gold, asking: Asking, words: Words, seen: Callable[[int], None]
) -> tuple[list[Tokens], Data]:
    """Each item's tokens; `seen` is told of each item. Raises ConfigError where none is left."""
    rows: list[Tokens] = []
    refused, dropped, users = Counter(source.refused), Counter[str](), set[str]()
    aspects = shortened = 0
    for made in examples(source.items, asking, words.length, settings.max_tokens):
        seen(1)
        if isinstance(made, Refused):
            refused[made.reason] += 1
            continue
        rows.append(words.tokens(made.ask, made.target.text))
        dropped.update(made.target.dropped)
        users.add(made.item.user)
        aspects += made.target.aspects
        shortened += bool(made.shown.left_out)
    if not rows:
        told = ", ".join(f"{n:,} {reason}" for reason, n in sorted(refused.items()))
        raise ConfigError(
            f"not one item is left to train on: {told}",
            where=f"[source] {settings.source.path}",
            fix="Bring items whose posts carry their gold aspects, set target = 'lamp-qa', or raise"
            " max_tokens.",
        )
    data = Data(
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


def _folder(key: str, given: str | None, base: Path, shipped: Path) -> Path:
    found = base / given if given else shipped
    if not found.is_dir():
        raise ConfigError(
            f"no folder {found}", where=f"[{key}]", fix="Name a folder, or leave the key out."
        )
    return found

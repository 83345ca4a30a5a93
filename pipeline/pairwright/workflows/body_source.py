"""The items of a source whose question's body a model can write, each with another user's posts."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from pairwright import assets
from pairwright.errors import InputError
from pairwright.evaluate.wrong_profile import Asker, Strangers
from pairwright.records import Item
from pairwright.settings.domains import Domains
from pairwright.settings.source_rules import SourceRules
from pairwright.sources import SourceProblem, read, source_hash
from pairwright.train.completions.completion_tasks import CompletionTask, task


class WritingTasks(NamedTuple):
    """The tasks of a source, and what was refused."""

    name: str
    hash: str
    items: int
    problems: dict[str, int]
    refused: dict[str, int]
    tasks: tuple[CompletionTask, ...]


def writing_tasks(source: SourceRules, seed: int, limit: int | None) -> WritingTasks:
    """Read a source. Raises SourceError, and InputError where no item of it gives a task."""
    items: list[Item] = []
    problems: Counter[str] = Counter()
    for found in read(source, Domains.load(assets.RUBRICS), Path.cwd()):
        if isinstance(found, Item):
            items.append(found)
        elif isinstance(found, SourceProblem) and found.action == "refused":
            problems[found.reason] += 1
    askers = {item.id: _asker(item) for item in items}
    strangers = Strangers(askers.values(), seed)
    tasks_or_reasons = [task(item, strangers.instead_of(askers[item.id])) for item in items]
    refused = Counter(one for one in tasks_or_reasons if isinstance(one, str))
    tasks = tuple(one for one in tasks_or_reasons if isinstance(one, CompletionTask))[:limit]
    if not tasks:
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(refused.items()))
        raise InputError(
            f"no item can be asked: {reasons}",
            where=source.path,
            fix="Name items whose `narrative` is the body that their user wrote, of two users or"
            " more in a category.",
        )
    return WritingTasks(
        name=Path(source.path).name if Path(source.path).exists() else source.path,
        hash=source_hash(source, Path.cwd()),
        items=len(items),
        problems=dict(sorted(problems.items())),
        refused=dict(sorted(refused.items())),
        tasks=tasks,
    )


def _asker(item: Item) -> Asker:
    return Asker(
        item=item.id,
        user=item.user,
        twin=False,
        domain=item.domain,
        category=item.category,
        question=item.question,
        created=item.created,
        posts=item.profile,
    )

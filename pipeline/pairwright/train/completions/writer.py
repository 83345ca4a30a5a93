"""Every task in every condition, written and held to what the user wrote."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pairwright.errors import CallFailed
from pairwright.models import Model, together
from pairwright.models.run import work_through
from pairwright.records import Rejected
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import with_history
from pairwright.train.completions.completion_tasks import CompletionCondition, CompletionTask
from pairwright.train.completions.measures import rouge
from pairwright.train.completions.records import ItemCompletions


class BodyWriter(NamedTuple):
    """The model that writes in a user's place."""

    model: Model
    prompts: Prompts
    history: HistoryRules
    words: int

    async def draw(
        self, task: CompletionTask, condition: CompletionCondition, draw: int
    ) -> tuple[str | Rejected, int, int]:
        """A text, and how many posts it was shown and not shown. Raises CallFailed."""
        posts = condition.shown(task, self.history)
        written, shown = await with_history(
            self.prompts,
            "complete",
            task.item.question,
            posts,
            self.history.model_copy(update={"posts": max(1, condition.posts)}),
            self.model,
            lambda ask: self.model.write(ask, draw),
            words=self.words,
        )
        return written, len(shown.posts), len(posts) - len(shown.posts)


async def complete_bodies(
    tasks: Sequence[CompletionTask],
    draws: Sequence[tuple[CompletionCondition, int]],
    writer: BodyWriter,
    *,
    workers: int,
    stop: Callable[[], None],
    on_each: Callable[[ItemCompletions], None],
) -> list[ItemCompletions]:
    """Each task in each condition with so many draws, by task. `on_each` is called with each as it
    comes.

    Raises Interrupted, EndpointRefused and StoreError: what was written is stored.
    """
    pieces = [(task, condition, n) for task in tasks for condition, n in draws]
    done: dict[int, ItemCompletions] = {}

    async def work(numbered: tuple[int, tuple[CompletionTask, CompletionCondition, int]]) -> None:
        number, (task, condition, n) = numbered
        done[number] = await _completion(task, condition, n, writer)
        on_each(done[number])

    await work_through(iter(enumerate(pieces)), work, workers=workers, stop=stop)
    return [done[number] for number in range(len(pieces))]


async def _completion(
    task: CompletionTask, condition: CompletionCondition, n: int, writer: BodyWriter
) -> ItemCompletions:
    line = ItemCompletions(item=task.item.id, user=task.item.user, condition=condition.name)
    try:
        drawn = await together(*(writer.draw(task, condition, draw) for draw in range(n)))
    except CallFailed as error:
        why = {"unscored": error.result_reason, "detail": error.detail[:500]}
        return line.model_copy(update=why)
    for draw, (written, _, _) in enumerate(drawn):
        if isinstance(written, Rejected):
            why = {"unscored": written.reason, "detail": f"draw {draw}: {written.detail[:500]}"}
            return line.model_copy(update=why)
    texts = tuple(written for written, _, _ in drawn if isinstance(written, str))
    scores = [rouge(text, task.body) for text in texts]
    return line.model_copy(
        update={
            "posts": min(shown for _, shown, _ in drawn),
            "left_out": max(left_out for _, _, left_out in drawn),
            "texts": texts,
            "rouge_1": tuple(round(score.one, 6) for score in scores),
            "rouge_l": tuple(round(score.longest, 6) for score in scores),
        }
    )

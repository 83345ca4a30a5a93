"""Which posts a model is shown when it writes."""

from collections.abc import Sequence
from typing import NamedTuple

from pairwright.records import Post
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules
from pairwright.train.completions.tasks import Task

NONE = "none"
WRONG = "wrong-profile"


class Condition(NamedTuple):
    """A name, whose posts, and how many at most."""

    name: str
    posts: int

    def shown(self, task: Task, history: HistoryRules) -> tuple[Post, ...]:
        """The posts, oldest first: those ranked best for the question."""
        if self.name == NONE:
            return ()
        policy = history.model_copy(update={"posts": self.posts})
        own = selected(task.item.question, task.item.profile, policy)
        if self.name != WRONG:
            return own
        # As many as the user's own, so that only their writer differs.
        as_many = history.model_copy(update={"posts": len(own)})
        return selected(task.item.question, task.other, as_many)


def own(k: int) -> str:
    """The name of k own posts in context."""
    return f"posts-{k}"


def best(n: int, scorer: str) -> str:
    """The name of a scorer's pick."""
    return f"best-of-{n}-by-{scorer}"


def conditions(ks: Sequence[int]) -> tuple[Condition, ...]:
    """Without posts, with another user's, and with k of the user's own, fewest first."""
    most = max(ks)
    shown = tuple(Condition(own(k), k) for k in sorted(set(ks)))
    return (Condition(NONE, 0), Condition(WRONG, most), *shown)

"""What came of one planner on one item: a line of the results."""

from typing import Literal

from pydantic import Field

from pairwright.records import Record
from pairwright.train.matching import Agreement

Match = Literal["judge", "embedding", "words"]
MATCHES: dict[Match, str] = {
    "judge": "a judge says which aspects ask for the same content",
    "embedding": "cosine with the nearest aspect of the other list",
    "words": "shared content words with the nearest aspect of the other list",
}


class Compared(Record):
    """A plan against the item's gold aspects, and against somebody else's."""

    own: Agreement
    other: float | None
    """Precision against the gold aspects of another user's item: what generic aspects get. None
    where nothing was planned, or there is no other user."""


class Scored(Record):
    """One planner on one item. Without the item's texts."""

    id: str
    user: str
    gold: int
    """Gold aspects."""
    planned: tuple[str, ...] | None
    """None where there is no plan that can be read."""
    dropped: int = 0
    """Aspects of the reply that did not stand: evidence that is in no post, and so on."""
    posts: int = 0
    """Posts that the planner was shown."""
    left_out: int = 0
    """Posts that did not fit."""
    unplanned: str = ""
    """Why there is no plan."""
    unjudged: str = ""
    """Why there is no judge's answer, where there is a plan."""
    detail: str = ""
    compared: dict[Match, Compared] = Field(default={})

    def missing(self, match: Match) -> str:
        """Why there is no comparison; empty where there is one."""
        if match in self.compared:
            return ""
        return self.unplanned or self.unjudged or "not_compared"

"""The result of one pair in one evaluation: a line of the results."""

from collections.abc import Iterable
from typing import Literal, get_args

from pairwright.pairs import Row
from pairwright.records import Record

Choice = Literal["chosen", "rejected", "tie"]
AspectsFollow = Literal["stated", "inferred", "pattern"]
"""How a user's aspect follows from the posts, the hardest to find last."""
POINTS: dict[Choice, float] = {"chosen": 1.0, "rejected": 0.0, "tie": 0.5}


class PairDecision(Record):
    """One pair, judged by one scorer in one condition. Without the pair's texts."""

    id: str
    config: str
    mode: str | None
    twin_id: str | None
    cluster: str
    """What it is not independent of: its dyad, its user or its prompt."""
    follows: AspectsFollow | None = None
    """How its aspect follows that is hardest to find; None where there is none or one does not
    say."""
    chosen: float | None = None
    """The scorer's score of the chosen response; None for judges that compare."""
    rejected: float | None = None
    orders: tuple[Choice, Choice] | None = None
    """A comparing judge's two verdicts: with the chosen response first, and second."""
    posts: int = 0
    """Posts that were shown."""
    left_out: int = 0
    """Posts that did not fit."""
    tokens: int = 0
    unscored: str = ""
    """Why there is no choice; empty where there is one."""
    detail: str = ""

    @property
    def choice(self) -> Choice | None:
        """None where there is no score. Verdicts that change with the order are a tie."""
        if self.orders is not None:
            return self.orders[0] if self.orders[0] == self.orders[1] else "tie"
        if self.chosen is None or self.rejected is None:
            return None
        if self.chosen == self.rejected:
            return "tie"
        return "chosen" if self.chosen > self.rejected else "rejected"

    @property
    def unstable(self) -> bool:
        """Whether a judge's verdict changed with the order."""
        return self.orders is not None and self.orders[0] != self.orders[1]

    @property
    def points(self) -> float | None:
        """1 for the chosen response, 0 for the other, one half for a tie."""
        return None if self.choice is None else POINTS[self.choice]


def hardest_kind(kinds: Iterable[AspectsFollow | None]) -> AspectsFollow | None:
    """How the aspect follows that is hardest to find; None where one does not say, and of none."""
    different = set(kinds)
    if not different or None in different:
        return None
    return next(kind for kind in reversed(get_args(AspectsFollow)) if kind in different)


def blank_decision(row: Row) -> PairDecision:
    """The line of a pair before anything is known of it."""
    return PairDecision(
        id=row.id,
        config=row.config,
        mode=row.mode,
        twin_id=row.twin_id,
        cluster=row.cluster,
        follows=hardest_kind(aspect.follows for aspect in row.answer_key),
    )

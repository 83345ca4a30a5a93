"""The result of one pair in one evaluation: a line of the results."""

from collections.abc import Iterable
from typing import Literal, get_args

from pydantic import Field

from pairwright.dataset import OwnVote, Row
from pairwright.records import Cluster, Mode, Record

Choice = Literal["chosen", "rejected", "tie"]
AspectsFollow = Literal["stated", "inferred", "pattern", "mixed"]
"""How a user's aspect follows from the posts, the hardest to find last. Results of older versions
say `mixed` of aspects of several kinds."""


class PairDecision(Record):
    """One pair, judged by one scorer in one condition. Without the pair's texts."""

    id: str
    item_id: str
    config: str
    domain: str
    category: str
    mode: Mode | None
    twin_id: str | None
    asked: bool
    user: str | None
    cluster: str
    """What it is not independent of: its dyad, its user or its prompt."""
    responses: tuple[str, str] | None = None
    """Of a natural twin: hashes of both responses, between which other couples chose, too."""
    source: str = ""
    """Of a natural twin: its conversation, or else its question."""
    vote_share: float | None = None
    """Share of people's votes for the chosen response, ties counting one half; None where nobody
    voted."""
    chosen: float | None = None
    """The scorer's score of the chosen response; None for judges that compare."""
    rejected: float | None = None
    orders: tuple[Choice, Choice] | None = None
    """A comparing judge's two verdicts: with the chosen response first, and second."""
    tie_margin: float = 0.0
    """Scores that are at most so far apart are a tie."""
    first_post: str | None = None
    """The day of the user's first post; None where a post has no date."""
    last_post: str | None = None
    """The day of the last one."""
    follows: AspectsFollow | None = Field(default=None, exclude_if=lambda kind: kind is None)
    """How its aspect follows that is hardest to find; None where there is none or one does not
    say."""
    own_vote: OwnVote | None = Field(default=None, exclude_if=lambda vote: vote is None)
    """What the user chose; None where the user was not asked."""
    posts: int = 0
    """Posts that were shown."""
    left_out: int = 0
    """Posts that did not fit."""
    tokens: int = 0
    unscored: str = ""
    """Why there is no choice; empty where there is one."""
    detail: str = ""

    @property
    def clusters(self) -> Cluster:
        """What an interval takes the pair to depend on."""
        return (self.cluster, *self.responses) if self.responses else self.cluster

    @property
    def choice(self) -> Choice | None:
        """None where there is no score. Verdicts that change with the order are a tie."""
        if self.orders is not None:
            return self.orders[0] if self.orders[0] == self.orders[1] else "tie"
        if self.chosen is None or self.rejected is None:
            return None
        # Infinite scores are alike where they are equal; their difference is not a number.
        if self.chosen == self.rejected or abs(self.chosen - self.rejected) <= self.tie_margin:
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

    @property
    def margin(self) -> float | None:
        """The lead of the chosen response: of scores their difference, of a comparing
        judge's two verdicts the mean, -1 to 1."""
        if self.orders is not None:
            return sum(POINTS[order] for order in self.orders) - 1
        if self.chosen is None or self.rejected is None:
            return None
        return self.chosen - self.rejected


POINTS: dict[Choice, float] = {"chosen": 1.0, "rejected": 0.0, "tie": 0.5}


def hardest_kind(kinds: Iterable[AspectsFollow | None]) -> AspectsFollow | None:
    """How the aspect follows that is hardest to find; None where one does not say, and of none."""
    different = set(kinds)
    if not different or None in different:
        return None
    return next(kind for kind in reversed(get_args(AspectsFollow)) if kind in different)


def blank_decision(row: Row) -> PairDecision:
    """The line of a pair before anything is known of it."""
    days = [post.created[:10] if post.created else "" for post in row.profile]
    dated = bool(days) and all(days)
    clusters, votes = row.clusters, row.votes
    n = votes.chosen + votes.rejected + votes.equal if votes else 0
    return PairDecision(
        id=row.id,
        item_id=row.item_id,
        config=row.config,
        domain=row.domain,
        category=row.category,
        mode=row.mode,
        twin_id=row.twin_id,
        asked=row.asked,
        user=row.user,
        cluster=row.cluster,
        responses=None if isinstance(clusters, str) else clusters[1:],
        source=row.source,
        # `cannot tell` is not a vote for either.
        vote_share=round((votes.chosen + votes.equal / 2) / n, 6) if votes and n else None,
        first_post=min(days) if dated else None,
        last_post=max(days) if dated else None,
        follows=hardest_kind(aspect.follows for aspect in row.answer_key),
        own_vote=row.own_vote,
    )

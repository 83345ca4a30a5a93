"""One scorer in one condition over a release: every pair gets a decision, or a reason why not."""

import math
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from pairwright.dataset import Row
from pairwright.errors import CallFailed
from pairwright.evaluation.conditions import CONDITIONS, ConditionName, make_content
from pairwright.evaluation.content import ContentSources, ask_fitting
from pairwright.evaluation.scorers.scorer import (
    NOTHING_TO_SHOW,
    ByPair,
    Pairwise,
    Place,
    Pointwise,
    PromptContent,
    ResponseScore,
    Scorer,
    Unscored,
    failed_call,
)
from pairwright.models import together
from pairwright.models.run import work_in_order
from pairwright.records import Cluster, Mode, Record

Choice = Literal["chosen", "rejected", "tie"]


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
    """Of a natural twin: hashes of both responses, between which other couples chose, too. None of
    other pairs, and in files of older versions."""
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
    """The day of the user's first post; None where a post has no date, and in files of older
    versions."""
    last_post: str | None = None
    """The day of the last one."""
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
    )


_CHOICES: dict[Place, Choice] = {"first": "chosen", "second": "rejected", "tie": "tie"}


class Evaluation(NamedTuple):
    """What is to be done for every pair."""

    scorer: Scorer
    condition: ConditionName
    sources: ContentSources
    tie_margin: float = 0.0

    async def decide(self, row: Row) -> PairDecision:
        """The line of one pair. Calls that failed are its reason, and are asked again by
        the next run."""
        if isinstance(self.scorer, ByPair):
            return await self._look_up(row, self.scorer)
        return await self._ask(row, self.scorer)

    async def _look_up(self, row: Row, scorer: ByPair) -> PairDecision:
        decision, scores = blank_decision(row), scorer.scores(row.id, self.condition)
        shown = await make_content(self.condition, self.sources, row)
        if isinstance(shown, Unscored) and shown.reason in NOTHING_TO_SHOW:
            # A file cannot have a score of what there is not: the pair is part of no scorer's rows.
            return decision.model_copy(update=shown.fields)
        if isinstance(scores, Unscored):
            return decision.model_copy(update=scores.fields)
        chosen, rejected = scores
        scored = {"chosen": chosen.value, "rejected": rejected.value}
        return decision.model_copy(update=scored | {"tie_margin": self.tie_margin})

    async def _ask(self, row: Row, scorer: Pointwise | Pairwise) -> PairDecision:
        decision = blank_decision(row)
        try:
            shown = await make_content(self.condition, self.sources, row)
            if isinstance(shown, Unscored):
                return decision.model_copy(update=shown.fields)
            answer, fewer = await ask_fitting(
                shown, self.sources.history, lambda shown: _choice(scorer, row, shown)
            )
        except CallFailed as error:
            return decision.model_copy(update=failed_call(error).fields)
        read = {"posts": len(fewer.posts), "left_out": len(shown.posts) - len(fewer.posts)}
        decision = decision.model_copy(update=read)
        if isinstance(answer, Unscored):
            return decision.model_copy(update=answer.fields)
        return decision.model_copy(update=answer | {"tie_margin": self.tie_margin})


async def _choice(
    scorer: Pointwise | Pairwise, row: Row, shown: PromptContent
) -> dict[str, object] | Unscored:
    """The fields of a decision that the scorer's answers give."""
    if not isinstance(scorer, Pointwise):
        choice = await scorer.prefer(shown, row.chosen, row.rejected)
        if isinstance(choice, Unscored):
            return choice
        orders = (_CHOICES[choice.forward], _CHOICES[choice.backward])
        return {"orders": orders, "tokens": choice.tokens}
    chosen, rejected = await together(
        scorer.score(shown, row.chosen), scorer.score(shown, row.rejected)
    )
    # Both see the same posts, so where one does not fit neither is taken.
    for score in (chosen, rejected):
        if isinstance(score, Unscored):
            return score
        if not math.isfinite(score.value):
            return Unscored("not_a_number", str(score.value))
    assert isinstance(chosen, ResponseScore)
    assert isinstance(rejected, ResponseScore)
    tokens = chosen.tokens + rejected.tokens
    return {"chosen": chosen.value, "rejected": rejected.value, "tokens": tokens}


async def evaluate(
    rows: Iterable[Row],
    evaluation: Evaluation,
    *,
    workers: int,
    stop: Callable[[], None],
    on_each: Callable[[PairDecision], None],
) -> list[PairDecision]:
    """The decisions on all rows that the condition applies to, in their order.

    `on_each` is called with each as it comes. Raises Interrupted, EndpointRefused and StoreError:
    what was scored is stored, and nothing is taken for whole.
    """
    applies = CONDITIONS[evaluation.condition].applies
    part = (row for row in rows if applies(row.mode))
    return await work_in_order(part, evaluation.decide, workers=workers, stop=stop, on_each=on_each)

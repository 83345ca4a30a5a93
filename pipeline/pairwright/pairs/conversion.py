"""What becomes of a pair: of a run's pair its row, and of a row's question one user's message, with
what is shown about the person who asks.

Reward models and RewardBench take no system message, so all of it is in the user's. Every line of
a user's or planner's text begins with "> ", and no line of the frame does, so that no text can pass
for the frame, whatever is written in it.
"""

from collections.abc import Sequence
from typing import Protocol

from pairwright.pairs.address import licence_of
from pairwright.pairs.row import (
    QualityVerdict,
    Row,
    RowAspect,
    RowDelivery,
    RowPost,
    RowQuality,
    RowSupport,
    RowVotes,
)
from pairwright.records import (
    Comparison,
    Pair,
    Post,
    dyad_id,
    judge_name,
    judges_of,
    model_name,
    pseudonym,
)


def row_of(
    pair: Pair,
    *,
    partner: str | None = None,
    votes: RowVotes | None = None,
    answers: Sequence[tuple[RowSupport, RowDelivery]] = (),
    verified: bool = False,
    simulated: bool = False,
    licence: str | None = None,
) -> Row:
    """The pair as a row.

    `partner` is the user of a twin's other half, by the run's id; `answers` are annotators' on each
    aspect, in the rubric's order, or none; `simulated` says that annotators
    were, `licence` is that of posts whose own address does not tell one.
    """
    users = {pair.user, partner or pair.user}
    sides = pair.quality if len(pair.quality) == 2 else {}
    chosen, rejected = (sides[side].scores if sides else {} for side in ("chosen", "rejected"))
    return Row(
        id=pair.id,
        question=pair.question,
        profile=tuple(_post(post, licence) for post in pair.profile),
        rubric_aspects=_aspects(pair, answers),
        narrative=pair.narrative,
        category=pair.category,
        chosen=pair.chosen,
        rejected=pair.rejected,
        item_id=pair.item_id,
        domain=pair.domain,
        mode=pair.mode,
        twin_id=pair.twin_id,
        asked=pair.asked,
        user=pseudonym(pair.user),
        dyad=dyad_id(users),
        aspects_origin=pair.rubric.origin,
        strategy=pair.draft.strategy,
        generator=model_name(pair.draft.generator),
        judge=pair.judge and judge_name(map(model_name, judges_of(pair.judge))),
        quality=tuple(
            RowQuality(scale=scale, chosen=score, rejected=rejected[scale])
            for scale, score in chosen.items()
            if scale in rejected
        ),
        comparison=_comparison(pair),
        blind_preference=pair.blind_preference,
        votes=votes,
        verified=verified,
        simulated=simulated,
        created=pair.created,
        source_url=pair.source_url,
        licence=licence_of(pair.source_url, pair.created, licence),
    )


def _post(post: Post, licence: str | None) -> RowPost:
    return RowPost(
        id=post.id,
        text=post.text,
        category=post.category,
        created=post.created,
        source_url=post.source_url,
        licence=licence_of(post.source_url, post.created, licence),
    )


def _aspects(
    pair: Pair, answers: Sequence[tuple[RowSupport, RowDelivery]]
) -> tuple[RowAspect, ...]:
    judged = {side: adherence.scores for side, adherence in pair.adherence.items()}
    return tuple(
        RowAspect(
            aspect=aspect.aspect,
            reason=aspect.reason,
            evidence=aspect.evidence,
            post_ids=aspect.post_ids,
            chosen_score=judged["chosen"][n].score if "chosen" in judged else None,
            rejected_score=judged["rejected"][n].score if "rejected" in judged else None,
            support=answers[n][0] if answers else None,
            delivery=answers[n][1] if answers else None,
            follows=aspect.follows,
        )
        for n, aspect in enumerate(pair.rubric.aspects)
    )


def _comparison(pair: Pair) -> QualityVerdict | None:
    comparison = pair.draft.comparison
    if comparison is None:
        return None
    if comparison in (Comparison.FIRST, Comparison.SECOND):
        return "chosen" if (comparison == Comparison.FIRST) == pair.asked else "rejected"
    return "tie" if comparison == Comparison.TIE else "undecided"


# A message

_POSTS = "Earlier posts of one person, oldest first. Every line of theirs begins with “> ”."
_ASPECTS = "What one person expects in an answer. Every line about it begins with “> ”."
_QUESTION = "Answer this question for that person."


class Dated(Protocol):
    """A post, of a row or of a run."""

    @property
    def text(self) -> str: ...
    @property
    def created(self) -> str | None: ...


def user_message(question: str, posts: Sequence[Dated] = (), aspects: Sequence[str] = ()) -> str:
    """The question after the posts, oldest first, and the aspects; alone where there are none."""
    known: list[str] = []
    if posts:
        known.append(_POSTS)
    for place, post in enumerate(posts, start=1):
        day = post.created[:10] if post.created else "no date"
        known.append(f"Post {place} of {len(posts)}, {day}:\n{_quoted(post.text)}")
    if aspects:
        known.append("\n".join([_ASPECTS, *map(_quoted, aspects)]))
    if not known:
        return question
    return "\n\n".join([*known, f"{_QUESTION}\n{_quoted(question)}"])


def _quoted(text: str) -> str:
    return "> " + "\n> ".join(text.splitlines())

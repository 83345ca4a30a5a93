"""Conversion of a run's pair to its row, and of a row's question to one user's message, with what
is shown about the asker.

Reward models and RewardBench take no system message, so all of it is in the user's. Every line of a
user's or planner's text begins with "> ". No line of the frame does, so no text can pass for the
frame.
"""

from collections.abc import Sequence
from typing import Any, Literal

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
    Record,
    dyad_id,
    judge_name,
    judges_of,
    model_name,
    pseudonym,
)

SIDES: tuple[Literal["chosen"], Literal["rejected"]] = ("chosen", "rejected")


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

    `partner` is the user of a twin's other side, by the run's id. `answers` are annotators' on each
    aspect, in the rubric's order, or none. `simulated` says that annotators were. `licence` is for
    posts whose address does not imply one.
    """
    quality = pair.quality if len(pair.quality) == 2 else {}
    chosen, rejected = (quality[side].scores if quality else {} for side in SIDES)
    judged = {side: pair.adherence[side].scores for side in SIDES if side in pair.adherence}
    made = {
        "profile": tuple(
            RowPost(
                **_same(post, RowPost), licence=licence_of(post.source_url, post.created, licence)
            )
            for post in pair.profile
        ),
        "rubric_aspects": tuple(
            RowAspect(
                **_same(aspect, RowAspect),
                **{f"{side}_score": scores[n].score for side, scores in judged.items()},
                support=answers[n][0] if answers else None,
                delivery=answers[n][1] if answers else None,
            )
            for n, aspect in enumerate(pair.rubric.aspects)
        ),
        "user": pseudonym(pair.user),
        "dyad": dyad_id({pair.user, partner or pair.user}),
        "aspects_origin": pair.rubric.origin,
        "strategy": pair.draft.strategy,
        "generator": model_name(pair.draft.generator),
        "judge": pair.judge and judge_name(map(model_name, judges_of(pair.judge))),
        "quality": tuple(
            RowQuality(scale=scale, chosen=score, rejected=rejected[scale])
            for scale, score in chosen.items()
            if scale in rejected
        ),
        "comparison": _comparison(pair),
        "blind_preference": pair.blind_preference,
        "licence": licence_of(pair.source_url, pair.created, licence),
    }
    given = {"votes": votes, "verified": verified, "simulated": simulated}
    return Row(**{**_same(pair, Row), **made, **given})


def _same(record: Record, kind: type[Record]) -> dict[str, Any]:
    """The fields that a record shares with another kind."""
    names = type(record).model_fields
    return {name: getattr(record, name) for name in kind.model_fields if name in names}


def _comparison(pair: Pair) -> QualityVerdict | None:
    comparison = pair.draft.comparison
    if comparison in (Comparison.FIRST, Comparison.SECOND):
        return "chosen" if (comparison == Comparison.FIRST) == pair.asked else "rejected"
    if comparison is None:
        return None
    return "tie" if comparison == Comparison.TIE else "undecided"


# A message

_POSTS = "Earlier posts of one person, oldest first. Every line of theirs begins with “> ”."
_ASPECTS = "What one person expects in an answer. Every line about it begins with “> ”."
_QUESTION = "Answer this question for that person."


def user_message(
    question: str, posts: Sequence[Post | RowPost] = (), aspects: Sequence[str] = ()
) -> str:
    """The question after the posts, oldest first, and the aspects; alone without them."""
    known = [_POSTS] if posts else []
    for place, post in enumerate(posts, start=1):
        day = post.created[:10] if post.created else "no date"
        known.append(f"Post {place} of {len(posts)}, {day}:\n{_quoted(post.text)}")
    if aspects:
        known.append("\n".join([_ASPECTS, *map(_quoted, aspects)]))
    return "\n\n".join([*known, f"{_QUESTION}\n{_quoted(question)}"]) if known else question


def _quoted(text: str) -> str:
    return "> " + "\n> ".join(text.splitlines())

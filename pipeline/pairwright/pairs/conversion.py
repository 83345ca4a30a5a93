"""Conversion of a run's pair to its row, and of a row's question to one user's message, with what
is shown about the asker.

Reward models and RewardBench take no system message, so all of it is in the user's. Every line of a
user's or planner's text begins with "> ". No line of the frame does, so no text can pass for the
frame.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from pairwright.pairs import row as rows
from pairwright.pairs.address import licence_of
from pairwright.pairs.row import Row, RowPost
from pairwright.records import (
    Comparison,
    Pair,
    Post,
    Record,
    dyad_id,
    judges_of,
    model_name,
    pseudonym,
)


class Decided(Protocol):
    """People's decision on a twin or pair, as far as its rows state it."""

    @property
    def state(self) -> str: ...
    @property
    def simulated(self) -> bool: ...
    @property
    def votes(self) -> Sequence[rows.PairVotes]: ...


def decided(pair: str, decision: Decided | None) -> dict[str, Any]:
    """The fields of a pair's row that state people's decision. What simulated annotators say
    verifies nothing."""
    if decision is None:
        return {"votes": None, "verified": False, "simulated": False}
    votes = (one.model_dump(exclude={"pair"}) for one in decision.votes if one.pair == pair)
    counted = next((rows.RowVotes(**one) for one in votes), None)
    return {
        "votes": counted if counted and counted.n else None,
        "verified": decision.state == "verified" and not decision.simulated,
        "simulated": decision.simulated,
    }


def row_of(
    pair: Pair,
    *,
    partner: str | None = None,
    decision: Decided | None = None,
    answers: Sequence[tuple[rows.RowSupport, rows.RowDelivery]] = (),
    licence: str | None = None,
) -> Row:
    """The pair as a row.

    `partner` is the user of a twin's other side, by the run's id. `answers` are annotators' on each
    aspect, in the rubric's order, or none. `licence` is for posts whose address does not imply one.
    """
    draft, rubric = pair.draft, pair.rubric
    first, second = ("chosen", "rejected") if pair.asked else ("rejected", "chosen")
    verdicts = {Comparison.FIRST: first, Comparison.SECOND: second, Comparison.TIE: "tie"}
    judged = {f"{side}_score": judgement.scores for side, judgement in pair.adherence.items()}
    profile = []
    for post in pair.profile:
        due = licence_of(post.source_url, post.created, licence)
        profile.append(RowPost(**_same(post, RowPost), licence=due))
    aspects = []
    for n, aspect in enumerate(rubric.aspects):
        scores = {name: scores[n].score for name, scores in judged.items()}
        support, delivery = answers[n] if answers else (None, None)
        own = _same(aspect, rows.RowAspect)
        aspects.append(rows.RowAspect(**own, **scores, support=support, delivery=delivery))
    quality = []
    if len(pair.quality) == 2:
        rejected = pair.quality["rejected"].scores
        quality = [
            rows.RowQuality(scale=scale, chosen=score, rejected=rejected[scale])
            for scale, score in pair.quality["chosen"].scores.items()
            if scale in rejected
        ]
    made = {
        "profile": profile,
        "rubric_aspects": aspects,
        "user": pseudonym(pair.user),
        "dyad": dyad_id({pair.user, partner or pair.user}),
        "aspects_origin": rubric.origin,
        "strategy": draft.strategy,
        "generator": model_name(draft.generator),
        "judge": pair.judge and " + ".join(map(model_name, judges_of(pair.judge))),
        "quality": quality,
        "comparison": draft.comparison and verdicts.get(draft.comparison, "undecided"),
        "blind_preference": pair.blind_preference,
        **decided(pair.id, decision),
        "licence": licence_of(pair.source_url, pair.created, licence),
    }
    return Row(**{**_same(pair, Row), **made})


def _same(record: Record, kind: type[Record]) -> dict[str, Any]:
    """The fields that a record shares with another kind."""
    names = type(record).model_fields
    return {name: getattr(record, name) for name in kind.model_fields if name in names}


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

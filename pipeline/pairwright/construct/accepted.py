"""Mode accepted: the answer that a user accepted, against its match. No model is asked."""

from pairwright.records import (
    Contrast,
    Draft,
    Item,
    Pair,
    PublishedAnswer,
    ResponseSource,
    ResponseSources,
    Rubric,
    content_id,
    pseudonym,
)


def build_accepted(item: Item) -> Contrast:
    """The pair of an item's accepted answer and its match."""
    choice = item.accepted
    assert choice, "read with its answers"
    chosen, rejected = choice.accepted.text, choice.match.text
    return Contrast(
        pair=Pair(
            id=content_id("pair", "accepted", item.id, pseudonym(item.user), chosen, rejected),
            mode="accepted",
            item_id=item.id,
            user=item.user,
            question=item.question,
            category=item.category,
            domain=item.domain,
            profile=item.profile,
            rubric=Rubric(question_id=item.id, user=item.user, origin=None, aspects=()),
            chosen=chosen,
            rejected=rejected,
            draft=Draft(draw=0, strategy="", generator="", first=chosen, second=rejected),
            narrative=item.narrative,
            created=item.created,
            source_url=item.source_url,
            response_sources=ResponseSources(
                chosen=_source(choice.accepted), rejected=_source(choice.match)
            ),
        )
    )


def _source(answer: PublishedAnswer) -> ResponseSource:
    return ResponseSource(
        user=pseudonym(answer.user) if answer.user else "",
        source_url=answer.source_url,
        created=answer.created,
        score=answer.score,
    )

"""The pairs of people's own choices. No model is asked: an item has all that its pairs hold.

Mode natural gives a twin of two users who chose the reverse of each other, mode accepted a pair of
the answer that a user accepted and its match.
"""

from collections.abc import Sequence

from pairwright.records import (
    Authorship,
    Contrast,
    Draft,
    Item,
    Pair,
    PublishedAnswer,
    ResponseSource,
    ResponseSources,
    Rubric,
    Twin,
    content_id,
    pseudonym,
)


def build_natural(item: Item) -> Twin:
    """The twin of an item's choice and the opposite one."""
    choice = item.opposite
    assert choice, "made by `natural_items`"
    users = map(pseudonym, (item.user, choice.other))
    twin_id = content_id("twin", item.id, *users, choice.chosen, choice.rejected)
    draft = Draft(draw=0, strategy="", generator="", first=choice.chosen, second=choice.rejected)
    sources = tuple(map(_source, choice.authorships or ()))

    def make_half(first: bool) -> Pair:
        user, chosen, rejected = (
            (item.user, choice.chosen, choice.rejected)
            if first
            else (choice.other, choice.rejected, choice.chosen)
        )
        return Pair(
            id=content_id("pair", "natural", item.id, pseudonym(user), chosen, rejected),
            mode="natural",
            item_id=item.id,
            user=user,
            question=item.question,
            category=item.category,
            domain=item.domain,
            profile=item.profile if first else choice.profile,
            rubric=Rubric(question_id=item.id, user=user, origin=None, aspects=()),
            chosen=chosen,
            rejected=rejected,
            draft=draft,
            twin_id=twin_id,
            asked=first,
            narrative=item.narrative if first else choice.reason,
            created=item.created if first else choice.created,
            source_url=item.source_url if first else choice.source_url,
            response_sources=_sources(sources if first else sources[::-1]),
            neighbours=choice.neighbours and choice.neighbours[0 if first else 1],
        )

    return Twin(id=twin_id, halves=(make_half(True), make_half(False)))


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
            response_sources=_sources([_source(choice.accepted), _source(choice.match)]),
        )
    )


def _sources(both: Sequence[ResponseSource]) -> ResponseSources | None:
    """The sources of chosen and rejected; None where nothing is known of them."""
    return ResponseSources(chosen=both[0], rejected=both[1]) if both else None


def _source(text: PublishedAnswer | Authorship) -> ResponseSource:
    return ResponseSource(
        user=pseudonym(text.user) if text.user else "",
        source_url=text.source_url,
        created=text.created,
        score=text.score if isinstance(text, PublishedAnswer) else None,
    )

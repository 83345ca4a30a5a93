"""Pairs over an accepted draft: the asker's, and in modes of two users the partner's."""

from typing import NamedTuple

from pairwright.drafting.rules import BuildRules
from pairwright.models import Models
from pairwright.records import Draft, Item, Pair, Post, Rubric, content_id, judge_name, pseudonym


class Half(NamedTuple):
    """One user of a unit, with the posts that the user is known by."""

    user: str
    profile: tuple[Post, ...]
    rubric: Rubric
    narrative: str | None = None
    """The user's own words on the question. A partner who never asked it has none."""
    created: str | None = None
    source_url: str | None = None


def asker_half(item: Item, rubric: Rubric) -> Half:
    """The half of the user who asked."""
    return Half(item.user, item.profile, rubric, item.narrative, item.created, item.source_url)


def partner_half(item: Item, user: str, posts: tuple[Post, ...], rubric: Rubric) -> Half:
    """The half of a user who never asked: the question and its time are the asker's."""
    return Half(user, posts, rubric, None, item.created, item.source_url)


def pairs_of(
    mode: str, item: Item, draft: Draft, halves: tuple[Half, ...], judge: str | None = None
) -> tuple[Pair, ...]:
    """The pair of each half. The asker's chosen response is the first, the partner's the second."""
    users = (pseudonym(half.user) for half in halves)
    twin = content_id(mode, item.id, *users, draft.first, draft.second)
    twin_id = twin if len(halves) > 1 else None

    def pair(half: Half, *, asked: bool) -> Pair:
        chosen, rejected = draft.both if asked else draft.both[::-1]
        return Pair(
            id=content_id("pair", mode, item.id, pseudonym(half.user), chosen, rejected),
            mode=mode,
            item_id=item.id,
            user=half.user,
            question=item.question,
            category=item.category,
            domain=item.domain,
            profile=half.profile,
            rubric=half.rubric,
            chosen=chosen,
            rejected=rejected,
            draft=draft,
            judge=judge,
            twin_id=twin_id,
            asked=asked,
            narrative=half.narrative,
            created=half.created,
            source_url=half.source_url,
        )

    return tuple(pair(half, asked=number == 0) for number, half in enumerate(halves))


def judge_of(models: Models, rules: BuildRules) -> str | None:
    """The models that judged a pair, as its record names them; none if pairs are not gated."""
    return judge_name(judge.name for judge in models.judges) if rules.config.gated else None

"""Pairs over an accepted draft: the asker's, and in modes of two users the partner's."""

from pairwright.drafting.rules import BuildRules
from pairwright.models import Models
from pairwright.records import Draft, Item, Pair, Post, Rubric, content_id, judge_name, pseudonym


def pairs_of(
    mode: str,
    item: Item,
    draft: Draft,
    rubrics: tuple[Rubric, ...],
    posts: tuple[Post, ...] = (),
    judge: str | None = None,
) -> tuple[Pair, ...]:
    """The pair of each rubric's user, the asker's first. The asker's chosen response is the first,
    the partner's, who is known by `posts`, the second.

    A partner who did not choose never asked either: the question and its time are the asker's.
    """
    users = (pseudonym(rubric.user) for rubric in rubrics)
    twin = content_id(mode, item.id, *users, draft.first, draft.second)
    twin_id = twin if len(rubrics) > 1 else None

    def pair(rubric: Rubric, *, asked: bool) -> Pair:
        chosen, rejected = draft.both if asked else draft.both[::-1]
        choice = None if asked else item.opposite
        words, source = choice.reason if choice else None, choice or item
        return Pair(
            id=content_id("pair", mode, item.id, pseudonym(rubric.user), chosen, rejected),
            mode=mode,
            item_id=item.id,
            user=rubric.user,
            question=item.question,
            category=item.category,
            domain=item.domain,
            profile=item.profile if asked else posts,
            rubric=rubric,
            chosen=chosen,
            rejected=rejected,
            draft=draft,
            judge=judge,
            twin_id=twin_id,
            asked=asked,
            narrative=item.narrative if asked else words,
            created=source.created,
            source_url=source.source_url,
        )

    return tuple(pair(rubric, asked=number == 0) for number, rubric in enumerate(rubrics))


def judge_of(models: Models, rules: BuildRules) -> str | None:
    """The models that judged a pair, as its record names them; none if pairs are not gated."""
    return judge_name(judge.name for judge in models.judges) if rules.config.gated else None

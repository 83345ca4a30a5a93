"""The drafts of one unit, drawn until the gates accept one; and the pairs over it."""

from collections.abc import Awaitable, Callable

from pairwright.models import Models
from pairwright.modes.judging import judge_draft
from pairwright.modes.rules import BuildRules
from pairwright.modes.writing import refused_twice
from pairwright.records import (
    Draft,
    Dropped,
    Item,
    Kept,
    Pair,
    Post,
    Rubric,
    content_id,
    pseudonym,
)

Write = Callable[[int, Draft | None], Awaitable[tuple[str, str] | Dropped]]
"""Writes the two responses of a draw, given its number and the draft that was refused before."""


class Drawing:
    """The drafts of one unit, `draws` of the config at most."""

    def __init__(
        self,
        item: Item,
        strategy: str,
        models: Models,
        rules: BuildRules,
        histories: tuple[tuple[Post, ...], ...] = (),
    ) -> None:
        """`histories` are the posts that responses must not copy, the asker's first."""
        self._item, self._strategy, self._histories = item, strategy, histories
        self._models, self._rules = models, rules
        self._numbers = iter(range(rules.config.draws))
        self._refused = list[Draft]()
        self._failure: Dropped | None = None
        self.round = list[Draft]()
        """The refused drafts of the last round."""

    async def until_accepted(self, write: Write, rubrics: tuple[Rubric, ...] = ()) -> Draft | None:
        """A round of drafts, judged by these rubrics: until one is accepted, one gate on judgements
        has refused two in succession, or no draws are left."""
        self.round = []
        for number in self._numbers:
            texts = await write(number, self.round[-1] if self.round else None)
            if isinstance(texts, Dropped):
                self._failure = texts
                continue
            judged = await judge_draft(
                self._item, texts, rubrics, self._histories, self._models, self._rules
            )
            draft = Draft(
                draw=number,
                strategy=self._strategy,
                generator=self._models.generator.name,
                first=texts[0],
                second=texts[1],
                **judged,
            )
            if draft.refused_by is None:
                return draft
            self._failure = None
            self.round.append(draft)
            self._refused.append(draft)
            if refused_twice(self.round):
                break
        return None

    def dropped(self, *rubrics: Rubric) -> Dropped:
        """The reason that no draft was accepted: the last one was not written, or was refused."""
        if why := self._failure:
            stage, reason, detail = why.stage, why.reason, why.detail
        else:
            gate = self._refused[-1].refused_by
            assert gate, "a draft that is kept here was refused"
            judge = f", by {gate.judge}" if gate.judge else ""
            stage, reason = "gates", gate.gate
            detail = f"measured {gate.value}, limit {gate.limit}{judge}"
        return Dropped(
            stage=stage,
            reason=reason,
            detail=detail,
            aspects=tuple(aspect for rubric in rubrics for aspect in rubric.aspects),
            dropped=tuple(dropped for rubric in rubrics for dropped in rubric.dropped),
            drafts=tuple(self._refused),
        )

    def kept(
        self, mode: str, draft: Draft, rubrics: tuple[Rubric, ...], posts: tuple[Post, ...] = ()
    ) -> Kept:
        """The pairs over an accepted draft; `posts` are the partner's."""
        names = (judge.name for judge in self._models.judges)
        judge = " + ".join(names) if self._rules.config.gated else None
        pairs = pairs_of(mode, self._item, draft, rubrics, posts, judge)
        return Kept(pairs=pairs, refused=tuple(self._refused))


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
            twin_id=twin if len(rubrics) > 1 else None,
            asked=asked,
            narrative=item.narrative if asked else words,
            created=source.created,
            source_url=source.source_url,
        )

    return tuple(pair(rubric, asked=number == 0) for number, rubric in enumerate(rubrics))

"""Drafts: two responses to one question, drawn until the gates accept both; and the pairs over an
accepted draft."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, get_args

from pairwright.drafting.judging import Requirements, Texts, judge_draft
from pairwright.drafting.rules import BuildRules
from pairwright.models import Models
from pairwright.records import (
    FULL_ADHERENCE,
    AspectScore,
    Draft,
    DraftSide,
    Dropped,
    DroppedAspect,
    Item,
    Kept,
    Pair,
    Post,
    Rubric,
    content_id,
    judge_name,
    pseudonym,
)
from pairwright.settings.rules import JudgedGate
from pairwright.stages.writer import Stance

Write = Callable[[int, Draft | None], Awaitable[Texts | Dropped]]
"""Writes the two responses of a draw, given its number and the draft that was refused before."""


class Side(NamedTuple):
    """One response of a draft: what its writer is asked, and the rubric that it is held to."""

    name: DraftSide
    rubric: Rubric
    half: int = 0
    """Whose rubric it is: 0 for the asker's, 1 for the partner's."""
    stance: Stance = "adhering"

    def text(self, draft: Draft) -> str:
        """This side's response."""
        return draft.first if self.name == "first" else draft.second

    def scores(self, draft: Draft) -> tuple[AspectScore, ...]:
        """How far its response meets each aspect of its rubric; empty if that was not judged."""
        return draft.adherence[self.half][self.name].scores if draft.adherence else ()

    def narrowed(self, refused: Sequence[Draft], least: int) -> "Side":
        """The side without the aspects that neither of the last two drafts fully served; unchanged
        if they were refused for something else, or fewer than `least` aspects would be left."""
        if refused_twice(refused) not in ("adherence", "twin_margin", "twin_margin_mirror"):
            return self
        earlier, last = (self.scores(draft) for draft in refused[-2:])
        judged = list(zip(self.rubric.aspects, earlier, last, strict=True))
        served = [one for one, *scores in judged if FULL_ADHERENCE in [s.score for s in scores]]
        if len(served) < least or len(served) == len(judged):
            return self
        dropped = (
            DroppedAspect(aspect=one, reason="not_served", detail=score.reason)
            for one, _, score in judged
            if one not in served
        )
        return Side(self.name, self.rubric.narrowed(served, dropped), self.half, self.stance)


def refused_twice(refused: Sequence[Draft]) -> str | None:
    """The gate on judgements by which the last two drafts were both refused, if there is one."""
    gates = [draft.refused_by.gate for draft in refused[-2:] if draft.refused_by]
    same = len(gates) == 2 and gates[0] == gates[1] and gates[0] in get_args(JudgedGate)
    return gates[0] if same else None


class Drawing:
    """The drafts of one unit, `draws` of the config at most."""

    def __init__(self, item: Item, strategy: str, models: Models, rules: BuildRules) -> None:
        self._item, self._strategy = item, strategy
        self._models, self._rules = models, rules
        self._numbers = iter(range(rules.config.draws))
        self._refused = list[Draft]()
        self._failure: Dropped | None = None
        self.round = list[Draft]()
        """The refused drafts of the last round."""

    async def until_accepted(self, write: Write, required: Requirements) -> Draft | None:
        """A round of drafts: until one is accepted, one gate on judgements has refused two in
        succession, or no draws are left."""
        self.round = []
        for number in self._numbers:
            texts = await write(number, self.round[-1] if self.round else None)
            if isinstance(texts, Dropped):
                self._failure = texts
                continue
            draft = await judge_draft(
                texts, required, self._models, self._rules, draw=number, strategy=self._strategy
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
        """Why no draft was accepted: what kept the last one from being written, or refused it."""
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
        judge = judge_name(names) if self._rules.config.gated else None
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

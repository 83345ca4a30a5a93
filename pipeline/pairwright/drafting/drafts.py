"""Drafts: two responses to one question, drawn until the gates accept both."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, get_args

from pairwright.drafting.judging import Requirements, Texts, judge_draft
from pairwright.drafting.rules import BuildRules
from pairwright.models import Models
from pairwright.records import (
    FULL_ADHERENCE,
    Aspect,
    AspectScore,
    Draft,
    DraftSide,
    Dropped,
    DroppedAspect,
    Rubric,
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
        aspects, dropped = list[Aspect](), list[DroppedAspect]()
        scores = zip(*(self.scores(draft) for draft in refused[-2:]), strict=True)
        for aspect, (earlier, last) in zip(self.rubric.aspects, scores, strict=True):
            if FULL_ADHERENCE in (earlier.score, last.score):
                aspects.append(aspect)
            else:
                dropped.append(
                    DroppedAspect(aspect=aspect, reason="not_served", detail=last.reason)
                )
        if len(aspects) < least or not dropped:
            return self
        rubric = self.rubric.narrowed(aspects, dropped)
        return Side(self.name, rubric, self.half, self.stance)


def refused_twice(refused: Sequence[Draft]) -> str | None:
    """The gate on judgements by which the last two drafts were both refused, if there is one."""
    gates = [draft.refused_by.gate for draft in refused[-2:] if draft.refused_by]
    same = len(gates) == 2 and gates[0] == gates[1] and gates[0] in get_args(JudgedGate)
    return gates[0] if same else None


class Drawing:
    """The drafts of one unit, `draws` of the config at most."""

    def __init__(self, strategy: str, models: Models, rules: BuildRules) -> None:
        self._strategy = strategy
        self._models = models
        self._rules = rules
        self._numbers = iter(range(rules.config.draws))
        self._refused = list[Draft]()
        self._failure: Dropped | None = None
        self.round = list[Draft]()
        """The refused drafts of the last round."""

    @property
    def refused(self) -> tuple[Draft, ...]:
        """The refused drafts of all rounds."""
        return tuple(self._refused)

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
        why = self._failure or _refusal(self._refused[-1])
        return Dropped(
            stage=why.stage,
            reason=why.reason,
            detail=why.detail,
            aspects=tuple(aspect for rubric in rubrics for aspect in rubric.aspects),
            dropped=tuple(dropped for rubric in rubrics for dropped in rubric.dropped),
            drafts=self.refused,
        )


def _refusal(draft: Draft) -> Dropped:
    gate = draft.refused_by
    assert gate, "only refused drafts are asked"
    judge = f", by {gate.judge}" if gate.judge else ""
    detail = f"measured {gate.value}, limit {gate.limit}{judge}"
    return Dropped(stage="gates", reason=gate.gate, detail=detail)

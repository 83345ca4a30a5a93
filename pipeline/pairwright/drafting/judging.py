"""Judging two responses: the gates on their texts, then each judge's scores with the gates on
them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pairwright.drafting.rules import BuildRules
from pairwright.gates import DraftSides, Fit, check_writing, judge_quality
from pairwright.models import Model, Models, together
from pairwright.records import (
    Adherence,
    Comparison,
    Draft,
    DraftSide,
    Dropped,
    GateResult,
    Item,
    Post,
    Quality,
    Rubric,
)
from pairwright.stages.judges import adherence_to_each, choose, compare, quality

T = TypeVar("T")
Texts = tuple[str, str]
"""The first and the second response."""
Gates = tuple[GateResult, ...]


def both(first: T | Dropped, second: T | Dropped) -> tuple[T, T] | Dropped:
    """What was made for two responses, or why one of them is missing."""
    if isinstance(first, Dropped):
        return first
    return second if isinstance(second, Dropped) else (first, second)


@dataclass(frozen=True)
class Requirements:
    """What a mode requires of the drafts of one unit."""

    item: Item
    rubrics: tuple[Rubric, ...] = ()
    """Those that judges hold both responses to, the asker's first."""
    histories: tuple[tuple[Post, ...], ...] = ()
    """The posts that responses must not copy, the asker's first."""
    texts: Callable[[DraftSides], Gates] | None = None
    """Gates on texts after those that all modes have."""
    fits: Callable[[Sequence[Fit]], Gates] | None = None
    """Gates on how far the responses meet the rubrics."""
    winner_gap: float | None = None
    """The gap in quality that a response preferred in both orders may have; None refuses any."""

    def sides(self, texts: Texts, rules: BuildRules) -> DraftSides:
        """What the gates on texts read. The partner's posts have a part in the language."""
        others = (post.text for history in self.histories[1:] for post in history)
        return DraftSides(
            question=self.item.question,
            first=texts[0],
            second=texts[1],
            rubrics=self.rubrics,
            narrative=self.item.narrative,
            histories=tuple(tuple(post.text for post in posts) for posts in self.histories),
            language=rules.language(self.item, *others),
        )


async def judge_draft(
    texts: Texts,
    required: Requirements,
    models: Models,
    rules: BuildRules,
    *,
    draw: int,
    strategy: str,
) -> Draft:
    """The draft of two responses with its gates and scores, up to the first kind of gate that
    refuses them.

    The gates on texts come first, since they cost no call. Then all judges must accept, one after
    the other. The scores are the first judge's, or those of the judge who refused. So is the forced
    choice between accepted responses, which is a figure of the set and refuses nothing. It is not
    asked about two plain responses: neither is meant to be better for anybody.
    """
    gates = _text_gates(texts, required, rules) if rules.config.gated else []
    first, *further = (_Reading(texts, required, judge, rules) for judge in models.judges)
    found, chosen = first, None
    if rules.config.gated and _accept(gates):
        await first.read()
        gates += first.gates
        for reading in further:
            if _accept(gates):
                await reading.read()
                gates += _named(reading.gates, reading.judge.name)
                found = first if _accept(gates) else reading
        if _accept(gates) and required.rubrics:
            chosen = await choose(required.item.question, *texts, models.judge, rules.prompts)
    return Draft(
        draw=draw,
        strategy=strategy,
        generator=models.generator.name,
        first=texts[0],
        second=texts[1],
        adherence=found.adherence,
        quality=found.quality,
        comparison=found.comparison,
        comparison_reason=found.comparison_reason,
        gates=tuple(gates),
        blind_preference=None if isinstance(chosen, Dropped) else chosen,
    )


def _accept(gates: Iterable[GateResult]) -> bool:
    return all(gate.passed for gate in gates)


def _text_gates(texts: Texts, required: Requirements, rules: BuildRules) -> list[GateResult]:
    config, sides = rules.config, required.sides(texts, rules)
    gates = [*check_writing(sides, config.gates, words=config.words)]
    if required.texts and _accept(gates):
        gates += required.texts(sides)
    return gates


def _named(gates: Iterable[GateResult], judge: str) -> list[GateResult]:
    """Gate results with the judge on whose scores they decide."""
    return [GateResult.model_validate(gate.model_dump() | {"judge": judge}) for gate in gates]


@dataclass
class _Reading:
    """One judge's reading of two responses."""

    texts: Texts
    required: Requirements
    judge: Model
    rules: BuildRules
    gates: list[GateResult] = field(default_factory=list)
    adherence: tuple[dict[DraftSide, Adherence], ...] = ()
    quality: dict[DraftSide, Quality] = field(default_factory=dict)
    comparison: Comparison | None = None
    comparison_reason: str = ""

    async def read(self) -> None:
        """Ask in the order in which most is refused at least cost: which response is better, how
        far they meet the rubrics, how good they are. After a winner quality comes first."""
        verdict = await compare(
            self.required.item.question, *self.texts, self.rules.scales, self.judge,
            self.rules.prompts,
        )  # fmt: skip
        if isinstance(verdict, Dropped):
            self._refuse_unread(verdict)
            return
        self.comparison, self.comparison_reason = verdict
        steps = (self._adherence, self._quality)
        for step in steps[::-1] if verdict[0].has_winner else steps:
            if _accept(self.gates):
                await step(verdict[0])

    def _refuse_unread(self, reply: Dropped) -> None:
        """Refuse the draft for a reply that cannot be read: a judge that fails is not a vote."""
        name, limit = f"{reply.stage}_{reply.reason}", "a judgement that can be read"
        self.gates.append(GateResult(gate=name, passed=False, value=reply.detail, limit=limit))

    async def _adherence(self, _verdict: Comparison) -> None:
        if self.required.fits is None:
            return
        rubrics, question = self.required.rubrics, self.required.item.question
        fits = (
            adherence_to_each(question, text, rubrics, self.judge, self.rules.prompts)
            for text in self.texts
        )
        read = both(*await together(*fits))
        if isinstance(read, Dropped):
            self._refuse_unread(read)
            return
        self.adherence = tuple(
            {"first": first, "second": second} for first, second in zip(*read, strict=True)
        )
        self.gates += self.required.fits(self.adherence)

    async def _quality(self, verdict: Comparison) -> None:
        config, gap = self.rules.config, self.required.winner_gap
        # Without a gap that is allowed to it, a winner decides alone.
        if not verdict.has_winner or gap is not None or "parity" in config.gates.off:
            scores = (
                quality(
                    self.required.item.question, text, self.rules.scales, self.judge,
                    self.rules.prompts,
                )
                for text in self.texts
            )  # fmt: skip
            read = both(*await together(*scores))
            if isinstance(read, Dropped):
                self._refuse_unread(read)
                return
            self.quality = {"first": read[0], "second": read[1]}
        self.gates += judge_quality(verdict, self.quality, config.gates, winner_gap=gap)

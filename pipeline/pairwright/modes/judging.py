"""Judging two responses: the gates on their texts, then each judge's scores with the gates on
them."""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pairwright.gates.checks import DraftSides, Fit, check_writing, judge_quality
from pairwright.models import Model, Models, together
from pairwright.modes.rules import BuildRules
from pairwright.records import (
    Adherence,
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


async def both(calls: Iterable[Coroutine[Any, Any, T | Dropped]]) -> tuple[T, T] | Dropped:
    """The results of two calls that are sent together, or the reason that one is missing."""
    first, second = await together(*calls)
    if isinstance(first, Dropped):
        return first
    return second if isinstance(second, Dropped) else (first, second)


@dataclass(frozen=True)
class Requirements:
    """The requirements of a mode for the drafts of one unit."""

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
    gated = rules.config.gated
    gates = _text_gates(texts, required, rules) if gated else []
    found, chosen = dict[str, Any](), None
    for number, judge in enumerate(models.judges if gated else ()):
        if not _accept(gates):
            break
        decided, read = await _read(texts, required, judge, rules)
        gates += _named(decided, judge.name) if number else decided
        if number == 0 or not _accept(gates):
            found = read
    if gated and _accept(gates) and required.rubrics:
        chosen = await choose(required.item.question, *texts, models.judge, rules.prompts)
    return Draft(
        draw=draw,
        strategy=strategy,
        generator=models.generator.name,
        first=texts[0],
        second=texts[1],
        gates=tuple(gates),
        blind_preference=None if isinstance(chosen, Dropped) else chosen,
        **found,
    )


def _named(gates: Iterable[GateResult], judge: str) -> list[GateResult]:
    """Gate results with the judge on whose scores they decide."""
    return [GateResult.model_validate(gate.model_dump() | {"judge": judge}) for gate in gates]


def _accept(gates: Iterable[GateResult]) -> bool:
    return all(gate.passed for gate in gates)


def _text_gates(texts: Texts, required: Requirements, rules: BuildRules) -> list[GateResult]:
    item, config = required.item, rules.config
    # The partner's posts have a part in the language.
    others = (post.text for history in required.histories[1:] for post in history)
    sides = DraftSides(
        question=item.question,
        first=texts[0],
        second=texts[1],
        rubrics=required.rubrics,
        narrative=item.narrative,
        histories=tuple(tuple(post.text for post in posts) for posts in required.histories),
        language=rules.language(item, *others),
    )
    gates = [*check_writing(sides, config.gates, words=config.words)]
    if required.texts and _accept(gates):
        gates += required.texts(sides)
    return gates


async def _read(
    texts: Texts, required: Requirements, judge: Model, rules: BuildRules
) -> tuple[list[GateResult], dict[str, Any]]:
    """The gates on one judge's findings up to the first kind that refuses, and the findings as
    fields of a draft.

    They are asked for in the order in which most is refused at least cost: which response is
    better, how far they meet the rubrics, how good they are. After a winner quality comes first.
    """
    question, prompts = required.item.question, rules.prompts
    verdict = await compare(question, *texts, rules.scales, judge, prompts)
    if isinstance(verdict, Dropped):
        return [_unread(verdict)], {}
    comparison, reason = verdict
    gates = list[GateResult]()
    found: dict[str, Any] = {"comparison": comparison, "comparison_reason": reason}
    steps = ("adherence", "quality")
    for step in steps[::-1] if comparison.has_winner else steps:
        if not _accept(gates):
            break
        if step == "quality":
            grades: dict[DraftSide, Quality] = {}
            # Without a gap that is allowed to it, a winner decides alone.
            alone = comparison.has_winner and required.winner_gap is None
            if not alone or "parity" in rules.config.gates.off:
                read = await both(
                    quality(question, text, rules.scales, judge, prompts) for text in texts
                )
                if isinstance(read, Dropped):
                    gates.append(_unread(read))
                    break
                grades = found["quality"] = {"first": read[0], "second": read[1]}
            gates += judge_quality(
                comparison, grades, rules.config.gates, winner_gap=required.winner_gap
            )
        elif required.fits:
            met = await both(
                adherence_to_each(question, text, required.rubrics, judge, prompts)
                for text in texts
            )
            if isinstance(met, Dropped):
                gates.append(_unread(met))
                break
            fits: tuple[dict[DraftSide, Adherence], ...] = tuple(
                {"first": one, "second": two} for one, two in zip(*met, strict=True)
            )
            found["adherence"] = fits
            gates += required.fits(fits)
    return gates, found


def _unread(reply: Dropped) -> GateResult:
    """The refusal for a reply that cannot be read: a judge that fails is not a vote."""
    name, limit = f"{reply.stage}_{reply.reason}", "a judgement that can be read"
    return GateResult(gate=name, passed=False, value=reply.detail, limit=limit)

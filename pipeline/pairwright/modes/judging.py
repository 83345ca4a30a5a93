"""Judging two responses: the gates on their texts, then each judge's scores with the gates on
them."""

from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from pairwright.gates.checks import DraftSides, check_writing, judge_fits, judge_quality
from pairwright.models import Model, Models, together
from pairwright.modes.rules import BuildRules
from pairwright.records import Dropped, GateResult, Item, Post, Rubric
from pairwright.stages.judges import adherence_to_each, choose, compare, quality
from pairwright.stages.question import Question

T = TypeVar("T")


async def both(calls: Iterable[Coroutine[Any, Any, T | Dropped]]) -> tuple[T, T] | Dropped:
    """The results of two calls that are sent together, or the reason that one is missing."""
    first, second = await together(*calls)
    if isinstance(first, Dropped):
        return first
    return second if isinstance(second, Dropped) else (first, second)


async def judge_draft(
    item: Item,
    texts: tuple[str, str],
    rubrics: tuple[Rubric, ...],
    histories: tuple[tuple[Post, ...], ...],
    models: Models,
    rules: BuildRules,
) -> dict[str, Any]:
    """The fields of a draft that say what was judged and decided, up to the first kind of gate that
    refuses it. `rubrics` and `histories` are the asker's, then the partner's.

    The gates on texts come first, since they cost no call. Then all judges must accept, one after
    the other. The scores are the first judge's, or those of the judge who refused. So is the forced
    choice between accepted responses, which is a figure of the set and refuses nothing. It is not
    asked about two plain responses: neither is meant to be better for anybody.
    """
    config = rules.config
    if not config.gated:
        return {}
    question = rules.question(item)
    # The partner's posts have a part in the language.
    others = (post.text for history in histories[1:] for post in history)
    sides = DraftSides(
        item.question, *texts, rubrics, item.narrative,
        histories=tuple(tuple(post.text for post in posts) for posts in histories),
        language=rules.language(item, *others),
    )  # fmt: skip
    gates = check_writing(sides, config.gates, config.twin, words=config.words)
    found = dict[str, Any]()
    for number, judge in enumerate(models.judges):
        if not _accept(gates):
            break
        decided, read = await _read(question, texts, rubrics, judge, rules)
        gates += _named(decided, judge.name) if number else decided
        if number == 0 or not _accept(gates):
            found = read
    if rubrics and _accept(gates):
        chosen = await choose(question, *texts, models.judge)
        found["blind_preference"] = None if isinstance(chosen, Dropped) else chosen
    return {**found, "gates": tuple(gates)}


def _named(gates: Iterable[GateResult], judge: str) -> list[GateResult]:
    """Gate results with the judge on whose scores they decide."""
    return [GateResult.model_validate(gate.model_dump() | {"judge": judge}) for gate in gates]


def _accept(gates: Iterable[GateResult]) -> bool:
    return all(gate.passed for gate in gates)


async def _read(
    question: Question,
    texts: tuple[str, str],
    rubrics: tuple[Rubric, ...],
    judge: Model,
    rules: BuildRules,
) -> tuple[list[GateResult], dict[str, Any]]:
    """The gates on one judge's findings up to the first kind that refuses, and the findings as
    fields of a draft.

    They are asked for in the order in which most is refused at least cost: which response is
    better, how far they meet the rubrics, how good they are. After a winner quality comes first.
    """
    limits, twin = rules.config.gates, rules.config.twin
    # Each response of two users is chosen once, so a slightly better one tells nothing.
    winner_gap = None if len(rubrics) == 1 else twin.winner_gap
    verdict = await compare(question, *texts, judge)
    if isinstance(verdict, Dropped):
        return [_unread(verdict)], {}
    comparison, reason = verdict
    gates = list[GateResult]()
    found: dict[str, Any] = {"comparison": comparison, "comparison_reason": reason}
    steps = ("adherence", "quality") if rubrics else ("quality",)
    for step in steps[::-1] if comparison.has_winner else steps:
        if not _accept(gates):
            break
        if step == "adherence":
            met = await both(adherence_to_each(question, text, rubrics, judge) for text in texts)
            if isinstance(met, Dropped):
                return [*gates, _unread(met)], found
            found["adherence"] = tuple(
                {"first": one, "second": two} for one, two in zip(*met, strict=True)
            )
            gates += judge_fits(found["adherence"], limits, twin)
            continue
        # Without a gap that is allowed to it, a winner decides alone.
        if not comparison.has_winner or winner_gap is not None or "parity" in limits.off:
            grades = await both(quality(question, text, judge) for text in texts)
            if isinstance(grades, Dropped):
                return [*gates, _unread(grades)], found
            found["quality"] = {"first": grades[0], "second": grades[1]}
        gates += judge_quality(comparison, found.get("quality", {}), limits, winner_gap=winner_gap)
    return gates, found


def _unread(reply: Dropped) -> GateResult:
    """The refusal for a reply that cannot be read: a judge that fails is not a vote."""
    name, limit = f"{reply.stage}_{reply.reason}", "a judgement that can be read"
    return GateResult(gate=name, passed=False, value=reply.detail, limit=limit)

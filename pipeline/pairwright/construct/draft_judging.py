"""Judging a draft: its gates, and the judges' scores that they decide by."""

from collections.abc import Mapping, Sequence

from pairwright.construct.build_rules import BuildRules
from pairwright.gates import (
    DraftSides,
    check_echo,
    check_shared_words,
    check_writing,
    judge_contrast,
    judge_quality,
    judge_twin,
)
from pairwright.models import Model, together
from pairwright.records import Adherence, Draft, Dropped, GateResult, Item, Post, Rubric
from pairwright.stages.judges import adherence_to_each, choose, compare, quality


def sides_of(
    item: Item,
    draft: Draft,
    rubrics: tuple[Rubric, ...],
    histories: Sequence[tuple[Post, ...]],
    rules: BuildRules,
) -> DraftSides:
    """What the gates on texts read of a draft. `histories` are its users', the asker's first; whose
    posts come behind have a part in the language."""
    others = (post.text for history in histories[1:] for post in history)
    return DraftSides(
        question=item.question,
        first=draft.first,
        second=draft.second,
        rubrics=rubrics,
        narrative=item.narrative,
        histories=tuple(tuple(post.text for post in history) for history in histories),
        language=rules.language(item, *others),
    )


async def judge_draft(
    draft: Draft,
    sides: DraftSides,
    cells: Sequence[tuple[str, Mapping[str, Rubric]]],
    judges: Sequence[Model],
    rules: BuildRules,
) -> Draft:
    """The draft with its gates and judgements, up to the first kind of gate that refuses it.

    First come the gates on its texts, which cost no call, then one judge after the other: all must
    accept it. The scores of an accepted draft are the first judge's, and so is the forced choice,
    where its reply can be read; those of a refused one are of the judge who refused it. Two plain
    responses are not chosen from: neither is meant to be better for anybody. `cells` names the
    rubrics that each response is held to.
    """
    config = rules.config
    if not config.gated:
        return draft
    draft = _gated(draft, *check_writing(sides, config.gates, words=config.words))
    if len(sides.rubrics) > 1 and not draft.refused_by:
        echo = check_echo(sides, config.twin, config.gates)
        words = check_shared_words(sides, config.twin, config.gates)
        draft = _gated(draft, echo, words)
    if draft.refused_by:
        return draft
    first, *further = judges
    accepted = await _judged(draft, sides, cells, first, rules)
    for judge in further:
        if accepted.refused_by:
            return accepted
        again = await _judged(draft, sides, cells, judge, rules)
        gates = tuple(
            gate.model_copy(update={"judge": judge.name})
            for gate in again.gates[len(draft.gates) :]
        )
        if again.refused_by:
            return again.model_copy(update={"gates": (*accepted.gates, *gates)})
        accepted = _gated(accepted, *gates)
    if accepted.refused_by or not sides.rubrics:
        return accepted
    preference = await choose(sides.question, *draft.both, first, rules.prompts)
    if isinstance(preference, Dropped):
        return accepted
    return accepted.model_copy(update={"blind_preference": preference})


async def _judged(
    draft: Draft,
    sides: DraftSides,
    cells: Sequence[tuple[str, Mapping[str, Rubric]]],
    judge: Model,
    rules: BuildRules,
) -> Draft:
    """The draft with one judge's scores and gates, in the order in which most is refused at least
    cost: which response is better, adherence, quality. Where one response is better in both orders,
    quality comes before adherence. A judgement that cannot be read refuses the draft: a judge that
    fails is not a vote.
    """
    config, prompts, scales = rules.config, rules.prompts, rules.scales
    question, rubrics = sides.question, len(sides.rubrics)
    # Each response of a twin or a placebo is as good a choice as the other.
    winner_gap = None if rubrics == 1 else config.twin.winner_gap
    comparison = await compare(question, *draft.both, scales, judge, prompts)
    if isinstance(comparison, Dropped):
        return _unread(draft, comparison)
    verdict, reason = comparison
    draft = draft.model_copy(update={"comparison": verdict, "comparison_reason": reason})

    async def with_quality(draft: Draft) -> Draft:
        # Without a gap that is allowed to it, a winner decides alone.
        decided = draft.has_winner and winner_gap is None and "parity" not in config.gates.off
        if not decided:
            found = await together(
                *(quality(question, text, scales, judge, prompts) for text in draft.both)
            )
            for one in found:
                if isinstance(one, Dropped):
                    return _unread(draft, one)
            by_side = dict(zip(("first", "second"), found, strict=True))
            draft = draft.model_copy(update={"quality": by_side})
        return _gated(draft, *judge_quality(draft, config.gates, winner_gap=winner_gap))

    if draft.has_winner:
        draft = await with_quality(draft)
        if draft.refused_by:
            return draft
    if cells:
        fits = await together(
            *(
                adherence_to_each(question, response, tuple(held.values()), judge, prompts)
                for response, held in cells
            )
        )
        shares = dict[str, Adherence]()
        for (_, held), found in zip(cells, fits, strict=True):
            if isinstance(found, Dropped):
                return _unread(draft, found)
            shares |= zip(held, found, strict=True)
        draft = draft.model_copy(update={"adherence": shares})
        judged = (
            judge_twin(draft, config.twin, config.gates)
            if rubrics > 1
            else judge_contrast(draft, config.gates)
        )
        draft = _gated(draft, *judged)
    if not (draft.refused_by or draft.has_winner):
        draft = await with_quality(draft)
    return draft


def _unread(draft: Draft, judgement: Dropped) -> Draft:
    """The draft, refused because a judgement of it cannot be read."""
    name, limit = f"{judgement.stage}_{judgement.reason}", "a judgement that can be read"
    gate = GateResult(gate=name, passed=False, value=judgement.detail, limit=limit)
    return _gated(draft, gate)


def _gated(draft: Draft, *gates: GateResult) -> Draft:
    return draft.model_copy(update={"gates": (*draft.gates, *gates)})

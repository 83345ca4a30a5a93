"""Drawing until a draft is accepted, judging a draft, and what is drawn after a refused one: which
sides again, and what their writers learn of it; and the pair of a draft.

A gate names the sides at fault. They are written again, and a side without fault stays as it is,
but for parity, which is about both. A note says in plain words what was wrong with the text of
this writer. It quotes nothing but that writer's own aspects and words: no post, and nothing of the
other side. It follows from the refused draft alone, so that a resumed build asks the same again.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from pairwright import text
from pairwright.construct.build_rules import BuildRules
from pairwright.gates import (
    DraftSides,
    check_echo,
    check_writing,
    judge_contrast,
    judge_quality,
    judge_twin,
)
from pairwright.models import Model, Models, together
from pairwright.records import (
    FULL_ADHERENCE,
    Draft,
    DraftSide,
    GateResult,
    Item,
    Mode,
    Pair,
    Rejected,
    Rubric,
    content_id,
    pseudonym,
)
from pairwright.stages.judges import adherence, choose, compare, quality
from pairwright.stages.writer import Stance, write

MOST_NOTES = 2
BOTH_AGAIN = frozenset({"parity"})
"""Gates after which both sides are drawn, although one of them is at fault."""

_UNSERVED = "It did not serve this well enough: {unserved}."
_SERVED = "It served this, which it should not: {served}."
_AT_THE_CASES = (
    " Begin with what serves anyone who asks, and let the aspects decide only cases and examples."
)
_SOME_RUN = "It had the words of an aspect in their order. Say every aspect in words of your own."
_ELSEWHERE = "It spent too many words on other needs than these aspects."

NOTES: dict[str, str] = {
    "refusal": "It declined to answer.",
    "word_limit": "It had {words}, which is too many.",
    "too_short": "It had {words}, which is too few.",
    "length_ratio": "It had {words}, which is too few.",
    "format_parity": "It had a list, a heading or other markup.",
    "persona_talk": "It spoke about its reader.",
    "meta_talk": "It spoke about itself or about its task.",
    "rubric_leakage": "It must not have these words in this order: {quoted}.",
    "profile_copy": "It had words, a name, a number or an address that it must not quote.",
    "near_duplicate": "It said hardly anything but what other answers to the question say.",
    "wrong_language": "It was not in the language of the question.",
    "echo_gap": "It repeated most words of its aspects. Say every aspect in words of your own.",
    "adherence": _UNSERVED,
    "violation": _SERVED,
    "adherence_margin": _UNSERVED,
    "cross_adherence": _ELSEWHERE,
    "twin_margin": _ELSEWHERE,
    "twin_margin_mirror": _ELSEWHERE,
    "quality_floor": "It was not correct, relevant or helpful enough.",
    "parity": "A typical reader would clearly prefer other answers to this question.",
}
"""What the writer of a side at fault reads, by gate."""


class SideBrief(NamedTuple):
    """One side of a draft: what its writer is asked, and where its adherence is judged."""

    side: DraftSide
    stance: Stance
    rubric: Rubric
    cell: str
    """The key of `Draft.adherence` that holds this side to this rubric."""

    def text(self, draft: Draft) -> str:
        """This side's text of a draft."""
        return draft.first if self.side == "first" else draft.second


def notes(brief: SideBrief, refused: Draft) -> tuple[str, ...]:
    """What was wrong with this side of the refused draft: up to two sentences."""
    gates = [gate.gate for gate in refused.gates if brief.side in gate.sides]
    lines = (_note(gate, brief, refused) for gate in gates)
    return tuple(dict.fromkeys(note for note in lines if note))[:MOST_NOTES]


def _note(gate: str, brief: SideBrief, refused: Draft) -> str | None:
    against = gate == "adherence_margin" and brief.stance != "adhering"
    note = _SERVED if against else NOTES[gate]
    if note in (_SERVED, _UNSERVED) and not _aspects(brief, refused, served=note == _SERVED):
        # This side served what it should; the margin is too small because of the other side.
        return None
    own, quoted = brief.text(refused), None
    if gate == "rubric_leakage":
        runs = [one.value for one in refused.gates if one.gate == gate]
        quoted = next((r for r in runs if isinstance(r, str) and text.holds_run(own, r)), None)
        if quoted is None:
            # The gate names a run of the other side.
            return _SOME_RUN
    if gate == "parity" and brief.stance == "adhering":
        note += _AT_THE_CASES
    return note.format(
        quoted=f'"{quoted}"',
        words=text.number_of(text.word_count(own), "word"),
        unserved=_aspects(brief, refused, served=False),
        served=_aspects(brief, refused, served=True),
    )


def _aspects(brief: SideBrief, refused: Draft, *, served: bool) -> str:
    """The side's own aspects that its text served (in part at least), or did not fully."""
    if brief.cell not in refused.adherence:
        return ""
    scores = refused.adherence[brief.cell].scores
    named = [
        aspect.aspect
        for aspect, score in zip(brief.rubric.aspects, scores, strict=True)
        if (score.score > 0 if served else score.score < FULL_ADHERENCE)
    ]
    return "; ".join(f'"{aspect}"' for aspect in named)


async def draw_until_accepted(
    draw: Callable[[int, Draft | None], Awaitable[Draft | Rejected]], draws: int
) -> tuple[Draft, tuple[Draft, ...]] | Rejected:
    """The first accepted draft with those refused before it, or Rejected with all of them.

    `draw` gets the number of the draw and the draft that was refused last, if there is one.
    The reason of a rejection is the first gate that refused the last draft.
    """
    refused: list[Draft] = []
    failure: Rejected | None = None
    for number in range(draws):
        draft = await draw(number, refused[-1] if refused else None)
        if isinstance(draft, Rejected):
            failure = draft
        elif draft.refused_by is None:
            return draft, tuple(refused)
        else:
            failure = None
            refused.append(draft)
    if failure is not None:
        return failure.model_copy(update={"drafts": tuple(refused)})
    gate = refused[-1].refused_by
    return Rejected(
        stage="gates",
        reason=gate.gate if gate else "",
        detail=f"measured {gate.value}, limit {gate.limit}" if gate else "",
        drafts=tuple(refused),
    )


async def write_draft(
    item: Item,
    briefs: tuple[SideBrief, SideBrief],
    refused: Draft | None,
    models: Models,
    rules: BuildRules,
    number: int,
    strategy: str,
) -> Draft | Rejected:
    """A draft whose sides are written, or kept from the refused one."""

    async def one(brief: SideBrief) -> str | Rejected:
        faults: tuple[str, ...] = ()
        if refused:
            failed = [gate for gate in refused.gates if not gate.passed]
            # A judgement that could not be read is nobody's fault.
            at_fault = any(brief.side in gate.sides or not gate.sides for gate in failed)
            if not at_fault and BOTH_AGAIN.isdisjoint(gate.gate for gate in failed):
                return brief.text(refused)
            faults = notes(brief, refused)
        return await write(
            item.question,
            brief.rubric,
            brief.stance,
            models.generator,
            rules.prompts,
            words=rules.config.words,
            draw=number,
            faults=faults,
            language=rules.language(item),
        )

    first, second = await together(*map(one, briefs))
    return draft_of(number, strategy, models.generator.name, first, second)


def draft_of(
    number: int, strategy: str, generator: str, first: str | Rejected, second: str | Rejected
) -> Draft | Rejected:
    """The draft of two texts, or why there is none."""
    if isinstance(first, Rejected):
        return first
    if isinstance(second, Rejected):
        return second
    return Draft(draw=number, strategy=strategy, generator=generator, first=first, second=second)


async def judge_draft(
    draft: Draft,
    sides: DraftSides,
    cells: dict[str, tuple[str, Rubric]],
    judge: Model,
    rules: BuildRules,
) -> Draft:
    """The draft with its gates and judgements, up to the first kind of gate that refuses it.

    First come the gates on its texts, which cost no call, then the judge, in the order in which
    most is refused at least cost: which response is better, adherence (`cells` names what is held
    to what), quality. Where one response is better in both orders, quality comes before adherence.
    A judgement that cannot be read refuses the draft: a judge that fails is not a vote. An accepted
    draft has the judge's forced choice, too, where its reply can be read.
    """
    config, prompts, scales = rules.config, rules.prompts, rules.scales
    question, rubrics = sides.question, len(sides.rubrics)
    # Each response of a twin, a decoy or a placebo is as good a choice as the other.
    winner_gap = None if rubrics == 1 else config.twin.winner_gap
    if not config.gated:
        return draft
    draft = _gated(draft, *check_writing(sides, config.gates, words=config.words))
    if rubrics > 1 and not draft.refused_by:
        draft = _gated(draft, check_echo(sides, config.twin, config.gates))
    if draft.refused_by:
        return draft

    comparison = await compare(question, *draft.both, scales, judge, prompts)
    if isinstance(comparison, Rejected):
        return _unread(draft, comparison)
    draft = draft.model_copy(update={"comparison": comparison})

    async def with_quality(draft: Draft) -> Draft:
        # Without a gap that is allowed to it, a winner decides alone.
        decided = draft.has_winner and winner_gap is None and "parity" not in config.gates.off
        if not decided:
            found = await together(
                *(quality(question, text, scales, judge, prompts) for text in draft.both)
            )
            for one in found:
                if isinstance(one, Rejected):
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
            *(adherence(question, text, rubric, judge, prompts) for text, rubric in cells.values())
        )
        for fit in fits:
            if isinstance(fit, Rejected):
                return _unread(draft, fit)
        draft = draft.model_copy(update={"adherence": dict(zip(cells, fits, strict=True))})
        judged = (
            judge_twin(draft, config.twin, config.gates)
            if rubrics > 1
            else judge_contrast(draft, config.gates)
        )
        draft = _gated(draft, *judged)
    if not (draft.refused_by or draft.has_winner):
        draft = await with_quality(draft)
    if draft.refused_by:
        return draft
    preference = await choose(question, *draft.both, judge, prompts)
    if isinstance(preference, Rejected):
        return draft
    return draft.model_copy(update={"blind_preference": preference})


def _unread(draft: Draft, judgement: Rejected) -> Draft:
    """The draft, refused because a judgement of it cannot be read."""
    name, limit = f"{judgement.stage}_{judgement.reason}", "a judgement that can be read"
    gate = GateResult(gate=name, passed=False, value=judgement.detail, limit=limit)
    return _gated(draft, gate)


def _gated(draft: Draft, *gates: GateResult) -> Draft:
    return draft.model_copy(update={"gates": (*draft.gates, *gates)})


def pair_of(
    item: Item, mode: Mode, draft: Draft, rubric: Rubric | None = None, *, asked: bool = True
) -> Pair:
    """The pair of the item's user and a draft. The first response is chosen where the user `asked`,
    else the second. A pair of a person's own choice has no rubric: nothing was inferred."""
    chosen, rejected = draft.both if asked else draft.both[::-1]
    return Pair(
        id=content_id("pair", mode, item.id, pseudonym(item.user), chosen, rejected),
        mode=mode,
        item_id=item.id,
        user=item.user,
        question=item.question,
        category=item.category,
        domain=item.domain,
        profile=item.profile,
        rubric=rubric or Rubric(question_id=item.id, user=item.user, origin=None, aspects=()),
        chosen=chosen,
        rejected=rejected,
        draft=draft,
        asked=asked,
        narrative=item.narrative,
        created=item.created,
        source_url=item.source_url,
    )

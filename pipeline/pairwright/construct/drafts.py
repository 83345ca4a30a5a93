"""Drawing until a draft is accepted, and what is drawn after a refused one: which sides again, and
what their writers learn of it; and the pair of a draft.

A gate names the sides at fault. They are written again, and a side without fault stays as it is.
The writer of a side at fault reads the refused text, what was wrong with it in plain words, and for
parity what the judge said of both sides. Nothing of a post is in it, but that some of the writer's
own words are in one. It follows from the refused drafts alone, so that a resumed build asks the
same again.

Where a judge refuses twice for the same reason, the aspects that were not served are dropped, if
others are left; else nothing further is drawn.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, cast, get_args

from pairwright import text
from pairwright.construct.build_rules import BuildRules
from pairwright.models import Models, together
from pairwright.records import (
    FULL_ADHERENCE,
    Aspect,
    Draft,
    DraftSide,
    Dropped,
    DroppedAspect,
    GateResult,
    Item,
    Mode,
    Pair,
    Rubric,
    content_id,
    judge_name,
    pseudonym,
)
from pairwright.settings.rules import JudgedGate
from pairwright.stages.writer import Refusal, Stance, write

MOST_NOTES = 2
MOST_REASON = 600
"""Characters of what a judge said that a writer reads."""
MOST_CHARACTERS = 30
"""The same of a refused text, for each word that is accepted."""

_UNSERVED = "It did not serve this well enough: {unserved}."
_SERVED = "It served this, which it should not: {served}."
_AT_THE_CASES = (
    " Begin with what serves anyone who asks, and let the aspects decide only cases and examples."
)
_SOME_RUN = "It had the words of an aspect in their order. Say every aspect in words of your own."
_ELSEWHERE = "It spent too many words on other needs than these aspects."
_OWN_WORDS = (
    "A count of words tells for whom it was written. Say at least {spare} of these words of it in"
    " another way, by a more general or another word, and bring in no others of the kind: {owned}."
)

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
    "shared_words": _OWN_WORDS,
    "adherence": _UNSERVED,
    "violation": _SERVED,
    "adherence_margin": _UNSERVED,
    "cross_adherence": _ELSEWHERE,
    "twin_margin": _ELSEWHERE,
    "twin_margin_mirror": _ELSEWHERE,
    "quality_floor": "It was not correct, relevant or helpful enough.",
    "parity": "A typical reader preferred another answer to this question, or found it better.",
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


def refusal_of(brief: SideBrief, refused: Draft, words: int) -> Refusal:
    """What the writer of this side reads of the refused draft: its text, cut where it is many times
    as long as the `words` that are accepted; up to two sentences on what was wrong; and what the
    judge said where it preferred the other side or did not find this one good enough."""
    gates = [gate for gate in refused.gates if brief.side in gate.sides]
    lines = (_note(gate, brief, refused) for gate in gates)
    faults = tuple(dict.fromkeys(note for note in lines if note))[:MOST_NOTES]
    reason = _judge_reason(brief, refused, {gate.gate for gate in gates})
    reasons = (reason,) if reason else ()
    return Refusal(brief.text(refused)[: MOST_CHARACTERS * words], faults, reasons)


def _judge_reason(brief: SideBrief, refused: Draft, gates: set[str]) -> str:
    """What the judge said of this side, which it found worse than the other or not good enough."""
    if "parity" in gates and (refused.has_winner or not refused.quality):
        name = "A" if brief.side == "first" else "B"
        reason = _brief(refused.comparison_reason)
        return reason and f"(Your answer is response {name}.) {reason}"
    if gates & {"parity", "quality_floor"}:
        return _brief(refused.quality[brief.side].reason)
    return ""


def _note(result: GateResult, brief: SideBrief, refused: Draft) -> str | None:
    gate = result.gate
    against = gate == "adherence_margin" and brief.stance != "adhering"
    note = _SERVED if against else NOTES[gate]
    if note in (_SERVED, _UNSERVED) and not _aspects(brief, refused, served=note == _SERVED):
        # This side served what it should; the margin is too small because of the other side.
        return None
    own, quoted, owned, spare = brief.text(refused), None, list[str](), 0
    if gate == "rubric_leakage":
        runs = [one.value for one in refused.gates if one.gate == gate]
        quoted = next((r for r in runs if isinstance(r, str) and text.holds_run(own, r)), None)
        if quoted is None:
            # The gate names a run of the other side.
            return _SOME_RUN
    if gate == "shared_words":
        over, *both = cast(tuple[int, list[str], list[str]], result.value)
        owned = both[brief.side == "second"]
        over -= cast(int, result.limit)
        # Each side gives up its part.
        spare = min(len(owned), math.ceil(over * len(owned) / len(both[0] + both[1])))
    if gate == "parity" and brief.stance == "adhering":
        note += _AT_THE_CASES
    return note.format(
        quoted=f'"{quoted}"',
        words=text.number_of(text.word_count(own), "word"),
        unserved=_aspects(brief, refused, served=False),
        served=_aspects(brief, refused, served=True),
        owned=", ".join(owned),
        spare=spare,
    )


def _aspects(brief: SideBrief, refused: Draft, *, served: bool) -> str:
    """The side's own aspects that its text served (in part at least), or did not fully, with what
    the judge said of it."""
    if brief.cell not in refused.adherence:
        return ""
    scores = refused.adherence[brief.cell].scores
    named = [
        f'"{aspect.aspect}"' + (f" ({_brief(score.reason)})" if score.reason.strip() else "")
        for aspect, score in zip(brief.rubric.aspects, scores, strict=True)
        if (score.score > 0 if served else score.score < FULL_ADHERENCE)
    ]
    return "; ".join(named)


def _brief(reason: str) -> str:
    """A reason on one line, cut where it is long."""
    line = " ".join(reason.split())
    return line if len(line) <= MOST_REASON else f"{line[:MOST_REASON].rstrip()} ..."


def refused_twice(refused: Sequence[Draft]) -> str | None:
    """The gate on judgements by which the last two drafts were both refused, if there is one."""
    gates = [draft.refused_by.gate for draft in refused[-2:] if draft.refused_by]
    same = len(gates) == 2 and gates[0] == gates[1] and gates[0] in get_args(JudgedGate)
    return gates[0] if same else None


def without_unserved(brief: SideBrief, refused: Sequence[Draft], least: int) -> Rubric:
    """The side's rubric without the aspects that neither of the last two drafts fully served; the
    rubric itself where the sides were refused for something else, or fewer than `least` aspects
    would be left."""
    if refused_twice(refused) not in ("adherence", "twin_margin", "twin_margin_mirror"):
        return brief.rubric
    both = [draft.adherence[brief.cell].scores for draft in refused[-2:]]
    aspects, dropped = list[Aspect](), list[DroppedAspect]()
    for aspect, *scores in zip(brief.rubric.aspects, *both, strict=True):
        if any(score.score == FULL_ADHERENCE for score in scores):
            aspects.append(aspect)
        else:
            dropped.append(
                DroppedAspect(aspect=aspect, reason="not_served", detail=scores[-1].reason)
            )
    if len(aspects) < least or not dropped:
        return brief.rubric
    return brief.rubric.model_copy(
        update={"aspects": tuple(aspects), "dropped": (*brief.rubric.dropped, *dropped)}
    )


async def draw_until_accepted(
    draw: Callable[[int, Sequence[Draft]], Awaitable[Draft | Dropped | None]], draws: int
) -> tuple[Draft, tuple[Draft, ...]] | Dropped:
    """The first accepted draft with those refused before it, or Dropped with all of them.

    `draw` gets the number of the draw and the drafts that were refused; it gives None where it has
    nothing further to try. The reason of a rejection is the first gate that refused the last draft.
    """
    refused: list[Draft] = []
    failure: Dropped | None = None
    for number in range(draws):
        draft = await draw(number, refused)
        if draft is None:
            break
        if isinstance(draft, Dropped):
            failure = draft
        elif draft.refused_by is None:
            return draft, tuple(refused)
        else:
            failure = None
            refused.append(draft)
    if failure is not None:
        return failure.model_copy(update={"drafts": tuple(refused)})
    gate = refused[-1].refused_by
    judge = f", by {gate.judge}" if gate and gate.judge else ""
    return Dropped(
        stage="gates",
        reason=gate.gate if gate else "",
        detail=f"measured {gate.value}, limit {gate.limit}{judge}" if gate else "",
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
) -> Draft | Dropped:
    """A draft whose sides are written, or kept from the refused one."""

    async def one(brief: SideBrief) -> str | Dropped:
        refusal = None
        if refused:
            failed = [gate.sides for gate in refused.gates if not gate.passed]
            if any(brief.side in sides for sides in failed):
                refusal = refusal_of(brief, refused, rules.config.words)
            elif all(failed):
                return brief.text(refused)
            # A judgement that could not be read is nobody's fault: both sides are drawn again.
        return await write(
            item.question,
            brief.rubric,
            brief.stance,
            models.generator,
            rules.prompts,
            words=rules.config.words,
            draw=number,
            refusal=refusal,
            language=rules.language(item),
        )

    first, second = await together(*map(one, briefs))
    return draft_of(number, strategy, models.generator.name, first, second)


def draft_of(
    number: int, strategy: str, generator: str, first: str | Dropped, second: str | Dropped
) -> Draft | Dropped:
    """The draft of two texts, or why there is none."""
    if isinstance(first, Dropped):
        return first
    if isinstance(second, Dropped):
        return second
    return Draft(draw=number, strategy=strategy, generator=generator, first=first, second=second)


def judge_of(models: Models, rules: BuildRules) -> str | None:
    """The models that judged a pair, as its record names them; none where pairs are not gated."""
    return judge_name(judge.name for judge in models.judges) if rules.config.gated else None


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

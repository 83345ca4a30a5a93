"""Writing the sides of a draft, and writing them again after a refusal.

A gate names the sides at fault. Those are written again, and a side without fault stays. The writer
of a side at fault reads the refused text and what was wrong with it in plain words, after a refusal
for parity also what the judge said of both sides. No post is quoted, except words of the writer's
own that are in one. All this follows from the refused draft, so that a resumed build asks the same.
"""

import math
from typing import cast

from pairwright import text
from pairwright.drafting.drafts import Side
from pairwright.drafting.judging import Texts, both
from pairwright.drafting.rules import BuildRules
from pairwright.models import Models
from pairwright.records import FULL_ADHERENCE, Draft, Dropped, GateResult, Item
from pairwright.stages.writer import Refusal, write

MOST_NOTES = 2
MOST_REASON = 600
"""Characters of a judge's reason that a writer reads."""
MOST_CHARACTERS = 30
"""Characters of a refused text that a writer reads, for each word that is accepted."""

_UNSERVED = "It did not serve this well enough: {aspects}."
_SERVED = "It served this, which it should not: {aspects}."
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
    "profile_copy": "It had words of a text that it must not quote.",
    "near_duplicate": "It said hardly anything but what other answers to the question say.",
    "wrong_language": "It was not in the language of the question.",
    "echo_gap": "It repeated most words of its aspects. Say every aspect in words of your own.",
    "shared_words": "A count of words tells for whom it was written. Say what these words of it say"
    " by more general or other words, and keep the rest as it is: {owned}.",
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


async def write_sides(
    item: Item,
    sides: tuple[Side, Side],
    models: Models,
    rules: BuildRules,
    number: int,
    refused: Draft | None,
) -> Texts | Dropped:
    """Both responses of a draw: written by their rubrics, or kept from the refused draft."""

    async def one(side: Side) -> str | Dropped:
        refusal = None
        if refused:
            failed = [gate.sides for gate in refused.gates if not gate.passed]
            if any(side.name in sides for sides in failed):
                refusal = refusal_of(side, refused, rules.config.words)
            elif all(failed):
                return side.text(refused)
            # A judgement that could not be read is nobody's fault: both sides are drawn again.
        return await write(
            item.question,
            side.rubric,
            side.stance,
            models.generator,
            rules.prompts,
            words=rules.config.words,
            draw=number,
            refusal=refusal,
            language=rules.language(item),
        )

    return await both(map(one, sides))


def refusal_of(side: Side, refused: Draft, words: int) -> Refusal:
    """What the writer of a side reads of the refused draft: its text, cut if it is many times as
    long as the `words` that are accepted; up to two sentences on what was wrong; and the judge's
    reason if it preferred the other side or did not find this one good enough."""
    gates = [gate for gate in refused.gates if side.name in gate.sides]
    lines = (_note(gate, side, refused) for gate in gates)
    faults = tuple(dict.fromkeys(note for note in lines if note))[:MOST_NOTES]
    reason = _judge_reason(side, refused, {gate.gate for gate in gates})
    reasons = (reason,) if reason else ()
    return Refusal(side.text(refused)[: MOST_CHARACTERS * words], faults, reasons)


def _judge_reason(side: Side, refused: Draft, gates: set[str]) -> str:
    """What the judge said of this side, which it found worse than the other or not good enough."""
    verdict = refused.comparison
    if "parity" in gates and ((verdict and verdict.has_winner) or not refused.quality):
        name = "A" if side.name == "first" else "B"
        reason = _cut(refused.comparison_reason)
        return reason and f"(Your answer is response {name}.) {reason}"
    return _cut(refused.quality[side.name].reason) if gates & {"parity", "quality_floor"} else ""


def _note(result: GateResult, side: Side, refused: Draft) -> str | None:
    """What was wrong by one gate; None where it is the other side's matter."""
    gate, own = result.gate, side.text(refused)
    adhering = side.stance == "adhering"
    note = NOTES[gate] if adhering or gate != "adherence_margin" else _SERVED
    match gate:
        case "rubric_leakage":
            run = result.value if isinstance(result.value, str) else ""
            return note.format(quoted=f'"{run}"') if text.holds_run(own, run) else _SOME_RUN
        case "shared_words":
            # Each side gives up its part of the words over the limit.
            shared, *words = cast(tuple[int, list[str], list[str]], result.value)
            over, owned = shared - cast(int, result.limit), words[side.name == "second"]
            spare = math.ceil(over * len(owned) / len(words[0] + words[1]))
            return note.format(owned=", ".join(owned[:spare]))
        case "parity" if adhering:
            return note + _AT_THE_CASES
    if note in (_SERVED, _UNSERVED):
        aspects = _aspects(side, refused, served=note == _SERVED)
        # Without any it served what it should: the margin is too small because of the other side.
        return note.format(aspects=aspects) if aspects else None
    return note.format(words=text.number_of(text.word_count(own), "word"))


def _aspects(side: Side, refused: Draft, *, served: bool) -> str:
    """The side's own aspects that its text served (in part at least), or did not fully, with what
    the judge said of it."""
    named = [
        f'"{aspect.aspect}"' + (f" ({_cut(score.reason)})" if score.reason.strip() else "")
        for aspect, score in zip(side.rubric.aspects, side.scores(refused), strict=True)
        if (score.score > 0 if served else score.score < FULL_ADHERENCE)
    ]
    return "; ".join(named)


def _cut(reason: str) -> str:
    """A reason on one line, cut if it is long."""
    line = " ".join(reason.split())
    return line if len(line) <= MOST_REASON else f"{line[:MOST_REASON].rstrip()} ..."

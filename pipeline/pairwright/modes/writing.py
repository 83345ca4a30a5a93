"""Both sides of a draft: written by their rubrics, or written again after a refusal.

A gate names the sides at fault. Those are written again, and a side without fault stays. The writer
of a side at fault reads the refused text and what was wrong with it in plain words (`notes.toml`),
after a refusal for parity also what the judge said of both sides. No post is quoted, except words
of the writer's own that are in one. All this follows from the refused draft, so that a resumed
build asks the same.
"""

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, cast, get_args

from pairwright import text
from pairwright.models import Model
from pairwright.modes.judging import both
from pairwright.records import (
    FULL_ADHERENCE,
    AspectScore,
    Draft,
    DraftSide,
    Dropped,
    DroppedAspect,
    GateResult,
    Post,
    Rubric,
)
from pairwright.settings.rules import JudgedGate
from pairwright.stages.question import Question
from pairwright.stages.writer import PaperStance, Refusal, Stance, write, write_from_posts

MOST_NOTES = 2
MOST_REASON = 600
"""Characters of a judge's reason that a writer reads."""
MOST_CHARACTERS = 30
"""Characters of a refused text that a writer reads, for each word that is accepted."""

NOTES: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("notes.toml").read_text(encoding="utf-8")
)
"""The note to the writer of a side at fault, by gate."""


class Side(NamedTuple):
    """One response of a draft: what its writer is asked, and the rubric that it has to meet."""

    name: DraftSide
    rubric: Rubric
    half: int = 0
    """The rubric's user: 0 for the asker, 1 for the partner."""
    stance: Stance = "adhering"

    def text(self, draft: Draft) -> str:
        """This side's response."""
        return draft.first if self.name == "first" else draft.second

    def scores(self, draft: Draft) -> tuple[AspectScore, ...]:
        """The adherence of its response to each aspect of its rubric; empty if not judged."""
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


async def write_sides(
    question: Question,
    sides: tuple[Side, Side],
    generator: Model,
    number: int,
    refused: Draft | None,
) -> tuple[str, str] | Dropped:
    """Both responses of a draw: written by their rubrics, or kept from the refused draft."""

    async def one(side: Side) -> str | Dropped:
        refusal = None
        if refused:
            failed = [gate.sides for gate in refused.gates if not gate.passed]
            if any(side.name in sides for sides in failed):
                refusal = _refusal_of(side, refused, question.words)
            elif all(failed):
                return side.text(refused)
            # A judgement that could not be read is nobody's fault: both sides are drawn again.
        return await write(
            question, side.rubric, side.stance, generator, draw=number, refusal=refusal
        )

    return await both(map(one, sides))


async def write_paper(
    question: Question,
    posts: tuple[Post, ...],
    rubric: Rubric,
    generator: Model,
    number: int,
    _refused: Draft | None,
) -> tuple[str, str] | Dropped:
    """Both responses of a draw of the paper's setting, from the same posts."""
    return await both(
        write_from_posts(question, posts, rubric, stance, generator, number)
        for stance in get_args(PaperStance)
    )


def _refusal_of(side: Side, refused: Draft, words: int) -> Refusal:
    """The writer's notes on a refused draft of a side: its text, cut if it is many times as long as
    the accepted `words`; up to two sentences on the faults; and the judge's reason if it preferred
    the other side or did not find this one good enough."""
    gates = [gate for gate in refused.gates if side.name in gate.sides]
    faults = dict.fromkeys(note for gate in gates if (note := _note(gate, side, refused)))
    reason = _judge_reason(side, refused, {gate.gate for gate in gates})
    return {
        "earlier": (side.text(refused)[: MOST_CHARACTERS * words],),
        "faults": tuple(faults)[:MOST_NOTES],
        "reasons": (reason,) if reason else (),
    }


def _judge_reason(side: Side, refused: Draft, gates: set[str]) -> str:
    """The judge's reason for finding this side worse than the other or not good enough."""
    verdict = refused.comparison
    if "parity" in gates and ((verdict and verdict.has_winner) or not refused.quality):
        name = "A" if side.name == "first" else "B"
        reason = _cut(refused.comparison_reason)
        return reason and f"(Your answer is response {name}.) {reason}"
    return _cut(refused.quality[side.name].reason) if gates & {"parity", "quality_floor"} else ""


def _note(result: GateResult, side: Side, refused: Draft) -> str | None:
    """The fault that one gate found; None if it concerns the other side."""
    gate, own = result.gate, side.text(refused)
    adhering = side.stance == "adhering"
    if gate == "adherence_margin" and not adhering:
        gate = "violation"
    match gate:
        case "rubric_leakage":
            run = result.value if isinstance(result.value, str) else ""
            return NOTES[gate if text.holds_run(own, run) else "some_run"].format(quoted=f'"{run}"')
        case "shared_words":
            # Each side gives up its part of the words over the limit.
            shared, *words = cast(tuple[int, list[str], list[str]], result.value)
            over, owned = shared - cast(int, result.limit), words[side.name == "second"]
            spare = math.ceil(over * len(owned) / len(words[0] + words[1]))
            return NOTES[gate].format(owned=", ".join(owned[:spare]))
        case "parity" if adhering:
            return f"{NOTES[gate]} {NOTES['at_the_cases']}"
        case "adherence" | "adherence_margin" | "violation":
            aspects = _aspects(side, refused, served=gate == "violation")
            # Without any it did what it should: the margin is too small because of the other side.
            return NOTES[gate].format(aspects=aspects) if aspects else None
    return NOTES[gate].format(words=text.number_of(text.word_count(own), "word"))


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

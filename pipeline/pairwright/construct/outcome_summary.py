"""An outcome in brief, as lines: two screens at most."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from pairwright.construct.outcomes import Failure, Outcome, Pending
from pairwright.modes import MODES
from pairwright.records import Draft, Pair, Rejected
from pairwright.text import number_of

TEXT, LINE = 220, 76
"""Characters of a response, and of what gets one line."""
LISTED = 4
"""Aspects, drafts and refused aspects that are listed of each; the others are counted."""


def summary_lines(outcome: Outcome) -> Iterator[str]:
    """What came of a unit, and how many calls of each purpose it took."""
    yield from _result(outcome)
    yield f"calls: {_calls(outcome)}"


def _result(outcome: Outcome) -> Iterator[str]:
    result = outcome.result
    if isinstance(result, Failure):
        yield f"failed: {result.failure}: {result.detail}"
    elif isinstance(result, Pending):
        yield f"waiting for a batch's reply to {result.waits_for}"
    elif isinstance(result, Rejected):
        yield f"refused by {result.stage}: {result.reason}"
        yield f"  {_cut(result.detail, TEXT)}"
        yield from _first(f"  supported: {aspect.aspect}" for aspect in result.aspects)
        yield from _first(
            f"  dropped ({drop.reason}): {drop.aspect.aspect}" for drop in result.dropped
        )
        yield from _first(map(_draft, result.drafts), 2 * LINE)
    else:
        yield from _pairs(outcome.pairs)
        yield from _first(map(_draft, result.refused), 2 * LINE)
        if not MODES[outcome.mode].own_choice:
            yield _draft(outcome.pairs[0].draft)


def _pairs(pairs: tuple[Pair, ...]) -> Iterator[str]:
    """The first pair whole; of a twin's other half, whose responses are the same, what differs."""
    for n, pair in enumerate(pairs):
        yield f"{pair.id} for {pair.user}"
        if n == 0:
            yield f"question: {_cut(pair.question, TEXT)}"
        if MODES[pair.mode].own_choice:
            yield "no aspects: the label is the user's own choice"
        else:
            dropped = len(pair.rubric.dropped)
            yield f"{number_of(len(pair.rubric.aspects), 'aspect')}, {dropped:,} dropped before"
        yield from _first(f"  {aspect.aspect}" for aspect in pair.rubric.aspects)
        if n == 0:
            yield f"chosen: {_cut(pair.chosen, TEXT)}"
            yield f"rejected: {_cut(pair.rejected, TEXT)}"
        else:
            yield "chosen and rejected: the same two responses, the other way round"


def _draft(draft: Draft) -> str:
    named = f"draft {draft.draw} ({draft.strategy})"
    refused = draft.refused_by
    if refused is None:
        return f"{named}: accepted by all of {number_of(len(draft.gates), 'gate')}"
    measured, limit = _words(refused.value), _words(refused.limit)
    return _cut(f"{named}: refused by {refused.gate}: {measured} (limit: {limit})", 2 * LINE)


def _words(measured: JsonValue) -> str:
    """What a gate measured, or its limit. Parity has the gap of the two qualities and the response
    that a judge preferred, if there was one."""
    match measured:
        case [float() | int() as gap, ("first" | "second") as preferred]:
            return f"a gap of {gap:g} in quality, and the {preferred} response is preferred"
        case [float() | int() as gap, None | "tie" | "undecided"]:
            return f"a gap of {gap:g} in quality"
        case ["gap", most]:
            return f"a gap of {most}"
        case str():
            return measured
    return json.dumps(measured, ensure_ascii=False)


def _first(lines: Iterable[str], most: int = LINE) -> Iterator[str]:
    """The first LISTED of some lines, each cut to fit, and how many more there are."""
    listed = list(lines)
    yield from (
        line[: len(line) - len(line.lstrip())] + _cut(line, most) for line in listed[:LISTED]
    )
    if len(listed) > LISTED:
        yield f"  and {len(listed) - LISTED:,} more"


def _calls(outcome: Outcome) -> str:
    counts = Counter(call.purpose for call in outcome.calls)
    return ", ".join(f"{n:,} {purpose}" for purpose, n in counts.items()) or "none"


def _cut(text: str, most: int) -> str:
    """A text on one line, cut to fit."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"

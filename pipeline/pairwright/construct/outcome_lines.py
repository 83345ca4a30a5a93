"""An outcome as lines: in brief, two screens at most; and with everything behind it, as headings,
lines and boxes to be printed.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from pydantic import JsonValue

from pairwright.construct.outcomes import Failure, Outcome, Pending
from pairwright.construct.run_pairs import calls_of
from pairwright.models import completion_of
from pairwright.models.store import Store, StoredCall
from pairwright.modes import MODES, is_own_choice
from pairwright.records import Draft, Pair, Post, Rejected, Rubric
from pairwright.text import number_of, passages, visible

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


Style = Literal["", "bold", "dim", "red", "yellow", "green"]


class Heading(NamedTuple):
    """Begins a part."""

    text: str


class DetailLine(NamedTuple):
    """A line: its label in a style, then the rest."""

    rest: str
    label: str = ""
    style: Style = ""
    indent: str = ""


class Box(NamedTuple):
    """A text as it was written, with a title."""

    text: str
    title: str


Detail: TypeAlias = Heading | DetailLine | Box


def heading_of(outcome: Outcome) -> tuple[Heading, DetailLine]:
    """Which unit it is, for whom, and what it took."""
    partner = f", partner {outcome.partner}" if outcome.partner else ""
    marked = ", simulated" * outcome.simulated + ", recorded" * bool(outcome.recorded)
    return Heading(f"{outcome.unit}: {outcome.kind}"), DetailLine(
        f"user {outcome.user}{partner}; {number_of(outcome.posts, 'earlier post')}; "
        f"{number_of(len(outcome.calls), 'call')}, {outcome.prompt_tokens:,} prompt and "
        f"{outcome.completion_tokens:,} reply tokens{marked}"
    )


def details_of(outcome: Outcome, calls: Store | None) -> Iterator[Detail]:
    """Everything of a unit: posts, evidence, scores and texts, and the prompts and raw replies that
    are in `calls`."""
    result = outcome.result
    if isinstance(result, Failure):
        yield DetailLine(f": {result.failure}: {result.detail}", "failed", "red")
    elif isinstance(result, Pending):
        yield DetailLine(f"waiting for a batch's reply to {result.waits_for}")
    elif isinstance(result, Rejected):
        yield from _rejected(result)
    else:
        for draft in result.refused:
            yield from _draft_details(draft)
        for pair in outcome.pairs:
            yield from _pair(pair)
        if not is_own_choice(outcome.mode):
            yield from _draft_details(outcome.pairs[0].draft)
    if calls:
        for stored in calls_of(calls, outcome):
            yield from _call(stored)


def _rejected(rejected: Rejected) -> Iterator[Detail]:
    yield DetailLine(f" by {rejected.stage}: {rejected.reason}", "refused", "yellow")
    yield DetailLine(rejected.detail)
    for aspect in rejected.aspects:
        quoted = " / ".join(passages(aspect.evidence))
        yield DetailLine(f"  supported: {aspect.aspect} (evidence: {quoted})")
    for dropped in rejected.dropped:
        yield DetailLine(f"  dropped ({dropped.reason}): {dropped.aspect.aspect} {dropped.detail}")
    for draft in rejected.drafts:
        yield from _draft_details(draft)


def _pair(pair: Pair) -> Iterator[Detail]:
    half = ""
    if is_own_choice(pair.mode):
        half = " (the user's own choice)"
    elif pair.twin_id is not None:
        half = " (asker)" if pair.asked else " (counterfactual)"
    yield Heading(f"{pair.id} for {pair.user}{half}")
    yield DetailLine(f" {pair.question}", "question", "bold")
    if is_own_choice(pair.mode):
        yield from map(_post, pair.profile)
    yield from _rubric(pair.rubric, pair.profile)
    yield Box(pair.chosen, "chosen")
    yield Box(pair.rejected, "rejected")


def _post(post: Post) -> DetailLine:
    return DetailLine(f" {post.text}", post.id, "dim")


def _rubric(rubric: Rubric, profile: tuple[Post, ...]) -> Iterator[Detail]:
    yield from (_post(post) for post in profile if post.id in rubric.shown)
    for aspect in rubric.aspects:
        how = f" ({aspect.follows})" if aspect.follows else ""
        yield DetailLine(f" {aspect.aspect}{how}", "aspect", "bold")
        yield DetailLine(f"  reason: {aspect.reason}")
        quoted = " / ".join(passages(aspect.evidence))
        yield DetailLine(f"  evidence {', '.join(aspect.post_ids)}: {quoted}")
    for dropped in rubric.dropped:
        why = f"{dropped.aspect.aspect} {dropped.detail}"
        yield DetailLine("", f"dropped ({dropped.reason}): {why}", "dim")


def _draft_details(draft: Draft) -> Iterator[Detail]:
    refused = draft.refused_by
    decision = f"refused by {refused.gate}" if refused else "accepted"
    yield Heading(f"draft {draft.draw} ({draft.strategy}, {draft.generator}): {decision}")
    if refused:
        yield Box(draft.first, "first")
        yield Box(draft.second, "second")
    for name, fit in draft.adherence.items():
        scores = ", ".join(str(s.score) for s in fit.scores)
        yield DetailLine(f"adherence {name}: {fit.share:.2f} (scores {scores})")
    for name, quality in draft.quality.items():
        yield DetailLine(f"quality {name}: {quality.scores} {quality.reason}")
    if draft.comparison:
        yield DetailLine(f"compared in both orders: {draft.comparison.value}")
    for gate in draft.gates:
        measured = json.dumps(gate.value, ensure_ascii=False)
        rest = f" {gate.gate}: {measured}, limit {gate.limit}"
        if gate.passed:
            yield DetailLine(rest, "pass", "green", indent="  ")
        else:
            yield DetailLine(rest, "stop", "red", indent="  ")


def _call(stored: StoredCall) -> Iterator[Detail]:
    yield Heading(f"{stored.purpose} {stored.key}")
    request = json.loads(stored.request)
    completion = completion_of(stored.key, stored.reply)
    settings = {k: v for k, v in request.items() if k not in ("messages", "schema")}
    yield DetailLine("", json.dumps(settings, ensure_ascii=False), "dim")
    for message in request["messages"]:
        yield Box(visible(message["content"]), message["role"])
    if completion.reasoning:
        yield Box(visible(completion.reasoning), "reasoning")
    tokens = f"{completion.prompt_tokens} + {completion.completion_tokens} tokens"
    yield Box(visible(completion.text), f"reply ({completion.finish}, {tokens})")

"""An outcome, or one of its calls, as headings, lines and boxes to be printed."""

import json
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from pydantic import JsonValue

from pairwright.construct.outcomes import Failure, Outcome, Pending
from pairwright.models import completion_of
from pairwright.models.store import StoredCall
from pairwright.modes import is_own_choice, is_twin
from pairwright.records import Draft, GateResult, Pair, Rejected, Rubric
from pairwright.text import number_of, passages, visible

Style = Literal["", "bold", "dim", "red", "yellow", "green"]


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


Detail: TypeAlias = str | DetailLine | Box
"""A text alone is the heading of a part."""


def heading_of(outcome: Outcome) -> tuple[str, DetailLine]:
    """Which unit it is, for whom, and what it took."""
    role = "partner" if is_twin(outcome.mode) else "stranger"
    second = f", {role} {outcome.partner}" if outcome.partner else ""
    marked = ", recorded" * bool(outcome.recorded)
    return f"{outcome.unit}: {outcome.kind}", DetailLine(
        f"user {outcome.user}{second}; {number_of(outcome.posts, 'earlier post')}; "
        f"{number_of(len(outcome.calls), 'call')}, {outcome.prompt_tokens:,} prompt and "
        f"{outcome.completion_tokens:,} reply tokens{marked}"
    )


def details_of(outcome: Outcome) -> Iterator[Detail]:
    """Everything of a unit: posts, evidence, scores and texts, and the keys of its calls."""
    result = outcome.result
    if isinstance(result, Failure):
        yield DetailLine(f": {result.failure}: {result.detail}", "failed", "red")
    elif isinstance(result, Pending):
        yield DetailLine(f"waiting for a batch's reply to {result.waits_for}")
    elif isinstance(result, Rejected):
        yield DetailLine(f" by {result.stage}: {result.reason}", "refused", "yellow")
        gate = result.drafts[-1].refused_by if result.drafts else None
        measured = gate and result.stage == "gates" and _measured(gate)
        yield DetailLine(measured or result.detail)
        for aspect in result.aspects:
            quoted = " / ".join(passages(aspect.evidence))
            yield DetailLine(f"  supported: {aspect.aspect} (evidence: {quoted})")
        for dropped in result.dropped:
            why = f"{dropped.aspect.aspect} {dropped.detail}"
            yield DetailLine(f"  dropped ({dropped.reason}): {why}")
        for draft in result.drafts:
            yield from _draft(draft)
    else:
        for draft in result.refused:
            yield from _draft(draft)
        for pair in outcome.pairs:
            yield from _pair(pair)
        if not is_own_choice(outcome.mode):
            yield from _draft(outcome.pairs[0].draft)
    yield "calls"
    for call in outcome.calls:
        yield DetailLine(f" {call.key}", call.purpose, "bold")


def _pair(pair: Pair) -> Iterator[Detail]:
    half = ""
    if is_own_choice(pair.mode):
        half = " (the user's own choice)"
    elif pair.twin_id is not None:
        half = " (asker)" if pair.asked else " (counterfactual)"
    yield f"{pair.id} for {pair.user}{half}"
    yield DetailLine(f" {pair.question}", "question", "bold")
    yield from _rubric(pair.rubric)
    yield Box(pair.chosen, "chosen")
    yield Box(pair.rejected, "rejected")
    own_choice, shown = is_own_choice(pair.mode), pair.rubric.shown
    for post in pair.profile:
        if own_choice or post.id in shown:
            yield DetailLine(f" {post.text}", post.id, "dim")


def _rubric(rubric: Rubric) -> Iterator[Detail]:
    for aspect in rubric.aspects:
        how = f" ({aspect.follows})" if aspect.follows else ""
        yield DetailLine(f" {aspect.aspect}{how}", "aspect", "bold")
        yield DetailLine(f"  reason: {aspect.reason}")
        quoted = " / ".join(passages(aspect.evidence))
        yield DetailLine(f"  evidence {', '.join(aspect.post_ids)}: {quoted}")
    for dropped in rubric.dropped:
        why = f"{dropped.aspect.aspect} {dropped.detail}"
        yield DetailLine("", f"dropped ({dropped.reason}): {why}", "dim")


def _draft(draft: Draft) -> Iterator[Detail]:
    refused = draft.refused_by
    decision = f"refused by {refused.gate}" if refused else "accepted"
    yield f"draft {draft.draw} ({draft.strategy}, {draft.generator}): {decision}"
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
        judge = f" of {gate.judge}" if gate.judge else ""
        rest = f" {gate.gate}{judge}: {_measured(gate)}"
        if gate.passed:
            yield DetailLine(rest, "pass", "green", indent="  ")
        else:
            yield DetailLine(rest, "stop", "red", indent="  ")


def _measured(gate: GateResult) -> str:
    return f"{_words(gate.value)} (limit: {_words(gate.limit)})"


def _words(measured: JsonValue) -> str:
    """What a gate measured, or its limit. Parity has the gap of the two qualities and the response
    that a judge preferred, if there was one."""
    match measured:
        case [float() | int() as gap, ("first" | "second") as preferred]:
            return f"a gap of {gap:g} in quality, and the {preferred} response is preferred"
        case [None, ("first" | "second") as preferred]:
            return f"the {preferred} response is preferred in both orders"
        case [float() | int() as gap, None | "tie" | "undecided"]:
            return f"a gap of {gap:g} in quality"
        case ["gap", most]:
            return f"a gap of {most}"
        case str():
            return measured
    return json.dumps(measured, ensure_ascii=False)


def call_details(stored: StoredCall) -> Iterator[Detail]:
    """Everything of a call: its settings, the prompt and the raw reply."""
    yield f"{stored.purpose} {stored.key}"
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

"""An outcome, or one of its calls, as lines of text to be printed."""

import json
from collections.abc import Iterator

from pydantic import JsonValue

from pairwright.construct.outcomes import Failure, Outcome, Pending
from pairwright.models import completion_of
from pairwright.models.store import StoredCall
from pairwright.modes import MODES
from pairwright.records import Draft, Dropped, GateResult, Pair
from pairwright.text import number_of, passages, visible


def details_of(outcome: Outcome) -> Iterator[str]:
    """Everything of a unit: users, posts, evidence, scores and texts, and the keys of its calls."""
    result = outcome.result
    partner = f", partner {outcome.partner}" if outcome.partner else ""
    yield f"# {outcome.unit}: {outcome.kind}"
    yield (
        f"user {outcome.user}{partner}; {number_of(outcome.posts, 'earlier post')}; "
        f"{number_of(len(outcome.calls), 'call')}, {outcome.prompt_tokens:,} prompt and "
        f"{outcome.completion_tokens:,} reply tokens{', recorded' * bool(outcome.recorded)}"
    )
    if isinstance(result, Failure):
        yield f"failed: {result.failure}: {result.detail}"
    elif isinstance(result, Pending):
        yield f"waiting for a batch's reply to {result.waits_for}"
    elif isinstance(result, Dropped):
        yield f"refused by {result.stage}: {result.reason}"
        gate = result.drafts[-1].refused_by if result.drafts else None
        yield _measured(gate) if gate and result.stage == "gates" else result.detail
        for aspect in result.aspects:
            quoted = " / ".join(passages(aspect.evidence))
            yield f"  supported: {aspect.aspect} (evidence: {quoted})"
        for dropped in result.dropped:
            yield f"  dropped ({dropped.reason}): {dropped.aspect.aspect} {dropped.detail}"
        for draft in result.drafts:
            yield from _draft(draft)
    else:
        for draft in result.refused:
            yield from _draft(draft)
        for pair in outcome.pairs:
            yield from _pair(pair)
        if MODES[outcome.mode].label != "given":
            yield from _draft(outcome.pairs[0].draft)
    yield "# calls"
    for call in outcome.calls:
        yield f"{call.purpose} {call.key}"


def _pair(pair: Pair) -> Iterator[str]:
    half = ""
    own_choice = MODES[pair.mode].label == "given"
    if own_choice:
        half = " (the user's own choice)"
    elif pair.twin_id is not None:
        half = " (asker)" if pair.asked else " (counterfactual)"
    yield f"# {pair.id} for {pair.user}{half}"
    yield f"question: {pair.question}"
    for aspect in pair.rubric.aspects:
        yield f"aspect: {aspect.aspect}" + (f" ({aspect.follows})" if aspect.follows else "")
        yield f"  reason: {aspect.reason}"
        yield f"  evidence {', '.join(aspect.post_ids)}: {' / '.join(passages(aspect.evidence))}"
    for dropped in pair.rubric.dropped:
        yield f"dropped ({dropped.reason}): {dropped.aspect.aspect} {dropped.detail}"
    yield from _text("chosen", pair.chosen)
    yield from _text("rejected", pair.rejected)
    for post in pair.profile:
        if own_choice or post.id in pair.rubric.shown:
            yield f"{post.id}: {post.text}"


def _draft(draft: Draft) -> Iterator[str]:
    refused = draft.refused_by
    decision = f"refused by {refused.gate}" if refused else "accepted"
    yield f"# draft {draft.draw} ({draft.strategy}, {draft.generator}): {decision}"
    if refused:
        yield from _text("first", draft.first)
        yield from _text("second", draft.second)
    for whose, fits in zip(("asker", "partner"), draft.adherence, strict=False):
        for name, fit in fits.items():
            scores = ", ".join(str(s.score) for s in fit.scores)
            yield f"adherence of {name} to the {whose}'s aspects: {fit.share:.2f} (scores {scores})"
    for name, quality in draft.quality.items():
        yield f"quality {name}: {quality.scores} {quality.reason}"
    if draft.comparison:
        yield f"compared in both orders: {draft.comparison.value}"
    for gate in draft.gates:
        judge = f" of {gate.judge}" if gate.judge else ""
        yield f"  {'pass' if gate.passed else 'stop'} {gate.gate}{judge}: {_measured(gate)}"


def _text(title: str, text: str) -> Iterator[str]:
    yield f"--- {title}"
    yield text
    yield "---"


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


def call_details(stored: StoredCall) -> Iterator[str]:
    """Everything of a call: its settings, the prompt and the raw reply."""
    yield f"# {stored.purpose} {stored.key}"
    request = json.loads(stored.request)
    completion = completion_of(stored.key, stored.reply)
    settings = {k: v for k, v in request.items() if k not in ("messages", "schema")}
    yield json.dumps(settings, ensure_ascii=False)
    for message in request["messages"]:
        yield from _text(message["role"], visible(message["content"]))
    if completion.reasoning:
        yield from _text("reasoning", visible(completion.reasoning))
    tokens = f"{completion.prompt_tokens} + {completion.completion_tokens} tokens"
    yield from _text(f"reply ({completion.finish}, {tokens})", visible(completion.text))

"""One unit of a run, or one of its calls, as lines of text to be printed."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated

from pydantic import JsonValue
from typer import Argument

from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import Failed, Outcome, Outcomes
from pairwright.errors import InputError
from pairwright.models import Request, completion_of
from pairwright.models.store import Store
from pairwright.modes import MODES
from pairwright.options import RunPath
from pairwright.records import Draft, Dropped, GateResult, Kept, Pair
from pairwright.text import number_of, passages, visible

MOST_NAMED = 5
"""Ids that are named where several begin alike."""


def show(
    run: RunPath,
    wanted: Annotated[
        str | None,
        Argument(help="Of a pair, twin, unit, item or call; its beginning will do.", metavar="ID"),
    ] = None,
) -> list[str]:
    """Show how one pair came about: posts, aspects, responses, drafts, gates, calls.

    Works for dropped and failed units, too. The key of a call, which is listed below a unit, shows
    its prompt and its raw reply. Without an id, every unit is listed with what came of it.

    Raises InputError if nothing has the id.

    Examples::

        pairwright show runs/first
        pairwright show runs/first pair-1f2e3d4c5b6a7980
        pairwright show runs/first twin:cooking-01
    """
    with closing(Store(RunFolder(Path(run)).calls, writing=False)) as store:
        return list(_lines(store, wanted, Path(run)))


def _lines(store: Store, wanted: str | None, run: Path) -> Iterator[str]:
    outcomes = Outcomes(store)
    if wanted is None:
        for row in outcomes.lean():
            yield f"{row.unit}  {row.kind}  {row.subject or row.reason}  user {row.user}"
    elif stored := store.call(wanted):
        yield from call_details(*stored)
    else:
        outcome = find_outcome(outcomes, wanted, run)
        plans = outcomes.lean("mode = 'plan' AND item = ?", outcome.item)
        calls = {
            key: purpose
            for row in (*plans, outcome)
            for key, purpose in json.loads(row.calls).items()
        }
        yield from details_of(outcome, calls, tokens_of(store, calls))


def tokens_of(store: Store, keys: Iterable[str]) -> tuple[int, int]:
    """The tokens of the prompts and the replies of some calls."""
    query = "SELECT prompt_tokens, completion_tokens FROM calls WHERE key = ?"
    found = [row for key in keys for row in store.rows(query, key)]
    return sum(row[0] for row in found), sum(row[1] for row in found)


def find_outcome(outcomes: Outcomes, wanted: str, run: Path) -> Outcome:
    """Find the outcome that a pair id, twin id, unit id or item id belongs to, or the beginning of
    one id alone.

    An item id finds the first of its units. Raises InputError where nothing has the id.
    """
    near: dict[str, Outcome] = {}
    begins = (
        "mode != 'plan' AND (substr(unit, 1, ?1) = ?2 OR substr(item, 1, ?1) = ?2"
        ' OR substr(subject, 1, ?1) = ?2 OR instr(record, \'"id":"\' || ?2))'
    )
    for row in outcomes.rows(begins, len(wanted), wanted) if wanted else ():
        pairs = row.read(Kept).pairs if row.kind == "kept" else ()
        ids = (pair.twin_id for pair in pairs[:1] if pair.twin_id)
        names = (row.unit, row.item, *ids, *(pair.id for pair in pairs))
        if wanted in names:
            return row
        near |= {name: row for name in names if name.startswith(wanted)}
        if len(near) > MOST_NAMED:
            break
    if len(near) == 1:
        return next(iter(near.values()))
    listed = ", ".join([*near][:MOST_NAMED]) + (", ..." if len(near) > MOST_NAMED else "")
    raise InputError(
        f"several ids begin with {wanted!r}: {listed}"
        if near
        else f"nothing here has the id {wanted!r}",
        where=run,
        fix="`pairwright show RUN` without an id lists the ids of all units.",
    )


def details_of(
    outcome: Outcome, calls: Mapping[str, str], tokens: tuple[int, int]
) -> Iterator[str]:
    """Everything of a unit: users, posts, evidence, scores and texts, and the purposes and keys of
    the calls behind it. `tokens` are those of prompts and replies."""
    partner = f", partner {outcome.partner}" if outcome.partner else ""
    yield f"# {outcome.unit}: {outcome.kind}"
    yield (
        f"user {outcome.user}{partner}; {number_of(outcome.posts, 'earlier post')}; "
        f"{number_of(len(calls), 'call')}, {tokens[0]:,} prompt and "
        f"{tokens[1]:,} reply tokens{', recorded' * (outcome.recorded != '[]')}"
    )
    match outcome.kind:
        case "waiting":
            yield f"waiting for a batch's reply to {outcome.reason}"
        case "failed":
            yield f"failed: {outcome.reason}: {outcome.read(Failed).detail}"
        case "dropped":
            yield from _dropped(outcome.read(Dropped))
        case _:
            yield from _kept(outcome.read(Kept))
    yield "# calls"
    for key, purpose in calls.items():
        yield f"{purpose} {key}"


def _dropped(dropped: Dropped) -> Iterator[str]:
    yield f"refused by {dropped.stage}: {dropped.reason}"
    gate = dropped.drafts[-1].refused_by if dropped.drafts else None
    yield _measured(gate) if gate and dropped.stage == "gates" else dropped.detail
    for aspect in dropped.aspects:
        quoted = " / ".join(passages(aspect.evidence))
        yield f"  supported: {aspect.aspect} (evidence: {quoted})"
    for one in dropped.dropped:
        yield f"  dropped ({one.reason}): {one.aspect.aspect} {one.detail}"
    for draft in dropped.drafts:
        yield from _draft(draft)


def _kept(kept: Kept) -> Iterator[str]:
    for draft in kept.refused:
        yield from _draft(draft)
    for pair in kept.pairs:
        yield from _pair(pair)
    if MODES[kept.pairs[0].mode].label != "given":
        yield from _draft(kept.pairs[0].draft)


def _pair(pair: Pair) -> Iterator[str]:
    half = ""
    own_choice = MODES[pair.mode].label == "given"
    if own_choice:
        half = " (the user's own choice)"
    elif pair.twin_id is not None:
        half = " (asker)" if pair.asked else " (partner)"
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


def call_details(request: Request, reply: bytes) -> Iterator[str]:
    """Everything of a call: its settings, the prompt and the raw reply."""
    yield f"# {request.purpose} {request.key}"
    completion, fields = completion_of(request.key, reply), json.loads(request.canonical)
    settings = {k: v for k, v in fields.items() if k not in ("messages", "schema")}
    yield json.dumps(settings, ensure_ascii=False)
    for message in request.messages:
        yield from _text(message.role, visible(message.content))
    if completion.reasoning:
        yield from _text("reasoning", visible(completion.reasoning))
    tokens = f"{completion.prompt_tokens} + {completion.completion_tokens} tokens"
    yield from _text(f"reply ({completion.finish}, {tokens})", visible(completion.text))

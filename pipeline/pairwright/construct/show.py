"""One unit of a run, or one of its calls, as lines of text to be printed (`show.txt.jinja`)."""

import json
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Annotated

import jinja2
from pydantic import JsonValue
from typer import Argument

from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import Failed, Outcome, Outcomes
from pairwright.errors import InputError
from pairwright.models import Request, completion_of
from pairwright.models.store import Store
from pairwright.modes import label_of
from pairwright.options import RunPath
from pairwright.records import Dropped, Kept, Record
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
        outcomes = Outcomes(store)
        if wanted is None:
            return [
                f"{row.unit}  {row.kind}  {row.subject or row.reason}  user {row.user}"
                for row in outcomes.rows(whole=False)
            ]
        if stored := store.call(wanted):
            return _call(*stored)
        return _unit(outcomes, _found(outcomes, wanted, Path(run)), store)


def _found(outcomes: Outcomes, wanted: str, run: Path) -> Outcome:
    """The outcome that a pair id, twin id, unit id or item id belongs to, or the beginning of one
    id alone. An item id finds the first of its units. Raises InputError where nothing has it."""
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


def _unit(outcomes: Outcomes, outcome: Outcome, store: Store) -> list[str]:
    """Everything of a unit: users, posts, evidence, scores and texts, and the calls behind it."""
    plans = outcomes.rows("mode = 'plan' AND item = ?", outcome.item, whole=False)
    calls = {k: why for row in (*plans, outcome) for k, why in json.loads(row.calls).items()}
    query = "SELECT prompt_tokens, completion_tokens FROM calls WHERE key = ?"
    tokens = [row for key in calls for row in store.rows(query, key)]
    kinds: dict[str, type[Record]] = {
        "kept": Kept,
        "dropped": Dropped,
        "failed": Failed,
        "waiting": Failed,
    }
    return _filled(
        "unit",
        one=outcome,
        record=outcome.read(kinds.get(outcome.kind, Failed)),
        calls=calls,
        prompt_tokens=sum(row[0] for row in tokens),
        reply_tokens=sum(row[1] for row in tokens),
    )


def _call(request: Request, reply: bytes) -> list[str]:
    """Everything of a call: its settings, the prompt and the raw reply."""
    fields = json.loads(request.canonical)
    settings = {k: v for k, v in fields.items() if k not in ("messages", "schema")}
    said = completion_of(request.key, reply)
    return _filled("call", request=request, settings=settings, reply=said)


def _filled(what: str, **values: object) -> list[str]:
    return _template().render(what=what, **values).rstrip("\n").split("\n")


@cache
def _template() -> jinja2.Template:
    # Its lines are printed as they are, so nothing is escaped.
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"visible": visible, "passages": passages, "words": _words}
    environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
    environment.globals |= {"label_of": label_of, "number_of": number_of, "zip": zip}
    text = Path(__file__).with_name("show.txt.jinja").read_text(encoding="utf-8")
    return environment.from_string(text)


def _words(measured: JsonValue) -> str:
    """What a gate measured, or its limit. Parity has the gap of the two qualities and the response
    that a judge preferred, if there was one."""
    match measured:
        case [None | float() | int() as gap, ("first" | "second") as preferred]:
            if gap is None:
                return f"the {preferred} response is preferred in both orders"
            return f"a gap of {gap:g} in quality, and the {preferred} response is preferred"
        case [float() | int() as gap, None | "tie" | "undecided"]:
            return f"a gap of {gap:g} in quality"
        case ["gap", most]:
            return f"a gap of {most}"
        case str():
            return measured
    return json.dumps(measured, ensure_ascii=False)

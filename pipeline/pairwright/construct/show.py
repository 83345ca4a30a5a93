"""One unit of a run, or one of its calls, as lines of text to be printed (`show.txt.jinja`)."""

import json
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Annotated

import jinja2
from typer import Argument, Option

from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import Failed, Outcome, Outcomes
from pairwright.errors import InputError
from pairwright.models import Request, completion_of
from pairwright.models.store import Store
from pairwright.modes import label_of
from pairwright.options import RunPath
from pairwright.records import Dropped, Kept, Record
from pairwright.text import number_of, passages, visible


def show(
    run: RunPath,
    wanted: Annotated[
        str | None,
        Argument(help="Id of a pair, twin, unit, item or call.", metavar="ID"),
    ] = None,
    everything: Annotated[
        bool, Option("--all", help="Show posts, drafts, checks and calls, too.")
    ] = False,
) -> list[str]:
    """Show one pair or twin: the question, its users' aspects with evidence, both responses.

    Dropped and failed units show their drafts and the reason. With --all, posts, drafts, checks and
    calls are listed, too; the key of a call shows its prompt and its raw reply. Without an id,
    every unit is listed with its outcome.

    Raises InputError if nothing has the id.

    Examples::

        pairwright show runs/first
        pairwright show runs/first pair-1f2e3d4c5b6a7980
        pairwright show runs/first twin:cooking-01 --all
    """
    with closing(Store(RunFolder(Path(run)).calls, writing=False)) as store:
        if wanted is None:
            return [
                f"{row.unit}  {row.kind}  {row.subject or row.reason}  user {row.user}"
                for row in Outcomes(store).rows(whole=False)
            ]
        if stored := store.call(wanted):
            return _call(*stored)
        return _unit(store, _found(store, wanted, Path(run)), everything)


_NAMED = """
    mode != 'plan' AND ?1 IN (unit, item, subject)
    OR kind = 'kept' AND ?1 IN (SELECT value ->> 'id' FROM json_each(record, '$.pairs'))"""


def _found(store: Store, wanted: str, run: Path) -> Outcome:
    """The outcome that an id belongs to; an item's is the first of its units. Raises InputError."""
    if found := next(Outcomes(store).rows(_NAMED, wanted), None):
        return found
    fix = "`pairwright show RUN` without an id lists the ids of all units."
    raise InputError(f"nothing here has the id {wanted!r}", where=run, fix=fix)


def _unit(store: Store, outcome: Outcome, everything: bool) -> list[str]:
    """The question, users and responses of a kept unit; of others, and with `everything`, also
    posts, drafts, scores and the calls behind them."""
    plans = Outcomes(store).rows("mode = 'plan' AND item = ?", outcome.item, whole=False)
    calls = {k: why for row in (*plans, outcome) for k, why in json.loads(row.calls).items()}
    query = "SELECT prompt_tokens, completion_tokens FROM calls WHERE key = ?"
    tokens = [row for key in calls for row in store.rows(query, key)]
    kinds: dict[str, type[Record]] = {"kept": Kept, "dropped": Dropped}
    record = outcome.read(kinds.get(outcome.kind, Failed))
    return _filled(
        "unit",
        one=outcome,
        everything=everything,
        record=record,
        drafts=getattr(record, "drafts", getattr(record, "refused", ())),
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
    environment.filters |= {"visible": visible, "passages": passages}
    environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
    environment.globals |= {"label_of": label_of, "number_of": number_of}
    text = Path(__file__).with_name("show.txt.jinja").read_text(encoding="utf-8")
    return environment.from_string(text)

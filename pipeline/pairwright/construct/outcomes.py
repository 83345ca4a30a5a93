"""What came of each unit: kept, rejected, failed or (for now) waiting, with its reason and calls;
and how far it came.

During a run, outcomes are kept in the store; at the end the files are written whole, in source
order, without times, each by a rename. So a file that is there is a whole one.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue
from pydantic_core import from_json, to_json

from pairwright.errors import on_disk
from pairwright.estimate import Estimate, share
from pairwright.models import Call
from pairwright.models.model import UNUSABLE
from pairwright.models.store import Store, UnitRow
from pairwright.modes import MODES, Stage
from pairwright.records import Dropped, Kept, Pair, Record
from pairwright.stages.writer import WRITER_PROMPTS

OutcomeKind = Literal["kept", "rejected", "failed", "waiting"]
FILES = ("pairs.jsonl", "dropped.jsonl", "failed.jsonl", "manifest.json")


class Failure(Record):
    """A call of this unit failed. The next run asks again."""

    failure: str
    detail: str


class Pending(Record):
    """A call of this unit is written for a batch and has no reply yet."""

    waits_for: str
    """The purpose of the first such call."""


def reason_of(result: object) -> str:
    """Why a unit failed, waits or was refused, in a word; empty for what was made."""
    match result:
        case Failure(failure=reason) | Pending(waits_for=reason) | Dropped(reason=reason):
            return reason
    return ""


class Outcome(Record):
    """One unit with what came of it."""

    unit: str
    mode: str
    item_id: str
    user: str
    partner: str | None
    posts: int
    """Length of the asker's profile."""
    result: Kept | Dropped | Failure | Pending
    calls: tuple[Call, ...]
    prompt_tokens: int
    completion_tokens: int
    recorded: tuple[str, ...] = ()
    """Models whose replies came from a recording."""

    @property
    def kind(self) -> OutcomeKind:
        if isinstance(self.result, Pending):
            return "waiting"
        if isinstance(self.result, Failure):
            return "failed"
        return "rejected" if isinstance(self.result, Dropped) else "kept"

    def row(self, position: int) -> UnitRow:
        """The row of the store that holds it."""
        return UnitRow(
            position,
            self.unit,
            self.mode,
            self.item_id,
            self.user,
            self.partner,
            self.kind,
            self.result.stage if isinstance(self.result, Dropped) else "",
            reason_of(self.result),
            last_stage(self),
            self.posts,
            self.model_dump_json(),
        )

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return self.result.pairs if isinstance(self.result, Kept) else ()

    @property
    def refusal(self) -> Dropped | None:
        """Why it was refused; of a kept unit, its drafts that were."""
        result = self.result
        if isinstance(result, Kept) and result.refused:
            gate = result.refused[-1].refused_by
            reason = gate.gate if gate else ""
            return Dropped(stage="gates", reason=reason, drafts=result.refused)
        return result if isinstance(result, Dropped) else None


def write_outcomes(store: Store, folder: Path, manifest: JsonValue) -> None:
    """Write all outcome files; the manifest last, so that it speaks of files that are there.

    A line of dropped.jsonl is a refused unit, or the refused drafts of a kept one.
    """
    with on_disk(folder), ExitStack() as stack:
        pairs, rejected, failed = (
            stack.enter_context((folder / name).with_suffix(".partial").open("w", encoding="utf-8"))
            for name in FILES[:3]
        )
        for row in store.outcomes():
            outcome, kind = from_json(row.record), row.kind
            refusal = result = outcome["result"]
            named = {name: outcome[name] for name in ("unit", "mode", "item_id")}
            if kind == "failed":
                why = {"reason": result["failure"], "detail": result["detail"]}
                failed.write(_line(named | why))
                continue
            if kind == "kept":
                pairs.writelines(pair_lines(result))
                refusal = result["refused"] and Outcome.model_validate_json(row.record).refusal
            if refusal:
                users = {"user": outcome["user"], "partner": outcome["partner"]}
                why = {"kept": kind == "kept", "rejected": refusal}
                rejected.write(_line(named | users | why))
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (folder / "manifest.partial").write_text(text, encoding="utf-8")
    for name in FILES:
        (folder / name).with_suffix(".partial").replace(folder / name)


def pair_lines(kept: dict[str, Any]) -> Iterator[str]:
    """The lines of one kept unit."""
    # A pair's line is its JSON as it was spooled: no need to build the record.
    return map(_line, kept["pairs"])


def _line(values: Mapping[str, object]) -> str:
    return to_json(values).decode() + "\n"


def stages_of(mode: str) -> tuple[Stage, ...]:
    """The stages of a mode, in the order in which a unit reaches them."""
    return MODES[mode].stages


def stages_up_to(mode: str, last: str | None) -> tuple[Stage, ...]:
    """The stages that a unit reached, in order, by the last one; none where it failed or waits."""
    stages = stages_of(mode)
    return () if last is None else stages[: [*map(str, stages)].index(last) + 1]


def last_stage(outcome: Outcome) -> Stage | None:
    """The last stage that a unit reached; None where it failed or waits, or where a reply that
    cannot be used left open whether its user has a signal."""
    refusal = outcome.result
    if isinstance(refusal, Failure | Pending):
        return None
    if not isinstance(refusal, Dropped):
        return "kept"
    if refusal.drafts or (refusal.stage == "gates" and refusal.reason != "rubrics_alike"):
        return "drafts"
    if "signal" not in stages_of(outcome.mode):
        return None if lacks_reply(refusal) else "items"
    if refusal.stage == "partners":
        return "signal"
    if refusal.stage in WRITER_PROMPTS:
        return "partner_signal" if MODES[outcome.mode].needs_partner else "signal"
    if outcome.partner is not None:
        # The survey has the asker's signal, so what was refused is about the partner.
        return "partner"
    return None if lacks_reply(refusal) else "items"


def lacks_reply(refusal: Dropped) -> bool:
    """Whether it was refused before any draft because a model gave no reply that can be used."""
    return refusal.stage != "gates" and refusal.reason in UNUSABLE


def unusable_reply(stage: str, reason: str) -> tuple[str, str] | None:
    """The prompt whose replies could not be used, and why, where a unit was refused for it; of a
    draft that a judge's reply refused, both are in the name of the gate: `compare_unparseable`."""
    if stage != "gates":
        return (stage, reason) if reason in UNUSABLE else None
    found = (why for why in UNUSABLE if reason.endswith(f"_{why}"))
    why = next(found, None)
    return (reason.removesuffix(f"_{why}"), why) if why else None


def funnel_rows(reached: Counter[tuple[str, Stage]], mode: str) -> list[tuple[Stage, Estimate]]:
    """Each stage with the share of all items that reached it, and its 95 % interval; none of
    people's own choices, of which every item is kept: the source refuses the others."""
    if MODES[mode].label == "given":
        return []
    items = reached[mode, "items"]
    return [(stage, share(reached[mode, stage], items)) for stage in stages_of(mode)]

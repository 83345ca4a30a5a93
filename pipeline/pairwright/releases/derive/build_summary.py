"""How the pairs were made: what stated.json says of the build, and units counted.

The manifest has all of stated.json; this is what pages show of it, and what rows are held to.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from pydantic import ValidationError

from pairwright.build_statement import BuildSummary
from pairwright.dataset import Layout
from pairwright.errors import InputError, first_invalid
from pairwright.estimate import share
from pairwright.modes import STAGES
from pairwright.records import Mode, Record
from pairwright.releases.primary import Provenance, UnitOutcome


def summarise_build(provenance: Provenance, layout: Layout) -> BuildSummary:
    """Read it; raises InputError naming the field that a build would not have written."""
    try:
        return BuildSummary.model_validate(provenance.build)
    except ValidationError as error:
        field, fault = first_invalid(error)
        raise InputError(
            fault,
            where=f"{layout.provenance} [build.{field}]",
            fix="Take this file again from where it came from.",
        ) from None


class UnitCount(Record):
    """Units of one mode that ended in one way."""

    mode: Mode
    outcome: Literal["kept", "rejected", "failed"]
    stage: str
    reason: str
    units: int


def unit_counts(units: Iterable[UnitOutcome]) -> tuple[UnitCount, ...]:
    """By mode, outcome, stage and reason; within an outcome the most frequent first."""
    counts = Counter((unit.mode, unit.outcome, unit.stage, unit.reason) for unit in units)
    order = sorted(counts, key=lambda key: (*key[:2], -counts[key], *key[2:]))
    return tuple(
        UnitCount(mode=mode, outcome=outcome, stage=stage, reason=reason, units=counts[key])
        for key in order
        for mode, outcome, stage, reason in (key,)
    )


Cells = tuple[str, ...]


def model_rows(build: BuildSummary) -> list[Cells]:
    """Role, model, how it sampled."""
    if build.roles is None or not build.roles.planner:
        return []
    tasks = {
        "planner": "infers what a user expects",
        "generator": "writes both responses",
        "judge": "scores adherence and quality",
    }
    named = {
        "planner": (build.roles.planner,),
        "generator": build.roles.generator,
        "judge": build.roles.judges,
    }
    rows = list[Cells]()
    for role, task in tasks.items():
        sampled = "not stated"
        if sampling := build.sampling.get(role):
            values = {
                "temperature": sampling.temperature, "top-p": sampling.top_p, "seed": sampling.seed
            }  # fmt: skip
            known = [f"{name} {value}" for name, value in values.items() if value is not None]
            sampled = ", ".join(known) or "as the endpoint decides"
        rows += [(f"{role}: {task}", build.model(each), sampled) for each in named[role]]
    return rows


def funnel_rows(build: BuildSummary) -> list[Cells]:
    """Mode, stage, how many of the items reached it, with the interval of that share."""
    return [
        (mode, meaning, share(counts[stage], counts.get("items", 0)).counted())
        for mode, counts in build.funnel.items()
        for stage, meaning in STAGES.items()
        if stage in counts and stage != "items"
    ]

"""How the pairs were made: what stated.json says of the build, and units counted.

The manifest has all of stated.json; this is what pages show of it, and what rows are held to.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from pydantic import Field, ValidationError, field_validator

from pairwright.dataset import Layout
from pairwright.errors import InputError, first_invalid
from pairwright.estimate import share
from pairwright.modes import STAGES, has_own_choices
from pairwright.question_selection import QuestionSelection
from pairwright.records import Mode, Record
from pairwright.releases.primary import Provenance, UnitOutcome
from pairwright.text import number_of


class BuildSource(Record, extra="ignore"):
    """Where the items came from."""

    path: str
    hash: str
    items: int
    refused: dict[str, int] = Field(default={})
    repaired: dict[str, int] = Field(default={})


class EndpointModel(Record, extra="ignore"):
    model: str
    revision: str | None = None


class RoleEndpoints(Record, extra="ignore"):
    """The name of the endpoint of each role."""

    planner: str
    generator: tuple[str, ...]
    judge: str
    further_judges: tuple[str, ...] = ()

    @property
    def judges(self) -> tuple[str, ...]:
        return self.judge, *self.further_judges


class BuildCallCounts(Record, extra="ignore"):
    n: int
    prompt_tokens: int
    completion_tokens: int
    simulated: int = 0


class RoleSampling(Record, extra="ignore"):
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None


class BuildSettings(Record, extra="ignore"):
    """The resolved configuration of the run."""

    sampling: dict[str, RoleSampling] = Field(default={})


class BuildSummary(Record, extra="ignore"):
    """How the pairs were made."""

    source: BuildSource | None = None
    roles: RoleEndpoints | None = None
    endpoints: dict[str, EndpointModel] = Field(default={})
    recorded: tuple[str, ...] = ()
    """Models whose replies came from a recording."""
    served_models: dict[str, dict[str, int]] = Field(default={})
    """By model that was asked for, the other names that replies give, with the number of calls."""
    calls: BuildCallCounts | None = None
    funnel: dict[str, dict[str, int]] = Field(default={})
    """Units by mode and by stage that they reached; nothing in runs of earlier versions."""
    question_selection: tuple[QuestionSelection, ...] = ()
    """By mode, what was kept and dropped; nothing in runs of earlier versions."""
    prompts: dict[str, str] = Field(default={})
    """Hash by name."""
    config: BuildSettings = BuildSettings()

    @field_validator("funnel")
    @classmethod
    def _within_items(cls, funnel: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
        for counts in funnel.values():
            if not all(0 <= n <= counts.get("items", 0) for n in counts.values()):
                raise ValueError("a stage of the funnel has more units than there are items")
        return funnel

    def model(self, endpoint: str) -> str:
        """The model behind an endpoint, with its revision."""
        settings = self.endpoints.get(endpoint)
        if settings is None:
            return endpoint
        return f"{settings.model} ({settings.revision})" if settings.revision else settings.model

    @property
    def has_models(self) -> bool:
        """Whether models may have had a part: not in a build of own choices without a call."""
        return not (self.calls and not self.calls.n and has_own_choices(self.funnel))

    @property
    def answered_by(self) -> list[str]:
        """The names that replies give their models, where they are others than those asked for."""
        return [
            f"{name} for {asked} in {number_of(n, 'call')}"
            for asked, names in sorted(self.served_models.items())
            for name, n in sorted(names.items())
        ]


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
        if sampling := build.config.sampling.get(role):
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


def selection_rows(build: BuildSummary) -> list[Cells]:
    """Mode, what is compared, kept and dropped questions, and their difference, also in standard
    deviations."""
    return [
        (
            selection.mode,
            one.name,
            one.group_text(one.kept),
            one.group_text(one.dropped),
            one.text,
            f"{one.deviations + 0.0:+.2f}",
        )
        for selection in build.question_selection
        for one in selection.differences
    ]

"""How the pairs were made: what stated.json says of the build, units counted, and sentences.

The manifest has all of stated.json; this is what pages show of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import ConfigDict, Field, JsonValue, ValidationError, field_validator

from pairwright.dataset import Layout
from pairwright.errors import InputError
from pairwright.estimate import share
from pairwright.modes import STAGES, has_own_choices
from pairwright.records import Mode, Record
from pairwright.release.derive.own_choice import own_choice_words, preparation, words_of_modes
from pairwright.release.records import Provenance, UnitOutcome
from pairwright.release.summary import Summary
from pairwright.text import number_of


class _ManifestPart(Record):
    """Part of a run's manifest; what pages do not show is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class BuildSource(_ManifestPart):
    """Where the items came from."""

    path: str
    hash: str
    items: int
    refused: dict[str, int] = Field(default={})
    repaired: dict[str, int] = Field(default={})


class EndpointModel(_ManifestPart):
    model: str
    revision: str | None = None


class RoleEndpoints(_ManifestPart):
    """The name of the endpoint of each role."""

    planner: str
    generator: tuple[str, ...]
    judge: str


class BuildCallCounts(_ManifestPart):
    n: int
    prompt_tokens: int
    completion_tokens: int
    simulated: int = 0


class RoleSampling(_ManifestPart):
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None


class BuildSettings(_ManifestPart):
    """The resolved configuration of the run."""

    preset: str = ""
    seed: int | None = None
    words: int | None = None
    strategies: tuple[str, ...] = ()
    sampling: dict[str, RoleSampling] = Field(default={})
    content: dict[str, JsonValue] = Field(default={})
    """Hashes of prompts, rubrics and source."""


class BuildSummary(_ManifestPart):
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


def summarise_build(provenance: Provenance, layout: Layout) -> BuildSummary:
    """Read it; raises InputError naming the field that a build would not have written."""
    try:
        return BuildSummary.model_validate(provenance.build)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise InputError(
            first["msg"],
            where=f"{layout.provenance} [build.{at}]",
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


Row = tuple[str, ...]

PAIR = (
    "A pair is one question, the earlier posts of one user, and two responses: the chosen one fits"
    " what the posts let one expect of this user, the rejected one does not. Both are meant to be"
    " equally good answers to anyone who does not know the user. The rubric says what this user"
    " expects, why, and which post shows it."
)


def pair_sentence(summary: Summary) -> str:
    """What a pair is."""
    words = own_choice_words(summary)
    return words.pair if words else PAIR


def source_sentences(build: BuildSummary) -> Iterator[str]:
    """Where the items came from."""
    source = build.source
    if source is None:
        return
    words = words_of_modes(build.funnel)
    what = words.items if words else "questions, each with its user's posts"
    yield f"Source: {source.path}, hash {source.hash}: {source.items:,} {what}."
    for what, counts in (("refused", source.refused), ("repaired", source.repaired)):
        if counts:
            reasons = ", ".join(f"{reason} {n:,}" for reason, n in sorted(counts.items()))
            yield f"Rows of the source {what}, by reason: {reasons}."


def evidence_sentences(summary: Summary) -> Iterator[str]:
    """On how many posts aspects rest: finding one statement again is less than reading several."""
    one, several = summary.aspects_of_one_post, summary.aspects_of_several_posts
    if one + several:
        yield (
            f"Of {one + several:,} different aspects that a planner inferred, {one:,} rest on one"
            f" post and {several:,} on several."
        )


def preparation_sentences(summary: Summary, counts: tuple[UnitCount, ...]) -> Iterator[str]:
    """What was done to the material, from what its rows and units show."""
    if words := own_choice_words(summary):
        yield from preparation(words, sum(count.units for count in counts))
        return
    yield "Posts that are not older than the question are left out; very long ones are cut."
    how = {
        "planner": "inferred by a model from the user's posts",
        "gold": "of the source",
        "narrative": "drawn from the asker's explanation of the question",
    }
    origins = (f"{n:,} {how[name]}" for name, n in summary.origins.items() if name in how)
    if rubrics := ", ".join(origins):
        yield f"Rubrics, by pairs: {rubrics}."
    yield from evidence_sentences(summary)
    judged = summary.rows - summary.judges.get("none", 0)
    yield f"Responses were written by a model; those of {judged:,} pairs were scored by a judge."
    outcomes = Counter[str]()
    for count in counts:
        outcomes[count.outcome] += count.units
    yield (
        f"A question in a mode is a unit: {outcomes['kept']:,} were kept,"
        f" {outcomes['rejected']:,} were refused and {outcomes['failed']:,} failed, as"
        " build/units.jsonl says of each."
    )


def model_rows(build: BuildSummary) -> list[Row]:
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
        "judge": (build.roles.judge,),
    }
    return [
        (f"{role}: {task}", build.model(endpoint), _sampled(build.config.sampling.get(role)))
        for role, task in tasks.items()
        for endpoint in named[role]
    ]


def recorded_sentence(build: BuildSummary) -> str:
    """Who wrote replies that came from a recording; empty where none did."""
    if not build.recorded:
        return ""
    calls = build.calls
    simulated = calls is not None and calls.n == calls.simulated > 0
    who = "a simulated model" if simulated else "a language model"
    return (
        f" The replies were written by {who} ({', '.join(build.recorded)}) and recorded; this build"
        " took them from the recording."
    )


def served_sentence(build: BuildSummary) -> str:
    """The names that replies give their models, where they are others than those asked for."""
    answered = [
        f"{name} for {asked} in {number_of(n, 'call')}"
        for asked, names in sorted(build.served_models.items())
        for name, n in sorted(names.items())
    ]
    if not answered:
        return ""
    return f" Replies name models by other names than were asked for: {', '.join(answered)}."


def stage_rows(counts: tuple[UnitCount, ...]) -> list[Row]:
    """Mode, outcome, stage, reason, n."""
    return [
        (count.mode, count.outcome, count.stage, count.reason, f"{count.units:,}")
        for count in counts
    ]


def funnel_rows(build: BuildSummary) -> list[Row]:
    """Mode, stage, how many of the items reached it, with the interval of that share."""
    return [
        (mode, meaning, share(counts[stage], counts.get("items", 0)).counted())
        for mode, counts in build.funnel.items()
        for stage, meaning in STAGES.items()
        if stage in counts and stage != "items"
    ]


def has_models(build: BuildSummary) -> bool:
    """Whether models may have had a part in a build: not in one of own choices without a call."""
    return not (build.calls and not build.calls.n and has_own_choices(build.funnel))


def call_sentence(build: BuildSummary) -> str:
    """What was asked of models in all."""
    calls = build.calls
    if calls is None:
        return "Calls and tokens are not stated."
    if not has_models(build):
        return "No model was called."
    simulated = f", {calls.simulated:,} of them simulated" if calls.simulated else ""
    return (
        f"In all {calls.n:,} calls of models{simulated}, with {calls.prompt_tokens:,} tokens in and"
        f" {calls.completion_tokens:,} tokens out.{recorded_sentence(build)}"
        f"{served_sentence(build)}"
    )


def _sampled(sampling: RoleSampling | None) -> str:
    if sampling is None:
        return "not stated"
    values = {"temperature": sampling.temperature, "top-p": sampling.top_p, "seed": sampling.seed}
    parts = [f"{name} {value}" for name, value in values.items() if value is not None]
    return ", ".join(parts) or "as the endpoint decides"
